"""A table that lies by rows in a file, copied once into a temporary file that holds it by bands of columns.

A band of columns of a file by rows takes a pass over all of it, so a table of many bands would be read as many times
again for every sum over its columns. It is instead read once more, some rows after the other, and the part of them that
belongs to a band is written behind what that band has; every later look at a band reads it in one piece, row by row, as
loops want it. The temporary file has no name, only this process reads it (mode 0600), and the system deletes it when
nothing uses it any longer, also after a crash. Nothing is mapped into memory: a disk that is full is an error that can
be caught, and pages of it count as nobody's memory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import numpy as np
from scipy import sparse

from eigenselect._progress import WATCHER, tracked
from eigenselect._typing import AnyArray, IntArray
from eigenselect._warn import warn
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.cuts import cut_by_size
from eigenselect.matrix.stored import SparseLines, StoredLines

#: one thread copies a table, the others wait for it
MAKING = threading.Lock()
#: bytes of a disk that are left free
SPARED = 2**28


def split(source: StoredLines) -> ScratchBands | None:
    """Return the same table by bands of columns, in a temporary file that is made at the first call.

    None where the disk has no room for it, which is said once.

    Parameters
    ----------
    source : StoredLines
        Lines are rows.
    """
    with MAKING:
        if "column_bands" not in vars(source):
            source.column_bands = _made(source)
        return source.column_bands


def _made(source: StoredLines) -> ScratchBands | None:
    size = int(source.line_bytes().sum())
    folder = temporary_folder()
    if shutil.disk_usage(folder).free > size + SPARED:
        try:
            return (SparseBands if source.is_sparse else ScratchBands)(source, folder)
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
    """Numbers in a temporary file: written in parts, then read by slices.

    >>> numbers = ScratchArray(8, np.int16, tempfile.gettempdir())
    >>> numbers.write(2, np.arange(4, dtype=np.int16))
    >>> numbers[1:5].tolist()
    [0, 0, 1, 2]
    """

    def __init__(self, size: int, dtype: Any, folder: str) -> None:
        self.dtype = np.dtype(dtype)
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0, prefix="eigenselect-")  # noqa: SIM115
        self._file.truncate(size * self.dtype.itemsize)
        self._lock = threading.Lock()
        weakref.finalize(self, self._file.close)

    def write(self, start: int, values: AnyArray) -> None:
        """Write values one after the other, from a place on."""
        left = np.ascontiguousarray(values, dtype=self.dtype).reshape(-1).view(np.uint8)
        with self._lock:
            self._file.seek(start * self.dtype.itemsize)
            while left.size:
                left = left[self._file.write(left.data) :]

    def __getitem__(self, part: slice) -> AnyArray:
        values = np.empty(part.stop - part.start, dtype=self.dtype)
        left = values.view(np.uint8)
        with self._lock:
            self._file.seek(part.start * self.dtype.itemsize)
            while left.size:
                read = self._file.readinto(left.data)
                if not read:
                    raise OSError("a temporary file is shorter than it was")
                left = left[read:]
        return values


class ScratchBands:
    """The columns of a dense table in bands of at most `band_bytes`, or of one column, each in one piece of a file.

    Parameters
    ----------
    source : StoredLines
        Lines are rows; all of them are read once.
    folder : str
        Where the temporary file is.

    Attributes
    ----------
    bounds : ndarray of int
        Where bands begin, and where the last one ends.

    Examples
    --------
    >>> from eigenselect.matrix.stored import DenseLines
    >>> bands = ScratchBands(DenseLines(np.arange(6.0).reshape(2, 3), "X"), tempfile.gettempdir())
    >>> bands.take(np.array([2, 0]))
    array([[2., 0.],
           [5., 3.]])
    """

    def __init__(self, source: StoredLines, folder: str) -> None:
        self._n_lines, self._dtype = source.shape[0], source.dtype
        cuts = cut_by_size(source.value_bytes(), band_bytes())
        self.bounds = np.array([0, *(cut.stop for cut in cuts)], dtype=np.intp)
        self._reserve(source, folder)
        for lines, block in _blocks(source):
            self._write(lines, block)

    def take(self, columns: IntArray) -> Any:
        """Return some columns, each once, of all lines: an array, or CSR."""
        order = np.argsort(columns, kind="stable")
        wanted = columns[order]
        parts = []
        for band in np.unique(np.searchsorted(self.bounds, wanted, side="right") - 1).tolist():
            first, last = int(self.bounds[band]), int(self.bounds[band + 1])
            inside = wanted[(wanted >= first) & (wanted < last)] - first
            held = self._band(band)
            parts.append(held if inside.size == last - first else held[:, inside])
        whole = parts[0] if len(parts) == 1 else self._joined(parts)
        return whole if np.array_equal(wanted, columns) else whole[:, np.argsort(order)]

    def _reserve(self, source: StoredLines, folder: str) -> None:
        self._values = ScratchArray(source.shape[0] * source.shape[1], self._dtype, folder)

    def _write(self, lines: slice, block: Any) -> None:
        for first, last in pairwise(self.bounds.tolist()):
            self._values.write(first * self._n_lines + lines.start * (last - first), block[:, first:last])

    def _band(self, band: int) -> Any:
        first, last = (int(bound) for bound in self.bounds[band : band + 2])
        values = self._values[first * self._n_lines : last * self._n_lines]
        return values.reshape(self._n_lines, last - first)

    def _joined(self, parts: list[Any]) -> Any:
        return np.hstack(parts)


class SparseBands(ScratchBands):
    """The columns of a sparse table in bands, each of them CSR."""

    def _reserve(self, source: StoredLines, folder: str) -> None:
        counts = cast(SparseLines, source).value_counts
        ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])[self.bounds]  # at most: places may be twice
        widths = np.diff(self.bounds)
        self._filled, self._starts = ends[:-1].copy(), ends[:-1]
        self._index = np.dtype(np.int32 if source.shape[1] <= np.iinfo(np.int32).max else np.int64)
        self._values = ScratchArray(int(ends[-1]), self._dtype, folder)
        self._places = ScratchArray(int(ends[-1]), self._index, folder)
        self._counts = ScratchArray(widths.size * source.shape[0], np.int64, folder)

    def _write(self, lines: slice, block: Any) -> None:
        """Copy the part of every row that belongs to a band, band by band: columns ascend in a row."""
        from eigenselect.matrix.row_bands import copied_runs, ends_before

        begin, last = (block.indptr[part].astype(np.int64, copy=False) for part in (slice(None, -1), slice(1, None)))
        places = block.indices.astype(self._index, copy=False)
        for band, stop in enumerate(self.bounds[1:].tolist()):
            end = last if stop == self.bounds[-1] else ends_before(stop, places, begin, last)
            of_band, at = copied_runs(places, begin, end), int(self._filled[band])
            of_band -= self._index.type(self.bounds[band])
            self._places.write(at, of_band)
            self._values.write(at, copied_runs(block.data, begin, end))
            self._counts.write(band * self._n_lines + lines.start, end - begin)
            self._filled[band] += of_band.size
            begin = end

    def _band(self, band: int) -> Any:
        part = slice(int(self._starts[band]), int(self._filled[band]))
        counts = self._counts[band * self._n_lines : (band + 1) * self._n_lines]
        fits = part.stop - part.start <= np.iinfo(np.int32).max
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(self._index if fits else np.int64)
        shape = (self._n_lines, int(self.bounds[band + 1] - self.bounds[band]))
        held = sparse.csr_array((self._values[part], self._places[part], indptr), shape=shape)
        held.has_canonical_format = True  # rows were written as they were read
        return held

    def _joined(self, parts: list[Any]) -> Any:
        return sparse.csr_array(sparse.hstack(parts, format="csr"))


def _blocks(source: StoredLines) -> Iterator[tuple[slice, Any]]:
    """Read all lines once, in parts of a quarter of a band, or of whole chunks; report each."""
    parts = list(cut_by_size(source.line_bytes(), band_bytes() // 4))
    for lines in tracked(parts, len(parts), WATCHER.get()):
        yield lines, source.read(lines, slice(0, source.shape[1]))
        source.tell("copy by columns", lines.start, lines.stop, source.shape[0])


def is_worth_splitting(source: StoredLines, n_bytes: int, kept: int) -> bool:
    """Whether sums over columns would read a file over and over: by rows, of more bands than are kept, chunks wide."""
    if source.axis != 0 or n_bytes <= kept * band_bytes():
        return False
    width = band_bytes() // max(1, source.shape[0] * source.dtype.itemsize)
    chunks = getattr(source.dataset, "chunks", None)
    return source.is_sparse or (chunks is not None and int(chunks[1]) > width)
