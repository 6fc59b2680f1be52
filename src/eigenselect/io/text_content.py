"""The text of a file as UTF-8, without the lines before and behind the table."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eigenselect.exceptions import InputError
from eigenselect.io.content import Content
from eigenselect.io.encodings import CHUNK, FALLBACK, LOOKED_AT, Recoded, Utf8Check, encoding_at, has_nul
from eigenselect.io.errors import OPTIONS, Advice

#: the last line of a series matrix of the Gene Expression Omnibus
END_OF_SERIES = b"!series_matrix_table_end"


class TextContent(Content):
    r"""Read the bytes of a text as UTF-8 without a byte-order mark, whatever its encoding is.

    Parameters
    ----------
    path, source : str
        See `Content`.
    encoding : str, optional
        As Python names it; None for what the bytes show.
    advice : Advice
        What messages tell people to do.

    Attributes
    ----------
    encoding : str
        In which the text is read.
    n_before : int
        Lines before the table, which `opened` skips.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "x.csv")
    ...     _ = path.write_bytes("a,größe\n".encode("cp1252"))
    ...     content = TextContent(str(path), "x.csv")
    ...     content.check(",")
    ...     with content.opened() as handle:
    ...         handle.read().decode()
    'a,größe\n'
    >>> content.note
    'read as cp1252, as it is not UTF-8; name it with --encoding if it is another'
    """

    def __init__(self, path: str, source: str, encoding: str | None = None, advice: Advice = OPTIONS) -> None:
        self.asked, self.advice = encoding, advice
        self.encoding = "" if encoding is None else codecs.lookup(encoding).name
        self.n_before = 0
        self._last: int | None = None
        super().__init__(path, source)
        if self._kept is not None:
            self._sniff(self._kept[:LOOKED_AT])
        else:
            with super().opened() as handle:
                self._sniff(handle.read(LOOKED_AT))

    @property
    def note(self) -> str:
        """Say in which encoding it is read, where that is not UTF-8."""
        if self.encoding == FALLBACK and self.asked is None:
            return f"read as {FALLBACK}, as it is not UTF-8; {self.advice.encoding} if it is another"
        return "" if self.encoding.startswith("utf-8") else f"read as {self.encoding}"

    def check(self, separator: str | None = None, *, ends_in_remark: bool = False) -> None:
        """Check the bytes as `Content.check`, and tell the encoding where nobody did.

        With ``ends_in_remark`` the last line of a series matrix is no part of the table.
        """
        watch = Utf8Check() if self.encoding == "utf-8" else None
        tail, n_bytes = b"", 0
        for chunk in self.chunks(separator):
            if watch is not None:
                watch.look(chunk)
            tail, n_bytes = (tail + chunk)[-2 * len(END_OF_SERIES) :], n_bytes + len(chunk)
        if watch is not None:
            self.encoding = self._found(watch)
        place = tail.rfind(END_OF_SERIES)
        if ends_in_remark and place >= 0 and not tail[place + len(END_OF_SERIES) :].strip():
            self._last = n_bytes - len(tail) + place

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Open the table within the text, as UTF-8, for reading from its first line."""
        try:
            with super().opened() as handle:
                text = handle if self.encoding == "utf-8" else io.BufferedReader(Recoded(handle, self.encoding), CHUNK)
                for _ in range(self.n_before):
                    text.readline()
                yield text if self._last is None else io.BufferedReader(Beginning(text, self._last), CHUNK)
        except UnicodeError:  # of bytes that are no letters, and of UTF-16 without a byte-order mark
            raise self._no_text() from None

    def _sniff(self, start: bytes) -> None:
        """Tell the encoding by the first bytes; UTF-8 may have a byte-order mark even where UTF-8 was asked for."""
        found = encoding_at(start)
        if not self.encoding or (self.encoding, found) == ("utf-8", "utf-8-sig"):
            self.encoding = found or "utf-8"

    def _look_at_stored(self, chunk: bytes) -> None:
        """Refuse NUL in a stream, which may have no end, unless its encoding has them."""
        if not self.encoding:
            self._sniff(chunk)
        if not has_nul(self.encoding):
            self._refuse_nul(chunk)

    def _found(self, watch: Utf8Check) -> str:
        found = watch.encoding()
        if found is None or (self.asked is not None and found != "utf-8"):
            raise self._no_text()
        return found

    def _no_text(self) -> InputError:
        name = self.asked or self.encoding
        if codecs.lookup(name).name.startswith("utf-8"):
            return InputError(f"{self.source}: is not text in UTF-8; save it as UTF-8, or {self.advice.encoding}.")
        return InputError(f"{self.source}: is not text in {name}; save it as UTF-8, or {self.advice.encoding}.")


class Beginning(io.RawIOBase):
    """Read the first bytes of a handle, and no more.

    >>> Beginning(io.BytesIO(b"abcdef"), 4).read()
    b'abcd'
    """

    def __init__(self, handle: Any, size: int) -> None:
        self._handle, self._left = handle, size

    def readable(self) -> bool:
        """Tell that bytes can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        chunk = self._handle.read(min(len(buffer), self._left))
        buffer[: len(chunk)] = chunk
        self._left -= len(chunk)
        return len(chunk)
