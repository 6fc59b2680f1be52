"""Inner products of samples over some features of a table: centred, and never formed as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import Matrix

#: bytes of columns that are made dense and centred at once
BLOCK_BYTES = 2**23


class FeatureGroup:
    r"""Some features of a table, as they enter inner products of samples: :math:`ZZ^\top`, Z their centred columns.

    Parameters
    ----------
    table : Matrix
    columns : ndarray of int, optional
        All by default.

    Examples
    --------
    >>> group = FeatureGroup(Matrix(np.array([[1.0, 5], [3, 5]])))
    >>> group.gram
    array([[ 1., -1.],
           [-1.,  1.]])
    >>> group.column_squares
    array([2., 0.])
    """

    def __init__(self, table: Matrix, columns: IntArray | None = None) -> None:
        self.table = table
        self.columns = np.arange(table.n_features) if columns is None else np.sort(columns)
        self.n_samples = table.n_samples

    @cached_property
    def gram(self) -> FloatArray:
        """ZZᵀ, by dense blocks of columns."""
        total = np.zeros((self.n_samples, self.n_samples))
        for block in self.blocks():
            total += block @ block.T
        return total

    def product(self, vectors: FloatArray) -> FloatArray:
        """Compute ZZᵀV of a few vectors V."""
        if self.table.is_sparse:
            X, means = self._sparse
            inner = X.T @ vectors - np.outer(means, vectors.sum(axis=0))
            return np.asarray(X @ inner - means @ inner)
        image = np.zeros_like(vectors)
        for block in self.blocks():
            image += block @ (block.T @ vectors)
        return image

    @cached_property
    def row_squares(self) -> FloatArray:
        """The squared length of every sample in these features, the diagonal of ZZᵀ."""
        total = np.zeros(self.n_samples)
        for block in self.blocks():
            total += np.einsum("ij,ij->i", block, block)
        return total

    @cached_property
    def column_squares(self) -> FloatArray:
        """The squared length of every centred feature."""
        found = [np.einsum("ij,ij->j", block, block) for block in self.blocks()]
        return np.concatenate(found) if found else np.zeros(0)

    def blocks(self) -> Iterator[FloatArray]:
        """Yield dense centred columns; the first sample is subtracted first, so constant ones are exactly 0."""
        for part in self._parts():
            block = self.table.columns(self.columns[part])
            block = block - block[0]
            block -= block.mean(axis=0)
            yield block

    def _parts(self) -> list[slice]:
        return slices(self.columns.size, max(8, BLOCK_BYTES // (8 * self.n_samples)))

    @cached_property
    def _sparse(self) -> tuple[sparse.csc_array, FloatArray]:
        """The columns of a sparse table as CSC, and their means."""
        X = self.table.by_column  # type: ignore[attr-defined]
        X = X[:, self.columns].astype(np.float64)
        return X, np.asarray(X.sum(axis=0)).ravel() / self.n_samples


def effective_number(groups: Sequence[FeatureGroup]) -> float:
    r"""Count features by their share of the variance: :math:`(\sum_j v_j)^2 / \sum_j v_j^2`, m where all are equal."""
    variances = np.concatenate([group.column_squares for group in groups])
    largest = variances.max(initial=0.0)
    if not largest > 0:
        return 0.0
    variances = variances / largest
    return float(variances.sum() ** 2 / (variances @ variances))
