"""The table whose features are ranked, and how other tables are matched with it: by name where names exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from eigenselect._labels import label_array
from eigenselect.exceptions import shown
from eigenselect.matrix import Matrix

#: position of what has no counterpart
MISSING = -1


@dataclass(frozen=True)
class Names:
    """Names of samples or features, or what stands for them.

    Attributes
    ----------
    values : ndarray
    kind : {"none", "counting", "given"}
        No names at all (an array), a data frame's own count 0, 1, …, or names that somebody gave.
    places, total : ndarray, int
        Where these were in the whole table, and how many that has.
    """

    values: NDArray[Any]
    kind: str
    places: NDArray[np.intp]
    total: int

    @classmethod
    def of(cls, given: Sequence[Any] | NDArray[Any] | None, index: Any, count: int) -> Names:
        """Names as given, else those of a data frame's index or columns."""
        places = np.arange(count)
        if given is not None:
            return cls(np.asarray(given, dtype=object), "given", places, count)
        if index is None or callable(index):  # a list's index is a method
            return cls(places, "none", places, count)
        counting = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
        return cls(np.asarray(index, dtype=object), "counting" if counting else "given", places, count)

    def take(self, kept: NDArray[np.intp]) -> Names:
        return replace(self, values=self.values[kept], places=self.places[kept])

    @property
    def given(self) -> NDArray[Any] | None:
        """The values, if they are names that somebody gave."""
        return self.values if self.kind == "given" else None

    def numbers_of(self, other: Names) -> bool:
        """Whether these given names are numbers that another frame's count holds: the same samples, shuffled."""
        whole = {int(value) for value in self.values if isinstance(value, (int, np.integer))}
        return len(whole) == len(self.values) and bool(whole) and whole <= set(range(other.total))


def table_names(
    X: Any, sample_names: Sequence[Any] | NDArray[Any] | None, feature_names: Sequence[Any] | NDArray[Any] | None
) -> tuple[Names, Names]:
    """Names of the samples and of the features of a table."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    samples = Names.of(sample_names, getattr(X, "index", None), shape[0])
    return samples, Names.of(feature_names, getattr(X, "columns", None), shape[1] if len(shape) > 1 else 0)


@dataclass(frozen=True)
class Target:
    """Samples × features, with names where they are known.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,) or None
    samples, features : Names
    """

    X: Any
    y: NDArray[Any] | None
    samples: Names
    features: Names

    @classmethod
    def of(cls, table: Matrix, y: Any, owner: str) -> Target:
        """Take labels and names beside a table; refuse those that do not fit it."""
        labels = None if y is None else label_array(y, owner)
        samples = Names.of(None, table.sample_names, table.n_samples)
        features = Names.of(None, table.feature_names, table.n_features)
        for what, count, size in (
            ("labels", None if labels is None else len(labels), table.n_samples),
            ("sample names", len(samples.values), table.n_samples),
            ("feature names", len(features.values), table.n_features),
        ):
            if count is not None and count != size:
                raise ValueError(
                    f"{owner}: got {count} {what} for {size} {'features' if 'feat' in what else 'samples'} of X."
                )
        raw = table.raw.tocsr() if table.is_sparse else table.raw
        return cls(raw, labels, samples, features)

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def rows(self, kept: NDArray[np.intp]) -> Target:
        """The same with some of the samples."""
        y = None if self.y is None else self.y[kept]
        return replace(self, X=self.X[kept], y=y, samples=self.samples.take(kept))


def positions(wanted: Names, available: Names, owner: str, what: str) -> NDArray[np.intp]:
    """Where each wanted sample or feature is in a source, or `MISSING`.

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


def check_overlap(found: NDArray[np.intp], owner: str, what: str) -> None:
    """Refuse a source that shares no name with the target."""
    if found.size and (found == MISSING).all():
        raise ValueError(
            f"{owner}: none of the target's {found.size} {what} names is in the source; check the spelling and case."
        )
