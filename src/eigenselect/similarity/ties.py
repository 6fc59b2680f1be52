"""Equal distances: those that agree to 11 digits tie, and ties go to the lower sample number.

Each distance is compared with the last one taken. If all were rounded to so many digits instead, equal ones next to a
border of that rounding would fall on both sides of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect._typing import BoolArray, FloatArray, IntArray

#: d² below this part of |x|² + |y|² is computed from differences: products, which give 15 digits of |x|² + |y|², leave
#: it fewer than the 11 that are compared here, and ties would go by what rounding left
CANCELLATION = 1e-4
#: the same of directions, where d² may keep 9 digits: nearly all pairs of spectra are nearer than the limit above
ANGLE_CANCELLATION = 2e-6
#: the part by which distances that tie may differ; products and differences leave them less
TIED = 2e-11
#: from so many distances on, a compiled loop finds the smallest
COMPILED_FROM = 2**20
#: neighbours that loops put into sorted lists at most, where each moves those behind it
MOST_INSERTED = 256


def smallest_per_row(distances: FloatArray, count: int) -> IntArray:
    """Find the columns of the ``count`` smallest entries of each row, ascending, ties to the lower column.

    >>> smallest_per_row(np.array([[3.0, 1.0, 2.0, 1.0]]), 2)
    array([[1, 3]])
    """
    if distances.size >= COMPILED_FROM and count <= MOST_INSERTED:
        from eigenselect.similarity.neighbor_loops import smallest_of_rows

        columns = np.empty((len(distances), count), dtype=np.intp)
        smallest_of_rows(np.ascontiguousarray(distances), TIED, np.empty(count), columns)
        return columns
    nearer, tied = _nearer_and_tied(distances, count)
    chosen = nearer | tied
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > count):
        surplus = np.flatnonzero(tied[row])[count - np.count_nonzero(nearer[row]) :]
        chosen[row, surplus] = False
    return np.nonzero(chosen)[1].reshape(len(distances), count)


def _nearer_and_tied(distances: FloatArray, count: int) -> tuple[BoolArray, BoolArray]:
    """Tell which entries of each row are nearer than the last of ``count`` that are taken, and which tie with it."""
    last = np.partition(distances, count - 1, axis=1)[:, count - 1 : count]
    nearer = distances < last * (1.0 - TIED)
    return nearer, (distances <= last * (1.0 + TIED)) & ~nearer


def nearest_of(squared: FloatArray, columns: IntArray, count: int) -> IntArray:
    """Find the places of the ``count`` nearest candidates of each row, ties to the lower sample; the last ties last."""
    nearer, tied = _nearer_and_tied(squared, count)
    return np.asarray(np.lexsort((columns, ~tied, ~nearer), axis=-1)[:, :count])


def ordered_by_sample(squared: FloatArray, columns: IntArray, places: IntArray) -> tuple[NDArray[np.intp], FloatArray]:
    """Return samples and squared distances at some places of each row, sorted by sample."""
    chosen = np.take_along_axis(columns, places, axis=1)
    places = np.take_along_axis(places, np.argsort(chosen, axis=1), axis=1)
    return np.take_along_axis(columns, places, axis=1).astype(np.intp), np.take_along_axis(squared, places, axis=1)
