"""Make the text or bytes of a file from rankings and tables; `eigenselect.io.files` writes them.

Numbers are written with the fewest digits from which the same floating-point number is read again.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect.exceptions import InputError, shown
from eigenselect.io.arrays import LAYOUTS
from eigenselect.io.labels import LARGEST_WHOLE
from eigenselect.io.number_marks import decimal_shown
from eigenselect.io.table import Table, written_ids
from eigenselect.io.text import rounded

#: arrays of an npz archive that hold the table, dense or sparse
OWN_ARRAYS = ("X", "feature_names", "data", "indices", "indptr", "shape", "format", "row", "col")


def as_json(result: dict[str, Any]) -> str:
    r"""Write JSON with every character as it is; undefined scores (NaN) are null, infinite ones the text "Infinity".

    JSON has no NaN and no infinity (RFC 8259, section 6); see `json_values`.

    >>> as_json({"feature": "größe", "score": float("nan")})
    '{\n  "feature": "größe",\n  "score": null\n}\n'
    """
    return json.dumps(json_values(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(rows: list[dict[str, Any]], separator: str = ",", columns: Sequence[str] = ()) -> str:
    r"""Write rows as csv (or tsv); undefined scores are empty, as is what a row does not have.

    ``columns`` come first, the others stand in the order in which the rows bring them up. Cells with a separator, a
    quotation mark or a new line are put in quotes (RFC 4180); lines end in a line feed on every system.

    >>> as_csv([{"feature": "a", "score": 0.5}, {"feature": "b", "score": float("nan")}])
    'feature,score\na,0.5\nb,\n'
    """
    buffer = io.StringIO()
    names = list(dict.fromkeys([*columns, *(name for row in rows for name in row)]))
    writer = csv.DictWriter(buffer, fieldnames=names, restval="", delimiter=separator, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{key: "" if value != value else value for key, value in row.items()} for row in rows])
    return buffer.getvalue()


@dataclass(frozen=True)
class ColumnNames:
    """Hold the names of the columns of sample names and labels of a written table.

    >>> table = Table(np.eye(2), ("label", "ash"))
    >>> column_names(table, "csv", samples="id", label=None)
    ColumnNames(sample='id', label='label_')
    """

    sample: str
    label: str


def check_array_names(path: str, names: Sequence[str | None]) -> None:
    """Refuse columns of an npz archive that are called as the table's own arrays, which they would replace."""
    for name in names:
        if name in OWN_ARRAYS:
            raise InputError(
                f"{path}: an npz archive has an array {name!r} of its own, so a column of that name cannot be written; "
                "write .csv, or rename the column."
            )


def column_names(table: Table, ending: str, *, samples: str | None, label: str | None) -> ColumnNames:
    """Give the names asked for, or ``sample`` and ``label``; add an underscore to one that a feature has already."""
    own_columns = ending not in ("npz", "h5ad")  # there, features are no arrays of their own
    taken = [*written_ids(table), *(table.feature_names if own_columns else ())]
    free_label = _free_name(label or "label", taken)
    return ColumnNames(_free_name(samples or "sample", [*taken, free_label]), free_label)


