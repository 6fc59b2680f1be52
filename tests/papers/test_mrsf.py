"""papers/mrsf*.py: one split, the race of Figure 4.1 and the rules of the claims."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from eigenselect.multivariate import l21_path

pytestmark = pytest.mark.slow


@pytest.fixture
def paper(paper, monkeypatch):
    """As everywhere, but mrsf_time_trials also puts benchmarks/ on the path, which must not stay there."""
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "benchmarks")
    return paper


@pytest.fixture
def trials(paper):
    return paper("mrsf_trials")


def test_mrsf_with_labels_is_the_path_of_the_label_similarity(trials, rng, monkeypatch):
    monkeypatch.setattr(trials, "SIZES", (1, 7, 20, 60))
    y, Z = np.repeat([0, 1, 2, 3], 6), rng.normal(size=(24, 60))
    Y = np.column_stack([(y == label) / np.sqrt(6) for label in range(4)])
    with pytest.warns(ConvergenceWarning, match="60 features"):
        top = trials.mrsf(Z, y)
    for size in (1, 7, 20, 24):
        assert set(top(size)) == set(l21_path(Z, Y, size, center=True).selected)
    assert 24 < top(60).size < 60


def test_a_split_scores_the_features_of_the_training_half(trials, rng, monkeypatch):
    """One method's order is fixed: accuracies and redundancies are those of plain code."""
    order = np.arange(30)[::-1].copy()
    for name, value in {"MOST": 8, "SIZES": (4, 8)}.items():
        monkeypatch.setattr(trials, name, value)
    monkeypatch.setitem(trials.SUPERVISED, "ReliefF", lambda Z, y: trials.ordered(order))
    y, X = np.repeat([0, 1, 2], 8), rng.normal(size=(24, 30))
    X[:, -1] += 3 * y
    found = trials.one_split(X, y, 2)
    train, test = trials.Split.of(X, y, 2).halves.values()
    Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    machines = [SVC(kernel="linear", C=1.0).fit(Z[train][:, order[:size]], y[train]) for size in (4, 8)]
    curve = [m.score(Z[test][:, order[:size]], y[test]) for m, size in zip(machines, (4, 8), strict=True)]
    np.testing.assert_allclose(found["curves"]["ReliefF"], curve)
    assert found["tables"]["4.2"]["ReliefF"][trials.TRAINING] == pytest.approx(np.mean(curve))
    for half, rows in ((trials.TRAINING, train), (trials.HELD_OUT, test)):
        correlations = np.abs(np.corrcoef(X[np.ix_(rows, order[:12])].T))
        expected = correlations[np.triu_indices(12, 1)].mean()
        assert found["tables"]["4.3"]["ReliefF"][half] == pytest.approx(expected)
