"""Csv and tsv as data frames; refuses what pandas would rename, fill or cut in silence."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from eigenselect.exceptions import InputError
from eigenselect.io.table import find_name

#: endings of compressed text
COMPRESSED: dict[str, Any] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
CHUNK = 1 << 20
#: what to do with a table that is separated by another mark
INSTEAD = {
    "\t": "use --format tsv",
    ",": "use --format csv",
    ";": "save it with commas between the values (and points in the numbers), or with tabs for --format tsv",
}
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
    """

    def __init__(self, path: str, source: str, separator: str) -> None:
        self.path, self.source, self.separator = path, source, separator
        self._content: bytes | None = None  # of what cannot be rewound
        if path == "-":
            if sys.stdin is None:
                raise InputError("standard input: is closed; name a file, or send a table.")
            self._content = sys.stdin.buffer.read()
        elif not Path(path).is_file():
            self._content = Path(path).read_bytes()

    def frame(self, as_text: Sequence[str]) -> pd.DataFrame:
        """The table; the columns ``as_text`` are read letter by letter, as a class may be called "NA" or 007.

        So is a first column without a name, which holds names of samples.
        """
        try:
            self._refuse_nul()
            names = self._names()
            columns = [find_name(column, names, self.source, "column") for column in as_text]
            self._refuse_trailing()
            frame = self._parsed(dict.fromkeys([*columns, UNNAMED], str))
        except pd.errors.EmptyDataError:
            raise InputError(f"{self.source}: is empty.") from None
        except (pd.errors.ParserError, pd.errors.ParserWarning, csv.Error) as error:
            self._refuse_ragged()
            reason = str(error).removeprefix("Error tokenizing data. C error: ").strip().rstrip(".")
            raise InputError(f"{self.source}: is not a table, {reason}.") from None
        except UnicodeDecodeError:
            raise InputError(
                f"{self.source}: is not text in UTF-8; save it as UTF-8, or name its format with --format."
            ) from None
        if frame.empty:
            raise InputError(f"{self.source}: has a header but 0 samples.")
        if _has_holes(frame.iloc[:, -1]):  # pandas fills rows that are too short
            self._refuse_ragged()
        return frame

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """The bytes, decompressed."""
        opener = COMPRESSED.get(Path(self.path).suffix.lower().lstrip("."), open)
        with io.BytesIO(self._content) if self._content is not None else opener(self.path, "rb") as handle:
            yield handle

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Number of the line and cells of each row that is not blank, split as pandas does."""
        with self._opened() as handle, io.TextIOWrapper(handle, encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, delimiter=self.separator, skipinitialspace=True)
            yield from ((rows.line_num, row) for row in rows if len(row) > 1 or "".join(row).strip())

    def _names(self) -> list[str]:
        """Column names, without duplicates and not split at the wrong places.

        The csv module reads them: a frame of one row and ten thousand columns takes pandas longer than the table.
        """
        _, first = next(self._rows(), (0, []))
        names = [name for name in first if name]
        repeated = [name for name, times in Counter(names).items() if times > 1]
        if repeated:
            listed = ", ".join(map(repr, repeated[:5]))
            raise InputError(
                f"{self.source}: {len(repeated)} column names stand more than once ({listed}); make them unique."
            )
        other = [mark for mark in ";\t," if mark != self.separator and mark in first[0]] if len(first) == 1 else []
        if other:
            raise InputError(
                f"{self.source}: has one column if split at {self.separator!r}; it seems to be separated by "
                f"{other[0]!r}; {INSTEAD[other[0]]}."
            )
        return names

    def _parsed(self, converters: dict[str, Any]) -> pd.DataFrame:
        with self._opened() as handle, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                handle,
                sep=self.separator,
                encoding="utf-8-sig",
                skipinitialspace=True,
                converters=converters,
                index_col=False,
                low_memory=False,
            )

    def _refuse_nul(self) -> None:
        """Pandas ends a number at a NUL byte: 1<NUL>2 would become 1."""
        with self._opened() as handle:
            while chunk := handle.read(CHUNK):
                if b"\0" in chunk:
                    raise InputError(
                        f"{self.source}: holds NUL bytes, which text does not; if it is UTF-16, save it as UTF-8."
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
        _, header = next(rows, (0, []))
        for line, row in rows:
            if len(row) != len(header):
                hint = "is the header without a name for the first column, or a text without quotes?"
                if row[-1] == "":
                    hint = "does the line end in a separator too many, or is the header short of a name?"
                raise InputError(
                    f"{self.source}: line {line} has {len(row)} values where the header has {len(header)} names; "
                    + (hint if len(row) > len(header) else "was the file cut off?")
                )


def _has_holes(column: pd.Series) -> bool:
    return bool((column.isna() | (column == "")).any())
