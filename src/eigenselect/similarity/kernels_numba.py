"""Compiled Manhattan distances, which no matrix product gives, and the choice of the nearest."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled

_compiled = compiled("contract", "reassoc", "nsz")
_in_order = compiled()


@_compiled
def _one_distance(a, b):  # type: ignore[no-untyped-def]
    d = a.dtype.type(0)
    for k in range(a.size):
        d += abs(a[k] - b[k])
    return d


@_compiled
def manhattan(A, B, out):  # type: ignore[no-untyped-def]
    """Write Σ_k |A_ik - B_jk| to ``out[i, j]``, in the precision of A; two samples of each share every value read."""
    n_features = A.shape[1]
    even_rows, even_columns = A.shape[0] // 2 * 2, B.shape[0] // 2 * 2
    for i in range(0, even_rows, 2):
        for j in range(0, even_columns, 2):
            d00 = d01 = d10 = d11 = A.dtype.type(0)
            for k in range(n_features):
                a0, a1, b0, b1 = A[i, k], A[i + 1, k], B[j, k], B[j + 1, k]
                d00 += abs(a0 - b0)
                d01 += abs(a0 - b1)
                d10 += abs(a1 - b0)
                d11 += abs(a1 - b1)
            out[i, j], out[i, j + 1], out[i + 1, j], out[i + 1, j + 1] = d00, d01, d10, d11
        for j in range(even_columns, B.shape[0]):
            out[i, j], out[i + 1, j] = _one_distance(A[i], B[j]), _one_distance(A[i + 1], B[j])
    for i in range(even_rows, A.shape[0]):
        for j in range(B.shape[0]):
            out[i, j] = _one_distance(A[i], B[j])


@_compiled
def manhattan_within(X, scale, samples, columns, estimates, limits, out):  # type: ignore[no-untyped-def]
    """Σ_k scale_k |X_ik - X_jk| of ``samples`` i and other rows j where an estimate is within its limit, else ∞."""
    for i in range(samples.size):
        for j in range(columns.size):
            near = estimates[i, j] <= limits[i] and samples[i] != columns[j]
            out[i, j] = np.inf
            if near:
                d = 0.0
                for k in range(scale.size):
                    d += scale[k] * abs(X[samples[i], k] - X[columns[j], k])
                out[i, j] = d


@_compiled
def sparse_manhattan(indptr, indices, data, col_indptr, col_indices, col_data, norms, start, stop, out):  # type: ignore[no-untyped-def]
    """Rows ``start`` to ``stop`` of the same for a sparse X, given by rows (CSR) and by columns (CSC).

    |a - b| summed over all features is the sum of both norms, corrected where both are non-zero.
    """
    for i in range(start, stop):
        for j in range(norms.size):
            out[i - start, j] = norms[i] + norms[j]
        for entry in range(indptr[i], indptr[i + 1]):
            a = data[entry]
            column = indices[entry]
            for other in range(col_indptr[column], col_indptr[column + 1]):
                b = col_data[other]
                out[i - start, col_indices[other]] += abs(a - b) - abs(a) - abs(b)
    for i in range(start, stop):
        for j in range(norms.size):
            if out[i - start, j] < 0.0:
                out[i - start, j] = 0.0


@_in_order
def k_smallest(distances, rows, columns, itself, count, indices, last, following):  # type: ignore[no-untyped-def]
    """Which of some ``columns`` hold the ``count`` smallest entries of some ``rows``, as positions in ``columns``.

    The column ``itself[i]`` of the i-th row does not count. Also written: the largest value taken and the smallest left
    out. One scan with insertion into a short sorted list. Equal up to 11 digits is a tie, and the earlier column wins.
    """
    best = np.empty(count + 1)
    where = np.empty(count + 1, np.int64)
    for i in range(rows.size):
        filled, bound = 0, np.inf
        row = distances[rows[i]]
        for position in range(columns.size):
            column = columns[position]
            d = np.float64(row[column])
            if (filled > count and not d < bound) or column == itself[i]:
                continue
            place, tied = min(filled, count), d * (1.0 + 1e-11)
            while place > 0 and best[place - 1] > tied:
                best[place] = best[place - 1]
                where[place] = where[place - 1]
                place -= 1
            best[place] = d
            where[place] = position
            filled = min(filled + 1, count + 1)
            bound = best[count] * (1.0 - 1e-11)
        indices[i, :] = where[:count]
        last[i] = best[count - 1]
        following[i] = best[count] if filled == count + 1 else np.inf
