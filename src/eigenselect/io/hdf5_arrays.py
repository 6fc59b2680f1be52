"""Read plain HDF5 files as tables: a dataset of numbers, or a sparse matrix, with names and labels beside it."""

from __future__ import annotations

from eigenselect.exceptions import InputError
from eigenselect.io.arrays import checked_sparse, from_arrays
from eigenselect.io.hdf5 import read_hdf5
from eigenselect.io.named_nodes import NamedArrays, NoTableError
from eigenselect.io.request import Request
from eigenselect.io.table import Table


def read_hdf5_arrays(path: str, source: str, request: Request) -> Table:
    """Read the dataset or group that ``request.inner`` names, or the only table of the file, or the one called X.

    Arrays of one dimension in the same group may be names of features (``feature_names``, ``genes``, …), names of
    samples and labels, as in npz.

    Raises
    ------
    InputError
        If the file is damaged, points to other files, does not fit into memory, or has no table or several.
    """
    from eigenselect.io.hdf5_arrays_parts import read_named_arrays

    try:
        parts = read_hdf5(path, source, "h5", read_named_arrays, table=request.inner)
    except InputError as error:
        if isinstance(error.__cause__, NoTableError):
            raise no_table(source, error.__cause__, request.inner) from None
        raise
    return table_of(parts, source, request)


def table_of(parts: NamedArrays, source: str, request: Request) -> Table:
    """Make a table of what was read of a hierarchy."""
    matrix = parts.matrix
    if parts.layout == "dense":
        X = matrix["X"]
    else:
        data, indices, indptr, shape = (matrix[name] for name in ("data", "indices", "indptr", "shape"))
        X = checked_sparse(data, indices, indptr, shape, parts.layout, source)
    return from_arrays({**parts.others, "X": X}, source, request.roles, turned=request.transpose)


def no_table(source: str, error: NoTableError, inner: str | None) -> InputError:
    """Make the error of a file of which nobody can tell what the table is, or where what was named is none.

    >>> print(no_table("x.h5:day", NoTableError("'day' is a group"), "day"))
    x.h5:day: 'day' is a group; name an array of samples x features as x.h5:PATH.
    """
    file = source if inner is None else source.removesuffix(f":{inner}")
    return InputError(f"{source}: {error}; name an array of samples x features as {file}:PATH.")
