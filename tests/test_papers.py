"""Code of papers/: the baselines against their definitions written as loops, and one split of papers/mrsf.py."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mutual_info_score
from sklearn.svm import SVC

from eigenselect.multivariate import l21_path

PAPERS = Path(__file__).resolve().parents[1] / "papers"
pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="the source distribution has no papers/")


@pytest.fixture
def baselines(monkeypatch):
    monkeypatch.syspath_prepend(PAPERS)
    return importlib.import_module("baselines")


@pytest.fixture
def trials(baselines):
    return importlib.import_module("mrsf_trials")


@pytest.fixture
def table(rng):
    """Three classes that two of twelve features tell apart, and near-copies of the first of these."""
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 12))
    X[:, 3] += 3 * (y == 1)
    X[:, 8] += 3 * (y == 2)
    X[:, 5] = X[:, 3] + 0.01 * rng.normal(size=45)
    return X, y


def naive_levels(X):
    mean, spread = X.mean(axis=0), X.std(axis=0)
    rows = [[1 if v > m + s else -1 if v < m - s else 0 for v, m, s in zip(x, mean, spread, strict=True)] for x in X]
    return np.array(rows)


def naive_mrmr(X, y, n_features, quotient):
    levels, chosen = naive_levels(X), []
    while len(chosen) < n_features:
        merits = {}
        for column in set(range(X.shape[1])) - set(chosen):
            relevance = mutual_info_score(y, levels[:, column])
            shared = [mutual_info_score(levels[:, column], levels[:, other]) for other in chosen]
            mean = np.mean(shared) if shared else 0.0
            merits[column] = relevance if not shared else relevance / mean if quotient else relevance - mean
        chosen.append(max(merits, key=merits.get))
    return chosen


@pytest.mark.parametrize("quotient", [False, True])
def test_mrmr_is_its_definition(baselines, table, quotient):
    X, y = table
    np.testing.assert_array_equal(baselines.mrmr(X, y, 8, quotient=quotient), naive_mrmr(X, y, 8, quotient))


def test_mrmr_passes_over_a_copy(baselines, table):
    first = baselines.mrmr(*table, 3)
    assert 8 in first
    assert len({3, 5} & set(first)) == 1
    assert sorted(baselines.mrmr(*table, 99)) == list(range(12))


def naive_arom(X, y, rounds, gone):
    """All scales kept, one primal weight vector per class; the round in which a feature went, then its scale."""
    scales, left, last = np.ones(X.shape[1]), np.full(X.shape[1], rounds), np.ones(X.shape[1])
    for number in range(rounds):
        Z = X * scales
        Z /= np.sqrt(np.mean(np.sum(Z**2, axis=1)))
        sizes = [np.abs(SVC(kernel="linear", C=1e3).fit(Z, y == label).coef_[0]) for label in np.unique(y)]
        scales = scales * np.sum(sizes, axis=0)
        scales /= scales.max()
        last = np.where(left == rounds, scales, last)
        left[(left == rounds) & (scales <= gone)] = number
        scales[scales <= gone] = 0.0
    return np.lexsort((-last, -left))


def test_arom_is_its_definition(baselines, table, monkeypatch):
    monkeypatch.setattr(baselines, "ROUNDS", 5)
    monkeypatch.setattr(baselines, "GONE", 1e-2)
    X, y = table
    np.testing.assert_array_equal(baselines.arom_svm(X, y, 12), naive_arom(X, y, 5, 1e-2))


def test_arom_settles_on_few_features(baselines, rng):
    y = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 30))
    X[:, 4] += 12 * y
    order = baselines.arom_svm(X, y, 30)
    assert order[0] == 4
    assert sorted(order) == list(range(30))
    np.testing.assert_array_equal(baselines.arom_svm(X, y, 3), order[:3])


def test_mrsf_with_labels_is_the_path_of_the_label_similarity(trials, rng, monkeypatch):
    monkeypatch.setattr(trials, "SIZES", (1, 7, 20, 60))
    y, Z = np.repeat([0, 1, 2, 3], 6), rng.normal(size=(24, 60))
    Y = np.column_stack([(y == label) / np.sqrt(6) for label in range(4)])
    with pytest.warns(ConvergenceWarning, match="of the 60 features asked for"):
        top = trials.mrsf(Z, y)
    for size in (1, 7, 20, 24):
        assert set(top(size)) == set(l21_path(Z, Y, size, center=True).selected)
    assert 24 < top(60).size < 60


def test_a_split_measures_every_cell(trials, rng, monkeypatch):
    monkeypatch.setattr(trials, "MOST", 8)
    monkeypatch.setattr(trials, "SIZES", (4, 8))
    y = np.repeat([0, 1, 2], 8)
    X = rng.normal(size=(24, 30))
    run = trials.one_split("noise", X, y, 0)
    other = trials.one_split("noise", X, y, 1)
    run.add(other)
    cells = {table: {key[3] for key in run.values if key[0] == table} for table in ("4.2", "4.3", "4.5")}
    extra = {trials.RANDOM}
    assert cells["4.2"] == set(trials.SUPERVISED) | extra | {trials.ALL}
    assert cells["4.3"] == set(trials.SUPERVISED) | extra
    assert cells["4.5"] == set(trials.UNSUPERVISED) | extra
    assert all(len(found) == 2 and 0 <= min(found) <= max(found) <= 1 for found in run.values.values())
