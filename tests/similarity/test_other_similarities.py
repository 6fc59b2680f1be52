"""Diffusion, geodesic and label similarities, and how names become similarities."""

import numpy as np
import pytest
from scipy.linalg import expm
from sklearn.base import clone
from sklearn.manifold import Isomap

from eigenselect.similarity import (
    KNN,
    RBF,
    SIMILARITY_NAMES,
    ClassLabels,
    Diffusion,
    Geodesic,
    Linear,
    as_similarity,
    hit_miss,
    manhattan,
)
from eigenselect.similarity.hit_miss import neighbors_by_class


class TestDiffusion:
    def test_it_is_the_exponential_of_the_knn_laplacian(self, rng):
        X = rng.normal(size=(30, 4))
        S0 = KNN(6).build(X).to_array()
        expected = expm(-2.0 * (np.diag(S0.sum(axis=1)) - S0))
        np.testing.assert_allclose(Diffusion(beta=2.0, n_neighbors=6).build(X).to_array(), expected, atol=1e-12)

    def test_nothing_as_large_as_n_squared_is_made(self, rng):
        import tracemalloc

        from eigenselect import SPEC

        X = rng.normal(size=(3000, 3))
        n_squared_bytes = 8 * 3000**2
        tracemalloc.start()
        SPEC(1, similarity=Diffusion(n_neighbors=5)).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < n_squared_bytes / 2

    @pytest.mark.parametrize("beta", [0, -1, np.inf, "x", True])
    def test_bad_beta(self, rng, beta):
        with pytest.raises(ValueError, match=f"Diffusion: beta.*{beta}"):
            Diffusion(beta=beta).build(rng.normal(size=(20, 2)))


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


class TestClassLabels:
    @pytest.mark.parametrize(
        "y", [[0, 1, 1, 0, 1], ["b", "a", "a", "b", "a"], [-1, 1, 1, -1, 1], [True, False, False, True, False]]
    )
    def test_the_projector_onto_class_means(self, y, rng):
        graph = ClassLabels().build(None, y)
        same = np.equal.outer(np.asarray(y), np.asarray(y))
        expected = same / same.sum(axis=1)
        np.testing.assert_allclose(graph.to_array(), expected)
        np.testing.assert_array_equal(graph.degrees, 1)
        f = rng.normal(size=5)
        np.testing.assert_allclose(graph.affinity @ f, expected @ f)

    @pytest.mark.parametrize(
        ("y", "says"),
        [
            (None, "requires y to be passed"),
            ([1, 1, 1], "2 classes, got 1"),
            (["a", None, "b"], "missing labels, got 1"),
            ([0.0, np.nan, 1.0], "missing labels, got 1"),
            ([[1, 2], [3, 4], [5, 6]], "1-dimensional"),
            ([0, 1], "3 labels"),
            ([0.5, 1.5, 0.5], "classes, got a continuous target"),
            (["a", "b", "c"], "fewer classes than samples, got 3 of each"),
        ],
    )
    def test_bad_labels(self, y, says):
        with pytest.raises(ValueError, match=f"ClassLabels.*{says}"):
            ClassLabels().build(np.zeros((3, 1)), y)


class TestNames:
    @pytest.mark.parametrize("name", SIMILARITY_NAMES)
    def test_every_name_builds(self, name, rng):
        X = np.abs(rng.normal(size=(36, 4)))
        graph = as_similarity(name, 36).build(X, np.arange(36) % 3)
        assert graph.n_samples == 36
        assert graph.description["similarity"] == type(as_similarity(name, 36)).__name__

    @pytest.mark.parametrize("similarity", [KNN(3), RBF(2.0), Diffusion(0.5), Geodesic(4), ClassLabels(), Linear()])
    def test_similarities_are_cloned_with_their_parameters(self, similarity):
        assert clone(similarity).get_params() == similarity.get_params()
        assert similarity.describe() == {"similarity": type(similarity).__name__, **similarity.get_params()}

    def test_a_name_adapts_to_a_small_table_an_object_does_not(self, rng):
        X = rng.normal(size=(6, 2))
        assert as_similarity("knn", 6).n_neighbors == 5
        assert as_similarity("knn", 600).n_neighbors == 10
        assert as_similarity("diffusion", 6).build(X).n_samples == 6
        with pytest.raises(ValueError, match="n_neighbors"):
            as_similarity(KNN(), 6).build(X)

    def test_any_function_of_the_data(self, rng):
        X = rng.normal(size=(8, 2))
        graph = as_similarity(lambda X: np.exp(-np.abs(X[:, :1] - X[:, 0])), 8).build(X)
        assert graph.to_array()[0, 0] == 1
        with pytest.raises(ValueError, match="similarity=<lambda> returned must be 8 x 8"):
            as_similarity(lambda X: np.ones((3, 3)), 8).build(X)

    @pytest.mark.parametrize(
        ("bad", "error", "says"),
        [
            ("kmn", ValueError, "'kmn'; did you mean 'knn'"),
            (KNN, TypeError, r"write KNN\(\)"),
            (3, TypeError, "got int"),
            (np.eye(3), TypeError, "similarity_matrix"),
        ],
    )
    def test_bad_names(self, bad, error, says):
        with pytest.raises(error, match=says):
            as_similarity(bad, 20)


def edge_set(edges):
    return set(zip(edges.source.tolist(), edges.target.tolist(), edges.group.tolist(), strict=True))


class TestSelectionOfTheNearest:
    @pytest.mark.parametrize("count", [1, 3, 9])
    @pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
    def test_compiled_and_numpy_agree_with_ties(self, rng, count, metric, monkeypatch):
        """Values on a grid tie often; classes of 1 to 20 samples; a part of the samples only."""
        X = rng.integers(0, 3, size=(60, 4)) * (1 + rng.normal(size=(60, 4)) * 1e-15)
        codes = np.searchsorted([1, 4, 12, 40], np.arange(60), side="right")[rng.permutation(60)]
        options = {"metric": metric, "samples": rng.permutation(60)[:45], "n_jobs": 2}
        plain = neighbors_by_class(X, codes, count, **options)
        monkeypatch.setattr(hit_miss, "COMPILED_WORK", 0)
        scanned = neighbors_by_class(X, codes, count, **options)
        assert plain.source.size == scanned.source.size
        assert edge_set(plain) == edge_set(scanned)

    @pytest.mark.parametrize("scale", [1e-60, 1e-42, 1e39, 1e60])
    def test_units_beyond_single_precision(self, rng, scale, monkeypatch):
        X, codes = rng.random((60, 20)), np.arange(60) % 3
        options = {"metric": "manhattan", "samples": np.arange(60), "n_jobs": 1}
        expected = neighbors_by_class(X, codes, 4, **options)
        for module in (manhattan, hit_miss):
            monkeypatch.setattr(module, "COMPILED_WORK", 0)
        assert edge_set(neighbors_by_class(X * scale, codes, 4, **options)) == edge_set(expected)

    def test_doubtful_neighbours_are_measured_again(self, rng, monkeypatch):
        """Distances that float32 cannot tell apart."""
        X = np.repeat(rng.random((30, 50)), 4, axis=0)
        X += rng.normal(size=X.shape) * 1e-8
        codes = np.arange(120) % 2
        options = {"metric": "manhattan", "samples": np.arange(120), "n_jobs": 1}
        exact = neighbors_by_class(X, codes, 3, **options)
        for module in (manhattan, hit_miss):
            monkeypatch.setattr(module, "COMPILED_WORK", 0)
        single = neighbors_by_class(X, codes, 3, **options)
        assert edge_set(single) == edge_set(exact)
