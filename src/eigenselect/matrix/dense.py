"""Dense tables: arrays and memory maps, in float64 or float32."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import AnyArray, BoolArray, IntArray
from eigenselect.matrix.base import Matrix, taken


class DenseMatrix(Matrix):
    """A table as a numpy array, or a memory map; float32 is widened a part at a time.

    >>> X = DenseMatrix(np.array([[1.0, 20.0], [3.0, -40.0]]))
    >>> X
    DenseMatrix(2 samples × 2 features, float64)
    >>> X.column_exponents()
    array([2, 6])
    """

    def take_rows(self, rows: IntArray | BoolArray) -> DenseMatrix:
        names = taken(self.sample_names, rows)
        return DenseMatrix(self.raw[rows], sample_names=names, feature_names=self.feature_names)

    def take_columns(self, columns: IntArray) -> DenseMatrix:
        names = taken(self.feature_names, columns)
        return DenseMatrix(self.raw[:, columns], sample_names=self.sample_names, feature_names=names)

    def divided(self, exponents: int | IntArray) -> DenseMatrix:
        return self._with(np.ldexp(np.asarray(self.raw, dtype=np.float64), -np.asarray(exponents)))

    def divided_rows(self, exponents: IntArray) -> DenseMatrix:
        return self._with(np.ldexp(np.asarray(self.raw, dtype=np.float64), -exponents[:, None]))

    def zeroed(self, rows: BoolArray) -> DenseMatrix:
        return self._with(np.where(rows[:, None], 0.0, self.raw)) if rows.any() else self

    def _with(self, raw: AnyArray) -> DenseMatrix:
        return DenseMatrix(raw, sample_names=self.sample_names, feature_names=self.feature_names)
