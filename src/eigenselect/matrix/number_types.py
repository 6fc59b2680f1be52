"""The types of numbers that a table may hold. A table keeps its own; parts that are worked on are widened.

Whole numbers beyond 2^53 are rounded to the next float64, as numpy and scikit-learn do; `warn_if_rounded` warns of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import BoolArray
from eigenselect._warn import is_heard, warn
from eigenselect.exceptions import agreeing, counted
from eigenselect.matrix.base import Matrix

#: up to here every whole number is a float64; beyond, every second one at most
LARGEST_WHOLE = 2.0**53


def is_number_type(dtype: Any) -> bool:
    """Whether values of a type are real numbers.

    >>> is_number_type(np.bool_), is_number_type(np.complex128), is_number_type("U3")
    (True, False, False)
    """
    return np.dtype(dtype).kind in "biuf"


def is_wide(dtype: Any) -> bool:
    """Whether a type holds whole numbers of 64 bits; a column of pandas or polars may have a type of theirs.

    >>> is_wide(np.dtype(">u8")), is_wide("Int64"), is_wide(np.dtype("int32")), is_wide(np.dtype("float64"))
    (True, True, False, False)
    """
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iu" and dtype.itemsize == 8
    return str(dtype).lower().partition("[")[0] in ("int64", "uint64")


def kept_type(dtype: Any) -> Any:
    """Return the type in which a table holds its numbers: its own, unless numpy's loops know none for it.

    Half floats become float32, extended ones float64, and bytes stand in the order of the machine.

    >>> [kept_type(name).name for name in ("int8", ">i4", "bool", "float16", "float32", "longdouble")]
    ['int8', 'int32', 'bool', 'float32', 'float32', 'float64']
    """
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "f":
        return np.dtype(np.float32) if dtype.itemsize <= 4 else np.dtype(np.float64)
    return dtype


def working_type(dtype: Any) -> Any:
    """Return the type in which parts of a table are worked on: float32 of float32, else float64.

    >>> working_type("int8"), working_type("float32")
    (dtype('float64'), dtype('float32'))
    """
    return np.dtype(np.float32) if np.dtype(dtype) == np.float32 else np.dtype(np.float64)


def wide_columns(table: Any) -> BoolArray:
    """Tell which columns of a table as given hold whole numbers of 64 bits: a frame has a type for each.

    >>> wide_columns(np.array([[1, 2], [3, 4]]))
    array([ True,  True])
    """
    if hasattr(table, "dtypes"):
        return np.array([is_wide(dtype) for dtype in table.dtypes], dtype=bool)
    dtype = getattr(table, "dtype", None)
    return np.full(table.shape[1], is_wide(dtype)) if dtype is not None and table.ndim == 2 else np.zeros(0, dtype=bool)


def warn_if_rounded(table: Matrix, owner: str, what: str = "X", wide: BoolArray | None = None) -> None:
    """Say how many features hold whole numbers that float64 rounds.

    Sizes are looked at after rounding, so that 2^53 itself, which is exact, counts with 2^53 + 1, which is not.

    Parameters
    ----------
    table : Matrix
    owner : str
        Who speaks.
    what : str
        What the parameter is called.
    wide : ndarray of bool, optional
        The columns that held whole numbers of 64 bits, where the table is in floats by now.
    """
    wide = np.full(table.n_features, is_wide(table.dtype)) if wide is None else wide
    if not (wide.any() and is_heard()):
        return
    part = table if wide.all() else table.take_columns(np.flatnonzero(wide))
    if part.largest_value() < LARGEST_WHOLE:
        return
    beyond = np.flatnonzero(wide)[part.column_magnitudes() >= LARGEST_WHOLE]
    if not beyond.size:  # what was read of a file may be in other columns
        return
    whole = agreeing(beyond.size, f"{beyond.size} of {counted(table.n_features, 'feature')} of {what} [holds|hold]")
    warn(
        f"{owner}: {whole} whole numbers beyond 2^53, which are rounded to 16 digits ({table.list_features(beyond)}); "
        "subtract a number near them before."
    )
