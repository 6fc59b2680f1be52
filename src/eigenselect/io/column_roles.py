"""Which columns of a table are labels, names, numbers or text, and the table that this makes of a data frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray, FloatArray
from eigenselect.exceptions import InputError, agreeing, counted, listed, shown
from eigenselect.io.duplicates import only
from eigenselect.io.errors import OPTIONS, Advice, find_name
from eigenselect.io.identifiers import Identifiers, identifiers
from eigenselect.io.labels import labels_of, text_of
from eigenselect.io.table import Letters, Table
from eigenselect.io.text import UNNAMED, text_columns
from eigenselect.io.text_layout import is_number

#: what a column without a name is called
NO_NAME = re.compile(r"Unnamed: \d+")
#: the same of a column that pandas saved as an index before: numbers of rows, which name nobody
ROW_NUMBERS = re.compile(rf"{NO_NAME.pattern}(-\d+)?")
#: values of a text column beyond which it is no category
MOST_CATEGORIES = 1000


class NotNumericError(InputError):
    """Columns of text where numbers are needed; ``columns`` are the names of all columns, of text and of numbers."""

    def __init__(self, text: str, columns: Sequence[str]) -> None:
        super().__init__(text)
        self.columns = columns


@dataclass(frozen=True)
class ColumnRoles:
    """Hold what the caller says of the columns.

    Attributes
    ----------
    label, samples : str, optional
        Columns with the labels and the names of the samples.
    ignore : sequence of str
        Columns to leave out; an entry is a name, or several with commas between.
    one_hot : bool
        Whether text becomes columns of 0 and 1.
    names_first : bool
        Take the names of samples that the format has a place for, or else the first column.
    describes : bool
        The table says what is known of samples: its columns are no features, and all go to `Table.covariates` as they
        are.
    keeps_text : bool
        Columns of text are not refused but left out of X, as in a sheet with features in rows; all columns go to
        `Table.covariates`.
    duplicates : {"error", "first", "suffix", "mean"}
        What is done with features of equal names; see `eigenselect.io.duplicates`.
    advice : Advice
        What messages tell people to do.

    Examples
    --------
    >>> roles = ColumnRoles(label="class", ignore=["id,batch"])
    >>> sorted(roles.ignored(["id", "batch", "x", "class"], "x.csv", "column"))
    ['batch', 'id']
    """

    label: str | None = None
    ignore: Sequence[str] = ()
    samples: str | None = None
    one_hot: bool = False
    names_first: bool = False
    describes: bool = False
    keeps_text: bool = False
    duplicates: str = "error"
    advice: Advice = OPTIONS

    def check(self, source: str) -> None:
        """Refuse a column with two roles; lists of ignored columns are looked at when the columns are known."""
        self.check_ignored(self.ignore, source)
        if self.samples is not None and self.samples == self.label:
            raise InputError(f"{source}: {shown(self.label)} is both the names and the label; name it once.")

    def check_ignored(self, ignored: Sequence[str] | set[str], source: str) -> None:
        """Refuse to leave out the labels or the names."""
        for column, what in ((self.label, "the label"), (self.samples, "the names")):
            if column is not None and column in ignored:
                raise InputError(f"{source}: {shown(column)} is both {what} and ignored; name it once.")

    def ignored(self, names: Sequence[str], source: str, what: str) -> set[str]:
        """Find the columns to leave out: each entry is one name, or several with commas between.

        An entry that is itself a name is that name, even with a comma in it.
        """
        dropped: set[str] = set()
        for entry in self.ignore:
            parts = [entry] if entry in names else [part.strip() for part in entry.split(",") if part.strip()]
            dropped.update(find_name(part, names, source, what) for part in parts)
        return dropped


def from_frame(
    frame: pd.DataFrame,
    source: str,
    roles: ColumnRoles,
    sample_names: AnyArray | None = None,
    letters: Letters | None = None,
    repeated: Mapping[str, str] | None = None,
) -> Table:
    """Make a table of a frame, of which each column gets one role.

    Ignored columns are left out first. A first column without a name, or of text that tells samples apart, and the
    named columns become names of samples and labels. Dates and ids are left out, see `eigenselect.io.identifiers`. All
    others are features: they must hold numbers, or become columns of 0 and 1.

    Parameters
    ----------
    frame : DataFrame
        It may be changed.
    source : str
        What messages call the file.
    roles : ColumnRoles
    sample_names : ndarray, optional
        Names of the samples, where known; they give way to those of a column.
    letters : callable, optional
        Reads columns of the frame as they are written.
    repeated : mapping, optional
        What the file calls the columns that share a name, see `eigenselect.io.duplicates.told_apart`.

    Raises
    ------
    InputError
        If a column has two roles, all labels are missing, or a feature is text without ``one_hot``, or text of more
        than 1000 values.

    Examples
    --------
    >>> frame = pd.DataFrame({"class": ["a", "b"], "hue": ["white", "red"], "ash": [2.4, 2.1]})
    >>> table = from_frame(frame, "x.csv", ColumnRoles(label="class", one_hot=True))
    >>> table.feature_names, table.y.tolist()
    (('hue=red', 'hue=white', 'ash'), ['a', 'b'])
    >>> table.notes
    ('1 text column became 2 columns of 0 and 1',)
    """
    frame.columns = frame.columns.map(str)
    if roles.describes:
        return Table(np.empty((len(frame), 0)), (), sample_names=sample_names, covariates=frame)
    repeated = {} if repeated is None else repeated
    frame = _without_ignored(frame, source, roles, repeated)
    frame, notes = _without_empty(frame)
    y, label_text = None, None
    named = None if roles.samples is None else text_of(frame.pop(roles.samples))
    if UNNAMED in frame.columns[:1]:
        sample_names = text_of(frame.pop(UNNAMED))
        notes.append("the first column has no name; taken for names of samples and left out")
    names = sample_names if named is None else named
    if roles.label is not None:
        label_text = text_of(frame.pop(roles.label))
        y = labels_of(label_text, roles.label, source)
    if roles.keeps_text:
        return _with_text(frame, names, letters, roles.samples)
    table = replace(_measured(frame, source, roles, names, letters), y=y, label_text=label_text, repeated=repeated)
    return replace(table, notes=(*notes, *table.notes))


def _without_empty(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out columns with neither a name nor a value, as separators at the ends of all lines make them."""
    unnamed = [name for name in frame.columns[1:] if NO_NAME.fullmatch(name)]
    empty = [name for name in unnamed if frame[name].isna().all()]
    if not empty:
        return frame, []
    return frame.drop(columns=empty), [f"{counted(len(empty), 'column')} without name and values left out"]


