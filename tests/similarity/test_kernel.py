"""Kernels of all samples, their bandwidths, and how they change with the weight of one feature."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

from eigenselect.matrix import as_matrix
from eigenselect.similarity import RBF, Cosine, Linear
from eigenselect.similarity.base import Products, SquaredDifferences
from eigenselect.similarity.knn import median_distance


@pytest.fixture
def X(rng):
    return rng.normal(size=(25, 6))


@pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
def test_rbf_is_scikit_learns_with_gamma_one_over_two_sigma_squared(X, store):
    found = RBF(bandwidth=1.5).build(store(X)).to_array()
    np.testing.assert_allclose(
        found, rbf_kernel(X, gamma=1 / (2 * 1.5**2)), rtol=1e-5 if store is np.float32 else 1e-12
    )
    np.testing.assert_array_equal(found.diagonal(), 1)


def test_the_median_is_of_all_pairs(X):
    distance = np.linalg.norm(X[:, None] - X, axis=2)[np.triu_indices(25, 1)]
    graph = RBF().build(X)
    assert graph.description["bandwidth_used"] == pytest.approx(np.median(distance))


def test_self_tuning_uses_the_seventh_neighbour(X):
    distance = np.linalg.norm(X[:, None] - X, axis=2)
    scale = np.sort(distance, axis=1)[:, 7]
    expected = np.exp(-(distance**2) / (2 * np.outer(scale, scale)))
    np.testing.assert_allclose(RBF("self-tuning").build(X).to_array(), expected, rtol=1e-10)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_linear_and_cosine(X, store):
    X = np.abs(X)
    X[2] = 0
    np.testing.assert_allclose(Linear().build(store(X)).to_array(), X @ X.T, rtol=1e-12)
    np.testing.assert_allclose(Cosine().build(store(X)).to_array(), cosine_similarity(X), atol=1e-12)


@pytest.mark.parametrize("similarity", [Linear(), Cosine()])
def test_negative_degrees_of_inner_products_say_why(X, similarity):
    with pytest.raises(ValueError, match="degree.*not positive.*non-negative"):
        similarity.build(X - X.mean(axis=0))


def test_inner_products_may_be_negative_where_degrees_are_not(X):
    graph = Linear().build(np.column_stack([X, np.full(25, 9.0)]))
    assert graph.signed == bool((graph.to_array() < 0).any())
    assert (graph.degrees > 0).all()


@pytest.mark.parametrize("bandwidth", ["median", "self-tuning"])
def test_kernels_take_little_more_than_their_own_memory(rng, bandwidth):
    """In panels of rows, in place: n² doubles, half as many for their median, and small change."""
    X = rng.normal(size=(1200, 5))
    RBF(bandwidth).build(X[:50])
    tracemalloc.start()
    try:
        RBF(bandwidth).build(X, n_jobs=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.9 * 8 * 1200**2


@pytest.mark.parametrize("similarity", [RBF(), RBF("self-tuning"), Linear(), Cosine()])
def test_pairs_that_are_known_are_not_overwritten(X, similarity):
    X = np.abs(X)
    pairs = similarity.pairs(as_matrix(X))
    before = pairs.copy()
    knowing = similarity.knowing(pairs, X.shape[1])
    for _ in range(2):
        np.testing.assert_array_equal(knowing.build(X).to_array(), similarity.build(X).to_array())
    np.testing.assert_array_equal(pairs, before)


def test_whole_numbers_are_widened(rng):
    for similarity, dtype in product((RBF(), Linear(), Cosine()), (np.int8, np.uint8, np.int64, bool)):
        X = rng.integers(0, 120, size=(12, 40)).astype(dtype)
        np.testing.assert_array_equal(similarity.build(X).to_array(), similarity.build(X.astype(float)).to_array())


def test_scales_of_samples_are_their_own_in_every_panel_of_rows(rng, monkeypatch):
    X = rng.normal(size=(30, 4))
    expected = RBF("self-tuning").build(X).to_array()
    monkeypatch.setattr("eigenselect.similarity.kernels.CACHED_BYTES", 8 * 30 * 4)  # four rows each
    np.testing.assert_array_equal(RBF("self-tuning").build(X).to_array(), expected)


def test_the_median_of_an_even_number_of_distances_is_the_mean_of_two():
    """Of the distances 1, 2, 3, 7, 9, 10: not √((3² + 7²)/2)."""
    graph = RBF().build(np.array([[0.0], [1], [3], [10]]))
    assert graph.description["bandwidth_used"] == pytest.approx(5.0, rel=1e-12)


def test_mostly_duplicated_samples_still_have_a_bandwidth(rng):
    X = np.zeros((30, 2))
    X[0] = [3.0, 4.0]
    assert RBF().build(X).description["bandwidth_used"] == pytest.approx(5.0)
    np.testing.assert_array_equal(RBF().build(np.zeros((5, 2))).to_array(), 1.0)
    assert np.isfinite(RBF("self-tuning").build(X).to_array()).all()


@given(hnp.arrays(float, st.integers(1, 30), elements=st.floats(1e-3, 1e3)))
def test_the_median_of_distances(distances):
    assert median_distance(distances.copy()) == pytest.approx(np.median(distances), rel=1e-9)


def test_zeros_count_until_they_are_the_median():
    assert median_distance(np.array([0.0, 0, 1, 2, 3])) == 1.0
    assert median_distance(np.array([0.0, 0, 0, 2, 4])) == 3.0  # of 2 and 4
    assert median_distance(np.zeros(4)) == median_distance(np.empty(0)) == 1.0


STEP = 1e-5


def rbf(X, sigma):
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * sigma**2))


def central_difference(similarity, X, feature):
    up, down = X.copy(), X.copy()
    up[:, feature] *= 1 + STEP
    down[:, feature] *= 1 - STEP
    return (similarity(up) - similarity(down)) / (2 * STEP)


def test_rbf_weights(rng, as_kind):
    """Neighbours stay neighbours: entries that are not there do not move."""
    X, sigma = rng.normal(size=(9, 3)), 0.7
    mask = rng.random((9, 9)) < 0.5
    mask = mask | mask.T
    for feature in range(3):
        found = SquaredDifferences(sigma).matrix(as_kind(rbf(X, sigma) * mask), X[:, feature])
        expected = central_difference(lambda Z: rbf(Z, sigma) * mask, X, feature)
        np.testing.assert_allclose(found.toarray() if hasattr(found, "toarray") else found, expected, atol=1e-8)


def test_inner_products(rng):
    X = rng.normal(size=(7, 3))
    for feature in range(3):
        expected = central_difference(lambda Z: Z @ Z.T, X, feature)
        np.testing.assert_allclose(Products().matrix(X @ X.T, X[:, feature]), expected, atol=1e-8)
