"""Tables of named arrays: npz and mat. Nothing is ever unpickled."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.labels import labels_of, missing_by_name, text_of
from eigenselect.io.table import Table, find_name, first_sentence
from eigenselect.io.wanted import Wanted


def npz_arrays(path: str) -> dict[str, Any]:
    """All arrays of an npz archive; those of a sparse matrix are joined as X."""
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: is not an npz archive; save it as np.savez(path, X=...).")
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except ValueError as error:
        message = "holds pickled objects, which are never loaded; save plain numbers and text"
        raise InputError(f"{path}: {message} ({first_sentence(error)}).") from None
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
    while isinstance(value, np.ndarray) and value.size <= 1:
        value = value.ravel()[0] if value.size else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value).strip()


def mat_arrays(path: str) -> dict[str, Any]:
    """All variables of a MATLAB file."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        arrays = loadmat(path)
    except NotImplementedError:
        raise InputError(f"{path}: is a MATLAB 7.3 file; save it with -v7.") from None
    except (MatReadError, ValueError, TypeError) as error:
        raise InputError(f"{path}: is not a mat file ({error}).") from None
    return {name: value for name, value in arrays.items() if not name.startswith("__")}


def from_arrays(arrays: dict[str, Any], source: str, wanted: Wanted) -> Table:
    """A table of the array X; labels, names of samples and of features are other arrays."""
    if "X" not in arrays:
        listed = ", ".join(map(repr, arrays)) or "nothing"
        raise InputError(f"{source}: needs an array 'X' (samples x features), has {listed}.")
    X = arrays["X"]
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise InputError(f"{source}: 'X' must be a matrix of real numbers, got shape {X.shape} of {X.dtype}.")
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


def _column(arrays: dict[str, Any], name: str | None, source: str) -> NDArray[Any] | None:
    """An array of labels or names in one dimension: numbers, or text."""
    if name is None:
        return None
    values = np.asarray(arrays[find_name(name, [other for other in arrays if other != "X"], source, "array")]).ravel()
    return values if values.dtype.kind in "buif" else np.array([_text(value) for value in values], dtype=object)


def _feature_names(arrays: dict[str, Any], n_features: int, source: str) -> tuple[str, ...]:
    if "feature_names" not in arrays:
        return tuple(f"x{j}" for j in range(n_features))
    names = tuple(_text(name) for name in np.asarray(arrays["feature_names"]).ravel())
    if len(names) != n_features:
        raise InputError(f"{source}: {len(names)} feature_names for {n_features} columns of 'X'.")
    return names


def without_columns(table: Table, wanted: Wanted, source: str) -> Table:
    """The table without the features to be ignored."""
    if not wanted.ignore:
        return table
    dropped = wanted.ignored(table.feature_names, source, "feature")
    kept = [j for j, name in enumerate(table.feature_names) if name not in dropped]
    X = sparse.csc_array(table.X)[:, kept] if sparse.issparse(table.X) else table.X[:, kept]
    return replace(table, X=X, feature_names=tuple(table.feature_names[j] for j in kept))
