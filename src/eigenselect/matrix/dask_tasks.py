"""What a worker does with one chunk of a Dask array, and how results of several chunks become one.

Tasks are given a `Matrix` in memory, and which rows and columns of the whole table it has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.dask_passes import as_table


class ColumnSummary(NamedTuple):
    """Of some columns: smallest, largest and number of stored values; row and column of the first NaN or infinity."""

    low: FloatArray
    high: FloatArray
    counts: IntArray
    bad: tuple[int, int] | None


class ColumnMoments(NamedTuple):
    """Of some columns: number of rows, mean, and sum of squared deviations from it."""

    n_samples: int
    mean: FloatArray
    squares: FloatArray


def summarised(table: Matrix, rows: slice, columns: slice) -> ColumnSummary:
    """Look at a chunk once: extremes, counts, and the place in the table of the first value that is no number."""
    low, high = table.column_extremes()
    bad = None if table.is_finite() else table.first_not_finite()
    return ColumnSummary(
        low, high, table.column_counts(), None if bad is None else (rows.start + bad[0], columns.start + bad[1])
    )


def summary_of(parts: list[ColumnSummary]) -> ColumnSummary:
    """Put the summaries of several chunks of the same columns together."""
    return ColumnSummary(
        np.minimum.reduce([part.low for part in parts]),
        np.maximum.reduce([part.high for part in parts]),
        np.sum([part.counts for part in parts], axis=0),
        min((part.bad for part in parts if part.bad is not None), default=None),
    )


def moments(table: Matrix, rows: slice, columns: slice, exponent: int) -> ColumnMoments:
    """Return mean and squares of a chunk times 2^exponent; the first row is subtracted, as in `Matrix`."""
    scaled = table.divided(-exponent)
    first = scaled.columns(slice(None))[0] if not scaled.is_sparse else np.zeros(scaled.n_features)
    ones = np.ones((scaled.n_samples, 1))
    if scaled.is_sparse:
        mean = scaled.transposed_times(ones)[:, 0] / scaled.n_samples
    else:
        mean = first + (scaled.raw - first).sum(axis=0) / scaled.n_samples
    return ColumnMoments(scaled.n_samples, mean, _squares(scaled, mean))


def _squares(table: Matrix, mean: FloatArray) -> FloatArray:
    if not table.is_sparse:
        return np.asarray(((table.raw - mean) ** 2).sum(axis=0))
    X = table.by_column  # type: ignore[attr-defined]
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    squares = np.bincount(column, weights=(X.data - mean[column]) ** 2, minlength=X.shape[1])
    return np.asarray(squares + mean**2 * (X.shape[0] - np.diff(X.indptr)))


def pooled(parts: list[ColumnMoments]) -> ColumnMoments:
    """Pool means and squares of several chunks by what each mean departs from the common one."""
    n_samples = sum(part.n_samples for part in parts)
    first = parts[0].mean
    mean = first + np.sum([part.n_samples * (part.mean - first) for part in parts], axis=0) / n_samples
    squares = [part.squares + part.n_samples * (part.mean - mean) ** 2 for part in parts]
    return ColumnMoments(n_samples, mean, np.sum(squares, axis=0))


def times(table: Matrix, rows: slice, columns: slice, right: FloatArray) -> FloatArray:
    """Multiply a chunk with its rows of ``right``."""
    return table.times(right[columns])


def transposed_times(table: Matrix, rows: slice, columns: slice, left: FloatArray) -> FloatArray:
    """Multiply a transposed chunk with its rows of ``left``."""
    return table.transposed_times(left[rows])


def row_magnitudes(table: Matrix, rows: slice, columns: slice) -> FloatArray:
    """Return the largest |x| of every row of a chunk."""
    return table.row_magnitudes()


def added(parts: list[FloatArray]) -> FloatArray:
    """Add the results of several chunks."""
    return np.sum(parts, axis=0)


def largest(parts: list[FloatArray]) -> FloatArray:
    """Return the largest of the results of several chunks, entry by entry."""
    return np.maximum.reduce(parts)


def divided(chunk: Any, exponents: IntArray) -> Any:
    """Divide the columns of a chunk by powers of two."""
    return as_table(chunk).divided(exponents[0]).raw


def divided_rows(chunk: Any, exponents: IntArray) -> Any:
    """Divide the rows of a chunk by powers of two."""
    return as_table(chunk).divided_rows(exponents[:, 0]).raw


def zeroed(chunk: Any, rows: BoolArray) -> Any:
    """Put zeros into some rows of a chunk."""
    return as_table(chunk).zeroed(rows[:, 0]).raw
