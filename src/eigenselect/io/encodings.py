"""Tell in which encoding a text is stored, where its bytes leave no doubt, and read it as UTF-8.

A byte-order mark says it. Text in UTF-16 without one has a NUL byte beside every letter of ASCII. What is no UTF-8, and
could be cp1252 [1]_ (the encoding of Windows in western Europe and America, which has all letters of latin-1), is taken
for that: digits, points and separators are the same bytes in both, so that numbers cannot become others.

References
----------
.. [1] IANA, "Windows-1252", Character Sets registry, 1999.
"""

from __future__ import annotations

import codecs
import io
from typing import Any

#: byte-order marks, the longer ones first
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: names of encodings whose text holds NUL bytes
WITH_NUL = ("utf-16", "utf-32")
FALLBACK = "cp1252"
#: bytes that are no letters in cp1252, nor tabs and ends of lines: they are found in what is no text
NO_LETTERS = bytes([*range(9), 11, *range(14, 32), 127, 0x81, 0x8D, 0x8F, 0x90, 0x9D])
#: bytes at the beginning that are looked at
LOOKED_AT = 4096
CHUNK = 1 << 20


def encoding_at(start: bytes) -> str | None:
    """Tell the encoding by the first bytes; None where they do not say.

    >>> encoding_at("a,b".encode("utf-16")), encoding_at("a,b".encode("utf-16-be")), encoding_at(b"a,b")
    ('utf-16', 'utf-16-be', None)
    """
    for mark, name in BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return name
    seen = start[: LOOKED_AT - LOOKED_AT % 2]
    first, second = seen[0::2], seen[1::2]
    for one, other, name in ((first, second, "utf-16-be"), (second, first, "utf-16-le")):
        if other and 2 * one.count(0) > len(one) and 0 not in other:
            return name
    return None


def has_nul(encoding: str) -> bool:
    """Tell whether text in this encoding holds NUL bytes.

    >>> has_nul("UTF-16LE"), has_nul("utf8")
    (True, False)
    """
    return codecs.lookup(encoding).name.startswith(WITH_NUL)


class Utf8Check:
    """Look at bytes in chunks, and tell at the end what they are.

    Examples
    --------
    >>> check = Utf8Check()
    >>> check.look("naïve".encode("latin-1"))
    >>> check.encoding()
    'cp1252'
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_utf8, self._has_letters_of_utf8, self._is_text = True, False, True

    def look(self, chunk: bytes) -> None:
        """Look at the next chunk."""
        if self._is_text and chunk.translate(None, NO_LETTERS) != chunk:
            self._is_text = False
        if self._is_utf8:
            self._is_utf8 = self._decodes(chunk)
        if not chunk.isascii() and not self._has_letters_of_utf8:
            self._has_letters_of_utf8 = not chunk.decode("utf-8", "ignore").isascii()

    def encoding(self) -> str | None:
        """Tell the encoding: UTF-8, or cp1252 where nothing speaks against it; None for anything else.

        A text that holds letters of UTF-8 and other bytes is damaged UTF-8, such as a file that was cut off.
        """
        if self._is_utf8 and self._decodes(b"", final=True):
            return "utf-8"
        return FALLBACK if self._is_text and not self._has_letters_of_utf8 else None

    def _decodes(self, chunk: bytes, *, final: bool = False) -> bool:
        if chunk.isascii() and not final and self._decoder.getstate()[0] == b"":
            return True
        try:
            self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            return False
        return True


class Recoded(io.RawIOBase):
    """Read bytes of a text in any encoding as those of UTF-8.

    >>> Recoded(io.BytesIO("naïve".encode("utf-16")), "utf-16").read().decode()
    'naïve'
    """

    def __init__(self, handle: Any, encoding: str) -> None:
        self._handle, self._decoder = handle, codecs.getincrementaldecoder(encoding)()
        self._left, self._ended = b"", False

    def readable(self) -> bool:
        """Tell that bytes can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        while not self._left and not self._ended:
            chunk = self._handle.read(CHUNK)
            self._ended = not chunk
            self._left = self._decoder.decode(chunk, self._ended).encode("utf-8")
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size