def _measured(
    frame: pd.DataFrame, source: str, roles: ColumnRoles, names: AnyArray | None, letters: Letters | None
) -> Table:
    """Make a table of what is left beside labels: leave out what is no measurement, and spread text if asked."""
    found = _identifiers(frame, names, roles)
    names = names if found.names is None else text_of(frame[found.names])
    notes, telling = found.notes(), [name for name in found.ids if not ROW_NUMBERS.fullmatch(name)]
    ids = frame[telling] if telling else None
    frame = frame.drop(columns=found.columns) if found.columns else frame
    text = text_columns(frame)
    if text and not roles.one_hot:
        raise _not_numeric(frame, text, source, roles)
    if text:
        letters = only(letters, [name for name in frame.columns if name not in text])
        frame, note = _one_hot(frame, text, source)
        notes.append(note)
    X = _numbers(frame)
    notes += _no_header(list(frame.columns), X)
    table = Table(X, tuple(frame.columns), notes=tuple(notes), sample_names=names, letters=letters)
    return replace(table, ids=ids, samples_name=found.names)


def _no_header(names: list[str], X: FloatArray) -> list[str]:
    """Note that the names of all features are numbers that stand among the values, as in a file without a header.

    Names such as wavelengths or numbers of genes lie beyond the values; 0, 1, 2, … and 1, 2, 3, … number the columns.

    >>> _no_header(["5.1", "3.5"], np.array([[4.9, 3.0], [7.0, 3.6]]))
    ["the names of all features are numbers ('5.1', '3.5'); if they are a sample, put a row of names above them"]
    """
    if len(names) < 2 or not len(X) or not all(map(is_number, names)):
        return []
    first = np.array([float(name.replace(",", ".")) for name in names])
    among = (first >= np.fmin.reduce(X)) & (first <= np.fmax.reduce(X))
    if np.all(np.diff(first) == 1) or among.mean() < 0.5:
        return []
    return [
        f"the names of all features are numbers ({listed(names, most=3)}); if they are a sample, "
        "put a row of names above them"
    ]


