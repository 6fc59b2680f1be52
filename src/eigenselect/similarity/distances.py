"""Exact squared distances between samples.

Distances come from Gram matrices (fast BLAS) of column-centred data, accumulated over blocks
of features, so that a memory-mapped or float32 table is never copied whole. Where the Gram
form loses digits (near-copies), the pair is computed again from its differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._floats import LARGEST_SQUARE, SMALLEST_SQUARE, OutOfRangeError
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import DaskMatrix, Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.base import ALL_PAIRS
from eigenselect.similarity.gram import FEATURE_BLOCK_BYTES, TILE_ROWS, FeatureBlocks, dense_gram, mirrored
from eigenselect.similarity.ties import ANGLE_CANCELLATION, CANCELLATION

#: bytes of an n × n Gram matrix that is held at once; beyond, rows are taken in panels
FULL_GRAM_BYTES = 2**27
#: bytes of one panel of distances
PANEL_BYTES = 2**25
#: bytes of rows that are worked on entry by entry
THIN_PANEL_BYTES = 2**19
#: time of one scattered add of a sparse product, in multiply-adds of BLAS
SCATTERED_ADD_COST = 50.0
#: rows whose largest value is within 2^±this have squares that fit
ORDINARY_EXPONENT = 300


def squared_distances(X: Any, *, metric: str = "euclidean", n_jobs: int | None = None) -> FloatArray:
    """Compute all n × n squared distances, exactly symmetric, zero on the diagonal.

    They replace the inner products that they are made of, so that nothing of their size is held beside them.
    """
    X = as_matrix(X)
    products = _Products(X if metric == "euclidean" else rows_of_like_size(X), metric == "euclidean", n_jobs, full=True)
    result = np.empty((X.n_samples, X.n_samples)) if products.gram is None else products.gram
    panels = _panels(products, metric)

    def fill(rows: slice) -> None:
        result[rows] = panels(rows)

    map_blocks(fill, row_panels(X.n_samples) if products.gram is None else thin_panels(X.n_samples), n_jobs)
    np.fill_diagonal(result, 0.0)
    return mirrored(result)


def gram_matrix(X: Any, *, n_jobs: int | None = None) -> FloatArray:
    """Compute X Xᵀ as a dense n × n array, exactly symmetric."""
    X = as_matrix(X)
    if X.is_sparse and not isinstance(X, DaskMatrix):
        X = X.out_of_file(ALL_PAIRS)
    gram = _sparse_gram(X, n_jobs) if isinstance(X, SparseMatrix) else dense_gram(X, center=False, n_jobs=n_jobs)
    check_range(X, gram.diagonal(), center=False)
    return gram


def cosine_matrix(X: Matrix, *, n_jobs: int | None = None) -> FloatArray:
    """Compute the cosines of all pairs of samples, exactly symmetric; 0 for samples of zeros."""
    gram = gram_matrix(rows_of_like_size(X), n_jobs=n_jobs)
    inverse = _inverse_lengths(gram.diagonal())

    def divide(rows: slice) -> None:
        gram[rows] *= inverse
        gram[rows] *= inverse[rows, None]

    map_blocks(divide, thin_panels(X.n_samples), n_jobs)
    return gram


def _sparse_gram(X: SparseMatrix, n_jobs: int | None) -> FloatArray:
    gram = np.empty((X.n_samples, X.n_samples))
    products = _sparse_products(X.by_row.astype(np.float64))

    def fill(rows: slice) -> None:
        gram[rows] = products(rows)

    map_blocks(fill, row_panels(X.n_samples), n_jobs)
    return gram


def rows_of_like_size(X: Matrix) -> Matrix:
    """Divide each row by a power of two where some are very large or small: cosines do not see it."""
    if X.dtype != np.float64:  # squares of all others fit into it
        return X
    exponents = X.row_exponents()
    return X if (np.abs(exponents) < ORDINARY_EXPONENT).all() else X.divided_rows(exponents)


# -- panels of distances: rows × all samples -------------------------------------------------


def row_panels(n_samples: int) -> list[slice]:
    """Slices of rows whose distances to all samples make one panel."""
    return slices(n_samples, max(16, min(TILE_ROWS, PANEL_BYTES // (8 * n_samples))))


def thin_panels(n_samples: int) -> list[slice]:
    """Slices of rows of an n × n matrix that fit the cache, for what is done with each entry by itself."""
    return slices(n_samples, max(1, THIN_PANEL_BYTES // (8 * n_samples)))


def distance_panels(X: Matrix, metric: str, n_jobs: int | None) -> Any:
    """Make a function from a slice of rows to their distances to all samples: squared Euclidean or cosine."""
    center = metric == "euclidean"
    return _panels(_Products(X if center else rows_of_like_size(X), center, n_jobs), metric)


def _panels(products: _Products, metric: str) -> Any:
    X, norms = products.X, products.norms
    if metric == "cosine":
        inverse = _inverse_lengths(norms)

        def cosine_panel(rows: slice) -> FloatArray:
            squared = np.clip(2.0 - 2.0 * products(rows) * inverse[rows, None] * inverse, 0.0, 4.0)
            first, second = _lost_pairs(squared, ANGLE_CANCELLATION, rows)
            squared[first, second] = unit_distances(X, inverse, first + rows.start, second)
            return squared

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


def _inverse_lengths(norms: FloatArray) -> FloatArray:
    """Return 1/|x| of every sample from |x|²; 0 for samples of zeros."""
    lengths = np.sqrt(norms)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


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


class _Products:
    """A function from a slice of rows to their inner products with all samples.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    center : bool
        Subtract the mean of every feature, where products are made of dense blocks.
    n_jobs : int, optional
    full : bool, default=False
        Hold the n × n products whatever their size: the caller needs as much anyway.

    Attributes
    ----------
    X : Matrix
        The same table, in memory where it would be read over and over.
    norms : ndarray of shape (n,)
        Squared lengths of all samples.
    gram : ndarray of shape (n, n) or None
        All products, where they are held; the caller may overwrite rows that nobody asks for again.
    """

    gram: FloatArray | None = None

    def __init__(self, X: Matrix, center: bool, n_jobs: int | None, *, full: bool = False) -> None:
        held = full or 8 * X.n_samples**2 <= FULL_GRAM_BYTES
        cheap = X.is_sparse and not isinstance(X, DaskMatrix) and is_cheap_to_square(X)
        self.X = X if held and not cheap else X.out_of_file(ALL_PAIRS)  # panels read a table again for each
        if isinstance(self.X, SparseMatrix) and cheap:
            by_row = self.X.by_row.astype(np.float64)
            with np.errstate(over="ignore"):
                self.norms = np.asarray(by_row.multiply(by_row).sum(axis=1), dtype=np.float64).ravel()
            self._product = _sparse_products(by_row)
        elif held:
            gram = self.gram = dense_gram(self.X, center=center, n_jobs=n_jobs)
            self.norms = gram.diagonal().copy()
            self._product = lambda rows: gram[rows]
        else:
            self._product, self.norms = _panel_products(FeatureBlocks(self.X, center), X.n_samples)

    def __call__(self, rows: slice) -> FloatArray:
        return np.asarray(self._product(rows))


def _sparse_products(by_row: sparse.csr_array) -> Any:
    transposed = sparse.csr_array(by_row.T)
    return lambda rows: (by_row[rows] @ transposed).toarray()


def _panel_products(blocks: FeatureBlocks, n_samples: int) -> tuple[Any, FloatArray]:
    def product(rows: slice) -> FloatArray:
        total = np.zeros((rows.stop - rows.start, n_samples))
        for block in blocks:
            total += block[rows] @ block.T
        return total

    norms = np.zeros(n_samples)
    for block in blocks:
        with np.errstate(over="ignore", invalid="ignore"):
            norms += np.einsum("ij,ij->i", block, block)
    return product, norms


def is_cheap_to_square(X: Matrix) -> bool:
    """Whether X Xᵀ is cheaper by sparse products (Σ_j nnz_j² scattered adds) than by BLAS on dense blocks."""
    per_column = X.column_counts().astype(np.float64)
    return bool(SCATTERED_ADD_COST * (per_column**2).sum() < X.n_samples**2 * float(X.n_features))


def _recompute_lost_digits(X: Matrix, squared: FloatArray, scale: FloatArray, rows: slice) -> None:
    """Replace the distances of near-copies, in place, by sums of squared differences; ``scale`` is overwritten."""
    first, second = _lost_pairs(squared, np.multiply(scale, CANCELLATION, out=scale), rows)
    for pairs in slices(first.size, max(1, FEATURE_BLOCK_BYTES // (8 * X.n_features))):
        here, there = first[pairs], second[pairs]
        squared[here, there] = X.pair_distances(here + rows.start, there)


def _lost_pairs(squared: FloatArray, limit: FloatArray | float, rows: slice) -> tuple[IntArray, IntArray]:
    """Find the entries of a panel that are below a limit, but for samples with themselves."""
    first, second = np.divmod(np.flatnonzero(squared < limit), squared.shape[1])
    other = first + rows.start != second
    return first[other], second[other]


def unit_distances(X: Matrix, inverse: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Compute |x/|x| - y/|y||² of pairs of rows from differences; 0 for what only rounding tells apart.

    2 - 2 cos has lost the digits of rows that are nearly parallel.

    Parameters
    ----------
    X : Matrix
    inverse : ndarray of shape (n,)
        1/|x| of every row.
    first, second : ndarray of int
    """
    squared = np.empty(first.size)
    for pairs in slices(first.size, max(1, FEATURE_BLOCK_BYTES // (8 * X.n_features))):
        one, other = (X.block(rows[pairs], slice(None)) * inverse[rows[pairs], None] for rows in (first, second))
        one -= other
        squared[pairs] = np.einsum("ij,ij->i", one, one)
    squared[squared <= ((X.n_features + 16) * np.finfo(np.float64).eps) ** 2] = 0.0
    return squared
