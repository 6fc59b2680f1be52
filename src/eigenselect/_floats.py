"""What floating point can hold: squares in range, powers of two, and how far apart rounding takes equal numbers.

Multiplying by a power of two changes no digit, so a score that does not depend on a feature's unit is the same to the
last bit before and after; only values that would overflow, or vanish, when squared become measurable. Tables are
divided by `Matrix.divided`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eigenselect._typing import IntArray

#: sums of squares within these bounds have lost nothing, even where single terms are 1e-40 of the sum
SMALLEST_SQUARE, LARGEST_SQUARE = 1e-200, 1e200
#: scores whose relative difference is below this are the same: 64 roundings of a float64
SAME = 64 * 2.0**-52
#: sums of n terms are off by some √n roundings, which pass `SAME` only beyond this many terms
MANY_TERMS = 256


class OutOfRangeError(ValueError):
    """Squares of values overflow, or vanish, in floating point."""


def is_safe(squares: Any) -> Any:
    """Whether sums of squares are so far from the ends of floating point that no digit of theirs was lost."""
    return (squares > SMALLEST_SQUARE) & (squares < LARGEST_SQUARE)


def rounding_of_sums(n_terms: int) -> float:
    """Relative rounding of two sums of ``n_terms`` numbers that are equal but for their order."""
    return SAME * max(1.0, math.sqrt(n_terms / MANY_TERMS))


def exponents_of(magnitudes: Any) -> IntArray:
    """Return the e with 2^(e-1) ≤ x < 2^e of every x; 0 for 0.

    >>> exponents_of([0.0, 0.5, 1.0, 5.0])
    array([0, 0, 1, 3])
    """
    return np.frexp(magnitudes)[1].astype(np.intp)
