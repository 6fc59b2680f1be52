"""Readers of tables in every format. Nothing is ever unpickled."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.formats import FORMATS
from eigenselect.io.prepare import imputed
from eigenselect.io.table import Table, find_name, near_names
from eigenselect.io.text import COMPRESSED, TextTable

#: values of a text column beyond which it is no category
MOST_CATEGORIES = 1000
SPREADSHEETS = ("xls", "xlsx", "ods")


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
    for one, other, what in ((label, ignore, "the label and ignored"), (samples, [label], "the names and the label")):
        if one is not None and one in other:
            raise InputError(f"{source}: {one!r} is both {what}; name it once.")
    kind = file_format or ("csv" if path == "-" else _format_of(path))
    if path != "-":
        _check_file(path)
    wanted = _Wanted(label, ignore, samples, one_hot)
    try:
        table = _READERS[kind](path, source, wanted)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as error:
        raise InputError(f"{source}: cannot be read as {kind} ({_plain(error)}).") from None
    return (imputed(table, source) if impute else table).check(source)


@dataclass(frozen=True)
class _Wanted:
    """What the caller says of the columns."""

    label: str | None
    ignore: Sequence[str]
    samples: str | None
    one_hot: bool


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


def _read_text(path: str, source: str, separator: str, wanted: _Wanted) -> Table:
    as_text = [column for column in (wanted.label, wanted.samples) if column is not None]
    return _from_frame(TextTable(path, source, separator).frame(as_text), source, wanted)


def _ignored(ignore: Sequence[str], names: Sequence[str], source: str, what: str) -> set[str]:
    """The columns to leave out: each entry is one name, or several with commas between."""
    dropped: set[str] = set()
    for entry in ignore:
        parts = [entry] if entry in names else [part.strip() for part in entry.split(",") if part.strip()]
        dropped.update(find_name(part, names, source, what) for part in parts)
    return dropped


def _plain(error: Exception) -> str:
    """The first sentence of what a library or the system says."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return said.strip().split(". ")[0].rstrip(".")


def _from_frame(frame: pd.DataFrame, source: str, wanted: _Wanted) -> Table:
    label, ignore, samples = wanted.label, wanted.ignore, wanted.samples
    frame.columns = frame.columns.map(str)
    notes, sample_names = [], None
    if samples is not None:
        sample_names = frame.pop(samples).to_numpy(dtype=object)
    if frame.columns[0] == "Unnamed: 0" and "Unnamed: 0" not in ignore:
        unnamed = frame.pop("Unnamed: 0").astype(str).to_numpy(dtype=object)
        sample_names = unnamed if sample_names is None else sample_names
        notes.append("the first column has no name; taken for names of samples and left out")
    names = list(frame.columns)
    dropped = _ignored(ignore, names, source, "column")
    y = None if label is None else _labels(frame[label], source)
    frame = frame.drop(columns=[*dropped, *([] if label is None else [label])])
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
    return Table(X, tuple(frame.columns), y, tuple(notes), sample_names)


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


def _labels(column: pd.Series, source: str) -> NDArray[Any]:
    """Labels as text, or as numbers if all of them are; NaN for empty cells, of which not all may be."""
    column = column.mask(column == "")
    if column.isna().all():
        raise InputError(f"{source}: no sample has a value in the label column {column.name!r}.")
    try:
        return pd.to_numeric(column).to_numpy()
    except ValueError:
        return column.to_numpy(dtype=object)


# -- arrays ----------------------------------------------------------------------------------


def _npz_arrays(path: str) -> dict[str, Any]:
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: is not an npz archive; save it as np.savez(path, X=...).")
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except ValueError as error:
        message = "holds pickled objects, which are never loaded; save plain numbers and text"
        raise InputError(f"{path}: {message} ({_plain(error)}).") from None
    if {"data", "indices", "indptr", "shape"} <= arrays.keys():
        parts = (arrays.pop("data"), arrays.pop("indices"), arrays.pop("indptr"))
        layout = sparse.csc_array if _text(arrays.pop("format", "csr")) == "csc" else sparse.csr_array
        arrays["X"] = layout(parts, shape=tuple(arrays.pop("shape")))
    elif {"data", "row", "col", "shape"} <= arrays.keys():
        place = (arrays.pop("row"), arrays.pop("col"))
        arrays["X"] = sparse.csr_array((arrays.pop("data"), place), shape=tuple(arrays.pop("shape")))
    return arrays


def _text(value: Any) -> str:
    """Text of one cell: MATLAB wraps it in arrays, numpy may hold bytes."""
    while isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value).strip()


