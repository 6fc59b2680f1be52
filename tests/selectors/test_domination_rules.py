"""A sample that decides alone is found, and noise, counts and 0/1 columns are left in peace."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph import SampleGraph
from eigenselect.selectors import domination
from eigenselect.selectors.domination import dominating_sample, leverage, outlying_samples
from eigenselect.similarity import KNN, RBF, ClassLabels, Diffusion


def with_outliers(rng, count, n=40, m=50, distance=6.0):
    X = rng.normal(size=(n, m))
    rows = rng.choice(n, count, replace=False)
    X[rows] *= distance
    return X, np.sort(rows)


class TestOutlyingSamples:
    def test_the_leading_eigenvector_lives_on_an_outlier(self, rng, as_kind):
        X, rows = with_outliers(rng, 1, distance=3.0)
        S = RBF().build(X).to_array()
        graph = SampleGraph(as_kind(S))
        assert graph.spectrum(2).eigenvectors[rows[0], 1] ** 2 > 0.75
        np.testing.assert_array_equal(outlying_samples(graph), rows)

    @pytest.mark.parametrize("count", [1, 2, 5])
    def test_equal_eigenvalues_are_judged_together(self, count):
        """Samples that are alike to themselves only, the rest to all others: any basis of the zero space will do."""
        S = np.ones((30, 30))
        S[:count] = S[:, :count] = 0.0
        S[np.arange(count), np.arange(count)] = 1.0
        np.testing.assert_array_equal(outlying_samples(SampleGraph(S)), np.arange(count))

    def test_a_group_that_is_not_seen_whole_is_not_judged(self):
        S = np.ones((40, 40))
        S[:12] = S[:, :12] = 0.0
        S[np.arange(12), np.arange(12)] = 1.0
        assert not outlying_samples(SampleGraph(S)).size

    def test_a_pair_is_not_a_sample_alone(self):
        """Half of the vector on each: rounding must not decide."""
        S = np.ones((30, 30))
        S[:2, 2:] = S[2:, :2] = 1e-6
        assert not outlying_samples(SampleGraph(S)).size

    def test_none_in_noise(self, rng):
        for n, m in ((20, 200), (48, 400), (100, 3), (150, 2)):
            for _ in range(5):
                assert not outlying_samples(RBF().build(rng.normal(size=(n, m)))).size

    def test_none_among_clusters_and_in_neighbour_and_label_graphs(self, rng):
        clusters = rng.normal(size=(60, 3)) + 8 * np.repeat(np.eye(3), [5, 20, 35], axis=0)
        assert not outlying_samples(RBF().build(clusters)).size
        X, _ = with_outliers(rng, 1)
        y = np.r_[0, np.ones(39, dtype=int)]
        for graph in (KNN().build(X), Diffusion().build(X), ClassLabels().build(None, y)):
            assert not outlying_samples(graph).size

    def test_no_eigenproblem_where_no_row_stands_out_nor_on_large_graphs(self, rng, monkeypatch):
        def refuse(*arguments):
            raise AssertionError("an eigenproblem was solved")

        monkeypatch.setattr(SampleGraph, "spectrum", refuse)
        outlying_samples(RBF().build(rng.normal(size=(60, 100))))
        X, _ = with_outliers(rng, 1)
        monkeypatch.setattr(domination, "EIGENVECTOR_SAMPLES", 39)
        outlying_samples(RBF().build(X))


class TestLeverage:
    def test_the_formula(self, rng):
        F = rng.standard_t(2, size=(30, 6)) * 10.0 ** rng.uniform(-3, 3, 6)
        squares = (F - F.mean(axis=0)) ** 2
        found = leverage(F)
        np.testing.assert_allclose(found.shares, squares.max(axis=0) / squares.sum(axis=0), rtol=1e-10)
        np.testing.assert_array_equal(found.samples, squares.argmax(axis=0))

    def test_any_finite_scale(self, rng):
        F = rng.normal(size=(30, 2))
        for factor in (1e-300, 1e300):
            np.testing.assert_allclose(leverage(factor * F).shares, leverage(F).shares, rtol=1e-10)

    def test_counts_and_marks_are_not_judged(self, rng):
        marks = np.zeros((40, 3))
        marks[5, 0] = marks[7, 1] = 1.0  # one sample has the mark
        marks[:, 2] = 4.0
        np.testing.assert_array_equal(leverage(marks).shares, 0)
        rare = rng.poisson(0.1, (40, 30)).astype(float)
        rare[11] = 50.0  # a long post
        np.testing.assert_array_equal(leverage(rare).shares, 0)


class TestDominatingSample:
    def test_several_features_of_one_sample(self, rng):
        F = rng.normal(size=(40, 10))
        F[17, [1, 4, 8]] = 60.0
        sample, columns = dominating_sample(F)
        assert sample == 17
        np.testing.assert_array_equal(columns, [1, 4, 8])
        F[17, 4] = 0.0
        assert dominating_sample(F) is None  # two of ten
        assert dominating_sample(F[:, [1, 8]])[0] == 17  # two of two
        assert dominating_sample(F[:, [1]])[0] == 17

    def test_each_its_own_sample_is_no_finding(self, rng):
        F = rng.normal(size=(40, 10))
        F[np.arange(10), np.arange(10)] = 60.0
        assert dominating_sample(F) is None

    def test_few_samples_are_not_judged(self, rng):
        F = rng.normal(size=(19, 3))
        F[4] = 60.0
        assert dominating_sample(F) is None
        assert dominating_sample(np.vstack([F, F[:1]])) is not None

    def test_sparse_graphs_with_a_diagonal(self, rng):
        S = sparse.eye_array(30).tocsr() + KNN(5).build(rng.normal(size=(30, 4))).affinity
        assert not outlying_samples(SampleGraph(S)).size
