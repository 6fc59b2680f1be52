"""Readers of tables in every format. Nothing is ever unpickled."""

from __future__ import annotations

import lzma
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.arrays import from_arrays, mat_arrays, npz_arrays, without_columns
from eigenselect.io.formats import FORMATS
from eigenselect.io.labels import labels_of, missing_by_name, text_of
from eigenselect.io.prepare import imputed
from eigenselect.io.table import Table, find_name, first_sentence, near_names
from eigenselect.io.text import COMPRESSED, UNNAMED, TextTable
from eigenselect.io.wanted import Wanted

#: values of a text column beyond which it is no category
MOST_CATEGORIES = 1000
SPREADSHEETS = ("xls", "xlsx", "ods")
#: warnings that say nothing of the data
FOR_PROGRAMMERS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    FutureWarning,
    ResourceWarning,
    ImportWarning,
    pd.errors.PerformanceWarning,
)


def read_table(
    path: str,
    *,
    label: str | None = None,
    ignore: Sequence[str] = (),
    samples: str | None = None,
    one_hot: bool = False,
    impute: bool = False,
    file_format: str | None = None,
) -> Table:
    """Read a table; the label, the sample names and ignored columns are not among its features.

    Parameters
    ----------
    path : str
        A file, or ``-`` for standard input (csv unless ``file_format`` says tsv).
    label : str, optional
        Column (csv, tsv) or array (npz, mat) with the labels.
    ignore : sequence of str
        Columns to leave out.
    samples : str, optional
        Column or array with the names of the samples.
    one_hot : bool, default=False
        Turn each text column into one 0/1 column per value; refused otherwise.
    impute : bool, default=False
        Fill missing values with the median of their column; refused otherwise.
    file_format : {"csv", "tsv", "parquet", "npz", "mat", "h5ad"}, optional
        Taken from the ending (``.gz``, ``.bz2`` and ``.xz`` of csv and tsv too) if not given.
    """
    source = "standard input" if path == "-" else path
    wanted = Wanted(label, ignore, samples, one_hot)
    wanted.check(source)
    kind = file_format or ("csv" if path == "-" else _format_of(path))
    if path != "-":
        _check_file(path)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = _READERS[kind](path, source, wanted)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{source}: cannot be read as {kind} ({first_sentence(error)}).") from None
    table = replace(table, notes=(*table.notes, *_said_by_libraries(caught)))
    return (imputed(table, source) if impute else table).check(source)


