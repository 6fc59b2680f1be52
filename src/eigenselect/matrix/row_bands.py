"""Some columns of a sparse table at a time, row by row, for compiled loops: what is never converted as a whole.

Loops over the edges of a graph take the rows of neighbours together: a row of counts is one run of memory, and the sums
of a band of columns stay in cache. CSR is read as it is; of CSC a band of columns is turned at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import iadd
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect.matrix.sparse import BAND_COLUMNS, cut_by_entries

#: blocks that rows are cut into; their sums are added in their order, whatever the number of threads
ROW_BLOCKS = 32
#: rows from which a compiled search of their ends is worth its compilation
COMPILED_ROWS = 4096


@dataclass(frozen=True)
class RowBand:
    """Some columns of a sparse table, row by row.

    Attributes
    ----------
    columns : slice
        Which of the table.
    begin, end : ndarray of int64 of shape (n_samples,)
        The stored values of row i are those from ``begin[i]`` to ``end[i]``.
    indices, data : ndarray
        Column numbers, as the table has them, and values, in the table's own dtype.
    offset : int
        The number of the band's first column in ``indices``.
    """

    columns: slice
    begin: IntArray
    end: IntArray
    indices: IntArray
    data: AnyArray
    offset: int

    @property
    def entries(self) -> tuple[IntArray, IntArray, IntArray, AnyArray, int]:
        """What every compiled loop takes first."""
        return self.begin, self.end, self.indices, self.data, self.offset

    def summed(
        self,
        loop: Callable[..., None],
        n_sums: int,
        n_jobs: int | None,
        *arguments: Any,
        combine: Callable[[FloatArray, FloatArray], Any] = iadd,
        room: bool = False,
    ) -> FloatArray:
        """Sum over rows: ``loop(*entries, *arguments, start, stop, sums)`` adds those of some rows to ``sums``.

        A loop gets ``sums`` of shape (n_columns, ``n_sums``): those of one column lie side by side. Sums of blocks of
        rows are added in their order, or combined otherwise, beginning with zeros, to shape (``n_sums``, n_columns).
        With ``room`` a loop gets a row of zeros besides: one that is made within takes long to compile.
        """
        n_columns = self.columns.stop - self.columns.start

        def of_block(rows: slice) -> FloatArray:
            sums = np.zeros((n_columns, n_sums))
            rows_of_room = (np.zeros(n_columns),) if room else ()
            loop(*self.entries, *arguments, rows.start, rows.stop, sums, *rows_of_room)
            return sums.T

        total = np.zeros((n_columns, n_sums)).T
        for part in map_blocks(of_block, row_blocks(self.begin.size), n_jobs):
            combine(total, part)
        return total


def row_blocks(n_samples: int) -> list[slice]:
    """Cut rows into `ROW_BLOCKS` blocks, or fewer.

    >>> len(row_blocks(1000)), row_blocks(2)
    (32, [slice(0, 1, None), slice(1, 2, None)])
    """
    return slices(n_samples, max(1, -(-n_samples // ROW_BLOCKS)))


def row_bands(X: Any) -> Iterator[RowBand]:
    """Yield the columns of canonical CSR or CSC in bands.

    >>> [band] = row_bands(sparse.csr_array([[0.0, 2.0], [3.0, 0.0]]))
    >>> band.columns, band.begin, band.end
    (slice(0, 2, None), array([0, 1]), array([1, 2]))
    """
    yield from _of_rows(X) if X.format == "csr" else _of_columns(X)


def dense_columns(X: Any, columns: IntArray, n_jobs: int | None = None) -> AnyArray:
    """Return some columns of canonical CSR, each once, dense.

    >>> dense_columns(sparse.csr_array([[0.0, 2.0, 5.0], [3.0, 0.0, 0.0]]), np.array([2, 0]))
    array([[5., 0.],
           [0., 3.]])
    """
    wanted = np.full(X.shape[1], -1, dtype=np.int64)
    wanted[columns] = np.arange(columns.size)
    indptr, found = X.indptr.astype(np.int64, copy=False), np.zeros((X.shape[0], columns.size), dtype=X.dtype)
    bits = f"u{X.dtype.itemsize}"  # one loop for all types of a size

    def look(rows: slice) -> None:
        _find_columns(indptr, X.indices, X.data.view(bits), wanted, rows.start, rows.stop, found.view(bits))

    map_blocks(look, row_blocks(X.shape[0]), n_jobs)
    return found


def _of_rows(X: Any) -> Iterator[RowBand]:
    indptr = X.indptr.astype(np.int64, copy=False)
    begin = indptr[:-1]
    for columns in slices(X.shape[1], BAND_COLUMNS):
        end = indptr[1:]
        if columns.stop < X.shape[1]:
            end = ends_before(columns.stop, X.indices, begin, indptr[1:])
        yield RowBand(columns, begin, end, X.indices, X.data, columns.start)
        begin = end


def _of_columns(X: Any) -> Iterator[RowBand]:
    for columns in cut_by_entries(np.diff(X.indptr)):
        yield _turned(X, columns)


def _turned(X: Any, columns: slice) -> RowBand:
    """Return some columns of CSC as rows."""
    band = _some_columns(X, columns).tocsr()
    indptr = band.indptr.astype(np.int64, copy=False)
    return RowBand(columns, indptr[:-1].copy(), indptr[1:], band.indices, band.data, 0)


def _some_columns(X: Any, columns: slice) -> sparse.csc_array:
    """Return a slice of the columns of CSC, without a copy of its values."""
    first, last = X.indptr[columns.start], X.indptr[columns.stop]
    parts = (X.data[first:last], X.indices[first:last], X.indptr[columns.start : columns.stop + 1] - first)
    return sparse.csc_array(parts, shape=(X.shape[0], columns.stop - columns.start))


def ends_before(stop: int, indices: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return for every row, from ``begin`` to ``end`` of ``indices``, where its columns from ``stop`` on begin.

    >>> ends_before(2, np.array([0, 2, 5, 1], np.int32), np.array([0, 3]), np.array([3, 4]))
    array([1, 4])
    """
    if begin.size < COMPILED_ROWS:
        return _ends_by_halves(stop, indices, begin, end)
    found = np.empty_like(begin)
    _find_ends(indices, begin, end, stop, found)
    return found


