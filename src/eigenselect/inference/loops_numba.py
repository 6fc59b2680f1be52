"""Sums over edges, triangles and columns, compiled: the same formulas as ``loops_numpy``.

Rows and columns are cut into fixed blocks, whose sums are added in their order: results are the same on any number of
threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix.value_range import SMALLEST_SPREAD

if TYPE_CHECKING:
    from eigenselect.inference.entries import Background, SparseEntries
    from eigenselect.inference.power_sums import PowerSums

_compiled = compiled("contract")
#: sums of one column in the order that the machine's vectors like best; the values are finite
_reordered = compiled("contract", "reassoc", "nnan", "nsz")
#: blocks that rows are cut into
BLOCKS = 16


def triangles(indptr: IntArray, indices: IntArray, data: FloatArray, n_jobs: int | None = None) -> FloatArray:
    """See `loops_numpy.triangles`."""
    upper = _upper(indptr, indices)

    def compute(rows: slice) -> FloatArray:
        if len(data) == 1:
            return np.array([_triangles_of_one(indptr, upper, indices, data[0], rows.start, rows.stop)])
        return np.asarray(_triangles(indptr, upper, indices, data[0], data[1], rows.start, rows.stop))

    return np.asarray(6.0 * np.sum(map_blocks(compute, _row_blocks(indptr), n_jobs), axis=0))


def cubes(entries: SparseEntries, background: Background, n_jobs: int | None = None) -> FloatArray:
    """See `loops_numpy.cubes`."""
    indptr, indices, data, mix = entries.indptr, entries.indices, entries.data, entries.mix
    V, weights, upper = background.V, background.weights, _upper(indptr, indices)
    forms = np.zeros((2, 2))  # of the last data once more where there is one only, with weight 0
    forms[: len(mix), : len(data)] = mix
    has_classes = bool(weights.any())

    def compute(rows: slice) -> FloatArray:
        U = V[rows] @ background.C
        rest = (U[0], U[-1], V, has_classes, background.codes, weights[0], weights[-1])
        return np.asarray(_cubes(indptr, upper, indices, data[0], data[-1], forms, *rest, rows.start, rows.stop))

    total = np.sum(map_blocks(compute, _row_blocks(indptr), n_jobs), axis=0)
    return np.asarray(2.0 * total if len(mix) == 2 else 2.0 * total[:1])


def column_sums(X: sparse.csc_array, n_samples: int, columns: slice, sums: PowerSums) -> None:
    """See `loops_numpy.column_sums`."""
    indptr = X.indptr[columns.start : columns.stop + 1]
    data = X.data[indptr[0] : indptr[-1]].astype(np.float64, copy=False)
    mean, powers, scale, zeros = sums.mean, sums.powers, sums.scale, sums.zeros
    _column_sums(indptr, data, n_samples, mean[columns], powers[:, columns], scale[columns], zeros[columns])


def _row_blocks(indptr: IntArray) -> list[slice]:
    n = indptr.size - 1
    return slices(n, max(1, -(-n // BLOCKS)))


@_compiled
def _upper(indptr, indices):  # type: ignore[no-untyped-def]
    """Find where the entries right of the diagonal begin in every row."""
    upper = np.empty(indptr.size - 1, dtype=np.int64)
    for i in range(indptr.size - 1):
        entry = indptr[i]
        while entry < indptr[i + 1] and indices[entry] <= i:
            entry += 1
        upper[i] = entry
    return upper


@_compiled
def _triangles_of_one(indptr, upper, indices, data, start, stop):  # type: ignore[no-untyped-def]
    """Sum w_ij w_ik w_jk over i < j < k and some i: the row of i lies open, its neighbours' rows are read along it."""
    row = np.zeros(upper.size)
    total = 0.0
    for i in range(start, stop):
        first, end = np.uintp(upper[i]), np.uintp(indptr[i + 1])
        for entry in range(first, end):
            j = np.uintp(indices[entry])
            row[j] = data[entry]
        for edge in range(first, end):
            j = np.uintp(indices[edge])
            closing = 0.0
            for other in range(np.uintp(upper[j]), np.uintp(indptr[j + np.uintp(1)])):
                closing += data[other] * row[np.uintp(indices[other])]
            total += data[edge] * closing
        for entry in range(first, end):
            row[np.uintp(indices[entry])] = 0.0
    return total


