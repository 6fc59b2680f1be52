"""Raw counts are told from logarithms, and cells that express a gene are counted, in any storage."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import as_matrix
from eigenselect.single_cell import counts
from eigenselect.single_cell.counts import largest_count, n_expressed, refuse_empty, warn_of_raw_counts

anndata = pytest.importorskip("anndata")
STORAGES = ["array", "float32", "csr", "csc", "backed"]


def stored(X, storage, tmp_path):
    """The same table in another storage."""
    if storage == "backed":
        anndata.AnnData(sparse.csr_matrix(X)).write_h5ad(tmp_path / "x.h5ad")
        return as_matrix(anndata.read_h5ad(tmp_path / "x.h5ad", backed="r"))
    if storage in ("csr", "csc"):
        return as_matrix(sparse.coo_array(X).asformat(storage))
    return as_matrix(X.astype(storage if storage != "array" else X.dtype))


@pytest.fixture(params=STORAGES)
def as_stored(request, tmp_path):
    return lambda X: stored(X, request.param, tmp_path)


def test_counts_have_their_largest_value(as_stored, rng, monkeypatch):
    monkeypatch.setattr(counts, "VALUES", 16)  # several steps
    X = rng.poisson(1.0, size=(40, 7)).astype(float)
    X[33, 5] = 77
    assert largest_count(as_stored(X)) == 77


@pytest.mark.parametrize("value", [0.5, -1.0])
def test_one_value_tells_that_they_are_none(as_stored, rng, monkeypatch, value):
    monkeypatch.setattr(counts, "VALUES", 16)
    X = rng.poisson(1.0, size=(40, 7)).astype(float)
    X[39, 6] = value
    assert largest_count(as_stored(X)) == 0


def test_floats_beyond_whole_numbers_are_no_counts():
    assert largest_count(as_matrix(np.array([[2.0**53, 1]]))) == 2.0**53
    assert largest_count(as_matrix(np.array([[1e300, 1.0]]))) == 0


def test_no_genes_are_not_an_empty_layer():
    with pytest.raises(ValueError, match=r"pp: adata.X has no genes; give at least one."):
        refuse_empty(np.zeros(0, dtype=np.int64), "adata.X", "pp")


def test_cells_that_express_a_gene(as_stored, rng, monkeypatch):
    monkeypatch.setattr(counts, "VALUES", 16)
    X = rng.normal(size=(40, 7)) * (rng.random((40, 7)) < [0, 0.1, 0.5, 0.9, 1, 0.2, 0.3])
    assert n_expressed(as_stored(X)).tolist() == np.count_nonzero(X, axis=0).tolist()


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_stored_zeros_and_entries_in_two_parts(kind):
    starts = [0, 1, 2, 5] if kind is sparse.csr_array else [0, 2, 4, 5]
    places = [0, 0, 1, 1, 2] if kind is sparse.csr_array else [0, 1, 2, 2, 2]
    raw = kind((np.array([1.0, 0, 2, -2, 3]), np.array(places), np.array(starts)), shape=(3, 3))
    assert n_expressed(as_matrix(raw)).tolist() == [1, 0, 1]  # 2 and -2 are one entry, which is zero
    assert raw.nnz == 5  # what was given stays as it is


def test_booleans_and_presence_are_no_counts(rng):
    presence = rng.random((20, 3)) < 0.5
    assert largest_count(as_matrix(presence)) == 0
    warn_of_raw_counts(as_matrix(presence.astype(float)), "adata.X", "pp")  # no warning: an error here
    with pytest.warns(UserWarning, match=r"pp: adata.X holds raw counts \(whole numbers up to 2\).*`pp.log1p` first"):
        warn_of_raw_counts(as_matrix(presence * 2.0), "adata.X", "pp")


def test_whole_numbers_of_any_type(rng):
    X = rng.poisson(2.0, size=(9, 4))
    for dtype in (np.int64, np.uint8, np.float32):
        assert largest_count(as_matrix(X.astype(dtype))) == X.max()


def test_a_table_that_was_never_filled():
    refuse_empty(np.array([0, 1]), "adata.X", "pp")
    with pytest.raises(ValueError, match="pp: adata.X is empty, every value is zero; name a layer"):
        refuse_empty(n_expressed(as_matrix(sparse.csr_array((5, 3)))), "adata.X", "pp")
