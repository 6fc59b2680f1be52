"""Small pictures of whole numbers as PNG, where neither a script nor a plotting library is at hand."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from eigenselect._typing import IntArray

#: the colours of low, middle and high values: blue, nearly white, orange, as the page's heat maps have them
LOW, MIDDLE, HIGH = (33, 102, 172), (247, 247, 247), (179, 88, 6)
#: colours between the ends
STEPS = 51


def heat_png(steps: IntArray, limit: int, missing: int) -> str:
    """Draw a matrix of whole numbers between ``-limit`` and ``limit``, one pixel each, as a data address.

    Parameters
    ----------
    steps : ndarray of int, shape (n_rows, n_columns)
    limit : int
        The number that the last colour stands for.
    missing : int
        The number of entries that are left transparent.

    Examples
    --------
    >>> heat_png(np.array([[-5, 0, 5]]), 5, -128)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    places = np.rint((np.clip(steps, -limit, limit) / limit + 1) / 2 * (STEPS - 1)).astype(np.uint8)
    places = np.where(steps == missing, STEPS, places).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in places)
    height, width = places.shape
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(palette().ravel().tolist())),
        (b"tRNS", b"\xff" * STEPS + b"\0"),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ]
    file = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)
    return "data:image/png;base64," + base64.b64encode(file).decode("ascii")


def palette() -> IntArray:
    """Return the colours from low to high, and one for what is missing."""
    share = np.linspace(-1, 1, STEPS)[:, None]
    low, middle, high = (np.array(colour, dtype=float) for colour in (LOW, MIDDLE, HIGH))
    mixed = middle + np.where(share < 0, -share * (low - middle), share * (high - middle))
    return np.rint(np.vstack([mixed, middle])).astype(int)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
