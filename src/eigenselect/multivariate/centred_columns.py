"""Columns of X for the path: centred on request, scaled, dense only in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix

#: columns that are copied, centred or multiplied at once
BLOCK = 2048
#: a centred column whose norm is below this part of the uncentred one holds nothing but rounding
ROUNDING = 1e-12
#: a product of two vectors is known up to this many units of rounding of their norms
EPSILONS = 16
#: a dense column whose mean exceeds this many norms is centred before it is multiplied
FAR = 100.0


class CentredColumns:
    r"""Multiply with :math:`(X - \mathbf 1 \mu^\top) / c` without forming it.

    A sparse X stays sparse. The scale c is the norm of the longest column. Use within `single_threaded_blas`, for the
    same bits anywhere.

    Parameters
    ----------
    X : Matrix, ndarray or sparse array of shape (n_samples, n_features)
    center : bool
        Whether :math:`\mu` holds the means of the columns, or zeros.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Attributes
    ----------
    scale : float
        c.
    means : ndarray of shape (n_features,)
        :math:`\mu`.
    norms : ndarray of shape (n_features,)
        Of the scaled columns; exactly 0 for columns without information (zero, or constant if centred).

    Examples
    --------
    >>> columns = CentredColumns(np.array([[1.0, 5], [3, 5]]), center=True)
    >>> columns.scale.round(3), columns.take(np.array([0])).round(3), columns.norms
    (np.float64(1.414), array([[-0.707,  0.707]]), array([1., 0.]))
    """

    def __init__(self, X: Any, *, center: bool, n_jobs: int | None = None) -> None:
        matrix = as_matrix(X).out_of_file("the path looks at all features again at every step")
        self.X = _by_column(matrix)
        self.n_samples, self.n_features = matrix.shape
        self.is_sparse, self.n_jobs = matrix.is_sparse, n_jobs
        self.means = np.zeros(self.n_features)
        norms = self._over_blocks(lambda part: self._measure(part, center))
        self.scale = norms.max(initial=0.0) or 1.0
        self.norms = norms / self.scale

    def take(self, columns: IntArray) -> FloatArray:
        """Copy columns, one per row: dense, contiguous and centred."""
        chosen = self.X[:, columns]
        dense = chosen.toarray() if self.is_sparse else chosen
        rows = np.ascontiguousarray(dense.T, dtype=np.float64) - self.means[columns, None]
        rows /= self.scale
        return np.asarray(rows)

    def correlation_norms(self, R: FloatArray) -> FloatArray:
        r"""Compute :math:`\lVert x_i^\top R \rVert` of every column."""
        total = R.sum(axis=0)

        def norms(part: slice) -> FloatArray:
            products = self._products(part, R, total)
            return np.sqrt(np.einsum("ij,ij->i", products, products))

        return self._over_blocks(norms)

    def largest_correlation(self, norms: FloatArray, R: FloatArray) -> float:
        r"""Give the largest of the `correlation_norms` of R, 0 if all of them are rounding errors of 0."""
        means = np.abs(self.means) / self.scale
        if not self.is_sparse:  # larger ones are subtracted before the product: see `_products`
            means = np.where(means > FAR * self.norms, 0.0, means)
        sizes = self.norms + np.sqrt(self.n_samples) * means
        rounding = EPSILONS * np.finfo(np.float64).eps * sizes * np.linalg.norm(R)
        return 0.0 if (norms <= rounding).all() else float(norms.max())

    def _products(self, part: slice, R: FloatArray, total: FloatArray) -> FloatArray:
        """Multiply one block with R; centre it first if its means would drown the differences."""
        far = (np.abs(self.means[part]) > FAR * self.scale * self.norms[part]).any()
        if self.is_sparse or (self.X.dtype == np.float64 and not far):
            products = self.X[:, part].T @ R
            products -= self.means[part, None] * total
            products /= self.scale
            return np.asarray(products)
        return np.asarray(self._centred_block(part).T @ R) / self.scale

    def _centred_block(self, part: slice) -> FloatArray:
        block = self.X[:, part].astype(np.float64)
        block -= self.means[part]
        return np.asarray(block)

    def _measure(self, part: slice, center: bool) -> FloatArray:
        """Set the means of one block and compute its norms, 0 where only rounding is left."""
        if center:
            self.means[part] = self._sparse_means(part) if self.is_sparse else self._dense_means(part)
        norms = self._sparse_norms(part) if self.is_sparse else np.linalg.norm(self._centred_block(part), axis=0)
        size = np.sqrt(self.n_samples) * np.abs(self.means[part])
        return np.where(norms <= ROUNDING * size, 0.0, norms)

    def _dense_means(self, part: slice) -> FloatArray:
        return np.asarray(self.X[:, part].mean(axis=0, dtype=np.float64))

    def _sparse_means(self, part: slice) -> FloatArray:
        return np.asarray(self.X[:, part].sum(axis=0, dtype=np.float64)).ravel() / self.n_samples

    def _sparse_norms(self, part: slice) -> FloatArray:
        """Compute norms of centred columns from their non-zeros; each zero adds the squared mean."""
        block, means = self.X[:, part], self.means[part]
        counts = np.diff(block.indptr)
        deviations = block.data - np.repeat(means, counts)
        squares = np.bincount(np.repeat(np.arange(counts.size), counts), deviations**2, counts.size)
        return np.sqrt(squares + (self.n_samples - counts) * means**2)

    def _over_blocks(self, task: Any) -> FloatArray:
        if self.n_features <= BLOCK:  # nothing to share among threads
            return np.asarray(task(slice(0, self.n_features)))
        return np.concatenate(map_blocks(task, slices(self.n_features, BLOCK), self.n_jobs))


def _by_column(matrix: Matrix) -> Any:
    """Give the storage; of a sparse matrix as CSC, which is multiplied column by column."""
    return matrix.by_column if isinstance(matrix, SparseMatrix) else matrix.raw
