"""The part of a table that heat map, dot plot and redundancy show: best features and some samples, clustered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenselect._checks import random_generator
from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation.correlations import products, unit_columns
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.views.clustered import order_features, order_samples
from eigenselect.reporting.views.groups import Groups
from eigenselect.selection import feature_order

#: features that are shown at least, where there are so many, and at most; samples that are drawn at most
LEAST_FEATURES, MOST_FEATURES, MOST_SAMPLES = 30, 50, 300
#: numbers that are made dense at once
BUDGET = 20_000_000
#: z-scores are told apart in steps of this size, and colours end at this z-score
STEP, LIMIT = 0.1, 2.5
#: stands for the values of a constant feature, which has no z-scores
NO_VALUE = -128


@dataclass(frozen=True)
class ShownTable:
    """Best features and samples in the order in which they are drawn.

    Attributes
    ----------
    columns : ndarray of int, shape (k,)
        Features.
    rows : ndarray of int, shape (m,)
        Samples: by group, like ones beside each other.
    steps : ndarray of int8, shape (k, m)
        z-scores over all samples in steps of 0.1, cut off at 2.5; -128 for constant features.
    correlation : ndarray of shape (k, k)
        NaN for constant features.
    """

    columns: IntArray
    rows: IntArray
    steps: Any
    correlation: FloatArray


def shown_features(fitted: Fitted, best: IntArray, least: int = LEAST_FEATURES) -> IntArray:
    """Take the best features, and where these are few the next of the ranking that are ordered and have a score."""
    most = max(LEAST_FEATURES, min(MOST_FEATURES, BUDGET // max(1, fitted.X.shape[0])))
    if best.size >= min(least, most):
        return best[:most]
    order = feature_order(fitted.selector)
    ranked = order.best_first[: order.n_ordered]
    others = ranked[~np.isin(ranked, best) & ~np.isnan(fitted.selector.scores_[ranked])]
    return np.concatenate([best, others[: least - best.size]])


def shown_table(fitted: Fitted, features: IntArray, copy_codes: IntArray, groups: Groups) -> ShownTable:
    """Cluster features, best first, and samples; ``copy_codes`` are the groups of near-copies of all features."""
    unit = unit_columns(columns_of(fitted.X, features))
    correlation = correlations(unit)
    order = order_features(correlation, copy_codes[features])
    rows = drawn_samples(groups, fitted.random_state)
    steps = z_steps(unit, rows)[order]
    across = order_samples(steps, groups.codes[rows])
    return ShownTable(features[order], rows[across], steps[:, across], correlation[np.ix_(order, order)])


def correlations(unit: FloatArray) -> FloatArray:
    """Correlate unit columns; NaN for constant ones, which are zero."""
    unit = np.where(unit.any(axis=0), unit, np.nan)
    return np.asarray(np.clip(products(unit, unit), -1.0, 1.0))


def z_steps(unit: FloatArray, rows: IntArray) -> Any:
    r"""Write :math:`z = u \sqrt{n}` of unit columns on some rows as whole steps, features in rows.

    >>> z_steps(unit_columns(np.array([[1.0, 7.0], [1.0, 7.0], [1.0, 7.0], [9.0, 7.0]])), np.arange(4))
    array([[  -6,   -6,   -6,   17],
           [-128, -128, -128, -128]], dtype=int8)
    """
    z = unit[rows].T * np.sqrt(len(unit))
    whole = np.rint(np.round(np.clip(z, -LIMIT, LIMIT) / STEP, 6)).astype(np.int8)
    whole[~np.asarray(unit.any(axis=0))] = NO_VALUE
    return whole


def drawn_samples(groups: Groups, random_state: Any, most: int = MOST_SAMPLES) -> IntArray:
    """Take all samples, or draw some so that every group has as many as it can, up to the same number.

    >>> drawn_samples(Groups("class", ["a", "b"], np.array([0, 1, 1, 1, 1, 0, 1]), 2), 0, most=4).tolist()
    [0, 3, 5, 6]
    """
    if groups.codes.size <= most:
        return np.arange(groups.codes.size)
    parts = [np.flatnonzero(groups.codes == code) for code in np.unique(groups.codes)]
    rng = random_generator(random_state)
    quotas = _quotas(np.array([part.size for part in parts]), most)
    drawn = [part[np.sort(rng.permutation(part.size)[:quota])] for part, quota in zip(parts, quotas, strict=True)]
    return np.sort(np.concatenate(drawn))


def _quotas(sizes: IntArray, most: int) -> IntArray:
    """Share a number out evenly; what small groups leave goes to the others, and a rest to the first."""
    quotas = np.zeros_like(sizes)
    while (left := most - int(quotas.sum())) > 0 and (open_ := np.flatnonzero(quotas < sizes)).size:
        share = max(1, left // open_.size)
        taken = open_[:left]
        quotas[taken] = np.minimum(sizes[taken], quotas[taken] + share)
    return quotas
