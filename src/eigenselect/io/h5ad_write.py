"""Write h5ad files: a copy of the input with scores or with fewer variables, or a new one of any table.

A copy is made by a process of its own (`eigenselect.io.h5ad_process`), as HDF5 may crash on a damaged file. Files of
old versions are copied by way of anndata, which brings them to its present layout.

Every function writes to a path that `eigenselect.io.files.write_by` gives it, a temporary file beside the target.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._typing import AnyArray, IntArray
from eigenselect.exceptions import InputError, shown, shown_path
from eigenselect.io.errors import damaged
from eigenselect.io.hdf5 import outside
from eigenselect.io.table import Table

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
        import anndata

        data = anndata.read_h5ad(path, backed="r")
        names = data.raw.var_names if wanted.raw and data.raw is not None else data.var_names
        data.file.close()
        return tuple(map(str, names))


def places_of(features: Sequence[str], names: Sequence[str], source: str) -> IntArray:
    """Find the variable of each feature: the first, second, … of those that have its name.

    Features are a part of the variables in their order. Where as many have other names, duplicates got a suffix.

    >>> places_of(["b", "a"], ["a", "b", "a"], "x.h5ad").tolist()
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x.h5ad: its variables are not what was read; run again.
    >>> places_of(["a", "a"], ["a", "b", "a"], "x.h5ad").tolist()
    [0, 2]
    """
    if len(features) == len(names):
        return np.arange(len(names))
    found: dict[str, deque[int]] = defaultdict(deque)
    for place, name in enumerate(names):
        found[name].append(place)
    missing = next((name for name in features if name not in found), None)
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
    shutil.copyfile(path, target)
    job = {"job": "mark", "source": path, "target": target, "gone": list(gone), "record": record, "key": key}
    _run(job, wanted, columns)


def write_taken(path: str, target: str, wanted: Wanted, places: IntArray, X: Any = None) -> None:
    """Copy a file with some of its variables only; ``X``, where given, takes the place of the matrix that was read."""
    _run({"job": "take", "source": path, "target": target}, wanted, {"places": places})
    if X is None:
        return
    import h5py

    from eigenselect.io.h5ad_encode import write_part

    with h5py.File(target, "r+", locking=False) as file:
        place = "X" if wanted.raw else wanted.matrix
        write_part(file, place, _storable(X))


def write_new(target: str, table: Table, label: str, columns: Mapping[str, AnyArray] | None = None) -> None:
    """Write a table as an annotated one: labels are a column of obs, ``columns`` those of var.

    Texts are categories; numbers stay numbers. Samples without names are called 0, 1, …
    """
    import h5py

    from eigenselect.io import h5ad_encode as encode

    names = table.sample_names if table.sample_names is not None else np.arange(table.X.shape[0]).astype(str)
    with h5py.File(target, "w", locking=False) as file:
        encode.empty_table(file)
        encode.write_part(file, "X", _storable(table.X))
        obs = encode.write_frame(file, "obs", names)
        if table.y is not None and table.y.dtype.kind in "biuf":
            encode.add_columns(obs, {label: table.y})
        elif table.label_text is not None:
            encode.write_categories(obs, label, table.label_text)
            encode.set_order(obs, [*encode.column_order(obs), label])
        encode.write_frame(file, "var", table.feature_names, columns)


def check_label(target: str, label: str | None) -> None:
    """Refuse a column of labels that no h5ad file can hold."""
    if label is not None and ("/" in label or label == "_index"):
        raise InputError(f"{target}: h5ad cannot hold a column named {shown(label)}; rename it, or write .csv.")


def _storable(X: Any) -> Any:
    """Give an array, or a sparse matrix of a layout that anndata knows."""
    return X if isinstance(X, np.ndarray) or X.format in ("csr", "csc") else X.tocsr()


def _run(job: dict[str, Any], wanted: Wanted, arrays: Mapping[str, AnyArray]) -> None:
    """Have a copy made; turn how that ended into a sentence."""
    from eigenselect.io.h5ad_process import OUTSIDE, UNKNOWN, run

    code, said = run(job, wanted, arrays)
    source = shown_path(job["source"])
    if code == OUTSIDE:
        raise outside(source)
    if code == UNKNOWN:
        raise InputError(
            f"{source}: holds parts that cannot be written again for fewer variables; write .csv, or save it again "
            "with anndata."
        )
    for number in map(int, NUMBERED.findall(said)):
        if number in FULL:
            raise OSError(number, os.strerror(number))
    if code:
        raise damaged(source, "h5ad")
