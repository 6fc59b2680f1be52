"""Plain HDF5 files, as tables of named arrays."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

h5py = pytest.importorskip("h5py")


@pytest.fixture
def written(tmp_path, rng):
    """A file with two tables, one of them sparse, names and labels."""
    X, path = rng.poisson(1.0, (6, 4)), tmp_path / "x.h5"
    held = sparse.csr_array(X)
    with h5py.File(path, "w") as file:
        file["day/counts"] = X.astype(np.int16)
        file["day/genes"] = ["a", "b", "c", "d"]
        file["day/class"] = ["u", "v"] * 3
        group = file.create_group("thin")
        group.attrs.update({"encoding-type": "csr_matrix", "shape": X.shape})
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(held, name)
    return str(path), X


def test_a_table_is_named_by_its_path(written):
    path, X = written
    table = read_table(f"{path}:day/counts", label="class")
    np.testing.assert_array_equal(table.X, X)
    assert table.X.dtype == np.int16
    assert table.feature_names == ("a", "b", "c", "d")
    assert table.y.tolist() == ["u", "v"] * 3
    thin = read_table(f"{path}:thin").X
    np.testing.assert_array_equal(thin.toarray(), X)
    np.testing.assert_array_equal(read_table(f"{path}:thin", transpose=True).X.toarray(), X.T)


def test_several_tables_and_none(written, tmp_path):
    path, _ = written
    says = (
        r"x\.h5: holds 2 tables \('day/counts', 'thin'\), of which none is named; name an array of samples x features"
    )
    with pytest.raises(InputError, match=says):
        read_table(path)
    with pytest.raises(InputError, match=r"x\.h5:dayy: no dataset .* there are 2 datasets \('day/counts', 'thin'\)"):
        read_table(f"{path}:dayy")
    with pytest.raises(InputError, match=r"no dataset named 'day/count'; did you mean 'day/counts'\?"):
        read_table(f"{path}:day/count")
    with pytest.raises(InputError, match="'day' is no matrix of numbers"):
        read_table(f"{path}:day")
    with h5py.File(tmp_path / "none.hdf5", "w") as file:
        file["text"] = ["a", "b"]
    with pytest.raises(InputError, match=r"none\.hdf5: holds no matrix of numbers; name an array"):
        read_table(str(tmp_path / "none.hdf5"))
    with pytest.raises(InputError, match=r"no dataset named 'X'; there is 1 dataset \('text'\)"):
        read_table(f"{tmp_path / 'none.hdf5'}:X")


def test_no_other_file_is_opened_and_no_claim_believed(tmp_path, rng):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["X"] = rng.random((4, 3))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["X"] = h5py.ExternalLink("other.h5", "X")
    with pytest.raises(InputError, match="points to data in another file, which is never followed"):
        read_table(str(tmp_path / "x.h5"))
    with h5py.File(tmp_path / "y.h5", "w") as file:
        file.create_dataset("X", shape=(2**40, 2**20), dtype="f8", chunks=(1024, 64))
    with pytest.raises(InputError, match=r"y\.h5: cannot be read as h5, it is damaged"):
        read_table(str(tmp_path / "y.h5"))


def test_what_is_no_table_is_said_of_the_file_alone(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["group/own"] = h5py.SoftLink("/group")
        file["ring"] = h5py.SoftLink("/ring")  # which is no matrix of 10x Genomics
    with pytest.raises(InputError, match=r"x\.h5:group: 'group' is no matrix of numbers, .* as .*x\.h5:PATH\.$"):
        read_table(f"{path}:group")