@_compiled
def _triangles(indptr, upper, indices, first, second, start, stop):  # type: ignore[no-untyped-def]
    """Sum the products of the three edges of i < j < k over some i, as a polynomial of α first + β second."""
    place = np.zeros(upper.size, dtype=np.int64)  # of the edge from i, plus 1
    s0 = s1 = s2 = s3 = 0.0
    for i in range(start, stop):
        for entry in range(upper[i], indptr[i + 1]):
            place[indices[entry]] = entry + 1
        for edge in range(upper[i], indptr[i + 1]):
            j = indices[edge]
            a0, b0 = first[edge], second[edge]
            for other in range(upper[j], indptr[j + 1]):
                found = place[indices[other]]
                if found:
                    a1, b1 = first[other], second[other]
                    a2, b2 = first[found - 1], second[found - 1]
                    aa, ab, bb = a0 * a1, a0 * b1 + b0 * a1, b0 * b1
                    s0 += aa * a2
                    s1 += aa * b2 + ab * a2
                    s2 += ab * b2 + bb * a2
                    s3 += bb * b2
        for entry in range(upper[i], indptr[i + 1]):
            place[indices[entry]] = 0
    return s0, s1, s2, s3


@_compiled
def _cubes(indptr, upper, indices, first, second, mix, U0, U1, V, has_classes, codes, g0, g1, start, stop):  # type: ignore[no-untyped-def]
    """Sum W (W² + 3WR + 3R²) over the edges i < j of some i, of which U0 and U1 have the rows, as a polynomial."""
    s0 = s1 = s2 = s3 = 0.0
    rank = V.shape[1]
    for i in range(start, stop):
        for edge in range(upper[i], indptr[i + 1]):
            j = indices[edge]
            r0 = r1 = 0.0
            for k in range(rank):
                r0 += U0[i - start, k] * V[j, k]
                r1 += U1[i - start, k] * V[j, k]
            if has_classes and codes[i] == codes[j]:
                r0 += g0[codes[i]]
                r1 += g1[codes[i]]
            w0 = mix[0, 0] * first[edge] + mix[0, 1] * second[edge]
            w1 = mix[1, 0] * first[edge] + mix[1, 1] * second[edge]
            c0 = w0 * w0 + 3.0 * (w0 * r0 + r0 * r0)
            c1 = 2.0 * w0 * w1 + 3.0 * (w0 * r1 + w1 * r0 + 2.0 * r0 * r1)
            c2 = w1 * w1 + 3.0 * (w1 * r1 + r1 * r1)
            s0 += w0 * c0
            s1 += w0 * c1 + w1 * c0
            s2 += w0 * c2 + w1 * c1
            s3 += w1 * c2
    return s0, s1, s2, s3


@_compiled
def _column_sums(indptr, data, n_samples, means, powers, scale, zeros):  # type: ignore[no-untyped-def]
    """Compute mean and Σ (f - mean)^k of some columns, of columns divided by their scale."""
    buffer = np.empty(n_samples)
    for c in range(means.size):
        column = data[indptr[c] - indptr[0] : indptr[c + 1] - indptr[0]]
        absent = n_samples - column.size
        largest, stored_zeros = _largest(column)
        scale[c] = max(largest, SMALLEST_SPREAD)
        shift = np.float64(column[0]) if absent == 0 else 0.0
        for e in range(column.size):
            buffer[e] = (column[e] - shift) / scale[c]
        values = buffer[: column.size]
        mean = _sum(values) / n_samples
        means[c], zeros[c] = shift / scale[c] + mean, absent + stored_zeros
        sums = _powers(values, mean)
        power = -mean
        for k in range(2, 7):
            power *= -mean
            powers[k, c] = sums[k - 2] + absent * power


@_reordered
def _largest(column):  # type: ignore[no-untyped-def]
    """Find the largest |f| of the stored values, and count the zeros among them."""
    largest, zeros = 0.0, 0
    for e in range(column.size):
        size = abs(column[e])
        largest = size if size > largest else largest
        zeros += size == 0.0
    return largest, zeros


@_reordered
def _sum(values):  # type: ignore[no-untyped-def]
    total = 0.0
    for e in range(values.size):
        total += values[e]
    return total


@_reordered
def _powers(values, mean):  # type: ignore[no-untyped-def]
    """Sum the second to sixth powers of the values minus their mean."""
    s2 = s3 = s4 = s5 = s6 = 0.0
    for e in range(values.size):
        z = values[e] - mean
        zz = z * z
        s2 += zz
        s3 += zz * z
        s4 += zz * zz
        s5 += zz * zz * z
        s6 += zz * zz * zz
    return s2, s3, s4, s5, s6
