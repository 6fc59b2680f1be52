"""The table whose features are ranked, and how other tables are matched with it: by name where names exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: position of what has no counterpart
MISSING = -1


@dataclass(frozen=True)
class Target:
    """Samples × features, with names where they are known.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,) or None
    sample_names, feature_names : ndarray or None
    origin : ndarray or None
        Where the samples were in the whole table, if they are a part of it; and how many it had.
    """

    X: Any
    y: NDArray[Any] | None = None
    sample_names: NDArray[Any] | None = None
    feature_names: NDArray[Any] | None = None
    origin: tuple[NDArray[np.intp], int] | None = None

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def rows(self, kept: NDArray[np.intp]) -> Target:
        """The same with some of the samples."""
        if kept.size == self.n_samples:
            return self
        y = None if self.y is None else self.y[kept]
        names = None if self.sample_names is None else self.sample_names[kept]
        before, total = (np.arange(self.n_samples), self.n_samples) if self.origin is None else self.origin
        return replace(self, X=self.X[kept], y=y, sample_names=names, origin=(before[kept], total))

    def sample_positions(self, names: NDArray[Any] | None, n_available: int, owner: str) -> NDArray[np.intp]:
        """Where each sample is in a source of ``n_available`` samples, or `MISSING`."""
        if self.origin is None or not (names is None or self.sample_names is None):
            return positions(self.sample_names, names, self.n_samples, n_available, owner, "sample")
        rows, total = self.origin
        return positions(None, names, total, n_available, owner, "sample")[rows]

    def feature_positions(self, names: NDArray[Any] | None, n_available: int, owner: str) -> NDArray[np.intp]:
        """Where each feature is in a source of ``n_available`` features, or `MISSING`."""
        return positions(self.feature_names, names, self.n_features, n_available, owner, "feature")


def names_of(given: Sequence[Any] | NDArray[Any] | None, index: Any) -> NDArray[Any] | None:
    """Names as given, else those of a data frame's index or columns unless it merely counts; None without names."""
    if given is not None:
        return np.asarray(given, dtype=object)
    if index is None or callable(index) or isinstance(index, pd.RangeIndex):  # a list's index is a method
        return None
    return np.asarray(index, dtype=object)


def positions(
    wanted: NDArray[Any] | None, available: NDArray[Any] | None, n_wanted: int, n_available: int, owner: str, what: str
) -> NDArray[np.intp]:
    """Where each wanted sample or feature is in a source, or `MISSING`; by position if one side has no names.

    Names in the source must be unique; a name may be wanted more than once (several probes of one gene).
    """
    if wanted is None or available is None:
        if n_wanted != n_available:
            unnamed = "the target" if wanted is None else "the source"
            raise ValueError(
                f"{owner}: has {n_available} {what}s, the target {n_wanted}, and {unnamed} has no {what} names to "
                f"match them by; pass {what}_names, or use data frames."
            )
        return np.arange(n_wanted)
    if len(available) != n_available:
        raise ValueError(f"{owner}: got {len(available)} {what} names for {n_available} {what}s.")
    index = pd.Index(available)
    if not index.is_unique:
        twice = index[index.duplicated()].unique()
        raise ValueError(
            f"{owner}: {what} names must be unique, but {len(twice)} occur more than once (the first is {twice[0]!r})."
        )
    return np.asarray(index.get_indexer(pd.Index(wanted)), dtype=np.intp)


def check_overlap(found: NDArray[np.intp], owner: str, what: str) -> None:
    """Refuse a source that shares no name with the target."""
    if found.size and (found == MISSING).all():
        raise ValueError(
            f"{owner}: none of the target's {found.size} {what} names is in the source; check the spelling and case."
        )
