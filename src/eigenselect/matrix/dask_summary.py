"""What one look at every chunk of a Dask array tells of its columns: range, counts and moments, pooled in a tree."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.value_range import in_range

#: bytes of rows that are looked at together: what stays in cache
LOOKED_BYTES = 2**20
#: a bound is so much larger than what rounding may have made of it
SURELY = 1.0 + 1e-6


class Moments(NamedTuple):
    """Numbers of samples, means and sums of squared deviations of columns, over all samples or in groups of them.

    A mean is first + mean: of what a value of the column is subtracted from, so that a large mean costs no digits.
    """

    size: FloatArray
    first: FloatArray
    mean: FloatArray
    squares: FloatArray


class ColumnSummary(NamedTuple):
    """Of some columns: the first place that is out of range, smallest, largest and number of stored values, moments."""

    bad: tuple[int, int] | None
    low: FloatArray
    high: FloatArray
    counts: IntArray
    moments: Moments

    @classmethod
    def of_chunk(cls, table: Matrix, rows: slice, columns: slice) -> ColumnSummary:
        """Look at a chunk once."""
        low, high, moments = extremes_and_moments(table)
        bad = None if (in_range(low) & in_range(high)).all() else table.first_out_of_range()
        place = None if bad is None else (rows.start + bad[0], columns.start + bad[1])
        return cls(place, low, high, table.column_counts(), moments)

    @classmethod
    def pooled(cls, parts: list[ColumnSummary]) -> ColumnSummary:
        """Put the summaries of several chunks of the same columns together."""
        return cls(
            min((part.bad for part in parts if part.bad is not None), default=None),
            np.minimum.reduce([part.low for part in parts]),
            np.maximum.reduce([part.high for part in parts]),
            np.sum([part.counts for part in parts], axis=0),
            pooled_moments([part.moments for part in parts]),
        )

    @classmethod
    def side_by_side(cls, parts: list[ColumnSummary]) -> ColumnSummary:
        """Put summaries of several chunks of columns together."""
        low, high, counts = (np.concatenate([part[place] for part in parts]) for place in (1, 2, 3))
        first, mean, squares = (np.concatenate([part.moments[place] for part in parts]) for place in (1, 2, 3))
        bad = min((part.bad for part in parts if part.bad is not None), default=None)
        return cls(bad, low, high, counts, Moments(parts[0].moments.size, first, mean, squares))

    def largest_shares(self) -> FloatArray:
        """Bound the part of each column's squared deviations that one row holds."""
        first, mean, squares = self.moments[1:]
        farthest = np.maximum((self.high - first) - mean, mean - (self.low - first))
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(squares > 0, SURELY * farthest**2 / squares, 1.0)
        return np.where(self.high > self.low, shares, 0.0)


def extremes_and_moments(table: Matrix) -> tuple[FloatArray, FloatArray, Moments]:
    """Return the smallest and largest value of every column in memory, and its moments."""
    return _of_non_zeros(table) if table.is_sparse else _of_rows(table)


def _dense_moments(values: FloatArray) -> Moments:
    """Return the moments of the columns of an array, which is changed."""
    first = values[0].copy()
    values -= first
    mean = values.sum(axis=0) / len(values)
    values -= mean
    return Moments(np.array([float(len(values))]), first, mean, np.einsum("ij,ij->j", values, values))


def pooled_moments(parts: list[Moments]) -> Moments:
    """Pool moments of parts of the samples by how far apart their means are: only squares are added.

    >>> parts = [extremes_and_moments(Matrix(np.array(rows)))[2] for rows in ([[1e9 + 1]], [[1e9], [1e9 + 5]])]
    >>> pooled_moments(parts).squares
    array([14.])
    """
    return reduce(_plus, parts)


def _plus(a: Moments, b: Moments) -> Moments:
    size = a.size + b.size
    share = np.divide(b.size, size, out=np.zeros_like(size), where=size > 0)
    first = np.where(a.size > 0, a.first, b.first)
    apart = np.where(b.size > 0, (b.first - first) + (b.mean - a.mean), 0.0)
    return Moments(size, first, a.mean + apart * share, a.squares + b.squares + apart**2 * (a.size * share))


def _of_rows(table: Matrix) -> tuple[FloatArray, FloatArray, Moments]:
    """Return extremes and moments of a dense chunk, over blocks of rows that stay in cache."""
    low, high = np.full(table.n_features, np.inf), np.full(table.n_features, -np.inf)
    step, parts = max(1, LOOKED_BYTES // (8 * table.n_features)), []
    for start in range(0, table.n_samples, step):
        block = np.array(table.raw[start : start + step], dtype=np.float64, order="C")
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
        parts.append(_dense_moments(block))
    return low, high, pooled_moments(parts)


def _of_non_zeros(table: Matrix) -> tuple[FloatArray, FloatArray, Moments]:
    low, high = table.column_extremes()
    X, n_samples = table.raw, float(table.n_samples)
    column = X.indices if X.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    counts = np.bincount(column, minlength=X.shape[1])
    first = np.where(counts == n_samples, low, 0.0)
    values = X.data.astype(np.float64) - first[column]
    mean = np.bincount(column, weights=values, minlength=X.shape[1]) / n_samples
    squares = mean**2 * (n_samples - counts)
    squares += np.bincount(column, weights=(values - mean[column]) ** 2, minlength=X.shape[1])
    return low, high, Moments(np.array([n_samples]), first, mean, squares)
