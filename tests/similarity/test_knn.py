"""Graphs of nearest neighbours, by every search, on ugly tables."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import naive
from eigenselect.similarity import KNN, pairs


@pytest.fixture(params=["held", "proposed"])
def backend(request, monkeypatch):
    """Distances that are all held, and neighbours that a library proposes."""
    if request.param == "proposed":
        monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)


def test_neighbours_are_those_of_brute_force(rng, backend):
    X = rng.normal(size=(60, 8)) * 10.0 ** rng.integers(-3, 3, size=8)
    graph = KNN(5, "binary").build(X)
    expected = NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors_graph().toarray()
    np.testing.assert_array_equal(graph.to_array(), np.maximum(expected, expected.T))


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


class TestUglyTables:
    def test_scale_and_storage(self, rng, backend):
        X = rng.normal(size=(60, 4))
        stored = [store(X * scale) for store in (np.asfortranarray, sparse.csr_array) for scale in (1e-90, 1.0, 1e90)]
        for table in stored:
            np.testing.assert_allclose(
                KNN(5).build(table).to_array(), KNN(5).build(X).to_array(), rtol=1e-9, atol=1e-12
            )
        narrow = X.astype(np.float32)
        np.testing.assert_allclose(KNN(5).build(narrow).to_array(), KNN(5).build(narrow * 1.0).to_array(), rtol=1e-12)

    def test_a_huge_common_offset_does_not_blur_distances(self, rng, backend):
        X = np.round(rng.normal(size=(60, 4)), 3)
        found = KNN(5).build(X + 2.0**20).to_array()
        np.testing.assert_allclose(found, KNN(5).build(X).to_array(), rtol=1e-5, atol=1e-12)

    def test_near_copies_keep_their_tiny_distances(self, rng, backend):
        X = rng.normal(size=(60, 4)) * 1e3
        X[1] = X[0] + [1e-5, 0, 0, 0]
        graph = KNN(3, bandwidth=1e-5).build(X)
        assert graph.to_array()[0, 1] == pytest.approx(np.exp(-0.5), rel=1e-5)

    def test_duplicates_are_neighbours_at_distance_zero(self, rng, backend):
        X = np.repeat(rng.normal(size=(20, 3)), 3, axis=0)
        S = KNN(2).build(X).to_array()  # symmetric, without loops
        equal = KNN(3).build(np.ones((12, 2))).to_array()
        assert set(np.unique(equal)) == {0.0, 1.0}
        assert (equal.sum(axis=1) >= 3).all()
        np.testing.assert_array_equal(S, np.kron(np.eye(20), np.ones((3, 3)) - np.eye(3)))


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
