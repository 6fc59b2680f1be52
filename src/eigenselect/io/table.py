"""A table read from a file: numbers, names, and labels if asked for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError


@dataclass(frozen=True)
class Table:
    """Samples × features with names; ``y`` holds the label column where one was named, ``notes`` what was left out.

    ``sample_names`` are those of a column that was named for it, of a first column without a name, or of an index.
    ``label_text`` holds the labels as they were written, empty where there is none: 012 must not come back as 12.
    """

    X: Any
    feature_names: tuple[str, ...]
    y: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    sample_names: NDArray[Any] | None = None
    label_text: NDArray[Any] | None = None

    @property
    def n_unlabelled(self) -> int:
        """Samples without a value in the label column."""
        return 0 if self.y is None else int(pd.isna(self.y).sum())

    def check(self, source: str) -> Table:
        """Refuse what no method can rank: too few samples or features, missing or infinite values."""
        n_samples, n_features = self.X.shape
        if n_features < 1:
            raise InputError(f"{source}: no column is left to rank; name fewer of them with --label or --ignore.")
        if n_samples < 2:
            raise InputError(f"{source}: needs at least 2 samples, got {n_samples}; samples belong in rows.")
        bad = count_not_finite(self.X)
        if bad.any():
            worst = np.argsort(-bad, kind="stable")[: min(5, int((bad > 0).sum()))]
            listed = ", ".join(f"{self.feature_names[j]!r} ({bad[j]})" for j in worst)
            raise InputError(
                f"{source}: {int(bad.sum())} missing or infinite values in {int((bad > 0).sum())} columns, most in "
                f"{listed}; fill them with --impute median, drop the rows, or leave the columns out with --ignore."
            )
        for what, values in (("labels", self.y), ("names", self.sample_names)):
            if values is not None and len(values) != n_samples:
                raise InputError(f"{source}: {len(values)} {what} for {n_samples} samples.")
        return self


def count_not_finite(X: Any) -> NDArray[np.intp]:
    """Number of NaN and infinite entries of each column."""
    if sparse.issparse(X):
        columns = sparse.csc_array(X)
        flags = np.concatenate([[0], np.cumsum(~np.isfinite(columns.data))])
        return np.diff(flags[columns.indptr])
    return np.count_nonzero(~np.isfinite(X), axis=0)


def find_name(wanted: str, names: Sequence[str], source: str, what: str) -> str:
    """``wanted`` if it is among the names; otherwise an error that offers near ones."""
    if wanted in names:
        return wanted
    near = near_names(wanted, names)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {len(names)} {what}s."
    raise InputError(f"{source}: no {what} named {wanted!r}; {hint}")


def near_names(wanted: str, names: Sequence[str]) -> list[str]:
    """Names that differ in case only, or else in a few letters."""
    same = [name for name in names if name.lower() == wanted.lower()]
    return same or difflib.get_close_matches(wanted, names, n=2, cutoff=0.75)


def first_sentence(said: Exception) -> str:
    """The first sentence of what a library or the system says, in one line."""
    text = said.strerror if isinstance(said, OSError) and said.strerror else str(said)
    return " ".join(text.split()).split(". ")[0].rstrip(".")
