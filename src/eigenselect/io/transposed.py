"""Tables with features in rows and samples in columns: turned, or told from others.

A sheet (csv, xlsx, parquet …) has the names of features in its first column or index, and a sample in each other
column::

    gene,description,s1,s2
    class,,tumour,normal
    TP53,tumor protein p53,3.5,4.1

Columns of text that describe features, and places on chromosomes, are left out; rows of text are labels, or become
columns of 0 and 1. Where all samples are numbers they are parsed as columns and turned at once; only a row of text,
which makes text of every column, costs a second look at the cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray, BoolArray, FloatArray
from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.column_roles import ColumnRoles, from_frame
from eigenselect.io.duplicates import told_apart
from eigenselect.io.errors import find_name
from eigenselect.io.labels import text_of
from eigenselect.io.marked_columns import with_points
from eigenselect.io.number_marks import decimal_shown
from eigenselect.io.table import Letters, Table
from eigenselect.io.text import WRITTEN, numbers_of, text_columns

#: formats of columns, which may be text and numbers
FRAMES = ("csv", "tsv", "parquet", "xlsx", "feather", "arrow")
#: columns of numbers that say where a gene lies, as programs that count reads write them
PLACES = ("chr", "start", "end", "strand", "length", "entrezid", "entrez_id", "entrezgene", "gene_length")


def sheet_roles(roles: ColumnRoles) -> ColumnRoles:
    """Give the roles with which a sheet is read before it is turned: samples are columns, and must be told apart."""
    advice = replace(roles.advice, duplicates="its columns are samples, which must be told apart, so make them unique")
    return ColumnRoles(names_first=True, keeps_text=True, advice=advice)


def from_features_in_rows(sheet: Table, source: str, roles: ColumnRoles) -> Table:
    """Make a table of a sheet with a row for each feature.

    Parameters
    ----------
    sheet : Table
        Read by `sheet_roles`: rows are features.
    source : str
        What messages call the file.
    roles : ColumnRoles
        Of the rows. Ignored are rows, or columns of the file; if that is the first one, the next column of text has the
        names of the features.

    Examples
    --------
    >>> frame = pd.DataFrame({"gene": ["TP53", "MYC"], "about": ["a protein", "a factor"], "s1": [1, 2], "s2": [3, 4]})
    >>> roles = replace(sheet_roles(ColumnRoles()), samples="gene")
    >>> table = from_features_in_rows(from_frame(frame, "x.csv", roles), "x.csv", ColumnRoles())
    >>> table.feature_names, table.sample_names.tolist(), table.X.tolist()
    (('TP53', 'MYC'), ['s1', 's2'], [[1.0, 2.0], [3.0, 4.0]])
    >>> table.notes
    ("1 column that describes features ('about') left out",)
    """
    cut = _cut(sheet, source, roles)
    names, repeated = told_apart(cut.features, source, roles.duplicates, roles.advice, "name of features")
    letters = _letters_of_rows(cut, names)
    for row in (roles.label, roles.samples):
        if row is not None:
            find_name(row, names, source, "row")
    frame = _turned(cut, names, letters)
    named = [row for row in (roles.label, roles.samples) if row is not None]
    if letters is not None and named and not _is_written(frame[named], cut):
        written = letters(named)
        frame = frame.assign(**{row: written[row].to_numpy() for row in named if row in written})
    samples = np.array(cut.columns, dtype=object)
    table = from_frame(frame, source, replace(roles, ignore=cut.ignored), samples, letters, repeated)
    told = (note.replace("names of samples", "names of features") for note in sheet.notes)
    return replace(table, notes=(*told, *cut.notes, *table.notes))


@dataclass(frozen=True)
class _Cut:
    """A sheet without the columns that are no samples.

    ``columns`` are its samples in the order of the file; ``frame`` has their cells, ``text`` says which hold text.
    """

    features: list[str]
    columns: list[str]
    frame: pd.DataFrame
    text: list[str]
    ignored: tuple[str, ...]
    notes: tuple[str, ...]
    letters: Letters | None


def _cut(sheet: Table, source: str, roles: ColumnRoles) -> _Cut:
    """Leave out ignored columns and those that describe features; find the names of the features."""
    frame = pd.DataFrame() if sheet.covariates is None else sheet.covariates
    known = {sheet.samples_name, *frame.columns}
    parts = [part.strip() for entry in roles.ignore for part in ([entry] if entry in known else entry.split(","))]
    ignored = set(parts) & known
    text = [name for name in frame.columns if name not in sheet.feature_names and name not in ignored]
    names = sheet.sample_names
    if sheet.samples_name in ignored and text:
        names = text_of(frame[text[0]])
        ignored.add(text.pop(0))
    features = _checked_features(names, source)
    about = [name for name in text if _describes(frame[name])]
    where = [name for name in sheet.feature_names if name.lower() in PLACES]
    empty = [
        name for name, x in zip(sheet.feature_names, sheet.X.T, strict=True) if np.isnan(x[:1]) and np.isnan(x).all()
    ]
    left = [name for name in frame.columns if name in {*about, *where, *empty} - ignored]
    columns = [name for name in frame.columns if name not in {*ignored, *left}]
    if not columns:
        raise InputError(f"{source}: has no column of numbers beside the names of features; leave out --transpose?")
    describe = "column that describes" if len(left) == 1 else "columns that describe"
    notes = (f"{len(left)} {describe} features ({listed(left)}) left out",) if left else ()
    rest = tuple(part for part in parts if part not in ignored)
    return _Cut(features, columns, frame, [n for n in text if n not in about], rest, notes, sheet.letters)


def _checked_features(names: AnyArray | None, source: str) -> list[str]:
    """Give the names of features; refuse measurements in their place."""
    features = [] if names is None else [str(name) for name in names]
    numbers = numbers_of(features)
    if not features or (numbers is not None and (numbers % 1 != 0).any()):
        raise InputError(
            f"{source}: a table with features in rows needs their names in its first column, got "
            f"{'none' if not features else 'numbers such as ' + shown(features[0])}; leave out --transpose if samples "
            "stand in rows."
        )
    return features


def _describes(column: pd.Series) -> bool:
    """Tell text about features from a sample with some cells of text: most of its cells are no numbers."""
    given = [cell for cell in text_of(column[:: 1 + len(column) // 1000]) if cell]
    return 2 * sum(WRITTEN.fullmatch(cell) is not None for cell in given) < len(given)


def _turned(cut: _Cut, names: Sequence[str], letters: Letters | None) -> pd.DataFrame:
    """Make a frame with a column for each feature: of numbers if all its cells are, or else of text as written."""
    frame = cut.frame if len(cut.columns) == cut.frame.shape[1] else cut.frame[cut.columns]
    if not cut.text:
        return pd.DataFrame(frame.to_numpy(dtype=np.float64, na_value=np.nan).T, columns=list(names))
    cells = {name: text_of(frame[name]) for name in cut.columns}
    rows = _rows_of_numbers([cells[name] for name in cut.text])
    numbers = [_numbers(cells[name][rows]) if name in cut.text else _floats(frame[name])[rows] for name in cut.columns]
    whole = pd.DataFrame(np.stack(numbers), columns=list(compress(names, rows)))
    others = pd.DataFrame(np.stack([cells[name][~rows] for name in cut.columns]))
    others.columns = pd.Index(list(compress(names, ~rows)))
    if letters is not None and len(cut.text) < len(cut.columns):  # 007 in a column of numbers
        others = letters(list(others.columns)).where(others != "", "")
    return pd.concat([others.replace("", np.nan), whole], axis=1)[list(names)]


def _is_written(rows: pd.DataFrame, cut: _Cut) -> bool:
    """Tell whether labels are as written already: 007 in a column of numbers is 7, and a class called NA is missing."""
    text = len(text_columns(rows)) == rows.shape[1] and len(cut.text) == len(cut.columns)
    return text and not rows.isna().to_numpy().any()


def _floats(column: pd.Series) -> FloatArray:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _numbers(cells: AnyArray) -> FloatArray:
    """Read cells of which each is a number, or empty and then NaN."""
    return np.array([float(cell) if cell else np.nan for cell in cells])


def _rows_of_numbers(columns: Sequence[AnyArray]) -> BoolArray:
    """Find the rows in which every cell is a number or empty, and not all are empty."""
    fits = np.array([[not cell or WRITTEN.fullmatch(cell) is not None for cell in cells] for cells in columns])
    given = np.array([cells != "" for cells in columns])
    return np.asarray(fits.all(axis=0) & given.any(axis=0))


def _letters_of_rows(cut: _Cut, names: Sequence[str]) -> Letters | None:
    """Read the cells of some features as they are written; of none, if a column has no letters."""
    letters, places = cut.letters, {name: place for place, name in enumerate(names)}
    if letters is None:
        return None

    def read(wanted: Sequence[str]) -> pd.DataFrame:
        cells = letters(cut.columns)
        known = [name for name in wanted if name in places] if list(cells.columns) == cut.columns else []
        rows = cells.to_numpy(dtype=object)[[places[name] for name in known]] if known else np.empty((0, 0))
        found = pd.DataFrame(dict(zip(known, rows, strict=True)))
        # the other rows may have shown that a comma is no mark between thousands
        return with_points(found) if decimal_shown(cells) == "," != decimal_shown(found) else found

    return read


def transposed_table(table: Table, source: str, kind: str) -> Table:
    """Exchange samples and features of a table whose format names both.

    Refuse what the file says of its rows, which are no samples then, and formats that say which are genes.
    """
    default = table.feature_names == tuple(f"x{j}" for j in range(len(table.feature_names)))
    if kind not in ("h5ad", "h5mu") and not (table.sample_names is None and default):
        raise InputError(f"{source}: its files say which are genes, and these are the features; leave out --transpose.")
    if table.y is not None:
        raise InputError(f"{source}: labels of a transposed table come from another file, --labels FILE:COLUMN.")
    refuse_of_rows(source, graph=table.graph is not None, places=table.places is not None)
    names = table.sample_names
    features = tuple(f"x{j}" for j in range(table.X.shape[0])) if names is None else tuple(map(str, names))
    samples = None if default else np.array(table.feature_names, dtype=object)
    return Table(table.X.T, features, notes=table.notes, sample_names=samples)


def refuse_of_rows(source: str, *, graph: bool, places: bool) -> None:
    """Refuse a graph and coordinates that the file has of its rows, where these are features."""
    if graph:
        raise InputError(f"{source}: a graph of obsp is one of its rows, which are features; leave out --transpose.")
    if places:
        raise InputError(f"{source}: coordinates of obsm are of its rows, which are features; leave out --transpose.")


# -- tables that look as if they had to be turned ---------------------------------------------

#: rows from which on a table may be one of genes, and how many times as many as columns they must be
FEWEST_ROWS, TIMES = 1000, 10
GENE_COLUMN = re.compile(
    r"(?i)(ensembl|entrez|hgnc|gene|probe(set)?|transcript|protein|feature|symbol)s?[\s_.\-]*"
    r"(gene|transcript)?[\s_.\-]*(ids?|names?|symbols?|set(_?id)?)?|id_ref"
)
ENSEMBL = re.compile(r"ENS[A-Z]{0,4}[GTP]\d{11}(\.\d+)?")
BARCODE = re.compile(r".*[ACGT]{12,}.*")


def doubts(table: Table, source: str) -> list[str]:
    """Say that features seem to stand in rows, where nobody said what the rows are.

    Refuse it where a first column that was taken for names of samples says itself that it names genes. Where there are
    1000 rows with names or more, and ten times as many as columns, say it in a note: cells of few measurements look the
    same, unless their names are barcodes.

    >>> genes = np.array(["TP53", "MYC", "EGFR"])
    >>> doubts(Table(np.ones((3, 2)), ("s1", "s2"), sample_names=genes, samples_name="gene"), "x.csv")
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x.csv: the first column 'gene' names genes, so that features stand in rows; use \
--transpose, or --samples gene if each row is a sample.
    """
    if table.sample_names is None:
        return []
    names = [str(name) for name in table.sample_names[:FEWEST_ROWS]]
    called = table.samples_name
    genes = _most(ENSEMBL, names) or (called is not None and GENE_COLUMN.fullmatch(called) is not None)
    if genes and called is not None:
        raise InputError(
            f"{source}: the first column {shown(called)} names genes, so that features stand in rows; use --transpose, "
            f"or --samples {called} if each row is a sample."
        )
    n_samples, n_features = table.X.shape
    many = n_samples >= FEWEST_ROWS and n_samples > TIMES * n_features and not _most(BARCODE, names)
    if not genes and not many:
        return []
    rows, columns = counted(n_samples, "row"), counted(n_features, "column of numbers")
    return [f"{rows} with names such as {shown(names[0])} and {columns}; if features stand in rows, use --transpose"]


def _most(pattern: re.Pattern[str], names: Sequence[str]) -> bool:
    return 2 * sum(pattern.fullmatch(name) is not None for name in names) > len(names)