def _free_name(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def label_values(table: Table) -> Any:
    """Give labels as archives hold them: numbers, if all are and none is missing, or else as they were written."""
    if table.y is not None and table.y.dtype.kind in "buif" and not table.n_unlabelled:
        return table.y
    return table.y if table.label_text is None else table.label_text


def table_bytes(table: Table, ending: str, names: ColumnNames) -> bytes:
    """Write a table as csv, tsv or npz, with these names for the columns (arrays) of names and labels.

    Text holds every cell as it was written, unless it was scaled or filled. An archive holds X, a sparse one by its
    parts. There, whole numbers that floating-point numbers would round are written as int64, and refused beside
    fractions, as X has one type.

    >>> table = Table(np.array([[2.4], [2.1]]), ("ash",), label_text=np.array(["007", ""]))
    >>> table_bytes(table, "csv", ColumnNames("sample", "label")).split()
    [b'label,ash', b'007,2.4', b',2.1']
    """
    if ending == "npz":
        others = {names.sample: table.sample_names, names.label: label_values(table), **written_ids(table)}
        return _npz_bytes(with_whole_numbers(table), others)
    return table_text(table, "\t" if ending == "tsv" else ",", names).encode("utf-8")


def table_text(table: Table, separator: str, names: ColumnNames) -> str:
    """Write a table as text; numbers without letters of their own have the decimal mark of the others.

    Columns with decimal commas are kept apart by semicolons, as such files are; a single one is quoted, as nothing
    else would tell its commas from separators.
    """
    decimal = "."
    X = table.X.toarray() if sparse.issparse(table.X) else table.X
    frame = pd.DataFrame(X, columns=list(table.feature_names))
    if table.letters is not None:
        written = table.letters(table.feature_names)
        decimal = decimal_shown(written) or "."
        frame = pd.concat([frame.drop(columns=written.columns), written], axis=1)[list(table.feature_names)]
    labels = table.y if table.label_text is None else table.label_text
    ids = reversed(written_ids(table).items())
    for name, values in (*ids, (names.label, labels), (names.sample, table.sample_names)):
        if values is not None:
            frame.insert(0, name, values)
    separator = ";" if decimal == separator and frame.shape[1] > 1 else separator
    return frame.to_csv(index=False, sep=separator, decimal=decimal, lineterminator="\n")


def with_whole_numbers(table: Table) -> Table:
    """Use whole numbers where floating-point numbers would be others; refuse where the rest has fractions."""
    large = [j for j in range(table.X.shape[1]) if table.letters is not None and _is_large(table.X[:, j])]
    if table.letters is None or not large:
        return table
    cells = table.letters([table.feature_names[j] for j in large])
    changed = [j for j in large if table.feature_names[j] in cells and _rounded(cells, table, j)]
    if not changed:
        return table
    try:
        cells = table.letters(table.feature_names)
        columns = [_whole_column(cells.get(name), table.X[:, j]) for j, name in enumerate(table.feature_names)]
        return replace(table, X=np.array(columns, dtype=np.int64).T)
    except (ValueError, OverflowError):
        raise InputError(
            f"{shown(table.feature_names[changed[0]])} holds whole numbers beyond 2^53, which become others in the one "
            "matrix of an npz archive, where fractions stand beside them; write .csv."
        ) from None


def _whole_column(cells: pd.Series | None, numbers: Any) -> list[int]:
    """Read whole numbers as written; of a column without letters, such as one of 0 and 1, those it holds."""
    if cells is not None:
        return [int(cell) for cell in cells]
    if (numbers % 1 != 0).any():
        raise ValueError("fractions")
    return [int(number) for number in numbers]


def _is_large(column: Any) -> bool:
    return bool(np.abs(column).max() >= LARGEST_WHOLE)


def _rounded(cells: pd.DataFrame, table: Table, j: int) -> bool:
    return rounded(cells[table.feature_names[j]], table.X[:, j])


def _npz_bytes(table: Table, others: dict[str, Any]) -> bytes:
    """Write an npz archive by hand, because numpy.savez takes names of arrays for its own parameters, such as file."""
    arrays: dict[str, Any] = {"feature_names": np.array(table.feature_names, dtype=str)}
    if sparse.issparse(table.X):
        X = table.X if table.X.format in LAYOUTS else table.X.tocsr()
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
        arrays["format"] = np.array(X.format)
    else:
        arrays["X"] = table.X
    for name, values in others.items():
        if values is not None:
            arrays[name] = values.astype(str) if values.dtype == object else values
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(values), allow_pickle=False)
    return buffer.getvalue()


def json_values(value: Any) -> Any:
    """Turn values into what JSON can hold: NaN is null, infinity a text that Python and JavaScript read as a number.

    >>> json_values({"scores": (1.5, float("nan"), -float("inf"))})
    {'scores': [1.5, None, '-Infinity']}
    """
    if isinstance(value, dict):
        return {key: json_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(item) for item in value]
    if not isinstance(value, float) or abs(value) < float("inf"):
        return value
    return None if value != value else "Infinity" if value > 0 else "-Infinity"
