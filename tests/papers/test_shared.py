"""Code of papers/ that scripts share: baselines against loops, trials that are kept, the first page."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score
from sklearn.svm import SVC

PAPERS = Path(__file__).resolve().parents[2] / "papers"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PAPERS.is_dir(), reason="no papers/ here")]


@pytest.fixture
def baselines(paper):
    return paper("baselines")


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
    return np.lexsort((-last, -left)), np.sum(left == rounds)


def test_arom_is_its_definition(baselines, table, monkeypatch):
    monkeypatch.setattr(baselines, "GONE", 0.3)
    X, y = table
    order, kept = baselines.arom_order(X, y, rounds=5)
    naive, stayed = naive_arom(X, y, 5, 0.3)
    np.testing.assert_array_equal(order, naive)
    assert kept == stayed < 12


@pytest.fixture
def summary(paper):
    return paper("summary")


def test_the_first_page_is_made_of_the_summaries(summary):
    found = {name: one for name in summary.SCRIPTS if (one := summary.read_summary(name)) is not None}
    if not found:
        pytest.skip("no paper has a summary yet")
    assert summary.FIRST_PAGE.written() == summary.first_page(found).strip()
    for one in found.values():
        assert (PAPERS.parent / "docs" / "images" / one.picture).is_file()
        count = summary.counted(one.claims)
        assert sum(count.values()) == len(one.claims)
