"""How well selections predict held-out samples."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenselect import MRSF, FisherScore, LaplacianScore
from eigenselect.evaluation import accuracy_curves, subset_accuracies


class Peeking(BaseEstimator):
    """Ranks by order, and remembers which samples it saw."""

    seen: ClassVar[list] = []

    def fit(self, X, y=None):
        Peeking.seen.append(set(np.asarray(X)[:, 0]))
        self.ranking_ = np.arange(1, X.shape[1] + 1)
        return self


class TestAccuracy:
    @pytest.fixture
    def table(self, rng):
        y = np.arange(60) % 3
        X = rng.normal(size=(60, 12))
        X[:, 4] += 4 * y
        return X, y

    def test_good_features_predict_and_noise_is_at_chance(self, table, rng):
        X, y = table
        curves = accuracy_curves({"f": FisherScore(), "l": LaplacianScore()}, X, y, [1, 3, 99], n_repeats=2)
        assert curves.accuracies.shape == (2, 2, 10)
        assert list(curves.sizes) == [1, 3]
        assert curves.mean[0, 0] > 0.8
        assert curves.chance == pytest.approx(1 / 3)
        frame = curves.to_frame()
        assert list(frame.index) == ["f", "l"]
        np.testing.assert_array_equal(frame.to_numpy(), curves.mean)
        thin = accuracy_curves({"f": FisherScore()}, sparse.csc_array(X), y, [1, 3], n_repeats=2)
        np.testing.assert_array_equal(thin.mean[0], curves.mean[0])
        X, y = rng.normal(size=(60, 300)), np.arange(60) % 2
        assert accuracy_curves({"f": FisherScore()}, X, y, [5], n_repeats=5).mean[0, 0] < 0.65
        few = accuracy_curves({"f": FisherScore()}, X, np.r_[np.zeros(57), 1, 1, 1], [2])
        assert few.accuracies.shape == (1, 1, 3)  # small classes lower the number of folds

    def test_progress_is_told(self, table):
        told = []
        selectors = {"f": FisherScore(), "l": LaplacianScore()}
        accuracy_curves(selectors, *table, [1], n_splits=3, progress=lambda *step: told.append(step))
        assert told == [(done, 6) for done in range(1, 7)]

    def test_beyond_what_a_selector_orders_there_is_no_point(self, table, rng):
        """Not the first columns of the table: reversing it changes nothing."""
        X, y = table
        selectors = {"all": MRSF(3, target="lda"), "some": SelectFromModel(RandomForestClassifier(5, random_state=0))}
        curves = accuracy_curves(selectors, X, y, [2, 6, 12], n_splits=3)
        assert np.isfinite(curves.mean[0]).all()  # asked for as many as the largest size
        wide = np.hstack([X, X + 1e-9 * rng.normal(size=X.shape)])  # copies never enter
        for places in (np.arange(24), np.arange(24)[::-1]):
            mean = accuracy_curves({"m": MRSF(3, target="lda")}, wide[:, places], y, [2, 12, 20], n_splits=3).mean[0]
            np.testing.assert_array_equal(np.isnan(mean), [False, False, True])
        np.testing.assert_array_equal(np.isnan(curves.accuracies[1, 2]), [False] * 3)  # all 12 are all 12

    def test_scikit_learn_and_pipelines_stand_beside_ours(self, table):
        X, y = table
        frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
        selectors = {
            "fisher": FisherScore(),
            "anova": SelectKBest(f_classif),
            "scaled": make_pipeline(StandardScaler(), FisherScore()),
            "rfe": RFE(LogisticRegression()),
        }
        curves = accuracy_curves(selectors, frame, y, [1, 3])
        np.testing.assert_array_equal(curves.mean[1:3], curves.mean[[0, 0]])
        assert np.isfinite(curves.mean[3]).all()

    def test_held_out_samples_are_never_seen(self, table):
        """Neither by a selector nor by a pipeline that ends in it."""
        X, y = table
        X[:, 0] = np.arange(60)
        for selector in (Peeking(), make_pipeline(VarianceThreshold(), Peeking())):
            Peeking.seen = []
            accuracy_curves({"p": selector}, X, y, [2])
            assert [len(seen) for seen in Peeking.seen] == [48] * 5
            assert set.intersection(*Peeking.seen) == set()

    def test_the_size_of_values_does_not_change_what_they_predict(self, table):
        X, y = table
        selectors = {"f": FisherScore(), "l": LaplacianScore()}
        wanted = accuracy_curves(selectors, X, y, [1, 3]).accuracies
        for scale in (1e-90, 1e90):
            np.testing.assert_array_equal(accuracy_curves(selectors, X * scale, y, [1, 3]).accuracies, wanted)

    def test_bad_input(self, table):
        X, y = table
        for labels, sizes, says in (
            (y, [99], "between 1 and 12"),
            (np.zeros(60), [2], "2 classes"),
            (np.linspace(0, 1, 60), [2], "accuracy_curves: y .* continuous"),
            ([None, *y[1:].tolist()], [1], "missing labels, got 1"),
        ):
            with pytest.raises(ValueError, match=says):
                accuracy_curves({"f": FisherScore()}, X, labels, sizes)


class TestSubsetAccuracies:
    def test_against_a_plain_nearest_neighbour(self, rng):
        X, y = rng.normal(size=(40, 6)), np.repeat([0, 1], 20)
        X[:, 2] += 2 * y
        train, test = np.arange(0, 40, 2), np.arange(1, 40, 2)
        Z, subsets, expected = (X - X[train].mean(axis=0)) / X[train].std(axis=0), ([2], [2, 3, 0]), []
        for columns in subsets:
            nearest = [min(train, key=lambda j: np.sum((Z[i, columns] - Z[j, columns]) ** 2)) for i in test]
            expected.append(np.mean(y[nearest] == y[test]))
        assert subset_accuracies(subsets, X, y, train, test) == pytest.approx(expected)
        assert subset_accuracies(subsets, sparse.csc_array(X), y, train, test) == pytest.approx(expected)


def test_rounding_does_not_choose_among_nearest_neighbours(rng):
    """Of a discrete table many distances are equal; a shift keeps them so, but adds digits that products round."""
    from eigenselect.evaluation.accuracy import nearest_neighbour

    seen, unseen = rng.integers(0, 3, size=(400, 20)).astype(float), rng.integers(0, 3, size=(200, 20)).astype(float)
    answers = []
    for size in (0, 1, 1000):
        shift = np.round(size * rng.normal(size=20) * 2**30) / 2**30
        model = nearest_neighbour().fit(seen + shift, np.arange(400) % 7)
        answers.append(model.predict(unseen + shift))
    np.testing.assert_array_equal(answers[1], answers[0])
    np.testing.assert_array_equal(answers[2], answers[0])


def test_classes_of_any_mixture_of_types_predict_alike(rng):
    """Text beside numbers cannot be sorted; what the classes are called changes nothing."""
    X, codes = rng.normal(size=(40, 6)), np.arange(40) % 2
    X[:, 0] += 2 * codes
    expected = accuracy_curves({"fisher": FisherScore()}, X, codes, [1, 3]).accuracies
    for names in ([1, "a"], [True, "b"], ["b", 2.0]):
        mixed = np.array([names[code] for code in codes], dtype=object)
        np.testing.assert_array_equal(accuracy_curves({"f": FisherScore()}, X, mixed, [1, 3]).accuracies, expected)
