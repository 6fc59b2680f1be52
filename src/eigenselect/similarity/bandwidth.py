"""Bandwidths of the RBF weight: a number, the median distance, or one per sample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.similarity.middle import Parts, middle_two

#: neighbour whose distance is a sample's own scale in a full self-tuning kernel
SELF_TUNING_NEIGHBOR = 7
#: numbers of a part of an n × n matrix that are looked at together
PART_NUMBERS = 2**17


def bandwidth_in_unit(graph: SampleGraph) -> float | None:
    """Return the bandwidth that was used, in the unit in which the graph was made; None where there is not one."""
    found = graph.description.get("bandwidth_in_unit", graph.description["bandwidth_used"])
    return None if found is None else float(found)


def median_bandwidth(squared: FloatArray) -> float:
    """Return the median of the distances that a graph keeps.

    Where more than half of them are zero (duplicated samples) the median of the others; where all are, 1: every
    weight is then exp(0) = 1 whatever the scale.
    """
    return median_of_parts(lambda: iter((squared,)))


def median_of_pairs(squared: FloatArray) -> float:
    """Return the same of all pairs of samples that a path joins, from an n × n matrix, of which no copy is made."""
    return median_of_parts(lambda: _above_diagonal(squared))


def median_of_parts(parts: Parts) -> float:
    """Return the same of squared distances that come in parts; infinite ones do not count."""
    for lowest in (0.0, np.nextafter(0.0, 1.0)):
        middle = middle_two(parts, lowest, np.inf)
        if middle is None:
            return 1.0
        if middle[1] > 0:  # between two in the middle lies the mean of their roots
            return float(np.sqrt(middle).mean())
    return 1.0


def _above_diagonal(matrix: FloatArray) -> Iterator[FloatArray]:
    """Yield the entries above the diagonal, some rows at a time."""
    n_samples = len(matrix)
    for rows in slices(n_samples - 1, max(1, PART_NUMBERS // n_samples)):
        yield np.concatenate([matrix[row, row + 1 :] for row in range(rows.start, rows.stop)])


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
