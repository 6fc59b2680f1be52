"""Numbers in digits, to the last bit."""

import numpy as np
import pytest

from eigenselect.io.number_text import numbers_of, overflowing, rounded


def test_numbers_are_those_of_python():
    cells = ["0.1", " 1e-3 ", ".5", "5.", "+7", "9" * 30, 2**70, float("nan")]
    expected = [float(cell) for cell in cells]
    np.testing.assert_array_equal(numbers_of(cells), expected)


@pytest.mark.parametrize("cell", ["1_000", "1 000", "0x10", "1d5", "٣", "--1", "1e", "5\u00a0", "inf", "1,5", ""])
def test_one_text_makes_a_column_text(cell):
    assert numbers_of([cell]) is None
    assert numbers_of(["1", cell]) is None


def test_missing_cells_alone_say_nothing():
    assert numbers_of([None, float("nan")]) is None


def test_overflow_is_seen_in_the_letters():
    assert overflowing(["inf", "1e308", "1e309"]) == "1e309"
    assert overflowing(["inf", "1e308", "-1e308", "1e"]) is None


def test_rounding_is_seen_in_the_letters():
    assert rounded(["1", " 9007199254740993"], [1.0, 2.0**53])
    assert not rounded(["1e30", "9007199254740994", "0" * 5000 + "7"], [1e30, 2.0**53 + 2, 7.0])
