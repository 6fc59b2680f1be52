"""The bounds within which sums of squares lose nothing, and sums in one order."""

import numpy as np
import pytest

from eigenselect._floats import LARGEST_SQUARE, SAME, SMALLEST_SQUARE, sum_of_rows


def test_a_safe_sum_keeps_terms_that_are_1e_minus_40_of_it():
    """They are no subnormal numbers, so they have all their digits; and nothing that adds up overflows."""
    assert np.finfo(float).tiny < 1e-40 * SMALLEST_SQUARE
    assert np.finfo(float).max > 1e100 * LARGEST_SQUARE


def test_the_same_is_64_roundings():
    assert 64 * np.finfo(float).eps == SAME


@pytest.mark.parametrize("width", [1, 2, 3, 8, 100])
def test_rows_are_added_one_after_the_other(rng, width):
    """So that a column has one sum whatever is beside it."""
    rows, total = rng.normal(size=(70, width)) * 10.0 ** rng.integers(-9, 9, size=(70, width)), np.zeros(width)
    for row in rows:
        total += row
    np.testing.assert_array_equal(sum_of_rows(rows), total)
