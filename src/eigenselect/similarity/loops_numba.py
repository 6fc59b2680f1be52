"""Compiled Manhattan distances, which no matrix product gives, and the choice of the nearest."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._typing import AnyArray
from eigenselect.similarity.ties import TIED

_compiled = compiled("contract", "reassoc", "nsz")
_in_order = compiled()


#: features whose differences are summed in the precision of the table; sums of these are added in double precision
RUN = 512
#: a distance below this part of the two norms that it is made of is rounding, in twice the digits
NOTHING = 1e-25


@_compiled
def _four_distances(a0, a1, b0, b1):  # type: ignore[no-untyped-def]
    """Distances of two samples from two others, which share every value read."""
    d00 = d01 = d10 = d11 = a0.dtype.type(0)
    for k in range(a0.size):
        d00 += abs(a0[k] - b0[k])
        d01 += abs(a0[k] - b1[k])
        d10 += abs(a1[k] - b0[k])
        d11 += abs(a1[k] - b1[k])
    return d00, d01, d10, d11


@_compiled
def _add_distances(A, B, total):  # type: ignore[no-untyped-def]
    """Add Σ_k |A_ik - B_jk| to ``total[i, j]``, run by run; parts of rows are contiguous, as loops need it."""
    for start in range(0, A.shape[1], RUN):
        stop = min(start + RUN, A.shape[1])
        for i in range(0, A.shape[0], 2):
            below = min(i + 1, A.shape[0] - 1)  # of an odd number of samples, the last is taken twice and counts once
            a0, a1 = A[i][start:stop], A[below][start:stop]
            for j in range(0, B.shape[0], 2):
                beside = min(j + 1, B.shape[0] - 1)
                d00, d01, d10, d11 = _four_distances(a0, a1, B[j][start:stop], B[beside][start:stop])
                total[i, j] += d00
                if beside > j:
                    total[i, beside] += d01
                if below > i:
                    total[below, j] += d10
                    if beside > j:
                        total[below, beside] += d11


def manhattan(A: AnyArray, B: AnyArray, out: AnyArray) -> None:
    """Write Σ_k |A_ik - B_jk| to ``out[i, j]``, from runs of features: a run of both stays in the cache."""
    total = np.zeros((len(A), len(B)))  # made here: an allocation within takes long to compile
    _add_distances(A, B, total)
    out[...] = total


@_compiled
def _scaled_distance(a, b, scale):  # type: ignore[no-untyped-def]
    d = 0.0
    for k in range(scale.size):
        d += scale[k] * abs(np.float64(a[k]) - np.float64(b[k]))  # whole numbers without a sign would wrap
    return d


@_in_order
def _two_sum(a, b):  # type: ignore[no-untyped-def]
    """Return a + b, rounded, and what rounding took from it (Knuth)."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


@_in_order
def absolute_sums(indptr, data, norms, rests):  # type: ignore[no-untyped-def]
    """Sum |x| over every row of a CSR matrix, and what rounding leaves out."""
    for i in range(norms.size):
        total, rest = 0.0, 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            total, lost = _two_sum(total, abs(data[entry]))
            rest += lost
        norms[i], rests[i] = total, rest


@_in_order
def sparse_manhattan(  # type: ignore[no-untyped-def]
    indptr, indices, data, col_indptr, col_indices, col_data, norms, rests, start, stop, out, lost
):
    """Rows ``start`` to ``stop`` of the same for a sparse X, given by rows (CSR) and by columns (CSC).

    |a - b| summed over all features is the sum of both norms, less 2 min(|a|, |b|) where both are on one side of 0. In
    twice the digits, in ``out`` and ``lost``: a large value that two samples share would leave rounding of its size.
    """
    for i in range(start, stop):
        for j in range(norms.size):
            out[i - start, j], lost[i - start, j] = _two_sum(norms[i], norms[j])
            lost[i - start, j] += rests[i] + rests[j]
        for entry in range(indptr[i], indptr[i + 1]):
            a = data[entry]
            column = indices[entry]
            for other in range(col_indptr[column], col_indptr[column + 1]):
                b = col_data[other]
                if (a > 0.0) == (b > 0.0):
                    j = col_indices[other]
                    out[i - start, j], less = _two_sum(out[i - start, j], -2.0 * min(abs(a), abs(b)))
                    lost[i - start, j] += less
    for i in range(start, stop):
        for j in range(norms.size):
            total = out[i - start, j] + lost[i - start, j]
            out[i - start, j] = total if total > NOTHING * (norms[i] + norms[j]) else 0.0


@_in_order
def nearest_by_class(distances, start, samples, members, bounds, nearest, last, following, best, where):  # type: ignore[no-untyped-def]
    """The nearest of every class for each of ``samples``; row 0 of ``distances`` belongs to sample ``start``.

    Class c is ``members[bounds[c]:bounds[c + 1]]``. Written to ``nearest[i, c]`` in order of distance, -1 where a class
    has fewer others; with the largest distance taken and the smallest left out (infinite where none is left).
    ``best`` and ``where`` have room for one more than are wanted.
    """
    count = nearest.shape[2]
    for i in range(samples.size):
        row = samples[i] - start
        for c in range(bounds.size - 1):
            filled = bounds[0]  # 0, but no literal, for which `_insert` would be compiled once more
            for place in range(bounds[c], bounds[c + 1]):
                column = members[place]
                if column != samples[i]:
                    filled = _insert(best, where, filled, np.float64(distances[row, column]), column)
            last[i, c] = best[min(filled, count) - 1] if filled else np.inf
            following[i, c] = best[count] if filled > count else np.inf
            for place in range(count):
                nearest[i, c, place] = where[place] if place < filled else -1


@_in_order
def nearest_exactly(X, scale, distances, start, samples, members, bounds, limits, rows, classes, nearest, best, where):  # type: ignore[no-untyped-def]
    """The same for some pairs of sample and class, with Σ_k scale_k |X_ik - X_jk| measured again in double precision.

    Only samples whose given distance is within the pair's limit can be among the nearest.
    """
    count = nearest.shape[2]
    for pair in range(rows.size):
        i, c = rows[pair], classes[pair]
        filled = bounds[0]
        for place in range(bounds[c], bounds[c + 1]):
            column = members[place]
            if column != samples[i] and distances[samples[i] - start, column] <= limits[i, c]:
                filled = _insert(best, where, filled, _scaled_distance(X[samples[i]], X[column], scale), column)
        for place in range(min(filled, count)):
            nearest[i, c, place] = where[place]


@_in_order
def _insert(best, where, filled, d, column):  # type: ignore[no-untyped-def]
    """Put a distance into the sorted list of the smallest; equal up to 11 digits is a tie, and the earlier stays."""
    last = best.size - 1
    if filled > last and not d < best[last] * (1.0 - TIED):
        return filled
    place, tied = min(filled, last), d * (1.0 + TIED)
    while place > 0 and best[place - 1] > tied:
        best[place] = best[place - 1]
        where[place] = where[place - 1]
        place -= 1
    best[place] = d
    where[place] = column
    return min(filled + 1, last + 1)
