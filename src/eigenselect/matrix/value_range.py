"""Which values a table may hold: up to 1e100, in columns that vary by at least 1e-100, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenselect._parallel import map_blocks
from eigenselect._typing import AnyArray, BoolArray, FloatArray

if TYPE_CHECKING:
    from eigenselect.matrix.base import Matrix

#: largest |x|: squares of values, and products of four, are numbers
LARGEST = 1e100
#: smallest difference between the extremes of a column that is not constant
SMALLEST_SPREAD = 1e-100
#: columns that vary by less hold only values below this: two floats above it differ by more
TINY = 1e-80
#: the bits of `TINY` as a whole number, times two, less one
NO_TINY = (np.float64(TINY).view(np.uint64) << np.uint64(1)) - np.uint64(1)
#: values that are looked at together, and values from which threads share that
BLOCK, SHARED_VALUES = 2**17, 2**26


def in_range(values: AnyArray) -> BoolArray:
    """Tell which values are numbers of allowed size; NaN is not."""
    return np.asarray(np.abs(values) <= min(LARGEST, float(np.finfo(values.dtype).max)))


def has_tiny(values: AnyArray) -> bool:
    """Whether a value is tiny, but not 0: the bits of positive floats grow with them, and 0 less 1 is the largest."""
    if values.dtype.itemsize < 8:
        return False
    sizes = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64) << 1  # without the sign
    sizes -= 1
    return bool(sizes.min(initial=NO_TINY) < NO_TINY)


def first_narrow(low: FloatArray, high: FloatArray) -> tuple[None, int] | None:
    """Return the first column that varies too little, with None in place of a row; None if there is none.

    >>> first_narrow(np.array([1.0, 0.0]), np.array([1.0, 1e-120]))
    (None, 1)
    """
    found = np.flatnonzero((high > low) & (high - low < SMALLEST_SPREAD))
    return (None, int(found[0])) if found.size else None


def check_range(table: Matrix, owner: str, what: str, stored: Matrix | None = None) -> None:
    """Refuse values out of range, and say where the first one is; ``stored`` is the same table in its file."""
    if table.dtype.kind != "f" or (found := table.first_out_of_range()) is None:
        return
    row, column = found
    if row is None:
        spread = float(np.ptp(table.columns(np.array([column]))))
        raise ValueError(
            f"{owner}: {what} must have features that vary by at least {SMALLEST_SPREAD:g} or are constant, got a "
            f"range of {spread:.3g} in {table.feature_label(column)}; scale the features first."
        )
    value = float(table.block(slice(row, row + 1), slice(column, column + 1))[0, 0])
    place = (table if stored is None else stored).where(row, column)
    if np.isfinite(value):
        raise ValueError(
            f"{owner}: {what} must have values of at most {LARGEST:g} in size, got {value:.3g} in {place}; scale the "
            "features first."
        )
    raise ValueError(
        f"{owner}: {what} must be finite, got {'NaN' if np.isnan(value) else 'infinity'} in {place}; fill "
        "(SimpleImputer) or drop such values."
    )


def is_surely_in_range(table: Matrix, n_jobs: int | None = 1) -> bool:
    """Whether one pass over values in memory tells that none is too large, and none is tiny but not 0."""
    if table.dtype.kind != "f":
        return True
    values = table.raw.data if table.is_sparse else table.raw
    step = max(1, BLOCK * len(values) // max(1, values.size))

    def is_small(start: int) -> bool:
        block = values[start : start + step]
        return float(np.vdot(block, block)) <= LARGEST**2 and not has_tiny(block)

    with np.errstate(over="ignore", invalid="ignore"):
        starts = range(0, len(values), step)
        small = map_blocks(is_small, starts, n_jobs) if values.size >= SHARED_VALUES else map(is_small, starts)
        return all(small)
