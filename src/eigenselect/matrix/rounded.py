"""Whole numbers that are too large for float64, in which everything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import BoolArray
from eigenselect._warn import is_heard, warn
from eigenselect.exceptions import agreeing, counted
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.number_types import is_wide

#: up to here every whole number is a float64; beyond, every second one at most
LARGEST_WHOLE = 2.0**53


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
