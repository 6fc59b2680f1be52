"""The inner loops on one tile of features, by numpy and scipy: for small tables, and as the reference.

A tile is a C-ordered float64 array of shape (n_samples, width): a few features side by side. `loops_numba` has the same
functions, compiled; tests hold the two against each other. Names of the arguments, in both:

* ``tile``: f, or the centred g, one feature a column;
* ``mass``: m, the weights of the inner product ⟨u, v⟩ = Σ_i m_i u_i v_i;
* ``affinity``: S as CSR, symmetric, sorted, each pair stored twice;
* ``classes``: the class-label similarity, `ClassMeans`;
* ``values``, ``columns``: a table, or a tile of it, of which these columns are meant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, FloatArray
from eigenselect.graph import ClassMeans


def center(tile: FloatArray, reference: int, mass: FloatArray, volume: float) -> tuple[FloatArray, FloatArray]:
    """Subtract the weighted mean of each column in place; return the means μ = Σ m_i f_i / vol and Σ m_i g_i².

    The values of one sample are subtracted first: a constant feature becomes exactly zero, and a large mean is gone
    before anything is multiplied.
    """
    shift = tile[reference].copy()
    tile -= shift
    mean = inner(mass, tile, np.ones(1)) / volume
    tile -= mean
    return shift + mean, inner(mass, tile, tile)


def inner(mass: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Compute Σ_i m_i u_i v_i of each pair of columns, in row order: equal columns give equal sums, unlike by BLAS."""
    return np.sum(mass[:, None] * first * second, axis=0)


def energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """Compute gᵀLg = Σ_{i<j} S_ij (g_i - g_j)² of each column: a sum without cancellation.

    >>> S = sparse.csr_array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]])
    >>> energy(S, np.array([[0.0], [1.0], [3.0]]))
    array([6.])
    """
    return _over_edges(affinity, tile, np.square)


def _over_edges(affinity: sparse.csr_array, tile: FloatArray, cost: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Sum S_ij cost(g_i - g_j) over i < j, in blocks of edges."""
    lower = sparse.tril(affinity, -1, format="coo")
    total = np.zeros(tile.shape[1])
    step = max(1, 2**19 // max(1, tile.shape[1]))
    for start in range(0, lower.nnz, step):
        edges = slice(start, start + step)
        difference = tile[lower.row[edges]] - tile[lower.col[edges]]
        total += np.sum(lower.data[edges, None] * cost(difference), axis=0)
    return total


def class_energy(classes: ClassMeans, tile: FloatArray) -> FloatArray:
    """Compute Σ_i (g_i - mean of its class)² of each column."""
    return classes.energy(tile)


def class_scatter(classes: ClassMeans, values: AnyArray, columns: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the within and between scatter and the mean of some columns of any type."""
    tile = values[:, columns].astype(np.float64)
    shift = tile[classes.first]
    return classes.energy(tile), *classes.between(shift, classes.means(tile - shift[classes.codes]))


def sparse_class_scatter(classes: ClassMeans, X: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute the within and between scatter and the mean of sparse columns, from their non-zeros."""
    return classes.sparse_scatter(X)


def absolute_energy(affinity: sparse.csr_array, tile: FloatArray) -> FloatArray:
    """Compute Σ_{i<j} S_ij |g_i - g_j| of each column."""
    return _over_edges(affinity, tile, np.abs)


def walk(
    affinity: sparse.csr_array, row_sums: FloatArray, inverse_mass: FloatArray, tile: FloatArray, out: FloatArray
) -> None:
    """Write P g = (row_sums ∘ g - S g) / m of each column to ``out``."""
    out[...] = inverse_mass[:, None] * (row_sums[:, None] * tile - affinity @ tile)
