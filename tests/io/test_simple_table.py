"""Simple tables are read in one go, exactly as pandas reads them, or not at all."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenselect.io.simple_table import simple_frame
from eigenselect.io.text import EXACT
from eigenselect.io.text_layout import layout_of


def simple(text, names, letters=(), separator=",", asked=None):
    layout = layout_of(io.BytesIO(text.encode()), separator, separator)
    return simple_frame(io.BytesIO(text.encode()), names, letters, layout, asked)


def test_numbers_and_text_at_their_places():
    frame, decimal = simple("id,a,city,b\n007,1.5,Bonn,2\nNA,,NA,3e2\n", ["id", "a", "city", "b"], ["id"])
    assert decimal == "."
    assert frame.columns.tolist() == ["id", "a", "city", "b"]
    assert frame["id"].tolist() == ["007", "NA"]
    assert frame["city"].tolist() == ["Bonn", None]
    np.testing.assert_array_equal(frame[["a", "b"]], [[1.5, 2], [np.nan, 300]])


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("a;b\n1,5;2\n3,25;4\n", ",", 1.5),
        ("a;b\n1.5;2\n3.25;4\n", ".", 1.5),
        ("a;b\n1;2\n3;4\n", "", 1.0),
        ("a;b\n1.234,5;2\n3;4\n", None, None),
        ("a;b\n1.234;2\n3;4\n", None, None),
        ("a;b\n1,234;2\n3;4\n", None, None),
        ("a;b\n0,5;2\n3;1.234\n", None, None),
        ("a;b\n0.5;2\n3;1,234\n", None, None),
    ],
)
def test_the_decimal_mark_is_the_one_that_is_shown(text, decimal, value):
    found = simple(text, ["a", "b"], separator=";")
    read = (None, None) if found is None else (found[1], found[0].iloc[0, 0])
    assert read == (decimal, value)


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n",
        "a,b\n1,True\n2,False\n",
        "a,b\n1,inf\n2,3\n",
        "a,b\n1,5%\n2,6%\n",
        "a,b\n1, x\n2, y\n",
        "a,b\n1,2\n3,x\n",
        'a,b\n1,"2,5"\n3,"4,5"\n',
        "a,b\r1,2\r",
        "a,b,c\n1,2,3\n",
    ],
)
def test_other_tables_are_left_to_others(text):
    assert simple(text, ["a", "b"]) is None


def test_a_new_line_within_quotes_makes_no_rows():
    """By separators and new lines alone these would be four rows of two cells."""
    assert simple('a,b\n"x,1\ny",2\n"z,3\nw",4\n', ["a", "b"], ["a"]) is None


def test_a_blank_line_under_the_header_is_no_row():
    assert simple("a\n\n1\n2\n", ["a"]) is None


def test_blanks_and_wide_separators_are_left_to_others():
    assert simple("a b\n1 2\n", ["a", "b"], separator=" ") is None
    assert simple("a§b\n1§2\n", ["a", "b"], separator="§") is None
    assert simple("a,b\n1,2\n", ["a", "a"]) is None


NUMBERS = ["1", "-2.5", "1e5", ".5", "5.", "007", "9" * 25, "1 ", " 1", "+3", "1e400", "1e-400", "inf", "True", "\t1"]
OTHERS = ["NA", "", "nan", "null", "x", "x y", '"q"', '"a,b"', "1_0", "1,5", "ü", "#", "(", "nan(1)", "0x1", '5"', "'"]
cells = st.sampled_from([*NUMBERS, *OTHERS])


@settings(max_examples=300)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
def test_what_is_read_is_what_pandas_reads(rows, end):
    text = end.join(["a,b,c", *(",".join(row) for row in rows)]) + end
    found = simple(text, ["a", "b", "c"])
    if found is None:
        return
    expected = pd.read_csv(io.StringIO(text, newline=""), **EXACT, skipinitialspace=True)
    for name in "abc":
        mine, theirs = found[0][name], expected[name]
        if mine.dtype == float and not pd.api.types.is_numeric_dtype(theirs):  # pandas: 25 digits and 1e400 are text
            theirs = theirs.map(float)
        assert mine.isna().tolist() == theirs.isna().tolist()
        assert [m for m in mine if m == m and m is not None] == [t for t in theirs.tolist() if t == t]
