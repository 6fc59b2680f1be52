"""Numbers of a comparison stand beside those of permuted labels; the best is beyond the spread."""

import numpy as np
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.evaluation import AccuracyCurves, accuracy_curves
from eigenselect.reporting import compare
from eigenselect.reporting.comparing import permuted
from eigenselect.reporting.comparing.permuted import (
    best_methods,
    beyond_level,
    beyond_spread,
    permuted_fits,
    permuted_labels,
    permuted_range,
    within_deviation,
)
from eigenselect.selection import feature_order


def curves(*rows):
    accuracies = np.array(rows, dtype=float)[:, None, :]
    return AccuracyCurves([f"m{i}" for i in range(len(rows))], np.array([5]), accuracies, 0.5)


LOW = np.full((3, 4, 1), 0.1)


#: so many that coin throws hardly spread
MANY = 10**9


def best(*rows, chance=LOW, n_samples=MANY):
    return best_methods(curves(*rows), chance[:, : len(rows)], n_samples)["5"]


class TestBest:
    def test_the_spread_is_that_of_the_corrected_paired_test(self):
        """Nadeau and Bengio: a t-test whose variance is times (1/J + 1/(J-1)) in place of 1/J."""
        rng = np.random.default_rng(0)
        for _ in range(200):
            folds = int(rng.integers(2, 11))
            one, other = rng.normal(0.05, 0.1, folds) + 0.7, np.full(folds, 0.7)
            statistic = stats.ttest_rel(one, other).statistic * np.sqrt((1 / folds) / (1 / folds + 1 / (folds - 1)))
            assert beyond_spread(one, other) == (statistic > stats.t.ppf(0.975, folds - 1))

    def test_a_clear_winner_is_named(self):
        assert best([0.9, 0.91, 0.89, 0.9, 0.9], [0.7, 0.72, 0.69, 0.7, 0.7]) == "m0"
        assert best([0.7, 0.72, 0.69, 0.7, 0.7], [0.9, 0.91, 0.89, 0.9, 0.9]) == "m1"

    def test_inside_the_spread_there_is_none(self):
        assert best([0.9, 0.6, 0.8, 0.7, 0.9], [0.7, 0.8, 0.6, 0.8, 0.7]) is None

    def test_every_other_must_be_beaten(self):
        high, near, low = [0.9, 0.91, 0.89, 0.9, 0.9], [0.89, 0.9, 0.9, 0.89, 0.9], [0.5, 0.5, 0.5, 0.5, 0.51]
        assert best(high, low) == "m0"
        assert best(high, near, low) is None

    def test_equal_methods_and_one_alone_are_not_best(self):
        same = [0.9, 0.8, 0.9, 0.8, 0.9]
        assert best(same, same) is None
        assert best(same, [value - 1e-16 for value in same]) is None
        assert best(same) is None

    def test_permuted_labels_must_be_beaten(self):
        rows = [0.9, 0.91, 0.89, 0.9, 0.9], [0.7, 0.72, 0.69, 0.7, 0.7]
        chance = LOW.copy()
        chance[1, 0] = 0.92  # one of the permutations of the best method
        assert best(*rows, chance=chance) is None
        chance[1, 0] = 0.88
        assert best(*rows, chance=chance) == "m0"
        assert best(*rows, chance=chance, n_samples=40) is None  # 40 coins spread more than these folds do
        chance[1, 0], chance[1, 1] = 0.1, 0.92  # one of another method
        assert best(*rows, chance=chance) is None

    def test_no_winner_within_its_own_deviation(self):
        """The second is behind in every fold by the same, so a paired test is sure; but the table shows it inside."""
        first = np.array([0.9, 0.8, 0.7, 0.9, 0.8])
        assert beyond_spread(first, first - 0.02)
        assert best(first, first - 0.02) is None
        assert best(first, first - 1.01 * first.std()) == "m0"

    def test_who_is_within_the_deviation_of_the_highest(self):
        rows = np.array([[0.7, 0.7], [0.8, 1.0], [0.8, 0.82], [np.nan, 0.9], [0.75, 0.84]])
        assert within_deviation(rows) == [1, 2]  # 0.9 ± 0.1
        assert within_deviation(np.full((2, 3), np.nan)) == []

    def test_beyond_a_level_is_a_corrected_one_sided_test(self):
        rng = np.random.default_rng(1)
        for _ in range(200):
            folds = int(rng.integers(2, 11))
            found = rng.normal(0.65, 0.05, folds)
            scale = np.sqrt((1 / folds) / (1 / folds + 1 / (folds - 1)))
            statistic = stats.ttest_1samp(found, 0.6).statistic * scale
            assert beyond_level(found, 0.6, MANY) == (statistic > stats.t.ppf(0.975, folds - 1))

    def test_fair_coins_are_rarely_beyond_their_level(self):
        """Also with two folds, which agree by accident now and then."""
        rng = np.random.default_rng(2)
        for folds, size in ((2, 20), (5, 8), (10, 4)):
            found = [beyond_level(rng.binomial(size, 0.5, folds) / size, 0.5, folds * size) for _ in range(2000)]
            assert np.mean(found) < 0.05

    def test_the_range_is_over_permutations_and_methods(self):
        found = np.random.default_rng(3).random((3, 4, 2))
        found[:, 1, 0] = np.nan
        low, high = np.nanmin(found, axis=(0, 1)), np.nanmax(found, axis=(0, 1))
        np.testing.assert_array_equal(permuted_range(found), np.stack([low, high], axis=1))


