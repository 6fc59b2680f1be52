"""Read tables in every format. Nothing is ever unpickled.

`read_table` tells the format by the ending, calls its reader, and checks what it gives. Everything that is wrong with
a file or an option is an `InputError` of one sentence; what libraries warn of stands in `Table.notes`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from eigenselect.exceptions import InputError, shown, shown_path
from eigenselect.io import FORMATS
from eigenselect.io.arrays import FEATURE_NAMES, SAMPLE_NAMES, from_arrays, is_name_of_names, npz_arrays
from eigenselect.io.column_roles import ColumnRoles, NotNumericError, from_frame
from eigenselect.io.companions import Files, refuse_samples_in_columns, split_spec, with_covariates, with_labels
from eigenselect.io.content import COMPRESSED, Content
from eigenselect.io.duplicates import settled
from eigenselect.io.errors import FILE, OPTIONS, AbsentNameError, Advice, first_sentence, near_names
from eigenselect.io.excel import read_excel
from eigenselect.io.feather import read_feather
from eigenselect.io.h5ad import read_h5ad
from eigenselect.io.h5mu import read_h5mu
from eigenselect.io.idle_options import refuse_idle
from eigenselect.io.inner import split_inner
from eigenselect.io.loom import read_loom
from eigenselect.io.mat import mat_arrays
from eigenselect.io.memory import not_enough
from eigenselect.io.npy import read_npy
from eigenselect.io.parquet import read_parquet
from eigenselect.io.request import ANY_FORMAT, AS_FORMAT_SAYS, X_ALONE, AnnotatedParts, Request, TextFormat
from eigenselect.io.table import Table, imputed, with_unlabelled
from eigenselect.io.tenx import read_market, read_tenx
from eigenselect.io.tenx_h5 import read_tenx_h5
from eigenselect.io.text import UNNAMED, TextTable
from eigenselect.io.transposed import FRAMES, doubts, from_features_in_rows, sheet_roles, transposed_table
from eigenselect.io.zarr_folder import is_zarr, read_zarr

SPREADSHEETS = ("xls", "xlsb", "ods")
#: endings that mean a format of another name
ALIASES = {"txt": "tsv", "tab": "tsv", "xlsm": "xlsx", "arrow": "feather", "ipc": "feather", "hdf5": "h5"}
#: formats of arrays, whose readers turn them
ARRAYS = ("npz", "npy", "mat", "h5", "zarr")
#: formats that hold a table of what is known of samples beside X
ANNOTATED = ("h5ad", "h5mu", "loom")
#: the formats that are folders
FOLDERS = ("10x", "zarr")
#: lines below a title in which names of columns may stand
FIRST_LINES = 5
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
    labels: str | None = None,
    covariates: str | None = None,
    ignore: Sequence[str] = (),
    samples: str | None = None,
    one_hot: bool = False,
    impute: bool = False,
    transpose: bool = False,
    duplicates: str = "error",
    na_is_class: bool = False,
    file_format: str | None = None,
    text: TextFormat = ANY_FORMAT,
    parts: AnnotatedParts = X_ALONE,
) -> Table:
    r"""Read a table; the label, the sample names and ignored columns are not among its features.

    Parameters
    ----------
    path : str
        A file, a folder of 10x Genomics or zarr, or ``-`` for standard input (csv unless ``file_format`` says tsv). One
        of several tables in a file is FILE:NAME: a sheet of xlsx, a modality of h5mu, a genome of h5, the path of an
        array of h5 or zarr.
    label : str, optional
        Column (csv, tsv, parquet, obs of h5ad) or array (npz, mat) with the labels.
    labels, covariates : str, optional
        Another file with the labels, ``FILE[:COLUMN]``, or with what is known of the samples and should not count,
        ``FILE[:COLUMNS]`` with commas between; samples are found in it by name.
    ignore : sequence of str
        Columns to leave out.
    samples : str, optional
        Column or array with the names of the samples.
    one_hot : bool, default=False
        Turn each text column into one 0/1 column per value; refused otherwise.
    impute : bool, default=False
        Fill missing values with the median of their column; refused otherwise.
    transpose : bool, default=False
        Features stand in rows and samples in columns; ``label`` and ``samples`` are then rows, and ``ignore`` names
        rows, or columns that describe features. Where nobody says what the rows are, a table that seems to be so is
        refused or noted, see `eigenselect.io.transposed.doubts`.
    duplicates : {"error", "first", "suffix", "mean"}, default="error"
        What is done with features of equal names. "first" leaves the later ones out, "suffix" adds -1, -2, … to their
        names, "mean" takes the mean of all. "error" refuses them in csv, tsv, xlsx, parquet and feather, and where
        features stand in rows of one; formats in which features have places of their own (npz, mat, h5ad, mtx, 10x …)
        rank all of them, with a note.
    na_is_class : bool, default=False
        Take labels such as NA, null or ? for the name of a class; they mean that there is none otherwise.
    file_format : str, optional
        One of `eigenselect.io.FORMATS`, taken from the ending (``.gz``, ``.bz2`` and ``.xz`` of csv, tsv and mtx too)
        if not given; ``.txt`` and ``.tab`` are tsv, ``.xlsm`` is xlsx, ``.arrow`` and ``.ipc`` are feather, ``.hdf5``
        is h5, a folder is 10x, or zarr if it holds the metadata of it.
    text : TextFormat
        How csv and tsv are written, where the first lines do not show it.
    parts : AnnotatedParts
        Which parts of an annotated table (h5ad, h5mu, loom) are read.

    Returns
    -------
    Table
        At least two samples and one feature, without missing or infinite values.

    Raises
    ------
    InputError
        If the file cannot be read, is damaged, does not fit into memory, or has no such column, with near names; if a
        feature is text or has missing values and no option says what to do.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "wine.csv")
    ...     _ = Path(path).write_text("id,class,ash,hue\n001,a,2.4,1\n002,b,,2\n003,b,2.1,2\n")
    ...     table = read_table(path, label="class", samples="id", impute=True)
    >>> table.sample_names.tolist(), table.y.tolist()
    (['001', '002', '003'], ['a', 'b', 'b'])
    >>> table.X.tolist()
    [[2.4, 1.0], [2.25, 2.0], [2.1, 2.0]]
    """
    if label is not None and labels is not None:
        raise InputError(f"labels come from {shown(label)} or from {shown(labels)}, not from both; name one of them.")
    request = Request(ColumnRoles(label, ignore, samples, one_hot, duplicates=duplicates), text, parts, transpose)
    source, specs = _source_of(path), [spec for spec in (labels, covariates) if spec is not None]
    _refuse_one_stream_for_two([path, *(split_spec(spec)[0] for spec in specs)])
    if labels is not None:
        _refuse_column_as_file(labels)
    try:
        table = replace(_read(path, source, request, file_format), label_name=label)
    except NotNumericError as error:
        _refuse_samples_in_columns(error.columns, specs, source, turned=transpose)
        raise
    table = table if samples is None else replace(table, samples_name=samples)
    for spec, attach in ((labels, with_labels), (covariates, with_covariates)):
        if spec is not None:
            other, columns = split_spec(spec)
            sheet = read_sample_sheet(other, columns)
            table = attach(table, sheet, columns, Files(source, _source_of(other), turned=transpose))
            said = [f"{_source_of(other)}: {note}" for note in sheet.notes]
            table = replace(table, notes=tuple(dict.fromkeys([*table.notes, *said])))  # one file may be both
    if not na_is_class:
        table = with_unlabelled(table, source if labels is None else _source_of(split_spec(labels)[0]))
    if request.says_nothing_of_rows and labels is None and covariates is None and kind_of(path, file_format) in FRAMES:
        table = replace(table, notes=(*table.notes, *doubts(table, source)))
    return (imputed(table, source) if impute else table).check(source)


def _refuse_one_stream_for_two(paths: Sequence[str]) -> None:
    if list(paths).count("-") > 1:
        raise InputError(
            "standard input: can be read once, and is named for several tables; name files for the others."
        )


def _refuse_column_as_file(labels: str) -> None:
    """Say that ``--labels`` names a file, where there is none and the name has no ending: a column may be meant."""
    other, column = split_spec(labels)
    if column is None and other != "-" and not Path(other).suffix and not os.path.exists(other):
        raise InputError(
            f"--labels {shown_path(other)}: there is no such file; a column of the table itself is named with --label."
        )


def _refuse_samples_in_columns(columns: Sequence[str], specs: Sequence[str], source: str, *, turned: bool) -> None:
    """Say it of a table that has text among its numbers, as genes in rows have, where another file tells."""
    for spec in specs:
        other, column = split_spec(spec)
        try:
            sheet = read_sample_sheet(other, column)
        except InputError:  # the table comes first
            continue
        refuse_samples_in_columns(columns, sheet, Files(source, _source_of(other), turned=turned))


def read_other_table(path: str, *, names: bool) -> Table:
    """Read a table of numbers next to the one that is ranked, of any format, with the same care.

    Names of samples stand where the format has a place for them, or else in the first column; without ``names`` the
    first column is a measurement. Messages offer no options, as the command has none for this table.
    """
    source = _source_of(path)
    roles = ColumnRoles(names_first=names, advice=FILE)
    return _read(path, source, Request(roles, AS_FORMAT_SAYS), None).check(source, least=1, advice=FILE)


def read_sample_sheet(path: str, columns: str | None = None) -> Table:
    """Read what a file of any format says of samples: names where it has a place for them, all columns as they are.

    Of annotated tables (h5ad and the like) only the ``columns`` that are asked for are read, with commas between.
    """
    source = _source_of(path)
    table = _read(path, source, Request(ColumnRoles(describes=True, advice=FILE)), None)
    if table.covariates is not None or columns is None or kind_of(path, None) not in ANNOTATED:
        return table
    asked = [columns] if "," not in columns else [part.strip() for part in columns.split(",")]
    found = {name: _read(path, source, Request(ColumnRoles(label=name, advice=FILE)), None) for name in asked}
    return replace(table, covariates=pd.DataFrame({name: sheet.label_text for name, sheet in found.items()}))


def read_text_table(path: str) -> pd.DataFrame:
    """Read a csv or tsv file with every cell as text: a name may be 007, NA or None. Any other ending is csv."""
    source = _source_of(path)
    _check_file(path, source, "csv")
    tabs = without_compression(path).lower().endswith((".tsv", ".tab", ".txt"))
    with _reading(path, source, "a table"):
        return TextTable(path, source, "\t" if tabs else ",", FILE, AS_FORMAT_SAYS).text_frame()


def read_text(path: str) -> str:
    """Read a text file in UTF-8, plain or compressed, if it fits into memory."""
    source = _source_of(path)
    _check_file(path, source, "csv")
    with _reading(path, source, "text"):
        content = Content(path, source)
        content.check()
        try:
            with content.opened() as handle:
                return str(handle.read(), "utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{source}: is not text in UTF-8; save it as UTF-8.") from None


def without_compression(path: str) -> str:
    """Cut ``.gz``, ``.bz2`` or ``.xz`` off the end of a path.

    >>> without_compression("x.csv.gz"), without_compression("x.csv")
    ('x.csv', 'x.csv')
    """
    ending = Path(path).suffix
    return path.removesuffix(ending) if ending.lower().lstrip(".") in COMPRESSED else path


def _source_of(path: str) -> str:
    return "standard input" if path == "-" else shown_path(path)


def _read(path: str, source: str, request: Request, file_format: str | None) -> Table:
    """Read the table of a file; add what libraries warned of to its notes."""
    roles = request.roles
    roles.check(source)
    kind = kind_of(path, file_format, roles.advice)
    path, inner = split_inner(path)
    request = replace(request, inner=inner)
    refuse_idle(request, kind, source)
    _check_file(path, source, kind)
    with _reading(path, source, kind), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _check_access(path, kind)
        table = _table(path, source, request, kind)
    return settled(replace(table, notes=(*table.notes, *_library_warnings(caught))), roles.duplicates)


def kind_of(path: str, file_format: str | None, advice: Advice = OPTIONS) -> str:
    """Give the format that is named, or that the ending says."""
    path, _ = split_inner(path)
    return file_format or ("csv" if path == "-" else _format_of(path, advice))


def _table(path: str, source: str, request: Request, kind: str) -> Table:
    """Read samples in rows; turn a table with features in rows. Arrays are turned by their reader."""
    if not request.transpose or kind in ARRAYS:
        return _READERS[kind](path, source, request)
    if kind not in FRAMES:
        return transposed_table(_READERS[kind](path, source, request), source, kind)
    sheet = replace(request, roles=sheet_roles(request.roles), transpose=False)
    return from_features_in_rows(_READERS[kind](path, source, sheet), source, request.roles)


@contextmanager
def _reading(path: str, source: str, kind: str) -> Iterator[None]:
    """Say who could not be read when memory ends or the system refuses."""
    try:
        yield
    except MemoryError:
        raise not_enough(source, os.path.getsize(path) if os.path.isfile(path) else None) from None
    except OSError as error:
        reason = error.strerror or "it is damaged"
        raise InputError(f"{source}: cannot be read as {kind} ({reason}).") from None


def _library_warnings(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """List what libraries warn of, once each; leave out what they say to programmers."""
    meant = [warning.message for warning in caught if not issubclass(warning.category, FOR_PROGRAMMERS)]
    return list(dict.fromkeys(first_sentence(message) for message in meant if isinstance(message, Warning)))


def _format_of(path: str, advice: Advice) -> str:
    """Tell the format by the ending; txt and tab are tsv."""
    if os.path.isdir(path):
        return "zarr" if is_zarr(path) else "10x"
    ending = Path(without_compression(path)).suffix.lower().lstrip(".")
    kind = ALIASES.get(ending, ending)
    if kind in SPREADSHEETS:
        raise InputError(f"{shown_path(path)}: is a spreadsheet of another kind; save it as xlsx, or the sheet as csv.")
    if kind not in FORMATS:
        raise InputError(f"{shown_path(path)}: the ending says none of {', '.join(FORMATS)}; {advice.file_format}.")
    return kind


def _check_file(path: str, source: str, kind: str) -> None:
    """Refuse what is no file, or an empty one; text may also come from a pipe."""
    if path == "-":
        if kind not in ("csv", "tsv"):
            raise InputError(f"standard input: cannot be read as {kind}, only as csv or tsv; name a file.")
        return
    file = Path(path)
    try:
        exists, is_file = file.exists(), file.is_file()
    except OSError as error:  # a name that is too long
        raise InputError(f"{source}: cannot be read ({error.strerror}).") from None
    if not exists:
        raise InputError(f"{source}: there is no such file{_instead_of(file)}")
    if file.is_dir():
        if kind not in FOLDERS:
            raise InputError(f"{source}: is a directory; name a file.")
        return
    if kind in FOLDERS:
        raise InputError(f"{source}: is a file; {kind} is the format of a folder, so name that.")
    if not is_file and kind not in ("csv", "tsv"):
        raise InputError(f"{source}: is a device or a pipe, which cannot be read as {kind}; name a file.")
    if is_file and file.stat().st_size == 0:  # a pipe has no size
        raise InputError(f"{source}: is empty (0 bytes).")


def _check_access(path: str, kind: str) -> None:
    """Let the system say that a file cannot be opened, before a library says it in its own words."""
    if kind not in ("csv", "tsv", *FOLDERS):
        with open(path, "rb"):
            pass


def _instead_of(missing: Path) -> str:
    """Name files that a missing one may be meant for."""
    if not missing.parent.is_dir():
        return f", nor a directory {shown_path(str(missing.parent))!r}."
    near = near_names(missing.name, [path.name for path in missing.parent.iterdir()])
    return f"; did you mean {' or '.join(map(shown, near))}?" if near else "."


def _read_text(path: str, source: str, separator: str, request: Request) -> Table:
    """Read csv or tsv; refuse numbers beyond the largest in features only, as others may be left out."""
    roles = request.roles
    table = TextTable(path, source, separator, roles.advice, request.text, duplicates=roles.duplicates)
    if roles.describes:
        sheet = from_frame(table.text_frame(plain=True), source, roles)
        return replace(sheet, notes=(*table.notes(), *sheet.notes))
    as_text = [column for column in (roles.label, roles.samples) if column is not None]
    try:
        frame = table.frame(
            as_text, first_as_text=roles.names_first, left_out=_left_out(roles), by_cell=roles.keeps_text
        )
    except AbsentNameError as error:
        cells = table.text_frame().iloc[:, 0]
        if error.wanted in set(cells):
            raise InputError(
                f"{source}: {shown(error.wanted)} is no column, but the first cell of a row, as where features stand "
                "in rows; use --transpose."
            ) from None
        raise _absent_label(error, table, source, roles) from None
    if roles.names_first and frame.columns[0] != UNNAMED:
        roles = replace(roles, samples=str(frame.columns[0]))
    found = from_frame(frame, source, roles, letters=table.cells, repeated=table.repeated)
    table.refuse_overflow([found.feature_names[j] for j in np.flatnonzero(np.isinf(found.X).any(axis=0))])
    return replace(found, notes=(*table.notes(), *found.notes))


def _absent_label(error: AbsentNameError, table: TextTable, source: str, roles: ColumnRoles) -> InputError:
    """Say what may be meant by a column that is not there: one of a table that was not split, or of another file."""
    names = list(table.text_frame().columns)
    if len(names) == 1 and error.wanted in str(names[0]).split():
        return InputError(f"{source}: has one column; it seems to be separated by spaces; use --sep space.")
    if (table.text_frame().head(FIRST_LINES) == error.wanted).to_numpy().any():
        return InputError(
            f"{source}: {shown(error.wanted)} stands below the first line, not in it; take out what stands above the "
            "names of the columns."
        )
    if error.wanted == roles.label and "did you mean" not in str(error):
        elsewhere = "labels of another file come with --labels FILE:COLUMN."
        return AbsentNameError(f"{str(error).rstrip('.')}; {elsewhere}", error.wanted)
    return error


def _left_out(roles: ColumnRoles) -> list[str]:
    """List what columns that are left out may be called: an entry is a name, or several with commas between."""
    return [name for entry in roles.ignore for name in (entry, *map(str.strip, entry.split(",")))]


def _read_npz(path: str, source: str, request: Request) -> Table:
    return from_arrays(npz_arrays(path, source), source, request.roles, turned=request.transpose)


class _Wanted(set[str]):
    """Names of variables of a MATLAB file that are read: those that are asked for, and what may be names."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or is_name_of_names(str(name))


def _read_mat(path: str, source: str, request: Request) -> Table:
    roles = request.roles
    wanted = _Wanted({"X", FEATURE_NAMES, SAMPLE_NAMES, *filter(None, (roles.label, roles.samples))})
    return from_arrays(mat_arrays(path, source, wanted), source, roles, turned=request.transpose)


#: each reader takes of the request what its format has
_READERS: dict[str, Callable[[str, str, Request], Table]] = {
    "csv": lambda path, source, request: _read_text(path, source, ",", request),
    "tsv": lambda path, source, request: _read_text(path, source, "\t", request),
    "npz": _read_npz,
    "npy": read_npy,
    "mat": _read_mat,
    "parquet": lambda path, source, request: read_parquet(path, source, request.roles),
    "h5ad": lambda path, source, request: read_h5ad(path, source, request),
    "h5mu": read_h5mu,
    "loom": read_loom,
    "mtx": read_market,
    "10x": read_tenx,
    "h5": read_tenx_h5,
    "zarr": read_zarr,
    "xlsx": read_excel,
    "feather": lambda path, source, request: read_feather(path, source, request.roles),
}
