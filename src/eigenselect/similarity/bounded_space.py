r"""Samples in a unit in which products in any precision bound their squared distances from below.

With rows centred and scaled to lengths of at most 1, a product in precision u (over sums of at most B terms) gives

.. math:: d_{ij}^2 \ge (1 - c) |x_i|^2 + b_{ij}, \qquad b_{ij} = (1 - c) |x_j|^2 - 2 x_i^\top x_j, \quad c = (B + 16) u
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import Matrix
from eigenselect.similarity.distances import check_range, rows_of_like_size, unit_distances

#: features that are added up at once, which keeps the bound tight
SUMMED_FEATURES = 256
#: bytes of the table in single precision that are kept; a larger one is made again for each stripe of products
KEPT_BYTES = 2**30
#: bytes of rows in double precision that are kept to measure candidates
MEASURED_BYTES = 2**30
#: squared distances of unit rows below this are measured by differences
NEARLY_PARALLEL = 1e-3
#: values of pairs of samples that are measured at once
PAIR_VALUES = 2**21


@dataclass(frozen=True)
class Space:
    """Samples in the unit in which their squared distances are bounded, and how these are measured.

    Attributes
    ----------
    X : Matrix
    mean : ndarray of shape (m,)
        What is subtracted; zeros for cosines.
    factors : ndarray of shape (n,)
        What rows are multiplied by: a power of two, or, for cosines, one over the length of each (0 for zeros).
    norms : ndarray of shape (n,)
        Squared lengths of the scaled rows.
    unit : float
        What turns distances of scaled rows into those of X.
    exact : ndarray or None
        The rows in double precision, where these fit.
    cosine : bool
    """

    X: Matrix
    mean: FloatArray
    factors: FloatArray
    norms: FloatArray
    unit: float
    exact: FloatArray | None
    cosine: bool

    @classmethod
    def of(cls, X: Matrix, metric: str) -> Space:
        """Find means and lengths in one walk each, and refuse values whose squares leave floating point."""
        cosine = metric == "cosine"
        X = rows_of_like_size(X) if cosine else X
        mean = np.zeros(X.n_features) if cosine else _column_means(X)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.concatenate([np.einsum("ij,ij->i", b, b) for b in (b - mean for b in X.row_blocks())])
        exact = X.to_array() if 8 * X.n_samples * X.n_features <= MEASURED_BYTES and not X.is_sparse else None
        exact = None if exact is None else np.ascontiguousarray(exact)
        if cosine:
            factors = np.divide(1.0, np.sqrt(lengths), out=np.zeros_like(lengths), where=lengths > 0)
            return cls(X, mean, factors, np.ones(X.n_samples), 1.0, exact, True)
        check_range(X, lengths, center=True)
        unit = float(2.0 ** -np.ceil(np.log2(lengths.max()) / 2)) if lengths.max() else 1.0
        return cls(X, mean, np.full(X.n_samples, unit), lengths * unit**2, unit**-2, exact, False)

    def feature_blocks(self, dtype: Any) -> Iterator[NDArray[Any]]:
        """Yield the scaled rows in blocks of features, each of all samples."""
        for columns in slices(self.X.n_features, SUMMED_FEATURES):
            tile = self.X.tile(columns)
            tile -= self.mean[columns]
            tile *= self.factors[:, None]
            yield tile.astype(dtype)

    def scaled(self, dtype: Any) -> NDArray[Any]:
        """Return all scaled rows."""
        rows, start = np.empty(self.X.shape, dtype=dtype), 0
        for block in self.X.row_blocks():
            part = slice(start, start + len(block))
            rows[part] = (block - self.mean) * self.factors[part, None]
            start = part.stop
        return rows

    @cached_property
    def single(self) -> NDArray[np.float32]:
        """All scaled rows in single precision, which are kept."""
        return self.scaled(np.float32)

    def looseness(self, dtype: Any) -> float:
        """Return c of the bound in this precision."""
        n_features = self.X.n_features
        terms = min(n_features, SUMMED_FEATURES) + n_features // SUMMED_FEATURES
        if dtype == np.float64:  # lengths are sums of all squares in this precision, too
            terms += n_features
        return (terms + 16) * float(np.finfo(dtype).eps) / 2

    def margin(self, dtype: Any) -> float:
        """Return what numbers too small for this precision, and lost digits of a cosine, may add to a bound."""
        small = (self.X.n_features + 16) * 8 * float(np.finfo(dtype).tiny)
        return small + (8 * (self.X.n_features + 16) * float(np.finfo(np.float64).eps) if self.cosine else 0.0)

    def lowered_norms(self, dtype: Any) -> NDArray[Any]:
        """Return (1 - c) |x_j|², the part of the bound that belongs to the other sample."""
        return (self.norms * (1.0 - self.looseness(dtype))).astype(dtype)

    def lowest(self, rows: IntArray, bounds: NDArray[Any]) -> FloatArray:
        """Return the squared distance, in the unit of X, above which pairs with these bounds are."""
        own = self.norms[rows] * (1.0 - self.looseness(bounds.dtype)) - self.margin(bounds.dtype)
        return np.asarray((own + bounds) * self.unit)

    def highest(self, sample: int, squared: float) -> float:
        """Return the bound in double precision up to which samples may be so near to one: `lowest`, turned around."""
        own = self.norms[sample] * (1.0 - self.looseness(np.float64)) - self.margin(np.float64)
        rounding = 8 * float(np.finfo(np.float64).eps) * (abs(own) + squared / self.unit)
        return float(squared / self.unit - own + rounding)

    def measure(self, first: IntArray, second: IntArray) -> FloatArray:
        """Compute squared distances of pairs of samples, in the unit of X."""
        squared = np.empty(first.size)
        for pairs in slices(first.size, max(1, PAIR_VALUES // self.X.n_features)):
            self._measure(first[pairs], second[pairs], squared[pairs])
        if self.cosine:
            squared *= self.factors[first] * self.factors[second]
            np.clip(2.0 - 2.0 * squared, 0.0, 4.0, out=squared)
            lost = np.flatnonzero((squared < NEARLY_PARALLEL) & (first != second))
            squared[lost] = unit_distances(self.X, self.factors, first[lost], second[lost])
        return squared

    def _measure(self, first: IntArray, second: IntArray, out: FloatArray) -> None:
        from eigenselect.similarity.neighbor_loops import distances_of_pairs, products_of_pairs

        if self.exact is not None:
            (products_of_pairs if self.cosine else distances_of_pairs)(self.exact, first, second, out)
        else:
            out[:] = (self.X.pair_products if self.cosine else self.X.pair_distances)(first, second)


def _column_means(X: Matrix) -> FloatArray:
    """Return the mean of every column; any value near it would do."""
    with np.errstate(over="ignore", invalid="ignore"):  # seen in the squared lengths
        return np.asarray(sum(block.sum(axis=0) for block in X.row_blocks()) / X.n_samples)
