"""Read the numbers of a wide text table fast, each to the last bit; give up on what is not simple.

Parsers of tables make a column at a time, which takes longer than the numbers where columns are many and short. Here
the separators of a block of lines are found at once, the widths of all lines are checked by their places, and the cells
are read as one long column: by Arrow where it is installed (extra ``io``), which reads 100 x 20 000 numbers of 17
digits ten times as fast as the exact parser of pandas, or else by numpy; after many blocks by compiled loops, which
take up to a second to load. Of numbers of 6 and of 17 digits, they take 0.25 of numpy's time, and 0.85 and 0.92 of
Arrow's: with Arrow they are worth loading for gigabytes only. All give the floating-point number nearest to what is
written [1]_, [2]_; `tests/io/test_text_numbers.py` compares all bits with those of Python.

References
----------
.. [1] D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51(8), 2021.
.. [2] D. M. Gay, "Correctly rounded binary-decimal and decimal-binary conversions", AT&T Bell Laboratories, Numerical
       Analysis Manuscript 90-10, 1990.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenselect._parallel import map_ahead
from eigenselect._typing import AnyArray, FloatArray
from eigenselect.io.number_marks import MISSING
from eigenselect.io.number_text import WRITTEN

#: bytes that are read at once
BLOCK = 1 << 22
#: blocks after which compiled loops read the others, and how many times as many where Arrow is nearly as fast
BEFORE_COMPILED, ARROW_BEFORE = 8, 32
#: cells of a compiled block that may be left to Python, one in so many
FEW = 200
#: bytes that no number has, though libraries read some of them: nan(7), 0x1p3
NEVER = b"(xXpP_"
NEW_LINE, QUOTE = ord("\n"), ord('"')


class NotSimpleError(Exception):
    """A block that has to be read by a parser that knows all that tables may hold."""


@dataclass(frozen=True)
class Body:
    r"""Say how the lines under the header are written.

    Attributes
    ----------
    separator : str
        One character of ASCII.
    n_columns : int
    decimal : str
        The decimal mark; empty if no number may have a point or a comma.
    texts : collection of int
        Columns that are read letter by letter.

    Examples
    --------
    >>> import io
    >>> numbers, texts = Body(";", 3, ",", [1]).read(io.BytesIO(b"1,5;a;2\n3;b;NA\n"))
    >>> numbers, texts
    (array([[1.5, 2. ],
           [3. , nan]]), {1: ['a', 'b']})
    """

    separator: str
    n_columns: int
    decimal: str
    texts: Collection[int]

    def read(self, handle: Any) -> tuple[FloatArray, dict[int, list[str]]]:
        """Read all lines; the numbers without the columns of text, and these columns.

        Raises
        ------
        NotSimpleError
            If a line has more or fewer cells, a cell in quotes holds a separator, a line is blank, or a cell is no
            number with this decimal mark; missing cells are NaN.
        """
        kept = [column for column in range(self.n_columns) if column not in self.texts]
        numbers, texts = [], {column: list[str]() for column in self.texts}
        for block in map_ahead(self._read_block, enumerate(_blocks(handle))):
            numbers.append(block[0][:, kept] if self.texts else block[0])
            for column, cells in block[1].items():
                texts[column] += cells
        if not numbers:
            return np.empty((0, len(kept))), texts
        return numbers[0] if len(numbers) == 1 else np.concatenate(numbers), texts

    def _read_block(self, numbered: tuple[int, AnyArray]) -> tuple[FloatArray, dict[int, list[str]]]:
        """Read the cells of a block, those of text as zeros, and the columns of text."""
        number, block = numbered
        ends = self._ends(block)
        starts = np.concatenate([[0], ends.ravel()[:-1] + 1]).reshape(ends.shape)
        texts = {column: self._cells(block, starts[:, column], ends[:, column]) for column in self.texts}
        found = self._compiled_numbers(block, starts, ends) if number >= _before_compiled() else None
        return self._numbers(block, starts, ends) if found is None else found, texts

    def _ends(self, block: AnyArray) -> AnyArray:
        """Find the place behind each cell, lines in rows; refuse lines of other widths."""
        marks = np.flatnonzero((block == ord(self.separator)) | (block == NEW_LINE))
        if marks.size % self.n_columns:
            raise NotSimpleError
        ends = marks.reshape(-1, self.n_columns)
        lines = block[ends] == NEW_LINE
        if lines[:, :-1].any() or not lines[:, -1].all():
            raise NotSimpleError
        quotes = block == QUOTE
        if quotes.any() and (np.cumsum(quotes)[marks] % 2).any():  # a separator or a new line within quotes
            raise NotSimpleError
        return ends

    def _cells(self, block: AnyArray, starts: AnyArray, ends: AnyArray) -> list[str]:
        """Cut out cells of text, without their quotes."""
        data = block.tobytes()
        cells = [data[start:end].decode() for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        if any(cell[:1].isspace() for cell in cells):  # parsers differ in which blanks they skip
            raise NotSimpleError
        return [self._unquoted(cell) if '"' in cell else cell for cell in cells]

    def _unquoted(self, cell: str) -> str:
        return next(csv.reader([cell], delimiter=self.separator))[0]

    def _compiled_numbers(self, block: AnyArray, starts: AnyArray, ends: AnyArray) -> FloatArray | None:
        """Read cells by compiled loops, and the few by Python that these leave; None where these are not few."""
        from eigenselect.io.decimal_numba import read_cells

        numbers, unread = read_cells(block, ends.ravel(), self.decimal)
        found, others = numbers.reshape(ends.shape), unread.reshape(ends.shape)
        others[:, list(self.texts)] = False
        left = np.argwhere(others)
        if len(left) * FEW > ends.size:
            return None
        for row, column in left.tolist():
            found[row, column] = self._number(block[starts[row, column] : ends[row, column]].tobytes().decode())
        return found

    def _number(self, cell: str) -> float:
        """Read one cell."""
        cell = self._unquoted(cell) if '"' in cell else cell
        if cell in MISSING:
            return float("nan")
        plain = cell.replace(",", ".") if self.decimal == "," else cell
        if not WRITTEN.fullmatch(plain) or ("." in plain and not self.decimal) or ("." in cell and self.decimal == ","):
            raise NotSimpleError
        number = float(plain)
        if np.isinf(number):
            raise NotSimpleError
        return number

    def _numbers(self, block: AnyArray, starts: AnyArray, ends: AnyArray) -> FloatArray:
        """Read all cells as one column, those of text as if they were zeros."""
        column = block.copy()
        for text in self.texts:
            for start, end in zip(starts[:, text].tolist(), ends[:, text].tolist(), strict=True):
                column[start:end] = ord("0")
        column[ends] = NEW_LINE
        data = column.tobytes()
        if any(mark in data for mark in NEVER + ".,".replace(self.decimal or " ", "").encode()):
            raise NotSimpleError
        if self.decimal == ",":
            data = data.replace(b",", b".")
        found = one_column(data)
        if found.size != ends.size:
            raise NotSimpleError
        return found.reshape(ends.shape)


def _blocks(handle: Any) -> Iterator[AnyArray]:
    """Yield whole lines in blocks of bytes, with a new line behind each."""
    parts: list[bytes] = []  # of a line that goes on
    while chunk := handle.read(BLOCK):
        whole, newline, rest = chunk.rpartition(b"\n")
        if newline:
            yield _lines(b"".join([*parts, whole, newline]))
            parts = []
        parts.append(rest)
    last = b"".join(parts).rstrip(b"\r")
    if last:
        yield _lines(last + b"\n")


def _lines(data: bytes) -> AnyArray:
    """Make one kind of line ends; refuse blank lines, and those of old computers."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\r" in data or b"\n\n" in data or data.startswith(b"\n"):
        raise NotSimpleError
    return np.frombuffer(data, np.uint8)


