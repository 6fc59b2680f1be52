"""The inner loops on one tile of features, compiled: the same formulas as ``loops_numpy``.

A tile is a C-ordered n × b array that stays in cache: a row is b features of one sample, so each edge of the graph is
one run of b independent multiply-adds, and the product with S is never stored where only its dots are wanted. No
reduction is reordered, so results do not depend on the machine's vector length or the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._typing import AnyArray, FloatArray
from eigenselect.graph import ClassMeans
from eigenselect.graph.fours import Fours

_compiled = compiled("contract")
#: samples whose values are read from memory once and then from the cache
ROWS = 32


def center(tile: FloatArray, reference: int, mass: FloatArray, volume: float) -> tuple[FloatArray, FloatArray]:
    """See `loops_numpy.center`."""
    shift = tile[reference].copy()
    mean = np.zeros(tile.shape[1])
    spread = np.zeros(tile.shape[1])
    _center(tile, shift, mass, volume, mean, spread)
    return shift + mean, spread


def inner(mass: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """See `loops_numpy.inner`."""
    total = np.zeros(first.shape[1])
    _inner(mass, first, second, total)
    return total


def energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """See `loops_numpy.energy`; the columns of each row of S must be sorted."""
    total = np.zeros(tile.shape[1])
    _energy(affinity.indptr, affinity.indices, affinity.data, tile, total)
    return total


def class_energy(classes: ClassMeans, tile: FloatArray) -> FloatArray:
    """See `loops_numpy.class_energy`."""
    return _group_moments(tile, slice(0, tile.shape[1]), classes.fours)[2]


def class_scatter(classes: ClassMeans, values: AnyArray, columns: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
    """See `loops_numpy.class_scatter`."""
    shift, means, within = _group_moments(values, columns, classes.fours)
    return within, *classes.between(shift, means)


def _group_moments(values: AnyArray, columns: slice, groups: Fours) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the first value of each group, its mean minus that, and the scatter of all; see `_moments`."""
    shift = values[groups.samples[groups.bounds[:-1]], columns].astype(np.float64)
    means, width = np.zeros(shift.shape), shift.shape[1]
    part, scatter = np.empty(width), np.zeros(width)
    start = np.uint64(columns.start)
    _moments(values, start, groups.samples, groups.weights, groups.bounds, shift, part, means, scatter)
    return shift, means, scatter