def _without_ignored(frame: pd.DataFrame, source: str, roles: ColumnRoles, repeated: Mapping[str, str]) -> pd.DataFrame:
    """Leave the ignored columns out, all of those that share a name; refuse labels and names that stand twice."""
    for column, what in ((roles.label, "label"), (roles.samples, "samples")):
        if column is not None and column in repeated:
            raise InputError(
                f"{source}: the column {shown(column)} stands more than once, so that --{what} may mean any of them; "
                "make the names unique."
            )
    dropped = roles.ignored([*frame.columns, *repeated.values()], source, "column")
    dropped |= {name for name, stands in repeated.items() if stands in dropped}
    roles.check_ignored(dropped, source)
    return frame.drop(columns=list(dropped)) if dropped else frame


def _with_text(frame: pd.DataFrame, names: AnyArray | None, letters: Letters | None, called: str | None) -> Table:
    """Make a table of the columns of numbers, with all columns as covariates."""
    text = text_columns(frame)
    numbers = frame.drop(columns=text) if text else frame
    table = Table(_numbers(numbers), tuple(numbers.columns), sample_names=names, letters=letters)
    return replace(table, covariates=frame, samples_name=called)


def _numbers(frame: pd.DataFrame) -> FloatArray:
    return np.ascontiguousarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))


def _identifiers(frame: pd.DataFrame, names: AnyArray | None, roles: ColumnRoles) -> Identifiers:
    """Find what is no measurement; in other tables than the one that is ranked, each column has its place already.

    A first column of names is no reason to leave it out if other text must be refused: it is then named there, too.
    """
    if roles.names_first:
        return Identifiers(None, [], [], [])
    text = text_columns(frame)
    found = identifiers(frame, text, named=names is not None, spread=roles.one_hot)
    refused = not roles.one_hot and not set(text) <= set(found.columns)
    return replace(found, names=None) if refused else found


def _not_numeric(frame: pd.DataFrame, text: list[str], source: str, roles: ColumnRoles) -> NotNumericError:
    """Make the error for columns of text, with an example."""
    columns = counted(frame.shape[1], "column")
    are = "is" if len(text) == 1 else "are"
    correct = _correct(frame[text[0]]) if roles.advice is OPTIONS else ""  # of other tables the advice is no list
    turned = roles.advice.features_in_rows if _has_features_in_rows(frame, text) else ""
    return NotNumericError(
        f"{source}: {len(text)} of {columns} {are} not numeric ({listed(text)}){_example(frame[text[0]])}; "
        f"{correct}{turned}{roles.advice.not_numeric}.",
        list(frame.columns),
    )


def _has_features_in_rows(frame: pd.DataFrame, text: list[str]) -> bool:
    """Tell whether text stands before numbers, in more rows than columns, as names and descriptions of features do."""
    if text != list(frame.columns[: len(text)]) or not len(frame) > frame.shape[1] > 1:
        return False
    first, last = (pd.to_numeric(frame.iloc[:, j], errors="coerce").notna().mean() for j in (0, -1))
    return bool(first == 0 and last > 0.5)  # a row of classes makes text of columns of numbers


def _example(column: pd.Series) -> str:
    """Show the first value that is no number: it may be all that is wrong with the column."""
    texts = _no_numbers(column)
    return "" if texts.empty else f", such as {shown(str(texts.iloc[0]))} in {shown(column.name)}"


def _correct(column: pd.Series) -> str:
    """Say that some cells may be corrected, where the others are numbers.

    >>> _correct(pd.Series(["0.5", "0.7", "<0.1"], name="ash"))
    "correct the 1 cell of 3 in 'ash' that is no number, or leave it empty, or "
    """
    wrong = len(_no_numbers(column))
    if 2 * wrong >= column.notna().sum():
        return ""
    cells = agreeing(wrong, f"{wrong} cell[|s] of {len(column)} in {shown(column.name)} that [is|are] no number[|s]")
    return f"correct the {cells}, or leave {agreeing(wrong, '[it|them]')} empty, or "


def _no_numbers(column: pd.Series) -> pd.Series:
    """Take the cells that hold something, but no number."""
    return column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]


def _one_hot(frame: pd.DataFrame, text: list[str], source: str) -> tuple[pd.DataFrame, str]:
    """Make one column ``name=value`` per value of each text column, in its place; an empty cell has 0 in all."""
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
