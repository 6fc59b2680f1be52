"""Equal distances: those that agree to 11 digits tie, and ties go to the lower sample number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect._typing import FloatArray, IntArray

#: d² below this part of |x|² + |y|² is computed from differences: products, which give 15 digits of |x|² + |y|², leave
#: it fewer than the 11 that are compared here, and ties would go by what rounding left
CANCELLATION = 1e-4
#: the same of directions, where d² may keep 9 digits: nearly all pairs of spectra are nearer than the limit above
ANGLE_CANCELLATION = 2e-6
#: from so many distances on, a compiled loop finds the smallest
COMPILED_FROM = 2**20
#: neighbours that loops put into sorted lists at most, where each moves those behind it
MOST_INSERTED = 256


def smallest_per_row(distances: FloatArray, count: int) -> IntArray:
    """Find the columns of the ``count`` smallest entries of each row, ascending, ties to the lower column.

    >>> smallest_per_row(np.array([[3.0, 1.0, 2.0, 1.0]]), 2)
    array([[1, 3]])
    """
    keys = rounded_keys(distances)
    if keys.size >= COMPILED_FROM and count <= MOST_INSERTED:
        from eigenselect.similarity.neighbor_loops import smallest_keys

        columns = np.empty((len(keys), count), dtype=np.intp)
        smallest_keys(keys, np.empty(count, dtype=np.int64), columns)
        return np.sort(columns, axis=1)
    limit = np.partition(keys, count - 1, axis=1)[:, count - 1 : count]
    chosen = keys <= limit
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > count):
        tied = np.flatnonzero(keys[row] == limit[row])
        surplus = np.count_nonzero(chosen[row]) - count
        chosen[row, tied[tied.size - surplus :]] = False
    return np.nonzero(chosen)[1].reshape(len(distances), count)


def rounded_keys(distances: FloatArray) -> NDArray[np.int64]:
    """Return the bits of non-negative floats, rounded to 36 of the mantissa: same order, equal up to rounding noise."""
    bits = np.ascontiguousarray(distances).view(np.int64)
    return (bits + 0x8000) & ~np.int64(0xFFFF)


def nearest_of(squared: FloatArray, columns: IntArray, count: int) -> IntArray:
    """Find the places of the ``count`` nearest candidates of each row, nearest first, ties to the lower sample."""
    return np.asarray(np.lexsort((columns, rounded_keys(squared)), axis=-1)[:, :count])


def ordered_by_sample(squared: FloatArray, columns: IntArray, places: IntArray) -> tuple[NDArray[np.intp], FloatArray]:
    """Return samples and squared distances at some places of each row, sorted by sample."""
    chosen = np.take_along_axis(columns, places, axis=1)
    places = np.take_along_axis(places, np.argsort(chosen, axis=1), axis=1)
    return np.take_along_axis(columns, places, axis=1).astype(np.intp), np.take_along_axis(squared, places, axis=1)