def _mat_arrays(path: str) -> dict[str, Any]:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        arrays = loadmat(path)
    except NotImplementedError:
        raise InputError(f"{path}: is a MATLAB 7.3 file; save it with -v7.") from None
    except (MatReadError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is not a mat file ({error}).") from None
    return {name: value for name, value in arrays.items() if not name.startswith("__")}


def _from_arrays(arrays: dict[str, Any], source: str, wanted: _Wanted) -> Table:
    if "X" not in arrays:
        listed = ", ".join(map(repr, arrays)) or "nothing"
        raise InputError(f"{source}: needs an array 'X' (samples x features), has {listed}.")
    X = arrays["X"]
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise InputError(f"{source}: 'X' must be a matrix of real numbers, got shape {X.shape} of {X.dtype}.")
    y, sample_names = None, None
    others = [name for name in arrays if name != "X"]
    if wanted.samples is not None:
        given = np.asarray(arrays[find_name(wanted.samples, others, source, "array")]).ravel()
        sample_names = np.array([_text(name) for name in given], dtype=object)
    if wanted.label is not None:
        key = find_name(wanted.label, others, source, "array")
        values = np.asarray(arrays[key]).ravel()
        y = values if values.dtype.kind in "buif" else np.array([_text(value) for value in values])
    names = _feature_names(arrays, X.shape[1], source)
    return _without_columns(Table(X, names, y, sample_names=sample_names), wanted.ignore, source)


def _feature_names(arrays: dict[str, Any], n_features: int, source: str) -> tuple[str, ...]:
    if "feature_names" not in arrays:
        return tuple(f"x{j}" for j in range(n_features))
    names = tuple(_text(name) for name in np.asarray(arrays["feature_names"]).ravel())
    if len(names) != n_features:
        raise InputError(f"{source}: {len(names)} feature_names for {n_features} columns of 'X'.")
    return names


def _without_columns(table: Table, ignore: Sequence[str], source: str) -> Table:
    if not ignore:
        return table
    dropped = _ignored(ignore, table.feature_names, source, "feature")
    kept = [j for j, name in enumerate(table.feature_names) if name not in dropped]
    X = sparse.csc_array(table.X)[:, kept] if sparse.issparse(table.X) else table.X[:, kept]
    return replace(table, X=X, feature_names=tuple(table.feature_names[j] for j in kept))


# -- parquet and h5ad ------------------------------------------------------------------------


def _read_parquet(path: str, source: str, wanted: _Wanted) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{source}: parquet needs pyarrow; pip install 'eigenselect[io]'.") from None
    try:
        frame = pyarrow.parquet.read_table(path).to_pandas()
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise InputError(f"{source}: is not a parquet file ({_plain(error)}).") from None
    names = [str(name) for name in frame.columns]
    for column in (wanted.label, wanted.samples):
        if column is not None:
            frame[column] = frame[find_name(column, names, source, "column")].astype(object).fillna("").astype(str)
    return _from_frame(frame, source, wanted)


def _read_h5ad(path: str, source: str, wanted: _Wanted) -> Table:
    """X of an AnnData file; labels are a column of its table of observations."""
    try:
        import anndata
    except ImportError:
        raise InputError(f"{source}: h5ad needs anndata; pip install 'eigenselect[anndata]'.") from None
    data = anndata.read_h5ad(path)
    if data.X is None:
        raise InputError(f"{source}: holds no matrix X.")
    y = None
    if wanted.label is not None:
        column = find_name(wanted.label, [str(name) for name in data.obs.columns], source, "column of obs")
        y = _labels(data.obs[column].astype(object).fillna("").astype(str), source)
    X = sparse.csr_array(data.X) if sparse.issparse(data.X) else np.asarray(data.X)
    names = np.asarray(data.obs_names, dtype=object)
    table = Table(X, tuple(map(str, data.var_names)), y, sample_names=names)
    return _without_columns(table, wanted.ignore, source)


_READERS: dict[str, Callable[[str, str, _Wanted], Table]] = {
    "csv": lambda path, source, wanted: _read_text(path, source, ",", wanted),
    "tsv": lambda path, source, wanted: _read_text(path, source, "\t", wanted),
    "npz": lambda path, source, wanted: _from_arrays(_npz_arrays(path), source, wanted),
    "mat": lambda path, source, wanted: _from_arrays(_mat_arrays(path), source, wanted),
    "parquet": _read_parquet,
    "h5ad": _read_h5ad,
}