def _before_compiled() -> int:
    """Return how many blocks are read before compiled loops are worth loading."""
    return BEFORE_COMPILED * (ARROW_BEFORE if _has_arrow() else 1)


def _has_arrow() -> bool:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def one_column(data: bytes) -> FloatArray:
    r"""Read numbers, one in each line; missing ones are NaN.

    >>> one_column(b"1.5\n.5\n")
    array([1.5, 0.5])
    """
    return by_arrow(data) if _has_arrow() else by_numpy(data)


def by_arrow(data: bytes) -> FloatArray:
    """Read numbers by Arrow, in this thread; refuse what it does not read, such as +5 and 1e400."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    try:
        found = arrow.read_csv(
            pa.BufferReader(data),
            arrow.ReadOptions(use_threads=False, column_names=["x"]),
            arrow.ParseOptions(ignore_empty_lines=False),
            arrow.ConvertOptions(
                column_types={"x": pa.float64()}, null_values=sorted(MISSING), quoted_strings_can_be_null=True
            ),
        )
    except pa.ArrowInvalid:
        raise NotSimpleError from None
    return np.asarray(found.column(0).to_numpy(), dtype=np.float64)


def by_numpy(data: bytes) -> FloatArray:
    """Read numbers by numpy; refuse missing ones and quotes."""
    if b"," in data:
        raise NotSimpleError
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # where it stops before the end
        try:
            found = np.fromstring(data.removesuffix(b"\n").replace(b"\n", b",").decode("ascii"), sep=",")
        except (DeprecationWarning, ValueError):
            raise NotSimpleError from None
    return np.asarray(found, dtype=np.float64)
