"""Passes over a Dask array: a task per chunk, per block of columns or per row chunk, run where the chunks are.

What all tasks need (a graph, a form) is one more task of the same Dask graph: it is sent once, goes from worker to
worker, and is made again when a worker that holds it dies. Results are small; only they come back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any, cast
from uuid import uuid4

import numpy as np
from scipy import sparse

from eigenselect._parallel import single_threaded_blas
from eigenselect.matrix.base import TILES, Matrix
from eigenselect.matrix.bounds import working_bytes
from eigenselect.matrix.dask_cluster import check_workers
from eigenselect.matrix.number_types import is_number_type, kept_type
from eigenselect.matrix.sparse import SparseMatrix

#: part of scikit-learn's ``working_memory`` that one block of columns may take in float64
BLOCK_SHARE = 0.25
#: columns of a block, at least, where an array has no chunks of columns
NARROWEST = 64
#: results that one task combines
FAN_IN = 8


def row_slices(array: Any) -> list[slice]:
    """Return the rows of every row chunk."""
    return _slices_of(array.chunks[0])


def column_slices(array: Any) -> list[slice]:
    """Return the columns of every column chunk."""
    return _slices_of(array.chunks[1])


def column_blocks(array: Any) -> list[slice]:
    """Cut the columns where the chunks are cut, and further where all rows of a block would exceed its memory.

    Chunks of rows only are cut into at least `TILES` blocks, so that workers share them.
    """
    n_samples, n_features = array.shape
    most = int(working_bytes() * BLOCK_SHARE) // (8 * max(1, n_samples))
    fair = n_features if len(array.chunks[1]) > 1 else max(NARROWEST, -(-n_features // TILES))
    width = max(1, min(most, fair))
    return [
        slice(start, min(start + width, chunk.stop))
        for chunk in column_slices(array)
        for start in range(chunk.start, chunk.stop, width)
    ]


def over_chunks(array: Any, task: Callable[..., Any], shared: Sequence[Any] = ()) -> list[list[Any]]:
    """Return lazily ``task(table, rows, columns, *shared)`` of every chunk, by row and column chunk."""
    from dask.delayed import delayed

    run, sent_once = delayed(_on_chunk), [sent(one) for one in shared]
    chunks = array.to_delayed()
    return [
        [
            run(task, chunks[i, j], rows, columns, array.dtype, *sent_once)
            for j, columns in enumerate(column_slices(array))
        ]
        for i, rows in enumerate(row_slices(array))
    ]  # fmt: skip


def over_columns(array: Any, task: Callable[..., Any], shared: Sequence[Any] = ()) -> list[tuple[slice, Any]]:
    """Return lazily ``task(table, *shared)`` of every block of columns with all rows."""
    from dask.delayed import delayed

    run, cut, sent_once = delayed(_on_pieces), delayed(_cut), [sent(one) for one in shared]
    chunks, of_chunks = array.to_delayed(), column_slices(array)
    starts = np.array([chunk.start for chunk in of_chunks])
    found = []
    for columns in column_blocks(array):
        j = int(np.searchsorted(starts, columns.start, side="right")) - 1
        if columns == of_chunks[j]:
            pieces = list(chunks[:, j])
        else:
            within = slice(columns.start - of_chunks[j].start, columns.stop - of_chunks[j].start)
            pieces = [cut(chunk, within) for chunk in chunks[:, j]]
        shape = (array.shape[0], columns.stop - columns.start)
        found.append((columns, run(task, pieces, 0, shape, array.dtype, *sent_once)))
    return found


def over_rows(array: Any, task: Callable[..., Any], shared: Sequence[Any] = ()) -> list[tuple[slice, Any]]:
    """Return lazily ``task(table, *shared)`` of every row chunk with all columns."""
    from dask.delayed import delayed

    run, sent_once = delayed(_on_pieces), [sent(one) for one in shared]
    chunks = array.to_delayed()
    n_features, dtype = array.shape[1], array.dtype
    return [
        (rows, run(task, list(chunks[i]), 1, (rows.stop - rows.start, n_features), dtype, *sent_once))
        for i, rows in enumerate(row_slices(array))
    ]


def combined(parts: Sequence[Any], combine: Callable[[list[Any]], Any]) -> Any:
    """Return lazily ``combine`` of a few results at a time, and of what that gives, until one is left."""
    from dask.delayed import delayed

    parts, together = list(parts), delayed(combine)
    while len(parts) > 1:
        parts = [together(parts[start : start + FAN_IN]) for start in range(0, len(parts), FAN_IN)]
    return parts[0]


def sent(value: Any) -> Any:
    """Return what every task needs as one task of its own."""
    from dask.delayed import delayed

    return delayed(value, name=f"eigenselect-{type(value).__name__}-{uuid4().hex}", traverse=False)


def computed(parts: Iterable[Any]) -> list[Any]:
    """Compute lazy results in one run, by the scheduler that the user has; errors are those of the tasks."""
    from dask.base import compute

    check_workers()
    with _large_graphs():
        try:
            return list(compute(*parts))
        except Exception as error:
            _say_missing_package(error)
            raise


def _large_graphs() -> AbstractContextManager[Any]:
    """Within, a cluster takes a large task graph without remarks: the graph of samples is a part of it on purpose.

    One that is scattered dies with its worker.
    """
    from dask import config

    if "distributed" not in sys.modules:  # no cluster; its settings must not be touched before it has made them
        return nullcontext()
    return cast(AbstractContextManager[Any], config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}))


def _say_missing_package(error: BaseException) -> None:
    """Say so where a cluster cannot import this package, or has an older one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ImportError) and "eigenselect" in str(cause):
            raise ImportError(
                f"The Dask cluster cannot import eigenselect as it is here ({cause}); install eigenselect[dask] of the "
                "same version where the scheduler and the workers run."
            ) from error
        cause = cause.__cause__ or cause.__context__


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
        return sparse.vstack(together, format="csc") if axis == 0 else sparse.hstack(together, format="csr")
    return np.concatenate([np.asarray(piece) for piece in pieces], axis=axis)