def _ends_by_halves(stop: int, indices: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return the same as `_find_ends`: numpy halves the runs of all rows at once."""
    low, high = begin.copy(), end.copy()
    while (rows := np.flatnonzero(low < high)).size:
        middle = (low[rows] + high[rows]) // 2
        below = indices[middle] < stop
        low[rows[below]] = middle[below] + 1
        high[rows[~below]] = middle[~below]
    return low


def copied_runs(values: AnyArray, begin: IntArray, end: IntArray) -> AnyArray:
    """Return the values from every ``begin`` to its ``end``, one run after the other.

    >>> copied_runs(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 3]), np.array([2, 4]))
    array([1., 2., 4.])
    """
    copied = np.empty(int((end - begin).sum()), dtype=values.dtype)
    bits = f"u{values.dtype.itemsize}"  # one loop for all types of a size
    _copy_runs(np.ascontiguousarray(values).view(bits), begin, end, copied.view(bits))
    return copied


@compiled()
def _copy_runs(values, begin, end, copied):  # type: ignore[no-untyped-def]
    place = 0
    for i in range(begin.size):
        for entry in range(begin[i], end[i]):
            copied[place] = values[entry]
            place += 1


@compiled()
def _find_ends(indices, begin, end, stop, found):  # type: ignore[no-untyped-def]
    """Find in every row, whose column numbers ascend, the first entry of a column from ``stop`` on."""
    for i in range(begin.size):
        low, high = begin[i], end[i]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < stop:
                low = middle + 1
            else:
                high = middle
        found[i] = low


@compiled()
def _find_columns(indptr, indices, data, wanted, start, stop, found):  # type: ignore[no-untyped-def]
    """Write the entries of the columns that are wanted."""
    for i in range(start, stop):
        for entry in range(np.uintp(indptr[i]), np.uintp(indptr[i + 1])):
            to = wanted[np.uintp(indices[entry])]
            if to >= 0:
                found[i, to] = data[entry]
