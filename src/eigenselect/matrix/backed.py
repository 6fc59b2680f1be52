"""Tables in a file: a backed AnnData, datasets of HDF5 and zarr. They are worked on by blocks of bounded size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, BoolArray, IntArray, Names
from eigenselect.matrix.bands import StoredPart
from eigenselect.matrix.base import Matrix, taken
from eigenselect.matrix.sparse import SparseMatrix
from eigenselect.matrix.stored import stored


@dataclass(frozen=True)
class BackedValues:
    """The values of a `BackedMatrix`, which can be sliced like an array.

    Attributes
    ----------
    part : StoredPart
        Where they are.
    row_exponents, column_exponents : ndarray of int or None
        Values are divided by 2 to these powers.
    unused : ndarray of bool or None
        Rows that are zero.
    """

    part: StoredPart
    row_exponents: IntArray | None = None
    column_exponents: IntArray | None = None
    unused: BoolArray | None = None

    ndim = 2

    @property
    def is_scaled(self) -> bool:
        """Whether the values are those of the file in other units."""
        return not (self.row_exponents is None and self.column_exponents is None and self.unused is None)

    @property
    def dtype(self) -> Any:
        """float32 where the file has it, else float64."""
        return np.dtype(np.float64) if self.is_scaled else self.part.source.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        lines, values = self.part.shape
        return (lines, values) if self.part.source.axis == 0 else (values, lines)

    def __getitem__(self, key: tuple[Any, Any]) -> AnyArray:
        rows, columns = key
        by_row = self.part.source.axis == 0
        values = self.part.take(rows, columns) if by_row else self.part.take(columns, rows).T
        if not self.is_scaled:
            return values
        values = values.astype(np.float64)
        if self.row_exponents is not None:
            values = np.ldexp(values, -self.row_exponents[rows][:, None])
        if self.column_exponents is not None:
            values = np.ldexp(values, -self.column_exponents[columns])
        return values if self.unused is None else np.where(self.unused[rows][:, None], 0.0, values)

    def taken(self, rows: Any, columns: Any) -> BackedValues:
        """Return some rows and columns, still in the file; None stands for all."""
        lines = (rows, columns) if self.part.source.axis == 0 else (columns, rows)
        pick = lambda values, places: values if values is None or places is None else values[places]  # noqa: E731
        return BackedValues(
            self.part.part(*lines),
            pick(self.row_exponents, rows),
            pick(self.column_exponents, columns),
            pick(self.unused, rows),
        )


class BackedMatrix(Matrix):
    """A table in a file, dense, CSR or CSC; rows and columns that are taken of it stay there.

    Blocks of rows are read as they are asked for, tiles of columns from bands: see
    `eigenselect.matrix.bands.StoredPart`. At most two bands, and the blocks in work, are in memory. Values of a sparse
    file are dense in tiles and blocks only, `is_sparse` is False therefore.
    """

    in_memory = False

    def __init__(
        self, raw: BackedValues, *, sample_names: Names | None = None, feature_names: Names | None = None
    ) -> None:
        super().__init__(raw, sample_names=sample_names, feature_names=feature_names)
        self.raw: BackedValues = raw

    @classmethod
    def of(cls, dataset: Any, called: str, rows: Any = None, columns: Any = None, **names: Any) -> Self:
        """Wrap a dataset, or the rows and columns of it that a view shows; errors call it ``called``."""
        source = stored(dataset, called)
        n_samples, n_features = source.shape if source.axis == 0 else source.shape[::-1]
        chosen = (_numbers(rows, n_samples), _numbers(columns, n_features))
        return cls(BackedValues(StoredPart(source)).taken(*chosen), **names)

    def take_rows(self, rows: IntArray | BoolArray) -> Self:
        names = taken(self.sample_names, rows)
        return type(self)(self.raw.taken(rows, None), sample_names=names, feature_names=self.feature_names)

    def take_columns(self, columns: IntArray) -> Self:
        names = taken(self.feature_names, columns)
        return type(self)(self.raw.taken(None, columns), sample_names=self.sample_names, feature_names=names)

    def divided(self, exponents: int | IntArray) -> Self:
        return self._with(
            replace(self.raw, column_exponents=_added(self.raw.column_exponents, exponents, self.n_features))
        )

    def divided_rows(self, exponents: IntArray) -> Self:
        return self._with(replace(self.raw, row_exponents=_added(self.raw.row_exponents, exponents, self.n_samples)))

    def zeroed(self, rows: BoolArray) -> Self:
        before = self.raw.unused
        return self._with(replace(self.raw, unused=rows if before is None else before | rows)) if rows.any() else self

    def loaded(self) -> Matrix:
        """Return the table in memory, sparse where the file is."""
        raw, by_row = self.raw, self.raw.part.source.axis == 0
        held = raw.part.load()
        held = held if by_row else sparse.csc_array(held.T) if sparse.issparse(held) else held.T
        kind = SparseMatrix if sparse.issparse(held) else Matrix
        table: Matrix = kind(held, sample_names=self.sample_names, feature_names=self.feature_names)
        table = table if raw.column_exponents is None else table.divided(raw.column_exponents)
        table = table if raw.row_exponents is None else table.divided_rows(raw.row_exponents)
        return table if raw.unused is None else table.zeroed(raw.unused)


def _numbers(index: Any, size: int) -> IntArray | None:
    """Return what a view shows as numbers; None for all."""
    if index is None:
        return None
    numbers = np.atleast_1d(np.arange(size)[index])
    return None if np.array_equal(numbers, np.arange(size)) else numbers


def _added(before: IntArray | None, exponents: int | IntArray, size: int) -> IntArray:
    """Return exponents one by one, those from before included."""
    now = np.broadcast_to(np.asarray(exponents, dtype=np.intp), (size,))
    return now if before is None else before + now
