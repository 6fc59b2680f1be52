"""Sums over the non-zeros of a sparse table, and over the edges that meet them.

No table is turned from rows to columns as a whole: sums over edges walk over the rows of neighbouring samples (see
`eigenselect.matrix.row_bands`), in the table's own dtype. With f of one column, and every edge counted once,

    Σ S_ij (f_i - f_j)² = Σ_i d_i f_i² - 2 Σ S_ij f_i f_j,

where only edges between two non-zeros have a product. Where the difference is small against its terms, digits are
lost: such columns are measured again by differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from eigenselect._floats import lost_digits
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.engine import Engine
from eigenselect.graph import SampleGraph
from eigenselect.matrix import SparseMatrix

if TYPE_CHECKING:
    from eigenselect.criteria.sparse_loops import Pairs

#: columns that one thread takes at a time where differences are summed
SPARSE_COLUMNS = 256


def sparse_energy(affinity: sparse.csr_array, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray:
    """Sum S_ij (f_i - f_j)² over the edges, by compiled loops."""
    from eigenselect.criteria.sparse_loops import add_products

    energy, lost = _over_pairs(add_products, engine.pairs(affinity, n_jobs), X, 2.0, n_jobs)
    for part in X.column_parts(lost):
        columns = X.take_columns(part).by_column
        columns = columns if X.dtype.kind == "f" else columns.astype(np.float64)  # squares of integers may overflow
        energy[part] = _energy_by_differences(affinity, columns, engine, n_jobs)
    return energy


def sparse_absolute(affinity: sparse.csr_array, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray:
    """Sum S_ij |f_i - f_j| over the edges, by compiled loops."""
    from eigenselect.criteria.sparse_loops import add_absolute

    energy, lost = _over_pairs(add_absolute, engine.pairs(affinity, n_jobs), X, 1.0, n_jobs)
    for part in X.column_parts(lost):
        columns = X.take_columns(part)

        def measure(tile: slice, columns: SparseMatrix = columns, part: IntArray = part) -> None:
            energy[part[tile]] = engine.loops.absolute_energy(affinity, engine.tile(columns, tile))

        map_blocks(measure, columns.tiles(), n_jobs)
    return energy


def sparse_images(X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray:
    """Compute ⟨P f, P f⟩ = Σ_i (L f)_i² / m_i, by compiled loops."""
    from eigenselect.criteria.sparse_loops import add_images
    from eigenselect.matrix.row_bands import row_bands

    graph, total = engine.graph, np.empty(X.n_features)
    edges = engine.edges(graph.affinity)
    for band in row_bands(X.raw):
        total[band.columns] = band.summed(add_images, 1, n_jobs, *edges, graph.inverse_mass, room=True)[0]
    return total


def sparse_moments(
    X: SparseMatrix, graph: SampleGraph, engine: Engine, n_jobs: int | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute m-weighted means and ⟨g, g⟩ of sparse columns from their non-zeros, and the volume that these cover.

    Compiled loops visit every value once: ⟨g, g⟩ = Σ m f² - vol · μ², in which at most one bit cancels where the
    non-zeros cover at most half of the volume, for then vol · μ² ≤ Σ m f² / 2. Others are for the dense route.
    """
    if engine.is_compiled:
        sums, squares, covered = _moments(X, graph.mass, n_jobs)
        mean = sums / graph.volume
        return mean, squares - sums * mean, covered
    mean, _ = _weighted_sums(X, graph.mass)
    mean /= graph.volume
    spread, covered = sparse_squares(X, graph.mass, mean, engine, n_jobs)
    return mean, spread, covered


def sparse_means(X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray:
    """Compute plain means of sparse columns."""
    ones = np.ones(X.n_samples)
    sums = _moments(X, ones, n_jobs)[0] if engine.is_compiled else _weighted_sums(X, ones)[0]
    return sums / X.n_samples


def sparse_squares(
    X: SparseMatrix, weights: FloatArray, mean: FloatArray, engine: Engine, n_jobs: int | None
) -> tuple[FloatArray, FloatArray]:
    """Sum w_i (f_i - μ)² of sparse columns, and the weights that their non-zeros cover.

    The zeros of a column add μ² times their weights, which are known by difference.
    """
    if engine.is_compiled:
        from eigenselect.criteria.sparse_loops import add_squares
        from eigenselect.matrix.row_bands import row_bands

        sums = np.empty((2, X.n_features))
        for band in row_bands(X.raw):
            sums[:, band.columns] = band.summed(add_squares, 2, n_jobs, weights, mean[band.columns])
        squares, covered = sums
    else:
        row, column = _places(X.raw)
        deviation = X.raw.data.astype(np.float64) - mean[column]
        squares = _per_column(X, column, weights[row] * deviation**2)
        covered = _per_column(X, column, weights[row])
    return squares + mean**2 * (float(weights.sum()) - covered), covered


def _weighted_sums(X: SparseMatrix, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sum w_i f_i of the columns of a small table, and the weights that their non-zeros cover."""
    row, column = _places(X.raw)
    return _per_column(X, column, weights[row] * X.raw.data), _per_column(X, column, weights[row])


def _moments(X: SparseMatrix, weights: FloatArray, n_jobs: int | None) -> FloatArray:
    """Sum w_i f_i and w_i f_i² of sparse columns, and the weights that their non-zeros cover, by compiled loops."""
    from eigenselect.criteria.sparse_loops import add_moments
    from eigenselect.matrix.row_bands import row_bands

    sums = np.empty((3, X.n_features))
    for band in row_bands(X.raw):
        sums[:, band.columns] = band.summed(add_moments, 3, n_jobs, weights)
    return sums


def _over_pairs(
    add: Callable[..., None], pairs: Pairs, X: SparseMatrix, factor: float, n_jobs: int | None
) -> tuple[FloatArray, IntArray]:
    """Compute Σ_i d_i c(f_i) minus ``factor`` times the sum over edges, and which columns lost digits by it."""
    from eigenselect.matrix.row_bands import row_bands

    energy, terms = np.empty(X.n_features), np.empty(X.n_features)
    for band in row_bands(X.raw):
        ordered = band.in_order(pairs.order)
        alone, terms[band.columns], together = ordered.summed(
            add, 3, n_jobs, pairs.degrees, pairs.sizes, of_blocks=pairs.lists, room=True
        )
        energy[band.columns] = alone - factor * together
    return energy, lost_digits(energy, terms)


def _energy_by_differences(
    affinity: sparse.csr_array, X: sparse.csc_array, engine: Engine, n_jobs: int | None
) -> FloatArray:
    """Sum S_ij (f_i - f_j)² over the edges of sparse columns, difference by difference."""
    energy = np.empty(X.shape[1])

    def compute(columns: slice) -> None:
        engine.loops.sparse_energy(affinity, X, columns, energy)

    map_blocks(compute, slices(X.shape[1], SPARSE_COLUMNS), n_jobs)
    return energy


def _places(X: Any) -> tuple[IntArray, IntArray]:
    """Return row and column of every stored value of a small table."""
    along = np.repeat(np.arange(X.indptr.size - 1), np.diff(X.indptr))
    return (along, X.indices) if X.format == "csr" else (X.indices, along)


def _per_column(X: SparseMatrix, column: IntArray, values: FloatArray) -> FloatArray:
    """Sum values of the non-zeros by column."""
    return np.bincount(column, weights=values, minlength=X.n_features).astype(np.float64, copy=False)
