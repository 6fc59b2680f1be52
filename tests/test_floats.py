"""The bounds within which sums of squares lose nothing."""

import numpy as np

from eigenselect._floats import LARGEST_SQUARE, SAME, SMALLEST_SQUARE


def test_a_safe_sum_keeps_terms_that_are_1e_minus_40_of_it():
    """They are no subnormal numbers, so they have all their digits; and nothing that adds up overflows."""
    assert np.finfo(float).tiny < 1e-40 * SMALLEST_SQUARE
    assert np.finfo(float).max > 1e100 * LARGEST_SQUARE


def test_the_same_is_64_roundings():
    assert 64 * np.finfo(float).eps == SAME
