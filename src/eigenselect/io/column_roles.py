"""What the caller says of the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eigenselect.exceptions import InputError, shown
from eigenselect.io.advice import OPTIONS, Advice
from eigenselect.io.table import find_name


@dataclass(frozen=True)
class ColumnRoles:
    """The columns with labels and names of samples, those to leave out, and whether text becomes 0/1 columns.

    ``names_first`` asks for the names that the format has a place for, or else the first column.
    """

    label: str | None = None
    ignore: Sequence[str] = ()
    samples: str | None = None
    one_hot: bool = False
    names_first: bool = False
    advice: Advice = OPTIONS

    def check(self, source: str) -> None:
        """Refuse a column with two roles; lists of ignored columns are looked at when the columns are known."""
        self.check_ignored(self.ignore, source)
        if self.samples is not None and self.samples == self.label:
            raise InputError(f"{source}: {shown(self.label)} is both the names and the label; name it once.")

    def check_ignored(self, ignored: Sequence[str] | set[str], source: str) -> None:
        """Refuse to leave out the labels or the names."""
        for column, what in ((self.label, "the label"), (self.samples, "the names")):
            if column is not None and column in ignored:
                raise InputError(f"{source}: {shown(column)} is both {what} and ignored; name it once.")

    def ignored(self, names: Sequence[str], source: str, what: str) -> set[str]:
        """The columns to leave out: each entry is one name, or several with commas between."""
        dropped: set[str] = set()
        for entry in self.ignore:
            parts = [entry] if entry in names else [part.strip() for part in entry.split(",") if part.strip()]
            dropped.update(find_name(part, names, source, what) for part in parts)
        return dropped
