"""Exponents, sums of squares that fit, and the rounding of sums."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenselect._floats import (
    LARGEST_SQUARE,
    MANY_TERMS,
    SAME,
    SMALLEST_SQUARE,
    exponents_of,
    is_safe,
    rounding_of_sums,
)


@given(st.floats(min_value=5e-324, max_value=1e308))
def test_an_exponent_brackets_its_number(x):
    (exponent,) = exponents_of([x])
    assert 0.5 <= math.ldexp(x, -int(exponent)) < 1.0


def test_zero_has_the_exponent_zero():
    assert exponents_of([0.0]).tolist() == [0]
    assert exponents_of(np.array([1.0])).dtype == np.intp


@pytest.mark.parametrize("ends", [(0.0, False), (SMALLEST_SQUARE, False), (1.0, True), (LARGEST_SQUARE, False)])
def test_sums_of_squares_are_safe_strictly_between_the_ends(ends):
    square, safe = ends
    assert bool(is_safe(np.float64(square))) is safe


def test_what_is_no_number_is_not_safe():
    np.testing.assert_array_equal(is_safe(np.array([np.nan, np.inf, 2.0])), [False, False, True])


def test_a_safe_sum_keeps_terms_that_are_1e_minus_40_of_it():
    """They are no subnormal numbers, so they have all their digits; and nothing that adds up overflows."""
    assert np.finfo(float).tiny < 1e-40 * SMALLEST_SQUARE
    assert np.finfo(float).max > 1e100 * LARGEST_SQUARE


def test_rounding_grows_with_the_root_of_many_terms_only():
    assert [rounding_of_sums(n) for n in (1, 2, MANY_TERMS)] == [SAME] * 3
    assert rounding_of_sums(100 * MANY_TERMS) == pytest.approx(10 * SAME)


@pytest.mark.parametrize("n_terms", [10, 1000, 100_000])
def test_no_order_of_summing_differs_by_more(rng, n_terms):
    values = rng.random(n_terms)
    sums = [float(np.cumsum(rng.permutation(values))[-1]) for _ in range(20)]  # one after the other: the worst way
    assert max(sums) - min(sums) <= rounding_of_sums(n_terms) * max(sums)
