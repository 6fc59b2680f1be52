"""What a worker does with one chunk of a Dask array, and how results of several chunks become one.

Tasks are given a `Matrix` in memory, and which rows and columns of the whole table it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.dask_jobs import ChunkJob, Spoilt
from eigenselect.matrix.value_range import in_range

#: bytes of rows that are looked at together: what stays in cache
LOOKED_BYTES = 2**20
#: mean² n / Σ (f - mean)² from which means of chunks, as numbers with 16 digits, are too coarse to be compared
LARGE_MEAN = 1e8
#: a bound is so much larger than what rounding may have made of it
SURELY = 1.0 + 1e-6


class ColumnMoments(NamedTuple):
    """Of some columns: number of rows, mean, and sum of squared deviations from it."""

    n_samples: int
    mean: FloatArray
    squares: FloatArray


class ColumnSummary(NamedTuple):
    """Of some columns: smallest, largest and number of stored values, and moments."""

    low: FloatArray
    high: FloatArray
    counts: IntArray
    moments: ColumnMoments

    @classmethod
    def side_by_side(cls, parts: Sequence[ColumnSummary]) -> ColumnSummary:
        """Put summaries of several blocks of columns together."""
        low, high, counts = (np.concatenate([part[place] for part in parts]) for place in range(3))
        mean, squares = (np.concatenate([part.moments[place] for part in parts]) for place in (1, 2))
        return cls(low, high, counts, ColumnMoments(parts[0].moments.n_samples, mean, squares))

    def largest_shares(self) -> FloatArray:
        """Bound the part of each column's squared deviations that one row holds; 1 where digits do not tell."""
        n_samples, mean, squares = self.moments
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            farthest = np.maximum(self.high - mean, mean - self.low)
            shares = SURELY * farthest**2 / squares
            told = (squares > 0) & (n_samples * mean**2 < LARGE_MEAN * squares)
        return np.where(self.high > self.low, np.where(told, shares, 1.0), 0.0)


def summarised(table: Matrix, rows: slice, columns: slice) -> ColumnSummary | Spoilt:
    """Look at a chunk once: extremes, counts and moments, or the place in the table of the first that is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        low, high, found = _of_non_zeros(table) if table.is_sparse else _of_rows(table)
    if not (in_range(low) & in_range(high)).all():
        bad = table.first_out_of_range()
        assert bad is not None
        assert bad[0] is not None  # an extreme is out of range where a value is
        return Spoilt(rows.start + bad[0], columns.start + bad[1])
    return ColumnSummary(low, high, table.column_counts(), found)


def _of_rows(table: Matrix) -> tuple[FloatArray, FloatArray, ColumnMoments]:
    """Return extremes and moments of a dense chunk, in one walk over blocks that stay in cache."""
    low, high = np.full(table.n_features, np.inf), np.full(table.n_features, -np.inf)
    step, found = max(1, LOOKED_BYTES // (8 * table.n_features)), []
    for start in range(0, table.n_samples, step):
        block = np.array(table.raw[start : start + step], dtype=np.float64, order="C")
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
        first = block[0].copy()
        block -= first
        mean = block.sum(axis=0) / len(block)
        block -= mean
        found.append(ColumnMoments(len(block), first + mean, np.einsum("ij,ij->j", block, block)))
    return low, high, pooled(found)


def _of_non_zeros(table: Matrix) -> tuple[FloatArray, FloatArray, ColumnMoments]:
    low, high = table.column_extremes()
    X = table.raw
    column = X.indices if X.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    values = X.data.astype(np.float64, copy=False)
    mean = np.bincount(column, weights=values, minlength=X.shape[1]) / X.shape[0]
    squares = np.bincount(column, weights=(values - mean[column]) ** 2, minlength=X.shape[1])
    zeros = X.shape[0] - np.bincount(column, minlength=X.shape[1])
    return low, high, ColumnMoments(X.shape[0], mean, squares + mean**2 * zeros)


def summary_of(parts: list[ColumnSummary]) -> ColumnSummary:
    """Put the summaries of several chunks of the same columns together."""
    return ColumnSummary(
        np.minimum.reduce([part.low for part in parts]),
        np.maximum.reduce([part.high for part in parts]),
        np.sum([part.counts for part in parts], axis=0),
        pooled([part.moments for part in parts]),
    )


def pooled(parts: list[ColumnMoments]) -> ColumnMoments:
    """Pool means and squares of several chunks by what each mean departs from the common one."""
    n_samples = sum(part.n_samples for part in parts)
    first = parts[0].mean
    with np.errstate(over="ignore", invalid="ignore"):  # of values that are refused afterwards
        mean = first + np.sum([part.n_samples * (part.mean - first) for part in parts], axis=0) / n_samples
        squares = [part.squares + part.n_samples * (part.mean - mean) ** 2 for part in parts]
        return ColumnMoments(n_samples, mean, np.sum(squares, axis=0))


def times(table: Matrix, rows: slice, columns: slice, right: FloatArray) -> FloatArray:
    """Multiply a chunk with its rows of ``right``."""
    return table.times(right[columns])


def transposed_times(table: Matrix, rows: slice, columns: slice, left: FloatArray) -> FloatArray:
    """Multiply a transposed chunk with its rows of ``left``."""
    return table.transposed_times(left[rows])


def added(parts: list[FloatArray]) -> FloatArray:
    """Add the results of several chunks."""
    return np.sum(parts, axis=0)


#: looks at a chunk for what every method asks: is all of it finite, how large is it, how far is it spread
SUMMARY = ChunkJob(summarised, summary_of)
