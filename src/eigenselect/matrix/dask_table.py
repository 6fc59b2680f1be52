"""Tables in a Dask array: chunks stay on the workers, which send back only what is small."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, Self

import numpy as np
from scipy import sparse

from eigenselect._checks import free_memory
from eigenselect._parallel import slices
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray, Names
from eigenselect.matrix.base import BLOCK_BYTES, DistantMatrix, Matrix, taken
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.dask_passes import (
    added,
    as_table,
    chunk_slices,
    column_blocks,
    column_slices,
    computed,
    current_client,
    over_chunks,
    over_columns,
    stacked,
)
from eigenselect.matrix.dask_stores import Stores
from eigenselect.matrix.dask_summary import ColumnSummary
from eigenselect.matrix.value_range import first_narrow

#: what the summary of every column is called among `Notes`
SUMMARY = "summary"


@dataclass
class Notes:
    """What runs over a table have told, and what the next one computes besides its own work.

    Attributes
    ----------
    waiting : dict
        Lists of lazy results.
    found : dict
        Lists of results: of every chunk of columns, or of every block of columns.
    check : callable or None
        Refuses values that are out of range, in the words of the function that the table was given to.
    """

    waiting: dict[Hashable, list[Any]] = field(default_factory=dict)
    found: dict[Hashable, list[Any]] = field(default_factory=dict)
    check: Callable[[], None] | None = None


class DaskMatrix(DistantMatrix):
    """A table in a Dask array of dense chunks, or of chunks in CSR or CSC.

    Rows and columns that are taken of it stay lazy. What is computed per feature runs on the workers, by `by_columns`
    or `by_chunks`; blocks come to the client one at a time, and only if a method has no such route.

    Attributes
    ----------
    stores : Stores
        What the chunks are read from, if it is known and can disappear.
    n_explained : int
        Of features that lost what covariates explain (`basis`), those of which nothing is left.

    Examples
    --------
    >>> import dask.array as da
    >>> X = DaskMatrix(da.from_array(np.array([[1.0, 20.0], [3.0, -40.0]]), chunks=(1, 2)))
    >>> X
    DaskMatrix(2 samples × 2 features, float64)
    >>> X.column_extremes()
    (array([  1., -40.]), array([ 3., 20.]))
    """

    def __init__(
        self,
        raw: Any,
        *,
        sample_names: Names | None = None,
        feature_names: Names | None = None,
        stores: Stores | None = None,
    ) -> None:
        self._numbers = [np.flatnonzero(sizes) for sizes in raw.chunks]
        raw = _without_empty_chunks(raw, self._numbers)
        super().__init__(raw, sample_names=sample_names, feature_names=feature_names)
        self.is_sparse = bool(sparse.issparse(raw._meta))
        self.n_explained = 0
        self.stores = Stores([]) if stores is None else stores
        self.notes = Notes()
        self._band: tuple[int, Matrix] = (0, Matrix(np.empty((self.n_samples, 0))))

    # -- work on the chunks -------------------------------------------------------------------

    def computed(self, parts: Sequence[Any]) -> list[Any]:
        """Compute lazy results of its chunks in one run, with those that wait; refuse them if a store changed."""
        waiting, self.notes.waiting = self.notes.waiting, {}
        try:
            found, beside = computed([list(parts), waiting])
        except (ValueError, ArithmeticError):
            self._check()  # the reason, and it has a sentence of its own
            raise
        self.stores.check()
        self.notes.found |= beside
        if SUMMARY in beside:
            self._check()
        return list(found)

    def by_columns(self, task: Callable[..., Any], *shared: Any) -> list[tuple[slice, Any]]:
        """Compute ``task(table, *shared)`` of every block of columns with all rows, in one run.

        A block is a chunk of columns; of an array with chunks of rows, as many columns as its share of scikit-learn's
        ``working_memory`` holds, which go from worker to worker and never to the client.

        Parameters
        ----------
        task : callable
            A function that workers can import; its argument is a `Matrix` in memory.
        *shared : object
            What all tasks need: each is sent once.

        Returns
        -------
        list of (slice, object)
            The columns of every block, and its result.
        """
        rounds = self._rounds()
        if len(rounds) > 1:
            parts = [self._with(self.raw[:, columns]).by_columns(task, *shared) for columns in rounds]
            return [
                (slice(start.start + columns.start, start.start + columns.stop), found)
                for start, part in zip(rounds, parts, strict=True)
                for columns, found in part
            ]
        lazy = over_columns(self.raw, task, shared, self._blocks)
        found = self.computed([part for _, part in lazy])
        return [(columns, part) for (columns, _), part in zip(lazy, found, strict=True)]

    def _rounds(self) -> list[slice]:
        """Cut the columns so that all blocks that are put together at once fit in the memory of this machine.

        A cluster writes what does not fit to its disks.
        """
        alone = current_client() is None and self.raw.numblocks[0] > 1 and not self.is_sparse
        n_rounds = max(1, ceil(2 * self.raw.nbytes / max(1.0, free_memory()))) if alone else 1
        return slices(self.n_features, -(-self.n_features // n_rounds))

    def by_chunks(self, task: Callable[..., Any], *shared: Any, **how: Any) -> list[Any]:
        """Compute ``task(table, rows, columns, *shared)`` of every chunk in one run; see `over_chunks` for the rest."""
        return self.computed(over_chunks(self.raw, task, shared, **how))

    def expect(self, key: Hashable, task: Callable[..., Any], *shared: Any) -> None:
        """Let the next run compute ``task(table, *shared)`` of every block of columns as well, for `kept`."""
        if key not in self.notes.found and len(self._rounds()) == 1:
            lazy = over_columns(self.raw, task, shared, self._blocks)
            self.notes.waiting[key] = [part for _, part in lazy]

    def kept(self, key: Hashable, task: Callable[..., Any], *shared: Any) -> list[Any]:
        """Return ``task(table, *shared)`` of every block of columns, computed now unless it was expected by a run."""
        if key in self.notes.waiting:
            self.computed([])
        if key not in self.notes.found:
            self.notes.found[key] = [part for _, part in self.by_columns(task, *shared)]
        return self.notes.found[key]

    @cached_property
    def _blocks(self) -> list[tuple[slice, Any]]:
        return column_blocks(self.raw)

    def check_later(self, check: Callable[[], None]) -> None:
        """Check with the first run that is needed anyway, of which nothing is returned if the check refuses."""
        self.notes.check = check
        self._expect_summary()

    def _check(self) -> None:
        """Check what was to be checked later."""
        check, self.notes.check = self.notes.check, None
        if check is not None:
            check()

    # -- parts --------------------------------------------------------------------------------

    def block(self, rows: Any, columns: Any) -> AnyArray:
        if isinstance(rows, slice) and rows == slice(None) and isinstance(columns, slice):
            return self._in_band(*columns.indices(self.n_features)[:2])
        return self._fetched(_indexed(_indexed(self.raw, rows, 0), columns, 1)).block(slice(None), slice(None))

    def _fetched(self, array: Any) -> Matrix:
        """Compute a part of the table as one array or sparse matrix; what was to be checked is checked before."""
        self._check()
        rows = [stacked(list(of_rows), 1) for of_rows in computed(array.to_delayed().tolist())]
        return as_table(stacked(rows, 0))

    def _in_band(self, start: int, stop: int) -> AnyArray:
        """Fetch some consecutive columns; fewer than the client may hold, with those that follow, for the next call."""
        held_from, held = self._band
        if not held_from <= start <= stop <= held_from + held.n_features:
            most = self.tiles()[0].stop
            held_from, held = start, self._fetched(self.raw[:, start : max(stop, start + most)])
            self._band = (held_from, held) if stop - start < most else self._band
        return held.block(slice(None), slice(start - held_from, stop - held_from))

    def take_rows(self, rows: IntArray | BoolArray) -> Matrix:  # type: ignore[override]
        """Return some samples, in memory if they are small; the table itself if they are all."""
        if rows.all() if rows.dtype == bool else np.array_equal(rows, np.arange(self.n_samples)):
            return self
        part = self._with(_indexed(self.raw, rows, 0))
        part.sample_names = taken(self.sample_names, rows)
        part.basis = None if self.basis is None else self.basis[rows]
        return part._in_memory_if_small(part.n_samples * part.n_features)

    def take_columns(self, columns: IntArray) -> Matrix:  # type: ignore[override]
        """Return some features, in memory if they are small."""
        part = self._with(_indexed(self.raw, columns, 1))
        part.feature_names = taken(self.feature_names, columns)
        known = self.is_sparse and SUMMARY in self.notes.found  # then so is the size of some columns
        stored = int(self._summary.counts[columns].sum()) if known else self.n_samples * part.n_features
        return part._in_memory_if_small(stored)

    def _in_memory_if_small(self, n_stored: int) -> Matrix:
        return self._held() if self._bytes_of(n_stored) <= band_bytes() else self

    def _with(self, raw: Any) -> Self:
        self._check()
        other = super()._with(raw)
        other.basis, other.n_explained = self.basis, self.n_explained
        other.stores = self.stores
        return other

    def tiles(self, n_columns: int | None = None) -> list[slice]:
        """Cut the columns into slices that come to the client at once."""
        total = self.n_features if n_columns is None else n_columns
        width = max(1, band_bytes() // (8 * max(1, self.n_samples)))
        return [slice(start, min(start + width, total)) for start in range(0, total, width)]

    def bands(self) -> Iterator[tuple[slice, Matrix]]:
        if not self.is_sparse:
            yield from super().bands()
            return
        for columns in column_slices(self.raw):
            yield columns, self._named_part(self._fetched(self.raw[:, columns]), columns)

    def row_blocks(self) -> Iterator[FloatArray]:
        most = max(1, band_bytes() // (8 * max(1, self.n_features)))
        step = max(1, BLOCK_BYTES // (8 * max(1, self.n_features)))
        held = np.empty((0, self.n_features))
        for chunk in chunk_slices(self.raw, 0):  # every chunk is computed once, and cut as any other table is
            for start in range(chunk.start, chunk.stop, most):
                part = self._fetched(self.raw[start : min(start + most, chunk.stop)]).to_array()
                held = np.concatenate([held, part]) if len(held) else part
                while len(held) >= step:
                    yield held[:step]
                    held = held[step:]
        if len(held):
            yield held
        self.stores.check()

    def fetched_rows(self, rows: IntArray) -> Matrix:
        return self._fetched(self.raw[rows])

    def times(self, right: FloatArray) -> FloatArray:
        return np.concatenate(self.by_chunks(_times, right, combine=added, axis=1))

    def transposed_times(self, left: FloatArray) -> FloatArray:
        return np.concatenate(self.by_chunks(_transposed_times, left, combine=added))

    # -- sizes of values ----------------------------------------------------------------------

    @property
    def _summary(self) -> ColumnSummary:
        """What one look at every chunk tells."""
        self._expect_summary()
        if SUMMARY in self.notes.waiting:
            self.computed([])
        return ColumnSummary.side_by_side(self.notes.found[SUMMARY])

    def _expect_summary(self) -> None:
        if SUMMARY not in self.notes.found:
            self.notes.waiting[SUMMARY] = over_chunks(self.raw, ColumnSummary.of_chunk, (), ColumnSummary.pooled)

    @property
    def n_stored(self) -> int:
        return int(self._summary.counts.sum()) if self.is_sparse else super().n_stored

    def column_counts(self) -> IntArray:
        return self._summary.counts

    def first_out_of_range(self) -> tuple[int | None, int] | None:
        summary = self._summary
        return first_narrow(summary.low, summary.high) if summary.bad is None else summary.bad

    def where(self, row: int, column: int) -> str:
        """Say by name or number where a value is, and in which chunk: as ``X.blocks`` counts them."""
        parts, number = [], []
        for axis, (place, kind) in enumerate(((row, "rows"), (column, "columns"))):
            chunks = chunk_slices(self.raw, axis)
            if len(chunks) > 1:
                here = next(i for i, chunk in enumerate(chunks) if place < chunk.stop)
                number.append(int(self._numbers[axis][here]))
                parts.append(f"{kind} {chunks[here].start} to {chunks[here].stop - 1}")
        if not number:
            return super().where(row, column)
        return f"{super().where(row, column)} of chunk {', '.join(map(str, number))} ({', '.join(parts)})"

    def column_extremes(self) -> tuple[FloatArray, FloatArray]:
        return self._summary.low, self._summary.high

    def column_variances(self, *, n_jobs: int | None = 1) -> FloatArray:
        return self._summary.moments.squares / self.n_samples

    def largest_shares(self) -> FloatArray | None:
        return self._summary.largest_shares() if SUMMARY in self.notes.found else None

    def named(self, *, sample_names: Names | None = None, feature_names: Names | None = None) -> Self:
        named = type(self)(self.raw, stores=self.stores)
        named.basis, named.n_explained, named.notes = self.basis, self.n_explained, self.notes
        named._numbers = self._numbers
        named.sample_names = self.sample_names if sample_names is None else sample_names
        named.feature_names = self.feature_names if feature_names is None else feature_names
        return named

    # -- into memory --------------------------------------------------------------------------

    def out_of_file(self, why: str) -> Matrix:
        """Gather the chunks of a small table; refuse a large one, which nobody asked to have here."""
        self.refuse_large(why)
        return self._held()

    def refuse_large(self, why: str) -> None:
        """Refuse a table of more than a band if it would be gathered, or its chunks be computed many times."""
        size = self._bytes_of(self.n_stored)
        if size > band_bytes():
            raise ValueError(
                f"{self.stores.called} must be in memory, got a Dask array of {max(1, size >> 20)} MB: {why}; give "
                "X.compute() if it fits."
            )

    def _bytes_of(self, n_stored: int) -> int:
        """Return the bytes of some values in memory; a sparse table has their places, too."""
        return n_stored * (self.dtype.itemsize + 4 * self.is_sparse)

    def _held(self) -> Matrix:
        held = self._fetched(self.raw)
        self.stores.check()
        return self._named_part(held, slice(None))

    def _named_part(self, held: Matrix, columns: slice) -> Matrix:
        table = held.named(sample_names=self.sample_names, feature_names=taken(self.feature_names, columns))
        table.basis = self.basis
        return table


def _times(table: Matrix, rows: slice, columns: slice, right: FloatArray) -> FloatArray:
    return table.times(right[columns])


def _transposed_times(table: Matrix, rows: slice, columns: slice, left: FloatArray) -> FloatArray:
    return table.transposed_times(left[rows])


def _without_empty_chunks(array: Any, numbers: Sequence[IntArray]) -> Any:
    """Leave out chunks without rows or columns, which have no smallest value, and no first row."""
    rows, columns = numbers
    if rows.size in (0, array.numblocks[0]) and columns.size in (0, array.numblocks[1]):
        return array
    return array.blocks[rows.tolist()].blocks[:, columns.tolist()]


def _indexed(array: Any, places: Any, axis: int) -> Any:
    """Return some rows or columns lazily."""
    import dask

    if isinstance(places, slice):
        return array if places == slice(None) else array[places] if axis == 0 else array[:, places]
    places = np.asarray(places)
    places = np.flatnonzero(places) if places.dtype == bool else places
    with dask.config.set({"array.slicing.split_large_chunks": False}):
        return array[places] if axis == 0 else array[:, places]
