"""Csv and tsv as data frames; refuse what pandas would rename, round, fill or cut in silence.

Pandas renames a name that stands twice (``x``, ``x.1``), misses the last bit of many numbers [2]_, fills rows
that are too short, and drops empty values beyond the header. Here such tables [1]_ are refused, and numbers are read to
the last bit.

References
----------
.. [1] Y. Shafranovich, "Common Format and MIME Type for Comma-Separated Values (CSV) Files", RFC 4180, 2005.
.. [2] D. M. Gay, "Correctly rounded binary-decimal and decimal-binary conversions", AT&T Bell Laboratories, Numerical
       Analysis Manuscript 90-10, 1990.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pandas as pd

from eigenselect.exceptions import InputError, counted, shown
from eigenselect.io.duplicates import told_apart, unique_names
from eigenselect.io.errors import OPTIONS, Advice, find_name
from eigenselect.io.marked_columns import MarkedColumns, named
from eigenselect.io.memory import NAME, check_memory
from eigenselect.io.number_text import WHOLE as WHOLE
from eigenselect.io.number_text import WRITTEN as WRITTEN
from eigenselect.io.number_text import numbers_of as numbers_of
from eigenselect.io.number_text import overflowing as overflowing
from eigenselect.io.number_text import rounded as rounded
from eigenselect.io.simple_table import simple_frame
from eigenselect.io.text_content import TextContent
from eigenselect.io.text_layout import Layout, layout_of

if TYPE_CHECKING:
    from eigenselect.io.request import TextFormat

LARGEST = "1.8e308"
#: pandas 3.1 reads exactly by itself; before, its other parsers miss the last digits of every third number
EXACT: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)
#: put before text, which pandas 3 else takes for missing where it reads "NA", though a converter gave it
GUARD = "\x1f"
#: what pandas calls a first column without a name
UNNAMED = "Unnamed: 0"


class TextTable:
    r"""Read a csv or tsv file, or standard input, as often as needed.

    The first lines show the encoding (`encodings`), the separator, and where the header is (`text_layout`), unless they
    are named. Cells may stand in quotes (RFC 4180). Blanks after a separator and blank lines are skipped.

    A cell in digits, such as ``-12``, ``.5`` or ``1e-3``, becomes the floating-point number nearest to it, and of two
    the even one, which is Python's ``float(cell)``: simple tables are read by `number_blocks`, others by pandas with
    ``float_precision="round_trip"``, whole numbers of more than 64 bits by `numbers_of`, and numbers with other marks
    than a decimal point by `marked_columns`. An empty cell, and what pandas takes for missing (``NA``, ``null``, …), is
    NaN, except in columns that are read as text.

    Parameters
    ----------
    path : str
        A file, plain or compressed, a named pipe, or ``-`` for standard input.
    source : str
        What messages call it.
    separator : str
        The mark of the format: a comma or a tab.
    advice : Advice
        What messages tell people to do.
    text : TextFormat, optional
        What is known of separator, decimal mark and encoding.
    duplicates : {"error", "first", "suffix", "mean"}
        Whether names that stand twice are refused, or made unique for others to deal with.

    Raises
    ------
    InputError
        When it is read, if it is empty, no text, has NUL bytes or does not fit into memory, if a name stands twice, a
        line has more or fewer values than the header, a quotation mark is never closed, or the decimal mark is in
        doubt.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "x.csv"
    ...     _ = path.write_text("gene,value\n007,0.1\n012,1e400\n")
    ...     table = TextTable(str(path), "x.csv", ",")
    ...     table.frame(["gene"]).values.tolist()
    [['007', 0.1], ['012', inf]]
    """

    def __init__(
        self,
        path: str,
        source: str,
        separator: str,
        advice: Advice = OPTIONS,
        text: TextFormat | None = None,
        *,
        duplicates: str = "error",
    ) -> None:
        self.source, self.separator, self.advice, self.duplicates = source, separator, advice, duplicates
        self._guess = text is None or text.guess
        plain = (None, None, None) if self._guess else (separator, ".", "utf-8")
        asked = (text.separator, text.decimal, text.encoding) if text else plain
        self._asked, self._decimal, encoding = (one or other for one, other in zip(asked, plain, strict=True))
        self.content = TextContent(path, source, encoding, advice)
        self._usual = separator
        self._refuse_mark(self._asked)
        self._marked = MarkedColumns(source)
        self._layout = Layout(separator)
        self._columns: list[str] = []
        #: what the header calls the columns that share a name, once it is read
        self.repeated: dict[str, str] = {}
        self._names: list[str] = []
        self._renames = False

    def frame(
        self,
        as_text: Sequence[str] = (),
        *,
        first_as_text: bool = False,
        left_out: Sequence[str] = (),
        by_cell: bool = False,
    ) -> pd.DataFrame:
        """Read the table; the columns ``as_text`` letter by letter, as a class may be called "NA" or 007.

        So is a first column without a name, which holds names of samples and is called ``Unnamed: 0``, and any first
        column if asked. Every number is the floating-point number nearest to what is written. Columns that will be
        ``left_out`` may hold numbers that can be read in two ways. ``by_cell`` numbers in columns with other text are
        plain: 0,5 is 0.5 there, too.
        """
        with self._as_table():
            names = self._checked_names()
            columns = [find_name(column, [name for name in names if name], self.source, "column") for column in as_text]
            first = [name for name in names[:1] if first_as_text and name]
            letters = {*columns, *first, UNNAMED}
            self._columns = list(self._names)
            with self.content.opened() as handle:
                simple = simple_frame(handle, self._columns, letters, self._layout, self._decimal)
            if simple is not None and not (by_cell and self._is_marked_text(simple[0], letters)):
                self._marked.decimal, self._marked.is_shown = simple[1] or ".", bool(simple[1])
                return self._with_samples(simple[0])
            frame = self._parsed(converters=dict.fromkeys(letters, _guarded), low_memory=False)
            for column in letters.intersection(frame.columns):
                frame[column] = frame[column].str.removeprefix(GUARD)
            self._columns = list(map(str, frame.columns))
            frame = self._whole(self._with_long_numbers(frame, letters))
            return self._with_marked(frame, {*letters, *left_out}, by_cell=by_cell)

    def text_frame(self, *, plain: bool = False) -> pd.DataFrame:
        """Read the table with every cell as text; an empty cell is the empty text.

        If ``plain``, numbers with decimal commas and marks between thousands are written without them.
        """
        with self._as_table():
            self._checked_names()
            frame = self._whole(self._parsed(dtype=str, keep_default_na=False))
            return self._marked.plain_sheet(frame) if plain else frame

    def cells(self, names: Sequence[str]) -> pd.DataFrame:
        """Read some columns as they are written, letter by letter, after `frame` has read the table.

        Names that the table does not have are left out. Of marks in numbers those are left out that would be read as
        something else, see `MarkedColumns.written`.
        """
        with self._as_table():
            return self._marked.written(self._letters(names))

    def notes(self) -> list[str]:
        """Say how the text was read, where it is not as its format should be."""
        marks = []
        if self.separator != self._usual:
            marks.append(f"{named(self.separator)} between cells")
        if self._marked.decimal != "." or (self.separator == ";" and self._marked.is_shown):  # where commas are usual
            marks.append(f"{self._marked.decimal!r} as decimal mark")
        read = f"read with {' and '.join(marks)}" if marks else ""
        return [note for note in (self.content.note, self._layout.note, read, *self._marked.notes()) if note]

    def _letters(self, names: Sequence[str]) -> pd.DataFrame:
        places = {name: place for place, name in enumerate(self._columns)}
        known = [name for name in names if name in places]
        found = self._parsed(dtype=str, keep_default_na=False, usecols=[places[name] for name in known])
        return found[known]

    def _is_marked_text(self, frame: pd.DataFrame, letters: set[str]) -> bool:
        return self._marked.may_be_among_text(frame, [name for name in text_columns(frame) if name not in letters])

    def _with_marked(self, frame: pd.DataFrame, others: set[str], *, by_cell: bool) -> pd.DataFrame:
        """Read columns again whose numbers have other marks than a decimal point."""
        texts = [name for name in text_columns(frame) if name not in others]
        if not (self._marked.may_be_in(frame, texts) or (by_cell and self._is_marked_text(frame, others))):
            return frame
        check_memory(NAME * frame.size, self.source, "the table with its cells as text")
        cells = self._letters([name for name in self._columns if name not in others])
        found = self._marked.read(cells, by_cell=by_cell)
        return pd.DataFrame({name: found.get(str(name), frame[name]) for name in frame}) if found else frame

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

    def _checked_names(self) -> list[str]:
        """Check the bytes, the header, and the width of the first row; give the names, some of which may be empty.

        The csv module reads them: a frame of one row and ten thousand columns takes pandas longer than the table.
        """
        self._look_at_beginning()
        self.content.check(self.separator, ends_in_remark=self._layout.is_series)
        rows = self._rows()
        _, names = next(rows, (0, []))
        self._refuse_wrong_split(names)
        names = self._told_apart(names)
        try:
            _, first = next(rows, (0, []))
        except csv.Error:  # a cell may be longer than the csv module reads, such as a sequence that is ignored
            return names
        if len(first) > len(names):  # pandas drops empty values beyond the header if the first row has them
            self._refuse_ragged()
        return names

    def _look_at_beginning(self) -> None:
        """Find the separator and the header."""
        self.content.n_before = 0
        with self.content.opened() as handle:
            self._layout = layout_of(handle, self._usual, self._asked, remarks=self._guess)
        self.separator, self.content.n_before = self._layout.separator, self._layout.n_before
        points_are_points = self.separator != ";"
        self._marked = MarkedColumns(
            self.source, self._decimal, points_are_points=points_are_points, advice=self.advice
        )

    def _with_samples(self, frame: pd.DataFrame) -> pd.DataFrame:
        if frame.empty:
            raise InputError(f"{self.source}: has a header but 0 samples.")
        return frame

    def _whole(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give the frame, if it has rows and none of them is short."""
        if _has_holes(self._with_samples(frame).iloc[:, -1]):  # pandas fills rows that are too short
            self._refuse_ragged()
        return frame

    def _with_long_numbers(self, frame: pd.DataFrame, as_text: set[str]) -> pd.DataFrame:
        """Put numbers where pandas has text, as for whole numbers of more than 64 bits."""
        found = {name: numbers_of(frame[name]) for name in text_columns(frame) if name not in as_text}
        long = {name: numbers for name, numbers in found.items() if numbers is not None}
        for name, numbers in long.items():
            frame[name] = numbers
        return frame

    def refuse_overflow(self, names: Sequence[str]) -> None:
        """Refuse a number written with digits that would become infinite, such as 1e400; "inf" may be infinite."""
        for name, cells in self._marked.plain(self._letters(names)).items() if names else ():
            text = overflowing(cells)
            if text is not None:
                raise InputError(
                    f"{self.source}: the number {shown(text)} in {shown(name)} is beyond {LARGEST}, the largest "
                    "floating-point number; write the column in another unit."
                )

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of the line and the cells of each row that is not blank, split as pandas does."""
        with self.content.opened() as handle, io.TextIOWrapper(handle, encoding="utf-8", newline="") as text:
            rows = csv.reader(text, delimiter=self.separator, skipinitialspace=True)
            before = self._layout.n_before
            yield from ((before + rows.line_num, row) for row in rows if len(row) > 1 or "".join(row).strip())

    def _told_apart(self, names: list[str]) -> list[str]:
        """Give names of which only empty ones are equal.

        An index that was saved twice has the header ``,Unnamed: 0,a``: what was called so by pandas gives way.
        """
        called = [name or f"\0{place}" for place, name in enumerate(names)]
        unique, self.repeated = told_apart(called, self.source, self.duplicates, self.advice)
        made = [f"Unnamed: {name[1:]}" if name.startswith("\0") else name for name in unique]
        self._names = unique_names(made)
        self._renames = bool(self.repeated) or self._names != made
        return [self._names[place] if name else "" for place, name in enumerate(names)]

    def _refuse_mark(self, mark: str | None) -> None:
        if mark is not None and (len(mark.encode()) != 1 or mark in '"\r\n'):
            raise InputError(
                f"{self.source}: cells are separated by one character of ASCII, such as ';', got {shown(mark)}; put "
                "another between them."
            )

    def _refuse_wrong_split(self, names: Sequence[str]) -> None:
        """Refuse a header that is split at the wrong places."""
        other = [mark for mark in ";\t," if mark != self.separator and mark in names[0]] if len(names) == 1 else []
        if other:
            raise InputError(
                f"{self.source}: has one column if split at {self.separator!r}; it seems to be separated by "
                f"{other[0]!r}; {self._instead_of(other[0])}."
            )

    def _instead_of(self, mark: str) -> str:
        """Say what to do with a table that is separated by another mark."""
        if self._asked == self.separator and self._guess:
            return f"use --sep {shown(mark)}"
        return {";": self.advice.semicolons, "\t": self.advice.tabs}.get(mark, self.advice.commas)

    def _parsed(self, **how: Any) -> pd.DataFrame:
        if self._renames:
            how |= {"header": 0, "names": self._names}
        with self.content.opened() as handle, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                handle,
                sep=self.separator,
                encoding="utf-8",
                skipinitialspace=True,
                index_col=False,
                **EXACT,
                **how,
            )

    def _refuse_ragged(self) -> None:
        """Say which line has more or fewer values than the header."""
        rows = self._rows()
        try:
            _, header = next(rows, (0, []))
            uneven = next(((line, row) for line, row in rows if len(row) != len(header)), None)
        except csv.Error:  # a cell longer than the csv module reads
            return
        if uneven is not None:
            line, row = uneven
            raise InputError(
                f"{self.source}: line {line} has {counted(len(row), 'value')} where the header has "
                f"{counted(len(header), 'name')}; {_why_uneven(row, header)}"
            )


def _guarded(cell: str) -> str:
    return GUARD + cell


def text_columns(frame: pd.DataFrame) -> list[str]:
    """Find the columns that hold no numbers; look at each kind once, as there may be ten thousands of columns.

    >>> text_columns(pd.DataFrame({"age": [31, 40], "city": ["Bonn", "Graz"]}))
    ['city']
    """
    numeric = {kind: pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes.unique()}
    return [name for name, kind in zip(frame.columns, frame.dtypes, strict=True) if not numeric[kind]]


def _why_uneven(row: Sequence[str], header: Sequence[str]) -> str:
    if len(row) < len(header):
        return "was the file cut off?"
    if len(row) > len(header) + 1 or not any(header[1:]):
        return "does a title stand above the names of the columns? Take it out of the file."
    if row[-1] == "":
        return "does the line end in a separator too many, or is the header short of a name?"
    return (
        "is the header without a name for the first column (in R, write.table writes one with col.names = NA), or a "
        "text without quotes?"
    )


def _reason(error: Exception) -> str:
    """Say what is wrong, in our words."""
    quote = re.search(r"EOF inside string starting at row (\d+)", str(error))
    if quote:
        return f"a quotation mark is opened in row {quote[1]} and never closed"
    if "field limit" in str(error):
        return f"a name of its header has more than {csv.field_size_limit()} letters"
    return "its lines cannot be split into cells"


def _has_holes(column: pd.Series) -> bool:
    return bool((column.isna() | (column == "")).any())
