"""One step of a Chebyshev series on a tile, compiled: product, recurrence and inner products in one pass."""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph

_compiled = compiled("contract")


def series_step(
    graph: SampleGraph, interval: tuple[float, float], factor: float, current: FloatArray, previous: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Replace ``previous`` by t = factor · P' current - previous; return ⟨t, current⟩ and ⟨t, t⟩.

    P' = (2P - high - low) / (high - low) has its spectrum in [-1, 1].
    """
    low, high = interval
    S, width = graph.affinity, current.shape[1]
    cross, square = np.zeros(width), np.zeros(width)
    scales = (2.0 * factor / (high - low), factor * (high + low) / (high - low))
    weights = (graph.row_sums, graph.inverse_mass, graph.mass)
    _series_step(S.indptr, S.indices, S.data, *weights, *scales, current, previous, cross, square)
    return cross, square


@_compiled
def _series_step(  # type: ignore[no-untyped-def]
    indptr, indices, data, row_sums, inverse_mass, mass, scale, shift, current, previous, cross, square
):
    n_samples, width = current.shape
    image = np.empty(width)
    for i in range(n_samples):
        for c in range(width):
            image[c] = row_sums[i] * current[i, c]
        first, stop = indptr[i], indptr[i + 1]
        while first + 4 <= stop:  # unsigned places: no check of negative ones is compiled
            j0, j1 = np.uintp(indices[first]), np.uintp(indices[first + 1])
            j2, j3 = np.uintp(indices[first + 2]), np.uintp(indices[first + 3])
            w0, w1, w2, w3 = data[first], data[first + 1], data[first + 2], data[first + 3]
            for c in range(width):
                image[c] -= (w0 * current[j0, c] + w1 * current[j1, c]) + (w2 * current[j2, c] + w3 * current[j3, c])
            first += 4
        for edge in range(first, stop):
            j, w = np.uintp(indices[edge]), data[edge]
            for c in range(width):
                image[c] -= w * current[j, c]
        a, m = scale * inverse_mass[i], mass[i]
        for c in range(width):
            t = a * image[c] - shift * current[i, c] - previous[i, c]
            previous[i, c] = t
            cross[c] += m * t * current[i, c]
            square[c] += m * t * t
