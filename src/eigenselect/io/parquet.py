"""Read parquet files as tables.

A parquet file [1]_ says the types and the number of its rows at its end, so that they are checked before the columns
are read. `arrow` makes a table of them.

References
----------
.. [1] Apache Parquet, "File format", https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from eigenselect.exceptions import InputError
from eigenselect.io.arrow import COPIES, check_columns, from_arrow
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.errors import reading_as
from eigenselect.io.memory import NUMBER, bounded_memory, check_memory
from eigenselect.io.origin import Origin
from eigenselect.io.table import Table


def read_parquet(path: str, source: str, roles: ColumnRoles) -> Table:
    """Read the columns of a parquet file; an index of pandas holds the names of the samples.

    Raises
    ------
    InputError
        If pyarrow is not installed, or the file is damaged, does not fit into memory, has a name twice, or has columns
        of lists or records.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
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
        schema = file.schema_arrow
        check_columns(schema, source)
        n_numbers = file.metadata.num_rows * max(1, len(schema.names))
        check_memory(COPIES * NUMBER * n_numbers, source, "reading it")
        frame = file.read().to_pandas()
    table = from_arrow(frame, schema, source, roles, lambda names: _columns(path, names))
    return replace(table, origin=Origin(path, "parquet"))


def _columns(path: str, names: list[str]) -> Any:
    """Read some columns."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        return file.read(columns=names)
