"""Read feather files, which are those of Arrow: ``.feather``, ``.arrow``, and streams of the same batches.

A file [1]_ begins with ``ARROW1`` and holds batches of rows, whose columns may be compressed; a stream is the same
without that head and without the list of batches at the end. Version 1 of feather begins with ``FEA1``.

Lengths and offsets within the columns are checked before anything follows them, which Arrow itself does only if asked.

References
----------
.. [1] Apache Arrow, "Arrow Columnar Format", section "Serialization and Interprocess Communication (IPC)".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eigenselect.exceptions import InputError
from eigenselect.io.arrow import COPIES, check_columns, from_arrow
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.errors import reading_as
from eigenselect.io.memory import NUMBER, bounded_memory, check_memory
from eigenselect.io.table import Table

#: how files begin
FILE, VERSION_1 = b"ARROW1", b"FEA1"


def read_feather(path: str, source: str, roles: ColumnRoles) -> Table:
    """Read the columns of a feather file; an index of pandas holds the names of the samples.

    Raises
    ------
    InputError
        If pyarrow is not installed, or the file is damaged, of version 1, does not fit into memory, has a name twice,
        or has columns of lists or records.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"ash": [2.4, 2.1], "class": ["a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.feather")
    ...     frame.to_feather(path)
    ...     table = read_feather(path, "x.feather", ColumnRoles(label="class"))
    >>> table.feature_names, table.y.tolist()
    (('ash',), ['a', 'b'])
    """
    try:
        import pyarrow.ipc  # noqa: F401
    except ImportError:
        raise InputError(f"{source}: feather needs pyarrow; pip install 'eigenselect[io]'.") from None
    with bounded_memory(), reading_as("feather", source), _batches(path, source) as (schema, batches):
        check_columns(schema, source)
        columns = _checked(schema, batches, source)
        frame = columns.to_pandas()
    return from_arrow(frame, schema, source, roles, lambda names: _again(path, source, names))


@contextmanager
def _batches(path: str, source: str) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Open a file or a stream; give its types, and its batches one after the other."""
    from pyarrow import OSFile, ipc

    with open(path, "rb") as file:
        start = file.read(len(FILE))
    if start.startswith(VERSION_1):
        raise InputError(f"{source}: is feather of version 1; save it again with a newer pyarrow, pandas or arrow.")
    with OSFile(path) as handle:
        if start != FILE:
            stream = ipc.open_stream(handle)
            yield stream.schema, iter(stream)
            return
        reader = ipc.open_file(handle)
        yield reader.schema, (reader.get_batch(place) for place in range(reader.num_record_batches))


def _checked(schema: Any, batches: Iterator[Any], source: str) -> Any:
    """Join the batches, each of which is checked to the last offset; stop where there are more than fit into memory."""
    import pyarrow

    kept, n_rows = [], 0
    for batch in batches:
        batch.validate(full=True)
        kept.append(batch)
        n_rows += batch.num_rows
        check_memory(COPIES * NUMBER * n_rows * max(1, len(schema.names)), source, "reading it")
    return pyarrow.Table.from_batches(kept, schema)


def _again(path: str, source: str, names: list[str]) -> Any:
    """Read some columns once more."""
    with reading_as("feather", source), _batches(path, source) as (schema, batches):
        return _checked(schema, batches, source).select(names)
