"""The compiled loops: over tiles of features, and over the rows of a sparse table.

A tile is a C-ordered n × b array: a row holds b features of one sample, so that an edge of the graph is one run of b
independent multiply-adds. Four edges are taken together, which reads the running total a fourth as often; those
missing in a row count with weight 0. No reduction is reordered, so results do not depend on the length of vector
registers or on the number of threads. Unsigned places spare the check for negative ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import ClassMeans
from eigenselect.matrix.row_bands import row_bands

_compiled = compiled("contract")


# -- tiles of features ---------------------------------------------------------------------------


def center(tile: FloatArray, reference: int, mass: FloatArray, volume: float) -> tuple[FloatArray, FloatArray]:
    """Subtract the weighted mean of each column in place; return the means and Σ m_i g_i²."""
    shift = tile[reference].copy()
    mean, spread = np.zeros((2, tile.shape[1]))
    _center(tile, shift, mass, volume, mean, spread)
    return shift + mean, spread


def edge_sums(S: sparse.csr_array, tile: FloatArray, *, absolute: bool = False) -> FloatArray:
    """Compute Σ_{i<j} S_ij (f_i - f_j)² of each column, or Σ_{i<j} S_ij |f_i - f_j|; rows of S are sorted."""
    total = np.zeros(tile.shape[1])
    _edge_sums(S.indptr, S.indices, S.data, tile, absolute, total)
    return total


def class_energy(classes: ClassMeans, tile: FloatArray) -> FloatArray:
    """Compute Σ_i (f_i - mean of its class)² of each column."""
    shift, total = tile[classes.first], np.zeros(tile.shape[1])
    _class_energy(classes.codes, classes.sizes, tile, shift, np.zeros_like(shift), total)
    return total


def walk(S: sparse.csr_array, row_sums: FloatArray, inverse_mass: FloatArray, tile: FloatArray, out: Any) -> FloatArray:
    """Compute P F = (row_sums ∘ F - S F) / m, in ``out`` if given."""
    out = np.empty_like(tile) if out is None else out
    _walk(S.indptr, S.indices, S.data, row_sums, inverse_mass, tile, out)
    return np.asarray(out)


@_compiled
def _center(tile, shift, mass, volume, mean, spread):  # type: ignore[no-untyped-def]
    n_samples, width = tile.shape
    for i in range(n_samples):
        for c in range(width):
            mean[c] += mass[i] * (tile[i, c] - shift[c])
    for c in range(width):
        mean[c] /= volume
    for i in range(n_samples):
        for c in range(width):
            g = (tile[i, c] - shift[c]) - mean[c]
            tile[i, c] = g
            spread[c] += mass[i] * g * g


@_compiled
def _edge_sums(indptr, indices, data, tile, absolute, total):  # type: ignore[no-untyped-def]
    """Take every pair once, from the lower triangle."""
    for i in range(tile.shape[0]):
        first, stop = indptr[i], indptr[i + 1]
        while first < stop and indices[first] < i:
            second, third, fourth = min(first + 1, stop - 1), min(first + 2, stop - 1), min(first + 3, stop - 1)
            j0, j1 = np.uintp(indices[first]), np.uintp(indices[second])
            j2, j3 = np.uintp(indices[third]), np.uintp(indices[fourth])
            w0, w1 = data[first], (second > first and indices[second] < i) * data[second]
            w2 = (third > second and indices[third] < i) * data[third]
            w3 = (fourth > third and indices[fourth] < i) * data[fourth]
            if absolute:
                for c in range(tile.shape[1]):
                    f = tile[i, c]
                    total[c] += w0 * abs(f - tile[j0, c]) + w1 * abs(f - tile[j1, c])
                    total[c] += w2 * abs(f - tile[j2, c]) + w3 * abs(f - tile[j3, c])
            else:
                for c in range(tile.shape[1]):
                    f = tile[i, c]
                    e0, e1, e2, e3 = f - tile[j0, c], f - tile[j1, c], f - tile[j2, c], f - tile[j3, c]
                    total[c] += (w0 * e0 * e0 + w1 * e1 * e1) + (w2 * e2 * e2 + w3 * e3 * e3)
            first += 4


@_compiled
def _class_energy(codes, sizes, tile, shift, mean, total):  # type: ignore[no-untyped-def]
    """Subtract the first value of each class before its mean is taken: one value alone leaves no rounding."""
    for i in range(codes.size):
        k = np.uintp(codes[i])
        for c in range(total.size):
            mean[k, c] += tile[i, c] - shift[k, c]
    for number in range(sizes.size):
        for c in range(total.size):
            mean[number, c] /= sizes[number]
    for i in range(codes.size):
        k = np.uintp(codes[i])
        for c in range(total.size):
            e = (tile[i, c] - shift[k, c]) - mean[k, c]
            total[c] += e * e


@_compiled
def _walk(indptr, indices, data, row_sums, inverse_mass, tile, out):  # type: ignore[no-untyped-def]
    for i in range(tile.shape[0]):
        for c in range(tile.shape[1]):
            out[i, c] = row_sums[i] * tile[i, c]
        last = indptr[i + 1] - 1
        for first in range(indptr[i], indptr[i + 1], 4):
            second, third, fourth = min(first + 1, last), min(first + 2, last), min(first + 3, last)
            j0, j1 = np.uintp(indices[first]), np.uintp(indices[second])
            j2, j3 = np.uintp(indices[third]), np.uintp(indices[fourth])
            w0, w1 = data[first], (second > first) * data[second]
            w2, w3 = (third > second) * data[third], (fourth > third) * data[fourth]
            for c in range(tile.shape[1]):
                out[i, c] -= (w0 * tile[j0, c] + w1 * tile[j1, c]) + (w2 * tile[j2, c] + w3 * tile[j3, c])
        for c in range(tile.shape[1]):
            out[i, c] *= inverse_mass[i]


# -- rows of a sparse table ----------------------------------------------------------------------


def column_sums(X: Any, weights: FloatArray, n_jobs: int | None) -> tuple[FloatArray, FloatArray]:
    """Compute Σ w_i f_i and Σ w_i f_i² of each column of CSR or CSC; samples of weight 0 may hold anything."""
    sums = np.empty((2, X.shape[1]))
    for band in row_bands(X):
        sums[:, band.columns] = band.summed(_add_column_sums, 2, n_jobs, weights)
    return sums[0], sums[1]


def edge_products(
    S: sparse.csr_array, X: Any, weights: FloatArray, order: IntArray, n_jobs: int | None
) -> tuple[FloatArray, FloatArray]:
    """Compute Σ w_i f_i² and 2 Σ_{i>j} S_ij f_i f_j of each column of CSR or CSC, visiting samples in an order."""
    sums = np.empty((2, X.shape[1]))
    edges = (S.indptr, S.indices, S.data, weights, order)
    for band in row_bands(X):
        sums[:, band.columns] = band.summed(_add_edge_products, 2, n_jobs, *edges, room=True)
    return sums[0], 2.0 * sums[1]


@_compiled
def _add_column_sums(begin, end, indices, data, offset, weights, start, stop, sums):  # type: ignore[no-untyped-def]
    for i in range(start, stop):
        w = weights[i]
        if w == 0.0:
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            sums[c, 0] += w * f
            sums[c, 1] += w * f * f


@_compiled
def _add_edge_products(  # type: ignore[no-untyped-def]
    begin, end, indices, data, offset, edges, neighbors, similarity, weights, order, start, stop, sums, image
):
    """Add up Σ_j S_ij f_j over the columns of the neighbours j < i of a sample; look at it in those of the sample.

    Only these are set to zero before: what is left in others is never read.
    """
    for place in range(start, stop):
        i = order[place]
        if begin[i] == end[i]:
            continue
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            image[np.uintp(indices[entry] - offset)] = 0.0
        for edge in range(np.uintp(edges[i]), np.uintp(edges[i + 1])):
            j, w = np.uintp(neighbors[edge]), similarity[edge]
            if j >= i:
                break
            for entry in range(np.uintp(begin[j]), np.uintp(end[j])):
                image[np.uintp(indices[entry] - offset)] += w * data[entry]
        for entry in range(np.uintp(begin[i]), np.uintp(end[i])):
            c, f = np.uintp(indices[entry] - offset), np.float64(data[entry])
            sums[c, 0] += weights[i] * f * f
            sums[c, 1] += image[c] * f
