"""Loops over the rows of dense columns and the edges between them, compiled: some rows or edges at a time.

Each column is summed in the same order whatever is beside it: results do not depend on tiles or threads. Sums over
edges are taken in at most `PARTS` parts of at least `ROWS` rows, so that rounding grows with the roots of both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._floats import sum_of_rows
from eigenselect._typing import AnyArray, FloatArray, IntArray

_compiled = compiled("contract")
PARTS = ROWS = 64


class Triangle(NamedTuple):
    r"""T, lower triangular, with :math:`h^\top T h = h^\top L h`: the degree on the diagonal and -2 S_ij below it.

    The degrees' part of a row is added to that of its edges, with which it cancels: summed apart, they lost digits.

    Attributes
    ----------
    starts, indices : ndarray of int64
        Row i is at the places from ``starts[i]`` to ``starts[i + 1]``, a multiple of four.
    weights : ndarray
        Its entries; zeros at the sample's own place fill it up.
    sizes : ndarray
        Sums of absolute values of the rows of S without the diagonal, on which no difference depends; `filled`.
    """

    starts: IntArray
    indices: IntArray
    weights: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, affinity: sparse.csr_array) -> Triangle:
        """Make it of a symmetric S.

        >>> triangle = Triangle.of(sparse.csr_array([[5.0, 1, 2], [1, 0, 0], [2, 0, 0]]))
        >>> triangle.weights.reshape(3, 4)
        array([[ 3.,  0.,  0.,  0.],
               [ 1., -2.,  0.,  0.],
               [ 2., -4.,  0.,  0.]])
        >>> triangle.sizes
        array([3., 1., 2., 0.])
        """
        n_samples, columns = affinity.shape[0], affinity.indices
        rows = np.repeat(np.arange(n_samples), np.diff(affinity.indptr))
        others = np.where(columns == rows, 0.0, affinity.data)
        sizes: FloatArray = np.bincount(rows, np.abs(others), n_samples).astype(np.float64, copy=False)
        below = np.flatnonzero(columns < rows)
        degrees: FloatArray = np.bincount(rows, others, n_samples).astype(np.float64, copy=False)
        return cls._of_rows(degrees, rows[below], columns[below], -2.0 * affinity.data[below], sizes)

    @classmethod
    def of_entries(cls, n_samples: int, rows: IntArray, columns: IntArray, values: FloatArray) -> Triangle:
        r"""Make it of the entries of any symmetric matrix E, so that :math:`h^\top T h = h^\top E h`.

        Entries of one place are added; where everything is depends on the places only. ``sizes`` are sums of absolute
        values of whole rows.

        >>> triangle = Triangle.of_entries(2, np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([5.0, 3, 3]))
        >>> triangle.weights.reshape(2, 4)
        array([[5., 0., 0., 0.],
               [0., 6., 0., 0.]])
        """
        sizes: FloatArray = np.bincount(rows, np.abs(values), n_samples).astype(np.float64, copy=False)
        on_diagonal = np.where(columns == rows, values, 0.0)
        diagonal: FloatArray = np.bincount(rows, on_diagonal, n_samples).astype(np.float64, copy=False)
        below = np.flatnonzero(columns < rows)
        below = below[np.argsort(rows[below], kind="stable")]
        return cls._of_rows(diagonal, rows[below], columns[below], 2.0 * values[below], sizes)

    @classmethod
    def _of_rows(
        cls, diagonal: FloatArray, rows: IntArray, columns: IntArray, below: FloatArray, sizes: FloatArray
    ) -> Triangle:
        """Put the diagonal first in each row, then what is below it, of which ``rows`` are sorted."""
        counts = np.bincount(rows, minlength=diagonal.size)
        room = (counts // 4 + 1) * 4
        starts = np.concatenate([[0], np.cumsum(room)])
        indices, weights = np.repeat(np.arange(diagonal.size), room), np.zeros(starts[-1])
        weights[starts[:-1]] = diagonal
        places = np.arange(below.size) + np.repeat(starts[:-1] + 1 - (np.cumsum(counts) - counts), counts)
        indices[places], weights[places] = columns, below
        return cls(starts, indices, weights, filled(sizes))


def shifted(
    values: AnyArray, columns: slice, shift: FloatArray, mass: FloatArray, sizes: FloatArray, tile: FloatArray
) -> FloatArray:
    """Write h = f - shift of some columns of floats to ``tile``; return Σ m h, Σ m h² and Σ s h², in one pass.

    Both m and s are `filled`.
    """
    sums = np.zeros((3, shift.size))
    _shift(values, np.uint64(columns.start), shift, mass, sizes, tile, sums)
    return sums


def form_of_tile(triangle: Triangle, tile: FloatArray) -> FloatArray:
    """Compute hᵀTh = hᵀLh of every column of a tile."""
    n_samples, width = tile.shape
    bounds = np.append(np.arange(0, n_samples, max(ROWS, -(-n_samples // PARTS))), n_samples)
    parts = np.zeros((bounds.size - 1, width))
    _form(triangle.starts, triangle.indices, triangle.weights, bounds, tile, parts)
    return sum_of_rows(parts)


def filled(weights: FloatArray) -> FloatArray:
    """Fill up with zeros to a multiple of four, as `shifted` takes weights of samples."""
    return np.concatenate([weights, np.zeros(-weights.size % 4)])


@_compiled
def _shift(values, start, shift, mass, sizes, tile, sums):  # type: ignore[no-untyped-def]
    """Read four rows at a time; the last one is read again where some are missing, and counts once."""
    last, stop = values.shape[0] - 1, start + np.uint64(shift.size)
    for i0 in range(0, mass.size, 4):
        i1, i2, i3 = min(i0 + 1, last), min(i0 + 2, last), min(i0 + 3, last)
        m0, m1, m2, m3 = mass[i0], mass[i0 + 1], mass[i0 + 2], mass[i0 + 3]
        s0, s1, s2, s3 = sizes[i0], sizes[i0 + 1], sizes[i0 + 2], sizes[i0 + 3]
        for c in range(start, stop):
            k = c - start
            h0, h1 = values[i0, c] - shift[k], values[i1, c] - shift[k]
            h2, h3 = values[i2, c] - shift[k], values[i3, c] - shift[k]
            tile[i0, k], tile[i1, k], tile[i2, k], tile[i3, k] = h0, h1, h2, h3
            q0, q1, q2, q3 = h0 * h0, h1 * h1, h2 * h2, h3 * h3
            sums[0, k] += (m0 * h0 + m1 * h1) + (m2 * h2 + m3 * h3)
            sums[1, k] += (m0 * q0 + m1 * q1) + (m2 * q2 + m3 * q3)
            sums[2, k] += (s0 * q0 + s1 * q1) + (s2 * q2 + s3 * q3)


@_compiled
def _form(starts, indices, weights, bounds, tile, parts):  # type: ignore[no-untyped-def]
    """Sum h_i (T h)_i over the rows of each part; places are unsigned: no check of negative ones is compiled."""
    for part in range(parts.shape[0]):
        for i in range(bounds[part], bounds[part + 1]):
            for e in range(starts[i], starts[i + 1], 4):
                j0, j1 = np.uintp(indices[e]), np.uintp(indices[e + 1])
                j2, j3 = np.uintp(indices[e + 2]), np.uintp(indices[e + 3])
                w0, w1, w2, w3 = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
                for c in range(tile.shape[1]):
                    parts[part, c] += tile[np.uintp(i), c] * (
                        (w0 * tile[j0, c] + w1 * tile[j1, c]) + (w2 * tile[j2, c] + w3 * tile[j3, c])
                    )
