"""Neighbours by candidates in single precision are those of all distances in double precision, proved row by row."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.matrix import as_matrix
from eigenselect.similarity import bounded_space, candidates
from eigenselect.similarity.bounded_space import Space
from eigenselect.similarity.candidates import _Search, blocked_neighbors, neighbors_of_some
from eigenselect.similarity.ties import smallest_per_row
from ugly_tables import TABLES, copies, far_clusters, ordinary, ties


@pytest.fixture(params=["kept", "made again"])
def memory(request, monkeypatch):
    """A table in single precision that is kept, and one that is made again for each stripe of products."""
    monkeypatch.setattr(candidates, "BLOCK_ROWS", 32)
    monkeypatch.setattr(candidates, "BLOCK_COLUMNS", 50)
    if request.param == "made again":
        monkeypatch.setattr(bounded_space, "KEPT_BYTES", 0)
        monkeypatch.setattr(bounded_space, "MEASURED_BYTES", 0)
        monkeypatch.setattr(candidates, "STRIPE_BYTES", 60 * 8 * 50)
        monkeypatch.setattr(bounded_space, "SUMMED_FEATURES", 8)


def brute_force(X, count):
    X = np.asarray(X, dtype=np.float64)
    squared = np.stack([((X - row) ** 2).sum(axis=1) for row in X])
    np.fill_diagonal(squared, np.inf)
    indices = smallest_per_row(squared, count)
    return indices, np.take_along_axis(squared, indices, axis=1)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("table", TABLES)
def test_neighbours_are_those_of_brute_force(rng, memory, table, store):
    X = table(rng)
    indices, squared = blocked_neighbors(as_matrix(store(X)), 6, metric="euclidean", n_jobs=2)
    expected, distances = brute_force(X, 6)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-12)


@pytest.mark.parametrize("table", TABLES)
def test_many_neighbours_are_not_put_into_sorted_lists_and_are_the_same(rng, memory, monkeypatch, table):
    """Each of k would move k others: 4000 neighbours of as many samples took minutes."""
    monkeypatch.setattr(candidates, "MOST_INSERTED", 20)
    monkeypatch.setattr("eigenselect.similarity.neighbor_loops.keep_lowest", None)
    X = table(rng)
    indices, _ = blocked_neighbors(as_matrix(X), 60, metric="euclidean", n_jobs=1)
    np.testing.assert_array_equal(indices, brute_force(X, 60)[0])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_of_equal_samples_few_are_searched(rng, monkeypatch, metric):
    """Each of 20 000 samples tied with thousands of others, one after the other, for half a minute."""
    searched = []
    real = Space.of
    monkeypatch.setattr(Space, "of", lambda X, metric: searched.append(X.n_samples) or real(X, metric))
    points = rng.integers(0, 2, size=(8, 6)).astype(float) + np.eye(8, 6)
    points[1] = 2 * points[0]  # at distance 0 by angle, though no copy
    X = points[rng.integers(0, 8, 400)]
    X[::2] *= np.where(X[::2] == 0, -1.0, 1.0)  # -0 is 0
    indices, squared = blocked_neighbors(as_matrix(X), 6, metric=metric, n_jobs=1)
    assert max(searched) <= 8 * 7
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    unit = X if metric == "euclidean" else np.round(X / np.where(lengths > 0, lengths, 1.0), 12)
    expected, distances = brute_force(unit, 6)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, atol=1e-10)


def test_single_precision_settles_nearly_all_rows_of_an_ordinary_table(rng):
    """Else everything would be searched twice."""
    search = _Search(Space.of(as_matrix(rng.normal(size=(600, 30))), "euclidean"), 10)
    search.in_single_precision(np.arange(600), 1)
    assert search.settled.mean() > 0.99


def test_ties_and_lost_digits_are_not_settled_in_single_precision(rng):
    for table in (far_clusters, copies, ties):
        search = _Search(Space.of(as_matrix(table(rng)), "euclidean"), 6)
        search.in_single_precision(np.arange(150), 1)
        assert not search.settled.all()


def test_more_ties_than_candidates_go_to_the_lower_samples_though_rounding_tells_them_apart():
    """Sixty samples are as far from the last one but for the twelfth digit, the lower ones a little farther."""
    X = np.vstack([np.diag(1.0 + 1e-12 * np.linspace(1, 0, 60)), np.zeros((1, 60))])
    indices, _ = blocked_neighbors(as_matrix(X), 6, metric="euclidean", n_jobs=1)
    np.testing.assert_array_equal(indices[-1], np.arange(6))


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_neighbours_by_angle(rng, memory, store):
    X = rng.normal(size=(150, 20)) * rng.uniform(0.1, 50, size=(150, 1))
    X[3] = 0
    lengths = np.linalg.norm(X, axis=1)
    unit = X / np.where(lengths > 0, lengths, 1)[:, None]
    expected = 2 - 2 * unit @ unit.T
    np.fill_diagonal(expected, np.inf)
    indices, squared = blocked_neighbors(as_matrix(store(X)), 6, metric="cosine", n_jobs=1)
    np.testing.assert_array_equal(np.delete(indices, 3, axis=0), np.delete(smallest_per_row(expected, 6), 3, axis=0))
    np.testing.assert_array_equal(indices[3], [0, 1, 2, 4, 5, 6])
    np.testing.assert_allclose(squared, np.take_along_axis(expected, indices, axis=1), rtol=1e-9)


def test_some_samples_alone(rng, memory):
    X, rows = ordinary(rng), np.array([3, 140, 77])
    indices, squared = neighbors_of_some(Space.of(as_matrix(X), "euclidean"), rows, 5, n_jobs=1)
    expected, distances = brute_force(X, 5)
    np.testing.assert_array_equal(indices, expected[rows])
    np.testing.assert_allclose(squared, distances[rows], rtol=1e-12)


def test_as_many_neighbours_as_there_are_others(rng, memory):
    X = rng.normal(size=(12, 3))
    indices, _ = blocked_neighbors(as_matrix(X), 11, metric="euclidean", n_jobs=1)
    np.testing.assert_array_equal(indices, [[j for j in range(12) if j != i] for i in range(12)])


def test_threads_do_not_change_a_bit(rng, memory):
    X = as_matrix(far_clusters(rng))
    one, three = (blocked_neighbors(X, 5, metric="euclidean", n_jobs=n_jobs) for n_jobs in (1, 3))
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(one[1], np.take_along_axis(cdist(X.raw, X.raw, "sqeuclidean"), one[0], axis=1))
