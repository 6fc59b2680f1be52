"""Columns of text that hold numbers with decimal commas, marks between thousands or percent signs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.errors import OPTIONS, Advice
from eigenselect.io.number_marks import LIKE_NUMBER, MISSING, Marks, decimal_shown, evidence_of, marks_of, numbers_with

#: what people call a mark that cannot be seen
NAMES = {"\t": "a tab", " ": "blanks", "\u00a0": "a blank", "\u202f": "a narrow blank", "\u2009": "a thin blank"}


class MarkedColumns:
    """Find the marks of the numbers of one table, and read its columns with them.

    Parameters
    ----------
    source : str
        What messages call the table.
    asked : str, optional
        The decimal mark that somebody named.
    points_are_points : bool
        Whether 1.234 is a fraction where no cell shows what it means; not where people write decimal commas.
    advice : Advice
        What messages tell people to do.

    Attributes
    ----------
    decimal : str
        The decimal mark of the table, known after `read`.
    is_shown : bool
        Whether it was named, or some cell shows it.
    marks : dict
        The marks of each column that has others than a decimal point.

    Examples
    --------
    >>> columns = MarkedColumns("x.csv")
    >>> columns.read(pd.DataFrame({"a": ["0,5", "12"], "b": ["1.234", "NA"]}))["b"].tolist()
    [1234.0, nan]
    >>> columns.notes()
    ["1 column with '.' between thousands ('b')"]
    """

    def __init__(
        self, source: str, asked: str | None = None, *, points_are_points: bool = True, advice: Advice = OPTIONS
    ) -> None:
        self.source, self.asked, self.points_are_points, self.advice = source, asked, points_are_points, advice
        self.decimal, self.is_shown = asked or ".", asked is not None
        self.marks: dict[str, Marks] = {}

    def may_be_in(self, frame: pd.DataFrame, texts: Sequence[str]) -> bool:
        """Tell whether columns may have such marks, given the frame that was read as if they had none.

        ``texts`` are the columns that became no numbers then.
        """
        if self.asked == "," or not (self.points_are_points or self.asked):
            return True
        return any(_is_like_numbers(frame[name]) for name in texts)

    def may_be_among_text(self, frame: pd.DataFrame, texts: Sequence[str]) -> bool:
        """Tell whether columns of text hold numbers with such marks, as where one row of a sheet is text."""
        return any(_has_marks(_numbers_among(frame[name])) for name in texts)

    def read(self, cells: pd.DataFrame, *, by_cell: bool = False) -> dict[str, Any]:
        """Read columns, given as they are written; give those that have marks beside a decimal point.

        A column whose cells have such marks and are no numbers with them is given as text; ``by_cell`` those of its
        cells that are numbers are plain then, as where features stand in rows and some of them are text.
        """
        self.decimal = self.asked or self._shown(_numbers_of_columns(cells) if by_cell else cells)
        found: dict[str, Any] = {}
        for name in map(str, cells):
            column = cells[name].tolist()
            marks = marks_of(column, self.decimal)
            if marks not in (None, Marks()):
                self.marks[name] = marks
                found[name] = numbers_with(marks, column)
            elif marks is None and (by_cell or self.decimal == ",") and _has_marks(column):
                kinds = self._kinds() if by_cell else ()
                found[name] = [None if cell in MISSING else _plain_if_number(cell, kinds) for cell in column]
        return found

    def written(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Give cells to be written: as they stand, if they will be read as the same numbers.

        Marks between thousands are left out, as a column of such may look like one of fractions. So are decimal commas
        where no cell of these columns shows that they are.
        """
        if decimal_shown(cells) != self.decimal:
            return self.plain(cells)
        return self._changed(cells, Marks.without_thousands)

    def plain(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Give cells with a decimal point and no other mark."""
        return self._changed(cells, Marks.plain)

    def plain_sheet(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Give a table of any text with all its numbers plain: rows, not columns, may be numbers."""
        evidence = evidence_of(_numbers_of_columns(cells))
        self.is_shown = self.is_shown or bool(evidence.shown)
        self.decimal = self.asked or evidence.decimal() or "."
        kinds = self._kinds()
        if self.decimal == "." and not (self.asked or evidence.shown):
            return cells
        return cells.map(lambda cell: _plain_if_number(cell, kinds))

    def notes(self) -> list[str]:
        """Say which columns have marks between thousands and percent signs."""
        notes = []
        for mark in dict.fromkeys(marks.thousands for marks in self.marks.values() if marks.thousands):
            names = [name for name, marks in self.marks.items() if marks.thousands == mark]
            notes.append(f"{counted(len(names), 'column')} with {named(mark)} between thousands ({listed(names)})")
        names = [name for name, marks in self.marks.items() if marks.percent]
        if names:
            notes.append(
                f"{counted(len(names), 'column')} of percentages ({listed(names)}), where 12.5% is read as 12.5"
            )
        return notes

    def _kinds(self) -> tuple[Marks, ...]:
        """Give the marks that a single number may have: none between thousands, or those of the decimal mark."""
        return Marks(self.decimal), Marks(self.decimal, "." if self.decimal == "," else ",")

    def _shown(self, cells: Mapping[str, Iterable[str]] | pd.DataFrame) -> str:
        """Give the decimal mark that the cells show; refuse those that may mean two numbers."""
        evidence = evidence_of(cells)
        self.is_shown = bool(evidence.shown)
        decimal = evidence.decimal(points_are_points=self.points_are_points)
        if decimal:
            return decimal
        mark = "," if "," in evidence.either else "."
        name, cell = evidence.either[mark]
        whole = cell.strip().replace(mark, "")
        raise InputError(
            f"{self.source}: {shown(cell)} in {shown(name)} may be {whole} or {cell.strip().replace(',', '.')}, and no "
            f"other cell shows which; {self.advice.decimal}."
        )

    def _changed(self, cells: pd.DataFrame, how: Callable[[Marks, str], str]) -> pd.DataFrame:
        if not self.marks and self.decimal == ".":
            return cells
        usual = self._kinds()
        return pd.DataFrame({name: _each(cells[name], self.marks.get(str(name)), usual, how) for name in cells})


def named(mark: str) -> str:
    r"""Name a mark for people.

    >>> named("\t"), named(";")
    ('a tab', "';'")
    """
    return NAMES.get(mark, repr(mark))


def with_points(cells: pd.DataFrame) -> pd.DataFrame:
    """Write numbers with decimal commas with points; other text stays as it is.

    >>> with_points(pd.DataFrame({"a": ["0,5", "a,b"]}))["a"].tolist()
    ['0.5', 'a,b']
    """
    kinds = (Marks(","), Marks(",", percent=True))
    return cells.map(lambda cell: _changed_number(cell, kinds, lambda _, number: number.replace(",", ".")))


def _each(
    column: Iterable[str], marks: Marks | None, usual: Sequence[Marks], how: Callable[[Marks, str], str]
) -> list[str]:
    """Change the numbers of a column; one without marks of its own may be text."""
    if marks is None:
        return [_changed_number(cell, usual, how) for cell in column]
    return [cell if cell in MISSING else how(marks, cell) for cell in column]


def _numbers_among(column: Iterable[Any]) -> list[str]:
    return [cell for cell in column if isinstance(cell, str) and LIKE_NUMBER.fullmatch(cell)]


def _numbers_of_columns(cells: pd.DataFrame) -> dict[str, list[str]]:
    return {str(name): _numbers_among(cells[name]) for name in cells}


def _is_like_numbers(column: Iterable[Any]) -> bool:
    """Tell whether all cells of a column that was read as text are like numbers; missing ones are no text there."""
    given = [cell for cell in column if isinstance(cell, str)]
    return bool(given) and all(map(LIKE_NUMBER.fullmatch, given))


def _has_marks(column: Sequence[str]) -> bool:
    return any("." in cell or "," in cell for cell in column)


def _plain_if_number(cell: str, kinds: Sequence[Marks]) -> str:
    return _changed_number(cell, kinds, Marks.plain)


def _changed_number(cell: str, kinds: Sequence[Marks], how: Callable[[Marks, str], str]) -> str:
    return next((how(marks, cell) for marks in kinds if marks.is_number(cell)), cell)
