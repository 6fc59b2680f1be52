"""Write a table to a file in the format that its ending says, or as text for standard output.

What a table cannot hold is taken from the file that it was read from, where that is of the same format: types of
parquet, and everything of h5ad that is not aligned to the features that are left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from scipy import sparse

from eigenselect.exceptions import InputError, counted
from eigenselect.io.files import write_whole
from eigenselect.io.memory import NUMBER, check_memory
from eigenselect.io.table import Table, written_ids
from eigenselect.io.writers import ColumnNames, check_array_names, table_bytes, table_text

#: formats that need another package, and the extra that has it
NEEDED = {"parquet": ("pyarrow", "io"), "h5ad": ("h5py", "anndata")}
#: formats that hold every number, also where most are 0
DENSE = ("csv", "tsv", "parquet")


def check_can_write(path: str, ending: str, label: str | None = None, samples: str | None = None) -> None:
    """Say early that a package is missing, or that a format cannot hold columns of these names."""
    package, extra = NEEDED.get(ending, ("", ""))
    if package and importlib.util.find_spec(package) is None:
        raise InputError(f"{path}: {ending} needs {package}; pip install 'eigenselect[{extra}]'.")
    if ending == "npz":
        check_array_names(path, [label, samples])
    if ending == "h5ad":
        from eigenselect.io.h5ad_write import check_label

        check_label(path, label)


def write_table(path: str, table: Table, ending: str, names: ColumnNames, *, force: bool = False) -> list[str]:
    """Write a table whole or not at all, see `eigenselect.io.files.write_whole`.

    Parameters
    ----------
    path : str
    table : Table
    ending : {"csv", "tsv", "parquet", "npz", "h5ad"}
    names : ColumnNames
        Of the columns of names and labels.
    force
        As in `write_whole`.

    Returns
    -------
    list of str
        What else is to be said of the file.
    """
    notes: list[str] = []
    write_whole(path, lambda target: notes.extend(_WRITERS[ending](target, table, names)), force=force)
    return [*notes, *_of_sparse(table, ending)]


def _of_sparse(table: Table, ending: str) -> list[str]:
    """Say that zeros are written, too."""
    if ending not in DENSE or not sparse.issparse(table.X):
        return []
    n_samples, n_features = table.X.shape
    return [
        f"the table is sparse, and {ending} holds all {n_samples} x {n_features} numbers of it; .npz and .h5ad do not"
    ]


def _write_text(target: str, table: Table, names: ColumnNames, separator: str) -> list[str]:
    check_dense(table, target)
    with open(target, "wb") as file:
        file.write(table_text(table, separator, names).encode())
    return []


def _write_npz(target: str, table: Table, names: ColumnNames) -> list[str]:
    check_array_names("npz", [names.sample, names.label, *written_ids(table)])  # a second file may have named them
    with open(target, "wb") as file:
        file.write(table_bytes(table, "npz", names))
    return []


def _write_parquet(target: str, table: Table, names: ColumnNames) -> list[str]:
    from eigenselect.io.parquet_write import write_parquet

    check_dense(table, target)
    write_parquet(target, table, names)
    return []


def _write_h5ad(target: str, table: Table, names: ColumnNames) -> list[str]:
    """Copy the file that the table was read from, or make a new one."""
    from eigenselect.io.h5ad_write import places_in_file, write_new, write_taken
    from eigenselect.io.writers import with_whole_numbers

    origin = table.origin
    if origin is None or origin.kind != "h5ad":
        write_new(target, with_whole_numbers(table), names.label)
        return []
    origin.check()
    places = places_in_file(origin, table.feature_names)
    notes = write_taken(origin.path, target, origin.wanted, places, None if origin.as_stored else table.X, table)
    if origin.wanted.raw:
        notes.append("raw is X now; layers, varm and varp, which are of other variables, are left out")
    if not origin.as_stored:
        what = "X" if origin.wanted.raw or origin.wanted.layer is None else f"the layer {origin.wanted.layer}"
        notes.append(f"{what} holds the values that were ranked; all else is as it was in the file")
    return notes


def check_dense(table: Table, source: str) -> None:
    """Refuse to make all numbers of a sparse table where there is no memory for them."""
    if sparse.issparse(table.X):
        n_samples, n_features = table.X.shape
        what = f"all numbers of {counted(n_samples, 'sample')} and {counted(n_features, 'feature')}"
        check_memory(2 * NUMBER * n_samples * n_features, source, what)


_WRITERS: dict[str, Callable[[str, Table, ColumnNames], list[str]]] = {
    "csv": lambda target, table, names: _write_text(target, table, names, ","),
    "tsv": lambda target, table, names: _write_text(target, table, names, "\t"),
    "npz": _write_npz,
    "parquet": _write_parquet,
    "h5ad": _write_h5ad,
}


def text_for_output(table: Table, names: ColumnNames) -> str:
    """Make the text for standard output."""
    check_dense(table, "standard output")
    return table_text(table, ",", names)
