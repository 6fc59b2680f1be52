"""Tasks over a Dask array: one for each chunk, or one for each block of columns with all rows; small results come back.

What all tasks need (a graph, a form) is one more task of the same Dask graph: it is sent once, goes from worker to
worker, and is computed again when a worker that holds it dies. Blocks of columns are put together here rather than by
``rechunk``: all jobs of a run share the chunks that they are cut from, and not every version of Dask joins sparse ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, cast
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from eigenselect import __version__
from eigenselect._parallel import single_threaded_blas
from eigenselect.matrix.base import TILES, Matrix
from eigenselect.matrix.bounds import working_bytes
from eigenselect.matrix.number_types import is_number_type, kept_type
from eigenselect.matrix.sparse import SparseMatrix

#: part of scikit-learn's ``working_memory`` that one block of columns may take if it is dense
BLOCK_SHARE = 0.25
#: columns of a block, at least, if an array has no chunks of columns
NARROWEST = 64
#: results that one task combines
FAN_IN = 8
#: what a new worker evaluates
QUESTION = "__import__('eigenselect').__version__"
#: addresses of the workers that have the package, by client
CHECKED: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

#: a task of one chunk is called with a `Matrix`, the slices of its rows and columns, and what all tasks share
Task = Callable[..., Any]


# -- chunks and blocks of columns ------------------------------------------------------------------


def chunk_slices(array: Any, axis: int) -> list[slice]:
    """Return the rows (axis 0) or columns (axis 1) of every chunk."""
    ends = np.cumsum([0, *array.chunks[axis]])
    return [slice(int(start), int(stop)) for start, stop in pairwise(ends)]


def column_slices(array: Any) -> list[slice]:
    """Cut the columns where the chunks are cut, and further if all rows of a block would exceed its memory.

    Chunks of rows only are cut into at least `TILES` blocks, so that workers share them.
    """
    n_samples, n_features = array.shape
    most = int(working_bytes() * BLOCK_SHARE) // (array.dtype.itemsize * max(1, n_samples))
    fair = n_features if len(array.chunks[1]) > 1 else max(NARROWEST, -(-n_features // TILES))
    width = max(1, min(most, fair))
    return [
        slice(start, min(start + width, chunk.stop))
        for chunk in chunk_slices(array, 1)
        for start in range(chunk.start, chunk.stop, width)
    ]


def column_blocks(array: Any) -> list[tuple[slice, Any]]:
    """Return lazily the values of every block of columns with all rows."""
    from dask.delayed import delayed

    split, join, found = delayed(_split), delayed(_joined), []
    wanted, chunks = column_slices(array), array.to_delayed()
    for j, of_chunk in enumerate(chunk_slices(array, 1)):
        blocks = [columns for columns in wanted if of_chunk.start <= columns.start < of_chunk.stop]
        within = [slice(columns.start - of_chunk.start, columns.stop - of_chunk.start) for columns in blocks]
        parts = [split(chunk, within) for chunk in chunks[:, j]] if len(blocks) > 1 else []
        for place, columns in enumerate(blocks):
            pieces = [part[place] for part in parts] if parts else list(chunks[:, j])
            shape = (array.shape[0], columns.stop - columns.start)
            found.append((columns, join(pieces, shape, array.dtype)))
    return found


def over_columns(
    array: Any, task: Task, shared: Sequence[Any] = (), blocks: Sequence[tuple[slice, Any]] | None = None
) -> list[tuple[slice, Any]]:
    """Return lazily ``task(table, *shared)`` of every block of columns with all rows."""
    from dask.delayed import delayed

    run, sent_once = delayed(_on_values), [sent(one) for one in shared]
    blocks = column_blocks(array) if blocks is None else blocks
    return [(columns, run(task, values, *sent_once)) for columns, values in blocks]


def over_chunks(
    array: Any,
    task: Task,
    shared: Sequence[Any],
    combine: Callable[[list[Any]], Any],
    finish: Callable[..., Any] | None = None,
    axis: int = 0,
) -> list[Any]:
    """Return lazily ``task(table, rows, columns, *shared)`` of every chunk, combined along an axis.

    Parameters
    ----------
    combine : callable
        Makes one result of a list of a few.
    finish : callable, optional
        Makes what is returned of the last one and what is shared: something smaller.

    Returns
    -------
    list
        One result for every chunk of columns; of rows, with axis 1.
    """
    from dask.delayed import delayed

    run, sent_once = delayed(_on_chunk), [sent(one) for one in shared]
    rows, columns = chunk_slices(array, 0), chunk_slices(array, 1)
    chunks = array.to_delayed()
    grid = [
        [run(task, chunks[i, j], row, column, array.dtype, *sent_once) for j, column in enumerate(columns)]
        for i, row in enumerate(rows)
    ]
    found = [combined(line, combine) for line in (grid if axis else zip(*grid, strict=True))]
    return found if finish is None else [delayed(_quietly)(finish, part, *sent_once) for part in found]


def combined(parts: Sequence[Any], combine: Callable[[list[Any]], Any]) -> Any:
    """Return lazily ``combine`` of a few results at a time, in a tree of fixed order."""
    from dask.delayed import delayed

    parts, together = list(parts), delayed(_quietly)
    while len(parts) > 1:
        parts = [together(combine, parts[start : start + FAN_IN]) for start in range(0, len(parts), FAN_IN)]
    return parts[0]


def added(parts: list[Any]) -> Any:
    """Add the results of several tasks."""
    return np.sum(parts, axis=0)


def sent(value: Any) -> Any:
    """Return what every task needs as one task of its own."""
    from dask.delayed import delayed

    return delayed(value, name=f"eigenselect-{type(value).__name__}-{uuid4().hex}", traverse=False)


# -- on a worker -----------------------------------------------------------------------------------


def as_table(values: Any) -> Matrix:
    """Wrap the values of a chunk, which are in memory."""
    if np.ma.is_masked(values):
        raise ValueError(
            f"A chunk of the Dask array has {np.ma.count_masked(values)} masked values, which count as missing; fill "
            "them first."
        )
    table = values if sparse.issparse(values) else np.asarray(values)
    if table.ndim != 2 or not is_number_type(table.dtype):
        raise ValueError(
            f"A chunk of the Dask array must be a table of numbers, got {type(values).__name__} of "
            f"{table.dtype} and shape {table.shape}; look at X.blocks[i].compute()."
        )
    table = table.astype(kept_type(table.dtype), copy=False)
    return SparseMatrix(table) if sparse.issparse(table) else Matrix(table)


def stacked(pieces: Sequence[Any], axis: int) -> Any:
    """Put chunks together, sparse if one of them is."""
    if len(pieces) == 1:
        return pieces[0]
    if any(sparse.issparse(piece) for piece in pieces):
        together = [sparse.csr_array(piece) for piece in pieces]
        return (sparse.hstack if axis else sparse.vstack)(together, format="csr")
    return np.concatenate([np.asarray(piece) for piece in pieces], axis=axis)


def check_chunk(values: Any, shape: tuple[int, int], dtype: Any) -> None:
    """Refuse chunks that are not what the array says: fewer rows, or floats, which may be NaN, for whole numbers.

    >>> check_chunk(np.zeros((2, 3)), (2, 3), np.dtype(float))
    """
    floats = dtype.kind != "f" and values.dtype.kind == "f"
    if values.shape != shape or floats or getattr(values, "format", "csr") not in ("csr", "csc"):
        raise ValueError(
            f"A chunk of the Dask array must be what the array says, {shape} of {dtype}, got "
            f"{type(values).__name__} {values.shape} of {values.dtype}; make numpy arrays or CSR or CSC of scipy with "
            "X.map_blocks(..., dtype=..., chunks=...)."
        )


def _split(chunk: Any, columns: Sequence[slice]) -> list[Any]:
    """Cut a chunk into blocks of columns, which do not keep it alive."""
    return [chunk[:, part] if sparse.issparse(chunk) else np.ascontiguousarray(chunk[:, part]) for part in columns]


def _joined(pieces: Sequence[Any], shape: tuple[int, int], dtype: Any) -> Any:
    values = stacked(pieces, 0)
    check_chunk(values, shape, dtype)
    return values


def _quietly(task: Task, *arguments: Any) -> Any:
    """Call a function of values that may be NaN, which is refused after the run."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        return task(*arguments)


