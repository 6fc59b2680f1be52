"""Exact squared distances between samples.

Distances come from Gram matrices (fast BLAS) of column-centred data, accumulated over blocks
of features, so that a memory-mapped or float32 table is never copied whole. Where the Gram
form loses digits (near-copies), the pair is computed again from its differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._floats import LARGEST_SQUARE, SMALLEST_SQUARE, OutOfRangeError
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.base import ALL_PAIRS

#: bytes of features converted to float64 at a time
FEATURE_BLOCK_BYTES = 2**24
#: bytes of an n × n Gram matrix that is held at once; beyond, rows are taken in panels
FULL_GRAM_BYTES = 2**27
#: bytes of one panel of distances
PANEL_BYTES = 2**25
#: bytes of dense feature blocks that are kept between panels
KEPT_BLOCKS_BYTES = 2**28
#: time of one scattered add of a sparse product, in multiply-adds of BLAS
SCATTERED_ADD_COST = 50.0
#: rows and columns of one tile of a Gram matrix
TILE_ROWS = 256
#: d² below this part of |x|² + |y|² has lost too many digits and is computed again
CANCELLATION = 1e-6
#: rows whose largest value is within 2^±this have squares that fit
ORDINARY_EXPONENT = 300


def squared_distances(X: Any, *, metric: str = "euclidean", n_jobs: int | None = None) -> FloatArray:
    """Compute all n × n squared distances, exactly symmetric, zero on the diagonal."""
    X = as_matrix(X)
    result = np.empty((X.n_samples, X.n_samples))
    panels = distance_panels(X, metric, n_jobs)

    def fill(rows: slice) -> None:
        result[rows] = panels(rows)

    map_blocks(fill, row_panels(X.n_samples), n_jobs)
    np.fill_diagonal(result, 0.0)
    return _mirrored(result)


def gram_matrix(X: Any, *, n_jobs: int | None = None) -> FloatArray:
    """Compute X Xᵀ as a dense n × n array, exactly symmetric."""
    X = as_matrix(X)
    if X.is_sparse:
        X = X.out_of_file(ALL_PAIRS)
    if isinstance(X, SparseMatrix):
        wide = X.by_row.astype(np.float64)
        gram = np.asarray((wide @ wide.T).toarray())
    else:
        gram = _dense_gram(X, center=False, n_jobs=n_jobs)
    check_range(X, gram.diagonal(), center=False)
    return gram


def cosine_matrix(X: Matrix, *, n_jobs: int | None = None) -> FloatArray:
    """Compute the cosines of all pairs of samples, exactly symmetric; 0 for samples of zeros."""
    gram = gram_matrix(rows_of_like_size(X), n_jobs=n_jobs)
    lengths = np.sqrt(gram.diagonal())
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return gram * inverse * inverse[:, None]


def rows_of_like_size(X: Matrix) -> Matrix:
    """Divide each row by a power of two where some are very large or small: cosines do not see it."""
    if X.dtype == np.float32:  # squares of these fit into float64
        return X
    exponents = X.row_exponents()
    return X if (np.abs(exponents) < ORDINARY_EXPONENT).all() else X.divided_rows(exponents)


# -- panels of distances: rows × all samples -------------------------------------------------


def row_panels(n_samples: int) -> list[slice]:
    """Slices of rows whose distances to all samples make one panel."""
    return slices(n_samples, max(16, min(TILE_ROWS, PANEL_BYTES // (8 * n_samples))))


def distance_panels(X: Matrix, metric: str, n_jobs: int | None) -> Any:
    """Make a function from a slice of rows to their distances to all samples: squared Euclidean or cosine."""
    center = metric == "euclidean"
    X = X if center else rows_of_like_size(X)
    products, norms = _products(X, center, n_jobs)
    if metric == "cosine":
        lengths = np.sqrt(norms)
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)

        def cosine_panel(rows: slice) -> FloatArray:
            return np.clip(2.0 - 2.0 * products(rows) * inverse[rows, None] * inverse, 0.0, 4.0)

        return cosine_panel

    check_range(X, norms, center=True)

    def panel(rows: slice) -> FloatArray:
        scale = norms[rows, None] + norms
        squared = -2.0 * products(rows)
        squared += scale
        np.maximum(squared, 0.0, out=squared)
        _recompute_lost_digits(X, squared, scale, rows)
        return squared

    return panel


def check_range(X: Matrix, norms: FloatArray, *, center: bool) -> None:
    """Refuse a table whose squared lengths overflow or vanish; one without any difference has nothing to lose."""
    largest = norms.max(initial=0.0)
    if SMALLEST_SQUARE < largest < LARGEST_SQUARE:
        return
    if np.isfinite(largest) and _has_nothing_to_square(X, center):
        return
    raise OutOfRangeError("X holds values too large or too small for squared distances; scale the features first.")


def _has_nothing_to_square(X: Matrix, center: bool) -> bool:
    """Whether X is zero, or, where its means are subtracted, all samples are alike."""
    low, high = X.column_extremes()
    return bool((low == high).all()) if center else not (low.any() or high.any())


def _products(X: Matrix, center: bool, n_jobs: int | None) -> tuple[Any, FloatArray]:
    """Make a function from a slice of rows to their inner products with all samples; return all squared norms, too."""
    fits = 8 * X.n_samples**2 <= FULL_GRAM_BYTES
    if not fits or (X.is_sparse and _is_cheap_to_square(X)):
        X = X.out_of_file(ALL_PAIRS)  # in panels, a table in a file would be read again for each
    if isinstance(X, SparseMatrix) and _is_cheap_to_square(X):
        rows_of = X.by_row.astype(np.float64)
        transposed = sparse.csr_array(rows_of.T)
        with np.errstate(over="ignore"):
            norms = np.asarray(rows_of.multiply(rows_of).sum(axis=1), dtype=np.float64).ravel()
        return lambda rows: (rows_of[rows] @ transposed).toarray(), norms
    if fits:
        gram = _dense_gram(X, center=center, n_jobs=n_jobs)
        return lambda rows: gram[rows], gram.diagonal().copy()
    blocks = _FeatureBlocks(X, center)

    def product(rows: slice) -> FloatArray:
        total = np.zeros((rows.stop - rows.start, X.n_samples))
        for block in blocks:
            total += block[rows] @ block.T
        return total

    norms = np.zeros(X.n_samples)
    for block in blocks:
        with np.errstate(over="ignore", invalid="ignore"):
            norms += np.einsum("ij,ij->i", block, block)
    return product, norms


def _is_cheap_to_square(X: Matrix) -> bool:
    """Whether X Xᵀ is cheaper by sparse products (Σ_j nnz_j² scattered adds) than by BLAS on dense blocks."""
    per_column = X.column_counts().astype(np.float64)
    return bool(SCATTERED_ADD_COST * (per_column**2).sum() < X.n_samples**2 * float(X.n_features))


def _dense_gram(X: Matrix, *, center: bool, n_jobs: int | None) -> FloatArray:
    """Compute X Xᵀ by tiles of the upper triangle, one thread each; features in blocks, centred if asked."""
    blocks = _FeatureBlocks(X, center)
    gram = np.zeros((X.n_samples, X.n_samples))
    rows = slices(X.n_samples, TILE_ROWS)
    tiles = [(a, b) for index, a in enumerate(rows) for b in rows[index:]]

    def fill(tile: tuple[slice, slice]) -> None:
        a, b = tile
        with np.errstate(over="ignore", invalid="ignore"):
            product = sum(block[a] @ block[b].T for block in blocks)
        gram[a, b] = product
        if a != b:
            gram[b, a] = np.transpose(product)

    if blocks.kept is not None:
        map_blocks(fill, tiles, n_jobs)
        return gram
    for block in blocks:

        def accumulate(tile: tuple[slice, slice], block: FloatArray = block) -> None:
            with np.errstate(over="ignore", invalid="ignore"):
                gram[tile] += block[tile[0]] @ block[tile[1]].T

        map_blocks(accumulate, tiles, n_jobs)
    return _mirrored(gram)


class _FeatureBlocks:
    """Iterates over X as dense float64 blocks of columns, each centred if asked.

    Blocks of a table that fits `KEPT_BLOCKS_BYTES` are made once and kept, larger ones are made again each time.
    """

    def __init__(self, X: Matrix, center: bool) -> None:
        self._X, self._center = X, center
        fits = 8 * X.n_samples * X.n_features <= KEPT_BLOCKS_BYTES
        self.kept: list[FloatArray] | None = list(self._made()) if fits else None

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self.kept) if self.kept is not None else self._made()

    def _made(self) -> Iterator[FloatArray]:
        width = max(64, FEATURE_BLOCK_BYTES // (8 * self._X.n_samples))
        for start in range(0, self._X.n_features, width):
            block = self._X.tile(slice(start, min(start + width, self._X.n_features)))
            if self._center:
                with np.errstate(over="ignore", invalid="ignore"):  # seen in the squared lengths
                    block -= block.mean(axis=0)
            yield block


def _mirrored(matrix: FloatArray) -> FloatArray:
    """Copy the upper triangle onto the lower one, in place."""
    for rows in slices(len(matrix), TILE_ROWS):
        matrix[rows, : rows.start] = matrix[: rows.start, rows].T
        corner = matrix[rows, rows]
        lower = np.tril_indices(len(corner), -1)
        corner[lower] = corner.T[lower]
    return matrix


def _recompute_lost_digits(X: Matrix, squared: FloatArray, scale: FloatArray, rows: slice) -> None:
    """Replace the distances of near-copies, in place, by sums of squared differences; ``scale`` is overwritten."""
    lost = np.flatnonzero(squared < np.multiply(scale, CANCELLATION, out=scale))
    first, second = np.divmod(lost, squared.shape[1])
    other = first + rows.start != second
    first, second = first[other], second[other]
    if not first.size:
        return
    for pairs in slices(first.size, max(1, FEATURE_BLOCK_BYTES // (8 * X.n_features))):
        here, there = first[pairs], second[pairs]
        squared[here, there] = X.pair_distances(here + rows.start, there)
