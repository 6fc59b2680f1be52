"""Exact nearest neighbours are those of brute force, ties go to the lower sample, however they are searched."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.matrix import as_matrix
from eigenselect.similarity import bounded_space, candidates, distances, ties, tree
from eigenselect.similarity.bounded_space import Space
from eigenselect.similarity.candidates import blocked_neighbors
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.ties import nearest_of, smallest_per_row
from eigenselect.similarity.tree import tree_neighbors
from ugly_tables import TABLES, far_clusters


@pytest.fixture(params=["kept", "made again"])
def kept(request, monkeypatch):
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


@pytest.mark.parametrize("table", TABLES)
def test_neighbours_are_those_of_brute_force(rng, kept, table, monkeypatch):
    """Many are not put into sorted lists: each of k would move k others, and 4000 of as many samples took minutes."""
    X = table(rng)
    expected, distances = brute_force(X, 6)
    for store in (np.asarray, sparse.csr_array):
        indices, squared = blocked_neighbors(as_matrix(store(X)), 6, metric="euclidean", n_jobs=2)
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(squared, distances, rtol=1e-12)
    monkeypatch.setattr(candidates, "MOST_INSERTED", 20)
    monkeypatch.setattr("eigenselect.similarity.neighbor_loops.keep_lowest", None)
    indices, _ = blocked_neighbors(as_matrix(X), 60, metric="euclidean", n_jobs=1)
    np.testing.assert_array_equal(indices, brute_force(X, 60)[0])


def test_as_many_neighbours_as_there_are_others(rng, kept):
    X = as_matrix(rng.normal(size=(12, 3)))
    for indices, _ in (blocked_neighbors(X, 11, metric="euclidean", n_jobs=1), tree_neighbors(X, 11, 1)):
        np.testing.assert_array_equal(indices, [[j for j in range(12) if j != i] for i in range(12)])


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


def test_more_ties_than_candidates_go_to_the_lower_samples_though_rounding_tells_them_apart():
    """Sixty samples are as far from the last one but for the twelfth digit, the lower ones a little farther."""
    X = np.vstack([np.diag(1.0 + 1e-12 * np.linspace(1, 0, 60)), np.zeros((1, 60))])
    indices, _ = blocked_neighbors(as_matrix(X), 6, metric="euclidean", n_jobs=1)
    np.testing.assert_array_equal(indices[-1], np.arange(6))


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_neighbours_by_angle(rng, kept, store):
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


def test_threads_do_not_change_a_bit(rng, kept):
    X = as_matrix(far_clusters(rng))
    one, three = (blocked_neighbors(X, 5, metric="euclidean", n_jobs=n_jobs) for n_jobs in (1, 3))
    for a, b in zip(one, three, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(one[1], np.take_along_axis(cdist(X.raw, X.raw, "sqeuclidean"), one[0], axis=1))


@pytest.mark.parametrize(
    ("store", "density"), [(np.asfortranarray, 1.0), (sparse.csr_array, 0.02), (sparse.csc_array, 1.0)]
)
def test_neighbours_against_scipy(rng, memory, store, density):
    X = rng.normal(size=(50, 90)) * (rng.random((50, 90)) < density)
    indices, squared = nearest_neighbors(as_matrix(store(X)), 4)
    expected = cdist(X, X, "sqeuclidean")
    np.testing.assert_allclose(squared, np.take_along_axis(expected, indices, axis=1), rtol=1e-9, atol=1e-12)
    np.fill_diagonal(expected, np.inf)
    np.testing.assert_allclose(np.sort(squared, axis=1), np.sort(expected, axis=1)[:, :4], rtol=1e-9, atol=1e-12)
    assert (np.diff(indices, axis=1) > 0).all()


@pytest.mark.parametrize(("store", "full"), [(np.asarray, 0), (sparse.csr_array, 2**27), (sparse.csr_array, 0)])
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


@pytest.mark.parametrize(("store", "full"), [(np.asarray, 0), (sparse.csr_array, 2**27), (sparse.csr_array, 0)])
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


@pytest.fixture
def blocks(monkeypatch):
    """Several blocks, of which the last is short, and several questions to the tree in each."""
    monkeypatch.setattr(tree, "BLOCK_POINTS", 64)
    monkeypatch.setattr(tree, "BLOCK_NEIGHBORS", 200)


@pytest.mark.parametrize(("levels", "n_features"), [(1, 3), (2, 10), (4, 1), (4, 3), (1000, 3)])
def test_a_tree_settles_ties_as_brute_force_does(rng, blocks, levels, n_features):
    """With few levels, a point has more copies and ties than the tree is asked for at first."""
    X = as_matrix(rng.integers(0, levels, size=(150, n_features)).astype(float))
    (indices, squared), (expected, distances) = tree_neighbors(X, 6, 2), nearest_neighbors(X, 6)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-12, atol=1e-9)


def test_a_point_with_all_others_around_it_is_asked_for_until_no_more_can_tie(blocks):
    """40 points at the same distance: the neighbours of the middle are those with the lowest numbers."""
    angles = np.arange(40) * np.pi / 20
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    indices, _ = tree_neighbors(as_matrix(np.vstack([circle, [[0.0, 0.0]]])), 3, 1)
    np.testing.assert_array_equal(indices[-1], [0, 1, 2])


def test_copies_of_few_points_make_a_small_tree(rng, monkeypatch):
    """Each of 4000 points ties with 500 others: looking at all of them, work would grow with the square."""
    asked = []
    real = tree.nearest_of
    monkeypatch.setattr(tree, "nearest_of", lambda *found: asked.append(found[0].size) or real(*found))
    X = rng.integers(0, 2, size=(4000, 3)).astype(float)
    indices, squared = nearest_neighbors(as_matrix(X), 5, n_jobs=1)
    assert sum(asked) <= 1000
    np.testing.assert_array_equal(squared, np.zeros_like(squared))
    first = np.flatnonzero((X[-1] == X).all(axis=1))[:5]
    np.testing.assert_array_equal(indices[-1], first)


@pytest.fixture(params=["partition", "loop"])
def way(request, monkeypatch):
    """Small panels are partitioned, large ones looked through by a compiled loop."""
    if request.param == "loop":
        monkeypatch.setattr(ties, "COMPILED_FROM", 0)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hnp.arrays(float, (3, 9), elements=st.integers(0, 3).map(float)), st.integers(1, 9))
def test_the_smallest_of_a_row_and_ties_to_the_lower_column(way, values, count):
    expected = np.sort(np.argsort(values, axis=1, kind="stable")[:, :count], axis=1)
    np.testing.assert_array_equal(smallest_per_row(values, count), expected)


def test_distances_equal_up_to_rounding_tie(way):
    values = np.array([[1.0 + 3e-15, 1.0, 1.0 - 3e-15, 2.0]])
    np.testing.assert_array_equal(smallest_per_row(values, 2), [[0, 1]])
    np.testing.assert_array_equal(smallest_per_row(np.array([[1.0 + 1e-9, 1.0]]), 1), [[1]])


def test_equal_distances_tie_wherever_they_lie(way, rng):
    """Rounded to some digits, one in ten of these would fall on both sides of a border."""
    values = rng.uniform(0.5, 2.0, (400, 1)) * np.array([1.0 + 2e-12, 1.0, 1.0 - 2e-12, 0.2, 3.0])
    np.testing.assert_array_equal(smallest_per_row(values, 2), np.tile([0, 3], (400, 1)))
    places = nearest_of(values, np.tile([3, 2, 1, 4, 0], (400, 1)), 2)
    np.testing.assert_array_equal(places, np.tile([3, 2], (400, 1)))
