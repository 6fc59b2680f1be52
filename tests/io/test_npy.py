"""A single array, mapped into memory."""

import numpy as np
import pytest

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table


def saved(tmp_path, values, **options):
    path = tmp_path / "x.npy"
    np.save(path, values, **options)
    return str(path)


@pytest.mark.parametrize("dtype", ["float32", ">f8", "int8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_file_is_mapped_and_not_converted(tmp_path, rng, dtype, order):
    X = np.asarray(rng.integers(0, 2, (6, 4)), dtype=dtype, order=order)
    table = read_table(saved(tmp_path, X))
    assert isinstance(table.X, np.memmap)
    assert table.X.dtype == X.dtype
    np.testing.assert_array_equal(table.X, X)
    assert table.feature_names == ("x0", "x1", "x2", "x3")
    assert table.sample_names is None
    np.testing.assert_array_equal(read_table(saved(tmp_path, X), transpose=True).X, X.T)


def test_values_that_are_missing_are_counted(tmp_path):
    X = np.ones((5, 3), np.float32)
    X[1, 2] = X[4, 2] = np.nan
    with pytest.raises(InputError, match=r"2 missing or infinite values in 'x2' \(2\)"):
        read_table(saved(tmp_path, X))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.ones(4), r"must be a matrix of real numbers, got shape \(4,\) of float64\."),
        (np.ones((2, 2), complex), "must be a matrix of real numbers, got shape .* of complex128"),
        (np.array([["a", "b"]] * 2), "must be a matrix of real numbers, got shape .* of str"),
        (np.zeros((0, 3)), "needs at least 2 samples"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, values, says):
    with pytest.raises(InputError, match=says):
        read_table(saved(tmp_path, values))


def test_objects_are_never_unpickled(tmp_path):
    class Harm:
        def __reduce__(self):
            return open, (str(tmp_path / "made"), "w")

    path = saved(tmp_path, np.array([[Harm(), 1], [2, 3]], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="holds pickled objects, which are never loaded"):
        read_table(path)
    assert not (tmp_path / "made").exists()


def test_a_damaged_file_gets_its_sentence(tmp_path, rng):
    path = saved(tmp_path, rng.random((6, 4)))
    with open(path, "rb") as file:
        whole = file.read()
    for damage in (whole[:-1], whole + b"\0", whole[:20], b"\x93NUMPY", whole.replace(b"(6, 4)", b"(9, 9)")):
        with open(path, "wb") as file:
            file.write(damage)
        with pytest.raises(InputError, match=r"x\.npy: cannot be read as npy, it is damaged or of another kind\.$"):
            read_table(path)


@pytest.mark.parametrize("role", ["label", "samples"])
def test_labels_and_names_have_no_place(tmp_path, rng, role):
    """Nor can a second file give them, which is matched by names: so another format is named."""
    with pytest.raises(InputError, match=r"has no array 'class', as npy holds one; save both in an npz"):
        read_table(saved(tmp_path, rng.random((6, 4))), **{role: "class"})
