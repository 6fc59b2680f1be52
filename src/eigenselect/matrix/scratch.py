"""A table that lies by rows in a file, turned once into a temporary file that lies by columns.

A band of columns of a file by rows takes a pass over all of it, so a table of many bands would be read as many times
again for every sum over its columns. It is instead read once more, some rows after the other, and each column of them
is written to its place; every later look at the columns reads them in order, from there. The temporary file is deleted
by the system when nothing uses it any longer, also after a crash. Nothing is mapped into memory: a disk that is full is
an error that can be caught, and pages of it count as nobody's memory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._progress import WATCHER, tracked
from eigenselect._typing import AnyArray
from eigenselect._warn import warn
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.cuts import cut_by_size
from eigenselect.matrix.stored import DenseLines, SparseLines, StoredLines

#: one thread turns a table, the others wait for it
MAKING = threading.Lock()
#: bytes of a disk that are left free
SPARED = 2**28


def turned(source: StoredLines) -> StoredLines | None:
    """Return the same table by columns, in a temporary file that is made at the first call; None where there is none.

    That is where the disk has no room for it, which is said once, or where a place of a sparse matrix is stored twice.

    Parameters
    ----------
    source : StoredLines
        Lines are rows.
    """
    with MAKING:
        if "by_columns" not in vars(source):
            source.by_columns = _made(source)
        return source.by_columns


def _made(source: StoredLines) -> StoredLines | None:
    size = int(source.line_bytes().sum())
    folder = temporary_folder()
    make: Any = _sparse_columns if isinstance(source, SparseLines) else _dense_columns
    if shutil.disk_usage(folder).free > size + SPARED:
        try:
            made: StoredLines = make(source, folder)
            return made
        except OSError:  # others may fill the disk meanwhile; a file that cannot be read is a ValueError
            pass
    warn(
        f"{source.called} is read again for every {band_bytes() / 2**20:.0f} MB of its columns, as {folder} has no "
        f"room for a copy by columns, {size / 2**20:.0f} MB; set TMPDIR to a folder that has, or working_memory of "
        "scikit-learn to more."
    )
    return None


def temporary_folder() -> str:
    """Return where large temporary files belong: TMPDIR if it is set, else /var/tmp, as /tmp may be in memory."""
    return tempfile.gettempdir() if "TMPDIR" in os.environ or not os.access("/var/tmp", os.W_OK) else "/var/tmp"


class ScratchArray:
    """An array in a temporary file: written in parts, then read by slices of its first axis.

    >>> numbers = ScratchArray((4, 2), np.dtype(np.int16), tempfile.gettempdir())
    >>> numbers.write(2, np.arange(4, dtype=np.int16))
    >>> numbers[1:3, 1:2].tolist()
    [[1], [3]]
    """

    chunks = None

    def __init__(self, shape: tuple[int, ...], dtype: Any, folder: str) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._row = int(np.prod(shape[1:], dtype=np.int64))
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0, prefix="eigenselect-")  # noqa: SIM115
        self._file.truncate(shape[0] * self._row * self.dtype.itemsize)
        self._lock = threading.Lock()
        weakref.finalize(self, self._file.close)

    def write(self, start: int, values: AnyArray) -> None:
        """Write values that follow each other, from a place in the order of memory on."""
        with self._lock:
            self._file.seek(start * self.dtype.itemsize)
            left = memoryview(np.ascontiguousarray(values, dtype=self.dtype).data).cast("B")
            while left:
                left = left[self._file.write(left) :]

    def __getitem__(self, key: Any) -> AnyArray:
        lines, *rest = key if isinstance(key, tuple) else (key,)
        start, stop, _ = (slice(None) if lines is ... else lines).indices(self.shape[0])
        values = np.empty((max(0, stop - start), *self.shape[1:]), dtype=self.dtype)
        view, done = memoryview(values.reshape(-1).data).cast("B"), 0
        with self._lock:
            self._file.seek(start * self._row * self.dtype.itemsize)
            while done < len(view):
                read = self._file.readinto(view[done:])
                if not read:
                    raise OSError("a temporary file is shorter than it was")
                done += read
        return values[:, rest[0]] if rest else values


class ScratchGroup(dict[str, Any]):
    """The three arrays of a sparse matrix by columns."""

    def __init__(self, shape: tuple[int, int], **members: Any) -> None:
        super().__init__(members)
        self.attrs = {"encoding-type": "csc_matrix", "shape": shape}


def _sparse_columns(source: SparseLines, folder: str) -> StoredLines | None:
    """Write CSR as CSC; None where its indices name a place twice, so that there are fewer values than indices."""
    starts = np.concatenate([[0], np.cumsum(source.value_counts, dtype=np.int64)])
    index = np.dtype(np.int32 if source.shape[0] <= np.iinfo(np.int32).max else np.int64)
    data, indices = (ScratchArray((int(starts[-1]),), dtype, folder) for dtype in (source.dtype, index))
    filled = starts[:-1].copy()
    for lines, block in _blocks(source):
        by_column = sparse.csc_array(block)
        ends = by_column.indptr
        places = by_column.indices.astype(index) + index.type(lines.start)
        for column in np.flatnonzero(np.diff(ends)):
            part = slice(int(ends[column]), int(ends[column + 1]))
            data.write(int(filled[column]), by_column.data[part])
            indices.write(int(filled[column]), places[part])
        filled += np.diff(ends)
    if not np.array_equal(filled, starts[1:]):
        return None
    group = ScratchGroup(source.shape, data=data, indices=indices, indptr=starts)
    return SparseLines(group, source.called)


def _dense_columns(source: StoredLines, folder: str) -> StoredLines:
    """Write an array by rows as one by columns."""
    n_samples, n_features = source.shape
    values = ScratchArray((n_features, n_samples), source.dtype, folder)
    for lines, block in _blocks(source):
        by_column = np.ascontiguousarray(block.T)
        for column, part in enumerate(by_column):
            values.write(column * n_samples + lines.start, part)
    made = DenseLines(values, source.called)
    made.axis = 1
    return made


def _blocks(source: StoredLines) -> Iterator[tuple[slice, Any]]:
    """Read all lines once, in parts of half a band; report each."""
    parts = list(cut_by_size(source.line_bytes(), band_bytes() // 2))
    for lines in tracked(parts, len(parts), WATCHER.get()):
        yield lines, source.read(lines, slice(0, source.shape[1]))


def is_worth_turning(source: StoredLines, n_bytes: int, kept: int) -> bool:
    """Whether sums over columns would read a file over and over: by rows, of more bands than are kept, chunks wide."""
    if source.axis != 0 or n_bytes <= kept * band_bytes():
        return False
    width = band_bytes() // max(1, source.shape[0] * source.dtype.itemsize)
    chunks = getattr(source.dataset, "chunks", None)
    return source.is_sparse or (chunks is not None and int(chunks[1]) > width)
