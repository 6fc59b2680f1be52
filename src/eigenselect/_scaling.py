"""Powers of two: how values of any size are squared without leaving the range of floating point.

Multiplying by a power of two changes no digit, so a score that does not depend on a feature's unit is the same to the
last bit before and after; only values that would overflow, or vanish, when squared become measurable. Tables are
divided by `Matrix.divided`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import IntArray

#: sums of squares within these bounds have lost nothing, even where single terms are 1e-40 of the sum
SMALLEST_SQUARE, LARGEST_SQUARE = 1e-200, 1e200


class OutOfRangeError(ValueError):
    """Squares of values overflow, or vanish, in floating point."""


def is_safe(squares: Any) -> Any:
    """Whether sums of squares are so far from the ends of floating point that no digit of theirs was lost."""
    return (squares > SMALLEST_SQUARE) & (squares < LARGEST_SQUARE)


def exponents_of(magnitudes: Any) -> IntArray:
    """Return the e with 2^(e-1) ≤ x < 2^e of every x; 0 for 0.

    >>> exponents_of([0.0, 0.5, 1.0, 5.0])
    array([0, 0, 1, 3])
    """
    return np.frexp(magnitudes)[1].astype(np.intp)
