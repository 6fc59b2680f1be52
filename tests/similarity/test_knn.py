"""Graphs of nearest neighbours, by every search, on ugly tables."""

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect.similarity import KNN, pairs


@pytest.fixture(params=["held", "proposed"])
def backend(request, monkeypatch):
    """Distances that are all held, and neighbours that a library proposes."""
    if request.param == "proposed":
        monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_integer_ties_go_to_the_lower_index(rng, store):
    X = rng.integers(0, 3, size=(50, 6)).astype(float)
    expected, _, _ = naive.knn_graph(X, 7, lambda distance, keep: 1.0)
    np.testing.assert_array_equal(KNN(7, "binary").build(store(X)).to_array(), expected)


def test_rbf_weights_with_the_median_of_kept_distances(rng, backend):
    X = rng.normal(size=(40, 5))

    def weight(distance, keep):
        return np.exp(-(distance**2) / (2 * np.median(distance[keep]) ** 2))

    expected, distance, keep = naive.knn_graph(X, 4, weight)
    graph = KNN(4).build(X)
    np.testing.assert_allclose(graph.to_array(), expected, atol=1e-12)
    assert graph.description["bandwidth_used"] == pytest.approx(np.median(distance[keep]))


def test_a_number_is_sigma(rng):
    X = rng.normal(size=(30, 5))
    expected, _, _ = naive.knn_graph(X, 4, lambda distance, keep: np.exp(-(distance**2) / (2 * 1.7**2)))
    np.testing.assert_allclose(KNN(4, bandwidth=1.7).build(X).to_array(), expected, atol=1e-12)


def test_self_tuning_scales_by_the_kth_neighbour(rng):
    X = rng.normal(size=(30, 5))

    def weight(distance, keep):
        scale = np.sort(distance, axis=1)[:, 4]
        return np.exp(-(distance**2) / (2 * np.outer(scale, scale)))

    expected, _, _ = naive.knn_graph(X, 4, weight)
    np.testing.assert_allclose(KNN(4, bandwidth="self-tuning").build(X).to_array(), expected, atol=1e-12)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_cosine_weights(rng, store):
    X = rng.normal(size=(30, 5))
    X[3] = 0
    length = np.linalg.norm(X, axis=1)
    cosine = np.maximum(X @ X.T / np.where(np.outer(length, length) > 0, np.outer(length, length), 1), 0)
    expected, _, _ = naive.knn_graph(X, 6, lambda distance, keep: cosine)
    np.testing.assert_allclose(KNN(6, "cosine").build(store(X)).to_array(), expected, atol=1e-12)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_cosine_metric_finds_neighbours_by_angle(rng, store):
    X = rng.normal(size=(30, 5)) * rng.uniform(0.1, 50, size=(30, 1))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    found = KNN(4, metric="cosine").build(store(X))
    np.testing.assert_allclose(found.to_array(), KNN(4).build(unit).to_array(), atol=1e-7)


def test_bad_parameters_are_named(rng):
    X = rng.normal(size=(20, 3))
    for parameters, error, says in (
        ({"n_neighbors": 20}, ValueError, "n_neighbors.*19.*20"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors.*0"),
        ({"n_neighbors": 2.5}, TypeError, "n_neighbors.*2.5"),
        ({"weight": "gauss"}, ValueError, "weight.*'rbf'.*'gauss'"),
        ({"metric": "hamming"}, ValueError, "metric.*'hamming'"),
        ({"bandwidth": 0}, ValueError, "bandwidth.*0"),
        ({"bandwidth": "auto"}, ValueError, "bandwidth.*'auto'"),
        ({"bandwidth": np.nan}, ValueError, "bandwidth.*nan"),
    ):
        with pytest.raises(error, match=f"KNN: {says}"):
            KNN(**parameters).build(X)
