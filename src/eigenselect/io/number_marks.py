r"""Decimal commas, marks between thousands, and percent signs: which marks the numbers of a table have.

One decimal mark holds for a whole table. A cell shows it if it can be read in one way only:

- ``1.234,5``, ``0,5``, ``12,34``, ``1234,567`` and ``1.234.567`` show a comma,
- ``1,234.5``, ``0.5``, ``12.34``, ``1234.567`` and ``1,234,567`` show a point,
- ``1,234`` and ``1.234`` show neither.

A point that some cell shows holds, and columns with decimal commas beside it stay text. Marks between thousands are
those of a whole column: each of its whole parts of more than three digits must have them after every third digit. So
are percent signs; 12.5 % is read as 12.5, as scores do not depend on units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from eigenselect._typing import FloatArray

#: cells without a value, as pandas takes them; `tests/io/test_text_numbers.py` compares
MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None",
     "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
)  # fmt: skip
#: marks between thousands beside the point and the comma: blanks that do not break a line, and apostrophes
SPACED = "\u00a0\u202f\u2009'\u2019"
#: before a percent sign there may be a blank
PERCENT = re.compile("[ \u00a0\u202f]?%")
LIKE_NUMBER = re.compile(
    rf"\s*[+-]?[0-9.,{SPACED}]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?(?:{PERCENT.pattern})?\s*", re.ASCII
)
SHOWS_POINT = re.compile(
    r"[+-]?(?:"
    r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*"  # 1,234.5
    r"|[0-9]{1,3}(?:,[0-9]{3}){2,}"  # 1,234,567
    r"|(?:0[0-9]*|[0-9]{4,})?\.[0-9]+"  # 0.123, 1234.567, .123
    r"|[0-9]*\.(?:[0-9]{1,2}|[0-9]{4,})"  # 12.34
    r"|[0-9]*\.[0-9]*[eE][+-]?[0-9]+"  # 1.234e5
    r")"
)
EITHER = re.compile(r"[+-]?[0-9]{1,3}[.,][0-9]{3}")
EXCHANGED = str.maketrans(".,", ",.")
_WITHOUT_SPACED = str.maketrans(dict.fromkeys(SPACED))


class Evidence:
    """Collect which decimal mark the cells of a table show.

    Attributes
    ----------
    shown : set of str
        Decimal marks that some cell shows.
    either : dict
        For a point and a comma, the first cell that may have it before a fraction or between thousands, with the name
        of its column.

    Examples
    --------
    >>> evidence = Evidence()
    >>> evidence.look("mass", ["1,234", "NA"])
    >>> evidence.decimal(), evidence.either
    ('', {',': ('mass', '1,234')})
    >>> evidence.look("length", ["0,5", "2"])
    >>> evidence.decimal()
    ','
    """

    def __init__(self) -> None:
        self.shown: set[str] = set()
        self.either: dict[str, tuple[str, str]] = {}

    def look(self, name: str, cells: Iterable[str]) -> None:
        """Look at a column; one with text says nothing."""
        marked = [cell for cell in cells if cell not in MISSING]
        if all(map(LIKE_NUMBER.fullmatch, marked)):
            for cell in marked:
                if "." in cell or "," in cell:
                    self._look_at(name, cell)

    def decimal(self, *, points_are_points: bool = True) -> str:
        """Give the decimal mark of the table; the empty text if it cannot be told.

        Without ``points_are_points`` a cell such as 1.234, which may be 1234 where people write decimal commas, needs
        another cell that shows what it means.
        """
        if self.shown:
            return "," if self.shown == {","} else "."
        doubtful = "," in self.either or ("." in self.either and not points_are_points)
        return "" if doubtful else "."

    def _look_at(self, name: str, cell: str) -> None:
        number = PERCENT.sub("", cell.strip()).translate(_WITHOUT_SPACED)
        if EITHER.fullmatch(number) and not number.lstrip("+-").startswith("0"):
            self.either.setdefault("," if "," in number else ".", (name, cell))
        elif SHOWS_POINT.fullmatch(number):
            self.shown.add(".")
        elif SHOWS_POINT.fullmatch(number.translate(EXCHANGED)):
            self.shown.add(",")


def decimal_shown(columns: Mapping[str, Iterable[str]] | pd.DataFrame, *, points_are_points: bool = True) -> str:
    """Give the decimal mark that columns show; the empty text if it cannot be told.

    >>> decimal_shown({"a": ["0,5"], "b": ["1.234"]}), decimal_shown({"b": ["1,234"]})
    (',', '')
    """
    return evidence_of(columns).decimal(points_are_points=points_are_points)


def evidence_of(columns: Mapping[str, Iterable[str]] | pd.DataFrame) -> Evidence:
    """Look at all columns."""
    evidence = Evidence()
    for name, cells in columns.items():
        evidence.look(str(name), cells)
    return evidence


@dataclass(frozen=True)
class Marks:
    """Hold the marks in the numbers of a column: before the fraction, between thousands, and whether percent signs end.

    >>> marks = Marks(",", ".")
    >>> marks.plain("1.234,50"), marks.is_number("1.234,50"), marks.is_number("12.34")
    ('1234.50', True, False)
    """

    decimal: str = "."
    thousands: str = ""
    percent: bool = False

    def is_number(self, cell: str) -> bool:
        """Tell whether a cell is a number with these marks, and none where one is due."""
        return _pattern(self).fullmatch(cell) is not None

    def plain(self, cell: str) -> str:
        """Write a number of the column with a decimal point and no other marks, digit by digit."""
        number = PERCENT.sub("", cell) if self.percent else cell
        number = number.replace(self.thousands, "") if self.thousands else number
        return number.replace(",", ".") if self.decimal == "," else number

    def without_thousands(self, cell: str) -> str:
        """Write a number of the column without marks between thousands."""
        return cell.replace(self.thousands, "") if self.thousands else cell


@cache
def _pattern(marks: Marks) -> re.Pattern[str]:
    point, end = re.escape(marks.decimal), PERCENT.pattern if marks.percent else ""
    if marks.thousands:
        whole, exponent = rf"(?:[1-9][0-9]{{0,2}}(?:{re.escape(marks.thousands)}[0-9]{{3}})+|[0-9]{{1,3}})", ""
    else:
        whole, exponent = "[0-9]+", "(?:[eE][+-]?[0-9]+)?"
    fraction = rf"(?:{point}[0-9]*)?" if marks.decimal == "." else rf"(?:{point}[0-9]+)?"
    return re.compile(rf"\s*[+-]?(?:{whole}{fraction}|{point}[0-9]+){exponent}{end}\s*", re.ASCII)


def marks_of(cells: Sequence[str], decimal: str) -> Marks | None:
    """Find the marks with which all cells of a column are numbers; None if there are none.

    Cells that are missing say nothing, and a column of only such has no marks.

    >>> marks_of(["1'234", "12", "NA"], ".")
    Marks(decimal='.', thousands="'", percent=False)
    >>> marks_of(["1'234", "1234"], ".") is None
    True
    """
    given = [cell for cell in cells if cell not in MISSING]
    if not given:
        return None
    percent = "%" in given[0]
    candidates = {"," if decimal == "." else ".", *SPACED}
    found = next((mark for cell in given for mark in cell if mark in candidates), "")
    marks = Marks(decimal, found, percent)
    return marks if all(map(marks.is_number, given)) else None


def numbers_with(marks: Marks, cells: Iterable[str]) -> FloatArray:
    """Read the cells of a column with these marks; NaN where they are missing.

    Each number is the floating-point number nearest to what is written.

    >>> numbers_with(Marks(",", "."), ["1.234,5", ""])
    array([1234.5,    nan])
    """
    return np.array([np.nan if cell in MISSING else float(marks.plain(cell)) for cell in cells])


def like_those(cells: Iterable[str], number: str, decimal: str) -> str:
    """Write a number, given with a point, as the cells of its column, which have no marks between thousands.

    >>> like_those(["12,5%"], "7.25", ","), like_those(["12.5"], "7.25", ".")
    ('7,25%', '7.25')
    """
    percent = next((cell for cell in cells if cell not in MISSING), "").rstrip().endswith("%")
    return number.replace(".", decimal) + "%" * percent
