"""Tables for a terminal: aligned, within its width, and safe to print."""

from __future__ import annotations

import math
import shutil
import unicodedata
from collections.abc import Sequence

from eigenselect.exceptions import printable

BAR = "█"
#: the narrowest bars that still compare
LEAST_BAR = 8
#: columns and lines where nobody knows them
TERMINAL = (100, 24)
#: digits that the largest number of a column shows, if it is below 1; and decimals of any other
DIGITS = 4
#: decimals beyond which zeros are tedious to count
MOST_DECIMALS = 7
#: numbers that are too wide to read
WIDE = 1e6


def width_of(text: str) -> int:
    """Count the columns that a text takes: wide East Asian characters and emoji count two, accents none.

    Width is that of Unicode Standard Annex #11: the classes W (wide) and F (full width) take two columns.

    >>> width_of("naïve"), width_of("ゲノム")
    (5, 6)
    """
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shortened(text: str, width: int) -> str:
    """Cut text to a width, with an ellipsis.

    >>> shortened("flavanoids", 6)
    'flava…'
    """
    if width_of(text) <= width:
        return text
    kept = ""
    for character in text:
        if width_of(kept + character) > width - 1:
            break
        kept += character
    return kept + "…"


def aligned(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), flexible: int | None = None
) -> str:
    """Pad columns to their widest cell; those in ``right`` are right-aligned.

    If the table is wider than the terminal, the ``flexible`` column is shortened, but not below 12.

    >>> print(aligned(["rank", "feature"], [["1", "flavanoids"], ["2", "ash"]], right=[0]))
    rank  feature
    ────  ──────────
       1  flavanoids
       2  ash
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(width_of(row[c]) for row in [list(header), *cells]) for c in range(len(header))]
    if flexible is not None:
        spare = shutil.get_terminal_size(TERMINAL).columns - sum(widths) - 2 * (len(widths) - 1)
        widths[flexible] = max(12, widths[flexible] + min(0, spare))

    def line(row: Sequence[str]) -> str:
        padded = []
        for c, cell in enumerate(row):
            text = shortened(cell, widths[c])
            gap = " " * (widths[c] - width_of(text))
            padded.append(gap + text if c in right else text + gap)
        return "  ".join(padded).rstrip()

    rule = "  ".join("─" * w for w in widths).rstrip()
    return "\n".join([line(header), rule, *(line(row) for row in cells)])


def fits(text: str) -> bool:
    """Tell whether no line has to be broken in the terminal.

    >>> fits("rank  feature"), fits("x" * 10_000)
    (True, False)
    """
    return max(map(width_of, text.split("\n"))) <= shutil.get_terminal_size(TERMINAL).columns


def bar(value: float, high: float, width: int = 20) -> str:
    """Draw a bar whose length is the share of a value in the highest; at least one block, none for NaN and below 0.

    >>> bar(0.5, 1, width=8), bar(-0.5, 1)
    ('████', '')
    """
    return BAR * max(1, round(width * value / high)) if value >= 0 and high > 0 else ""


def bar_width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide bars can be behind a table without leaving the terminal: they give way before names do."""
    widest = max(width_of(line) for line in aligned(header, rows).split("\n"))
    return min(20, max(LEAST_BAR, shutil.get_terminal_size(TERMINAL).columns - widest - 2))


def significant(values: Sequence[float]) -> list[str]:
    """Write the numbers of one column, all with as many decimals as the largest needs.

    Numbers that would be left with one digit or none, or are too wide, are written as powers of ten.

    >>> significant([0.61172, 0.02, 0.0, 0.00001234, float("nan")])
    ['0.6117', '0.0200', '0.0000', '1.234e-05', 'nan']
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    decimals = DIGITS if largest == 0 else max(DIGITS, DIGITS - 1 - math.floor(math.log10(largest)))
    smallest = 10.0 ** (1 - decimals) if decimals <= MOST_DECIMALS else math.inf

    def shown(value: float) -> str:
        fixed = value == 0 or smallest <= abs(value) < WIDE
        return f"{value:.{min(decimals, MOST_DECIMALS)}f}" if fixed else f"{value:.{DIGITS - 1}e}"

    return [shown(value) for value in values]
