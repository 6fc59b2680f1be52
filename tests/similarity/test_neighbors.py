"""Exact nearest neighbours, however they are computed."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.matrix import as_matrix
from eigenselect.similarity import distances, gram, neighbors
from eigenselect.similarity.neighbors import nearest_neighbors

STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


@pytest.fixture(params=["full", "panels"])
def memory(request, monkeypatch):
    """A Gram matrix that is held at once, and one that is not; blocks of features made once, and again and again."""
    if request.param == "panels":
        monkeypatch.setattr(distances, "FULL_GRAM_BYTES", 0)
        monkeypatch.setattr(gram, "KEPT_BLOCKS_BYTES", 0)
        monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 0)
        monkeypatch.setattr(distances, "PANEL_BYTES", 0)
        monkeypatch.setattr(distances, "TILE_ROWS", 16)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("density", [0.02, 1.0])
def test_neighbours_against_scipy(rng, memory, store, density):
    X = rng.normal(size=(50, 90)) * (rng.random((50, 90)) < density)
    indices, squared = nearest_neighbors(as_matrix(store(X)), 4)
    expected = cdist(X, X, "sqeuclidean")
    np.testing.assert_allclose(squared, np.take_along_axis(expected, indices, axis=1), rtol=1e-9, atol=1e-12)
    np.fill_diagonal(expected, np.inf)
    np.testing.assert_allclose(np.sort(squared, axis=1), np.sort(expected, axis=1)[:, :4], rtol=1e-9, atol=1e-12)
    assert (np.diff(indices, axis=1) > 0).all()


def test_where_products_of_zeros_are_cheap_they_are_used(rng, monkeypatch):
    """A sparse table of few values is not made dense, a full one is searched by candidates."""
    monkeypatch.setattr(distances, "FULL_GRAM_BYTES", 0)
    monkeypatch.setattr(neighbors, "blocked_neighbors", None)
    X = rng.normal(size=(50, 90)) * (rng.random((50, 90)) < 0.02)
    nearest_neighbors(as_matrix(sparse.csr_array(X)), 4)
    with pytest.raises(TypeError, match="not callable"):
        nearest_neighbors(as_matrix(sparse.csr_array(X + 1)), 4)


def test_known_distances_are_taken(rng):
    X = as_matrix(rng.normal(size=(30, 4)))
    known = cdist(X.raw, X.raw, "sqeuclidean")
    indices, squared = nearest_neighbors(X, 4, known=known[::-1, ::-1])
    expected = nearest_neighbors(as_matrix(X.raw[::-1].copy()), 4)[0]
    np.testing.assert_array_equal(indices, expected)
    assert np.isfinite(squared).all()
    assert (known.diagonal() == 0).all()  # not written to
