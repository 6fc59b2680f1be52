"""The pictures of p-values: counts, bands and means against plain numpy, and noise within its bands."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import beta, binom

import eigenselect as es
from eigenselect.matrix import as_matrix
from eigenselect.reporting.views import significance_views as views


class TestHistogram:
    def test_every_p_value_is_in_one_bin(self, rng):
        pvalues = np.concatenate([rng.uniform(size=997) ** 2, [0.0, 1.0, np.nan]])
        found = views.pvalue_histogram(pvalues)
        np.testing.assert_array_equal(found["counts"], np.histogram(pvalues[:-1], bins=20, range=(0, 1))[0])
        assert found["expected"] == 999 / 20

    @pytest.mark.parametrize("count", [1, 40, 5000])
    def test_the_band_holds_all_bins_of_uniform_values(self, count):
        found = views.pvalue_histogram(np.linspace(0, 1, count))
        outside = binom.cdf(found["low"] - 1, count, 0.05) + binom.sf(found["high"], count, 0.05)
        assert 20 * outside <= 0.05
        assert found["low"] <= found["expected"] <= found["high"]

    def test_noise_stays_in_the_band_in_most_tables(self):
        """In the left half: a curve with three moments is made for tails, and heaps what is larger in few bins."""
        inside = 0
        for seed in range(40):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(40, 300)), rng.permutation(np.repeat([0, 1], 20))
            found = views.pvalue_histogram(es.FisherScore(1, significance=True).fit(X, y).pvalues_)
            left = found["counts"][:10]
            inside += found["low"] <= min(left) and max(left) <= found["high"]
        assert inside >= binom.ppf(1e-4, 40, 0.95)


class TestQuantiles:
    def test_bands_are_those_of_order_statistics(self, rng):
        pvalues = rng.uniform(size=50)
        found = views.quantiles_view(pvalues)
        i = np.arange(1, 51)
        np.testing.assert_allclose(found["observed"], -np.log10(np.sort(pvalues)))
        np.testing.assert_allclose(found["expected"], -np.log10(i / 51))
        np.testing.assert_allclose(found["low"], -np.log10(beta.ppf(0.975, i, 51 - i)))
        np.testing.assert_allclose(found["high"], -np.log10(beta.ppf(0.025, i, 51 - i)))
        np.testing.assert_array_equal(found["place"], np.argsort(pvalues))

    def test_zeros_and_missing_values(self):
        found = views.quantiles_view(np.array([np.nan, 0.0, 1.0, 1e-310]))
        assert found["place"] == [1, 3, 2]
        assert found["observed"] == [300.0, 300.0, 0.0]
        assert np.isfinite([found[key] for key in ("expected", "low", "high")]).all()

    @pytest.mark.parametrize("count", [0, 1, 2000, 2001, 3000, 100_000])
    def test_of_many_some_are_drawn_with_both_ends(self, count):
        shown = views.shown_quantiles(count)
        assert shown.size <= views.SHOWN_QUANTILES
        assert (np.diff(shown) > 0).all()
        if count > 2000:
            np.testing.assert_array_equal(shown[:500], np.arange(500))
            assert shown[-1] == count - 1
        else:
            assert shown.size == count


class TestMeans:
    def test_means_of_the_features_by_rank(self, rng):
        X = rng.poisson(np.exp(rng.normal(size=90) * 2), size=(30, 90)).astype(float)
        order = rng.permutation(90)
        for table in (X, sparse.csr_array(X), sparse.csc_array(X)):
            found = views.means_view(as_matrix(table), order, np.zeros(90, bool))
            np.testing.assert_allclose(found["mean"], X.mean(axis=0)[order])
            assert found["place"] == list(range(90))
            assert found["log"]

    @pytest.mark.parametrize(("shift", "log"), [(0.0, True), (-1e-9, False)])
    def test_the_axis_is_logarithmic_without_negative_values_only(self, rng, shift, log):
        X = rng.uniform(size=(20, 8)) * 10.0 ** np.arange(8)
        X[3, 2] = shift
        assert views.means_view(as_matrix(X), np.arange(8), np.zeros(8, bool))["log"] is log
        assert not views.means_view(as_matrix(1 + rng.uniform(size=(20, 8))), np.arange(8), np.zeros(8, bool))["log"]

    def test_any_finite_size(self):
        X = np.array([[1.7e308, 1e-300, 0.0], [1.7e308, 3e-300, 0.0]])
        found = views.means_view(as_matrix(X), np.arange(3), np.zeros(3, bool))
        np.testing.assert_allclose(found["mean"], [1.7e308, 2e-300, 0.0])

    def test_of_many_features_discoveries_are_drawn_first(self):
        discovered = np.zeros(50_000, bool)
        discovered[[0, 7, 4999, 49_999]] = True
        places = views.shown_places(discovered)
        assert set(np.flatnonzero(discovered)) <= set(places)
        assert 1500 < places.size <= views.SHOWN_MEANS
        assert (np.diff(places) > 0).all()
        assert views.shown_places(np.ones(50_000, bool)).size <= views.SHOWN_MEANS


def test_the_view_is_about_ranks(two_groups):
    X, y = two_groups
    selector = es.FisherScore(3, significance=True).fit(X, y)
    found = es.report(selector, X, y).summary["views"]["significance"]
    order = selector.ranking_.argsort()
    np.testing.assert_array_equal(selector.pvalues_[order[found["quantiles"]["place"]]], np.sort(selector.pvalues_))
    np.testing.assert_allclose(found["means"]["mean"], X.mean(axis=0)[order])


def test_without_any_p_value_there_is_no_histogram(two_groups):
    X, y = two_groups
    selector = es.FisherScore(3, significance=True).fit(X, y)
    selector.pvalues_ = selector.qvalues_ = np.full(40, np.nan)
    made = es.report(selector, X, y)
    found = made.summary["views"]["significance"]
    assert (found["histogram"], found["quantiles"]) == (None, None)
    assert "None of 0 tested features has q" in made.to_html()


def test_the_mean_of_a_centred_feature_is_zero_whatever_it_is_rounded_to(rng):
    values = rng.normal(size=(90, 30)) * 10.0 ** np.linspace(-200, 200, 30)
    centred = values - values.mean(axis=0)
    assert (centred.mean(axis=0) != 0).any()
    np.testing.assert_array_equal(views.column_means(centred), 0)
    one_of_many = np.zeros((100_000, 1))
    one_of_many[0] = 1.0
    assert views.column_means(one_of_many).tolist() == [1e-5]  # small, and no rounding
