"""Reports of several kinds of small tables: what tests look at that hold of every page."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting.conftest import HOSTILE
from tests.reporting.ranked import GOOD

import eigenselect as es
from eigenselect.reporting import Report, add_answer
from eigenselect.reporting.inputs import check_fitted


def evaluated(selector, X, y, **names):
    """A report with facts of an evaluation, without the time that one takes."""
    made = es.report(selector, X, y, evaluation=False, **names)
    return Report(add_answer({**made.summary, "evaluation": GOOD}, check_fitted("test", selector, X, y)))


def classes(X, y):
    """Three classes, near-copies, p-values."""
    X = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 1]])
    labels = np.where(np.arange(len(y)) < 10, "a third class, which has a longer name", y)
    return evaluated(es.FisherScore(8, significance=True).fit(X, labels), X, labels, title="classes.csv")


def hostile(X, y):
    names = [*HOSTILE, *(f"plain {j}" for j in range(X.shape[1] - len(HOSTILE)))]
    labels = np.where(y == "left", "c" * 12_000, "word " * 2000)
    selector = es.FisherScore(11).fit(X, labels)
    return es.report(selector, X, labels, feature_names=names, title=HOSTILE[1], evaluation=False)


def nothing(X, y):
    return es.report(es.FisherScore(es.selection.Threshold(2)).fit(X, y), X, y, evaluation=False)


def maps(X, y):
    """Sparse counts with a map and a slide."""
    anndata = pytest.importorskip("anndata")
    from scipy import sparse

    table = anndata.AnnData(sparse.csr_matrix(np.maximum(X, 0)))
    table.obsm["X_umap"], table.obsm["spatial"] = X[:, :2].copy(), X[:, 2:4].copy()
    return es.report(es.FisherScore(5).fit(table.X, y), table, y, evaluation=False)


def unscaled(X, y):
    """Scores of both signs and many sizes; twenty groups."""
    labels = [f"group {place % 20}" for place in range(len(y))]
    X = X * 10.0 ** np.linspace(-2, 3, X.shape[1])
    return es.report(es.TraceRatio(5).fit(X, labels), X, labels, evaluation=False)
