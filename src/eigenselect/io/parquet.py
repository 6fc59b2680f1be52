"""Read parquet files as tables.

A parquet file [1]_ says the types and the number of its rows at its end, so that they are checked before the columns
are read. Pandas adds which columns are the index [2]_: these are names of samples, not features.

References
----------
.. [1] Apache Parquet, "File format", https://parquet.apache.org/docs/file-format/
.. [2] pandas documentation, "Storing pandas DataFrame objects in Apache Parquet format".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, counted, listed
from eigenselect.io.column_roles import ColumnRoles, from_frame
from eigenselect.io.duplicates import told_apart
from eigenselect.io.errors import FILE, find_name, reading_as
from eigenselect.io.labels import text_of
from eigenselect.io.memory import NUMBER, bounded_memory, check_memory
from eigenselect.io.origin import Origin
from eigenselect.io.table import Table

#: copies of a table that are in memory at once
COPIES = 3


def read_parquet(path: str, source: str, roles: ColumnRoles) -> Table:
    """Read the columns of a parquet file; an index of pandas holds the names of the samples.

    Whole and decimal numbers become the nearest floating-point numbers in X; `Table.letters` reads them again with all
    their digits. A level of the index that ``roles`` name is a column; the other levels are joined by slashes.

    Raises
    ------
    InputError
        If pyarrow is not installed, or the file is damaged, does not fit into memory, has a name twice, or has columns
        of lists or records.

    Examples
    --------
    >>> import os, tempfile
    >>> frame = pd.DataFrame({"ash": [2.4, 2.1], "class": ["a", "b"]}, index=["wine 1", "wine 2"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.parquet")
    ...     frame.to_parquet(path)
    ...     table = read_parquet(path, "x.parquet", ColumnRoles(label="class"))
    >>> table.feature_names, table.y.tolist(), table.sample_names.tolist()
    (('ash',), ['a', 'b'], ['wine 1', 'wine 2'])
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{source}: parquet needs pyarrow; pip install 'eigenselect[io]'.") from None
    with bounded_memory(), reading_as("parquet", source), pyarrow.parquet.ParquetFile(path) as file:
        _check_columns(file.schema_arrow, source)
        n_numbers = file.metadata.num_rows * max(1, len(file.schema_arrow.names))
        check_memory(COPIES * NUMBER * n_numbers, source, "reading it")
        frame = file.read().to_pandas()
        kinds = {field.name: field.type for field in file.schema_arrow}
    decimals = [name for name, kind in kinds.items() if pyarrow.types.is_decimal(kind)]
    exact = [*decimals, *(name for name, kind in kinds.items() if pyarrow.types.is_integer(kind))]
    frame, names, notes = _without_index(frame, roles)
    columns = [str(name) for name in frame.columns]
    if roles.names_first and names is None and columns:
        roles = replace(roles, samples=columns[0])
    for column in (roles.label, roles.samples):
        if column is not None:
            find_name(column, columns, source, "column")
    for name in set(decimals) & set(columns) - {roles.label, roles.samples}:
        frame[name] = frame[name].astype(float)  # the nearest to each, as of text
    table = from_frame(frame, source, roles, names, lambda asked: _written(path, [n for n in asked if n in exact]))
    return replace(table, notes=(*notes, *table.notes), origin=Origin(path, "parquet"))


def _written(path: str, names: Sequence[str]) -> pd.DataFrame:
    """Read columns of whole or decimal numbers as text: floating-point numbers do not hold all of them."""
    import pyarrow
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        columns = file.read(columns=list(names))
    texts = {name: columns[name].cast(pyarrow.string()).to_pylist() for name in names}
    return pd.DataFrame({name: ["" if cell is None else cell for cell in cells] for name, cells in texts.items()})


def _check_columns(schema: Any, source: str) -> None:
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
