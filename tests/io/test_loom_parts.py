"""Parts of loom files: blocks of rows, and text that ASCII cannot write."""

import numpy as np
import pytest
from scipy import sparse
from tests.io.hdf5_files import COUNTS, GENES, write_loom

h5py = pytest.importorskip("h5py")
loom_parts = pytest.importorskip("eigenselect.io.loom_parts")


def read(path, **asked):
    return loom_parts.read_loom_parts(str(path), **{"layer": None, "graph": None, "asked": [], **asked})


def test_parts_as_they_are_stored(tmp_path):
    parts = read(write_loom(tmp_path / "t.loom"), asked=["Age"])
    np.testing.assert_array_equal(parts.matrix, COUNTS.T)
    assert (parts.genes.tolist(), sorted(parts.attributes)) == (GENES, ["Age", "CellID", "Class", "UMAP"])
    np.testing.assert_array_equal(parts.columns["Age"], [1.0, np.nan, 3.0] * 3)


def test_the_first_process_reads_little_of_a_large_matrix(tmp_path):
    parts = read(write_loom(tmp_path / "t.loom"), graph="KNN", most=40)
    assert parts.matrix == (COUNTS[0, 0], COUNTS[-1, -1])
    assert parts.graph["w"] == (0.1, 0.8)


@pytest.mark.parametrize(
    ("stored", "text"),
    [("&#945;", "α"), ("a&#946;&#947;", "aβγ"), ("AT&T", "AT&T"), ("&amp;", "&amp;"), ("&#9999999;", "&#9999999;")],
)
def test_text_of_fixed_length(tmp_path, stored, text):
    path = write_loom(tmp_path / "t.loom")
    with h5py.File(path, "r+") as file:
        file["col_attrs/note"] = np.array([stored.encode()] * 9)
        file["col_attrs/other"] = np.array([stored] * 9, dtype=h5py.string_dtype())
    columns = read(path, asked=["note", "other"]).columns
    assert columns["note"].tolist() == [text] * 9
    assert columns["other"].tolist() == [stored] * 9  # text of any length is UTF-8


@pytest.mark.parametrize("n_values", [0, 1, 12, 13, 14, 54])
@pytest.mark.parametrize("block", [1, 150, 1 << 20])
def test_matrices_stay_sparse_up_to_a_quarter(tmp_path, monkeypatch, n_values, block):
    """All of them in the first rows, so that blocks differ."""
    matrix = np.zeros(54)
    matrix[:n_values] = np.arange(1, n_values + 1)
    monkeypatch.setattr(loom_parts, "BLOCK", block)
    found = read(write_loom(tmp_path / "t.loom", matrix.reshape(6, 9))).matrix
    dense = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_array_equal(dense, matrix.reshape(6, 9))
    if block > 1000:
        assert sparse.issparse(found) == (n_values <= 13)
