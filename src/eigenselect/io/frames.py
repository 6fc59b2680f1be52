"""A table of a data frame: which columns are labels, names, numbers or text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.labels import labels_of, missing_by_name, text_of
from eigenselect.io.table import Letters, Table
from eigenselect.io.text import UNNAMED, text_columns

#: values of a text column beyond which it is no category
MOST_CATEGORIES = 1000


def from_frame(
    frame: pd.DataFrame,
    source: str,
    wanted: ColumnRoles,
    sample_names: NDArray[Any] | None = None,
    letters: Letters | None = None,
) -> Table:
    """A table of a frame; the names of its samples, where known, give way to those of a column.

    ``letters`` reads columns of the frame as they are written.
    """
    frame.columns = frame.columns.map(str)
    dropped = wanted.ignored(list(frame.columns), source, "column")
    wanted.check_ignored(dropped, source)
    frame = frame.drop(columns=list(dropped)) if dropped else frame
    notes, y, label_text = [], None, None
    named = None if wanted.samples is None else text_of(frame.pop(wanted.samples))
    if UNNAMED in frame.columns[:1]:
        sample_names = text_of(frame.pop(UNNAMED))
        notes.append("the first column has no name; taken for names of samples and left out")
    if wanted.label is not None:
        label_text = text_of(frame.pop(wanted.label))
        y = labels_of(label_text, wanted.label, source)
        notes += missing_by_name(label_text)
    text = text_columns(frame)
    if text and not wanted.one_hot:
        raise _not_numeric(frame, text, source, wanted)
    if text:
        letters = _only(letters, [name for name in frame.columns if name not in text])
        frame, note = _one_hot(frame, text, source)
        notes.append(note)
    X = np.ascontiguousarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))
    names = sample_names if named is None else named
    return Table(X, tuple(frame.columns), y, tuple(notes), names, label_text, letters)


def _only(letters: Letters | None, known: Sequence[str]) -> Letters | None:
    """Letters of these columns; others were made here."""
    return None if letters is None else lambda names: letters([name for name in names if name in known])


def _not_numeric(frame: pd.DataFrame, text: list[str], source: str, wanted: ColumnRoles) -> InputError:
    columns = counted(frame.shape[1], "column")
    are = "is" if len(text) == 1 else "are"
    return InputError(
        f"{source}: {len(text)} of {columns} {are} not numeric ({listed(text)}){_example(frame[text[0]])}; "
        f"{wanted.advice.not_numeric}."
    )


def _example(column: pd.Series) -> str:
    """The first value that is no number: it may be all that is wrong with the column."""
    texts = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
    return "" if texts.empty else f", such as {shown(str(texts.iloc[0]))} in {shown(column.name)}"


def _one_hot(frame: pd.DataFrame, text: list[str], source: str) -> tuple[pd.DataFrame, str]:
    """One column ``name=value`` per value of each text column, in its place; an empty cell has 0 in all of them."""
    many = [c for c in text if frame[c].nunique() > MOST_CATEGORIES]
    if many:
        raise InputError(
            f"{source}: the column {shown(many[0])} has {frame[many[0]].nunique()} different values, too many for "
            "--one-hot; leave it out with --ignore."
        )
    parts = [
        pd.get_dummies(frame[c], prefix=c, prefix_sep="=", dtype=float) if c in text else frame[[c]] for c in frame
    ]
    wide = pd.concat(parts, axis=1)
    twice = wide.columns[wide.columns.duplicated()]
    if len(twice):
        raise InputError(f"{source}: --one-hot makes a second column {shown(twice[0])}; rename the first.")
    made = counted(wide.shape[1] - frame.shape[1] + len(text), "column")
    return wide, f"{counted(len(text), 'text column')} became {made} of 0 and 1"
