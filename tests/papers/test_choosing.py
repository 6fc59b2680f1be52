"""papers/choosing.py: what a trial shows a method, what it measures, and what the tables say of it."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

pytestmark = pytest.mark.slow


@pytest.fixture
def trials(paper):
    return paper("choosing_trials")


@pytest.fixture
def planted(rng):
    """Three classes that the first four of 120 features tell apart."""
    y = np.repeat([0, 1, 2], 14)
    X = rng.normal(size=(42, 120))
    X[:, :4] += 4.0 * np.column_stack([y == 0, y == 1, y == 2, y == 0])
    return X, y


def test_a_method_sees_training_samples_and_the_labels_of_its_kind_only(trials, planted, monkeypatch):
    X, y = planted
    calls = []

    def watching(kind):
        def choose(table, labels):
            calls.append((kind, table, labels))
            return np.arange(4)

        return {"spy": choose}

    monkeypatch.setattr(trials, "METHODS", {kind: watching(kind) for kind in trials.METHODS})
    trials.means_over_folds(X, y, 3)
    folds = StratifiedKFold(3, shuffle=True, random_state=3).split(X, y)
    expected = [train for train, _ in folds for _ in trials.METHODS]
    for (kind, table, labels), train in zip(calls, expected, strict=True):
        np.testing.assert_allclose(table, X[train] / X[train].std(axis=0))
        if kind == "without labels":
            assert labels is None
        elif kind == "with labels":
            np.testing.assert_array_equal(labels, y[train])
        else:
            assert sorted(labels) == sorted([*[0, 0, 1, 1, 2, 2], *[-1] * (train.size - 6)])
            assert np.all((labels == -1) | (labels == y[train]))
