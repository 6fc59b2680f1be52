"""Variances of the columns of large tables where they lie, compiled: read once, in their own precision."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._floats import lost_digits
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import AnyArray, FloatArray

#: columns of a run of a row: memory likes long ones
RUN_COLUMNS = 2048
#: rows whose mean is near enough to that of all
SOME = 16

_compiled = compiled("contract")


def column_variances(values: AnyArray, n_jobs: int | None) -> FloatArray:
    """Compute the variances of all columns of an array in C order: with h = f - c, c near the mean, Σ h²/n - (Σ h/n)².

    Where c is far from the mean, digits are lost: such columns are measured again from their mean.

    >>> column_variances(np.array([[1.0, 5.0], [3.0, 5.0]], dtype=np.float32), 1)
    array([1., 0.])
    """
    n_samples, n_features = values.shape
    found = np.empty(n_features)
    counts = (np.arange(-(-n_samples // 4) * 4) < n_samples).astype(np.float64)

    def compute(columns: slice) -> None:
        few = values[:: -(-n_samples // SOME), columns].astype(np.float64)
        sums = np.zeros((2, columns.stop - columns.start))
        _add_moments(values, counts, np.uint64(columns.start), few[0] + (few - few[0]).mean(axis=0), sums)
        mean, squares = sums / n_samples
        found[columns] = squares - mean**2
        lost = columns.start + lost_digits(found[columns], squares)
        if lost.size:
            found[lost] = values[:, lost].astype(np.float64).var(axis=0)

    map_blocks(compute, slices(n_features, RUN_COLUMNS), n_jobs)
    return found


@_compiled
def _add_moments(values, counts, start, shift, sums):  # type: ignore[no-untyped-def]
    """Add h and h² of four rows at a time, of which the last rows of all may be one and count once."""
    last, stop = values.shape[0] - 1, start + np.uint64(shift.size)
    for row in range(0, counts.size, 4):
        i1, i2, i3 = min(row + 1, last), min(row + 2, last), min(row + 3, last)
        n1, n2, n3 = counts[row + 1], counts[row + 2], counts[row + 3]
        for c in range(start, stop):
            k = c - start
            h0, h1 = values[row, c] - shift[k], n1 * (values[i1, c] - shift[k])
            h2, h3 = n2 * (values[i2, c] - shift[k]), n3 * (values[i3, c] - shift[k])
            sums[0, k] += (h0 + h1) + (h2 + h3)
            sums[1, k] += (h0 * h0 + h1 * h1) + (h2 * h2 + h3 * h3)
