"""Tables in a Dask array: chunks stay on the workers, which send back only what is small."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray, Names
from eigenselect.matrix import dask_tasks
from eigenselect.matrix.base import BLOCK_BYTES, DistantMatrix, Matrix, taken
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.dask_jobs import ChunkJob, over_jobs
from eigenselect.matrix.dask_notes import Notes
from eigenselect.matrix.dask_passes import (
    as_table,
    column_blocks,
    column_slices,
    combined,
    computed,
    over_chunks,
    over_columns,
    over_rows,
    row_slices,
    stacked,
)
from eigenselect.matrix.dask_stores import Stores
from eigenselect.matrix.dask_tasks import SUMMARY, ColumnMoments, ColumnSummary
from eigenselect.matrix.value_range import first_narrow

#: what the summary of every column is called among `Notes`
LOOK = "look"


class DaskMatrix(DistantMatrix):
    """A table in a Dask array of dense chunks, or of chunks in CSR or CSC.

    Rows and columns that are taken of it, and other units, stay lazy. What is computed per feature runs on the workers,
    by `by_columns`, `by_rows` or per chunk; blocks come to the client one at a time, and only where a method has no
    such route.

    Attributes
    ----------
    stores : Stores
        What the chunks are read from, where it is known and can disappear.
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

    @property
    def row_slices(self) -> list[slice]:
        """The rows of every row chunk."""
        return row_slices(self.raw)

    @property
    def column_slices(self) -> list[slice]:
        """The columns of every column chunk."""
        return column_slices(self.raw)

    @property
    def has_whole_columns(self) -> bool:
        """Whether every chunk has all rows, and is small enough to be worked on as it is."""
        return len(self.row_slices) == 1 and column_blocks(self.raw) == self.column_slices

    # -- work on the chunks -------------------------------------------------------------------

    def computed(self, parts: Iterable[Any]) -> list[Any]:
        """Compute lazy results of its chunks in one run, with the jobs that wait; refuse them if a store changed."""
        parts, jobs = list(parts), self.notes.due()
        found = self._run([*parts, *(over_jobs(self.raw, list(jobs.values())) if jobs else [])])
        self._keep(jobs, found[len(parts) :])
        return found[: len(parts)]

    def passed(self, job: ChunkJob, key: Hashable = None) -> list[Any]:
        """Do a job on every chunk, and those that wait, in one pass of one task per chunk.

        Parameters
        ----------
        job : ChunkJob
        key : hashable, optional
            What the result is called if it is kept; one that is known is returned.

        Returns
        -------
        list
            One result for every chunk of columns.
        """
        if key is not None and key in self.notes.found:
            return self.notes.found[key]
        jobs = {**self.notes.due(), key: job}
        self._keep(jobs, self._run(over_jobs(self.raw, list(jobs.values()))))
        return self.notes.found[key] if key is not None else self.notes.found.pop(key)

    def _run(self, parts: list[Any]) -> list[Any]:
        try:
            found = computed(parts)
        except (ValueError, ArithmeticError):
            self._refuse_spoilt()  # the reason, and it has a sentence of its own
            raise
        self.stores.check()
        return found

    def _keep(self, jobs: dict[Hashable, ChunkJob], parts: list[Any]) -> None:
        self.notes.keep(jobs, parts)
        if self.notes.spoilt is not None:
            self._refuse_spoilt()
        if LOOK in self.notes.found:
            check, self.notes.check = self.notes.check, None
            if check is not None:
                check()

    def _refuse_spoilt(self) -> None:
        """Refuse a table that was to be checked and has values out of range."""
        check, self.notes.check = self.notes.check, None
        if check is not None:
            check()
        if self.notes.spoilt is not None:
            raise ValueError(
                f"The Dask array must have values in range, got one that is not in {self.where(*self.notes.spoilt)}."
            )

    def check_later(self, check: Callable[[], None]) -> None:
        """Check with the first pass that is made anyway, of which nothing is then told if the check refuses."""
        self.notes.check = check
        self.notes.ask(LOOK, SUMMARY)

    def by_columns(self, task: Callable[..., Any], *shared: Any) -> list[tuple[slice, Any]]:
        """Compute ``task(table, *shared)`` of every block of columns with all rows, in one run.

        A block is a chunk of columns; of an array with chunks of rows, as many columns as its share of scikit-learn's
        ``working_memory`` holds, which go from worker to worker and never to the client.

        Parameters
        ----------
        task : callable
            A function that workers can import; it is given a `Matrix` in memory.
        *shared : object
            What all tasks need: each is sent once.

        Returns
        -------
        list of (slice, object)
            The columns of every block, and its result.
        """
        lazy = over_columns(self.raw, task, shared)
        return list(zip([columns for columns, _ in lazy], self.computed(part for _, part in lazy), strict=True))

    def by_rows(
        self, task: Callable[..., Any], *shared: Any, combine: Callable[[list[Any]], Any] | None = None
    ) -> list[tuple[slice, Any]]:
        """Compute ``task(table, *shared)`` of every row chunk with all columns, in one run; see `by_columns`.

        Parameters
        ----------
        combine : callable, optional
            Makes one result of a list of a few, on the workers, until one for all rows is left.
        """
        lazy = over_rows(self.raw, task, shared)
        if combine is not None:
            lazy = [(slice(0, self.n_samples), combined([part for _, part in lazy], combine))]
        return list(zip([rows for rows, _ in lazy], self.computed(part for _, part in lazy), strict=True))

    def by_chunks(self, task: Callable[..., Any], *shared: Any, combine: Callable[[list[Any]], Any]) -> list[Any]:
        """Compute ``task(table, rows, columns, *shared)`` of every chunk, combined down the rows; see `by_rows`.

        Returns
        -------
        list
            One result for every chunk of columns.
        """
        return self.passed(ChunkJob(task, combine, shared))

    # -- parts --------------------------------------------------------------------------------

    def block(self, rows: Any, columns: Any) -> AnyArray:
        if isinstance(rows, slice) and rows == slice(None) and isinstance(columns, slice):
            return self._in_band(*columns.indices(self.n_features)[:2])
        part = self._fetched(_indexed(_indexed(self.raw, rows, 0), columns, 1))
        return as_table(part).block(slice(None), slice(None))

    def _fetched(self, array: Any) -> Any:
        """Compute a part of the table as one array or sparse matrix; what was to be checked is checked before."""
        self._checked()
        return _fetched(array)

    def _checked(self) -> None:
        if self.notes.check is not None:
            self._look()
            self._refuse_spoilt()

    def _in_band(self, start: int, stop: int) -> AnyArray:
        """Fetch some consecutive columns; fewer than the client may hold, with those that follow, for the next call."""
        held_from, held = self._band
        if not held_from <= start <= stop <= held_from + held.n_features:
            most = self.tiles()[0].stop
            held_from, held = start, as_table(self._fetched(self.raw[:, start : max(stop, start + most)]))
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
        known = self.is_sparse and LOOK in self.notes.found  # then so is the size of some columns
        stored = int(self._summary.counts[columns].sum()) if known else self.n_samples * part.n_features
        return part._in_memory_if_small(stored)

    def _in_memory_if_small(self, n_stored: int) -> Matrix:
        return self._held() if self._bytes_of(n_stored) <= band_bytes() else self

    def _with(self, raw: Any) -> Self:
        self._checked()
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
        for columns in column_blocks(self.raw):
            yield columns, self._named_part(self._fetched(self.raw[:, columns]), columns)

    def row_blocks(self) -> Iterator[FloatArray]:
        step, kept, start = max(1, BLOCK_BYTES // (8 * max(1, self.n_features))), [], 0
        for rows in self._fetched_rows():  # every chunk is computed once, and cut as any other table is
            kept.append(as_table(self._fetched(self.raw[rows])).to_array())
            while start + step <= rows.stop or (rows.stop == self.n_samples and start < rows.stop):
                held = kept[0] if len(kept) == 1 else np.concatenate(kept)
                block, kept = held[:step], [held[step:]]
                start += len(block)
                yield block
        self.stores.check()

    def _fetched_rows(self) -> Iterator[slice]:
        """Cut the rows where the chunks are cut, and further where a piece would be too large for the client."""
        most = max(1, band_bytes() // (8 * max(1, self.n_features)))
        for chunk in self.row_slices:
            for start in range(chunk.start, chunk.stop, most):
                yield slice(start, min(start + most, chunk.stop))

    def fetched_rows(self, rows: IntArray) -> Matrix:
        return as_table(self._fetched(self.raw[rows]))

    def times(self, right: FloatArray) -> FloatArray:
        lazy = over_chunks(self.raw, dask_tasks.times, (right,))
        return np.concatenate(self.computed(combined(of_rows, dask_tasks.added) for of_rows in lazy))

    def transposed_times(self, left: FloatArray) -> FloatArray:
        return np.concatenate(self.by_chunks(dask_tasks.transposed_times, left, combine=dask_tasks.added))

    # -- sizes of values ----------------------------------------------------------------------

    @property
    def _summary(self) -> ColumnSummary:
        """What one look at every chunk tells."""
        self._look()
        self._refuse_spoilt()
        return ColumnSummary.side_by_side(self.notes.found[LOOK])

    def _look(self) -> None:
        """Look at every chunk once, unless a pass did."""
        if LOOK in self.notes.found or self.notes.spoilt is not None:
            return
        jobs = self.notes.due() | {LOOK: SUMMARY}
        parts = computed(over_jobs(self.raw, list(jobs.values())))
        self.stores.check()
        self.notes.keep(jobs, parts)

    @property
    def n_stored(self) -> int:
        return int(self._summary.counts.sum()) if self.is_sparse else super().n_stored

    def column_counts(self) -> IntArray:
        return self._summary.counts

    def first_out_of_range(self) -> tuple[int | None, int] | None:
        self._look()
        if self.notes.spoilt is not None:
            return self.notes.spoilt
        return first_narrow(*self.column_extremes())

    def where(self, row: int, column: int) -> str:
        """Say by name or number where a value is, and in which chunk: as ``X.blocks`` counts them."""
        parts, number = [], []
        axes = ((row, self.row_slices, "rows"), (column, self.column_slices, "columns"))
        for (place, chunks, kind), numbers in zip(axes, self._numbers, strict=True):
            if len(chunks) > 1:
                here = next(i for i, chunk in enumerate(chunks) if place < chunk.stop)
                number.append(int(numbers[here]))
                parts.append(f"{kind} {chunks[here].start} to {chunks[here].stop - 1}")
        if not number:
            return super().where(row, column)
        return f"{super().where(row, column)} of chunk {', '.join(map(str, number))} ({', '.join(parts)})"

    def column_extremes(self) -> tuple[FloatArray, FloatArray]:
        return self._summary.low, self._summary.high

    def column_moments(self) -> ColumnMoments:
        """Return the mean of every column and its squared deviations."""
        return self._summary.moments

    def column_variances(self, *, n_jobs: int | None = 1) -> FloatArray:
        return self._summary.moments.squares / self.n_samples

    def largest_shares(self) -> FloatArray | None:
        return self._summary.largest_shares() if LOOK in self.notes.found else None

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
        """Refuse a table of more than a band, for who would gather it, or make its chunks many times."""
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
        values = self._fetched(self.raw)
        self.stores.check()
        return self._named_part(values, slice(None))

    def _named_part(self, values: Any, columns: slice) -> Matrix:
        names = taken(self.feature_names, columns)
        table = as_table(values).named(sample_names=self.sample_names, feature_names=names)
        table.basis = self.basis
        return table


def _without_empty_chunks(array: Any, numbers: Sequence[IntArray]) -> Any:
    """Leave out chunks without rows or columns, which have no smallest value, and no first row."""
    rows, columns = numbers
    if rows.size in (0, array.numblocks[0]) and columns.size in (0, array.numblocks[1]):
        return array
    return array.blocks[rows.tolist()].blocks[:, columns.tolist()]


def _fetched(array: Any) -> Any:
    """Compute a Dask array as one numpy array or sparse matrix."""
    rows = [stacked(list(of_rows), 1) for of_rows in _chunk_grid(array)]
    return stacked(rows, 0)


def _chunk_grid(array: Any) -> list[list[Any]]:
    """Compute every chunk of an array: Dask puts sparse ones together in few of its versions."""
    grid = array.to_delayed()
    chunks = iter(computed(grid.ravel()))
    return [[next(chunks) for _ in range(grid.shape[1])] for _ in range(grid.shape[0])]


def _indexed(array: Any, places: Any, axis: int) -> Any:
    """Return some rows or columns lazily."""
    import dask

    if isinstance(places, slice):
        return array if places == slice(None) else array[places] if axis == 0 else array[:, places]
    places = np.asarray(places)
    places = np.flatnonzero(places) if places.dtype == bool else places
    with dask.config.set({"array.slicing.split_large_chunks": False}):
        return array[places] if axis == 0 else array[:, places]
