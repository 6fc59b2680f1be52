"""What floating point can hold: which squares are in range, and how far rounding takes equal numbers apart."""

from __future__ import annotations

import math
from typing import Any

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
