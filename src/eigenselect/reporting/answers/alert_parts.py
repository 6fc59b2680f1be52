"""What alerts are made of: the features and samples that they look at, and names in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.exceptions import counted, shown
from eigenselect.matrix.base import listed
from eigenselect.reporting.facts import Alert
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.summary import RankingSummary

#: kept features (or the best, where nothing was cut) whose values are looked at
LOOKED_AT = 50
#: numbers of a table up to which all of them are looked at: about a second
SCANNED = 30_000_000
#: names of features or samples that an alert holds
HELD_NAMES = 200


@dataclass(frozen=True)
class Looked:
    """A ranking and its data, with what several alerts look at.

    Attributes
    ----------
    summary : RankingSummary
    fitted : Fitted
    """

    summary: RankingSummary
    fitted: Fitted

    @cached_property
    def columns(self) -> IntArray:
        """Columns of the first kept features; of the best, where nothing was cut."""
        return np.array([row["column"] for row in self.summary["features"][:LOOKED_AT]], dtype=np.intp)

    @cached_property
    def values(self) -> FloatArray:
        """Their values, dense."""
        return columns_of(self.fitted.X, self.columns)

    @property
    def whose(self) -> str:
        """Name these features: "the 5 kept features", "the 50 best of the kept features", "the 50 best features".

        One is "the kept feature" or "the best feature".
        """
        count, cut = self.columns.size, self.summary["cut"]
        if count == 1:
            return "the kept feature" if cut else "the best feature"
        if cut and count < self.summary["n_selected"]:
            return f"the {count} best of the kept features"
        return f"the {count} {'kept' if cut else 'best'} features"

    @property
    def can_be_scanned(self) -> bool:
        """Whether the whole table is in memory, and small enough to be looked at once more."""
        return bool(self.fitted.X.in_memory) and self.fitted.X.n_samples * self.fitted.X.n_features <= SCANNED

    def alert(
        self, kind: str, sentence: str, *, columns: Iterable[int] | IntArray = (), rows: Iterable[int] | IntArray = ()
    ) -> Alert:
        """Make an alert, with whole names of the first features and samples that it speaks of."""
        names = self.fitted.names
        return {
            "kind": kind,
            "sentence": sentence,
            "features": [str(names[int(column)]) for column in list(columns)[:HELD_NAMES]],
            "samples": [self.sample_name(int(row)) for row in list(rows)[:HELD_NAMES]],
        }

    def sample_name(self, row: int) -> str:
        """Return the whole name of a sample, or its number from 1, as the page counts them."""
        known = self.fitted.sample_names
        return f"sample {row + 1}" if known is None else str(known[row])

    def sample(self, row: int) -> str:
        """Name a sample in a sentence: sample 'S7', or sample 7."""
        return self.sample_name(row) if self.fitted.sample_names is None else f"sample {shown(self.sample_name(row))}"

    def features(self, columns: Sequence[int] | IntArray) -> str:
        """List features in a sentence: the first few, and how many more there are."""
        return listed([shown(str(self.fitted.names[int(column)])) for column in columns])

    def samples(self, rows: Sequence[int] | IntArray) -> str:
        """List samples in a sentence."""
        if self.fitted.sample_names is None:
            numbers = listed([str(int(row) + 1) for row in rows])
            return f"number {numbers}" if len(rows) == 1 else f"numbers {numbers}"
        return listed([shown(self.sample_name(int(row))) for row in rows])


def have(count: int, what: str, one: str, several: str) -> str:
    """Write a count, what is counted, and a verb that agrees.

    >>> have(1, "sample", "is", "are"), have(3, "sample", "is", "are")
    ('1 sample is', '3 samples are')
    """
    return f"{counted(count, what)} {one if count == 1 else several}"
