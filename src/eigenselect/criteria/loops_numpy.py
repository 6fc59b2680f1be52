"""The inner loops on one tile of features, by numpy and scipy: for small tables, and as the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray
from eigenselect.graph import ClassMeans


def center(tile: FloatArray, reference: int, degrees: FloatArray, volume: float) -> tuple[FloatArray, FloatArray]:
    """Subtract the d-weighted mean of each column in place; return the means and Σ d_i g_i².

    The values of one sample are subtracted first: a constant feature becomes exactly zero, and a large mean is gone
    before anything is multiplied.
    """
    shift = tile[reference].copy()
    tile -= shift
    mean = inner(degrees, tile, np.ones(1)) / volume
    tile -= mean
    return shift + mean, inner(degrees, tile, tile)


def inner(degrees: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """uᵀDv of each pair of columns, summed in row order: equal columns give equal sums, which BLAS does not promise."""
    return np.sum(degrees[:, None] * first * second, axis=0)


def energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """gᵀLg = Σ_{i<j} S_ij (g_i - g_j)² of each column: a sum without cancellation."""
    return _over_edges(affinity, tile, np.square)


def _over_edges(affinity: sparse.csr_array, tile: FloatArray, cost: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Σ_{i<j} S_ij cost(g_i - g_j), in blocks of edges."""
    lower = sparse.tril(affinity, -1, format="coo")
    total = np.zeros(tile.shape[1])
    step = max(1, 2**19 // max(1, tile.shape[1]))
    for start in range(0, lower.nnz, step):
        edges = slice(start, start + step)
        difference = tile[lower.row[edges]] - tile[lower.col[edges]]
        total += np.sum(lower.data[edges, None] * cost(difference), axis=0)
    return total


def class_energy(classes: ClassMeans, tile: FloatArray) -> FloatArray:
    """Σ (g_i - mean of its class)² of each column."""
    return classes.energy(tile)


def sparse_class_scatter(classes: ClassMeans, X: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Within and between scatter and mean of sparse columns, from their non-zeros."""
    return classes.sparse_scatter(X)


def absolute_energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """Σ_{i<j} S_ij |g_i - g_j| of each column."""
    return _over_edges(affinity, tile, np.abs)


def walk(
    affinity: sparse.csr_array, row_sums: FloatArray, inverse_degrees: FloatArray, tile: FloatArray, out: FloatArray
) -> None:
    """Write (row_sums ∘ g - S g) / d of each column to ``out``."""
    out[...] = inverse_degrees[:, None] * (row_sums[:, None] * tile - affinity @ tile)