class TestPermuted:
    def test_the_accuracy_is_that_of_permuted_labels(self, two_groups):
        X, y = two_groups
        selectors = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}
        summary = compare(selectors, X, y, n_features=5, sizes=[2, 5]).summary
        means = [accuracy_curves(selectors, X, labels, [2, 5]).mean for labels in permuted.permuted_labels(y, 0)]
        for row, name in enumerate(selectors):
            found = list(summary["methods"][name]["accuracy_permuted"].values())
            assert found == pytest.approx(np.mean(means, axis=0)[row])
        assert summary["n_permutations"] == len(means)
        for labels in permuted.permuted_labels(y, 0):
            assert sorted(labels) == sorted(y)
            assert (labels != y).any()

    def test_accuracy_and_stability_of_signal_are_above_permuted_ones(self, two_groups):
        facts = compare({"fisher": es.FisherScore()}, *two_groups, n_features=5, sizes=[5]).summary["methods"]["fisher"]
        assert facts["accuracy"]["5"] > 0.9 > 0.7 > facts["accuracy_permuted"]["5"]
        assert facts["stability"] > facts["stability_permuted"] + 0.2

    def test_a_method_that_does_not_use_labels_is_given_back_its_own_numbers(self, two_groups):
        X, y = two_groups
        labels = permuted_labels(y, 0)
        order = feature_order(es.LaplacianScore().fit(X))
        found = permuted_fits(es.LaplacianScore(), X, labels, order, 0.123, 5, 0)
        assert (found.stability, found.uses_labels) == (0.123, False)
        assert [set(np.flatnonzero(kept)) for kept in found.selections] == [set(order.top(5))] * len(labels)

    def test_fits_with_permuted_labels_are_those_of_the_method(self, two_groups):
        X, y = two_groups
        labels = permuted_labels(y, 0)
        order = feature_order(es.FisherScore().fit(X, y))
        found = permuted_fits(es.FisherScore(), X, labels, order, 0.123, 5, 0)
        assert found.uses_labels
        assert found.stability != 0.123
        for permuted_y, ranks, kept in zip(labels, found.ranks, found.selections, strict=True):
            expected = es.FisherScore().fit(X, permuted_y).ranking_
            np.testing.assert_array_equal(ranks, expected)
            np.testing.assert_array_equal(kept, expected <= 5)

    def test_the_same_seed_gives_the_same_numbers(self, two_groups):
        one, other = (
            compare({"fisher": es.FisherScore()}, *two_groups, n_features=5, sizes=[5]).summary["methods"]["fisher"]
            for _ in range(2)
        )
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
