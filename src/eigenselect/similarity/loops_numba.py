"""Compiled Manhattan distances, which no matrix product gives."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray

_compiled = compiled("contract", "reassoc", "nsz")

#: features of a part of two rows that stays in the cache
RUN = 512


def manhattan(a: FloatArray, b: FloatArray) -> FloatArray:
    """Compute Σ_k |a_ik - b_jk| of all rows of two blocks."""
    total, part = np.zeros((len(a), len(b))), np.empty((len(a), len(b)))
    for columns in slices(a.shape[1], RUN):
        _distances(a, b, columns.start, columns.stop, part)
        total += part
    return total


@_compiled
def _distances(a, b, start, stop, out):  # type: ignore[no-untyped-def]
    """Compute distances of two rows from two others at once; of an odd number of rows the last is taken twice."""
    for i in range(0, a.shape[0], 2):
        below = min(i + 1, a.shape[0] - 1)
        a0, a1 = a[i][start:stop], a[below][start:stop]
        for j in range(0, b.shape[0], 2):
            beside = min(j + 1, b.shape[0] - 1)
            out[i, j], out[i, beside], out[below, j], out[below, beside] = _four_distances(
                a0, a1, b[j][start:stop], b[beside][start:stop]
            )


@_compiled
def _four_distances(a0, a1, b0, b1):  # type: ignore[no-untyped-def]
    d00 = d01 = d10 = d11 = 0.0
    for k in range(a0.size):
        d00 += abs(a0[k] - b0[k])
        d01 += abs(a0[k] - b1[k])
        d10 += abs(a1[k] - b0[k])
        d11 += abs(a1[k] - b1[k])
    return d00, d01, d10, d11


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
