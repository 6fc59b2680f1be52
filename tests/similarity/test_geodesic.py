"""Similarity by shortest paths and by heat."""

import tracemalloc

import numpy as np
import pytest
from scipy.linalg import expm
from sklearn.manifold import Isomap

from eigenselect import SPEC
from eigenselect.similarity import KNN, Diffusion, Geodesic


class TestGeodesic:
    def test_path_lengths_are_isomaps(self, rng):
        X = np.column_stack([np.linspace(0, 9, 60), rng.normal(size=60) * 0.1, np.zeros(60)])
        graph = Geodesic(n_neighbors=4, bandwidth=1.0).build(X)
        isomap = Isomap(n_neighbors=4).fit(X)
        with np.errstate(divide="ignore"):
            found = np.sqrt(-2 * np.log(graph.to_array()))
        near = isomap.dist_matrix_ < 5  # beyond, the RBF has no digits left to invert
        np.testing.assert_allclose(found[near], isomap.dist_matrix_[near], atol=1e-6)

    def test_components_are_not_similar_and_copies_are(self):
        X = np.array([[0.0], [0.0], [1.0], [100.0], [101.0], [102.0]])
        S = Geodesic(n_neighbors=2, bandwidth=1.0).build(X).to_array()
        np.testing.assert_array_equal(S[:3, 3:], 0)
        assert S[0, 1] == 1.0
        np.testing.assert_array_equal(S.diagonal(), 1)

    def test_hops_are_counted_breadth_first(self, rng):
        X = rng.normal(size=(40, 2))
        near = KNN(4, weight="binary").build(X).to_array() > 0
        hops = np.full(near.shape, np.inf)
        reached, power = np.eye(40, dtype=bool), np.eye(40, dtype=bool)
        np.fill_diagonal(hops, 0)
        for step in range(1, 40):
            power = (power.astype(int) @ near) > 0
            hops[power & ~reached] = step
            reached |= power
        S = Geodesic(4, bandwidth=1.5, weight="hops").build(X).to_array()
        np.testing.assert_allclose(S, np.exp(-(hops**2) / (2 * 1.5**2)), rtol=1e-12)

    def test_cosine_paths_are_those_of_samples_of_unit_length(self, rng):
        X = rng.normal(size=(30, 5)) + 2
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        S = Geodesic(4, bandwidth=0.5, metric="cosine").build(X * rng.uniform(1, 9, size=(30, 1))).to_array()
        np.testing.assert_allclose(S, Geodesic(4, bandwidth=0.5).build(unit).to_array(), rtol=1e-9)

    @pytest.mark.parametrize("words", [{"weight": "steps"}, {"metric": "manhattan"}])
    def test_unknown_words_are_refused(self, words):
        (name,) = words
        with pytest.raises(ValueError, match=f"Geodesic: {name} must be '"):
            Geodesic(2, **words).build(np.arange(8.0).reshape(4, 2))

    def test_the_median_is_of_finite_paths(self):
        X = np.array([[0.0], [1.0], [100.0], [103.0]])
        graph = Geodesic(n_neighbors=1).build(X)
        assert graph.description["bandwidth_used"] == pytest.approx(2.0)  # of 1 and 3

    def test_paths_take_little_more_than_their_own_memory(self, rng):
        X = np.column_stack([np.linspace(0, 9, 1200), rng.normal(size=1200) * 0.1])
        Geodesic(4).build(X[:50])
        tracemalloc.start()
        try:
            graph = Geodesic(4).build(X, n_jobs=1)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 1.9 * 8 * 1200**2
        S = graph.to_array()
        np.testing.assert_array_equal(S, S.T)  # over several blocks of rows and columns


class TestDiffusion:
    def test_it_is_the_exponential_of_the_knn_laplacian(self, rng):
        X = rng.normal(size=(30, 4))
        S0 = KNN(6).build(X).to_array()
        expected = expm(-2.0 * (np.diag(S0.sum(axis=1)) - S0))
        np.testing.assert_allclose(Diffusion(beta=2.0, n_neighbors=6).build(X).to_array(), expected, atol=1e-12)

    def test_nothing_as_large_as_n_squared_is_made(self, rng):
        X = rng.normal(size=(3000, 3))
        n_squared_bytes = 8 * 3000**2
        tracemalloc.start()
        SPEC(1, similarity=Diffusion(n_neighbors=5)).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < n_squared_bytes / 2

    def test_bad_beta(self, rng):
        for beta in (0, -1, np.inf, "x", True):
            with pytest.raises(ValueError, match=f"Diffusion: beta.*{beta}"):
                Diffusion(beta=beta).build(rng.normal(size=(20, 2)))
