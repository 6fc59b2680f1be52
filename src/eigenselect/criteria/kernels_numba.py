"""The inner loops on one tile of features, compiled: the same formulas as ``kernels_numpy``.

A tile is a C-ordered n × b array that stays in cache: a row is b features of one sample, so each edge of the graph is
one run of b independent multiply-adds, and the product with S is never stored where only its dots are wanted. No
reduction is reordered, so results do not depend on the machine's vector length or the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


def center(tile: FloatArray, degrees: FloatArray, volume: float) -> tuple[FloatArray, FloatArray]:
    """See `kernels_numpy.center`."""
    mean = np.zeros(tile.shape[1])
    spread = np.zeros(tile.shape[1])
    _center(tile, degrees, volume, mean, spread)
    return mean, spread


def inner(degrees: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """See `kernels_numpy.inner`."""
    total = np.zeros(first.shape[1])
    _inner(degrees, first, second, total)
    return total


def energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """See `kernels_numpy.energy`; the columns of each row of S must be sorted."""
    total = np.zeros(tile.shape[1])
    _energy(affinity.indptr, affinity.indices, affinity.data, tile, total)
    return total


def walk(
    affinity: sparse.csr_array, row_sums: FloatArray, inverse_degrees: FloatArray, tile: FloatArray, out: FloatArray
) -> None:
    """See `kernels_numpy.walk`."""
    _walk(affinity.indptr, affinity.indices, affinity.data, row_sums, inverse_degrees, tile, out)


@_compiled
def _center(tile, degrees, volume, mean, spread):  # type: ignore[no-untyped-def]
    n_samples, width = tile.shape
    for i in range(n_samples):
        d = degrees[i]
        for c in range(width):
            mean[c] += d * tile[i, c]
    for c in range(width):
        mean[c] /= volume
    for i in range(n_samples):
        d = degrees[i]
        for c in range(width):
            g = tile[i, c] - mean[c]
            tile[i, c] = g
            spread[c] += d * g * g


@_compiled
def _inner(degrees, first, second, total):  # type: ignore[no-untyped-def]
    n_samples, width = first.shape
    for i in range(n_samples):
        for c in range(width):
            total[c] += degrees[i] * first[i, c] * second[i, c]


@_compiled
def _energy(indptr, indices, data, tile, total):  # type: ignore[no-untyped-def]
    n_samples, width = tile.shape
    for i in range(n_samples):
        stop = indptr[i]
        while stop < indptr[i + 1] and indices[stop] < i:  # each pair once: the lower triangle
            stop += 1
        first = indptr[i]
        while first + 4 <= stop:  # four edges at a time read the running total a fourth as often
            j0, j1, j2, j3 = indices[first], indices[first + 1], indices[first + 2], indices[first + 3]
            w0, w1, w2, w3 = data[first], data[first + 1], data[first + 2], data[first + 3]
            for c in range(width):
                g = tile[i, c]
                e0, e1, e2, e3 = g - tile[j0, c], g - tile[j1, c], g - tile[j2, c], g - tile[j3, c]
                total[c] += (w0 * e0 * e0 + w1 * e1 * e1) + (w2 * e2 * e2 + w3 * e3 * e3)
            first += 4
        for edge in range(first, stop):
            j, w = indices[edge], data[edge]
            for c in range(width):
                e = tile[i, c] - tile[j, c]
                total[c] += w * e * e


@_compiled
def _walk(indptr, indices, data, row_sums, inverse_degrees, tile, out):  # type: ignore[no-untyped-def]
    n_samples, width = tile.shape
    for i in range(n_samples):
        for c in range(width):
            out[i, c] = row_sums[i] * tile[i, c]
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            weight = data[edge]
            for c in range(width):
                out[i, c] -= weight * tile[j, c]
        for c in range(width):
            out[i, c] *= inverse_degrees[i]


@_compiled
def sparse_terms(  # type: ignore[no-untyped-def]
    graph_indptr, graph_indices, graph_data, degrees, volume, indptr, indices, data, start, stop,
    quadratic, spread, trivial,
):  # fmt: skip
    """gᵀLg, gᵀDg and vol μ² of the sparse columns ``start`` to ``stop`` of a CSC matrix, visiting non-zeros only.

    Each edge between two non-zeros is met from both ends and counts half, an edge to a zero is met once. The zeros'
    share of the spread is μ² times their degrees; where non-zeros hold most of the volume that difference would lose
    digits, and the spread is summed over all samples instead.
    """
    n_samples = degrees.size
    values = np.zeros(n_samples)
    for column in range(start, stop):
        weighted_sum = 0.0
        covered = 0.0
        for entry in range(indptr[column], indptr[column + 1]):
            i = indices[entry]
            values[i] = data[entry]
            weighted_sum += degrees[i] * values[i]
            covered += degrees[i]
        mean = weighted_sum / volume
        deviation = 0.0
        energy = 0.0
        for entry in range(indptr[column], indptr[column + 1]):
            i = indices[entry]
            f = values[i]
            deviation += degrees[i] * (f - mean) ** 2
            if f == 0.0:
                continue
            for edge in range(graph_indptr[i], graph_indptr[i + 1]):
                other = values[graph_indices[edge]]
                if other == 0.0:
                    energy += graph_data[edge] * f * f
                else:
                    energy += 0.5 * graph_data[edge] * (f - other) ** 2
        if covered <= 0.5 * volume:
            deviation += mean * mean * (volume - covered)
        else:
            mean, deviation = _dense_deviation(values, degrees, volume)
        quadratic[column] = energy
        spread[column] = deviation
        trivial[column] = volume * mean * mean
        for entry in range(indptr[column], indptr[column + 1]):
            values[indices[entry]] = 0.0


@_compiled
def _dense_deviation(values, degrees, volume):  # type: ignore[no-untyped-def]
    """Mean and Σ d (f - μ)² over all samples, a reference value subtracted first."""
    reference = 0.0
    for i in range(values.size):
        if degrees[i] > 0:
            reference = values[i]
            break
    mean = 0.0
    for i in range(values.size):
        mean += degrees[i] * (values[i] - reference)
    mean /= volume
    deviation = 0.0
    for i in range(values.size):
        deviation += degrees[i] * ((values[i] - reference) - mean) ** 2
    return reference + mean, deviation
