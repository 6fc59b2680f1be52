"""papers/msfs*.py: PathSPCA against brute force, one trial against its definition, rules that can say no."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.multisource import FeatureSet

pytestmark = pytest.mark.slow


@pytest.fixture
def study(paper, rng):
    """Three classes of two tables, four features of the first are known to belong together."""
    data = paper("msfs_data")
    y = np.repeat([0, 1, 2], 10)
    names = [f"s{place}" for place in range(30)]
    target = rng.normal(size=(30, 12)) + 2 * np.outer(y, np.arange(12) < 4)
    other = rng.normal(size=(30, 5)) + 3 * np.outer(y == 2, np.ones(5))
    tables = {
        "mRNA": pd.DataFrame(target, names, [f"g{place}" for place in range(12)]),
        "miRNA": pd.DataFrame(other, names, [f"m{place}" for place in range(5)]),
    }
    known = [("function", FeatureSet(["g0", "g1", "g2", "g7"], "rbf"))]
    lists = {data.LISTED: np.arange(12) < 6, data.UNTOLD: np.arange(12) == 4}
    return data.Study("made up", tables, y, ((y == 2).astype(int), (y == 0).astype(int)), 3, known, lists)


def explained(X, chosen):
    """The largest variance of a combination of length 1 of some features."""
    A = X - X.mean(axis=0)
    return np.linalg.eigvalsh(A[:, chosen].T @ A[:, chosen])[-1]


def test_path_spca_takes_the_largest_bound(paper, rng):
    path = paper("path_spca").path_spca
    X = rng.normal(size=(9, 14)) * np.linspace(1, 2, 14)
    covariance = np.cov(X.T) * 8
    chosen = [int(np.argmax(np.diag(covariance)))]
    while len(chosen) < 14:
        values, vectors = np.linalg.eigh(covariance[np.ix_(chosen, chosen)])
        left = [i for i in range(14) if i not in chosen]
        bound = {i: (covariance[i, chosen] @ vectors[:, -1]) ** 2 / values[-1] for i in left}
        best = max(bound, key=bound.get)
        assert explained(X, [*chosen, best]) >= values[-1] + bound[best] - 1e-9  # what the bound promises
        chosen.append(best)
    np.testing.assert_array_equal(path(X, 14), chosen)
    np.testing.assert_array_equal(path(X, 5), chosen[:5])
    np.testing.assert_array_equal(path(X + 7, 99), chosen)


@pytest.mark.filterwarnings("ignore:ReliefF")  # small classes
def test_selection_sees_the_training_samples_alone(paper, study, monkeypatch):
    """What Fisher score is given: z-scores of the training samples, and their own labels."""
    trials, seen = paper("msfs_trials"), []
    study.tables["mRNA"]["g0"] = study.y.astype(float)

    class Spy(trials.FisherScore):
        def fit(self, X, y):
            seen.append((X, y))
            return super().fit(X, y)

    monkeypatch.setattr(trials, "FisherScore", Spy)
    trials.one_trial(study, 0)
    assert len(seen) == 6  # three folds, two class definitions
    for X, y in seen:
        assert X.shape == (20, 12)
        np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(X.std(axis=0), 1)
        expected = X[:, 0] if len(np.unique(y)) == 3 else X[:, 0] == X[:, 0].max()
        assert np.corrcoef(expected, y)[0, 1] == pytest.approx(1)
