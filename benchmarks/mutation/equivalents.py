"""Mutants that compute the same: listed by hand in `equivalents.toml`, each with the reason."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mutants import Mutant

LIST = Path(__file__).with_name("equivalents.toml")


@dataclass(frozen=True)
class Equivalent:
    """Known by file and code, so that lines may move: the code as it is, and what may stand there instead."""

    file: str
    code: str
    reason: str
    #: what stands there instead, or nothing where any change of the code is one
    mutants: tuple[str, ...] = ()
    #: the function, where the same code stands in several
    within: str = ""

    def covers(self, mutant: Mutant) -> bool:
        same_place = self.file == mutant.file and self.code == mutant.before
        same_function = not self.within or self.within == mutant.within
        return same_place and same_function and (not self.mutants or mutant.after in self.mutants)


@cache
def listed() -> tuple[Equivalent, ...]:
    rows = tomllib.loads(LIST.read_text(encoding="utf-8")).get("equivalent", [])
    return tuple(Equivalent(**{**row, "mutants": tuple(row.get("mutants", ()))}) for row in rows)


def reason(mutant: Mutant) -> str | None:
    """Why the mutant computes the same, or None if nobody said so."""
    return next((known.reason for known in listed() if known.covers(mutant)), None)
