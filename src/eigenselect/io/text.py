"""Csv and tsv as data frames; refuses what pandas would rename, round, fill or cut in silence."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.advice import OPTIONS, Advice
from eigenselect.io.content import Content
from eigenselect.io.numbers import LARGEST, numbers_of, overflowing
from eigenselect.io.table import find_name

#: what pandas calls a first column without a name
UNNAMED = "Unnamed: 0"


class TextTable:
    """A csv or tsv file, or standard input, that can be read more than once.

    Parameters
    ----------
    path : str
        A file, plain or compressed, a named pipe, or ``-``.
    source : str
        What messages call it.
    separator : str
    advice : Advice
        What messages tell people to do.
    """

    def __init__(self, path: str, source: str, separator: str, advice: Advice = OPTIONS) -> None:
        self.source, self.separator, self.advice = source, separator, advice
        self.content = Content(path, source)
        self._columns: list[str] = []

    def frame(self, as_text: Sequence[str] = (), *, first_as_text: bool = False) -> pd.DataFrame:
        """The table; the columns ``as_text`` are read letter by letter, as a class may be called "NA" or 007.

        So is a first column without a name, which holds names of samples, and any first column if asked. Every number
        is the floating-point number nearest to what is written.
        """
        with self._as_table():
            names = self._checked_names()
            columns = [find_name(column, [name for name in names if name], self.source, "column") for column in as_text]
            first = [name for name in names[:1] if first_as_text and name]
            frame = self._parsed(converters=dict.fromkeys([*columns, *first, UNNAMED], str), low_memory=False)
            self._columns = list(map(str, frame.columns))
            return self._whole(self._with_long_numbers(frame, {*columns, *first, UNNAMED}))

    def text_frame(self) -> pd.DataFrame:
        """The table with every cell as text."""
        with self._as_table():
            self._checked_names()
            return self._whole(self._parsed(dtype=str, keep_default_na=False))

    def cells(self, names: Sequence[str]) -> pd.DataFrame:
        """Some columns as they are written, letter by letter, after the table has been read."""
        with self._as_table():
            places = {name: place for place, name in enumerate(self._columns)}
            known = [name for name in names if name in places]
            found = self._parsed(dtype=str, keep_default_na=False, usecols=[places[name] for name in known])
            return found[known]

    @contextmanager
    def _as_table(self) -> Iterator[None]:
        """Turn what parsers say into sentences."""
        try:
            yield
        except pd.errors.EmptyDataError:
            raise InputError(f"{self.source}: is empty.") from None
        except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
            if "out of memory" in str(error):
                raise MemoryError from None
            self._refuse_ragged()
            raise InputError(f"{self.source}: is not a table, {_reason(error)}.") from None
        except UnicodeDecodeError:
            raise InputError(
                f"{self.source}: is not text in UTF-8; save it as UTF-8, or {self.advice.file_format}."
            ) from None

    def _checked_names(self) -> list[str]:
        self.content.check(self.separator)
        names = self._names()
        self._refuse_trailing()
        return names

    def _whole(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame, if it has rows and none of them is short."""
        if frame.empty:
            raise InputError(f"{self.source}: has a header but 0 samples.")
        if _has_holes(frame.iloc[:, -1]):  # pandas fills rows that are too short
            self._refuse_ragged()
        return frame

    def _with_long_numbers(self, frame: pd.DataFrame, as_text: set[str]) -> pd.DataFrame:
        """The frame with numbers where pandas has text, as for whole numbers of more than 64 bits."""
        found = {name: numbers_of(frame[name]) for name in text_columns(frame) if name not in as_text}
        long = {name: numbers for name, numbers in found.items() if numbers is not None}
        for name, numbers in long.items():
            frame[name] = numbers
        return frame

    def refuse_overflow(self, names: Sequence[str]) -> None:
        """A number that is written with digits must not become infinite; "inf" may."""
        for name, cells in self.cells(names).items() if names else ():
            text = overflowing(cells)
            if text is not None:
                raise InputError(
                    f"{self.source}: the number {shown(text)} in {shown(name)} is beyond {LARGEST}, the largest "
                    "floating-point number; write the column in another unit."
                )

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Number of the line and cells of each row that is not blank, split as pandas does."""
        with self.content.opened() as handle, io.TextIOWrapper(handle, encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, delimiter=self.separator, skipinitialspace=True)
            yield from ((rows.line_num, row) for row in rows if len(row) > 1 or "".join(row).strip())

    def _names(self) -> list[str]:
        """Column names, some of which may be empty, without duplicates and not split at the wrong places.

        The csv module reads them: a frame of one row and ten thousand columns takes pandas longer than the table.
        """
        _, first = next(self._rows(), (0, []))
        repeated = [name for name, times in Counter(first).items() if name and times > 1]
        if repeated:
            stand = "stands" if len(repeated) == 1 else "stand"
            raise InputError(
                f"{self.source}: {counted(len(repeated), 'column name')} {stand} more than once ({listed(repeated)}); "
                "make them unique."
            )
        other = [mark for mark in ";\t," if mark != self.separator and mark in first[0]] if len(first) == 1 else []
        if other:
            raise InputError(
                f"{self.source}: has one column if split at {self.separator!r}; it seems to be separated by "
                f"{other[0]!r}; {self._instead_of(other[0])}."
            )
        return first

    def _instead_of(self, mark: str) -> str:
        """What to do with a table that is separated by another mark."""
        if mark == ";":
            return "save it with commas between the values (and points in the numbers), or with tabs as tsv"
        return self.advice.tabs if mark == "\t" else self.advice.commas

    def _parsed(self, **how: Any) -> pd.DataFrame:
        with self.content.opened() as handle, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                handle,
                sep=self.separator,
                encoding="utf-8-sig",
                skipinitialspace=True,
                index_col=False,
                float_precision="round_trip",  # the other parsers miss the last digits of every third number
                **how,
            )

    def _refuse_trailing(self) -> None:
        """Pandas drops empty values beyond the header if the first row has them; in a later row it refuses them."""
        try:
            widths = [len(row) for _, (_, row) in zip(range(2), self._rows(), strict=False)]
        except csv.Error:  # a cell may be longer than the csv module reads, such as a sequence that is ignored
            return
        if len(widths) == 2 and widths[1] > widths[0]:
            self._refuse_ragged()

    def _refuse_ragged(self) -> None:
        """Say which line has more or fewer values than the header."""
        rows = self._rows()
        try:
            _, header = next(rows, (0, []))
            uneven = next(((line, row) for line, row in rows if len(row) != len(header)), None)
        except csv.Error:  # as above
            return
        if uneven is not None:
            line, row = uneven
            raise InputError(
                f"{self.source}: line {line} has {counted(len(row), 'value')} where the header has "
                f"{counted(len(header), 'name')}; {_why_uneven(row, header)}"
            )


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Columns that hold no numbers; each kind is looked at once, as there may be ten thousands of columns."""
    numeric = {kind: pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes.unique()}
    return [name for name, kind in zip(frame.columns, frame.dtypes, strict=True) if not numeric[kind]]


def _why_uneven(row: Sequence[str], header: Sequence[str]) -> str:
    if len(row) < len(header):
        return "was the file cut off?"
    if row[-1] == "":
        return "does the line end in a separator too many, or is the header short of a name?"
    return (
        "is the header without a name for the first column (in R, write.table writes one with col.names = NA), or a "
        "text without quotes?"
    )


def _reason(error: Exception) -> str:
    """What is wrong, in our words."""
    quote = re.search(r"EOF inside string starting at row (\d+)", str(error))
    if quote:
        return f"a quotation mark is opened in row {quote[1]} and never closed"
    if "field limit" in str(error):
        return f"a name of its header has more than {csv.field_size_limit()} letters"
    return "its lines cannot be split into cells"


def _has_holes(column: pd.Series) -> bool:
    return bool((column.isna() | (column == "")).any())
