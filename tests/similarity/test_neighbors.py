"""Exact nearest neighbours, however they are computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.matrix import as_matrix
from eigenselect.similarity import KNN, distances, gram, neighbors
from eigenselect.similarity.neighbors import nearest_neighbors, smallest_per_row

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


@pytest.mark.parametrize("levels", [2, 4])
def test_a_tree_settles_ties_as_brute_force_does(rng, monkeypatch, levels):
    X = rng.integers(0, levels, size=(150, 3)).astype(float)
    expected = KNN(6, "binary").build(X)
    monkeypatch.setattr(neighbors, "TREE_SAMPLES", 0)
    assert (KNN(6, "binary").build(X).affinity != expected.affinity).nnz == 0


@given(hnp.arrays(float, (3, 9), elements=st.integers(0, 3).map(float)), st.integers(1, 9))
def test_the_smallest_of_a_row_and_ties_to_the_lower_column(values, count):
    expected = np.sort(np.argsort(values, axis=1, kind="stable")[:, :count], axis=1)
    np.testing.assert_array_equal(smallest_per_row(values, count), expected)


def test_distances_equal_up_to_rounding_tie():
    values = np.array([[1.0 + 3e-15, 1.0, 1.0 - 3e-15, 2.0]])
    np.testing.assert_array_equal(smallest_per_row(values, 2), [[0, 1]])
    np.testing.assert_array_equal(smallest_per_row(np.array([[1.0 + 1e-9, 1.0]]), 1), [[1]])
