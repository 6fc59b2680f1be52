"""One pass over the chunks of a Dask array does several jobs at once: one task makes a chunk and looks at it for all.

A chunk may be an expensive read, and each task costs the scheduler about a millisecond; so what somebody will ask for
is done with the pass that is made anyway. A chunk in which a job finds a value that is no number is `Spoilt`: nothing
more is done with it, and of all spoilt chunks the first place is kept, whichever task ends first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix.dask_passes import as_table, check_said, column_slices, combined, row_slices, sent


class Spoilt(NamedTuple):
    """Row and column in the table of the first value of a chunk that is NaN or too large."""

    row: int
    column: int


class ChunkJob(NamedTuple):
    """What is computed of every chunk, and how results of the same columns become one.

    Attributes
    ----------
    task : callable
        Called with a `Matrix` in memory, the slices of its rows and columns in the table, and what follows here.
    combine : callable
        Makes one result of a list of a few.
    shared : tuple
        Arguments that all tasks need: each is sent once.
    halos : sequence of array, optional
        For every chunk of rows, rows of others that it needs: a list of their values, in parts, is the next argument.
    by_row : sequence, optional
        An argument for every chunk of rows.
    by_column : ndarray of shape (n_features,), optional
        Last argument, cut to the columns of the chunk.
    finish : callable, optional
        Makes what the client gets of the result of all rows, on a worker: something smaller.
    """

    task: Callable[..., Any]
    combine: Callable[[list[Any]], Any]
    shared: tuple[Any, ...] = ()
    halos: Sequence[IntArray] | None = None
    by_row: Sequence[Any] | None = None
    by_column: FloatArray | None = None
    finish: Callable[[Any], Any] | None = None


def over_jobs(array: Any, jobs: Sequence[ChunkJob]) -> list[Any]:
    """Return lazily, for every chunk of columns, the tuple of what all jobs found there, or where it is spoilt.

    >>> import dask.array as da
    >>> total = ChunkJob(lambda table, rows, columns: table.raw.sum(), sum)
    >>> from eigenselect.matrix.dask_passes import computed
    >>> computed(over_jobs(da.ones((4, 6), chunks=(2, 3)), [total, total]))
    [(np.float64(12.0), np.float64(12.0)), (np.float64(12.0), np.float64(12.0))]
    """
    from dask.delayed import delayed

    chunks, rows, columns = array.to_delayed(), row_slices(array), column_slices(array)
    run, tasks = delayed(_on_chunk), [job.task for job in jobs]
    arguments = [_arguments(job, chunks, rows, columns) for job in jobs]
    combine = partial(_all_combined, [job.combine for job in jobs])
    found = []
    for j, of_columns in enumerate(columns):
        parts = [
            run(tasks, chunks[i, j], of_rows, of_columns, array.dtype, [given(i, j) for given in arguments])
            for i, of_rows in enumerate(rows)
        ]
        found.append(combined(parts, combine))
    finishes = [job.finish for job in jobs]
    return [delayed(_all_finished)(finishes, part) for part in found] if any(finishes) else found


def _arguments(
    job: ChunkJob, chunks: Any, rows: Sequence[slice], columns: Sequence[slice]
) -> Callable[[int, int], list[Any]]:
    """Return the function from the number of a chunk to what the task is given beside it."""
    shared = [sent(one) for one in job.shared]
    of_rows = None if job.by_row is None else [sent(one) for one in job.by_row]
    of_columns = None if job.by_column is None else [sent(job.by_column[part]) for part in columns]

    def given(i: int, j: int) -> list[Any]:
        found = list(shared)
        if job.halos is not None:
            found.append(_cut_out(chunks[:, j], rows, job.halos[i]))
        found += [] if of_rows is None else [of_rows[i]]
        return found + ([] if of_columns is None else [of_columns[j]])

    return given


def _cut_out(chunks: Any, rows: Sequence[slice], wanted: IntArray) -> list[Any]:
    """Take rows out of the chunks that hold them, lazily and where these are."""
    from dask.delayed import delayed

    take = delayed(_taken_rows)
    starts = np.array([part.start for part in rows])
    owner = np.searchsorted(starts, wanted, side="right") - 1
    return [take(chunks[i], wanted[owner == i] - starts[i]) for i in np.unique(owner)]


def _taken_rows(chunk: Any, rows: IntArray) -> Any:
    return chunk[rows]


def _on_chunk(
    tasks: Sequence[Callable[..., Any]],
    chunk: Any,
    rows: slice,
    columns: slice,
    dtype: Any,
    arguments: Sequence[Sequence[Any]],
) -> tuple[Any, ...] | Spoilt:
    """Do all jobs on one chunk, in their order; stop where one finds it spoilt."""
    check_said(chunk, (rows.stop - rows.start, columns.stop - columns.start), dtype)
    table, found = as_table(chunk), []
    with single_threaded_blas():
        for task, given in zip(tasks, arguments, strict=True):
            result = task(table, rows, columns, *given)
            if isinstance(result, Spoilt):
                return result
            found.append(result)
    return tuple(found)


def _all_finished(
    finishes: Sequence[Callable[[Any], Any] | None], found: tuple[Any, ...] | Spoilt
) -> tuple[Any, ...] | Spoilt:
    if isinstance(found, Spoilt):
        return found
    return tuple(part if finish is None else finish(part) for finish, part in zip(finishes, found, strict=True))


def _all_combined(
    combines: Sequence[Callable[[list[Any]], Any]], parts: Sequence[tuple[Any, ...] | Spoilt]
) -> tuple[Any, ...] | Spoilt:
    """Combine the results of each job; of spoilt chunks, the first place."""
    spoilt = [part for part in parts if isinstance(part, Spoilt)]
    if spoilt:
        return min(spoilt)
    return tuple(combine([part[place] for part in parts]) for place, combine in enumerate(combines))
