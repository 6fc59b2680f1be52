"""Bandwidths of the RBF weight: a number, the median distance, or one per sample."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph

#: neighbour whose distance is a sample's own scale in a full self-tuning kernel
SELF_TUNING_NEIGHBOR = 7


def bandwidth_in_unit(graph: SampleGraph) -> float | None:
    """Return the bandwidth that was used, in the unit in which the graph was made; None where there is not one."""
    found = graph.description.get("bandwidth_in_unit", graph.description["bandwidth_used"])
    return None if found is None else float(found)


def median_bandwidth(squared: FloatArray) -> float:
    """Return the median of the distances that a graph keeps.

    Where more than half of them are zero (duplicated samples) the median of the others; where all are, 1: every
    weight is then exp(0) = 1 whatever the scale.
    """
    if not squared.size:
        return 1.0
    sigma = _median_root(squared)
    if sigma > 0:
        return sigma
    positive = squared[squared > 0]
    return _median_root(positive) if positive.size else 1.0


def _median_root(squared: FloatArray) -> float:
    """Return the median of the roots, of which at most two are taken: between two in the middle lies their mean."""
    middle = [(squared.size - 1) // 2, squared.size // 2]
    return float(np.sqrt(np.partition(squared, middle)[middle]).mean())


def positive_scales(scales: FloatArray) -> FloatArray:
    """Return per-sample scales with zeros (samples among duplicates) replaced by the median of the others."""
    positive = scales[scales > 0]
    return np.where(scales > 0, scales, np.median(positive) if positive.size else 1.0)


def rbf_weights(
    squared: FloatArray, sigma: float | FloatArray, other_sigma: float | FloatArray | None = None
) -> FloatArray:
    r"""Return :math:`\exp(-d^2 / 2\sigma_i\sigma_j)`, with one :math:`\sigma` for all if no other is given.

    Divided one by one: the square of a very large or small bandwidth would leave the range of floating point.
    """
    with np.errstate(over="ignore"):
        return np.exp(-0.5 * (squared / sigma / (sigma if other_sigma is None else other_sigma)))
