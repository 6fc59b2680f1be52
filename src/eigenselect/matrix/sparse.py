"""Sparse tables, CSR or CSC: never made dense but in tiles, blocks and single columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray, Names
from eigenselect.matrix.base import Matrix, taken
from eigenselect.matrix.value_range import first_narrow, has_tiny, in_range

#: columns whose sums stay in cache
BAND_COLUMNS = 8192
#: stored values that are turned from rows to columns, or back, together
TURNED_ENTRIES = 2**21
#: columns up to which they are taken out of CSR without making CSC of it
FEW_COLUMNS = 16
#: types of integers that compiled loops read as they are
COUNTS = (np.dtype(np.int32), np.dtype(np.int64))
#: stored values from which compiled loops are worth their import
COMPILED_ENTRIES = 3_000_000


class SparseMatrix(Matrix):
    """A table of which only the non-zeros are stored, sorted and each once.

    >>> X = SparseMatrix(sparse.csr_array([[0.0, 2.0], [1.0, 0.0]]))
    >>> X.column_extremes()
    (array([0., 0.]), array([1., 2.]))
    """

    is_sparse = True

    def __init__(self, raw: Any, *, sample_names: Names | None = None, feature_names: Names | None = None) -> None:
        raw = raw if raw.format in ("csr", "csc") else sparse.csr_array(raw)
        if not raw.has_canonical_format:
            raw = raw.copy() if raw.dtype.kind == "f" else raw.astype(np.float64)  # the sum may leave a short type
            raw.sum_duplicates()  # entries that add up to one value would be squared one by one
        super().__init__(raw, sample_names=sample_names, feature_names=feature_names)

    @cached_property
    def by_column(self) -> sparse.csc_array:
        """The table as CSC."""
        return sparse.csc_array(self.raw)

    @cached_property
    def by_row(self) -> sparse.csr_array:
        """The table as CSR."""
        return sparse.csr_array(self.raw)

    @property
    def n_stored(self) -> int:
        return int(self.raw.nnz)

    def block(self, rows: Any, columns: Any) -> AnyArray:
        if isinstance(rows, slice) and rows == slice(None):
            if not isinstance(columns, slice) and len(columns) <= FEW_COLUMNS:
                return self._few_columns(np.asarray(columns))
            return np.asarray(self.by_column[:, columns].toarray(order="C"))
        return np.asarray(self.by_row[rows][:, columns].toarray())

    def _few_columns(self, columns: IntArray) -> AnyArray:
        """Return some columns, dense: of a large CSR its column numbers are looked through by compiled loops."""
        table = self._columns_at_hand
        if table.format == "csc" or table.nnz < COMPILED_ENTRIES or np.unique(columns).size < columns.size:
            return np.asarray(table[:, columns].toarray(order="C"))
        from eigenselect.matrix.row_bands import dense_columns

        return dense_columns(table, columns)

    def take_rows(self, rows: IntArray | BoolArray) -> SparseMatrix:
        names = taken(self.sample_names, rows)
        return SparseMatrix(self.by_row[rows], sample_names=names, feature_names=self.feature_names)

    def take_columns(self, columns: IntArray) -> SparseMatrix:
        names = taken(self.feature_names, columns)
        return SparseMatrix(self._columns_at_hand[:, columns], sample_names=self.sample_names, feature_names=names)

    @property
    def _columns_at_hand(self) -> Any:
        """CSC where there is one; else CSR, of which some columns are taken in one pass."""
        return self.by_column if "by_column" in vars(self) else self.raw

    def column_parts(self, columns: IntArray | None = None) -> list[IntArray]:
        """Cut columns, all by default, into parts that may be copied, or turned from rows to columns."""
        columns = np.arange(self.n_features) if columns is None else columns
        return [columns[part] for part in cut_by_entries(self.column_counts()[columns])] if columns.size else []

    def column_counts(self) -> IntArray:
        """Return the number of stored values of every column."""
        if self.raw.format == "csc":
            return np.diff(self.raw.indptr).astype(np.intp)
        return np.bincount(self.raw.indices, minlength=self.n_features)

    def bands(self) -> Iterator[tuple[slice, Matrix]]:
        """Yield the columns as tables of floats: integers are widened a bounded part at a time.

        Counts of a large CSR stay what they are: loops that are compiled once more for them are twice as fast.
        """
        large = self.raw.format == "csr" and self.n_stored >= COMPILED_ENTRIES
        if self.dtype.kind == "f" or (large and self.dtype in COUNTS):
            yield slice(0, self.n_features), self
            return
        for part in self.column_parts():
            columns = slice(int(part[0]), int(part[-1]) + 1)
            band = self._columns_at_hand[:, columns].astype(np.float64)
            names = taken(self.feature_names, columns)
            yield columns, SparseMatrix(band, sample_names=self.sample_names, feature_names=names)

    def pair_products(self, first: IntArray, second: IntArray) -> FloatArray:
        products = self.by_row[first].astype(np.float64).multiply(self.by_row[second])
        return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()

    def pair_distances(self, first: IntArray, second: IntArray) -> FloatArray:
        difference = self.by_row[first].astype(np.float64) - self.by_row[second].astype(np.float64)
        return np.asarray(difference.multiply(difference).sum(axis=1)).ravel()

    def times(self, right: FloatArray) -> FloatArray:
        return np.asarray(self.by_row @ right)

    def transposed_times(self, left: FloatArray) -> FloatArray:
        if self.raw.format == "csc":
            parts = [self.raw[:, part[0] : part[-1] + 1].T @ left for part in self.column_parts()]
            return np.concatenate(parts, dtype=np.float64) if parts else np.empty((0, left.shape[1]))
        total = np.zeros((self.n_features, left.shape[1]))
        for rows in cut_by_entries(np.diff(self.raw.indptr)):  # scipy widens what it multiplies, so a part at a time
            total += self.raw[rows].T @ left[rows]
        return total

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.raw.data).all())

    def first_out_of_range(self) -> tuple[int | None, int] | None:
        bad = first_bad_entry(self.raw)
        return first_narrow(*self.column_extremes()) if bad is None and has_tiny(self.raw.data) else bad

    def column_extremes(self) -> tuple[FloatArray, FloatArray]:
        ends = (self.raw.min(axis=0), self.raw.max(axis=0))
        low, high = (np.asarray(end.toarray(), dtype=np.float64).ravel() for end in ends)
        return low, high

    def column_variances(self, *, n_jobs: int | None = 1) -> FloatArray:
        """Return variances from the non-zeros, see `variances_of_nonzeros`."""
        return variances_of_nonzeros(self.raw)


def first_bad_entry(X: Any) -> tuple[int, int] | None:
    """Return row and column of the first value of CSR or CSC that is out of range, row by row; None if there is none.

    >>> first_bad_entry(sparse.csc_array([[0.0, 1.0], [np.nan, np.inf]]))
    (1, 0)
    """
    bad = np.flatnonzero(~in_range(X.data))
    if not bad.size:
        return None
    lines, places = np.searchsorted(X.indptr, bad, side="right") - 1, X.indices[bad]
    rows, columns = (lines, places) if X.format == "csr" else (places, lines)
    first = np.lexsort((columns, rows))[0]
    return int(rows[first]), int(columns[first])


def variances_of_nonzeros(X: Any) -> FloatArray:
    """Return the variances of the columns of CSR or CSC: the zeros add a squared mean each.

    >>> variances_of_nonzeros(sparse.csr_array([[0.0, 1.0], [2.0, 1.0]]))
    array([1., 0.])
    """
    n_samples, n_features = X.shape
    data = X.data.astype(np.float64, copy=False)
    column = X.indices if X.format == "csr" else np.repeat(np.arange(n_features), np.diff(X.indptr))
    mean = np.bincount(column, weights=data, minlength=n_features) / n_samples
    squares = np.bincount(column, weights=(data - mean[column]) ** 2, minlength=n_features)
    absent = n_samples - np.bincount(column, minlength=n_features)
    return np.asarray((squares + mean**2 * absent) / n_samples)


def cut_by_entries(counts: IntArray) -> list[slice]:
    """Cut columns into slices of at most `TURNED_ENTRIES` stored values, or one column, and `BAND_COLUMNS`.

    >>> cut_by_entries(np.array([2**20, 2**20, 5, 2**22, 1]))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    ends = np.cumsum(counts, dtype=np.int64)
    cuts, start = [], 0
    while start < counts.size:
        before = int(ends[start - 1]) if start else 0
        fitting = int(np.searchsorted(ends, before + TURNED_ENTRIES, side="right"))
        stop = min(max(fitting, start + 1), start + BAND_COLUMNS, counts.size)
        cuts.append(slice(start, stop))
        start = stop
    return cuts
