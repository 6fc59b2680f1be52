"""How far apart rounding takes equal numbers, and sums whose digits it spares."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import FloatArray, IntArray

#: scores whose relative difference is below this are the same: 64 roundings of a float64
SAME = 64 * 2.0**-52
#: a difference that is smaller than this part of the terms that it is made of is measured in another way
LOST = 1 / 32


def lost_digits(differences: FloatArray, terms: FloatArray) -> IntArray:
    """Find differences so much smaller than what was subtracted that too few digits are left.

    >>> lost_digits(np.array([1.0, 0.1, -1e-9, 0.0]), np.array([1.0, 4.0, 1.0, 0.0]))
    array([1, 2])
    """
    return np.flatnonzero(np.abs(differences) < LOST * terms)
