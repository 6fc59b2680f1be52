"""Inner products and squared distances of all pairs of samples, as sums over blocks of features.

Distances come from products of column-centred samples (BLAS); those of near copies, whose digits cancel, are computed
again from differences. A file, a float32 table or one of integers is widened to float64 a block at a time, and a Dask
array adds up the sums of its blocks of columns on the workers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import DaskMatrix, Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.base import ALL_PAIRS
from eigenselect.matrix.dask_passes import added, combined, over_columns

#: bytes of an n × n matrix that a neighbour search may hold; more samples are compared in panels of rows
FULL_GRAM_BYTES = 2**27
#: bytes of a block of features
BLOCK_BYTES = 2**23
#: bytes of one panel of distances, and of rows of a matrix that fit the cache
PANEL_BYTES, CACHED_BYTES = 2**25, 2**19
#: rows and columns of one tile of an n × n matrix
TILE_ROWS = 128
#: time of one scattered add of a sparse product, in multiply-adds of BLAS
SCATTERED_ADD_COST = 50.0
#: d² below this part of |x|² + |y|² has fewer than the 11 digits by which ties are decided, and is computed from
#: differences; directions may keep fewer digits, because most spectra are nearer to each other than that
CANCELLATION = {"euclidean": 1e-4, "cosine": 1e-6, "manhattan": 1e-4}

Rows = slice | IntArray
#: of two blocks with the same columns: the part that these have in a sum for all pairs of their rows
Kernel = Callable[[FloatArray, FloatArray], FloatArray]
#: what is subtracted from the columns of a block, such as ``np.mean``
Origin = Callable[..., FloatArray]


def gram_matrix(X: Any, *, n_jobs: int | None = None) -> FloatArray:
    """Compute X Xᵀ as a dense n × n array, exactly symmetric."""
    X = as_matrix(X)
    if X.is_sparse and not isinstance(X, DaskMatrix):
        X = X.out_of_file(ALL_PAIRS)
    if not isinstance(X, SparseMatrix):
        return all_pairs(X, np.inner, n_jobs)
    return _filled(np.empty((X.n_samples, X.n_samples)), _sparse_products(X), n_jobs, PANEL_BYTES)


def cosine_matrix(X: Matrix, *, n_jobs: int | None = None) -> FloatArray:
    """Compute the cosines of all pairs of samples, exactly symmetric; 0 for samples of zeros."""
    gram = gram_matrix(X, n_jobs=n_jobs)
    inverse = _inverse_lengths(gram.diagonal())
    return _filled(gram, lambda rows: gram[rows] * (inverse * inverse[rows, None]), n_jobs)


def squared_distances(X: Any, *, metric: str = "euclidean", n_jobs: int | None = None) -> FloatArray:
    """Compute all n × n squared distances in place of the products, exactly symmetric, zero on the diagonal."""
    X = as_matrix(X)
    distances = Distances(X, metric, n_jobs, hold=True)
    squared = np.empty((X.n_samples, X.n_samples)) if distances.gram is None else distances.gram
    _filled(squared, distances, n_jobs, CACHED_BYTES if squared is distances.gram else PANEL_BYTES)
    np.fill_diagonal(squared, 0.0)
    return squared


class Distances:
    """A function from some samples to their squared distances from all samples.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    metric : {"euclidean", "cosine"}
        The cosine distance is Euclidean between samples of unit length: d² = 2 - 2 cos.
    n_jobs : int, optional
    hold : bool, optional
        Hold all n × n products; by default if they take at most `FULL_GRAM_BYTES`.

    Attributes
    ----------
    X : Matrix
        The same table, in memory if it is read more than once.
    norms : ndarray of shape (n,)
        Squared lengths of all samples, less their mean; ones for cosines.
    factors : ndarray of shape (n,) or None
        One over the length of every sample, for cosines.
    gram : ndarray of shape (n, n) or None
        All products, if they are held; callers may overwrite rows that they do not need again.
    """

    gram: FloatArray | None = None

    def __init__(self, X: Matrix, metric: str, n_jobs: int | None, *, hold: bool | None = None) -> None:
        origin = self.origin = np.mean if metric == "euclidean" else None
        held = 8 * X.n_samples**2 <= FULL_GRAM_BYTES if hold is None else hold
        cheap = X.is_sparse and not isinstance(X, DaskMatrix) and _is_cheap_to_square(X)
        self.X = X if isinstance(X, DaskMatrix) or (held and not cheap) else X.out_of_file(ALL_PAIRS)
        self._limit = CANCELLATION[metric]
        if cheap and isinstance(self.X, SparseMatrix):
            self._products: Callable[[Rows], Any] = _sparse_products(self.X)
            norms = np.asarray(self.X.by_row.astype(np.float64).power(2).sum(axis=1)).ravel()
        elif held:
            gram = self.gram = all_pairs(self.X, np.inner, n_jobs, origin)
            self._products, norms = gram.__getitem__, gram.diagonal().copy()
        else:
            self._products = lambda rows: over_features(self.X, panel_sums, rows, np.inner, origin)
            norms = over_features(self.X, squared_lengths, origin)
        self.factors = _inverse_lengths(norms) if metric == "cosine" else None
        self.norms: FloatArray = norms if self.factors is None else np.ones(X.n_samples)

    def __call__(self, rows: Rows) -> FloatArray:
        squared = np.multiply(self._products(rows), -2.0)
        if self.factors is not None:
            squared *= self.factors * self.factors[rows, None]
        scale = self.norms[rows, None] + self.norms
        squared += scale
        np.maximum(squared, 0.0, out=squared)
        numbers = np.arange(self.X.n_samples)[rows]
        first, second = np.divmod(np.flatnonzero(squared < self._limit * scale), squared.shape[1])
        other = numbers[first] != second
        squared[first[other], second[other]] = self.between(numbers[first[other]], second[other])
        return squared

    def between(self, first: IntArray, second: IntArray) -> FloatArray:
        """Compute the squared distances of pairs of samples from their differences."""
        if not first.size:
            return np.empty(0)
        squared = over_features(self.X, pair_distances, first, second, self.factors)
        if self.factors is not None:
            squared[squared <= ((self.X.n_features + 16) * np.finfo(np.float64).eps) ** 2] = 0.0  # multiples of a row
            squared[self.factors[first] * self.factors[second] == 0] = 2.0  # a sample of zeros has no direction
        return squared


# -- sums over features ----------------------------------------------------------------------------


def over_features(X: Matrix, task: Callable[..., FloatArray], *shared: Any) -> FloatArray:
    """Compute ``task(X, *shared)``, a sum over features: for a Dask array on its workers, over blocks of columns."""
    if not isinstance(X, DaskMatrix):
        return task(X, *shared)
    (total,) = X.computed([combined([part for _, part in over_columns(X.raw, task, shared)], added)])
    return np.array(total)


def panel_sums(
    X: Matrix, rows: Rows, kernel: Kernel, origin: Origin | None, scale: FloatArray | None = None
) -> FloatArray:
    """Sum a kernel of some samples with all samples over blocks of features."""
    blocks = (_feature_block(X, columns, origin, scale) for columns in _feature_slices(X))
    return np.asarray(sum(kernel(block[rows], block) for block in blocks))


def squared_lengths(X: Matrix, origin: Origin | None) -> FloatArray:
    """Compute the squared lengths of all samples."""
    blocks = (_feature_block(X, columns, origin) for columns in _feature_slices(X))
    return np.asarray(sum(np.einsum("ij,ij->i", block, block) for block in blocks))


def pair_distances(X: Matrix, first: IntArray, second: IntArray, factors: FloatArray | None = None) -> FloatArray:
    """Compute |f_i x_i - f_j x_j|² of pairs of rows from differences; without factors, f is 1."""
    squared = np.empty(first.size)
    for pairs in slices(first.size, max(1, BLOCK_BYTES // (8 * X.n_features))):
        i, j = first[pairs], second[pairs]
        if factors is None:
            squared[pairs] = X.pair_distances(i, j)
        else:
            difference = X.block(i, slice(None)) * factors[i, None] - X.block(j, slice(None)) * factors[j, None]
            squared[pairs] = np.einsum("ij,ij->i", difference, difference)
    return squared


def all_pairs(
    X: Matrix, kernel: Kernel, n_jobs: int | None, origin: Origin | None = None, scale: FloatArray | None = None
) -> FloatArray:
    """Sum a symmetric kernel of all pairs of samples over blocks of features; threads share tiles of the result."""
    if isinstance(X, DaskMatrix):
        return over_features(X, panel_sums, slice(0, X.n_samples), kernel, origin, scale)
    features, rows = _feature_slices(X), slices(X.n_samples, TILE_ROWS)
    total = np.zeros((X.n_samples, X.n_samples))
    tiles = [(a, b) for place, a in enumerate(rows) for b in rows[place:]]
    for columns in features:
        block = _feature_block(X, columns, origin, scale)

        def add(tile: tuple[slice, slice], block: FloatArray = block) -> None:
            total[tile] += kernel(block[tile[0]], block[tile[1]])

        map_blocks(add, tiles, n_jobs)
    for a, b in tiles:
        total[b, a] = total[a, b].T
    return total


def _feature_slices(X: Matrix) -> list[slice]:
    return slices(X.n_features, max(64, BLOCK_BYTES // (8 * X.n_samples)))


def _feature_block(X: Matrix, columns: slice, origin: Origin | None, scale: FloatArray | None = None) -> FloatArray:
    """Return some columns as a dense float64 array, less their origin and times a scale, if these are given."""
    block = X.tile(columns)
    if origin is not None:
        block -= origin(block, axis=0)
    if scale is not None:
        block *= scale[columns]
    return block


def _sparse_products(X: SparseMatrix) -> Callable[[Rows], FloatArray]:
    by_row = X.by_row.astype(np.float64)
    transposed = sparse.csr_array(by_row.T)
    return lambda rows: np.asarray((by_row[rows] @ transposed).toarray())


def _is_cheap_to_square(X: Matrix) -> bool:
    """Whether X Xᵀ is cheaper by sparse products (Σ_j nnz_j² scattered adds) than by BLAS on dense blocks."""
    per_column = X.column_counts().astype(np.float64)
    return bool(SCATTERED_ADD_COST * (per_column**2).sum() < X.n_samples**2 * float(X.n_features))


# -- panels of rows --------------------------------------------------------------------------------


def panel_rows(n_samples: int, n_bytes: int = PANEL_BYTES) -> int:
    """Return how many rows of an n × n matrix fit a panel; with `CACHED_BYTES`, the cache."""
    return max(1, min(256, n_bytes // (8 * n_samples)))


def _filled(
    result: FloatArray, panel: Callable[[slice], FloatArray], n_jobs: int | None, n_bytes: int = CACHED_BYTES
) -> FloatArray:
    """Write panels of so many bytes into an n × n matrix."""

    def fill(rows: slice) -> None:
        result[rows] = panel(rows)

    map_blocks(fill, slices(len(result), panel_rows(len(result), n_bytes)), n_jobs)
    return result


def _inverse_lengths(norms: FloatArray) -> FloatArray:
    """Return 1/|x| of every sample from |x|²; 0 for samples of zeros."""
    lengths = np.sqrt(norms)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
