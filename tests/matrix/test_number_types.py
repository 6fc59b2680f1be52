"""Types of numbers that a table may hold."""

import numpy as np
import pytest

from eigenselect.matrix.number_types import is_number_type, kept_type, working_type

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("name", [*INTEGERS, "bool", "float32", "float64"])
def test_numbers_stay_what_they_are(name):
    assert kept_type(name) == name
    assert is_number_type(name)
    assert working_type(name) == ("float32" if name == "float32" else "float64")


@pytest.mark.parametrize("name", ["complex64", "U3", "S2", "O", "M8[s]", [("a", "f8")]])
def test_what_is_no_number(name):
    assert not is_number_type(name)


@pytest.mark.parametrize(("name", "held"), [("float16", "float32"), ("longdouble", "float64"), (">f8", "float64")])
def test_what_numpy_has_no_loops_for_becomes_a_float(name, held):
    assert kept_type(name) == held
    assert np.dtype(kept_type(name)).isnative
