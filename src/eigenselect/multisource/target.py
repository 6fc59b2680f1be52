"""The table whose features are ranked, and how other tables are matched with it: by name where names exist."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._labels import label_array
from eigenselect._typing import AnyArray, IntArray, Names
from eigenselect.exceptions import shown
from eigenselect.matrix import Matrix

#: position of what has no counterpart
MISSING = -1


@dataclass(frozen=True)
class AxisNames:
    """Names of the samples or of the features of a table, or what stands for them.

    Attributes
    ----------
    values : ndarray
    kind : {"none", "counting", "given"}
        No names at all (an array), a data frame's own count 0, 1, …, or names that somebody gave.
    places, total : ndarray, int
        Where these were in the whole table, and how many that has.
    """

    values: AnyArray
    kind: str
    places: IntArray
    total: int

    @classmethod
    def of(cls, given: Names | None, index: Any, count: int) -> AxisNames:
        """Take names as given, else those of a data frame's index or columns."""
        places = np.arange(count)
        if given is not None:
            return cls(np.asarray(given, dtype=object), "given", places, count)
        if index is None or callable(index):  # a list's index is a method
            return cls(places, "none", places, count)
        counting = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
        return cls(np.asarray(index, dtype=object), "counting" if counting else "given", places, count)

    def take(self, kept: IntArray) -> AxisNames:
        """Return the names of some."""
        return replace(self, values=self.values[kept], places=self.places[kept])

    @property
    def given(self) -> AnyArray | None:
        """The values, if they are names that somebody gave."""
        return self.values if self.kind == "given" else None

    def numbers_of(self, other: AxisNames) -> bool:
        """Whether these given names are numbers that another frame's count holds: the same samples, shuffled."""
        whole = {int(value) for value in self.values if isinstance(value, (int, np.integer))}
        return len(whole) == len(self.values) and bool(whole) and whole <= set(range(other.total))


@dataclass(frozen=True)
class Target:
    """The table whose features are ranked, with what is known of its samples and features.

    Attributes
    ----------
    X : Matrix of shape (n_samples, n_features)
        Its names, for messages, are those that somebody gave.
    y : ndarray of shape (n_samples,) or None
    samples, features : AxisNames
        To match sources by.
    """

    X: Matrix
    y: AnyArray | None
    samples: AxisNames
    features: AxisNames

    @classmethod
    def of(cls, X: Matrix, y: Any, owner: str) -> Target:
        """Take the names of a sound table; refuse labels and names that do not fit it."""
        samples = AxisNames.of(None, X.sample_names, X.n_samples)
        features = AxisNames.of(None, X.feature_names, X.n_features)
        if samples.kind == "given" or features.kind == "given":  # a range that starts at 5 is a name, too
            X = X.named(sample_names=samples.given, feature_names=features.given)
        labels = None if y is None else label_array(y, owner)
        for what, count, size in (
            ("labels", None if labels is None else len(labels), X.shape[0]),
            ("sample names", len(samples.values), X.shape[0]),
            ("feature names", len(features.values), X.shape[1]),
        ):
            if count is not None and count != size:
                raise ValueError(
                    f"{owner}: got {count} {what} for {size} {'features' if 'feat' in what else 'samples'} of X."
                )
        return cls(X, labels, samples, features)

    @property
    def n_samples(self) -> int:
        return self.X.n_samples

    @property
    def n_features(self) -> int:
        return self.X.n_features

    def rows(self, kept: IntArray) -> Target:
        """Return the same with some of the samples."""
        if kept.size == self.X.n_samples and (kept == np.arange(kept.size)).all():
            return self
        y = None if self.y is None else self.y[kept]
        return replace(self, X=self.X.take_rows(kept), y=y, samples=self.samples.take(kept))

    def columns(self, kept: IntArray) -> Target:
        """Return the same with some of the features."""
        return replace(self, X=self.X.take_columns(kept), features=self.features.take(kept))


def positions(wanted: AxisNames, available: AxisNames, owner: str, what: str) -> IntArray:
    """Find where each wanted sample or feature is in a source, or `MISSING`.

    By name if both sides have names, or if one frame counts its rows and the other's index holds such numbers; by place
    otherwise. Names in the source must be unique; a name may be wanted more than once (several probes of one gene).
    """
    if len(available.values) != available.total:
        raise ValueError(f"{owner}: got {len(available.values)} {what} names for {available.total} {what}s.")
    kinds = {wanted.kind, available.kind}
    by_name = kinds == {"given"} or (
        kinds == {"given", "counting"}
        and (wanted.numbers_of(available) if wanted.kind == "given" else available.numbers_of(wanted))
    )
    if not by_name:
        if wanted.total != available.total:
            unnamed = "the source" if wanted.kind == "given" else "the target"
            raise ValueError(
                f"{owner}: has {available.total} {what}s, the target {wanted.total}, and {unnamed} has no {what} names "
                f"to match them by; pass {what}_names, or use data frames."
            )
        return wanted.places
    index = pd.Index(available.values)
    if not index.is_unique:
        twice = index[index.duplicated()].unique()
        raise ValueError(
            f"{owner}: {what} names must be unique, but {len(twice)} occur more than once (the first is "
            f"{shown(twice[0])})."
        )
    return np.asarray(index.get_indexer(pd.Index(wanted.values)), dtype=np.intp)


def check_overlap(found: IntArray, owner: str, what: str) -> None:
    """Refuse a source that shares no name with the target."""
    if found.size and (found == MISSING).all():
        raise ValueError(
            f"{owner}: none of the target's {found.size} {what} names is in the source; check the spelling and case."
        )
