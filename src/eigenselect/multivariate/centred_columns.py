"""The columns of X as the path sees them: centred if asked, of moderate size, dense only in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._parallel import map_blocks, slices

FloatArray = NDArray[np.float64]

#: columns that are copied, centred or multiplied at once
BLOCK = 2048
#: a centred column whose length is below this part of the uncentred one holds nothing but rounding
ROUNDING = 1e-12
#: a product of two vectors is known up to this many units of rounding of their lengths
EPSILONS = 16
#: the largest number of a table beyond 2 to the power of plus or minus this would overflow in sums, or lose digits
MODERATE = 900
#: a dense column with a mean of more than this many lengths is centred before it is multiplied
FAR = 100.0


class CentredColumns:
    r"""Products with :math:`(X - \mathbf 1 \mu^\top) / c`, which is never formed as a whole.

    A sparse X stays sparse. The scale c is a power of two near the length of the longest column: no digit is lost, and
    no square leaves the range of floating point.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
    center : bool
        Whether :math:`\mu` holds the means of the columns, or zeros.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Attributes
    ----------
    exponent : int
        c is 2 to its power, which may be beyond the range of floating point itself.
    lengths : ndarray of shape (n_features,)
        Norms of the columns; exactly 0 for those that hold no information (zero, or constant if centred).
    """

    def __init__(self, X: Any, *, center: bool, n_jobs: int | None = None) -> None:
        # A sparse X is multiplied column by column: rows of its transpose.
        self.X, unit = in_units(sparse.csc_array(X) if sparse.issparse(X) else X, MODERATE)
        self.n_samples, self.n_features = X.shape
        self.n_jobs = n_jobs
        self.scale = 2.0 ** exponent_of(largest(self.X))
        self.means = self._means() if center else np.zeros(self.n_features)
        lengths = np.concatenate(self._over_blocks(self._block_lengths))
        finer = 2.0 ** exponent_of(float(lengths.max(initial=0.0)))
        self.scale, self.means, self.lengths = self.scale * finer, self.means / finer, lengths / finer
        self.exponent = unit + exponent_of(self.scale)

    def take(self, columns: NDArray[np.intp]) -> FloatArray:
        """These columns, one per row: dense, contiguous and centred."""
        chosen = self.X[:, columns]
        dense = chosen.toarray() if sparse.issparse(chosen) else chosen
        rows = np.ascontiguousarray(dense.T, dtype=np.float64) / self.scale
        rows -= self.means[columns, None]
        return np.asarray(rows)

    def correlation_lengths(self, R: FloatArray) -> FloatArray:
        r""":math:`\lVert x_i^\top R \rVert` of every column."""
        total = R.sum(axis=0)

        def lengths(part: slice) -> FloatArray:
            return row_lengths(self._products(part, R, total))

        return np.concatenate(self._over_blocks(lengths))

    def highest_correlation(self, R: FloatArray) -> float:
        r"""The largest :math:`\lVert x_i^\top R \rVert`; 0 where all of them are no more than rounding makes of 0."""
        found = self.correlation_lengths(R)
        means = np.abs(self.means)
        if not sparse.issparse(self.X):  # larger ones are subtracted before the product: see `_products`
            means = np.where(means > FAR * self.lengths, 0.0, means)
        sizes = self.lengths + np.sqrt(self.n_samples) * means
        rounding = EPSILONS * np.finfo(np.float64).eps * sizes * np.linalg.norm(R)
        return 0.0 if (found <= rounding).all() else float(found.max())

    def _products(self, part: slice, R: FloatArray, total: FloatArray) -> FloatArray:
        """x_iᵀR of one block, from X as it is if the means are not so large that they would drown the differences."""
        far = (np.abs(self.means[part]) > FAR * self.lengths[part]).any()
        if sparse.issparse(self.X) or (self.X.dtype == np.float64 and not far):
            products = self.X[:, part].T @ R
            products /= self.scale
            products -= self.means[part, None] * total
            return np.asarray(products)
        return np.asarray(self._dense(part).T @ R)

    def _dense(self, part: slice) -> FloatArray:
        block = self.X[:, part].astype(np.float64)
        block /= self.scale
        block -= self.means[part]
        return np.asarray(block)

    def _block_lengths(self, part: slice) -> FloatArray:
        """Norms of centred columns; of sparse ones from their non-zeros, each zero adding the squared mean."""
        if sparse.issparse(self.X):
            block, means = self.X[:, part], self.means[part]
            counts = np.diff(block.indptr)
            values = block.data / self.scale
            deviations = np.bincount(
                np.repeat(np.arange(counts.size), counts), (values - np.repeat(means, counts)) ** 2, counts.size
            )
            lengths = np.sqrt(deviations + (self.n_samples - counts) * means**2)
        else:
            lengths = np.linalg.norm(self._dense(part), axis=0)
        size = np.sqrt(self.n_samples) * np.abs(self.means[part])
        return np.where(lengths <= ROUNDING * size, 0.0, lengths)

    def _means(self) -> FloatArray:
        if sparse.issparse(self.X):
            return np.asarray(self.X.sum(axis=0, dtype=np.float64)).ravel() / self.scale / self.n_samples

        def means(part: slice) -> FloatArray:
            return np.asarray((self.X[:, part] / self.scale).mean(axis=0, dtype=np.float64))

        return np.concatenate(self._over_blocks(means))

    def _over_blocks(self, task: Any) -> list[FloatArray]:
        return map_blocks(task, list(slices(self.n_features, BLOCK)), self.n_jobs)


def row_lengths(rows: FloatArray) -> FloatArray:
    """Euclidean norm of every row."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))


def exponent_of(size: float) -> int:
    """Of the power of two next below ``size``, 0 for 0: scaling by that is exact."""
    return int(np.frexp(size)[1]) - 1 if size > 0 else 0


def largest(X: Any) -> float:
    """The largest magnitude in a dense or sparse table."""
    values = X.data if sparse.issparse(X) else X
    return max(abs(float(values.max(initial=0.0))), abs(float(values.min(initial=0.0))))


def in_units(X: Any, limit: int) -> tuple[Any, int]:
    """X / 2^u and u: 0 (and no copy) unless the largest number is beyond 2^±limit, else such that it is near 1."""
    unit = exponent_of(largest(X))
    if abs(unit) <= limit:
        return X, 0
    if not sparse.issparse(X):
        return np.ldexp(X, -unit), unit
    scaled = X.copy()
    scaled.data = np.ldexp(X.data, -unit)
    return scaled, unit
