"""Compiled Manhattan distances, which no matrix product gives."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._typing import FloatArray

_compiled = compiled("contract", "reassoc", "nsz")


def manhattan(a: FloatArray, b: FloatArray) -> FloatArray:
    """Compute Σ_k |a_ik - b_jk| of all rows of two blocks."""
    distances = np.empty((len(a), len(b)))
    _sum_differences(a, b, distances)
    return distances


@_compiled
def _sum_differences(a, b, out):  # type: ignore[no-untyped-def]
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                total += abs(a[i, k] - b[j, k])
            out[i, j] = total


@_compiled
def shared_values(indptr, indices, data, col_indptr, col_indices, col_data, rows, out):  # type: ignore[no-untyped-def]
    """Add Σ_k min(|x_ik|, |x_jk|) over features of equal sign, for some rows i of a table given as CSR and as CSC."""
    for place in range(rows.size):
        for entry in range(indptr[rows[place]], indptr[rows[place] + 1]):
            a, column = data[entry], indices[entry]
            for other in range(col_indptr[column], col_indptr[column + 1]):
                b = col_data[other]
                if (a > 0.0) == (b > 0.0):
                    out[place, col_indices[other]] += min(abs(a), abs(b))
