import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel

from eigenselect.matrix import as_matrix
from eigenselect.similarity import RBF, Cosine, Linear
from eigenselect.similarity.kernel import rbf_matrix


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


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_free(X, scale):
    np.testing.assert_allclose(RBF().build(X * scale).to_array(), RBF().build(X).to_array(), rtol=1e-9)


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


@pytest.mark.parametrize("bandwidth", ["median", "self-tuning", 0.7])
def test_kernels_take_little_more_than_their_own_memory(rng, bandwidth):
    """In panels of rows, in place: n² doubles, of 1200 samples 11.5 MB, and small change."""
    X = rng.normal(size=(1200, 5))
    RBF(bandwidth).build(X[:50])
    tracemalloc.start()
    try:
        RBF(bandwidth).build(X, n_jobs=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.6 * 8 * 1200**2


@pytest.mark.parametrize("similarity", [RBF(), RBF("self-tuning"), Linear(), Cosine()])
def test_pairs_that_are_known_are_not_overwritten(X, similarity):
    X = np.abs(X)
    pairs = similarity.pairs(as_matrix(X))
    before = pairs.copy()
    knowing = similarity.knowing(pairs, X.shape[1])
    for _ in range(2):
        np.testing.assert_array_equal(knowing.build(X).to_array(), similarity.build(X).to_array())
    np.testing.assert_array_equal(pairs, before)


def test_weights_that_are_subnormal_are_zero_and_need_no_copy():
    squared = np.array([[0.0, 2 * 740.0, np.inf], [2 * 740.0, 0.0, 2.0], [np.inf, 2.0, 0.0]])
    weights, sigma = rbf_matrix(squared, 1.0)
    assert weights is squared
    assert sigma == 1.0
    np.testing.assert_allclose(weights, [[1, 0, 0], [0, 1, np.exp(-1)], [0, np.exp(-1), 1]], rtol=1e-15, atol=0)


@pytest.mark.parametrize("similarity", [RBF(), Linear(), Cosine()])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, bool])
def test_whole_numbers_are_widened(rng, similarity, dtype):
    X = rng.integers(0, 120, size=(12, 40)).astype(dtype)
    np.testing.assert_array_equal(similarity.build(X).to_array(), similarity.build(X.astype(float)).to_array())


def test_scales_of_samples_are_their_own_in_every_panel_of_rows(rng, monkeypatch):
    X = rng.normal(size=(30, 4))
    expected = RBF("self-tuning").build(X).to_array()
    monkeypatch.setattr("eigenselect.similarity.distances.THIN_PANEL_BYTES", 8 * 30 * 4)  # four rows each
    np.testing.assert_array_equal(RBF("self-tuning").build(X).to_array(), expected)
