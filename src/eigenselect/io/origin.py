"""The file that a table was read from, for writers that keep what a table does not hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eigenselect.exceptions import InputError, shown_path


def stamp_of(path: str) -> tuple[int, ...]:
    """Tell the state of a file: its number, its size and when it was changed."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


@dataclass(frozen=True)
class Origin:
    """Name the file of a table.

    Attributes
    ----------
    path : str
    kind : {"h5ad", "parquet"}
        Formats of which more can be kept than a table holds.
    wanted : Wanted, optional
        Which parts of an h5ad file were read.
    as_stored : bool
        Whether X holds what the file does, so that values can be taken from there.
    stamp : tuple of int
        The state of the file when it was read.
    features : tuple of str, optional
        Names of the features that were read, where the table has only some of them: names may stand twice.
    columns : tuple of int, optional
        Which of those it has.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     origin = Origin(file.name, "h5ad")
    ...     origin.check(), origin.changed().as_stored
    (None, False)
    """

    path: str
    kind: str
    wanted: Any = None
    as_stored: bool = True
    stamp: tuple[int, ...] = field(default=())
    features: tuple[str, ...] | None = None
    columns: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not self.stamp:
            object.__setattr__(self, "stamp", stamp_of(self.path))

    def changed(self) -> Origin:
        """Give the origin of a table with other values."""
        return replace(self, as_stored=False)

    def taken(self, features: tuple[str, ...], columns: Sequence[int]) -> Origin:
        """Give the origin of a table with some of its features."""
        return replace(self, features=features, columns=tuple(map(int, columns)))

    def check(self) -> None:
        """Refuse a file that is not what it was when it was read."""
        if stamp_of(self.path) != self.stamp:
            raise InputError(f"{shown_path(self.path)}: was changed while it was read; run again.")
