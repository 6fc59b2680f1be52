"""Write tables as parquet: columns keep their types, or get the type that holds all their values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, listed, shown
from eigenselect.io.labels import text_of
from eigenselect.io.table import Table, written_ids
from eigenselect.io.text import WHOLE, rounded
from eigenselect.io.writers import ColumnNames, label_values

#: whole numbers that parquet's largest type of them holds
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def write_parquet(target: str, table: Table, names: ColumnNames) -> None:
    """Write names, labels, ids and features, each as a column.

    Columns of a parquet file are copied with their types, all digits of decimal numbers, and the index of pandas. Of
    other tables, a column of whole numbers becomes int64, any other has the type of X.

    Raises
    ------
    InputError
        If a whole number is beyond int64, and no floating-point number.

    Examples
    --------
    >>> import os, tempfile
    >>> import pyarrow.parquet
    >>> table = Table(np.array([[2.4], [2.1]], dtype=np.float32), ("ash",), label_text=np.array(["007", ""]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.parquet")
    ...     write_parquet(path, table, ColumnNames("sample", "label"))
    ...     pyarrow.parquet.read_table(path).to_pylist()[1]
    {'label': None, 'ash': 2.0999999046325684}
    """
    import pyarrow.parquet

    _check_names(table.feature_names)
    taken = _taken(table, names)
    content, compression = (_made(table, names), "snappy") if taken is None else taken
    pyarrow.parquet.write_table(content, target, compression=compression)


def _check_names(names: Sequence[str]) -> None:
    """Refuse features of equal names, of which a file of named columns could keep one only."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(
            f"parquet holds one column of each name, but {listed(twice)} stands twice; use --duplicates suffix, or "
            "write .npz or .h5ad."
        )


def _taken(table: Table, names: ColumnNames) -> tuple[Any, str] | None:
    """Take the columns of the file that the table was read from; None if it was no parquet file, or values changed."""
    import pyarrow.parquet

    origin = table.origin
    if origin is None or origin.kind != "parquet" or not origin.as_stored:
        return None
    origin.check()
    with pyarrow.parquet.ParquetFile(origin.path) as file:
        known, index = file.schema_arrow.names, _index_columns(file.schema_arrow)
        if not set(table.feature_names) <= set(known):  # columns of 0 and 1 that were made of text
            return None
        beside = (names.sample, names.label, *written_ids(table))
        first = [name for name in beside if name in known and name not in table.feature_names]
        wanted = [*first, *table.feature_names, *(name for name in index if name not in first)]
        content = file.read(columns=wanted).select(wanted)
        compression = file.metadata.row_group(0).column(0).compression if file.metadata.num_row_groups else "snappy"
    content = _with_labels(content, table, names).replace_schema_metadata(_metadata(content.schema.metadata, wanted))
    return content, "none" if compression == "UNCOMPRESSED" else compression.lower()


def _with_labels(content: Any, table: Table, names: ColumnNames) -> Any:
    """Put labels of another file in front, or in the place of a column of their name that holds other values."""
    if table.label_text is None:
        return content
    place = content.schema.get_field_index(names.label)
    if place >= 0 and np.array_equal(text_of(content.column(place).to_pandas()), np.asarray(table.label_text)):
        return content
    content = content if place < 0 else content.remove_column(place)
    return content.add_column(max(place, 0), names.label, _label_column(table))


def _index_columns(schema: Any) -> list[str]:
    """Name the columns that pandas keeps its index in."""
    facts = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    return [name for name in facts.get("index_columns", []) if isinstance(name, str) and name in schema.names]


def _metadata(metadata: Any, kept: Sequence[str]) -> Any:
    """Leave columns that are gone out of what pandas says of them."""
    if not metadata or b"pandas" not in metadata:
        return metadata
    facts = json.loads(metadata[b"pandas"])
    facts["columns"] = [column for column in facts.get("columns", []) if column.get("field_name") in kept]
    return {**metadata, b"pandas": json.dumps(facts).encode()}


def _made(table: Table, names: ColumnNames) -> Any:
    """Make columns of the table."""
    import pyarrow

    columns: dict[str, Any] = {}
    if table.sample_names is not None:
        columns[names.sample] = pyarrow.array([str(name) for name in table.sample_names])
    if label_values(table) is not None:
        columns[names.label] = _label_column(table)
    columns |= {name: _id_column(table, name, texts) for name, texts in written_ids(table).items()}
    columns |= {name: pyarrow.array(values) for name, values in _features(table)}
    return pyarrow.table(columns)


def _id_column(table: Table, name: str, texts: AnyArray) -> Any:
    """Give ids as numbers, if these are written so, or as text."""
    import pyarrow

    numbers = table.ids is not None and pd.api.types.is_numeric_dtype(table.ids[name])
    whole = numbers and all(WHOLE.fullmatch(text) and str(int(text)) == text for text in texts)
    return pyarrow.array([int(text) for text in texts], pyarrow.int64()) if whole else pyarrow.array(texts.tolist())


def _label_column(table: Table) -> Any:
    """Give labels as numbers, if all are, or as text, null where there is none."""
    import pyarrow

    labels = label_values(table)
    if labels.dtype.kind in "biuf":
        return pyarrow.array(labels, from_pandas=True)
    return pyarrow.array([str(label) or None for label in labels], pyarrow.string())


def _features(table: Table) -> Iterator[tuple[str, Any]]:
    """Give every feature with its values; whole numbers as such."""
    cells = pd.DataFrame() if table.letters is None else table.letters(table.feature_names)
    X = sparse.csc_array(table.X) if sparse.issparse(table.X) else table.X
    for j, name in enumerate(table.feature_names):
        column = X[:, [j]].toarray().ravel() if sparse.issparse(X) else np.ascontiguousarray(X[:, j])
        yield name, column if name not in cells else _whole(cells[name], column, name)


def _whole(cells: pd.Series, column: Any, name: str) -> Any:
    """Give whole numbers as such where all are written so; refuse those that no type holds."""
    if not all(WHOLE.fullmatch(cell) for cell in cells):
        return column
    numbers = [int(cell) for cell in cells]
    if min(numbers) >= LOWEST and max(numbers) <= HIGHEST:
        return np.array(numbers, dtype=np.int64)
    if rounded(cells, column):
        raise InputError(
            f"{shown(name)} holds whole numbers beyond 2^63, for which parquet has no type of its own; write .csv."
        )
    return column