def _said_by_libraries(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """What libraries warn of, once each; what they say to programmers is left out."""
    meant = [warning.message for warning in caught if not issubclass(warning.category, FOR_PROGRAMMERS)]
    return list(dict.fromkeys(first_sentence(message) for message in meant if isinstance(message, Warning)))


def _format_of(path: str) -> str:
    suffixes = [s.lower().lstrip(".") for s in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    kind = {"txt": "tsv", "tab": "tsv"}.get(suffixes[-1], suffixes[-1]) if suffixes else ""
    if kind in SPREADSHEETS:
        raise InputError(f"{path}: is a spreadsheet; save the sheet as csv (in UTF-8) and name that file.")
    if kind not in FORMATS:
        raise InputError(f"{path}: the ending says none of {', '.join(FORMATS)}; name the format with --format.")
    return kind


def _check_file(path: str) -> None:
    file = Path(path)
    if not file.exists():
        raise InputError(f"{path}: there is no such file{_instead_of(file)}")
    if file.is_dir():
        raise InputError(f"{path}: is a directory; name a file.")
    if file.is_file() and file.stat().st_size == 0:  # a pipe has no size
        raise InputError(f"{path}: is empty (0 bytes).")


def _instead_of(missing: Path) -> str:
    """What to say of a missing file's neighbours."""
    if not missing.parent.is_dir():
        return f", nor a directory {str(missing.parent)!r}."
    near = near_names(missing.name, [path.name for path in missing.parent.iterdir()])
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else "."


# -- csv and tsv -----------------------------------------------------------------------------


def _read_text(path: str, source: str, separator: str, wanted: Wanted) -> Table:
    as_text = [column for column in (wanted.label, wanted.samples) if column is not None]
    return _from_frame(TextTable(path, source, separator).frame(as_text), source, wanted)


def _from_frame(frame: pd.DataFrame, source: str, wanted: Wanted, sample_names: NDArray[Any] | None = None) -> Table:
    """A table of a frame; the names of its samples, where known, give way to those of a column."""
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
    text = [c for c, kind in zip(frame.columns, frame.dtypes, strict=True) if not pd.api.types.is_numeric_dtype(kind)]
    if text and wanted.one_hot:
        frame, note = _one_hot(frame, text, source)
        notes.append(note)
    elif text:
        listed = ", ".join(map(repr, text[:5])) + (", …" if len(text) > 5 else "")
        raise InputError(
            f"{source}: {len(text)} of {frame.shape[1]} columns are not numeric ({listed}){_example(frame[text[0]])}; "
            "name the labels with --label, the samples' names with --samples, leave columns out with --ignore, or make "
            "0/1 columns of them with --one-hot."
        )
    X = np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
    names = sample_names if named is None else named
    return Table(X, tuple(frame.columns), y, tuple(notes), names, label_text)


def _example(column: pd.Series) -> str:
    """The first value that is no number: it may be all that is wrong with the column."""
    texts = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
    if texts.empty:
        return ""
    value = str(texts.iloc[0])
    return f", such as {value[:40] + '…' * (len(value) > 40)!r} in {column.name!r}"


def _one_hot(frame: pd.DataFrame, text: list[str], source: str) -> tuple[pd.DataFrame, str]:
    """One column ``name=value`` per value of each text column, in its place; an empty cell has 0 in all of them."""
    many = [c for c in text if frame[c].nunique() > MOST_CATEGORIES]
    if many:
        raise InputError(
            f"{source}: the column {many[0]!r} has {frame[many[0]].nunique()} different values, too many for "
            "--one-hot; leave it out with --ignore."
        )
    parts = [
        pd.get_dummies(frame[c], prefix=c, prefix_sep="=", dtype=float) if c in text else frame[[c]] for c in frame
    ]
    wide = pd.concat(parts, axis=1)
    return wide, f"{len(text)} text columns became {wide.shape[1] - frame.shape[1] + len(text)} columns of 0 and 1"


# -- parquet and h5ad ------------------------------------------------------------------------


def _read_parquet(path: str, source: str, wanted: Wanted) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{source}: parquet needs pyarrow; pip install 'eigenselect[io]'.") from None
    try:
        frame = pyarrow.parquet.read_table(path).to_pandas()
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise InputError(f"{source}: is not a parquet file ({first_sentence(error)}).") from None
    frame, names, notes = _without_index(frame, wanted)
    columns = [str(name) for name in frame.columns]
    for column in (wanted.label, wanted.samples):
        if column is not None:
            find_name(column, columns, source, "column")
    table = _from_frame(frame, source, wanted, names)
    return replace(table, notes=(*notes, *table.notes))


def _without_index(frame: pd.DataFrame, wanted: Wanted) -> tuple[pd.DataFrame, NDArray[Any] | None, list[str]]:
    """The frame with those levels of its index as columns that were asked for; the others are names of samples."""
    asked = {wanted.label, wanted.samples, *(part.strip() for entry in wanted.ignore for part in entry.split(","))}
    levels = [n for n in frame.index.names if n is not None and str(n) in asked and n not in frame.columns]
    frame = frame.reset_index(level=levels) if levels else frame
    index = frame.index
    if isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index))):
        return frame, None, []
    if isinstance(index, pd.MultiIndex):
        names = np.array(["/".join(map(str, key)) for key in index], dtype=object)
    else:
        names = text_of(index.to_series())
    called = [str(name) for name in index.names if name is not None]
    notes = [f"the index ({', '.join(map(repr, called))}) is taken for names of samples"] if called else []
    return frame.reset_index(drop=True), names, notes


def _read_h5ad(path: str, source: str, wanted: Wanted) -> Table:
    """X of an AnnData file; labels are a column of its table of observations."""
    try:
        import anndata
    except ImportError:
        raise InputError(f"{source}: h5ad needs anndata; pip install 'eigenselect[anndata]'.") from None
    data = anndata.read_h5ad(path)
    if data.X is None:
        raise InputError(f"{source}: holds no matrix X.")
    X = sparse.csr_array(data.X) if sparse.issparse(data.X) else np.asarray(data.X)
    labels, names = (_observed(data.obs, column, source) for column in (wanted.label, wanted.samples))
    table = Table(
        X,
        tuple(map(str, data.var_names)),
        None if labels is None else labels_of(labels, str(wanted.label), source),
        () if labels is None else tuple(missing_by_name(labels)),
        np.asarray(data.obs_names, dtype=object) if names is None else names,
        labels,
    )
    return without_columns(table, wanted, source)


def _observed(observations: pd.DataFrame, column: str | None, source: str) -> NDArray[Any] | None:
    """A column of the table of observations, or its index, as text."""
    if column is None:
        return None
    if column == observations.index.name and column not in observations:
        return text_of(observations.index.to_series())
    return text_of(observations[find_name(column, list(map(str, observations.columns)), source, "column of obs")])


_READERS: dict[str, Callable[[str, str, Wanted], Table]] = {
    "csv": lambda path, source, wanted: _read_text(path, source, ",", wanted),
    "tsv": lambda path, source, wanted: _read_text(path, source, "\t", wanted),
    "npz": lambda path, source, wanted: from_arrays(npz_arrays(path), source, wanted),
    "mat": lambda path, source, wanted: from_arrays(mat_arrays(path), source, wanted),
    "parquet": _read_parquet,
    "h5ad": _read_h5ad,
}
