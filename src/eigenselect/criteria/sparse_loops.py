"""Loops over the rows of a sparse table and the edges between them, compiled.

A table is given as the entries of a `eigenselect.matrix.row_bands.RowBand`: ``begin, end, indices, data, offset``. A
graph is given by the arrays of its CSR, symmetric and sorted. Each loop adds the sums of some rows to ``sums``, one
row for each feature of the band, so that what belongs to one feature is read together. Loops over edges visit samples
in an order that depends on the graph only: equal columns have equal sums. They get a row of zeros as room; those that
rely on them leave it so. Places are unsigned numbers, for which no check of negative ones is compiled (measured: a
third of the time).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from eigenselect._compiled import AHEAD, compiled, prefetch
from eigenselect._floats import all_equal
from eigenselect._parallel import map_blocks
from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect.graph.nearby_numba import Nearby
from eigenselect.matrix.row_bands import row_blocks

_compiled = compiled("contract")
#: numbers that are set to zero together in the time in which one entry is looked up
SWEPT = 4
#: samples from which neighbours are visited together: rows of fewer are found in cache in any order
ORDERED_SAMPLES = 4096


class Edges(NamedTuple):
    """The edges of a graph, each from both of its ends.

    Attributes
    ----------
    indptr, indices, data : ndarray
        Of the symmetric CSR.
    order : ndarray of int64 of shape (n_samples,)
        The order in which samples are visited.
    degrees : ndarray of shape (n_samples,)
        Sums of the rows without the diagonal, on which no difference depends.
    """

    indptr: IntArray
    indices: IntArray
    data: FloatArray
    order: IntArray
    degrees: FloatArray

    @classmethod
    def of(cls, affinity: sparse.csr_array, nearby: Nearby | None = None) -> Edges:
        """Visit many samples in the order of `Nearby`, so that the rows of neighbours are found in cache."""
        order, _ = _visits(affinity, nearby)
        return cls(affinity.indptr, affinity.indices, affinity.data, order, _off_diagonal_sums(affinity)[0])


class Pairs(NamedTuple):
    """The edges of a graph, each once, from the end that is visited later; samples are named by their places.

    Lists of the earlier neighbours alone cost a pass over the graph, and save loops from asking of every edge, twice,
    which end is the later one: no processor foresees the answer, and that took more time than all sums.

    Attributes
    ----------
    order : ndarray of int64 of shape (n_samples,)
        The order in which samples are visited: what places stand for.
    lists : list of tuple of ndarray
        For each block of places (`row_blocks`), where the list of each begins, the places of the earlier neighbours of
        each, and the weights of the edges.
    degrees, sizes : ndarray of shape (n_samples,)
        Of every place, the sum of its row of S, and of the absolute values, without the diagonal.
    """

    order: IntArray
    lists: list[tuple[AnyArray, AnyArray, FloatArray]]
    degrees: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, affinity: sparse.csr_array, nearby: Nearby | None = None, n_jobs: int | None = None) -> Pairs:
        """Visit many samples in the order of `Nearby`.

        >>> pairs = Pairs.of(sparse.csr_array([[5.0, 0, 0, -1], [0, 0, 2, 0], [0, 2, 0, 0], [-1, 0, 0, 0]]))
        >>> pairs.order, pairs.lists[3]
        (array([0, 1, 2, 3]), (array([0, 1]), array([0], dtype=int32), array([-1.])))
        >>> pairs.degrees, pairs.sizes
        (array([-1.,  2.,  2., -1.]), array([1., 2., 2., 1.]))
        """
        order, place = _visits(affinity, nearby)
        degrees, sizes = _off_diagonal_sums(affinity)
        blocks = row_blocks(order.size)
        if place is None:
            lower = sparse.tril(affinity, -1, format="csr")
            lists = [_some_rows(lower, rows) for rows in blocks]
        else:
            differ = not all_equal(affinity.data)
            lists = map_blocks(lambda rows: _earlier(affinity, order, place, rows, differ), blocks, n_jobs)
        return cls(order, lists, degrees[order], sizes[order])


def _some_rows(lower: sparse.csr_array, rows: slice) -> tuple[AnyArray, AnyArray, FloatArray]:
    begin = lower.indptr[rows.start : rows.stop + 1].astype(np.int64)
    entries = slice(begin[0], begin[-1])
    return begin - begin[0], lower.indices[entries].astype(np.int32), lower.data[entries]


def _earlier(
    affinity: sparse.csr_array, order: IntArray, place: IntArray, rows: slice, differ: bool
) -> tuple[AnyArray, AnyArray, FloatArray]:
    """List the earlier neighbours of some places; weights that do not differ are those of any edges, and no copy."""
    samples = order[rows]
    begin = np.zeros(samples.size + 1, dtype=np.int64)
    most = int((affinity.indptr[samples + 1] - affinity.indptr[samples]).sum()) + 1  # one is written behind the last
    earlier, weights = np.empty(most, dtype=np.int32), np.empty(most) if differ else affinity.data
    arrays = (affinity.indptr, affinity.indices, affinity.data, differ)
    _list_earlier(*arrays, samples, place, rows.start, begin, earlier, weights)
    weights = weights[: begin[-1]]
    return begin, earlier[: begin[-1]].copy(), weights.copy() if differ else weights


def _visits(affinity: sparse.csr_array, nearby: Nearby | None) -> tuple[IntArray, IntArray | None]:
    """Return the order in which samples are visited, and the place of each in it; None where they are taken as are."""
    if affinity.shape[0] < ORDERED_SAMPLES:
        return np.arange(affinity.shape[0]), None
    order, place, _ = Nearby.of(affinity) if nearby is None else nearby
    return order, place


def _off_diagonal_sums(affinity: sparse.csr_array) -> tuple[FloatArray, FloatArray]:
    """Sum the rows, and their absolute values, without the diagonal."""
    diagonal = affinity.diagonal()
    if diagonal.any():
        affinity = affinity - sparse.diags_array(diagonal)
    sums = affinity.sum(axis=1)  # a product with ones would look each of them up, in the order of the columns
    return sums, sums if affinity.data.min(initial=0.0) >= 0 else abs(affinity).sum(axis=1)


@_compiled
def _list_earlier(indptr, indices, data, differ, samples, place, start, begin, earlier, weights):  # type: ignore[no-untyped-def]
    """Write the neighbours of samples that are before their places; others are written, too, and written over."""
    found = 0
    for k in range(samples.size):
        i, later = samples[k], indptr[samples[min(k + AHEAD, samples.size - 1)]]
        prefetch(indices, later)
        prefetch(data, later)
        for edge in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            j = place[np.uintp(indices[edge])]
            earlier[np.uintp(found)] = j
            if differ:
                weights[np.uintp(found)] = data[edge]
            found += j < start + k
        begin[k + 1] = found


@_compiled
def add_products(begin, end, indices, data, offset, degrees, sizes, edges, earlier, weights, start, stop, sums, image):  # type: ignore[no-untyped-def]
    """Add Σ_i d_i f_i², Σ_i |d|_i f_i² and Σ S_ij f_i f_j: every edge once, from its later end.

    What neighbours hold is added up in all of their columns and looked at in those of the sample: only these are set to
    zero before, and whatever is left in others is never read.
    """
    for i in range(start, stop):
        later = begin[min(i + AHEAD, stop - 1)]
        prefetch(indices, later)
        prefetch(data, later)
        if sizes[i] == 0.0 or begin[i] == end[i]:  # no edges: such a sample may hold anything
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            image[np.uintp(indices[entry] - offset)] = 0.0
        for edge in range(edges[i - start], edges[i - start + 1]):
            j, w = np.uintp(earlier[edge]), weights[edge]
            for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                image[np.uintp(indices[entry] - offset)] += w * data[entry]
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            sums[c, 0] += degrees[i] * f * f
            sums[c, 1] += sizes[i] * f * f
            sums[c, 2] += image[c] * f


@_compiled
def add_absolute(begin, end, indices, data, offset, degrees, sizes, edges, earlier, weights, start, stop, sums, row):  # type: ignore[no-untyped-def]
    """Add Σ_i d_i |f_i|, Σ_i |d|_i |f_i| and Σ S_ij (|f_i| + |f_j| - |f_i - f_j|), which is 0 where one is."""
    for i in range(start, stop):
        if sizes[i] == 0.0 or begin[i] == end[i]:
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            row[c] = f
            sums[c, 0] += degrees[i] * abs(f)
            sums[c, 1] += sizes[i] * abs(f)
        for edge in range(edges[i - start], edges[i - start + 1]):
            j, w = np.uintp(earlier[edge]), weights[edge]
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
    degrees,
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
