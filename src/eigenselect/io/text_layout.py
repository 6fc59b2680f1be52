r"""Where the table of a text begins, and what separates its cells: told by its first lines.

The mark of the format (a comma in csv, a tab in tsv) separates the cells wherever it splits the first lines into
equally many, two or more. Else another mark does, if only one splits them so: ``;``, a tab, a comma, ``|``; or blanks,
if there are three cells or more and all but the first of each line are numbers. Where that tells nothing it is the mark
of the format, and lines of unequal length are refused later.

Before the table there may be a line ``sep=;``, as spreadsheets write it, and remarks: lines that begin with ``#``, or
with ``!`` as in a series matrix of the Gene Expression Omnibus. A remark that has as many cells as the table may be its
header.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eigenselect.exceptions import counted, shown

#: marks that may stand between cells, blanks aside
MARKS = (",", ";", "\t", "|")
#: lines of the table that are looked at: so many, or fewer if they are long, and the letters of one of them, at most
N_LINES, N_LONG_LINES, LONG, LONGEST = 12, 3, 10_000, 1 << 24
#: lines of remarks, at most
MOST_REMARKS = 100_000
SAID_BY_SPREADSHEET = re.compile(r'"?sep=([^"\r\n])"?\r?\n?')
REMARK = re.compile(r'"?(#|![A-Za-z])')
NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")


@dataclass(frozen=True)
class Layout:
    """Hold what separates cells, and what stands before the table.

    Attributes
    ----------
    separator : str
    n_before : int
        Lines before the table.
    remarks : sequence of str
        The remarks among these lines.
    rows : sequence of sequences of str
        The cells of the first lines of the table, the header first.
    """

    separator: str
    n_before: int = 0
    remarks: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    @property
    def is_series(self) -> bool:
        """Whether it is a series matrix, whose last line is a remark, too."""
        return any(remark.lstrip('"').startswith("!") for remark in self.remarks)

    @property
    def note(self) -> str:
        """Say what was skipped."""
        if not self.remarks:
            return ""
        were = "was" if len(self.remarks) == 1 else "were"
        return (
            f"{counted(len(self.remarks), 'line')} before the header {were} skipped ({shown(self.remarks[0].strip())})"
        )


def layout_of(handle: Any, usual: str, asked: str | None = None, *, remarks: bool = True) -> Layout:
    r"""Read the first lines of a text.

    Parameters
    ----------
    handle : file
        With bytes of UTF-8, at the beginning.
    usual : str
        The mark of the format.
    asked : str, optional
        The mark that somebody named.
    remarks : bool
        Whether there may be remarks before the table.

    Examples
    --------
    >>> import io
    >>> layout = layout_of(io.BytesIO(b"# made today\na;b\n1,5;2\n"), ",")
    >>> layout.separator, layout.n_before, layout.rows[0], layout.note
    (';', 1, ['a', 'b'], "1 line before the header was skipped ('# made today')")
    """
    before, lines = _first_lines(handle, most=MOST_REMARKS if remarks else 0)
    said = SAID_BY_SPREADSHEET.fullmatch(before[0]) if before else None
    separator = asked or (said[1] if said else None) or _separator_of(lines, usual) or usual
    rows = _split(lines, separator)
    if before[said is not None :] and _is_header(before[-1], rows, separator):
        rows = [*_split([before.pop()], separator), *rows]
    skipped = [line for line in before[said is not None :] if line.strip()]
    return Layout(separator, len(before), skipped, rows)


def _first_lines(handle: Any, most: int) -> tuple[list[str], list[str]]:
    """Read the lines before the table, if there are any, at most so many, and the first lines of the table."""
    before: list[str] = []
    lines: list[str] = []
    n_lines = N_LINES
    while len(lines) < n_lines and (line := handle.readline(LONGEST).decode("utf-8", "replace")):
        said = not before and SAID_BY_SPREADSHEET.fullmatch(line)
        if not lines and len(before) < most and (said or REMARK.match(line) or not line.strip()):
            before.append(line)
        else:
            lines.append(line)
            n_lines = N_LONG_LINES if len(line) > LONG else N_LINES
    return (before, lines) if lines else ([], before)


def _separator_of(lines: Sequence[str], usual: str) -> str | None:
    """Find the one mark that splits all lines into equally many cells, two or more."""
    if _splits_evenly(lines, usual):
        return usual
    found = [mark for mark in MARKS if mark != usual and _splits_evenly(lines, mark)]
    if len(found) == 1:
        return found[0]
    rows = _split(lines, " ") if not found and _splits_evenly(lines, " ", least=3) else []
    return " " if rows[1:] and all(is_number(cell) for row in rows[1:] for cell in row[1:]) else None


def _splits_evenly(lines: Sequence[str], mark: str, least: int = 2) -> bool:
    widths = {len(row) for row in _split(lines, mark)}
    return len(widths) == 1 and widths.pop() >= least


def _split(lines: Sequence[str], mark: str) -> list[list[str]]:
    """Split lines that are not blank; a last row that ends within quotes may not be whole, and is left out."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True) if row]
    except csv.Error:  # a cell longer than the csv module reads
        return []
    cut = len(rows) > 2 and "".join(lines).count('"') % 2 == 1
    return rows[: len(rows) - cut]


def _is_header(remark: str, rows: Sequence[Sequence[str]], separator: str) -> bool:
    """Tell whether a line that looks like a remark has the names of the columns, as in ``#sample,mass``.

    It has, if it has as many cells as the table, unless the next line holds no number and the line after that does.
    """
    cells = _split([remark], separator)
    if not cells or not rows or len(cells[0]) != len(rows[0]) or len(cells[0]) < 2:
        return False
    return _has_number(rows[0]) or not any(map(_has_number, rows[1:2]))


def _has_number(row: Sequence[str]) -> bool:
    return any(map(is_number, row))


def is_number(text: str) -> bool:
    """Tell whether a text is a number, with a point or a comma as decimal mark.

    >>> [is_number(text) for text in ("-1,5e3", "0.2", "pH 7", "")]
    [True, True, False, False]
    """
    return NUMBER.fullmatch(text) is not None
