"""Text tables whose columns are plain numbers, but for some of text: a frame in one go."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pandas as pd

from eigenselect.io.number_blocks import Body, NotSimpleError
from eigenselect.io.number_marks import LIKE_NUMBER, MISSING, Evidence
from eigenselect.io.number_text import WRITTEN
from eigenselect.io.text_layout import Layout

#: columns in which the decimal mark is looked for
N_COLUMNS = 100
#: what pandas reads as numbers, though it has no digits
WORDS = ("true", "false", "inf", "infinity", "nan")


def simple_frame(
    handle: Any, names: Sequence[str], letters: Collection[str], layout: Layout, asked: str | None
) -> tuple[pd.DataFrame, str] | None:
    r"""Read a table as a frame, with its decimal mark; None if it is not simple, see `Body.read`.

    The mark is the empty text where no number has one, and nothing else says what it would be.

    Parameters
    ----------
    handle : file
        With bytes of UTF-8, at the header.
    names : sequence of str
        Of all columns.
    letters : collection of str
        Columns that are read as text, letter by letter; others are text if the first row says so.
    layout : Layout
    asked : str, optional
        The decimal mark that somebody named.

    Examples
    --------
    >>> import io
    >>> from eigenselect.io.text_layout import layout_of
    >>> text = b"id,x\n007,0.5\n012,1e3\n"
    >>> frame, decimal = simple_frame(io.BytesIO(text), ["id", "x"], ["id"], layout_of(io.BytesIO(text), ","), None)
    >>> frame.values.tolist()
    [['007', 0.5], ['012', 1000.0]]
    """
    if (
        len(layout.rows) < 2
        or len(layout.separator.encode()) > 1
        or layout.separator == " "
        or len(set(names)) < len(names)
    ):
        return None
    decimal = asked or _expected(layout, [place for place, name in enumerate(names) if name in letters])
    try:
        _skip_header(handle, layout.separator, len(names))
        texts = list(_texts(names, letters, layout.rows[1], decimal))
        numbers, cells = Body(layout.separator, len(names), decimal, texts).read(handle)
        return _joined(names, letters, numbers, cells), decimal
    except (NotSimpleError, csv.Error, UnicodeDecodeError):
        return None


def _expected(layout: Layout, text: Sequence[int]) -> str:
    """Give the decimal mark that the first rows show; where they show none, none may follow.

    Where the separator is no semicolon, a point is a point.
    """
    evidence = Evidence()
    for place in range(min(len(layout.rows[0]), N_COLUMNS)):
        if place not in text:
            evidence.look("", [row[place] for row in layout.rows[1:] if place < len(row)])
    if evidence.shown:
        return evidence.decimal()
    return "" if layout.separator == ";" or evidence.either.get(",") else "."


def _skip_header(handle: Any, separator: str, width: int) -> None:
    """Read the lines of the header and no more."""
    lines: Iterator[str] = (line.decode() for line in iter(handle.readline, b""))
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    header = next((row for row in rows if len(row) > 1 or "".join(row).strip()), [])
    if len(header) != width:
        raise NotSimpleError


def _texts(names: Sequence[str], letters: Collection[str], first: Sequence[str], decimal: str) -> Iterator[int]:
    """Yield the places of columns that are text, as far as the first row tells."""
    for place, (name, cell) in enumerate(zip(names, first, strict=False)):
        if name in letters:
            yield place
        elif cell not in MISSING and not WRITTEN.fullmatch(cell.replace(",", ".") if decimal == "," else cell):
            if cell.strip().lstrip("+-").lower() in WORDS:
                raise NotSimpleError
            yield place


def _joined(names: Sequence[str], letters: Collection[str], numbers: Any, cells: dict[int, list[str]]) -> pd.DataFrame:
    """Put the columns of text to their places among the numbers."""
    frame = pd.DataFrame(numbers, columns=[name for place, name in enumerate(names) if place not in cells])
    for place, column in sorted(cells.items()):
        given: list[str | None] = list(column)
        if names[place] not in letters:
            given = [None if cell in MISSING else cell for cell in column]
            if all(cell is None or LIKE_NUMBER.fullmatch(cell) for cell in given):  # numbers with marks
                raise NotSimpleError
        frame.insert(place, names[place], pd.Series(given, dtype=object))
    return frame
