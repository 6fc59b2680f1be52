"""Loops over the rows of a sparse table and the edges between them, compiled.

A table is given as the entries of a `eigenselect.matrix.row_bands.RowBand`: ``begin, end, indices, data, offset``. A
graph is given by the arrays of its CSR, symmetric and sorted. Each loop adds the sums of some rows to ``sums``, one
row for each feature of the band, so that what belongs to one feature is read together. Loops over edges visit samples
in the order of `Edges`, which depends on the graph only: equal columns have equal sums. They get a row of zeros as
room, and leave it so. Places are unsigned numbers, for which no check of negative ones is compiled (measured: a third
of the time).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph.nearby_numba import Nearby

_compiled = compiled("contract")
#: numbers that are set to zero together in the time in which one entry is looked up
SWEPT = 4
#: samples from which neighbours are visited together: rows of fewer are found in cache in any order
ORDERED_SAMPLES = 4096


class Edges(NamedTuple):
    """The edges of a graph as loops take them.

    Attributes
    ----------
    indptr, indices, data : ndarray
        Of the symmetric CSR.
    order, place : ndarray of int64 of shape (n_samples,)
        The order in which samples are visited, and the place of each in it.
    degrees, sizes : ndarray of shape (n_samples,)
        Sums of the rows, and of their absolute values, without the diagonal, on which no difference depends.
    """

    indptr: IntArray
    indices: IntArray
    data: FloatArray
    order: IntArray
    place: IntArray
    degrees: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, affinity: sparse.csr_array, nearby: Nearby | None = None) -> Edges:
        """Visit many samples in the order of `Nearby`, so that the rows of neighbours are found in cache.

        >>> edges = Edges.of(sparse.csr_array([[5.0, 0, 0, -1], [0, 0, 2, 0], [0, 2, 0, 0], [-1, 0, 0, 0]]))
        >>> edges.order, edges.place
        (array([0, 1, 2, 3]), array([0, 1, 2, 3]))
        >>> edges.degrees, edges.sizes
        (array([-1.,  2.,  2., -1.]), array([1., 2., 2., 1.]))
        """
        n_samples, arrays = affinity.shape[0], (affinity.indptr, affinity.indices, affinity.data)
        if n_samples < ORDERED_SAMPLES:
            order = place = np.arange(n_samples)
        else:
            order, place, _ = Nearby.of(affinity) if nearby is None else nearby
        return cls(*arrays, order, place, *_off_diagonal_sums(affinity))


def _off_diagonal_sums(affinity: sparse.csr_array) -> tuple[FloatArray, FloatArray]:
    """Sum the rows, and their absolute values, without the diagonal."""
    diagonal = affinity.diagonal()
    if diagonal.any():
        affinity = affinity - sparse.diags_array(diagonal)
    ones = np.ones(affinity.shape[0])
    sums = affinity @ ones
    return sums, sums if affinity.data.min(initial=0.0) >= 0 else abs(affinity) @ ones


@_compiled
def add_products(  # type: ignore[no-untyped-def]
    begin,
    end,
    indices,
    data,
    offset,
    edges,
    graph_indices,
    weights,
    order,
    place,
    degrees,
    sizes,
    start,
    stop,
    sums,
    image,
):
    """Add Σ_i d_i f_i², Σ_i |d|_i f_i² and Σ S_ij f_i f_j: every edge once, from its later end."""
    for at in range(start, stop):
        i = order[at]
        if sizes[i] == 0.0 or begin[i] == end[i]:  # no edges: such a sample may hold anything
            continue
        visited = 0
        for edge in range(edges[i], edges[i + 1]):
            j, w = graph_indices[edge], weights[edge]
            if place[j] < at:
                visited += end[j] - begin[j]
                for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                    image[np.uintp(indices[entry] - offset)] += w * data[entry]
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            sums[c, 0] += degrees[i] * f * f
            sums[c, 1] += sizes[i] * f * f
            sums[c, 2] += image[c] * f
        if SWEPT * visited > image.size:
            for column in range(image.size):
                image[column] = 0.0
            continue
        for edge in range(edges[i], edges[i + 1]):
            j = graph_indices[edge]
            if place[j] < at:
                for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                    image[np.uintp(indices[entry] - offset)] = 0.0


@_compiled
def add_absolute(  # type: ignore[no-untyped-def]
    begin,
    end,
    indices,
    data,
    offset,
    edges,
    graph_indices,
    weights,
    order,
    place,
    degrees,
    sizes,
    start,
    stop,
    sums,
    row,
):
    """Add Σ_i d_i |f_i|, Σ_i |d|_i |f_i| and Σ S_ij (|f_i| + |f_j| - |f_i - f_j|), which is 0 where one is."""
    for at in range(start, stop):
        i = order[at]
        if sizes[i] == 0.0 or begin[i] == end[i]:
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            row[c] = f
            sums[c, 0] += degrees[i] * abs(f)
            sums[c, 1] += sizes[i] * abs(f)
        for edge in range(edges[i], edges[i + 1]):
            j, w = graph_indices[edge], weights[edge]
            if place[j] >= at:
                continue
            for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
                g = row[c]
                if g * f > 0.0:  # values of different signs are as far apart as from zero
                    sums[c, 2] += 2.0 * w * min(abs(f), abs(g))
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            row[np.uintp(indices[entry] - offset)] = 0.0


@_compiled
def add_images(  # type: ignore[no-untyped-def]
    begin,
    end,
    indices,
    data,
    offset,
    edges,
    graph_indices,
    weights,
    order,
    place,
    degrees,
    sizes,
    inverse,
    start,
    stop,
    sums,
    image,
):
    """Add Σ_i (L f)_i² / m_i: the row of L X of one sample after the other lies open."""
    for at in range(start, stop):
        i = order[at]
        if inverse[i] == 0.0:
            continue
        visited = 0
        for edge in range(edges[i] - 1, edges[i + 1]):  # the first is the sample itself
            j, w = i, degrees[i]
            if edge >= edges[i]:
                j, w = graph_indices[edge], -weights[edge]
                if j == i:
                    continue
            visited += end[j] - begin[j]
            for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                image[np.uintp(indices[entry] - offset)] += w * data[entry]
        if SWEPT * visited > image.size:
            for c in range(image.size):
                sums[c, 0] += inverse[i] * image[c] * image[c]
                image[c] = 0.0
            continue
        for edge in range(edges[i] - 1, edges[i + 1]):  # what has been added is cleared, so that none counts twice
            j = graph_indices[edge] if edge >= edges[i] else i
            for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                k = np.uintp(indices[entry] - offset)
                sums[k, 0] += inverse[i] * image[k] * image[k]
                image[k] = 0.0


@_compiled
def add_moments(begin, end, indices, data, offset, mass, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i m_i f_i, Σ_i m_i f_i², and Σ m_i over the stored values."""
    for i in range(start, stop):
        m = mass[i]
        if m == 0.0:
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            sums[c, 0] += m * f
            sums[c, 1] += m * f * f
            sums[c, 2] += m


@_compiled
def add_squares(begin, end, indices, data, offset, weights, mean, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i w_i (f_i - μ)² over the stored values, and Σ w_i over them."""
    for i in range(start, stop):
        w = weights[i]
        if w == 0.0:
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c = np.uintp(indices[entry] - offset)
            e = data[entry] - mean[c]
            sums[c, 0] += w * e * e
            sums[c, 1] += w
