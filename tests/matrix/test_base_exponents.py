"""Exponents of numbers."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenselect.matrix.base import exponents_of


@given(st.floats(min_value=5e-324, max_value=1e308))
def test_an_exponent_brackets_its_number(x):
    (exponent,) = exponents_of([x])
    assert 0.5 <= math.ldexp(x, -int(exponent)) < 1.0


def test_zero_has_the_exponent_zero():
    assert exponents_of([0.0]).tolist() == [0]
    assert exponents_of(np.array([1.0])).dtype == np.intp
