"""Exact nearest neighbours, however they are computed."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.matrix import as_matrix
from eigenselect.similarity import distances, neighbors
from eigenselect.similarity.neighbors import nearest_neighbors

STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


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


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("full", [0, 2**27])
def test_ties_go_to_the_lower_sample_not_by_what_rounding_left_of_products(rng, monkeypatch, store, full):
    monkeypatch.setattr(distances, "FULL_GRAM_BYTES", full)  # by candidates, and by panels
    X = rng.permutation(np.append(np.arange(699.0), 3.3))[:, None]  # the mean is no whole number
    expected = np.argsort((X - X.T) ** 2 + np.diag(np.full(700, np.inf)), axis=1, kind="stable")[:, :3]
    indices, _ = nearest_neighbors(as_matrix(store(X)), 3)
    np.testing.assert_array_equal(indices, np.sort(expected, axis=1))


def test_ties_of_numbers_that_are_not_whole_are_those_of_whole_numbers(rng, memory):
    """Whatever the unit, and where zeros make products of another kind."""
    whole = np.hstack([rng.integers(0, 400, (200, 1)), rng.integers(0, 2, (200, 2)), np.zeros((200, 300))])
    expected, _ = nearest_neighbors(as_matrix(whole), 7)
    for unit in rng.uniform(0.01, 1.0, 12):
        for store in (np.asarray, sparse.csr_array):
            np.testing.assert_array_equal(nearest_neighbors(as_matrix(store(whole * unit)), 7)[0], expected)


def test_known_distances_are_taken(rng):
    X = as_matrix(rng.normal(size=(30, 4)))
    known = cdist(X.raw, X.raw, "sqeuclidean")
    indices, squared = nearest_neighbors(X, 4, known=known[::-1, ::-1])
    expected = nearest_neighbors(as_matrix(X.raw[::-1].copy()), 4)[0]
    np.testing.assert_array_equal(indices, expected)
    assert np.isfinite(squared).all()
    assert (known.diagonal() == 0).all()  # not written to


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("full", [0, 2**27])
def test_rows_that_are_nearly_parallel(rng, monkeypatch, store, full):
    """Multiples of a row tie, so the lower sample is the neighbour; angles of 1e-6 keep their digits."""
    monkeypatch.setattr(distances, "FULL_GRAM_BYTES", full)  # by candidates, and by panels
    X = np.repeat(rng.normal(size=(40, 7)), 3, axis=0) * np.tile([1.0, 3.0, 0.7], 40)[:, None]
    indices, squared = nearest_neighbors(as_matrix(store(X)), 1, metric="cosine")
    np.testing.assert_array_equal(indices[:, 0], [3 * (i // 3) + (i % 3 == 0) for i in range(120)])
    assert not squared.any()
    X = np.repeat(X[::3], 3, axis=0) + 1e-6 * rng.normal(size=(120, 7))
    indices, squared = nearest_neighbors(as_matrix(store(X)), 2, metric="cosine")
    long = X.astype(np.longdouble)
    long /= np.sqrt((long**2).sum(axis=1, keepdims=True))
    expected = ((long[:, None] - long[indices]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared, expected.astype(float), rtol=1e-8)
