"""Sums over edges and triangles of sparse graphs in numpy and scipy, for small graphs: the same as ``loops_numba``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.inference.polynomials import cube_differences
from eigenselect.matrix.value_range import SMALLEST_SPREAD

if TYPE_CHECKING:
    from eigenselect.inference.entries import Background, SparseEntries
    from eigenselect.inference.power_sums import PowerSums

#: entries that are looked at together
BLOCK = 2**18


def triangles(indptr: IntArray, indices: IntArray, data: FloatArray, n_jobs: int | None = None) -> FloatArray:
    """Compute tr W³ of α W_0 + β W_1 as a polynomial.

    >>> triangles(np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1]), np.ones((1, 6)))
    array([6.])
    """
    n = indptr.size - 1
    matrices = [sparse.csr_array((values, indices, indptr), shape=(n, n)) for values in data]
    total = np.zeros(3 * len(data) - 2)
    for i, a in enumerate(matrices):
        for j, b in enumerate(matrices):
            wedges = a @ b
            for k, c in enumerate(matrices):
                total[i + j + k] += wedges.multiply(c).sum()
    return total


def cubes(entries: SparseEntries, background: Background, n_jobs: int | None = None) -> FloatArray:
    """Compute Σ (W + R)³ - R³ over the entries of W."""
    total = np.zeros(3 * len(entries.mix) - 2)
    for start in range(0, entries.indices.size, BLOCK):
        part = slice(start, start + BLOCK)
        R = background.at(entries.rows[part], entries.indices[part])
        total += cube_differences(entries.mixed(part), R)
    return total


def column_sums(X: sparse.csc_array, n_samples: int, columns: slice, sums: PowerSums) -> None:
    """Write the power sums of some sparse columns to ``sums``.

    The first value of a column without zeros is subtracted before its mean is taken: one value alone leaves nothing.
    """
    indptr = X.indptr[columns.start : columns.stop + 1]
    counts = np.diff(indptr)
    column = np.repeat(np.arange(counts.size), counts)
    data = X.data[indptr[0] : indptr[-1]].astype(np.float64)
    scale = np.full(counts.size, SMALLEST_SPREAD)
    np.maximum.at(scale, column, np.abs(data))
    full = counts == n_samples
    shift = np.zeros(counts.size)
    shift[full] = data[(indptr - indptr[0])[:-1][full]]
    data = (data - shift[column]) / scale[column]

    def per_column(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(column, weights=values, minlength=counts.size), dtype=np.float64)

    mean = per_column(data) / n_samples
    data -= mean[column]
    power, absent = data.copy(), n_samples - counts
    for k in range(2, len(sums.powers)):
        power *= data
        sums.powers[k, columns] = per_column(power) + absent * (-mean) ** k
    sums.mean[columns], sums.scale[columns] = shift / scale + mean, scale
    sums.zeros[columns] = absent + per_column((X.data[indptr[0] : indptr[-1]] == 0).astype(np.float64)).astype(np.intp)
