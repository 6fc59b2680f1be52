"""Loops over the rows of a sparse table and the edges between them, compiled.

A table is given as the entries of a `eigenselect.matrix.row_bands.RowBand`: ``begin, end, indices, data, offset``. A
graph is given by the arrays of its CSR, symmetric and sorted. Each loop adds the sums of some rows to ``sums``, one
column for each feature of the band. Nothing is reordered: equal columns have equal sums. A last row of ``sums`` that a
loop does not add to is room for one sample, and is zero again at the end: to allocate it within takes longer to compile
than the sums.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._typing import FloatArray

_compiled = compiled("contract")


def off_diagonal_sums(affinity: sparse.csr_array) -> tuple[FloatArray, FloatArray]:
    """Sum each row of S, and of its absolute values, without the diagonal, on which no difference depends.

    >>> off_diagonal_sums(sparse.csr_array([[5.0, -1.0], [-1.0, 0.0]]))
    (array([-1., -1.]), array([1., 1.]))
    """
    sums, sizes = np.zeros(affinity.shape[0]), np.zeros(affinity.shape[0])
    _off_diagonal_sums(affinity.indptr, affinity.indices, affinity.data, sums, sizes)
    return sums, sizes


@_compiled
def _off_diagonal_sums(indptr, indices, data, sums, sizes):  # type: ignore[no-untyped-def]
    for i in range(sums.size):
        for edge in range(indptr[i], indptr[i + 1]):
            if indices[edge] != i:
                sums[i] += data[edge]
                sizes[i] += abs(data[edge])


@_compiled
def add_products(begin, end, indices, data, offset, edges, graph_indices, weights, degrees, sizes, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i d_i f_i², Σ_i |d|_i f_i² and Σ_{j<i} S_ij f_i f_j: every edge once, from its later end."""
    row = sums[3]
    for i in range(start, stop):
        if sizes[i] == 0.0:  # no edges: such a sample may hold anything
            continue
        for entry in range(begin[i], end[i]):
            c, f = indices[entry] - offset, np.float64(data[entry])
            row[c] = f
            sums[0, c] += degrees[i] * f * f
            sums[1, c] += sizes[i] * f * f
        if begin[i] < end[i]:
            for edge in range(edges[i], edges[i + 1]):
                j, w = graph_indices[edge], weights[edge]
                if j >= i:
                    break
                for entry in range(begin[j], end[j]):
                    c = indices[entry] - offset
                    sums[2, c] += w * data[entry] * row[c]
        for entry in range(begin[i], end[i]):
            row[indices[entry] - offset] = 0.0


@_compiled
def add_absolute(begin, end, indices, data, offset, edges, graph_indices, weights, degrees, sizes, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i d_i |f_i|, Σ_i |d|_i |f_i| and Σ_{j<i} S_ij (|f_i| + |f_j| - |f_i - f_j|), which is 0 where one is."""
    row = sums[3]
    for i in range(start, stop):
        if sizes[i] == 0.0:
            continue
        for entry in range(begin[i], end[i]):
            c, f = indices[entry] - offset, np.float64(data[entry])
            row[c] = f
            sums[0, c] += degrees[i] * abs(f)
            sums[1, c] += sizes[i] * abs(f)
        if begin[i] < end[i]:
            for edge in range(edges[i], edges[i + 1]):
                j, w = graph_indices[edge], weights[edge]
                if j >= i:
                    break
                for entry in range(begin[j], end[j]):
                    c, f = indices[entry] - offset, np.float64(data[entry])
                    g = row[c]
                    if g * f > 0.0:  # values of different signs are as far apart as from zero
                        sums[2, c] += 2.0 * w * min(abs(f), abs(g))
        for entry in range(begin[i], end[i]):
            row[indices[entry] - offset] = 0.0


@_compiled
def add_images(begin, end, indices, data, offset, edges, graph_indices, weights, degrees, inverse, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i (L f)_i² / m_i: the row of L X of one sample after the other lies open."""
    image = sums[1]
    for i in range(start, stop):
        if inverse[i] == 0.0:
            continue
        for entry in range(begin[i], end[i]):
            image[indices[entry] - offset] = degrees[i] * data[entry]
        for edge in range(edges[i], edges[i + 1]):
            j, w = graph_indices[edge], weights[edge]
            if j == i:
                continue
            for entry in range(begin[j], end[j]):
                image[indices[entry] - offset] -= w * data[entry]
        for c in range(image.size):
            sums[0, c] += inverse[i] * image[c] * image[c]
            image[c] = 0.0


@_compiled
def add_moments(begin, end, indices, data, offset, mass, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i m_i f_i, and Σ m_i over the stored values."""
    for i in range(start, stop):
        m = mass[i]
        if m == 0.0:
            continue
        for entry in range(begin[i], end[i]):
            c = indices[entry] - offset
            sums[0, c] += m * data[entry]
            sums[1, c] += m


@_compiled
def add_squares(begin, end, indices, data, offset, weights, mean, start, stop, sums):  # type: ignore[no-untyped-def]
    """Add Σ_i w_i (f_i - μ)² over the stored values, and Σ w_i over them."""
    for i in range(start, stop):
        w = weights[i]
        if w == 0.0:
            continue
        for entry in range(begin[i], end[i]):
            c = indices[entry] - offset
            e = data[entry] - mean[c]
            sums[0, c] += w * e * e
            sums[1, c] += w
