"""Labels and covariates from a second file, whose rows are matched with the samples of the table by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, counted, listed, shown_path
from eigenselect.io.errors import find_name
from eigenselect.io.labels import labels_of, missing_by_name, text_of
from eigenselect.io.table import Table


def split_spec(spec: str) -> tuple[str, str | None]:
    """Split FILE[:COLUMNS]; the file is the shortest part before a colon that exists, as names may hold colons.

    >>> split_spec("labels.csv:type"), split_spec("labels.csv")
    (('labels.csv', 'type'), ('labels.csv', None))
    """
    places = [place for place, letter in enumerate(spec) if letter == ":" and place > 0]
    found = [place for place in places if os.path.exists(spec[:place])]
    if os.path.exists(spec) or not places:
        return spec, None
    place = found[0] if found else places[-1]
    return spec[:place], spec[place + 1 :] or None


def with_labels(table: Table, sheet: Table, column: str | None, source: str, other: str) -> Table:
    """Give a table the labels of another file.

    Parameters
    ----------
    table : Table
        With names of samples.
    sheet : Table
        What the other file says of samples: their names, and `Table.covariates` with all its columns.
    column : str, optional
        The labels; not needed if there is only one column beside the names.
    source, other : str
        What messages call the two files.
    """
    names, frame = _names_and_columns(sheet, other)
    if column is None and frame.shape[1] != 1:
        raise InputError(
            f"{other}: has {counted(frame.shape[1], 'column')} beside the names of samples "
            f"({listed(frame.columns)}); name the labels, {other}:COLUMN."
        )
    name = str(frame.columns[0]) if column is None else find_name(column, list(frame.columns), other, "column")
    rows, notes = matched(table, names, source, other, "label")
    given = text_of(frame[name])
    text = np.where(rows >= 0, given[rows], "").astype(object)
    notes = (*table.notes, *notes, *missing_by_name(text))
    return replace(table, y=labels_of(text, name, other), label_text=text, label_name=name, notes=notes)


def with_covariates(table: Table, sheet: Table, columns: str | None, source: str, other: str) -> Table:
    """Give a table the covariates of another file; all columns beside the names, or those with commas between."""
    names, frame = _names_and_columns(sheet, other)
    asked = list(frame.columns) if columns is None else [part.strip() for part in columns.split(",")]
    chosen = [find_name(part, list(frame.columns), other, "column") for part in asked]
    rows, notes = matched(table, names, source, other, "covariate")
    missing = int((rows < 0).sum())
    if missing:
        raise InputError(f"{other}: {counted(missing, 'sample')} of {source} have no covariates; add or drop them.")
    given = frame[chosen].iloc[rows].reset_index(drop=True)
    return replace(table, covariates=given, notes=(*table.notes, *notes))


def matched(table: Table, names: AnyArray, source: str, other: str, what: str) -> tuple[AnyArray, Sequence[str]]:
    """Find the row of each sample in the other file, -1 where there is none, and what to say about the rest."""
    if table.sample_names is None:
        raise InputError(f"{source}: has no names of samples to find in {other}; name their column with --samples.")
    rows = pd.Index(names).get_indexer(pd.Index(table.sample_names))
    return rows, []


def _names_and_columns(sheet: Table, other: str) -> tuple[AnyArray, pd.DataFrame]:
    """Take the names of samples that the format has a place for, or else the first column."""
    frame = sheet.covariates
    if frame is None:
        raise InputError(f"{shown_path(other)}: holds no columns that describe samples.")
    if sheet.sample_names is not None:
        return sheet.sample_names, frame
    return text_of(frame.iloc[:, 0]), frame.iloc[:, 1:]
