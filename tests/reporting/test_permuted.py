"""Numbers of a comparison stand beside those of permuted labels; the best is beyond the spread."""

import numpy as np
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.evaluation import AccuracyCurves, accuracy_curves
from eigenselect.reporting import compare, permuted
from eigenselect.reporting.permuted import best_methods, beyond_spread, permuted_stability
from eigenselect.selection import feature_order


def curves(*rows):
    accuracies = np.array(rows, dtype=float)[:, None, :]
    return AccuracyCurves([f"m{i}" for i in range(len(rows))], np.array([5]), accuracies, 0.5)


LOW = np.full((3, 4, 1), 0.1)


def best(*rows, chance=LOW):
    return best_methods(curves(*rows), chance[:, : len(rows)])["5"]


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

    def test_a_method_that_does_not_use_labels_is_as_stable_with_others(self, two_groups):
        X, y = two_groups
        order = feature_order(es.LaplacianScore().fit(X))
        assert permuted_stability(es.LaplacianScore(), X, y, order, 0.123, 5, 0) == 0.123
        order = feature_order(es.FisherScore().fit(X, y))
        assert permuted_stability(es.FisherScore(), X, y, order, 0.123, 5, 0) != 0.123

    def test_the_same_seed_gives_the_same_numbers(self, two_groups):
        one, other = (
            compare({"fisher": es.FisherScore()}, *two_groups, n_features=5, sizes=[5]).summary["methods"]["fisher"]
            for _ in range(2)
        )
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
