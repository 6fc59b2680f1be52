"""Tables of named arrays, as of npz and mat files. Nothing is ever unpickled."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.damage import damaged, reading_as
from eigenselect.io.labels import labels_of, missing_by_name, text_of
from eigenselect.io.memory import NAME, check_memory, product
from eigenselect.io.structure import LAYOUTS, checked_coordinates, checked_sparse
from eigenselect.io.table import Table, find_name

#: what an array of names is called where none is named
SAMPLE_NAMES = "sample"
#: values that take no bytes, such as empty texts, of which an array may claim any number
ENDLESS = 10_000_000
FEATURE_NAMES = "feature_names"


def npz_arrays(path: str, source: str) -> dict[str, Any]:
    """All arrays of an npz archive; those of a sparse matrix are joined as X."""
    if not zipfile.is_zipfile(path):
        raise InputError(f"{source}: is not an npz archive; save it as np.savez(path, X=...).")
    with reading_as("npz", source), zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        sizes = [_size(archive, member, source) for member in members]
        check_memory(sum(sizes), source, "reading it")
        arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    return _with_sparse(arrays, source)


def _size(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: str) -> int:
    """Bytes of an array by its header, which must agree with what the archive says of it."""
    with archive.open(member) as file:
        version = npy.read_magic(file)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read_header(file)
        if kind.hasobject:
            raise InputError(f"{source}: holds pickled objects, which are never loaded; save plain numbers and text.")
        size = product(shape) * kind.itemsize
        endless = kind.itemsize == 0 and product(shape) > ENDLESS  # values without bytes, as many as one likes
        if endless or min(shape, default=0) < 0 or size != member.file_size - file.tell():
            raise damaged(source, "npz")
    return size


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as file:
        values = npy.read_array(file, allow_pickle=False)
    if values.dtype.kind == "U" and values.size:
        codes = np.atleast_1d(values).astype(values.dtype.newbyteorder("=")).view(np.uint32)
        if codes.max(initial=0) > sys.maxunicode:  # no letter; to look at it raises SystemError
            raise ValueError("no text")
    return values


def _with_sparse(arrays: dict[str, Any], source: str) -> dict[str, Any]:
    """The arrays with a sparse matrix, as scipy saves it, in the place of its parts."""
    if not {"data", "shape"} <= arrays.keys() or "X" in arrays:
        return arrays
    layout = _text(arrays.pop("format", "csr" if "indptr" in arrays else "coo"))
    if layout in LAYOUTS and {"indices", "indptr"} <= arrays.keys():
        values, inner, pointers, shape = (arrays.pop(name) for name in ("data", "indices", "indptr", "shape"))
        return {**arrays, "X": checked_sparse(values, inner, pointers, shape, layout, source)}
    if layout == "coo" and {"row", "col"} <= arrays.keys():
        values, rows, columns, shape = (arrays.pop(name) for name in ("data", "row", "col", "shape"))
        return {**arrays, "X": checked_coordinates(values, rows, columns, shape, source)}
    raise InputError(
        f"{source}: holds a sparse matrix of the kind {shown(layout)} that is not known or not whole; save it as csr, "
        "csc or coo."
    )


def _text(value: Any) -> str:
    """Text of one cell: MATLAB wraps it in arrays, numpy may hold bytes."""
    while isinstance(value, np.ndarray) and value.size <= 1:
        value = value.ravel()[0] if value.size else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value).strip()


def from_arrays(arrays: Mapping[str, Any], source: str, wanted: ColumnRoles) -> Table:
    """A table of the array X; labels, names of samples and of features are other arrays."""
    if "X" not in arrays:
        raise InputError(f"{source}: needs an array 'X' (samples x features), has {listed(arrays) or 'nothing'}.")
    X = arrays["X"]
    if getattr(X, "ndim", None) != 2 or X.dtype.kind not in "buif":
        found = f"shape {X.shape} of {X.dtype.name}" if hasattr(X, "dtype") else "none"
        raise InputError(f"{source}: 'X' must be a matrix of real numbers, got {found}.")
    if wanted.names_first:
        wanted = replace(wanted, samples=SAMPLE_NAMES)
    labels, sample_names = (_column(arrays, name, source) for name in (wanted.label, wanted.samples))
    y, label_text = None, None
    notes: tuple[str, ...] = ()
    if labels is not None:
        label_text = text_of(labels)
        numeric = labels.dtype.kind in "buif"
        y = labels if numeric else labels_of(label_text, str(wanted.label), source)
        notes = () if numeric else tuple(missing_by_name(label_text))
    names = _feature_names(arrays, X.shape[1], source)
    sample_names = None if sample_names is None else text_of(sample_names)
    return without_columns(Table(X, names, y, notes, sample_names, label_text), wanted, source)


def _column(arrays: Mapping[str, Any], name: str | None, source: str) -> NDArray[Any] | None:
    """An array of labels or names in one dimension: numbers, or text."""
    if name is None:
        return None
    values = np.asarray(arrays[find_name(name, [other for other in arrays if other != "X"], source, "array")]).ravel()
    return values if values.dtype.kind in "buif" else np.array([_text(value) for value in values], dtype=object)


def _feature_names(arrays: Mapping[str, Any], n_features: int, source: str) -> tuple[str, ...]:
    check_memory(NAME * n_features, source, f"a table of {counted(n_features, 'feature')}")
    if FEATURE_NAMES not in arrays:
        return tuple(f"x{j}" for j in range(n_features))
    names = tuple(_text(name) for name in np.asarray(arrays[FEATURE_NAMES]).ravel())
    if len(names) != n_features:
        raise InputError(f"{source}: {counted(len(names), 'feature name')} for {counted(n_features, 'column')} of 'X'.")
    return names


def without_columns(table: Table, wanted: ColumnRoles, source: str) -> Table:
    """The table without the features to be ignored."""
    if not wanted.ignore:
        return table
    dropped = wanted.ignored(table.feature_names, source, "feature")
    kept = [j for j, name in enumerate(table.feature_names) if name not in dropped]
    X = sparse.csc_array(table.X)[:, kept] if sparse.issparse(table.X) else table.X[:, kept]
    return replace(table, X=X, feature_names=tuple(table.feature_names[j] for j in kept))