def check_said(values: Any, shape: tuple[int, int], dtype: Any) -> None:
    """Refuse chunks that are not what the array says: fewer rows, or floats, which may be NaN, for whole numbers.

    Sparse ones that have no rows to take (COO) are refused at the door if the array says that it has such.

    >>> check_said(np.zeros((2, 3)), (2, 3), np.dtype(float))
    """
    floats = dtype.kind != "f" and values.dtype.kind == "f"
    if values.shape != shape or floats or getattr(values, "format", "csr") not in ("csr", "csc"):
        raise ValueError(
            f"A chunk of the Dask array must be what the array says, {shape} of {dtype}, got "
            f"{type(values).__name__} {values.shape} of {values.dtype}; make numpy arrays or CSR or CSC of scipy with "
            "X.map_blocks(..., dtype=..., chunks=...)."
        )


def _on_chunk(task: Callable[..., Any], chunk: Any, rows: slice, columns: slice, dtype: Any, *shared: Any) -> Any:
    check_said(chunk, (rows.stop - rows.start, columns.stop - columns.start), dtype)
    with single_threaded_blas():
        return task(as_table(chunk), rows, columns, *shared)


def _on_pieces(
    task: Callable[..., Any], pieces: Sequence[Any], axis: int, shape: tuple[int, int], dtype: Any, *shared: Any
) -> Any:
    values = stacked(pieces, axis)
    check_said(values, shape, dtype)
    with single_threaded_blas():
        return task(as_table(values), *shared)


def _cut(chunk: Any, columns: slice) -> Any:
    """Return some columns of a chunk, without keeping the rest of it alive."""
    part = chunk[:, columns]
    return part if sparse.issparse(part) else np.ascontiguousarray(part)


def _slices_of(sizes: Sequence[int]) -> list[slice]:
    ends = np.cumsum([0, *sizes])
    return [slice(int(start), int(stop)) for start, stop in pairwise(ends)]
