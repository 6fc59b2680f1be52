"""A Fisher score that more labels do not help: looked for after Table 2 was seen, measured on draws of its own."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from common import load
from numpy.typing import NDArray
from sselect_trials import FILES, FISHER, PRINTED_LABELS, CrossValidation, FloatArray, draw_labels, fisher_scores

from eigenselect.selection import rank_features

FIRST_SEED = 100  # no draw of the tables, and none that was looked at
CLASS_BY_CLASS = "Fisher, class by class"


@cache
def posts(dataset: str) -> tuple[Any, NDArray[Any]]:
    """Counts and groups."""
    return load(FILES[dataset], text=True)


def class_by_class(X: Any, y: NDArray[Any]) -> FloatArray:
    r"""Σ_c (μ_c - μ)² / σ_c² in place of Σ_c n_c (μ_c - μ)² / Σ_c n_c σ_c²; NaN where the feature is constant.

    A word that no labelled post of one class holds has σ_c = 0 there: its score is infinite, however rare it is.
    """
    dense = X.toarray()
    total = np.zeros(dense.shape[1])
    for label in np.unique(y):
        part = dense[y == label]
        between, within = (part.mean(axis=0) - dense.mean(axis=0)) ** 2, part.var(axis=0)
        ratio = np.divide(between, within, out=np.full_like(between, np.inf), where=within > 0)
        total += np.where(between > 0, ratio, 0.0)
    return np.where(np.ptp(dense, axis=0) > 0, total.round(12), np.nan)


def trial(dataset: str, seed: int) -> dict[str, dict[str, float]]:
    """Accuracy of both scores, mean over the numbers of features, by the number of labels."""
    X, y = posts(dataset)
    judge, found = CrossValidation(X, y, seed), {}
    for count in PRINTED_LABELS:
        partial = draw_labels(y, count, seed)
        known = X[partial != -1], partial[partial != -1]
        scores = {FISHER: fisher_scores(*known), CLASS_BY_CLASS: class_by_class(*known)}
        orders = {name: np.argsort(rank_features(values)) for name, values in scores.items()}
        found[str(count)] = {name: float(np.mean(judge.curve(order))) for name, order in orders.items()}
    return found
