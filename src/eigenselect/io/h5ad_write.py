"""Write h5ad files: a copy of the input with scores or with fewer variables, or a new one of any table.

A copy is made by a process of its own (`eigenselect.io.h5ad_process`), as HDF5 may crash on a damaged file. Files of
old versions are copied by way of anndata, which brings them to its present layout.

Every function writes to a path that `eigenselect.io.files.write_whole` gives it, a temporary file beside the target.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import warnings
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._typing import AnyArray, IntArray
from eigenselect.exceptions import InputError, shown, shown_path
from eigenselect.io.duplicates import unique_names
from eigenselect.io.errors import damaged
from eigenselect.io.h5ad import column_text
from eigenselect.io.hdf5 import outside
from eigenselect.io.memory import not_enough
from eigenselect.io.origin import Origin
from eigenselect.io.table import Table, written_ids

if TYPE_CHECKING:
    from eigenselect.io.h5ad_parts import Wanted

#: numbers of errors that say that a disk is full, and how libraries write them
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NUMBERED = re.compile(r"[Ee]rrno(?: =)? (\d+)")


def variable_names(path: str, wanted: Wanted) -> tuple[str, ...]:
    """Read the names of the variables of a file that was read before."""
    from eigenselect.io.h5ad_parts import UnknownLayoutError, names_of

    try:
        return names_of(path, wanted)
    except UnknownLayoutError:
        return _names_by_anndata(path, wanted)


def _names_by_anndata(path: str, wanted: Wanted) -> tuple[str, ...]:
    import anndata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the version is old
        data = anndata.read_h5ad(path, backed="r")
        names = data.raw.var_names if wanted.raw and data.raw is not None else data.var_names
    data.file.close()
    return tuple(map(str, names))


def places_in_file(origin: Origin, features: tuple[str, ...]) -> IntArray:
    """Find the variable of each feature of a table in the file that it was read from."""
    names = variable_names(origin.path, origin.wanted)
    places = places_of(origin.features or features, names, shown_path(origin.path))
    return places if origin.columns is None else places[list(origin.columns)]


def places_of(features: Sequence[str], names: Sequence[str], source: str) -> IntArray:
    """Find the variable of each feature that was read: the first, second, … of those that have its name.

    Features are a part of the variables in their order; of equal names all are there, or the first. Later ones may have
    got a suffix.

    >>> places_of(["b", "a"], ["a", "b", "a"], "x.h5ad").tolist()
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x.h5ad: its variables are not what was read; run again.
    >>> places_of(["a", "a"], ["a", "b", "a"], "x.h5ad").tolist()
    [0, 2]
    """
    for known in (names, unique_names(names)):
        found: dict[str, deque[int]] = defaultdict(deque)
        for place, name in enumerate(known):
            found[name].append(place)
        missing = next((name for name in features if name not in found), None)
        if missing is None:
            break
    if missing is not None:
        raise InputError(
            f"{source}: the feature {shown(missing)} was made of other columns, and is none of the file's variables; "
            "write .csv or .npz."
        )
    try:
        places = np.array([found[name].popleft() for name in features], dtype=np.intp)
    except IndexError:
        places = np.array([1, 0])
    if (np.diff(places) <= 0).any():
        raise InputError(f"{source}: its variables are not what was read; run again.")
    return places


def check_free(path: str, wanted: Wanted, key: str, mark: str) -> None:
    """Refuse a file that holds something else under the names that scores are written by.

    Parameters
    ----------
    path : str
    wanted : Wanted
    key : str
        A record in uns and a column of truth values in var are called so.
    mark : str
        What a record of ours holds.
    """
    _run({"job": "check", "source": path, "key": key, "mark": mark}, wanted, {})


def write_marked(
    path: str,
    target: str,
    wanted: Wanted,
    columns: Mapping[str, AnyArray],
    *,
    gone: Sequence[str],
    record: Mapping[str, Any],
    key: str,
) -> None:
    """Copy a file and add columns to the table of its variables; all else has the same bits.

    Parameters
    ----------
    path, target : str
        The file that is copied, and the one that is written.
    wanted : Wanted
        Which table of variables.
    columns : dict of ndarray
        One value for each variable of the file.
    gone : sequence of str
        Columns that are left out of the copy, those of an earlier call.
    record : dict
        Of text, numbers and dictionaries; it is written to uns.
    key : str
        Its name in uns.
    """
    if wanted.root == "/":
        shutil.copyfile(path, target)
    else:
        table = replace(wanted, raw=False)
        write_taken(path, target, table, np.arange(len(variable_names(path, table))))
    job = {"job": "mark", "source": path, "target": target, "gone": list(gone), "record": record, "key": key}
    _run(job, replace(wanted, root="/"), columns)


def write_taken(
    path: str, target: str, wanted: Wanted, places: IntArray, X: Any = None, labels: Table | None = None
) -> list[str]:
    """Copy a file with some of its variables only.

    Parameters
    ----------
    path, target : str
    wanted : Wanted
    places : ndarray of int
        Of the variables that stay.
    X : matrix, optional
        Takes the place of the matrix that was read.
    labels : Table, optional
        Whose labels are added to obs, if that has no column of their name.

    Returns
    -------
    list of str
        What is to be said.
    """
    _run({"job": "take", "source": path, "target": target}, wanted, {"places": places})
    label = None if labels is None else labels.label_name
    if X is None and label is None:
        return []
    import h5py

    from eigenselect.io import h5ad_encode as encode

    with _saying_full(), h5py.File(target, "r+", locking=False) as file:
        if X is not None:
            encode.write_part(file, "X" if wanted.raw else wanted.matrix, _storable(X))
        obs = file["obs"]
        if labels is None or label is None or label == encode.index_name(obs):
            return []
        if label not in encode.column_order(obs):
            check_label(shown_path(path), label)
            _add_labels(obs, labels, label)
            return []
        if np.array_equal(column_text(obs, label), np.asarray(labels.label_text)):
            return []
    return [f"obs has a column {shown(label)} of its own, which stays as it is; the other labels are not written"]


def write_new(
    target: str,
    table: Table,
    label: str,
    columns: Mapping[str, AnyArray] | None = None,
    records: Mapping[str, Any] | None = None,
) -> None:
    """Write a table as an annotated one: labels and ids stand in obs, ``columns`` in var, ``records`` in uns.

    Texts are categories; numbers stay numbers. Samples without names are called 0, 1, …
    """
    import h5py

    from eigenselect.io import h5ad_encode as encode

    names = table.sample_names if table.sample_names is not None else np.arange(table.X.shape[0]).astype(str)
    ids = written_ids(table)
    for name in ids:
        check_label("h5ad", name)
    with _saying_full(), h5py.File(target, "w", locking=False) as file:
        encode.empty_table(file)
        encode.write_part(file, "X", _storable(table.X))
        obs = encode.write_frame(file, "obs", names)
        _add_labels(obs, table, label)
        encode.add_columns(obs, ids)
        encode.write_frame(file, "var", table.feature_names, columns)
        for name, record in (records or {}).items():
            encode.write_part(file["uns"], name, record)


def _add_labels(obs: Any, table: Table, label: str) -> None:
    """Add labels to a table of samples: numbers as such, texts as categories."""
    from eigenselect.io import h5ad_encode as encode

    if table.y is not None and table.y.dtype.kind in "biuf":
        encode.add_columns(obs, {label: table.y})
    elif table.label_text is not None:
        encode.write_categories(obs, label, table.label_text)
        encode.set_order(obs, [*encode.column_order(obs), label])


def check_label(target: str, label: str | None) -> None:
    """Refuse a column of labels that no h5ad file can hold."""
    if label is not None and ("/" in label or label == "_index"):
        raise InputError(f"{target}: h5ad cannot hold a column named {shown(label)}; rename it, or write .csv.")


def _storable(X: Any) -> Any:
    """Give an array, or a sparse matrix of a layout that anndata knows."""
    return X if isinstance(X, np.ndarray) or X.format in ("csr", "csc") else X.tocsr()


def _run(job: dict[str, Any], wanted: Wanted, arrays: Mapping[str, AnyArray]) -> None:
    """Have a copy made; turn how that ended into a sentence."""
    from eigenselect.io.h5ad_process import OUTSIDE, SHORT, TAKEN, UNKNOWN, run

    code, said = run(job, wanted, arrays)
    source = shown_path(job["source"])
    if code == OUTSIDE:
        raise outside(source)
    if code == SHORT:
        raise not_enough(source, os.path.getsize(job["source"]))
    if code == TAKEN:
        raise InputError(f"{source}: {said} holds something else, which would be lost; rename that first.")
    if code == UNKNOWN:
        raise InputError(
            f"{source}: holds parts that cannot be written again for fewer variables; write .csv, or save it again "
            "with anndata."
        )
    _refuse_full(said)
    if code:
        raise damaged(source, "h5ad")


@contextmanager
def _saying_full() -> Iterator[None]:
    """Say that the disk is full as Python does: HDF5 tells of it by errors of several kinds, with its own numbers."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        _refuse_full(str(error))
        raise


def _refuse_full(said: str) -> None:
    """Raise the error of a full disk, if that is what was said."""
    for number in map(int, NUMBERED.findall(said)):
        if number in FULL:
            raise OSError(number, os.strerror(number)) from None
