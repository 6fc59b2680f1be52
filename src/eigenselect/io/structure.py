"""Sparse matrices from files: the whole structure is checked before any compiled loop follows it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.memory import NAME, check_memory, product

_AXES = ("rows", "columns")
#: compressed layouts, and the axis that their pointers walk along
LAYOUTS = {"csr": (sparse.csr_array, 0), "csc": (sparse.csc_array, 1)}


def checked_sparse(data: Any, indices: Any, indptr: Any, shape: Any, layout: str, source: str) -> Any:
    r"""A csr or csc matrix of these parts.

    Row i (csr) or column i (csc) holds the entries :math:`p_i \le e < p_{i+1}`, so that the pointers p must start at 0,
    never decrease and end within the entries, and every index must be one of the other axis.

    Parameters
    ----------
    data, indices, indptr : array-like
        Values, their columns (csr) or rows (csc), and where each row (column) begins.
    shape : array-like
        Numbers of rows and columns.
    layout : {"csr", "csc"}
    source : str
        What messages call the file.

    Returns
    -------
    csr_array or csc_array
        Without duplicates: entries that stand at one place more than once are added.
    """
    kind, axis = LAYOUTS[layout]
    size = _checked_shape(shape, source)
    values, inner = _checked_values(data, source), _whole(indices, "indices", source)
    pointers = _whole(indptr, "index pointers", source)
    _demand(len(pointers) == size[axis] + 1, source, f"{len(pointers)} index pointers for {size[axis]} {_AXES[axis]}")
    _demand(pointers[0] == 0, source, f"index pointers that start at {pointers[0]}, not at 0")
    _demand(bool((pointers[1:] >= pointers[:-1]).all()), source, "index pointers that decrease")
    _demand(len(values) == len(inner), source, f"{len(values)} values for {len(inner)} indices")
    n_entries = int(pointers[-1])
    _demand(n_entries <= len(values), source, f"index pointers up to {n_entries} for {len(values)} values")
    inner, values = inner[:n_entries], values[:n_entries]
    _check_range(inner, size[1 - axis], _AXES[1 - axis], source)
    matrix = kind((values, inner, pointers), shape=size)
    matrix.sum_duplicates()
    return matrix


def checked_coordinates(data: Any, rows: Any, columns: Any, shape: Any, source: str) -> sparse.csr_array:
    """A matrix of values and the row and column of each."""
    size = _checked_shape(shape, source)
    values, places = _checked_values(data, source), [_whole(part, "indices", source) for part in (rows, columns)]
    for inner, length, axis in zip(places, size, _AXES, strict=True):
        _demand(len(inner) == len(values), source, f"{len(values)} values for {len(inner)} indices of {axis}")
        _check_range(inner, length, axis, source)
    return sparse.csr_array(sparse.coo_array((values, tuple(places)), shape=size))


def _demand(fine: bool, source: str, found: str) -> None:
    if not fine:
        raise InputError(f"{source}: is damaged, its sparse matrix has {found}; save it again.")


def _checked_shape(shape: Any, source: str) -> tuple[int, int]:
    given = np.asarray(shape)
    _demand(given.shape == (2,) and given.dtype.kind in "iu", source, "a shape that is not two whole numbers")
    size = (int(given[0]), int(given[1]))
    _demand(min(size) >= 0 and product(size) < 2**63, source, f"the shape {size[0]} x {size[1]}")
    check_memory(NAME * max(size), source, f"a table of {size[0]} x {size[1]}")
    return size


def _checked_values(data: Any, source: str) -> NDArray[Any]:
    values = np.asarray(data)
    _demand(values.ndim == 1 and values.dtype.kind in "buif", source, "values that are not a row of real numbers")
    return values


def _whole(part: Any, what: str, source: str) -> NDArray[Any]:
    values = np.asarray(part)
    _demand(values.ndim == 1 and values.dtype.kind in "iu", source, f"{what} that are not a row of whole numbers")
    _demand(what == "indices" or values.size > 0, source, f"no {what}")
    return values if values.dtype.kind == "i" else values.astype(np.int64)  # what is too large becomes negative


def _check_range(indices: NDArray[Any], length: int, axis: str, source: str) -> None:
    if indices.size:
        low, high = int(indices.min()), int(indices.max())
        _demand(low >= 0 and high < length, source, f"indices from {low} to {high} for {length} {axis}")
