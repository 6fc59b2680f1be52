"""The bytes of a text file, plain or compressed, or of standard input: bounded, and readable more than once."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from eigenselect._checks import free_memory, in_bytes
from eigenselect._progress import WATCHER, Progress
from eigenselect.exceptions import InputError

#: endings of compressed text
COMPRESSED: dict[str, Any] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
CHUNK = 1 << 20
#: bytes of memory that a cell takes while it is read, beyond its letters: its place, its number, and a copy of that
CELL = 24
#: how files of other kinds begin, what they are and what to do
NO_TEXT = {
    b"\x1f\x8b": ("compressed by gzip", "decompress it, or let its name end in .gz"),
    b"PK\x03\x04": ("a zip archive, as xlsx and npz files are", "use --format xlsx or npz if it is one"),
    b"\x89HDF": ("HDF5", "use --format h5ad or h5"),
    b"PAR1": ("parquet", "use --format parquet"),
}
#: what decompression raises where the bytes are not what they should be
DAMAGED = (gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError)


class Content:
    r"""Read bytes as often as needed: those of a file from the file, those of a stream once into memory.

    A table is read up to three times: to check it, to parse it, and to see how some cells are written. A file that is
    another by then (its inode, size or time) is refused.

    Parameters
    ----------
    path : str
        A file, plain or compressed, a named pipe, or ``-``. The ending says how a file is compressed: ``.gz``,
        ``.bz2``, ``.xz``.
    source : str
        What messages call it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.csv.gz")
    ...     _ = Path(path).write_bytes(gzip.compress(b"a,b\n"))
    ...     content = Content(path, "x.csv.gz")
    ...     content.check(",")
    ...     with content.opened() as handle:
    ...         handle.read()
    b'a,b\n'
    """

    def __init__(self, path: str, source: str) -> None:
        self.path, self.source = path, source
        self.ending = Path(path).suffix.lower().lstrip(".")
        self._kept: bytes | None = None  # of what cannot be rewound
        self._seen: tuple[int, ...] | None = None
        self._is_file = path != "-" and Path(path).is_file()
        if path == "-":
            if sys.stdin is None:
                raise InputError("standard input: is closed; name a file, or send a table.")
            self._kept = self._all_of(sys.stdin.buffer)
        elif not self._is_file:
            with open(path, "rb") as pipe:
                self._kept = self._all_of(pipe)

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Open the bytes, decompressed, for reading from the beginning."""
        try:
            with io.BytesIO(self._kept) if self._kept is not None else self._stored() as handle:
                self._refuse_change()
                yield handle
        except DAMAGED:
            raise self._damaged() from None
        except OSError as error:
            if error.errno is None and self.ending in COMPRESSED:  # what bz2 says
                raise self._damaged() from None
            raise

    def check(self, separator: str | None = None) -> None:
        """Refuse NUL bytes, and what will not fit into memory, at the first byte too many.

        Bytes are counted as they are decompressed: a small file may hold terabytes. A text takes its bytes of memory, a
        table with this separator three numbers a cell besides.
        """
        for _ in self.chunks(separator):
            pass

    def chunks(self, separator: str | None) -> Iterator[bytes]:
        """Yield all bytes in chunks, each after it was checked."""
        free = free_memory()
        n_bytes = n_cells = 0
        with self.opened() as handle:
            while chunk := handle.read(CHUNK):
                self._refuse_nul(chunk)
                n_bytes += len(chunk)
                n_cells += 0 if separator is None else _count(chunk, separator.encode()) + _count(chunk, b"\n")
                if n_bytes + CELL * n_cells > free:
                    raise self._too_large(n_bytes, n_bytes + CELL * n_cells, free)
                yield chunk

    @contextmanager
    def _stored(self) -> Iterator[Any]:
        """Open the file, decompress it, and tell whoever watches how far the bytes of the file are read."""
        watcher = WATCHER.get()
        with (
            open(self.path, "rb") if watcher is None else io.BufferedReader(Watched(self.path, watcher), CHUNK) as file
        ):
            if self.ending not in COMPRESSED:
                yield file
                return
            with COMPRESSED[self.ending](file, "rb") as handle:
                yield handle

    def _all_of(self, handle: Any) -> bytes:
        """Read all bytes of a stream, which may never end; at its end they are there twice."""
        free, parts, n_bytes = free_memory(), [], 0
        while chunk := handle.read(CHUNK):
            self._look_at_stored(chunk)
            parts.append(chunk)
            n_bytes += len(chunk)
            if 2 * n_bytes > free:
                raise self._too_large(n_bytes, 2 * n_bytes, free)
        return b"".join(parts)

    def _look_at_stored(self, chunk: bytes) -> None:
        self._refuse_nul(chunk)  # /dev/zero has no end

    def _refuse_nul(self, chunk: bytes) -> None:
        if b"\0" not in chunk:  # pandas ends a number at it: 1<NUL>2 would become 1
            return
        for beginning, (what, advice) in NO_TEXT.items():
            if chunk.startswith(beginning):
                of_pipes = "save it in a file and name that, as pipes are read as text only"
                raise InputError(f"{self.source}: is no text but {what}; {advice if self._is_file else of_pipes}.")
        raise InputError(f"{self.source}: holds NUL bytes, which text does not; if it is UTF-16, save it as UTF-8.")

    def _too_large(self, n_bytes: int, needed: int, free: float) -> InputError:
        what = "decompresses to" if self.ending in COMPRESSED else "has"
        return InputError(
            f"{self.source}: {what} {in_bytes(n_bytes)} or more, for which {in_bytes(needed)} of memory or more are "
            f"needed, and {in_bytes(free)} are free; take fewer rows or columns, or a machine with more memory."
        )

    def _damaged(self) -> InputError:
        return InputError(
            f"{self.source}: cannot be decompressed, it is no .{self.ending} file or a damaged one; compress it again."
        )

    def _refuse_change(self) -> None:
        """Refuse a file that is not what it was when it was first opened."""
        if self._kept is not None:
            return
        found = os.stat(self.path)
        now = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._seen not in (None, now):
            raise InputError(f"{self.source}: was changed while it was read; run again.")
        self._seen = now


class Watched(io.FileIO):
    """A file that tells how much of it was read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"abcd"), file.flush()
    ...     with Watched(file.name, lambda done, total: print(done, "of", total)) as watched:
    ...         watched.readinto(bytearray(3))
    3 of 4
    3
    """

    def __init__(self, path: str, progress: Progress) -> None:
        super().__init__(path, "rb")
        self._progress, self._done, self._total = progress, 0, os.fstat(self.fileno()).st_size

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes, and tell."""
        size = super().readinto(buffer) or 0
        self._done += size
        if size and self._total:  # a file of a system, such as those of /proc, has no size
            self._progress(min(self._done, self._total), self._total)
        return size


def _count(chunk: bytes, mark: bytes) -> int:
    """Count one byte; ``bytes.count`` is slow where that is every tenth."""
    return int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == mark[0]))
