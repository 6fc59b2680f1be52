"""A cell shows a decimal mark only if it can be read in one way."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas._libs.parsers import STR_NA_VALUES

from eigenselect.io.number_marks import (
    LIKE_NUMBER,
    MISSING,
    Evidence,
    Marks,
    decimal_shown,
    evidence_of,
    like_those,
    marks_of,
    numbers_with,
)

COMMAS = [
    "0,5",
    ",5",
    "12,34",
    "1234,567",
    "1.234,5",
    "1.234.567",
    "-0,123",
    "1,5e3",
    "1,234e5",
    "1\u00a0234,567",
    "0,5%",
]
EITHER = ["1,234", "1.234", "-12,345", "+999.999", "1,234%", " 1,234 "]
NONE = ["1", "1234", "NA", "1'234", "12%", "1e5"]
EXCHANGE = str.maketrans(".,", ",.")


def test_what_is_missing_is_what_pandas_takes_for_missing():
    assert set(MISSING) == set(STR_NA_VALUES)


@pytest.mark.parametrize("cell", COMMAS)
def test_cells_that_show_a_mark(cell):
    assert decimal_shown({"a": ["1", cell, ""]}) == ","
    assert decimal_shown({"a": [cell.translate(EXCHANGE)]}) == "."


@pytest.mark.parametrize("cell", EITHER)
def test_cells_that_show_none(cell):
    evidence = evidence_of({"a": ["1", cell]})
    assert not evidence.shown
    mark = "," if "," in cell else "."
    assert evidence.either == {mark: ("a", cell)}
    assert evidence.decimal() == ("" if mark == "," else ".")
    assert evidence.decimal(points_are_points=False) == ""
    for other in COMMAS:
        assert decimal_shown({"a": [cell], "b": [other]}) == ","
        assert decimal_shown({"a": [cell], "b": [other.translate(EXCHANGE)]}) == "."


@pytest.mark.parametrize("cell", NONE)
def test_cells_without_marks_say_nothing(cell):
    assert not evidence_of({"a": [cell]}).shown
    assert decimal_shown({"a": [cell]}) == "."


def test_a_point_that_is_shown_holds():
    for comma, other in itertools.product(COMMAS, repeat=2):
        assert decimal_shown({"a": [comma], "b": [other.translate(EXCHANGE)]}) == "."


@pytest.mark.parametrize("cell", ["Bonn, 0,5", "2024-01-02", "1,2,3", "01.02.2024", "1,23,456", "<0,5", "1.2.3", "5,"])
def test_columns_of_text_say_nothing(cell):
    evidence = Evidence()
    evidence.look("a", ["0,5", cell] if not LIKE_NUMBER.fullmatch(cell) else [cell])
    assert (evidence.shown, evidence.either) == (set(), {})


@pytest.mark.parametrize(
    ("cells", "decimal", "marks"),
    [
        (["1", "2.5"], ".", Marks()),
        (["1,5", "2"], ",", Marks(",")),
        (["1.234,5", "12", "1.234"], ",", Marks(",", ".")),
        (["1,234,567", "12.5", "NA"], ".", Marks(".", ",")),
        (["1'234", "-5"], ".", Marks(".", "'")),
        (["1\u202f234,5"], ",", Marks(",", "\u202f")),
        (["12.5%", "3 %", ""], ".", Marks(".", "", True)),
        (["1.234,5%"], ",", Marks(",", ".", True)),
        (["12.5%", "3"], ".", None),
        (["3", "12.5%"], ".", None),
        (["1,234", "5678"], ".", None),  # a thousand without its mark
        (["1,234", "12,34"], ".", None),
        (["1,234'567"], ".", None),
        (["0,234"], ".", None),
        (["1.5"], ",", None),
        (["1,234e5"], ".", None),
        (["1 234"], ".", None),
        (["5\u00a0"], ".", None),
        (["5,"], ",", None),
        (["٣"], ".", None),
        (["a", "1"], ".", None),
        (["", "NA"], ".", None),
    ],
)
def test_all_cells_of_a_column_have_the_same_marks(cells, decimal, marks):
    assert marks_of(cells, decimal) == marks


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    numbers,
    st.sampled_from(",."),
    st.sampled_from(["", ".", ",", "'", "\u00a0", "\u202f", "\u2009", "’"]),
    st.booleans(),
)
def test_a_number_with_any_marks_is_read_to_the_last_bit(number, decimal, thousands, percent):
    if thousands == decimal:
        return
    written = f"{number:,f}" if abs(number) < 1e300 and thousands else repr(number)
    expected = float(written.replace(",", ""))
    cell = written.translate({ord(","): thousands, ord("."): decimal}) + "%" * percent
    marks = Marks(decimal, thousands if thousands and "e" not in cell else "", percent)
    assert marks.is_number(cell)
    assert numbers_with(marks, [cell]).view(np.int64) == np.array([expected]).view(np.int64)


def test_missing_cells_are_nan():
    assert np.isnan(numbers_with(Marks(","), sorted(MISSING))).all()


@pytest.mark.parametrize(
    ("cells", "number", "decimal", "text"),
    [
        (["1,5"], "2.25", ",", "2,25"),
        (["NA", "3%"], "2.5", ".", "2.5%"),
        (["1"], "2", ",", "2"),
        ([], "2.5", ".", "2.5"),
    ],
)
def test_a_number_is_written_as_those_beside_it(cells, number, decimal, text):
    assert like_those(cells, number, decimal) == text
