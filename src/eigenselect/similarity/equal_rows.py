"""Equal samples: of many only the first ones need to be searched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eigenselect._typing import FloatArray, IntArray


class FirstCopies(NamedTuple):
    """The first k + 1 of equal samples, which stand for all where the k nearest are looked for.

    No other is among the k nearest of anybody: k equal ones, with lower numbers, come before it. It has the neighbours
    of the last of the first: nobody is nearer to either than the k equal ones before both.

    Attributes
    ----------
    kept : ndarray of int
        These samples, ascending.
    places : ndarray of int of shape (n_samples,)
        Of every sample, the place in ``kept`` of who stands for it: itself, or the last equal one.
    """

    kept: IntArray
    places: IntArray

    @classmethod
    def of(cls, rows: FloatArray, n_neighbors: int) -> FirstCopies:
        """Compare rows by their bytes, where the first column has equal values at all.

        >>> FirstCopies.of(np.array([[1.0], [2.0], [1.0], [1.0]]), 1)
        FirstCopies(kept=array([0, 1, 2]), places=array([0, 1, 2, 2]))
        """
        everybody = np.arange(len(rows))
        if all_differ(rows[:, 0]):
            return cls(everybody, everybody)
        whole = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # -0 is 0
        coded = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1])))[:, 0]
        order = np.argsort(coded, kind="stable")
        first = np.maximum.accumulate(np.append(0, everybody[1:] * (coded[order[1:]] != coded[order[:-1]])))
        standing = np.empty_like(order)
        standing[order] = order[np.minimum(everybody, first + n_neighbors)]
        kept = np.flatnonzero(standing == everybody)
        return cls(kept, np.searchsorted(kept, standing))


def all_differ(values: FloatArray) -> bool:
    """Tell whether no two values are equal; rows that begin with such values are not, either.

    >>> all_differ(np.array([2.0, 1.0])), all_differ(np.array([0.0, 1.0, -0.0]))
    (True, False)
    """
    return bool((np.diff(np.sort(values)) > 0).all())
