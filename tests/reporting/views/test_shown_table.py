"""What heat maps show: which features and samples, and naive z-scores at any scale."""

import warnings

import numpy as np
import pytest
from scipy.stats import zscore

import eigenselect as es
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views import shown_table
from eigenselect.reporting.views.groups import Groups


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def in_groups(codes):
    return Groups("class", [str(code) for code in range(max(codes) + 1)], np.asarray(codes), max(codes) + 1)


def fit(X, y, k):
    return Fitted(es.FisherScore(k).fit(X, y), X, y, [f"x{j}" for j in range(X.shape[1])])


class TestFeatures:
    @pytest.mark.parametrize(("kept", "count"), [(3, 30), (29, 30), (30, 30), (42, 42), (60, 50)])
    def test_the_kept_and_the_next(self, rng, kept, count):
        fitted = fit(rng.normal(size=(20, 70)), np.repeat([0, 1], 10), kept)
        order = fitted.selector.ranking_.argsort()
        np.testing.assert_array_equal(shown_table.shown_features(fitted, order[:kept]), order[:count])

    def test_what_has_no_score_or_no_order_is_not_added(self, rng):
        X, y = rng.normal(size=(20, 8)), np.repeat([0, 1], 10)
        X[:, 5] = 1.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = fit(X, y, 2)
            picked = Fitted(es.MRSF(3, target="lda").fit(X, y), X, y, fitted.names)
        order = fitted.selector.ranking_.argsort()
        assert sorted(shown_table.shown_features(fitted, order[:2])) == [0, 1, 2, 3, 4, 6, 7]
        best = picked.selector.ranking_.argsort()[:3]
        np.testing.assert_array_equal(shown_table.shown_features(picked, best), best)

    def test_features_that_a_rule_keeps_stand_first(self, rng):
        fitted = fit(rng.normal(size=(20, 8)), np.repeat([0, 1], 10), 2)
        last = fitted.selector.ranking_.argsort()[-1:]
        found = shown_table.shown_features(fitted, last)
        assert (found[0], sorted(found)) == (last[0], list(range(8)))


class TestSamples:
    def test_all_where_they_are_few(self):
        np.testing.assert_array_equal(shown_table.drawn_samples(in_groups([0, 1] * 150), 0), np.arange(300))

    @pytest.mark.parametrize(
        ("sizes", "expected"), [((1000, 1000), (150, 150)), ((2000, 10, 500), (145, 10, 145)), ((301,), (300,))]
    )
    def test_groups_have_equal_shares_as_far_as_they_go(self, sizes, expected):
        codes = np.repeat(np.arange(len(sizes)), sizes)
        rows = shown_table.drawn_samples(in_groups(codes), 0)
        assert np.bincount(codes[rows]).tolist() == list(expected)
        assert np.unique(rows).size == rows.size == 300
        np.testing.assert_array_equal(rows, shown_table.drawn_samples(in_groups(codes), 0))
        assert (rows != shown_table.drawn_samples(in_groups(codes), 1)).any()

    def test_every_one_of_very_many_groups(self):
        codes = np.repeat(np.arange(299), 2)
        counts = np.bincount(codes[shown_table.drawn_samples(in_groups(codes), 0)])
        assert (counts.min(), counts.sum()) == (1, 300)


class TestTable:
    @pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
    def test_z_scores_are_scipys(self, rng, scale):
        X, y = rng.normal(size=(40, 6)) + 3, np.repeat([0, 1], 20)
        X[0, 2] = 40.0  # beyond the end of the colours
        fitted = Fitted(es.FisherScore(3).fit(X, y), X * scale, y, list("abcdef"))
        found = shown_table.shown_table(fitted, np.array([4, 2, 0]), np.zeros(6, dtype=int), in_groups(y))
        assert sorted(found.columns) == [0, 2, 4]
        expected = zscore(X)[np.ix_(found.rows, found.columns)].T
        np.testing.assert_allclose(found.steps * 0.1, np.clip(expected, -2.5, 2.5), atol=0.0501)
        assert found.steps.max() == 25
        np.testing.assert_allclose(found.correlation, np.corrcoef(X[:, found.columns].T), atol=1e-12)

    def test_constant_features_have_no_value(self):
        X, y = np.arange(12.0).reshape(4, 3), np.array([0, 0, 1, 1])
        X[:, 1] = 0.1
        fitted = Fitted(es.FisherScore(1).fit(X[:, [0, 2]], y), X, y, list("abc"))
        found = shown_table.shown_table(fitted, np.arange(3), np.zeros(3, dtype=int), in_groups(y))
        assert found.columns[-1] == 1
        assert (found.steps[-1] == shown_table.NO_VALUE).all()
        assert (found.steps[:-1] != shown_table.NO_VALUE).all()

    def test_samples_and_features_in_any_order_give_one_picture(self, rng):
        X, y = rng.normal(size=(30, 8)), rng.integers(0, 3, size=30)
        X[7:9], y[7:9] = X[5], y[5]  # duplicated samples
        X[:, 6] = X[:, 2]  # and features
        first = self.picture(X, y)
        rows, columns = rng.permutation(30), rng.permutation(8)
        second = self.picture(X[np.ix_(rows, columns)], y[rows])
        np.testing.assert_array_equal(first, second)

    @staticmethod
    def picture(X, y):
        fitted = Fitted(es.FisherScore(8).fit(X, y), X, y, [str(j) for j in range(8)])
        best = fitted.selector.ranking_.argsort()
        return shown_table.shown_table(fitted, best, np.zeros(8, dtype=int), in_groups(y)).steps

    @pytest.mark.parametrize(("n", "k"), [(3, 1), (3, 2), (4, 3)])
    def test_the_smallest_tables(self, rng, n, k):
        X, y = rng.normal(size=(n, k)), np.array([0, 0, 1, 1])[:n]
        fitted = fit(X, y, k)
        found = shown_table.shown_table(fitted, np.arange(k), np.zeros(k, dtype=int), in_groups(y))
        assert found.steps.shape == (k, n)
        assert sorted(found.rows) == list(range(n))
