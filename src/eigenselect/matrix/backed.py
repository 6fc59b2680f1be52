"""Tables in a file: a backed AnnData, datasets of HDF5 and zarr. They are worked on by blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from scipy import sparse

from eigenselect._checks import memory_for
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray, Names
from eigenselect._warn import warn
from eigenselect.matrix.bands import KEPT_BANDS, StoredPart
from eigenselect.matrix.base import DistantMatrix, Matrix, taken
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.scratch import is_worth_splitting, split
from eigenselect.matrix.sparse import SparseMatrix, first_bad_entry, variances_of_nonzeros
from eigenselect.matrix.stored import DenseLines, stored
from eigenselect.matrix.value_range import first_narrow, has_tiny, in_range

#: parts of a table that is loaded are in memory beside what they are put together to
LOADED_TWICE = 2


@dataclass(frozen=True)
class BackedValues:
    """The values of a `BackedMatrix`, which can be sliced like an array.

    Attributes
    ----------
    part : StoredPart
        Where they are.
    """

    part: StoredPart

    ndim = 2

    @property
    def dtype(self) -> Any:
        """As in the file."""
        return self.part.source.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        lines, values = self.part.shape
        return (lines, values) if self.part.source.axis == 0 else (values, lines)

    def __getitem__(self, key: tuple[Any, Any]) -> AnyArray:
        rows, columns = key
        all_rows = isinstance(rows, slice) and rows.indices(self.shape[0]) == (0, self.shape[0], 1)
        part = self.part
        if all_rows and isinstance(columns, slice):
            self._split_if_large()
        by_row = part.source.axis == 0
        return part.take(rows, columns) if by_row else np.ascontiguousarray(part.take(columns, rows).T)

    def bands(self) -> Iterator[tuple[slice, Any]]:
        """Yield the columns of a sparse file in bands, as it has them; see `BackedMatrix.bands`."""
        self._split_if_large()
        if self.part.source.axis == 0:
            yield from self.part.bands()
            return
        for columns, held in self.part.line_bands():
            yield columns, held.T

    def _split_if_large(self) -> None:
        """Copy a file by rows to one by bands of columns if all of them will be looked at; see `scratch`."""
        source = self.part.source
        if is_worth_splitting(source, self.part.n_bytes, KEPT_BANDS):
            split(source)

    def taken(self, rows: Any, columns: Any) -> BackedValues:
        """Return some rows and columns, still in the file; None stands for all."""
        lines = (rows, columns) if self.part.source.axis == 0 else (columns, rows)
        return BackedValues(self.part.part(*lines))


class BackedMatrix(DistantMatrix):
    """A table in a file, dense, CSR or CSC; rows and columns that are taken of it stay there.

    Blocks of rows are read as they are asked for, tiles of columns from bands: see
    `eigenselect.matrix.bands.StoredPart`. At most two bands, and the blocks in work, are in memory. Who works on the
    non-zeros of a sparse file takes one band after the other.
    """

    def __init__(
        self, raw: BackedValues, *, sample_names: Names | None = None, feature_names: Names | None = None
    ) -> None:
        super().__init__(raw, sample_names=sample_names, feature_names=feature_names)
        self.raw: BackedValues = raw
        self.is_sparse = raw.part.source.is_sparse

    @classmethod
    def of(cls, dataset: Any, called: str, rows: Any = None, columns: Any = None, **names: Any) -> Self:
        """Wrap a dataset, or the rows and columns of it that a view shows; errors call it ``called``."""
        source = stored(dataset, called)
        n_samples, n_features = source.shape if source.axis == 0 else source.shape[::-1]
        chosen = (_numbers(rows, n_samples), _numbers(columns, n_features))
        return cls(BackedValues(StoredPart(source)).taken(*chosen), **names)

    @property
    def n_stored(self) -> int:
        part = self.raw.part
        return part.n_bytes // part.source.entry_bytes

    # -- parts --------------------------------------------------------------------------------

    def take_rows(self, rows: IntArray | BoolArray) -> Self:
        names = taken(self.sample_names, rows)
        return type(self)(self.raw.taken(rows, None), sample_names=names, feature_names=self.feature_names)

    def take_columns(self, columns: IntArray) -> Self:
        names = taken(self.feature_names, columns)
        return type(self)(self.raw.taken(None, columns), sample_names=self.sample_names, feature_names=names)

    def bands(self) -> Iterator[tuple[slice, Matrix]]:
        """Yield the columns of a sparse file as sparse tables in memory, each of at most `band_bytes` or one column."""
        yield from self._sparse_bands() if self.is_sparse else super().bands()

    def _sparse_bands(self) -> Iterator[tuple[slice, SparseMatrix]]:
        for columns, held in self.raw.bands():
            yield columns, cast(SparseMatrix, self._named(held, columns).in_floats())

    def fetched_rows(self, rows: IntArray) -> Matrix:
        return self.take_rows(rows)._held()

    def column_counts(self) -> IntArray:
        if not self.is_sparse:
            return super().column_counts()
        return np.concatenate([band.column_counts() for _, band in self._sparse_bands()])

    # -- sizes of values: of a sparse file without its zeros ------------------------------------

    def first_out_of_range(self) -> tuple[int | None, int] | None:
        """Look at all values in one pass; of a file by columns, or in tall chunks, the first in its first columns."""
        if self.dtype.kind != "f":
            return None
        part = self.raw.part
        part.source.expect(int(is_worth_splitting(part.source, part.n_bytes, KEPT_BANDS)))
        if isinstance(part.source, DenseLines) and part.source.lies_in_tall_chunks():
            return self._first_by_bands()
        low, high, tiny = np.full(self.n_features, np.inf), np.full(self.n_features, -np.inf), False
        for lines, block in part.blocks():
            values = block.data if self.is_sparse else block
            if not in_range(values).all():
                found = first_bad_entry(sparse.csr_array(block))
                line, value = (0, 0) if found is None else (int(lines[found[0]]), found[1])
                return (line, value) if part.source.axis == 0 else (value, line)
            if self.is_sparse:
                tiny = tiny or has_tiny(values)
            else:
                np.minimum(low, block.min(axis=0), out=low)
                np.maximum(high, block.max(axis=0), out=high)
        if self.is_sparse:
            return first_narrow(*self.column_extremes()) if tiny else None
        return first_narrow(low, high)

    def _first_by_bands(self) -> tuple[int | None, int] | None:
        """Look at one band of columns after the other."""
        for columns, held in self.raw.part.bands():
            band = Matrix(held).first_out_of_range()
            if band is not None:
                return band[0], columns.start + band[1]
        return None

    @property
    def lies_by_row(self) -> bool:
        """Whether the file holds one row after the other."""
        return self.raw.part.source.axis == 0

    def where(self, row: int, column: int) -> str:
        part = self.raw.part
        chunk = part.chunk_of(*((row, column) if part.source.axis == 0 else (column, row)))
        return super().where(row, column) + (f" (chunk {chunk})" if chunk else "")

    def column_extremes(self) -> tuple[FloatArray, FloatArray]:
        if not self.is_sparse:
            return super().column_extremes()
        low, high = np.empty(self.n_features), np.empty(self.n_features)
        for columns, band in self._sparse_bands():
            low[columns], high[columns] = band.column_extremes()
        return low, high

    def largest_value(self) -> float:
        return self.raw.part.source.largest

    def column_variances(self, *, n_jobs: int | None = 1) -> FloatArray:
        if not self.is_sparse:
            return super().column_variances(n_jobs=n_jobs)
        return np.concatenate([variances_of_nonzeros(band.raw) for _, band in self._sparse_bands()])

    # -- into memory --------------------------------------------------------------------------

    def out_of_file(self, why: str) -> Matrix:
        """Return the table in memory, sparse where the file is; say so once where it is large."""
        source, size = self.raw.part.source, self.raw.part.n_bytes
        if size > band_bytes() and not source.was_loaded:
            source.was_loaded = True
            warn(f"{source.called} is loaded from its file, {size / 2**20:.0f} MB: {why}.")
        with memory_for(LOADED_TWICE * size, f"{source.called}: all its values ({why})", "take fewer samples"):
            return self._held()

    def out_of_small_file(self) -> Matrix:
        return self._held() if self.raw.part.n_bytes <= band_bytes() else self

    def _held(self) -> Matrix:
        held, by_row = self.raw.part.load(), self.raw.part.source.axis == 0
        held = held if by_row else sparse.csc_array(held.T) if sparse.issparse(held) else held.T
        return self._named(held, slice(None))

    def _named(self, held: Any, columns: slice) -> Matrix:
        """Wrap values of the file that are in memory, with names."""
        kind = SparseMatrix if sparse.issparse(held) else Matrix
        return kind(held, sample_names=self.sample_names, feature_names=taken(self.feature_names, columns))


def _numbers(index: Any, size: int) -> IntArray | None:
    """Return what a view shows as numbers; None for all."""
    if index is None:
        return None
    numbers = np.atleast_1d(np.arange(size)[index])
    return None if np.array_equal(numbers, np.arange(size)) else numbers
