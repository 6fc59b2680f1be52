"""A table read from a file: numbers, names, and labels if asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError, counted, shown
from eigenselect.io.advice import OPTIONS, Advice

#: letters of a name beyond which near names are not looked for, which takes time that grows with its square
LONGEST_GUESS = 200
#: cells of some features as they were written, in the order of the samples; features without letters are left out
Letters = Callable[[Sequence[str]], pd.DataFrame]


@dataclass(frozen=True)
class Table:
    """Samples × features with names; ``y`` holds the label column where one was named, ``notes`` what was left out.

    ``sample_names`` are those of a column that was named for it, of a first column without a name, or of an index.
    ``label_text`` holds the labels as they were written, empty where there is none: 012 must not come back as 12.
    ``letters`` reads the cells of some features again as they were written, so that 6 does not come back as 6.0, nor
    a whole number beyond 2^53 as another; None where ``X`` holds all there is to know.
    """

    X: Any
    feature_names: tuple[str, ...]
    y: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    sample_names: NDArray[Any] | None = None
    label_text: NDArray[Any] | None = None
    letters: Letters | None = None

    @property
    def n_unlabelled(self) -> int:
        """Samples without a value in the label column."""
        return 0 if self.y is None else int(pd.isna(self.y).sum())

    def check(self, source: str, *, least: int = 2, advice: Advice = OPTIONS) -> Table:
        """Refuse what no method can rank: too few samples or features, missing or infinite values."""
        n_samples, n_features = self.X.shape
        if n_features < 1:
            raise InputError(f"{source}: no column is left to rank; {advice.fewer}.")
        if n_samples < least:
            wanted = counted(least, "sample")
            raise InputError(f"{source}: needs at least {wanted}, got {n_samples}; samples belong in rows.")
        for what, values in (("label", self.y), ("name", self.sample_names)):
            if values is not None and len(values) != n_samples:
                raise InputError(f"{source}: {counted(len(values), what)} for {n_samples} samples.")
        bad = count_not_finite(self.X)
        if bad.any():
            worst = np.argsort(-bad, kind="stable")[: min(5, int((bad > 0).sum()))]
            most = ", ".join(f"{shown(self.feature_names[j])} ({bad[j]})" for j in worst)
            holes = counted(int(bad.sum()), "missing or infinite value")
            columns = counted(int((bad > 0).sum()), "column")
            raise InputError(f"{source}: {holes} in {columns}, most in {most}; {advice.missing}.")
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
    has = f"there {'is' if len(names) == 1 else 'are'} {counted(len(names), what)}."
    hint = f"did you mean {' or '.join(map(shown, near))}?" if near else has
    raise InputError(f"{source}: no {what} named {shown(wanted)}; {hint}")


def near_names(wanted: str, names: Sequence[str]) -> list[str]:
    """Names that differ in case only, or else in a few letters."""
    same = [name for name in names if name.lower() == wanted.lower()]
    if same or len(wanted) > LONGEST_GUESS:
        return same
    return difflib.get_close_matches(wanted, [name for name in names if len(name) <= LONGEST_GUESS], n=2, cutoff=0.75)


def first_sentence(said: Warning | Exception) -> str:
    """The first sentence of what a library warns of, in one line."""
    return " ".join(str(said).split()).split(". ")[0].rstrip(".")
