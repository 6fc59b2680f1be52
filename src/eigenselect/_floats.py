"""How far apart rounding takes equal numbers, and sums whose digits it spares."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import FloatArray, IntArray

#: scores whose relative difference is below this are the same: 64 roundings of a float64
SAME = 64 * 2.0**-52
#: a difference that is smaller than this part of the terms that it is made of is measured in another way
LOST = 1 / 32


class OutOfRangeError(ValueError):
    """Squares of values overflow, or vanish, in floating point."""


def lost_digits(differences: FloatArray, terms: FloatArray) -> IntArray:
    """Find differences so much smaller than what was subtracted that too few digits are left.

    >>> lost_digits(np.array([1.0, 0.1, -1e-9, 0.0]), np.array([1.0, 4.0, 1.0, 0.0]))
    array([1, 2])
    """
    return np.flatnonzero(np.abs(differences) < LOST * terms)


def all_equal(values: FloatArray) -> bool:
    """Whether all values are the same: equal weights of edges may stay where they are when edges change places.

    >>> all_equal(np.array([2.0, 2.0])), all_equal(np.array([2.0, 1.0])), all_equal(np.array([]))
    (True, False, True)
    """
    return not values.size or bool(values.min() == values.max())


def sum_of_rows(rows: FloatArray) -> FloatArray:
    """Add one row to the other: numpy's own sum does that, too, but for a single column.

    >>> sum_of_rows(np.array([[1e100], [1.0], [-1e100]])), sum_of_rows(np.array([[1.0, 3.0], [2.0, 4.0]]))
    (array([0.]), array([3., 7.]))
    """
    return np.asarray(np.add.reduce(rows, axis=0) if rows.shape[1] > 1 else np.add.accumulate(rows, axis=0)[-1])
