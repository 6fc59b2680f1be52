r"""A table out of whose features something was taken: :math:`F - QQ^\top F`, made in tiles when it is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from eigenselect._parallel import map_blocks
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray, Names
from eigenselect._warn import warn
from eigenselect.matrix.base import Matrix, taken
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.covariates import COLLINEAR


@dataclass(frozen=True)
class ResidualValues:
    """The values of a `Residuals` table, which can be sliced like an array; any storage stays what it is.

    Attributes
    ----------
    table : Matrix
        F.
    basis : ndarray of shape (n_samples, rank)
        Q: orthonormal and centred over the samples that the regression was made on.
    coefficients : ndarray of shape (rank, n_features)
        QᵀF.
    means : ndarray of shape (n_features,)
        Of features of which nothing is left but their mean; NaN for the others.
    """

    table: Matrix
    basis: FloatArray
    coefficients: FloatArray
    means: FloatArray

    dtype = np.dtype(np.float64)
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        return self.table.shape

    def __getitem__(self, key: tuple[Any, Any]) -> FloatArray:
        rows, columns = key
        values = np.asarray(self.table.block(rows, columns), dtype=np.float64)
        values = values - self.basis[rows] @ self.coefficients[:, columns]
        means = self.means[columns]
        return np.where(np.isnan(means), values, means)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.asarray(self[:, :], dtype=dtype)

    def taken(self, rows: Any, columns: Any) -> ResidualValues:
        """Return some rows and columns, of the same storage; slices of all stay what they are."""
        table = self.table
        table = table if isinstance(rows, slice) else table.take_rows(rows)
        table = table if isinstance(columns, slice) else table.take_columns(columns)
        return ResidualValues(table, self.basis[rows], self.coefficients[:, columns], self.means[columns])


class Residuals(Matrix):
    r"""A table whose features lost what covariates explain, by least squares with an intercept; they keep their means.

    .. math:: f \mapsto f - QQ^\top f, \qquad Q^\top Q = I, \; Q^\top \mathbf 1 = 0

    Values are made when a tile, a block or a column is asked for: a sparse table or a memory map stays as it is. A
    feature of which only rounding would be left is constant.

    Attributes
    ----------
    basis : ndarray of shape (n_samples, rank)
        Q.

    Examples
    --------
    >>> depth = np.array([[-1.0], [0.0], [1.0]]) / np.sqrt(2)
    >>> X = Residuals.of(Matrix(np.array([[1.0, 3], [5, 4], [3, 5]])), depth)
    >>> X.to_array().round(6)
    array([[2., 4.],
           [5., 4.],
           [2., 4.]])
    >>> X.n_explained
    1
    """

    in_memory = False

    def __init__(
        self, raw: ResidualValues, *, sample_names: Names | None = None, feature_names: Names | None = None
    ) -> None:
        super().__init__(raw, sample_names=sample_names, feature_names=feature_names)
        self.raw: ResidualValues = raw
        self.basis = raw.basis

    @classmethod
    def of(cls, table: Matrix, basis: FloatArray, n_jobs: int | None = None, only: int | None = None) -> Residuals:
        """Take a basis out of every feature; where one is all that will be looked at, out of that."""
        coefficients = np.empty((basis.shape[1], table.n_features))
        means = np.full(table.n_features, np.nan)

        def measure(columns: slice) -> None:
            coefficients[:, columns], means[columns] = regression(table.tile(columns), basis)

        if only is None:
            map_blocks(measure, table.tiles(), n_jobs)
        else:
            column = table.take_columns(np.array([only])).to_array()
            coefficients[:, [only]], means[[only]] = regression(column, basis)
        values = ResidualValues(table, basis, coefficients, means)
        return cls(values, sample_names=table.sample_names, feature_names=table.feature_names)

    @property
    def n_explained(self) -> int:
        """Features of which nothing is left, those that were constant not among them."""
        gone = np.flatnonzero(~np.isnan(self.raw.means))
        return int(sum(np.ptp(self.raw.table.columns(np.array([j]))) > 0 for j in gone))

    def out_of_file(self, why: str) -> Self:
        return self._with(replace(self.raw, table=self.raw.table.out_of_file(why)))

    def loaded(self, why: str) -> Matrix:
        self.say_dense(why)
        return Matrix(self.to_array(), sample_names=self.sample_names, feature_names=self.feature_names)

    def say_dense(self, why: str) -> None:
        """Say that a large sparse table is dense without its covariates, where all of it is made at once."""
        size = 8 * self.n_samples * self.n_features
        if self.raw.table.is_sparse and size > band_bytes():
            warn(f"Covariates were taken out of a sparse table, which is made dense, {size / 2**20:.0f} MB: {why}.")

    def take_rows(self, rows: IntArray | BoolArray) -> Self:
        names = taken(self.sample_names, rows)
        return type(self)(self.raw.taken(rows, slice(None)), sample_names=names, feature_names=self.feature_names)

    def take_columns(self, columns: IntArray) -> Self:
        names = taken(self.feature_names, columns)
        return type(self)(self.raw.taken(slice(None), columns), sample_names=self.sample_names, feature_names=names)


def regression(tile: FloatArray, basis: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of some features, and the means of those of which nothing else is left.

    A value of each feature is subtracted first: a large mean costs no digits then.
    """
    first = tile[0].copy()
    deviations = tile - first
    means = deviations.mean(axis=0)
    deviations -= means
    coefficients = basis.T @ deviations
    left = np.linalg.norm(deviations - basis @ coefficients, axis=0)
    rounding = 64 * np.finfo(np.float64).eps * np.sqrt(len(tile)) * np.abs(tile).max(axis=0)
    gone = left <= COLLINEAR * np.linalg.norm(deviations, axis=0) + rounding
    return coefficients, np.where(gone, first + means, np.nan)
