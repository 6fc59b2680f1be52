"""Tables of Arrow's columns, which parquet and feather files hold: types, and an index that pandas describes.

Pandas adds to such a file which columns are the index [1]_: these are names of samples, not features. Whole and decimal
numbers become the nearest floating-point numbers in X; `Table.letters` reads them again with all their digits.

References
----------
.. [1] pandas documentation, "Storing pandas DataFrame objects in Apache Parquet format".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, counted, listed
from eigenselect.io.column_roles import ColumnRoles, from_frame
from eigenselect.io.duplicates import told_apart
from eigenselect.io.errors import FILE, find_name
from eigenselect.io.labels import text_of
from eigenselect.io.table import Table

#: copies of a table that are in memory at once
COPIES = 3


def from_arrow(
    frame: pd.DataFrame, schema: Any, source: str, roles: ColumnRoles, again: Callable[[list[str]], Any]
) -> Table:
    """Make a table of columns that were read.

    A level of the index that ``roles`` name is a column; the other levels are joined by slashes.

    Parameters
    ----------
    frame : DataFrame
        The columns as pandas makes them of Arrow's.
    schema : pyarrow.Schema
        The types of the columns in the file.
    source : str
        What messages call the file.
    roles : ColumnRoles
    again : callable
        Reads columns by name once more, as a pyarrow.Table.
    """
    from pyarrow import types

    kinds = {field.name: field.type for field in schema}
    decimals = [name for name, kind in kinds.items() if types.is_decimal(kind)]
    exact = [*decimals, *(name for name, kind in kinds.items() if types.is_integer(kind))]
    frame, names, notes = _without_index(frame, roles)
    columns = [str(name) for name in frame.columns]
    if roles.names_first and names is None and columns:
        roles = replace(roles, samples=columns[0])
    for column in (roles.label, roles.samples):
        if column is not None:
            find_name(column, columns, source, "column")
    for name in set(decimals) & set(columns) - {roles.label, roles.samples}:
        frame[name] = frame[name].astype(float)  # the nearest to each, as of text
    table = from_frame(frame, source, roles, names, lambda asked: _written(again, [n for n in asked if n in exact]))
    return replace(table, notes=(*notes, *table.notes))


def _written(again: Callable[[list[str]], Any], names: list[str]) -> pd.DataFrame:
    """Read columns of whole or decimal numbers as text: floating-point numbers do not hold all of them."""
    import pyarrow

    columns = again(names)
    texts = {name: columns[name].cast(pyarrow.string()).to_pylist() for name in names}
    return pd.DataFrame({name: ["" if cell is None else cell for cell in cells] for name, cells in texts.items()})


def check_columns(schema: Any, source: str) -> None:
    """Refuse names that stand twice, and columns of lists or records."""
    from pyarrow import types

    told_apart(schema.names, source, advice=FILE)
    nested = [field.name for field in schema if types.is_nested(field.type)]
    if nested:
        what, them = ("a feature", "it") if len(nested) == 1 else ("features", "them")
        raise InputError(
            f"{source}: {counted(len(nested), 'column')} with lists or records ({listed(nested)}) cannot be {what}; "
            f"write the table without {them}, or with one column a number."
        )


def _without_index(frame: pd.DataFrame, roles: ColumnRoles) -> tuple[pd.DataFrame, AnyArray | None, list[str]]:
    """Turn those levels of the index into columns that were asked for, the others into names of samples."""
    asked = {roles.label, roles.samples, *(part.strip() for entry in roles.ignore for part in entry.split(","))}
    levels = [n for n in frame.index.names if n is not None and str(n) in asked and n not in frame.columns]
    frame = frame.reset_index(level=levels) if levels else frame
    index = frame.index
    if isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index))):
        return frame, None, []
    if isinstance(index, pd.MultiIndex):
        names = np.array(["/".join(map(str, key)) for key in index], dtype=object)
    else:
        names = text_of(index.to_series())
    called = [str(name) for name in index.names if name is not None]
    notes = [f"the index ({listed(called)}) is taken for names of samples"] if called else []
    return frame.reset_index(drop=True), names, notes
