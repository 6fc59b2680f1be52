"""Similarity by shortest paths."""

import tracemalloc

import numpy as np
import pytest
from sklearn.manifold import Isomap

from eigenselect.similarity import Geodesic


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
