"""Similarity by class, and near hits and near misses."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.criteria import phi
from eigenselect.matrix import as_matrix
from eigenselect.similarity import ClassLabels, HitMiss, labels, pairs
from eigenselect.similarity.labels import manhattan_distances, neighbors_by_class
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


class TestSelectionOfTheNearest:
    @pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
    @pytest.mark.parametrize("count", [1, 3, 9])
    def test_the_nearest_of_every_class_with_ties(self, rng, count, metric, monkeypatch):
        """Values on a grid tie often; classes of 1 to 20 samples; a part of the samples only."""
        X = 0.1 * rng.integers(0, 3, size=(60, 4))
        codes = np.searchsorted([1, 4, 12, 40], np.arange(60), side="right")[rng.permutation(60)]
        samples = rng.permutation(60)[:45]
        distance = np.round(cdist(X, X, "cityblock" if metric == "manhattan" else "sqeuclidean"), 9)
        expected = set()
        for i in samples:
            for group in range(codes.max() + 1):
                others = np.array([j for j in np.flatnonzero(codes == group) if j != i], dtype=int)
                nearest = others[np.argsort(distance[i, others], kind="stable")[:count]]
                expected |= {(int(i), int(j), group) for j in nearest}
        for limit, store in ((np.inf, np.asarray), (0, np.asarray), (0, sparse.csr_array)):
            monkeypatch.setattr(labels, "COMPILED_WORK", limit)
            monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 2**20 if limit else 0)
            options = {"metric": metric, "samples": samples, "n_jobs": 2}
            assert edge_set(neighbors_by_class(store(X), codes, count, **options)) == expected

    @pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array, sparse.csc_array])
    @pytest.mark.parametrize("work", [0, np.inf])
    def test_manhattan_distances_of_scaled_features(self, rng, store, work, monkeypatch):
        monkeypatch.setattr(labels, "COMPILED_WORK", work)
        monkeypatch.setattr(pairs, "BLOCK_BYTES", 0)
        X = store(rng.normal(size=(31, 700)) * (rng.random((31, 700)) < 0.6))
        scale = rng.uniform(0.1, 3.0, 700)
        wide = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float) * scale
        expected = cdist(wide, wide, "cityblock")
        for hold, rows in ((True, np.arange(31)), (False, np.array([30, 2]))):
            found = manhattan_distances(as_matrix(X), scale, hold=hold, n_jobs=2)(rows)
            np.testing.assert_allclose(found, expected[rows], rtol=1e-11, atol=1e-11)

    @pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
    def test_a_large_shift_leaves_differences_their_digits(self, rng, store):
        X = rng.integers(0, 7, size=(30, 3)).astype(float)
        shifted = as_matrix(store(X + np.array([1e8, -1e6, 0.0])))
        found = manhattan_distances(shifted, np.full(3, 1 / 6), hold=True, n_jobs=1)(np.arange(30))
        np.testing.assert_allclose(found, cdist(X, X, "cityblock") / 6, rtol=1e-7, atol=1e-14)


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
