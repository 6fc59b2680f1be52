"""Read a single numpy array from its file, mapped into memory: a table may be larger than that.

An npy file is a header, with the type, order and shape of the array as text, and then the bytes of the values. Nothing
but that header is read before somebody looks at values. Only arrays of objects are pickled; they are refused.
"""

from __future__ import annotations

import os

import numpy as np

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, shown
from eigenselect.io.arrays import from_arrays, header_of
from eigenselect.io.errors import damaged, reading_as
from eigenselect.io.memory import product
from eigenselect.io.request import Request
from eigenselect.io.table import Table


def read_npy(path: str, source: str, request: Request) -> Table:
    """Read an array of samples x features as a memory map, with features called x0, x1 and so on.

    Raises
    ------
    InputError
        If the file is damaged or holds pickled objects, if the array is no matrix of real numbers, or if labels are
        asked for.
    """
    for asked in (request.roles.label, request.roles.samples):
        if asked is not None:
            raise InputError(
                f"{source}: has no array {shown(asked)}, as npy holds one; save both in an npz, where each has a name "
                "(np.savez)."
            )
    return from_arrays({"X": mapped(path, source)}, source, request.roles, turned=request.transpose)


def mapped(path: str, source: str) -> AnyArray:
    """Map an array into memory, whose header and size must agree.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.npy")
    ...     np.save(path, np.eye(2, dtype=np.int8))
    ...     mapped(path, "x.npy").tolist()
    [[1, 0], [0, 1]]
    """
    with reading_as("npy", source):
        with open(path, "rb") as file:
            shape, by_column, kind = header_of(file)
            start = file.tell()
        if kind.hasobject:
            raise InputError(f"{source}: holds pickled objects, which are never loaded; save an array of numbers.")
        if kind.kind not in "buif" or len(shape) != 2:
            raise InputError(f"{source}: must be a matrix of real numbers, got shape {shape} of {kind.name}.")
        if min(shape) < 0 or product(shape) * kind.itemsize != os.path.getsize(path) - start:
            raise damaged(source, "npy")
        if not product(shape):
            return np.zeros(shape, dtype=kind)  # nothing to map
        by_rows = np.memmap(path, dtype=kind, mode="r", offset=start, shape=shape[::-1] if by_column else shape)
        return by_rows.T if by_column else by_rows
