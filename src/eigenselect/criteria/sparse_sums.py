"""Sums over the non-zeros of sparse columns, and over the edges that meet them."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.engine import Engine
from eigenselect.graph import SampleGraph

#: columns of a sparse X that one thread takes at a time
SPARSE_COLUMNS = 256


def sparse_energy(affinity: sparse.csr_array, X: sparse.csc_array, engine: Engine, n_jobs: int | None) -> FloatArray:
    """Sum S_ij (f_i - f_j)² over the edges of sparse columns, by compiled loops."""
    energy = np.empty(X.shape[1])

    def compute(columns: slice) -> None:
        engine.loops.sparse_energy(affinity, X, columns, energy)

    map_blocks(compute, slices(X.shape[1], SPARSE_COLUMNS), n_jobs)
    return energy


def sparse_moments(X: sparse.csc_array, graph: SampleGraph) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute m-weighted means and ⟨g, g⟩ of sparse columns from their non-zeros, and the volume that these cover."""
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    mean = per_column(X, column, graph.mass[X.indices] * X.data) / graph.volume
    spread, covered = sparse_squares(X, column, graph.mass, mean)
    return mean, spread, covered


def sparse_squares(
    X: sparse.csc_array, column: IntArray, weights: FloatArray, mean: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum w_i (f_i - μ)² of sparse columns, and the weights that their non-zeros cover.

    The zeros of a column add μ² times their weights, which are known by difference.
    """
    weight = weights[X.indices]
    covered = per_column(X, column, weight)
    deviation = X.data.astype(np.float64, copy=False) - mean[column]
    return per_column(X, column, weight * deviation**2) + mean**2 * (float(weights.sum()) - covered), covered


def per_column(X: sparse.csc_array, column: IntArray, values: FloatArray) -> FloatArray:
    """Sum values of the non-zeros by column."""
    return np.bincount(column, weights=values, minlength=X.shape[1]).astype(np.float64, copy=False)
