"""Groups of samples in lots of four, as loops that read four rows of a table at a time take them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import FloatArray, IntArray


@dataclass(frozen=True)
class Fours:
    """Samples group after group, each filled up with its first sample at weight 0.

    Attributes
    ----------
    samples : ndarray of int
    weights : ndarray of float
    bounds : ndarray of int, one more than groups
        Where each group begins, and the end.

    Examples
    --------
    >>> fours = Fours.of([np.array([3, 1]), np.array([0, 2, 4, 5, 6])], np.ones(7))
    >>> fours.samples, fours.bounds
    (array([3, 1, 3, 3, 0, 2, 4, 5, 6, 0, 0, 0]), array([ 0,  4, 12]))
    >>> fours.weights
    array([1., 1., 0., 0., 1., 1., 1., 1., 1., 0., 0., 0.])
    """

    samples: IntArray
    weights: FloatArray
    bounds: IntArray

    @classmethod
    def of(cls, groups: list[IntArray], weights: FloatArray) -> Fours:
        """Fill up groups of samples, none of them empty; there is a weight for every sample."""
        filled = [np.concatenate([group, np.repeat(group[:1], -group.size % 4)]) for group in groups]
        pairs = zip(groups, filled, strict=True)
        counted = [np.where(np.arange(full.size) < group.size, weights[full], 0.0) for group, full in pairs]
        bounds = np.concatenate([[0], np.cumsum([full.size for full in filled])])
        return cls(np.concatenate(filled), np.concatenate(counted), bounds)
