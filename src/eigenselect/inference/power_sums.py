r"""Mean and centred power sums of every feature, in one walk over the table.

.. math:: p_k = \sum_i (f_i - \bar f)^k, \qquad k = 2, \dots, 6

Features are divided by their largest size first, so that sixth powers stay in range. The mean is subtracted before
powers are taken; the zeros of a sparse column add :math:`(n - \mathrm{nnz}) (-\bar f)^k`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import BackedMatrix, DaskMatrix, Matrix, SparseMatrix
from eigenselect.matrix.value_range import SMALLEST_SPREAD

#: the highest power
HIGHEST = 6
#: non-zeros from which compiled loops are worth their import
COMPILED_NONZEROS = 3_000_000
#: columns of a sparse table that one thread takes at a time
SPARSE_COLUMNS = 64


@dataclass(frozen=True)
class PowerSums:
    r"""Per feature, divided by its scale.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
    powers : ndarray of shape (7, n_features)
        p_0 … p_6 of the feature minus its mean; p_0 = n, p_1 = 0.
    scale : ndarray of shape (n_features,)
        The largest \|f\|, or the smallest spread of a feature that varies, if that is larger.
    zeros : array of int of shape (n_features,)
        How many values are zero.
    """

    mean: FloatArray
    powers: FloatArray
    scale: FloatArray
    zeros: IntArray

    @classmethod
    def empty(cls, n_features: int, n_samples: int) -> PowerSums:
        """Make room for the sums of some features."""
        powers = np.zeros((HIGHEST + 1, n_features))
        powers[0] = n_samples
        scale = np.full(n_features, SMALLEST_SPREAD)
        return cls(np.zeros(n_features), powers, scale, np.zeros(n_features, dtype=np.intp))

    def some(self, columns: slice | IntArray) -> PowerSums:
        """Return the sums of some features; those of a slice may be written to in place."""
        return PowerSums(self.mean[columns], self.powers[:, columns], self.scale[columns], self.zeros[columns])


def power_sums(X: Matrix, rows: IntArray | None = None, *, n_jobs: int | None = None) -> PowerSums:
    """Compute the sums of all features over some samples, or all.

    >>> from eigenselect.matrix import as_matrix
    >>> power_sums(as_matrix(np.array([[0.0], [0.0], [3.0]]))).powers[2:4]
    array([[0.66666667],
           [0.22222222]])
    """
    if isinstance(X, DaskMatrix):
        from eigenselect.inference.pooled_sums import chunk_power_sums

        return chunk_power_sums(X, rows)
    if X.is_sparse and X.n_stored >= COMPILED_NONZEROS and (_lies_by_row(X) or (rows is not None and X.in_memory)):
        return _row_sums(X, rows, n_jobs)
    if X.is_sparse:
        return _sparse_sums(X if rows is None else X.take_rows(rows), n_jobs)
    sums = PowerSums.empty(X.n_features, X.n_samples if rows is None else rows.size)

    def compute(columns: slice) -> None:
        tile = X.tile(columns)
        _put(sums, columns, tile if rows is None else tile[rows])

    map_blocks(compute, X.tiles(), n_jobs)
    return sums


def _lies_by_row(X: Matrix) -> bool:
    """Whether a sparse table has its non-zeros row by row, in memory or in a file."""
    return X.lies_by_row if isinstance(X, BackedMatrix) else isinstance(X, SparseMatrix) and X.raw.format == "csr"


def _put(sums: PowerSums, columns: slice, tile: FloatArray) -> None:
    """Compute the sums of the columns of a dense tile, which is changed."""
    sums.scale[columns] = np.maximum(np.abs(tile).max(axis=0), SMALLEST_SPREAD)
    sums.zeros[columns] = np.count_nonzero(tile == 0, axis=0)
    shift = tile[0].copy()
    tile -= shift
    tile /= sums.scale[columns]
    mean = tile.sum(axis=0) / len(tile)
    tile -= mean
    sums.mean[columns] = shift / sums.scale[columns] + mean
    power = tile.copy()
    for k in range(2, HIGHEST + 1):
        power *= tile
        sums.powers[k, columns] = power.sum(axis=0)


def _row_sums(X: Matrix, rows: IntArray | None, n_jobs: int | None) -> PowerSums:
    """Compute the sums of sparse rows as they are."""
    from eigenselect.inference.row_power_sums import row_power_sums

    counts = np.full(X.n_samples, rows is None)
    if rows is not None:
        counts[rows] = True
    sums = PowerSums.empty(X.n_features, int(np.count_nonzero(counts)))
    for columns, band in X.bands():
        row_power_sums(cast(SparseMatrix, band), counts, sums.some(columns), n_jobs)
    return sums


def _sparse_sums(X: Matrix, n_jobs: int | None) -> PowerSums:
    """Compute the sums of sparse columns from their non-zeros."""
    if X.n_stored >= COMPILED_NONZEROS:
        from eigenselect.inference.loops_numba import column_sums
    else:
        from eigenselect.inference.loops_numpy import column_sums

    sums = PowerSums.empty(X.n_features, X.n_samples)
    for columns, band in X.bands():
        values, of_band = cast(SparseMatrix, band).by_column, sums.some(columns)

        def compute(part: slice, values: Any = values, of_band: PowerSums = of_band) -> None:
            column_sums(values, X.n_samples, part, of_band)

        map_blocks(compute, slices(band.n_features, SPARSE_COLUMNS), n_jobs)
    return sums
