"""Similarity by class, and near hits and near misses."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import KDTree

from eigenselect.criteria import phi
from eigenselect.similarity import ClassLabels, HitMiss, hit_miss, manhattan
from eigenselect.similarity.hit_miss import neighbors_by_class
from eigenselect.spectral import Power


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

    def test_its_eigenvalues_are_0_and_1_so_no_power_matters(self, rng):
        """Footnote 9 of the SPEC paper: as many zeros as classes; every power doubles φ3 of all features."""
        y = np.array([0, 1, 1, 0, 2, 1, 2, 0])
        graph = ClassLabels().build(None, y)
        np.testing.assert_allclose(np.linalg.eigvalsh(np.eye(8) - graph.to_array()), [0] * 3 + [1] * 5, atol=1e-12)
        X = rng.normal(size=(8, 4)) + 1
        for ranking, factor in [("phi1", 1), ("phi2", 1), ("phi3", 2)]:
            one, four = (phi(ranking, graph, Power(p), 3).scores(X).native for p in (1, 4))
            np.testing.assert_allclose(four, factor**3 * one, rtol=1e-10)

    def test_bad_labels(self):
        for y, says in (
            (None, "requires y"),
            ([1, 1, 1], "2 classes, got 1"),
            (["a", None, "b"], "missing labels, got 1"),
            ([0.0, np.nan, 1.0], "missing labels, got 1"),
            ([[1, 2], [3, 4], [5, 6]], "1-dimensional"),
            ([0, 1], "3 labels"),
            ([0.5, 1.5, 0.5], "continuous target"),
            (["a", "b", "c"], "got 3 of each"),
        ):
            with pytest.raises(ValueError, match=f"ClassLabels.*{says}"):
                ClassLabels().build(np.zeros((3, 1)), y)


def edge_set(edges):
    return set(zip(edges.source.tolist(), edges.target.tolist(), edges.group.tolist(), strict=True))


def compiled_only(monkeypatch):
    for limit in ("COMPILED_WORK", "PLAIN_SAMPLES"):
        monkeypatch.setattr(hit_miss, limit, 0)


class TestSelectionOfTheNearest:
    @pytest.mark.parametrize(
        ("count", "metric"), [(1, "euclidean"), (3, "manhattan"), (9, "euclidean"), (9, "manhattan")]
    )
    @pytest.mark.parametrize("search", ["compiled", "trees"])
    def test_all_searches_agree_with_ties(self, rng, count, metric, search, monkeypatch):
        """Values on a grid tie often; classes of 1 to 20 samples; a part of the samples only."""
        X = rng.integers(0, 3, size=(60, 4)) * (1 + rng.normal(size=(60, 4)) * 1e-15)
        codes = np.searchsorted([1, 4, 12, 40], np.arange(60), side="right")[rng.permutation(60)]
        options = {"metric": metric, "samples": rng.permutation(60)[:45], "n_jobs": 2}
        plain = neighbors_by_class(X, codes, count, **options)
        if search == "compiled":
            compiled_only(monkeypatch)
        else:
            monkeypatch.setattr(hit_miss, "TREE_SAMPLES", 0)
            monkeypatch.setattr(hit_miss, "_plain_search", None)
        found = neighbors_by_class(X, codes, count, **options)
        assert plain.source.size == found.source.size
        assert edge_set(plain) == edge_set(found)

    @pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
    def test_trees_measure_scaled_features_and_leave_zeros_to_scans(self, rng, store, monkeypatch):
        X, codes = rng.integers(0, 9, size=(50, 3)).astype(float), np.arange(50) % 2
        options = {"metric": "manhattan", "samples": np.arange(50), "n_jobs": 1}
        expected = neighbors_by_class(X * [1.0, 0.2, 30.0], codes, 4, **options)
        monkeypatch.setattr(hit_miss, "TREE_SAMPLES", 0)
        scale = np.array([1.0, 0.2, 30.0])
        assert edge_set(neighbors_by_class(store(X), codes, 4, scale=scale, **options)) == edge_set(expected)

    def test_of_equal_samples_few_are_in_the_trees(self, rng, monkeypatch):
        """Eight different samples, of which three near ones and one more of each class are enough."""
        sizes = []
        monkeypatch.setattr(hit_miss, "TREE_SAMPLES", 0)
        monkeypatch.setattr("scipy.spatial.KDTree", lambda points: sizes.append(len(points)) or KDTree(points))
        X, y = rng.integers(0, 2, size=(600, 3)).astype(float), np.arange(600) % 2
        assert HitMiss(3).build(X, y).n_samples == 600
        assert len(sizes) == 2
        assert max(sizes) <= 8 * 4

    @pytest.mark.parametrize(
        ("search", "scale"), [("compiled", 1e-60), ("plain", 1e-42), ("compiled", 1e39), ("plain", 1e60)]
    )
    def test_units_beyond_single_precision(self, rng, scale, search, monkeypatch):
        X, codes = rng.random((60, 20)), np.arange(60) % 3
        options = {"metric": "manhattan", "samples": np.arange(60), "n_jobs": 1}
        expected = neighbors_by_class(X, codes, 4, **options)
        monkeypatch.setattr(manhattan, "COMPILED_WORK", 0)
        if search == "compiled":
            compiled_only(monkeypatch)
        assert edge_set(neighbors_by_class(X * scale, codes, 4, **options)) == edge_set(expected)

    @pytest.mark.parametrize("search", ["compiled", "plain", "plain until much"])
    def test_doubtful_neighbours_are_measured_again(self, rng, search, monkeypatch):
        """Distances that float32 cannot tell apart."""
        X = np.repeat(rng.random((30, 50)), 4, axis=0)
        X += rng.normal(size=X.shape) * 1e-8
        codes = np.arange(120) % 2
        options = {"metric": "manhattan", "samples": np.arange(120), "n_jobs": 1}
        exact = neighbors_by_class(X, codes, 3, **options)
        monkeypatch.setattr(manhattan, "COMPILED_WORK", 0)
        if search == "compiled":
            compiled_only(monkeypatch)
        elif search != "plain":
            monkeypatch.setattr(hit_miss, "PLAIN_WORK", 1000)
        single = neighbors_by_class(X, codes, 3, **options)
        assert edge_set(single) == edge_set(exact)


class TestTheMatrix:
    def test_the_matrix_of_the_paper(self, labelled):
        X, y = labelled
        k, c = 3, len(np.unique(y))
        distance = ((X[:, None] - X) ** 2).sum(axis=2)
        W = np.eye(len(y))
        for i in range(len(y)):
            for label in np.unique(y):
                others = [j for j in range(len(y)) if y[j] == label and j != i]
                for j in sorted(others, key=lambda j: distance[i, j])[:k]:
                    W[i, j] = 1 / k if label == y[i] else -1 / ((c - 1) * k)
        np.testing.assert_allclose(W.sum(axis=1), 1)
        graph = HitMiss(k).build(X, y)
        np.testing.assert_allclose(graph.to_array(), (W + W.T) / 2, atol=1e-12)

    def test_a_small_class_shares_its_weight_among_those_found(self, rng):
        """Every directed row sums to 1 whatever the class sizes, so all similarities sum to n."""
        X, y = rng.normal(size=(20, 3)), np.repeat([0, 1, 2], [11, 5, 4])
        with pytest.warns(UserWarning, match="2 classes .* 9 samples"):
            graph = HitMiss(8).build(X, y)
        assert graph.to_array().sum() == pytest.approx(20)