def sparse_class_scatter(classes: ClassMeans, X: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """See `ClassMeans.sparse_scatter`."""
    rows = X.tocsr()
    shape = (classes.sizes.size, X.shape[1])
    absent = np.repeat(classes.sizes[:, None], X.shape[1], axis=1)
    shift, means, scatter = np.zeros(shape), np.zeros(shape), np.zeros(X.shape[1])
    _sparse_class_scatter(
        rows.indptr, rows.indices, rows.data, classes.codes, classes.first, classes.sizes, shift, means, absent, scatter
    )
    return scatter + np.sum(means**2 * absent, axis=0), *classes.between(shift, means)


def absolute_energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """See `loops_numpy.absolute_energy`."""
    total = np.zeros(tile.shape[1])
    _absolute_energy(affinity.indptr, affinity.indices, affinity.data, tile, total)
    return total


def sparse_energy(affinity: sparse.csr_array, X: sparse.csc_array, columns: slice, energy: FloatArray) -> None:
    """Write fᵀLf of some columns of a sparse X to ``energy``, visiting only non-zeros and their edges."""
    _sparse_energy(
        affinity.indptr,
        affinity.indices,
        affinity.data,
        X.indptr,
        X.indices,
        X.data,
        columns.start,
        columns.stop,
        energy,
    )


def walk(
    affinity: sparse.csr_array, row_sums: FloatArray, inverse_mass: FloatArray, tile: FloatArray, out: FloatArray
) -> None:
    """See `loops_numpy.walk`."""
    _walk(affinity.indptr, affinity.indices, affinity.data, row_sums, inverse_mass, tile, out)


@_compiled
def _center(tile, shift, mass, volume, mean, spread):  # type: ignore[no-untyped-def]
    """Compute μ_c = Σ_i m_i f_ic / vol; then f_ic - μ_c in place and Σ_i m_i (f_ic - μ_c)², in two passes."""
    n_samples, width = tile.shape
    for i in range(n_samples):
        d = mass[i]
        for c in range(width):
            mean[c] += d * (tile[i, c] - shift[c])
    for c in range(width):
        mean[c] /= volume
    for i in range(n_samples):
        d = mass[i]
        for c in range(width):
            g = (tile[i, c] - shift[c]) - mean[c]
            tile[i, c] = g
            spread[c] += d * g * g


@_compiled
def _inner(mass, first, second, total):  # type: ignore[no-untyped-def]
    """Sum m_i u_ic v_ic over i, in the order of the rows."""
    n_samples, width = first.shape
    for i in range(n_samples):
        for c in range(width):
            total[c] += mass[i] * first[i, c] * second[i, c]


@_compiled
def _energy(indptr, indices, data, tile, total):  # type: ignore[no-untyped-def]
    """Sum S_ij (f_ic - f_jc)² over i > j: each pair once, from the lower triangle."""
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
def _moments(values, start, samples, weights, bounds, shift, part, means, scatter):  # type: ignore[no-untyped-def]
    """Compute the weighted mean of each group of samples, minus its shift, and the sum of all squared deviations.

    Group g is ``samples[bounds[g]:bounds[g + 1]]``, a multiple of four of them: four rows are read at a time. Some rows
    are read once from memory and again from the cache, for their own mean and for the squares of what is left. Parts of
    a group are put together by the distance of their means (Chan, Golub and LeVeque), so nothing cancels. Columns are
    those from ``start`` on, as many as in ``part``; ``start`` is unsigned, or numba would look for negative ones.
    """
    stop = start + np.uint64(part.size)
    for g in range(bounds.size - 1):
        seen = 0.0
        for low in range(bounds[g], bounds[g + 1], ROWS):
            high = min(low + ROWS, bounds[g + 1])
            total = 0.0
            for k in range(part.size):
                part[k] = 0.0
            for row in range(low, high, 4):
                i0, i1, i2, i3 = samples[row], samples[row + 1], samples[row + 2], samples[row + 3]
                w0, w1, w2, w3 = weights[row], weights[row + 1], weights[row + 2], weights[row + 3]
                total += (w0 + w1) + (w2 + w3)
                for c in range(start, stop):
                    s = shift[g, c - start]
                    part[c - start] += (w0 * (values[i0, c] - s) + w1 * (values[i1, c] - s)) + (
                        w2 * (values[i2, c] - s) + w3 * (values[i3, c] - s)
                    )
            share = total / (seen + total)
            for k in range(part.size):
                part[k] /= total
                apart = part[k] - means[g, k]
                means[g, k] += share * apart
                scatter[k] += seen * share * apart * apart
            seen += total
            for row in range(low, high, 4):
                i0, i1, i2, i3 = samples[row], samples[row + 1], samples[row + 2], samples[row + 3]
                w0, w1, w2, w3 = weights[row], weights[row + 1], weights[row + 2], weights[row + 3]
                for c in range(start, stop):
                    s, m = shift[g, c - start], part[c - start]
                    e0, e1 = (values[i0, c] - s) - m, (values[i1, c] - s) - m
                    e2, e3 = (values[i2, c] - s) - m, (values[i3, c] - s) - m
                    scatter[c - start] += (w0 * e0 * e0 + w1 * e1 * e1) + (w2 * e2 * e2 + w3 * e3 * e3)


@_compiled
def _sparse_class_scatter(indptr, indices, data, codes, first, sizes, shift, means, absent, scatter):  # type: ignore[no-untyped-def]
    """Compute class means of the non-zeros (zeros counted in), the zeros of each class, and the non-zeros' scatter.

    The shift is the first value of a class without zeros, so that one value alone leaves nothing.
    """
    for i in range(codes.size):
        for entry in range(indptr[i], indptr[i + 1]):
            absent[codes[i], indices[entry]] -= 1.0
    for c in range(first.size):
        for entry in range(indptr[first[c]], indptr[first[c] + 1]):
            if absent[c, indices[entry]] == 0.0:
                shift[c, indices[entry]] = data[entry]
    for i in range(codes.size):
        c = codes[i]
        for entry in range(indptr[i], indptr[i + 1]):
            means[c, indices[entry]] += data[entry] - shift[c, indices[entry]]
    for c in range(sizes.size):
        for column in range(scatter.size):
            means[c, column] /= sizes[c]
    for i in range(codes.size):
        c = codes[i]
        for entry in range(indptr[i], indptr[i + 1]):
            column = indices[entry]
            e = (data[entry] - shift[c, column]) - means[c, column]
            scatter[column] += e * e


@_compiled
def _absolute_energy(indptr, indices, data, tile, total):  # type: ignore[no-untyped-def]
    """Sum S_ij |f_ic - f_jc| over i > j: each pair once, from the lower triangle, two edges at a time.

    Four and a loop for the rest of a row are no faster, and take 1.7 times as long to compile.
    """
    n_samples, width = tile.shape
    for i in range(n_samples):
        first, stop = indptr[i], indptr[i + 1]
        while first < stop and indices[first] < i:
            second = min(first + 1, stop - 1)
            j0, j1 = indices[first], indices[second]
            w0, w1 = data[first], (second > first and j1 < i) * data[second]
            for c in range(width):
                g = tile[i, c]
                total[c] += w0 * abs(g - tile[j0, c]) + w1 * abs(g - tile[j1, c])
            first += 2


@_compiled
def _walk(indptr, indices, data, row_sums, inverse_mass, tile, out):  # type: ignore[no-untyped-def]
    """Compute (Σ_j S_ij f_ic - Σ_j S_ij f_jc) / m_i, row by row, two edges at a time; the row sums are given.

    Four and a loop for the rest of a row are no faster, and take 1.3 times as long to compile. Unsigned places: no
    check of negative ones is compiled.
    """
    n_samples, width = tile.shape
    for i in range(n_samples):
        d, inverse = row_sums[i], inverse_mass[i]
        for c in range(width):
            out[i, c] = d * tile[i, c]
        first, last = indptr[i], indptr[i + 1] - 1
        while first <= last:
            second = min(first + 1, last)
            j0, j1 = np.uintp(indices[first]), np.uintp(indices[second])
            w0, w1 = data[first], (second > first) * data[second]
            for c in range(width):
                out[i, c] -= w0 * tile[j0, c] + w1 * tile[j1, c]
            first += 2
        for c in range(width):
            out[i, c] *= inverse


@_compiled
def _sparse_energy(graph_indptr, graph_indices, graph_data, indptr, indices, data, start, stop, energy):  # type: ignore[no-untyped-def]
    """Sum S_ij (f_i - f_j)² over i < j of sparse columns; edges of two non-zeros are met twice and count by halves."""
    values = np.zeros(graph_indptr.size - 1)
    for column in range(start, stop):
        for entry in range(indptr[column], indptr[column + 1]):
            values[indices[entry]] = data[entry]
        total = 0.0
        for entry in range(indptr[column], indptr[column + 1]):
            i = indices[entry]
            f = values[i]
            if f == 0.0:
                continue
            for edge in range(graph_indptr[i], graph_indptr[i + 1]):
                other = values[graph_indices[edge]]
                if other == 0.0:
                    total += graph_data[edge] * f * f
                else:  # met again from the other end
                    total += 0.5 * graph_data[edge] * (f - other) ** 2
        energy[column] = total
        for entry in range(indptr[column], indptr[column + 1]):
            values[indices[entry]] = 0.0
