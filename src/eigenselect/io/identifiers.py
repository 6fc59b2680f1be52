"""Columns that tell samples apart, or say when they were taken, and are no measurements.

A measurement must never be left out by mistake, so that a column is only taken for

- *dates* if every cell is a date such as 2024-05-31, 31.05.2024, 5/31/2024 or 2024-05-31T12:30:00Z;
- *ids of text* if no two cells are equal, none is empty, and none looks like a number, as ``<0.5``, ``12 mg`` and
  ``1,5`` do; in fewer than 10 rows any text may be so, and the name of the column must say it too;
- *ids of numbers* if its name says so (``id``, ``sample_id``, ``patientID``, ``barcode``, ``index``, ``Unnamed: 0``)
  and it holds whole numbers of which no two are equal; in fewer than 10 rows they must count up from 0 or 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray
from eigenselect.exceptions import agreeing, counted, listed
from eigenselect.io.labels import text_of
from eigenselect.io.text import numbers_of

#: rows from which on text that differs in all of them is no category
MANY = 10
_TIME = r"[T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*(Z|[AaPp][Mm]|[+-]\d{2}:?\d{2})?"
YEAR_FIRST = re.compile(rf"\s*\d{{4}}(?P<mark>[-/.])(?P<a>\d{{1,2}})(?P=mark)(?P<b>\d{{1,2}})({_TIME})?\s*", re.ASCII)
YEAR_LAST = re.compile(
    rf"\s*(?P<a>\d{{1,2}})(?P<mark>[-/.])(?P<b>\d{{1,2}})(?P=mark)(\d{{4}}|\d{{2}})({_TIME})?\s*", re.ASCII
)
#: a number, perhaps beside a limit, a unit or a percent sign, in any way of writing it
QUANTITY = re.compile(
    r"\s*[<>≤≥~=±]*\s*[+-]*[\d.,' _\u00a0]*\d[\d.,' _\u00a0]*([eEdD][+-]?\d+)?\s*"
    r"(%|[^\W\d_]{0,6}(/[^\W\d_]{1,6})?)\s*"
)
NAMED_ID = re.compile(
    r"(?i:id|ids|index|idx|uuid|guid|barcodes?|row_?names?|unnamed: ?\d+([.-]\d+)?|.*[\s_.\-](id|uuid|barcode))"
    r"|.*[a-z](ID|Id)"
)


@dataclass(frozen=True)
class Identifiers:
    """Hold the names of columns that are no measurements.

    Attributes
    ----------
    names : str or None
        The first column, if it is text that tells samples apart: it names them.
    text, numbers, dates : list of str
        Columns of ids and of dates.

    Examples
    --------
    >>> found = identifiers(pd.DataFrame({"who": ["Ann", "Bob"], "visit": ["1.2.2024", "3.2.2024"]}), ["who", "visit"])
    >>> found.names, found.dates, found.notes()
    ('who', ['visit'], ["the first column 'who' is taken for names of samples", "1 column of dates ('visit') left out"])
    """

    names: str | None
    text: list[str]
    numbers: list[str]
    dates: list[str]

    @property
    def columns(self) -> list[str]:
        """All of them."""
        return [*([] if self.names is None else [self.names]), *self.text, *self.numbers, *self.dates]

    @property
    def ids(self) -> list[str]:
        """Those that tell samples apart, beside their names."""
        return [*self.text, *self.numbers]

    def notes(self) -> list[str]:
        """Say what is left out."""
        taken = [] if self.names is None else [f"the first column {self.names!r} is taken for names of samples"]
        rename = agreeing(len(self.numbers), "give [it another name to rank it|them other names to rank them]")
        said = [
            (self.dates, "column of dates", "left out"),
            (self.text, "column of ids", "not ranked"),
            (self.numbers, "column of ids", f"not ranked; {rename}"),
        ]
        return [*taken, *(f"{counted(len(of), what)} ({listed(of)}) {end}" for of, what, end in said if of)]


def identifiers(frame: pd.DataFrame, text: Sequence[str], *, named: bool = False, spread: bool = False) -> Identifiers:
    """Find the columns of a frame that are no measurements.

    Parameters
    ----------
    frame : DataFrame
    text : sequence of str
        Those of its columns that are no numbers.
    named : bool
        Whether the samples have names already, so that the first column is none.
    spread : bool
        Whether text becomes columns of 0 and 1, so that text of a few rows is not taken for names.
    """
    cells = {name: text_of(frame[name]) for name in text}
    dates = [name for name in text if are_dates(cells[name])]
    telling = [name for name in text if name not in dates and tell_apart(cells[name])]
    sure = [name for name in telling if len(frame) >= MANY or NAMED_ID.fullmatch(name)]
    first = str(frame.columns[0]) if frame.shape[1] else None
    names = first if first in (sure if spread else telling) and not named else None
    called = [name for name in map(str, frame.columns) if NAMED_ID.fullmatch(name)]
    numbers = [name for name in called if _are_whole_and_differ(_parsed(cells[name]) if name in cells else frame[name])]
    return Identifiers(names, [name for name in sure if name != names], numbers, dates)


def are_dates(cells: AnyArray) -> bool:
    """Tell whether all cells that are not empty are days of some calendar, with or without a time.

    >>> are_dates(np.array(["2024-05-31", "", "2024-06-01"])), are_dates(np.array(["31.05.2024", "31.31.2024"]))
    (True, False)
    """
    given = [cell for cell in cells if cell]
    return bool(given) and all(_is_date(cell) for cell in given)


def _is_date(cell: str) -> bool:
    found = YEAR_FIRST.fullmatch(cell) or YEAR_LAST.fullmatch(cell)
    if found is None:
        return False
    low, high = sorted((int(found["a"]), int(found["b"])))
    return 1 <= low <= 12 and high <= 31


def tell_apart(cells: AnyArray) -> bool:
    """Tell whether each cell is another text, and none of them a number of any kind.

    >>> tell_apart(np.array(["a", "b"])), tell_apart(np.array(["a", "b", "<0.5"])), tell_apart(np.array(["a", "a"]))
    (True, False, False)
    """
    return len(set(cells)) == len(cells) and not any(not cell or QUANTITY.fullmatch(cell) for cell in cells)


def _parsed(cells: AnyArray) -> pd.Series:
    """Read cells of a column that was kept as text, such as one without a name, as numbers if they are."""
    numbers = numbers_of(cells)
    return pd.Series([np.nan] if numbers is None else numbers)


def _are_whole_and_differ(column: pd.Series) -> bool:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if column.dtype == bool or not np.isfinite(values).all() or (values % 1 != 0).any():
        return False
    count_up = values[0] in (0, 1) and (np.diff(values) == 1).all()
    return bool(count_up) or (len(values) >= MANY and len(np.unique(values)) == len(values))
