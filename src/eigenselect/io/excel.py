"""Read sheets of xlsx workbooks as tables: names in the first row, samples in the others.

Numbers keep all digits that the file has. Text cells that hold numbers are numbers, as in csv; dates become text. What
spreadsheets change in silence is said: a gene called SEPT1 that has become a date.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from eigenselect.exceptions import InputError, counted, listed
from eigenselect.io.column_roles import ColumnRoles, from_frame
from eigenselect.io.duplicates import told_apart
from eigenselect.io.errors import find_name, reading_as
from eigenselect.io.inner import chosen
from eigenselect.io.memory import bounded_memory, check_memory
from eigenselect.io.request import Request
from eigenselect.io.table import Table
from eigenselect.io.text import UNNAMED, WRITTEN
from eigenselect.io.xlsx_archive import check_archive, refuse_merged, sheet_tags

#: rows of the largest sheet that spreadsheet programs write
MOST_ROWS = 1 << 20
#: bytes that a cell takes as a Python value in a row
CELL = 64
#: cells after which memory is looked at again
OFTEN = 1 << 20
#: texts that mean a missing value, as in csv; other errors of a spreadsheet, such as #DIV/0!, are refused
MISSING = {
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
}  # fmt: skip
DATES = (datetime.date, datetime.time, datetime.timedelta)


def read_excel(path: str, source: str, request: Request) -> Table:
    """Read one sheet of a workbook: the one that is named, or the first.

    Parameters
    ----------
    path : str
    source : str
        What messages call the file.
    request : Request
        ``request.inner`` is the name of the sheet.

    Returns
    -------
    Table
        `Table.notes` name the sheet if there are others, names that are dates, and numbers in cells of text.

    Raises
    ------
    InputError
        If openpyxl is not installed, the file is no workbook, damaged or larger than memory, or the sheet has merged
        cells, formulas without values, values without a name above them, or a name twice.
    """
    try:
        import openpyxl
    except ImportError:
        raise InputError(f"{source}: xlsx needs openpyxl; pip install 'eigenselect[io]'.") from None
    del openpyxl
    with bounded_memory(), reading_as("xlsx", source):
        check_archive(path, source)
        sheet = _read_sheet(path, source, request.inner)
        return _table(sheet, source, request.roles)


@dataclass(frozen=True)
class _Sheet:
    """Names and columns of a sheet, and what is to be said of it."""

    names: list[str]
    columns: list[list[Any]]
    notes: tuple[str, ...]


def _read_sheet(path: str, source: str, wanted: str | None) -> _Sheet:
    """Choose a sheet, check it, and read its cells."""
    with _workbook(path) as book:
        sheets = {sheet.title: sheet for sheet in book.worksheets if sheet.sheet_state == "visible" or wanted}
        if not sheets:
            raise InputError(f"{source}: has no visible sheet; name one of the others as {source}:NAME.")
        name, notes = chosen(wanted, list(sheets), source, "sheet")
        tags = sheet_tags(path, sheets[name]._worksheet_path)
        refuse_merged(tags, source)
        header, rows = _rows(sheets[name], source)
    if tags.formulas:
        _refuse_uncomputed(path, name, source)
    names, columns = _named_columns(header, rows, source)
    return _Sheet(names, columns, (*notes, *_date_names(header, names, columns)))


@contextmanager
def _workbook(path: str, *, formulas: bool = False) -> Iterator[Any]:
    """Open a workbook that is read row by row, with values or with formulas.

    The file is opened here: a row that is not read to its end would keep one of openpyxl's own open.
    """
    import openpyxl

    with (
        open(path, "rb") as file,
        closing(openpyxl.load_workbook(file, read_only=True, data_only=not formulas, keep_links=False)) as book,
    ):
        yield book


def _cells(sheet: Any, *, values_only: bool = True) -> Iterator[tuple[Any, ...]]:
    """Give the rows as wide as they are stored, whatever the sheet claims to be."""
    sheet.reset_dimensions()
    rows: Iterator[tuple[Any, ...]] = sheet.iter_rows(values_only=values_only, max_row=MOST_ROWS)
    return rows


def _rows(sheet: Any, source: str) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """Read the first row that is not empty as names, and the others that are not empty as samples."""
    header: tuple[Any, ...] = ()
    rows: list[tuple[Any, ...]] = []
    n_cells = n_checked = 0
    for number, cells in enumerate(_cells(sheet), 1):
        row = _without_end(cells)
        if header and len(row) > len(header):
            raise InputError(
                f"{source}: row {number} has {counted(len(row), 'cell')} where the first row has "
                f"{counted(len(header), 'name')}; put the names of the columns, and nothing else, into the first row."
            )
        if row and header:
            rows.append(row)
        header = header or row
        n_cells += len(row)
        if n_cells > n_checked:
            check_memory(CELL * n_cells, source, f"a sheet of more than {n_cells} cells")
            n_checked = n_cells + OFTEN
    if not rows:
        raise InputError(f"{source}: the sheet is empty." if not header else f"{source}: has a header but 0 samples.")
    return header, rows


def _without_end(cells: Sequence[Any]) -> tuple[Any, ...]:
    """Cut off empty cells at the end of a row."""
    length = len(cells)
    while length and (cells[length - 1] is None or cells[length - 1] == ""):
        length -= 1
    return tuple(cells[:length])


def _refuse_uncomputed(path: str, name: str, source: str) -> None:
    """Refuse formulas whose values the file does not have: openpyxl and others write them without computing."""
    with _workbook(path) as computed, _workbook(path, formulas=True) as written:
        pairs = zip(*(_cells(book[name], values_only=False) for book in (computed, written)), strict=True)
        n_empty = sum(
            value.value is None and value.data_type != "str" and formula.value is not None  # str: an empty text
            for values, formulas in pairs
            for value, formula in zip(values, formulas, strict=True)
        )
    if n_empty:
        hold = "holds a formula that was" if n_empty == 1 else "hold formulas that were"
        raise InputError(
            f"{source}: {counted(n_empty, 'cell')} {hold} never computed; open the file in a spreadsheet program and "
            "save it there."
        )


def _named_columns(header: tuple[Any, ...], rows: list[tuple[Any, ...]], source: str) -> tuple[list[str], list[Any]]:
    """Give names and columns; leave out those without any value, and call a nameless first one ``Unnamed: 0``."""
    width = len(header)
    full = [row + (None,) * (width - len(row)) for row in rows]
    columns = [list(column) for column in zip(*full, strict=True)]
    names = [_text(name) for name in header]
    there = [j for j in range(width) if names[j] or any(cell is not None for cell in columns[j])]
    nameless = [j for j in there[1:] if not names[j]]
    if nameless:
        from openpyxl.utils import get_column_letter

        raise InputError(
            f"{source}: column {get_column_letter(nameless[0] + 1)} has values but no name in the first row."
        )
    return [names[j] or UNNAMED for j in there], [columns[j] for j in there]


def _date_names(header: Sequence[Any], names: Sequence[str], columns: Sequence[list[Any]]) -> list[str]:
    """Note names that are dates, which spreadsheets make of genes such as SEPT1 and MARCH1."""
    first = columns[0] if any(isinstance(cell, str) for cell in columns[0]) else []
    found = [_text(cell) for cell in (*header, *first) if isinstance(cell, DATES)]
    if not found:
        return []
    are = "is a date" if len(found) == 1 else "are dates"
    return [f"{counted(len(found), 'name')} {are} ({listed(found)}), which spreadsheets make of names such as SEPT1"]


def _text(cell: Any) -> str:
    """Write a cell as text, empty where there is none; a date without its midnight.

    >>> _text(7), _text(0.5), _text(datetime.datetime(2021, 9, 1)), _text(None)
    ('7', '0.5', '2021-09-01', '')
    """
    if cell is None:
        return ""
    return str(cell).removesuffix(" 00:00:00") if isinstance(cell, datetime.datetime) else str(cell)


def _table(sheet: _Sheet, source: str, roles: ColumnRoles) -> Table:
    """Make a table of the columns: text where it is asked for, else numbers where all cells are."""
    names, repeated = told_apart(sheet.names, source, roles.duplicates, roles.advice)
    for name in (roles.label, roles.samples):
        if name is not None:
            find_name(name, names, source, "column")
    if roles.names_first and names[0] != UNNAMED:
        roles = replace(roles, samples=names[0])
    as_text = {roles.label, roles.samples, UNNAMED}
    cells = dict(zip(names, sheet.columns, strict=True))
    values, n_texts = {}, 0
    for name, column in cells.items():
        numbers = None if name in as_text or roles.describes else _numbers(column)
        values[name] = np.array([_text(cell) for cell in column], dtype=object) if numbers is None else numbers
        n_texts += 0 if numbers is None else sum(isinstance(cell, str) and cell not in MISSING for cell in column)
    notes = [f"{counted(n_texts, 'number')} in cells of text read as numbers"] if n_texts else []
    table = from_frame(pd.DataFrame(values), source, roles, letters=partial(_letters, cells), repeated=repeated)
    return replace(table, notes=(*sheet.notes, *notes, *table.notes))


def _letters(cells: dict[str, list[Any]], names: Sequence[str]) -> pd.DataFrame:
    """Give cells as text: 6 is not 6.0."""
    return pd.DataFrame({name: [_text(cell) for cell in cells[name]] for name in names if name in cells})


def _numbers(column: Sequence[Any]) -> Any:
    """Read cells as floating-point numbers, NaN where they are missing; None if one of them is no number.

    >>> _numbers([1, "2.5", None, "#N/A"])
    array([1. , 2.5, nan, nan])
    >>> _numbers([1, "n.d."]) is None
    True
    """
    texts = {cell for cell in column if isinstance(cell, str)}
    if any(isinstance(cell, DATES) for cell in column) or not all(
        WRITTEN.fullmatch(text) or text in MISSING for text in texts
    ):
        return None
    return np.array([float("nan") if cell is None or cell in MISSING else _float(cell) for cell in column])


def _float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:  # a whole number of hundreds of digits
        return float("inf")
