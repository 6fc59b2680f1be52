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
    >>> Fours.of([np.array([3, 1]), np.array([0, 2, 4, 5, 6])], np.ones(7))
    Fours(samples=array([3, 1, 3, 3, 0, 2, 4, 5, 6, 0, 0, 0]),
          weights=array([1., 1., 0., 0., 1., 1., 1., 1., 1., 0., 0., 0.]), bounds=array([ 0,  4, 12]))
    """

    samples: IntArray
    weights: FloatArray
    bounds: IntArray

    @classmethod
    def of(cls, groups: list[IntArray], weights: FloatArray) -> Fours:
        """Fill up groups of samples, none of them empty; there is a weight for every sample."""
        missing = [-group.size % 4 for group in groups]
        samples = np.concatenate(
            [
                np.pad(group, (0, more), mode="constant", constant_values=group[0])
                for group, more in zip(groups, missing, strict=True)
            ]
        )
        filled = [np.pad(weights[group], (0, more)) for group, more in zip(groups, missing, strict=True)]
        sizes = [group.size + more for group, more in zip(groups, missing, strict=True)]
        return cls(samples, np.concatenate(filled), np.concatenate([[0], np.cumsum(sizes)]))
