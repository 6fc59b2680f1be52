"""Columns with marks: read where all cells agree, refused in doubt, and written so that they are read again."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.exceptions import InputError
from eigenselect.io.marked_columns import MarkedColumns, named
from eigenselect.io.number_marks import Marks


def frame(**columns):
    return pd.DataFrame(columns)


def test_one_decimal_mark_for_the_whole_table():
    columns = MarkedColumns("t.csv")
    found = columns.read(frame(a=["0,5", "2"], b=["1.234", "NA"], c=["3", "4"], d=["1.5", "x"]))
    assert columns.decimal == ","
    np.testing.assert_array_equal(found["a"], [0.5, 2])
    np.testing.assert_array_equal(found["b"], [1234, np.nan])
    assert found["d"] == ["1.5", "x"]
    assert columns.marks == {"a": Marks(","), "b": Marks(",", "."), "c": Marks(",")}


def test_a_column_that_does_not_fit_is_text():
    """It would be 1.5 if nobody had seen the decimal commas beside it."""
    found = MarkedColumns("t.csv", ",").read(frame(a=["1.5", "2.5"], b=["", "7.25"]))
    assert found == {"a": ["1.5", "2.5"], "b": [None, "7.25"]}


def test_points_hold_where_both_are_shown():
    columns = MarkedColumns("t.csv")
    assert columns.read(frame(a=["0,5", "2"], b=["1.5", "2"])) == {}
    assert (columns.decimal, columns.marks) == (".", {})


@pytest.mark.parametrize(
    ("cells", "points", "says"),
    [
        (["1,234", "5"], True, "'1,234' in 'a' may be 1234 or 1.234, and no other cell shows which; name the decimal"),
        (["1.234", "5"], False, "'1.234' in 'a' may be 1234 or 1.234, and no other cell"),
    ],
)
def test_doubt_is_refused_unless_the_mark_is_named(cells, points, says):
    with pytest.raises(InputError, match=f"t.csv: {says}"):
        MarkedColumns("t.csv", points_are_points=points).read(frame(a=cells))
    for asked in ",.":
        columns = MarkedColumns("t.csv", asked, points_are_points=points)
        found = columns.read(frame(a=cells))
        expected = float(cells[0].replace(",", ".")) if asked in cells[0] else 1234.0
        assert float(found["a"][0] if "a" in found else cells[0]) == expected


def test_when_cells_are_looked_at_again():
    plain = frame(a=[1.0], b=["x"])
    assert not MarkedColumns("t.csv").may_be_in(plain, ["b"])
    assert MarkedColumns("t.csv").may_be_in(frame(b=["1,5", None]), ["b"])
    assert not MarkedColumns("t.csv").may_be_in(frame(b=[None]), ["b"])
    assert MarkedColumns("t.csv", ",").may_be_in(plain, [])
    assert MarkedColumns("t.csv", points_are_points=False).may_be_in(plain, [])
    assert not MarkedColumns("t.csv", ".", points_are_points=False).may_be_in(plain, [])


def test_cells_are_written_as_they_stand_if_they_will_be_read_so():
    columns = MarkedColumns("t.csv")
    cells = frame(a=["0,50", "NA"], b=["1.234,5", "7"], c=["1,234", "5"], d=["3,5%", "4,0 %"])
    columns.read(cells)
    assert columns.written(cells[["a", "d"]]).to_dict("list") == {"a": ["0,50", "NA"], "d": ["3,5%", "4,0 %"]}
    assert columns.written(cells[["b"]]).to_dict("list") == {"b": ["1234,5", "7"]}
    assert columns.written(cells[["c"]]).to_dict("list") == {"c": ["1.234", "5"]}  # alone, it shows nothing
    assert columns.plain(cells).to_dict("list") == {
        "a": ["0.50", "NA"],
        "b": ["1234.5", "7"],
        "c": ["1.234", "5"],
        "d": ["3.5", "4.0"],
    }


def test_notes_name_columns_and_marks():
    columns = MarkedColumns("t.csv")
    columns.read(frame(a=["1,234.5"], b=["1\u202f234"], c=["5%"], d=["1,234,567"]))
    assert columns.notes() == [
        "2 columns with ',' between thousands ('a', 'd')",
        "1 column with a narrow blank between thousands ('b')",
        "1 column of percentages ('c'), where 12.5% is read as 12.5",
    ]


def test_numbers_of_a_sheet_become_plain_cell_by_cell():
    """Rows may be the columns of numbers: of those with commas, some stand beside text."""
    sheet = frame(gene=["TP53", "class", "1,5"], s1=["1.234,5", "a", "0,5"], s2=["7", "b", "NA"])
    assert MarkedColumns("t.csv").plain_sheet(sheet).to_dict("list") == {
        "gene": ["TP53", "class", "1.5"],
        "s1": ["1234.5", "a", "0.5"],
        "s2": ["7", "b", "NA"],
    }


@pytest.mark.parametrize("cells", [["1,234", "a"], ["1.5", "1,5"], ["x", "y"]])
def test_a_sheet_that_shows_no_comma_stays_as_it_is(cells):
    assert MarkedColumns("t.csv").plain_sheet(frame(a=cells)).to_dict("list") == {"a": cells}


def test_numbers_beside_text_are_plain_where_rows_are_features():
    columns = MarkedColumns("x.csv")
    cells = frame(s1=["tumour, late", "0,5", "1.234,5", "NA"], s2=["x", "2", "1.234", "<0,5"])
    found = columns.read(cells, by_cell=True)
    assert found == {"s1": ["tumour, late", "0.5", "1234.5", None], "s2": ["x", "2", "1234", "<0,5"]}
    assert columns.decimal == ","
    assert columns.plain(cells)["s1"].tolist() == ["tumour, late", "0.5", "1234.5", "NA"]
    with pytest.raises(InputError, match="'1,234' in 's1' may be 1234 or 1.234"):
        MarkedColumns("x.csv").read(frame(s1=["tumour", "1,234"]), by_cell=True)


def test_marks_that_cannot_be_seen_have_names():
    assert [named(mark) for mark in (" ", "\u00a0", "|")] == ["blanks", "a blank", "'|'"]
