"""The table of a plain HDF5 file, and the arrays beside it; see `eigenselect.io.named_nodes`.

As `h5ad_parts`, this file imports nothing but h5py and numpy, because a process of its own runs it first.
"""

from __future__ import annotations

from functools import partial

import h5py

from eigenselect.io.h5ad_parts import AbsentError, has, part_of, values_of
from eigenselect.io.named_nodes import Access, NamedArrays, named_arrays, names_of_tables


def read_named_arrays(path: str, *, table: str | None, most: float = float("inf")) -> NamedArrays:
    """Read a table by the path of its dataset or group, by default the only one or X.

    Raises
    ------
    NoTableError
        If there is none, or several.
    AbsentError
        If there is none of this name.
    OutsideError
        If a part is in another file.
    """
    access = Access(part_of, partial(values_of, most=most))
    with h5py.File(path, "r") as file:
        if table is not None and not _is_there(file, table):
            raise AbsentError("dataset", table, names_of_tables(file, access))
        return named_arrays(file, access, table)


def _is_there(file: h5py.File, path: str) -> bool:
    """Tell whether a path leads to something, step by step, over no link to another file."""
    folder, _, name = path.strip("/").rpartition("/")
    try:
        group = part_of(file, folder) if folder else file
    except KeyError:
        return False
    return isinstance(group, h5py.Group) and bool(name) and has(group, name)
