"""Compiled Manhattan distances, which no matrix product gives, and the choice of the nearest."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled

_compiled = compiled("contract", "reassoc", "nsz")
_in_order = compiled()


@_compiled
def manhattan(A, B, out):  # type: ignore[no-untyped-def]
    """Write Σ_k |A_ik - B_jk| to ``out[i, j]``, in the precision of A; four samples of B share each value of A read."""
    n_features = A.shape[1]
    whole = B.shape[0] // 4 * 4
    zero = A[0, 0] - A[0, 0]
    for i in range(A.shape[0]):
        for j in range(0, whole, 4):
            d0 = d1 = d2 = d3 = zero
            for k in range(n_features):
                a = A[i, k]
                d0 += abs(a - B[j, k])
                d1 += abs(a - B[j + 1, k])
                d2 += abs(a - B[j + 2, k])
                d3 += abs(a - B[j + 3, k])
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = d0, d1, d2, d3
        for j in range(whole, B.shape[0]):
            d = zero
            for k in range(n_features):
                d += abs(A[i, k] - B[j, k])
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
def k_smallest(distances, count, indices, last, following):  # type: ignore[no-untyped-def]
    """Columns of the ``count`` smallest entries of each row, the largest of them, and the smallest left out.

    One scan with insertion into a short sorted list. Equal up to 11 digits is a tie, and the lower column wins.
    """
    best = np.empty(count + 1)
    where = np.empty(count + 1, np.int64)
    for row in range(distances.shape[0]):
        filled = 0
        for column in range(distances.shape[1]):
            d = distances[row, column]
            if filled == count + 1 and not d < best[count] * (1.0 - 1e-11):
                continue
            place = min(filled, count)
            while place > 0 and best[place - 1] > d * (1.0 + 1e-11):
                best[place] = best[place - 1]
                where[place] = where[place - 1]
                place -= 1
            best[place] = d
            where[place] = column
            filled = min(filled + 1, count + 1)
        indices[row, :] = where[:count]
        last[row] = best[count - 1]
        following[row] = best[count] if filled == count + 1 else np.inf
