"""Labels and covariates from a second file, whose rows are matched with the samples of the table by name.

Names are compared letter by letter, and nothing is changed to make them fit. What differs only by blanks, quotation
marks, case, or by what R makes of names, is named in the messages (`eigenselect.io.near_misses`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray, IntArray
from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.duplicates import repeated_names
from eigenselect.io.errors import find_name
from eigenselect.io.labels import LIKE_MISSING, labels_of, text_of
from eigenselect.io.near_misses import near_miss
from eigenselect.io.table import Table, written_ids
from eigenselect.io.text import numbers_of


@dataclass(frozen=True)
class Files:
    """What messages call the table and the other file, and whether the table was turned."""

    table: str
    other: str
    turned: bool = False

    @property
    def asked(self) -> str:
        """The other file as the command line names it."""
        return "-" if self.other == "standard input" else self.other


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


def with_labels(table: Table, sheet: Table, column: str | None, files: Files) -> Table:
    """Give a table the labels of another file; samples that it does not have are without label.

    Parameters
    ----------
    table : Table
    sheet : Table
        What the other file says of samples: `Table.covariates` with all its columns, and names where it has a place
        for them.
    column : str, optional
        The labels; not needed if there is only one column beside the names.
    files : Files

    Raises
    ------
    InputError
        If no sample is in the other file, a name of a sample stands twice, or rows of one name have other labels.

    Examples
    --------
    >>> table = Table(np.eye(3), ("a", "b", "c"), sample_names=np.array(["u", "v", "w"]))
    >>> sheet = Table(np.empty((2, 0)), (), covariates=pd.DataFrame({"id": ["w", "u"], "type": ["x", "y"]}))
    >>> labelled = with_labels(table, sheet, None, Files("x.csv", "y.csv"))
    >>> labelled.label_text.tolist(), labelled.notes
    (['y', '', 'x'], ("1 of 3 samples has no label in y.csv ('v')",))
    """
    frame = _columns(sheet, files)
    wanted = [] if column is None else [find_name(column, list(frame.columns), files.other, "column")]
    pairs = _match(table, sheet, wanted, files)
    if column is None:
        wanted = [_only_column(frame, pairs, files)]
    _refuse_other_values(frame[wanted], pairs, files)
    given = text_of(frame[wanted[0]])
    text = np.where(pairs.rows >= 0, given[pairs.rows], "").astype(object)
    notes = (*table.notes, *pairs.notes("label", files))
    y = labels_of(text, wanted[0], files.other)
    return replace(table, y=y, label_text=text, label_name=wanted[0], notes=notes)


def with_covariates(table: Table, sheet: Table, columns: str | None, files: Files) -> Table:
    """Give a table the covariates of another file; all columns beside the names, or those with commas between.

    A column of which every cell is a number is one; any other holds categories. Every sample needs a value of each.
    """
    frame = _columns(sheet, files)
    known = list(frame.columns)
    parts = [] if columns is None else [columns] if columns in known else columns.split(",")
    wanted = [find_name(part.strip(), known, files.other, "column") for part in parts]
    pairs = _match(table, sheet, wanted, files)
    wanted = wanted or [name for name in known if name != pairs.column]
    missing = pairs.unmatched
    if missing:
        raise InputError(
            f"{files.other}: {counted(len(missing), 'sample')} of {files.table} {_have(len(missing))} no covariates "
            f"({listed(missing, most=3)}){pairs.hint}; add rows for them, or drop the samples."
        )
    _refuse_other_values(frame[wanted], pairs, files)
    given = frame[wanted].iloc[pairs.rows].reset_index(drop=True)
    _refuse_labels(table, given, files)
    values = pd.DataFrame({name: _numbers_or_categories(given[name], pairs.names, files) for name in wanted})
    return replace(table, covariates=values, notes=(*table.notes, *pairs.notes("covariate", files)))


@dataclass(frozen=True)
class _Pairs:
    """Which row of the other file each sample has, -1 where there is none.

    ``names`` are those of the samples, ``others`` those of the rows; ``column`` has the latter, None for an index;
    ``said`` tells where names were found, if not where they are looked for first.
    """

    names: AnyArray
    others: AnyArray
    column: str | None
    rows: IntArray
    said: tuple[str, ...]

    @property
    def unmatched(self) -> list[str]:
        """Names of the samples that the other file does not have."""
        return [str(name) for name in self.names[self.rows < 0]]

    @property
    def unused(self) -> list[str]:
        """Names of the other file that no sample has."""
        known = set(self.names)
        return [name for name in dict.fromkeys(map(str, self.others)) if name not in known]

    @property
    def hint(self) -> str:
        """Say what keeps names apart that seem to be the same."""
        return near_miss(self.unmatched, self.unused)

    def notes(self, what: str, files: Files) -> list[str]:
        """Count samples without a row, and rows without a sample."""
        said, missing, unused = list(self.said), self.unmatched, self.unused
        if missing:
            of = f"{len(missing)} of {counted(len(self.names), 'sample')} {_have(len(missing))} no {what}"
            said.append(f"{of} in {files.other} ({listed(missing, most=3)}){self.hint}")
        if unused:
            are = "is no sample" if len(unused) == 1 else "are no samples"
            said.append(
                f"{counted(len(unused), 'name')} of {files.other} {are} of the table ({listed(unused, most=3)})"
            )
        return said


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _columns(sheet: Table, files: Files) -> pd.DataFrame:
    if sheet.covariates is None:
        raise InputError(
            f"{files.other}: holds no columns that describe samples, or none was named; give {files.asked}:COLUMN, or "
            "a table with names of samples in its first column."
        )
    return sheet.covariates


def _only_column(frame: pd.DataFrame, pairs: _Pairs, files: Files) -> str:
    others = [str(name) for name in frame.columns if name != pairs.column]
    if len(others) != 1:
        raise InputError(
            f"{files.other}: has {counted(len(others), 'column')} beside the names of samples ({listed(others)}); name "
            f"the labels, {files.asked}:COLUMN."
        )
    return others[0]


def _match(table: Table, sheet: Table, wanted: Sequence[str], files: Files) -> _Pairs:
    """Find the row of each sample, by the names that fit best on both sides."""
    own, others = _own_names(table), _names_of_rows(sheet, wanted)
    if not own:
        raise InputError(
            f"{files.table}: has no names of samples to find in {files.other}; name their column with --samples, or "
            "save them beside the values where the format has a place for them (npz, h5, zarr)."
        )
    key, column = _best(own, others)
    names, rows_of = own[key], others[column]
    index = pd.Index(rows_of)
    first = np.flatnonzero(~index.duplicated())
    found = index[first].get_indexer(pd.Index(names))
    rows = np.where(found >= 0, first[found], -1)
    if (rows < 0).all():
        raise _none_matches(table, others, names, rows_of, files)
    if column is not None and column in set(names) - set(rows_of):
        raise InputError(
            f"{files.other}: its first line names the sample {shown(column)} of {files.table} where the names of its "
            "columns should be; put a line such as sample,label before it."
        )
    repeated = repeated_names([str(name) for name in names])
    if repeated:
        raise InputError(
            f"{files.table}: {counted(len(repeated), 'name')} of samples stand{'s' * (len(repeated) == 1)} more than "
            f"once ({listed(repeated, most=3)}), so that their rows in {files.other} cannot be told; make them unique."
        )
    said = [] if key is None else [f"samples are found in {files.other} by their column {shown(key)}"]
    if column is not None and column != next(iter(others)):
        said.append(f"names of samples are taken from the column {shown(column)} of {files.other}")
    return _Pairs(names, rows_of, column, rows, tuple(said))


def _own_names(table: Table) -> dict[str | None, AnyArray]:
    """Give what samples may be found by: their names, and columns of ids unless a column was named."""
    own: dict[str | None, AnyArray] = {} if table.sample_names is None else {None: table.sample_names}
    named = table.sample_names is not None and table.samples_name is not None
    if table.ids is not None and not named:
        own.update(written_ids(table).items())
    return own


def _names_of_rows(sheet: Table, wanted: Sequence[str]) -> dict[str | None, AnyArray]:
    """Give the columns that may name the samples: an index, then each column in turn."""
    assert sheet.covariates is not None
    found: dict[str | None, AnyArray] = {} if sheet.sample_names is None else {None: sheet.sample_names}
    return found | {str(name): text_of(sheet.covariates[name]) for name in sheet.covariates if name not in wanted}


def _best(own: Mapping[str | None, AnyArray], others: Mapping[str | None, AnyArray]) -> tuple[str | None, str | None]:
    """Choose the pair of names with the most samples in common, the first of equal ones."""
    known = {column: set(names) - {""} for column, names in others.items()}
    pairs = [(key, column) for key in own for column in known]
    counts = [sum(name in known[column] for name in own[key]) for key, column in pairs]
    return pairs[int(np.argmax(counts))] if pairs else (next(iter(own)), None)


def _none_matches(
    table: Table, others: Mapping[str | None, AnyArray], names: AnyArray, rows_of: AnyArray, files: Files
) -> InputError:
    """Make the error of two files with no sample in common; tell features that stand where samples should."""
    if _are_samples([table.repeated.get(name, name) for name in table.feature_names], others):
        return _must_be_turned(files)
    hint = near_miss([str(name) for name in names], [str(name) for name in rows_of])
    do = (
        "write them the same way in both files"
        if hint
        else ("name the column of the samples' names with --samples, or use --transpose if samples stand in columns")
    )
    return InputError(
        f"{files.other}: none of the {counted(len(names), 'sample')} of {files.table} ({listed(names, most=3)}) is "
        f"among its names ({listed(rows_of, most=3)}){hint}; {do}."
    )


def refuse_samples_in_columns(columns: Sequence[str], sheet: Table, files: Files) -> None:
    """Refuse a table whose features, or what would be some, have the names of samples in another file.

    Parameters
    ----------
    columns : sequence of str
        What would be features.
    sheet : Table
        What the other file says of samples, see `with_labels`.
    files : Files
    """
    if sheet.covariates is not None and _are_samples(columns, _names_of_rows(sheet, ())):
        raise _must_be_turned(files)


def _are_samples(features: Iterable[str], others: Mapping[str | None, AnyArray]) -> bool:
    """Tell whether at least half of the names stand where another file has those of samples."""
    names = set(features)
    return any(2 * len(names.intersection(rows)) >= max(2, min(len(names), len(rows))) for rows in others.values())


def _must_be_turned(files: Files) -> InputError:
    where, do = ("rows", "leave out --transpose") if files.turned else ("columns", "use --transpose")
    return InputError(f"{files.table}: its {where} have the names of samples in {files.other}; {do}.")


def _refuse_other_values(frame: pd.DataFrame, pairs: _Pairs, files: Files) -> None:
    """Refuse rows of one name that say different things of a sample."""
    index = pd.Index(pairs.others)
    again = np.flatnonzero(index.duplicated() & index.isin(pairs.names) & (index != ""))
    if not len(again):
        return
    first = np.flatnonzero(~index.duplicated())
    before = first[index[first].get_indexer(index[again])]
    cells = np.column_stack([text_of(frame[name]) for name in frame])
    differ = (cells[again] != cells[before]).any(axis=1)
    names = list(dict.fromkeys(str(name) for name in index[again][differ]))
    if names:
        raise InputError(
            f"{files.other}: {counted(len(names), 'sample')} {_have(len(names))} several rows that do not agree in "
            f"{listed(frame.columns)} ({listed(names, most=3)}); keep one row for each."
        )


def _refuse_labels(table: Table, given: pd.DataFrame, files: Files) -> None:
    """Refuse covariates that are the labels, or the same classes by other names: nothing but rounding would be left."""
    if table.label_text is None:
        return
    labels = pd.factorize(table.label_text)[0]
    for name in given:
        cells = text_of(given[name])
        codes = pd.factorize(cells)[0]
        same_classes = np.array_equal(codes, labels) and codes.max() + 1 < len(codes)
        if same_classes or np.array_equal(cells, table.label_text):
            raise InputError(
                f"{files.other}: the covariate {shown(name)} says the same of the samples as the labels "
                f"{shown(table.label_name)}, and would take away all that is looked for; name the other covariates, "
                f"{files.asked}:COLUMNS."
            )


def _numbers_or_categories(column: pd.Series, names: AnyArray, files: Files) -> AnyArray:
    """Read a covariate as numbers if every cell is one, else as text; refuse missing values, and text that is an id."""
    cells = text_of(column)
    missing = np.array([not cell.strip() or cell.strip().lower() in LIKE_MISSING for cell in cells])
    if missing.any():
        raise InputError(
            f"{files.other}: the covariate {shown(column.name)} has no value for "
            f"{counted(int(missing.sum()), 'sample')} ({listed(names[missing], most=3)}); fill them in, or drop the "
            "samples or the column."
        )
    numbers = numbers_of(cells)
    if numbers is None and len(set(cells)) == len(cells):
        raise InputError(
            f"{files.other}: the covariate {shown(column.name)} has another text for each sample, such as "
            f"{shown(cells[0])}, and would explain everything; name the covariates, {files.asked}:COLUMNS."
        )
    return cells if numbers is None else numbers
