"""How far rounding can take two numbers apart that are equal by their formula."""

from __future__ import annotations

import math

#: scores whose relative difference is below this are the same: 64 roundings of a float64
SAME = 64 * 2.0**-52
#: sums of n terms are off by some √n roundings, which pass `SAME` only beyond this many terms
MANY_TERMS = 256


def rounding_of_sums(n_terms: int) -> float:
    """Relative rounding of two sums of ``n_terms`` numbers that are equal but for their order."""
    return SAME * max(1.0, math.sqrt(n_terms / MANY_TERMS))
