"""The trace ratio criterion of one feature as sums over samples and classes."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.criteria.forms import power_form
from eigenselect.graph import SampleGraph
from eigenselect.inference.explanation import Explanation
from eigenselect.inference.feature_sums import Feature, between_terms, class_terms, refuse_constant
from eigenselect.inference.places import sample_terms
from eigenselect.matrix import as_matrix
from eigenselect.selection.scatter_pairs import GraphPair, PairSum, ScatterRatio
from eigenselect.selection.trace_ratio import feature_ratios


def explain_scatters(criterion: ScatterRatio, feature: Feature, owner: str) -> Explanation:
    r"""Split :math:`b - \lambda^* e`, or :math:`b / e` at feature level, into one term per sample.

    ``samples.numerator`` and ``samples.denominator`` are the terms of b and e at feature level.
    """
    gain, cost = _scatter_terms(criterion.pair, feature)
    b, e = float(gain.sum()), float(cost.sum())
    if criterion.by_subset:
        factor, ratio = _unit(criterion, feature, b, e), float(criterion.ratio or 0.0)
        score = factor * (b - ratio * e) if b > 0 or e > 0 else np.nan
        refuse_constant(score, feature, owner)
        samples = feature.over_samples(gain - ratio * cost, None, factor)
    else:
        score = float(feature_ratios(np.array([b]), np.array([e]))[0])
        refuse_constant(score, feature, owner)
        samples = feature.over_samples(gain, cost, 1.0 / e if e > 0 else np.inf)
    pair = criterion.pair
    classes = class_terms(pair.within, feature, samples.terms) if isinstance(pair, GraphPair) else None
    return feature.explained(owner, score, True, samples=samples, classes=classes)


def _scatter_terms(pair: GraphPair | PairSum, feature: Feature) -> tuple[FloatArray, FloatArray]:
    """Compute the terms of b and e of every sample."""
    if isinstance(pair, PairSum):
        gains, costs = zip(*(_scatter_terms(part, feature) for part in pair.parts), strict=True)
        return np.sum(gains, axis=0), np.sum(costs, axis=0)
    rows = np.arange(feature.values.size) if pair.rows is None else pair.rows
    own = feature.at(rows)
    gain, cost = np.zeros(feature.values.size), np.zeros(feature.values.size)
    cost[rows] = _energy(pair.within, own)
    if isinstance(pair.between, SampleGraph):
        gain[rows] = _energy(pair.between, own)
    elif pair.between == "total":
        gain[rows] = pair.within.mass * own.centred(pair.within) ** 2
    else:
        gain[rows] = between_terms(pair.within, own.centred(pair.within), cost[rows])
    return pair.scale * gain, pair.scale * cost


def _energy(graph: SampleGraph, feature: Feature) -> FloatArray:
    return sample_terms(power_form(graph, 1), feature.centred(graph), graph)


def _unit(criterion: ScatterRatio, feature: Feature, b: float, e: float) -> float:
    """Return one over the variance of the feature, or 1."""
    if criterion.scale is None:
        return 1.0
    variance = criterion.pair.variances(as_matrix(feature.values[:, None]), np.array([b]), np.array([e]), None)[0]
    return 1.0 / float(variance) if variance > 0 else np.nan