def _on_values(task: Task, values: Any, *shared: Any) -> Any:
    return _quietly(task, as_table(values), *shared)


def _on_chunk(task: Task, chunk: Any, rows: slice, columns: slice, dtype: Any, *shared: Any) -> Any:
    check_chunk(chunk, (rows.stop - rows.start, columns.stop - columns.start), dtype)
    return _on_values(task, chunk, rows, columns, *shared)


# -- the run ---------------------------------------------------------------------------------------


def computed(parts: Any) -> Any:
    """Compute lists or dicts of lazy results in one run, by the scheduler that the user has; errors are the tasks'."""
    from dask.base import compute

    check_workers()
    with _large_graphs():
        return compute(parts)[0]


def _large_graphs() -> AbstractContextManager[Any]:
    """Within, a cluster takes a large task graph without remarks: the graph of samples is a part of it on purpose.

    One that is scattered dies with its worker.
    """
    from dask import config

    if "distributed" not in sys.modules:  # no cluster; its settings must not be touched before it has made them
        return nullcontext()
    return cast(AbstractContextManager[Any], config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}))


def current_client() -> Any:
    """Return the client that would compute now; None if threads or processes of this machine would."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "scheduler_info") else None


def check_workers() -> None:
    """Refuse a client that is closed, and a cluster with a worker that has not this package in this version.

    A worker that cannot read a task because a package is missing leaves the cluster, its successor does the same, and
    the client waits. So new workers evaluate something first that needs nothing but Python.
    """
    client = current_client()
    if client is None:
        return
    if getattr(client, "status", "running") == "closed":
        raise ValueError("The Dask client that is to compute is closed; open another, or leave its `as_current()`.")
    checked = CHECKED.setdefault(client, set())
    fresh = sorted(set(client.scheduler_info(n_workers=-1)["workers"]) - checked)
    answers = client.run(eval, QUESTION, workers=fresh, on_error="return") if fresh else {}
    lacking = [f"{worker}: {_complaint(answers[worker])}" for worker in fresh if _complaint(answers.get(worker))]
    if lacking:
        raise ImportError(
            f"The Dask cluster cannot import eigenselect as it is here ({len(lacking)} of {len(fresh)} workers; "
            f"{lacking[0]}); install eigenselect[dask]=={__version__} where the scheduler and the workers run."
        )
    checked.update(worker for worker in fresh if answers.get(worker) == __version__)


def _complaint(answer: Any) -> str:
    """Say what is wrong with an answer; nothing about a worker that has left."""
    if isinstance(answer, ImportError):
        return str(answer)
    return f"version {answer}" if isinstance(answer, str) and answer != __version__ else ""
