"""What parquet and feather share: an index is names, and whole and decimal numbers keep their digits."""

from decimal import Decimal

import pandas as pd
import pytest

from eigenselect.io.column_roles import ColumnRoles

pyarrow = pytest.importorskip("pyarrow")
arrow = pytest.importorskip("eigenselect.io.arrow")

FRAME = pd.DataFrame(
    {"whole": [2**60 + 1, 2], "decimal": [Decimal("0.10"), Decimal("3.00")], "half": [0.5, 1.0]},
    index=pd.MultiIndex.from_tuples([("u", 1), ("v", 2)], names=["group", "visit"]),
)


@pytest.fixture
def columns():
    return pyarrow.Table.from_pandas(FRAME)


def test_letters_of_exact_columns_only(columns):
    asked = []
    table = arrow.from_arrow(
        FRAME.copy(), columns.schema, "t", ColumnRoles(), lambda names: asked.append(names) or columns.select(names)
    )
    assert table.X.tolist() == [[float(2**60), 0.1, 0.5], [2.0, 3.0, 1.0]]
    letters = table.letters(["half", "whole", "decimal"])
    assert letters.to_dict("list") == {"whole": [str(2**60 + 1), "2"], "decimal": ["0.10", "3.00"]}
    assert asked == [["whole", "decimal"]]


def test_levels_of_an_index(columns):
    table = arrow.from_arrow(FRAME.copy(), columns.schema, "t", ColumnRoles(label="group"), columns.select)
    assert (table.y.tolist(), table.sample_names.tolist()) == (["u", "v"], ["1", "2"])
    assert table.notes == ("the index ('visit') is taken for names of samples",)
    both = arrow.from_arrow(FRAME.copy(), columns.schema, "t", ColumnRoles(), columns.select)
    assert both.sample_names.tolist() == ["u/1", "v/2"]


def test_names_first_takes_the_first_column_where_there_is_no_index():
    frame = pd.DataFrame({"id": ["s1", "s2"], "a": [1.0, 2.0]})
    columns = pyarrow.Table.from_pandas(frame)
    table = arrow.from_arrow(frame, columns.schema, "t", ColumnRoles(names_first=True), columns.select)
    assert (table.sample_names.tolist(), table.feature_names) == (["s1", "s2"], ("a",))
