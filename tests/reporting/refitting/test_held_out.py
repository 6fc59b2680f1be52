"""Folds, predictions of samples that a selector never saw, and what is beyond chance."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting import Fitted
from eigenselect.reporting.refitting import held_out as module
from eigenselect.reporting.refitting.held_out import FOLDS, LEVEL, cut_folds, is_beyond_chance, predict_held_out
from eigenselect.reporting.refitting.refits import NotMeasuredError, Refits


def refits_of(selector, X, y, **options):
    return Refits.of(Fitted(selector, X, y, [f"x{j}" for j in range(X.shape[1])], **options))


def nearest_label(train, labels, sample):
    """The label of the nearest training sample, column by column in units of the training deviation."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    gaps = [(((sample - mean) - (other - mean)) / deviation) @ ((sample - other) / deviation) for other in train]
    return labels[int(np.argmin(gaps))]


class TestFolds:
    def test_classes_are_spread_evenly(self, rng):
        y = np.repeat(["a", "b", "c"], [40, 13, 7])
        X = rng.normal(size=(60, 5))
        folds = cut_folds(refits_of(es.FisherScore(2).fit(X, y), X, y), y, False)
        assert folds.count == FOLDS
        for name in "abc":
            held_out = np.bincount(folds.of[y == name], minlength=FOLDS)
            assert held_out.max() - held_out.min() <= 1

    def test_every_sample_is_held_out_once(self, rng):
        X = rng.normal(size=(31, 5))
        folds = cut_folds(refits_of(es.LaplacianScore(2).fit(X), X, None), None, False)
        left_out = [np.setdiff1d(np.arange(31), folds.training(fold)) for fold in range(folds.count)]
        np.testing.assert_array_equal(np.sort(np.concatenate(left_out)), np.arange(31))
        assert folds.codes is None
        assert folds.reason == "there are no labels to predict"

    def test_a_small_class_makes_fewer_of_them(self, rng):
        y = np.repeat(["a", "b"], [20, 2])
        X = rng.normal(size=(22, 5))
        folds = cut_folds(refits_of(es.FisherScore(2).fit(X, y), X, y), y, False)
        assert folds.count == 2
        assert all(len(set(y[folds.training(fold)])) == 2 for fold in range(2))

    def test_a_class_of_one_sample_is_no_hindrance(self, rng):
        y = np.repeat(["a", "b", "c"], [20, 20, 1])
        X = rng.normal(size=(41, 5))
        assert cut_folds(refits_of(es.FisherScore(2).fit(X, y), X, y), y, False).count == FOLDS

    def test_too_few_samples(self, rng):
        X = rng.normal(size=(5, 4))
        refits = refits_of(es.LaplacianScore(2, similarity="rbf").fit(X), X, None)
        with pytest.raises(NotMeasuredError, match="5 samples are too few"):
            cut_folds(refits, None, False)

    def test_numbers_and_single_classes_have_no_accuracy(self, rng):
        X = rng.normal(size=(20, 4))
        refits = refits_of(es.LaplacianScore(2).fit(X), X, None)
        assert "is a number" in cut_folds(refits, rng.normal(size=20), False).reason
        assert "is a number" in cut_folds(refits, np.arange(20) % 2, True).reason
        assert "fewer than two classes" in cut_folds(refits, np.array(["a"] * 19 + ["b"]), False).reason

    def test_samples_without_a_label_are_in_no_group(self, rng):
        y = np.array(["a", "b", None] * 10, dtype=object)
        X = rng.normal(size=(30, 4))
        folds = cut_folds(refits_of(es.LaplacianScore(2).fit(X), X, y), y, False)
        np.testing.assert_array_equal(folds.within == -1, np.arange(30) % 3 == 2)
        np.testing.assert_array_equal(folds.codes == -1, np.arange(30) % 3 == 2)


class TestPredictions:
    def test_they_are_those_of_a_loop_over_samples(self, two_groups):
        X, y = two_groups
        refits = refits_of(es.FisherScore(3).fit(X, y), X, y)
        folds = cut_folds(refits, y, False)
        kept = [refits.on(folds.training(fold)) for fold in range(folds.count)]
        found = predict_held_out(refits, kept, folds, folds.codes)
        for fold in range(folds.count):
            train, test = folds.training(fold), np.flatnonzero(folds.of == fold)
            columns = np.argsort(es.FisherScore().fit(X[train], y[train]).ranking_)[:3]
            right = [nearest_label(X[train][:, columns], y[train], X[i, columns]) == y[i] for i in test]
            assert found.accuracies[fold] == pytest.approx(np.mean(right))
        assert found.n_correct == round(sum(found.accuracies * found.sizes))

    def test_of_very_many_samples_some_are_compared(self, two_groups, monkeypatch):
        X, y = two_groups
        monkeypatch.setattr(module, "LEAST_DIFFERENCES", 4000)
        monkeypatch.setattr(module, "DIFFERENCES_PER_VALUE", 0)
        refits = refits_of(es.FisherScore(3).fit(X, y), X, y)
        folds = cut_folds(refits, y, False)
        kept = [refits.on(folds.training(fold)) for fold in range(folds.count)]
        found = predict_held_out(refits, kept, folds, folds.codes)
        assert found.sizes.sum() == int(np.sqrt(4000 / (4 / 3 * 3)))

    def test_nothing_kept_is_the_largest_class(self, rng):
        X, y = rng.normal(size=(60, 10)), np.repeat(["a", "b"], [45, 15])
        refits = refits_of(es.FisherScore(es.selection.FDR(1e-6)).fit(X, y), X, y)
        folds = cut_folds(refits, y, False)
        kept = [refits.on(folds.training(fold)) for fold in range(folds.count)]
        assert [refit.columns.size for refit in kept] == [0, 0, 0]
        np.testing.assert_allclose(predict_held_out(refits, kept, folds, folds.codes).accuracies, 0.75)


class TestBeyondChance:
    @pytest.mark.parametrize(("n", "p"), [(60, 0.5), (61, 0.4), (178, 0.4), (20, 0.5), (500, 0.9)])
    def test_it_is_the_binomial_tail_of_half_as_many(self, n, p):
        half = n // 2

        def tail(right):
            return sum(comb(half, k) * p**k * (1 - p) ** (half - k) for k in range(right, half + 1))

        for correct in range(n // 2, n + 1):
            right = int(correct * half / n + 1e-9)
            assert is_beyond_chance(correct, n, p) == (tail(right) <= LEVEL)

    def test_few_samples_never_are(self):
        assert not is_beyond_chance(12, 12, 0.5)
        assert is_beyond_chance(20, 20, 0.5)

    def test_few_samples_that_are_mostly_right_are(self):
        assert is_beyond_chance(35, 40, 0.5)
        assert not is_beyond_chance(31, 40, 0.5)

    def test_no_samples_never_are(self):
        assert not is_beyond_chance(0, 0, 0.5)

    def test_one_class_for_nearly_all_says_nothing(self):
        assert not is_beyond_chance(100, 100, 0.95)
