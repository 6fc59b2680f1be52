r"""Power sums of a table in parts: those of chunks of rows, pooled in one pass.

With :math:`d = \bar f_a - \bar f`, the step from the mean of part a to the common one,

.. math:: \sum_{i \in a} (f_i - \bar f)^k = \sum_{j=0}^{k} \binom kj d^{k-j} p_j^{(a)} .
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce
from math import comb
from typing import Any

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.inference.power_sums import HIGHEST, PowerSums, power_sums
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.dask_jobs import ChunkJob

#: mean² n / p_2 from which the means of parts, as numbers with 16 digits, are too coarse to be compared
LARGE_MEAN = 1e8


def chunk_power_sums(table: DaskMatrix, rows: IntArray | None = None) -> PowerSums:
    """Compute the sums of all features of a Dask array over some samples, or all, chunk by chunk.

    Features with a mean thousands of times their deviation are measured again in whole columns.
    """
    counted = _counted(table, rows)
    sums = _side_by_side(table.passed(*_job(counted)))
    scale = sums.powers[0] * sums.mean**2
    coarse = np.flatnonzero((sums.powers[2] > 0) & (scale > LARGE_MEAN * sums.powers[2]))
    if coarse.size and len(table.row_slices) > 1:
        _put(sums, coarse, _whole_columns(table.take_columns(coarse), counted))
    return sums


def expect_power_sums(table: DaskMatrix, rows: IntArray | None = None) -> None:
    """Let the next pass over the chunks make the sums, too."""
    job, key = _job(_counted(table, rows))
    table.notes.ask(key, job)


def _counted(table: DaskMatrix, rows: IntArray | None) -> BoolArray:
    counted = np.full(table.n_samples, rows is None)
    if rows is not None:
        counted[rows] = True
    return counted


def _job(counted: BoolArray) -> tuple[ChunkJob, Hashable]:
    """Return what a pass does, and what its result is called: that of these samples."""
    return ChunkJob(_of_chunk, pooled, (counted,)), ("power sums", counted.tobytes())


def _of_chunk(table: Matrix, rows: slice, columns: slice, counted: BoolArray) -> PowerSums:
    mine = counted[rows]
    if not mine.any():
        return PowerSums.empty(table.n_features, 0)
    return power_sums(table, None if mine.all() else np.flatnonzero(mine), n_jobs=1)


def _whole_columns(table: Any, counted: BoolArray) -> PowerSums:
    """Compute the sums in blocks of columns with all rows."""
    rows = None if counted.all() else np.flatnonzero(counted)
    if table.in_memory:
        return power_sums(table, rows)
    return _side_by_side([part for _, part in table.by_columns(power_sums, rows)])


def pooled(parts: Sequence[PowerSums]) -> PowerSums:
    """Pool the sums of parts of the samples, one after the other.

    >>> from eigenselect.matrix import as_matrix
    >>> both = pooled([power_sums(as_matrix(np.array([[1.0], [2.0]]))), power_sums(as_matrix(np.array([[6.0]])))])
    >>> both.scale, 6 * both.mean, 36 * both.powers[2]
    (array([6.]), array([3.]), array([14.]))
    """
    return reduce(_plus, parts)


def _plus(first: PowerSums, second: PowerSums) -> PowerSums:
    """Pool two parts."""
    scale = np.maximum(first.scale, second.scale)
    a, b = (_scaled(part, scale) for part in (first, second))
    counts = a.powers[0] + b.powers[0]
    share = np.divide(b.powers[0], counts, out=np.zeros_like(counts), where=counts > 0)
    apart = b.mean - a.mean
    powers = _moved(a.powers, -apart * share) + _moved(b.powers, apart * (1.0 - share))
    return PowerSums(a.mean + apart * share, powers, scale, a.zeros + b.zeros)


def _moved(powers: FloatArray, step: FloatArray) -> FloatArray:
    """Return Σ (g + step)^k of values g whose power sums are given."""
    moved = np.zeros_like(powers)
    for k in range(HIGHEST + 1):
        for j in range(k + 1):
            moved[k] += comb(k, j) * step ** (k - j) * powers[j]
    moved[1] = 0.0
    return moved


def _scaled(sums: PowerSums, scale: FloatArray) -> PowerSums:
    """Return the sums of features divided by another scale."""
    by = sums.scale / scale
    return PowerSums(sums.mean * by, sums.powers * by ** np.arange(HIGHEST + 1)[:, None], scale, sums.zeros)


def _side_by_side(parts: Sequence[PowerSums]) -> PowerSums:
    """Put the sums of all blocks of columns together."""
    names = ("mean", "powers", "scale", "zeros")
    return PowerSums(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names))


def _put(sums: PowerSums, columns: IntArray, again: PowerSums) -> None:
    """Replace the sums of some features."""
    sums.mean[columns], sums.powers[:, columns] = again.mean, again.powers
    sums.scale[columns], sums.zeros[columns] = again.scale, again.zeros
