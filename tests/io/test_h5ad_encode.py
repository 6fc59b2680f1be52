"""What is written is what anndata reads, with the types and attributes that anndata itself writes."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

from anndata.io import read_elem, write_elem  # noqa: E402

from eigenselect.io.h5ad_encode import (  # noqa: E402
    add_columns,
    column_order,
    empty_table,
    index_name,
    set_order,
    write_categories,
    write_frame,
    write_part,
)

VALUES = {
    "float32": np.array([1.5, np.nan, -0.0], dtype=np.float32),
    "int8": np.array([[1, -2], [3, 4]], dtype=np.int8),
    "bool": np.array([True, False]),
    "text": np.array(["TP53", "größe 🧬", ""], dtype=object),
    "fixed text": np.array(["a", "bc"]),
    "csr": sparse.csr_matrix(np.array([[0, 1.5], [2, 0]])),
    "csc array": sparse.csc_array(np.array([[0, 1], [2, 0]], dtype=np.int16)),
    "string": "laplacian",
    "number": 0.05,
    "whole": 7,
    "truth": True,
    "dictionary": {"params": {"n": 3, "name": "x"}, "empty": {}},
}


@pytest.fixture
def file():
    with h5py.File("x.h5ad", "w", driver="core", backing_store=False) as file:
        yield file


def equal(found, expected):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            equal(found[key], expected[key])
    elif sparse.issparse(expected):
        assert (found.format, found.dtype, found.shape) == (expected.format, expected.dtype, expected.shape)
        assert (found != expected).nnz == 0
    elif isinstance(expected, np.ndarray) and expected.dtype.kind in "OU":
        assert found.tolist() == expected.tolist()
    else:
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(found, expected)


def attributes(node):
    return {name: np.asarray(value).tolist() for name, value in node.attrs.items()}


@pytest.mark.parametrize("name", VALUES)
def test_anndata_reads_what_was_written(file, name):
    write_part(file, "part", VALUES[name])
    equal(read_elem(file["part"]), VALUES[name])


@pytest.mark.parametrize("name", VALUES)
def test_parts_are_called_as_anndata_calls_them(file, name):
    write_part(file, "ours", VALUES[name])
    write_elem(file, "theirs", VALUES[name])
    ours, theirs = file["ours"], file["theirs"]
    assert attributes(ours) == attributes(theirs)
    if isinstance(theirs, h5py.Group):
        assert set(ours) == set(theirs)
    else:
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)


def test_a_part_gives_way_to_one_of_its_name(file):
    write_part(file, "uns", {"old": 1})
    write_part(file, "uns", {"new": 2})
    assert list(file["uns"]) == ["new"]


def test_text_that_is_no_utf_8_is_kept_as_bytes(file):
    """Names of a damaged file may hold half of a pair of code units."""
    write_part(file, "names", np.array(["a\ud800"], dtype=object))
    assert file["names"][0] == b"a\xed\xa0\x80"


@pytest.mark.parametrize("n_categories", [1, 3, 127, 128, 200, 40_000])
def test_categories(file, n_categories):
    texts = np.array([*[f"c{i:05}" for i in range(n_categories)][::-1], ""], dtype=object)
    write_categories(file, "class", texts)
    found = read_elem(file["class"])
    expected = pd.Categorical(np.where(texts == "", None, texts))
    assert found.tolist() == expected.tolist()
    assert found.categories.tolist() == sorted(set(texts) - {""})
    assert file["class/codes"].dtype.itemsize <= 4


def test_a_table_and_its_columns(file):
    frame = write_frame(file, "var", ["g1", "g2"], {"mean": np.array([0.5, 1.5])})
    add_columns(frame, {"score": np.array([1.0, np.nan]), "spectral": np.array([True, False])})
    add_columns(frame, {"mean": np.array([7, 8])})
    expected = pd.DataFrame({"score": [1.0, np.nan], "spectral": [True, False], "mean": [7, 8]}, index=["g1", "g2"])
    pd.testing.assert_frame_equal(read_elem(file["var"]), expected)
    assert (column_order(frame), index_name(frame)) == (["score", "spectral", "mean"], "_index")
    set_order(frame, [])
    assert column_order(frame) == []
    assert list(read_elem(file["var"])) == []


def test_order_and_index_as_bytes(file):
    """Other programs store attributes so."""
    frame = write_frame(file, "var", ["g1"], {"mean": np.array([0.5])})
    frame.attrs["column-order"], frame.attrs["_index"] = np.array([b"mean"]), np.bytes_(b"_index")
    assert (column_order(frame), index_name(frame)) == (["mean"], "_index")


def test_an_empty_table_is_an_annotated_one(tmp_path):
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        empty_table(file)
        write_part(file, "X", np.eye(2, dtype=np.float32))
        write_frame(file, "obs", ["a", "b"])
        write_frame(file, "var", ["x", "y"])
    data = anndata.read_h5ad(tmp_path / "t.h5ad")
    assert (data.shape, data.X.dtype) == ((2, 2), np.float32)
    assert data.obs_names.tolist() == ["a", "b"]
