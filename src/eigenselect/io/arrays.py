"""Tables of named arrays, dense and sparse, as of npz and mat files. Nothing is ever unpickled.

An npz file is a zip archive with one member ``NAME.npy`` for each array. Such a member is a header (magic bytes, a
version, and the type, order and shape of the array as text) and then the bytes of the values, nothing else [1]_. The
archive says how long the member is, the header how long it should be: both must agree before anything is allocated.
Only arrays of objects are pickled; their header says so, and they are refused.

The table is the array ``X``. A sparse ``X`` may stand in its place by its parts, with the names that
``scipy.sparse.save_npz`` gives them: ``data``, ``shape``, ``format``, and ``indices``, ``indptr`` (csr, csc) or
``row``, ``col`` (coo). ``feature_names`` holds the names of features, or else an array of text as long as X is wide
whose name says so, such as ``geneSym``; any other array may hold labels or names of samples. The whole structure of a
sparse matrix is checked before any compiled loop follows it.

References
----------
.. [1] R. Kern, "NEP 1: A simple file format for NumPy arrays", 2007.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib import format as npy
from scipy import sparse

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, counted, listed, shown
from eigenselect.io.column_roles import ColumnRoles
from eigenselect.io.errors import damaged, find_name, reading_as
from eigenselect.io.labels import labels_of, text_of
from eigenselect.io.memory import NAME, check_memory, product
from eigenselect.io.table import Table
from eigenselect.matrix import as_matrix

_AXES = ("rows", "columns")
#: compressed layouts, and the axis that their pointers walk along
LAYOUTS = {"csr": (sparse.csr_array, 0), "csc": (sparse.csc_array, 1)}
#: what an array of names is called where none is named
SAMPLE_NAMES = "sample"
#: values that take no bytes, such as empty texts, of which an array may claim any number
ENDLESS = 10_000_000
FEATURE_NAMES = "feature_names"
#: what arrays of names of features are called, in small letters without other marks, the best first: symbols are
#: preferred to ids, which people do not know by heart
NAMED = (
    *("featurenames", "featurename", "varnames", "variablenames", "genesymbols", "genesymbol", "genesym", "symbols"),
    *("symbol", "genenames", "genename", "genes", "gene", "words", "word", "terms", "vocabulary", "vocab", "colnames"),
    *("columnnames", "columns", "features", "variables", "names", "proteins", "probes", "geneids", "geneid", "ensembl"),
    *("ensemblids", "entrez", "probeids", "probeid", "featureids", "ids"),
)
#: ends of other such names, such as go_names
NAMED_ENDS = ("symbols", "names", "words", "genes", "ids")
#: beginnings of names that mean something else, such as class_names
OF_SAMPLES = ("class", "label", "target", "group", "sample", "obs", "cell", "spot", "row", "doc", "image")


def npz_arrays(path: str, source: str) -> dict[str, Any]:
    """Read all arrays of an npz archive; join those of a sparse matrix as X.

    Raises
    ------
    InputError
        If the file is no zip archive, holds pickled objects, does not fit into memory or is damaged, or its sparse
        matrix is of a kind that is not known.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.npz")
    ...     sparse.save_npz(path, sparse.csr_array([[0, 3], [0, 0]]))
    ...     npz_arrays(path, "x.npz")["X"].toarray()
    array([[0, 3],
           [0, 0]])
    """
    if not zipfile.is_zipfile(path):
        raise InputError(f"{source}: is not an npz archive; save it as np.savez(path, X=...).")
    with reading_as("npz", source), zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        sizes = [_size(archive, member, source) for member in members]
        check_memory(sum(sizes), source, "reading it")
        arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    return _with_sparse(arrays, source)


def _size(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: str) -> int:
    """Give the bytes of an array by its header, which must agree with what the archive says of it."""
    with archive.open(member) as file:
        shape, _, kind = header_of(file)
        if kind.hasobject:
            raise InputError(f"{source}: holds pickled objects, which are never loaded; save plain numbers and text.")
        size = product(shape) * kind.itemsize
        endless = kind.itemsize == 0 and product(shape) > ENDLESS  # values without bytes, as many as one likes
        if endless or min(shape, default=0) < 0 or size != member.file_size - file.tell():
            raise damaged(source, "npz")
    return size


def header_of(file: Any) -> tuple[tuple[int, ...], bool, Any]:
    """Read what the header of an array says: its shape, whether columns lie together, and the type of its values."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_column, kind = read(file)
    return shape, by_column, kind


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> AnyArray:
    """Read the values of one array, never pickled ones; refuse text with codes that are no letters."""
    with archive.open(member) as file:
        values = npy.read_array(file, allow_pickle=False)
    if values.dtype.kind == "U" and values.size:
        codes = np.atleast_1d(values).astype(values.dtype.newbyteorder("=")).view(np.uint32)
        if codes.max(initial=0) > sys.maxunicode:  # no letter; to look at it raises SystemError
            raise ValueError("no text")
    return values


def _with_sparse(arrays: dict[str, Any], source: str) -> dict[str, Any]:
    """Put a sparse matrix, as scipy saves it, in the place of its parts."""
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
    """Give the text of one cell: MATLAB wraps it in arrays, numpy may hold bytes."""
    while isinstance(value, np.ndarray) and value.size <= 1:
        value = value.ravel()[0] if value.size else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value).strip()


def from_arrays(arrays: Mapping[str, Any], source: str, roles: ColumnRoles, *, turned: bool = False) -> Table:
    """Make a table of the array X; labels, names of samples and of features are other arrays.

    X must be a matrix of real numbers and is not converted, but exchanged with its transpose if it is ``turned``. The
    others may have any shape, as MATLAB knows no vectors. Features without names are called x0, x1, …

    >>> table = from_arrays({"X": np.eye(2), "class": np.array([[1], [2]])}, "x.npz", ColumnRoles(label="class"))
    >>> table.feature_names, table.y
    (('x0', 'x1'), array([1, 2]))
    """
    if roles.describes:
        return _described(arrays)
    if "X" not in arrays:
        raise InputError(f"{source}: needs an array 'X' (samples x features), has {listed(arrays) or 'nothing'}.")
    X = arrays["X"]
    if getattr(X, "ndim", None) != 2 or X.dtype.kind not in "buif":
        found = f"shape {X.shape} of {X.dtype.name}" if hasattr(X, "dtype") else "none"
        raise InputError(f"{source}: 'X' must be a matrix of real numbers, got {found}.")
    X = X.T if turned else X
    if roles.names_first:
        roles = replace(roles, samples=SAMPLE_NAMES)
    labels, sample_names = (_column(arrays, name, source) for name in (roles.label, roles.samples))
    y, label_text = None, None
    if labels is not None:
        label_text = text_of(labels)
        numeric = labels.dtype.kind in "buif"
        y = labels if numeric else labels_of(label_text, str(roles.label), source)
    others = {name: values for name, values in arrays.items() if name not in ("X", roles.label, roles.samples)}
    names, told = _feature_names(others, X.shape, source)
    sample_names = None if sample_names is None else text_of(sample_names)
    table = Table(X, names, y, told, sample_names, label_text, ids=_telling(others, X.shape[0]))
    return without_columns(table, roles, source)


def is_name_of_names(name: str) -> bool:
    """Tell whether an array of this name may hold names of features or samples.

    >>> is_name_of_names("geneSym"), is_name_of_names("cell_barcodes"), is_name_of_names("spectra")
    (True, True, False)
    """
    plain = _plain(name)
    return plain in NAMED or plain.endswith((*NAMED_ENDS, "barcodes", "samples", "cells"))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _described(arrays: Mapping[str, Any]) -> Table:
    """Make a table of what arrays say of samples: those that are as long as X, or else as the longest of them."""
    rows = {name: np.asarray(values).ravel() for name, values in arrays.items() if _is_row(values)}
    shape: tuple[int, ...] = getattr(arrays.get("X"), "shape", ())
    length = shape[0] if len(shape) == 2 else max(map(len, rows.values()), default=0)
    columns = {name: _text_or_numbers(values) for name, values in rows.items() if len(values) == length}
    frame = pd.DataFrame({name: text_of(values) for name, values in columns.items()})
    return Table(np.empty((length, 0)), (), covariates=frame if columns else None)


def _is_row(values: Any) -> bool:
    """Tell whether an array has one axis that is longer than 1, as vectors of MATLAB do."""
    return isinstance(values, np.ndarray) and values.ndim > 0 and max(values.shape) == values.size > 0


def _text_or_numbers(values: AnyArray) -> AnyArray:
    return values if values.dtype.kind in "buif" else np.array([_text(value) for value in values], dtype=object)


def _telling(arrays: Mapping[str, Any], n_samples: int) -> pd.DataFrame | None:
    """Collect arrays of text with an entry for each sample, by which they may be found in another file."""
    rows = {name: np.asarray(v).ravel() for name, v in arrays.items() if _is_row(v) and np.size(v) == n_samples}
    found = {name: _text_or_numbers(values) for name, values in rows.items() if values.dtype.kind in "USO"}
    return pd.DataFrame(found) if found else None


def _column(arrays: Mapping[str, Any], name: str | None, source: str) -> AnyArray | None:
    """Take an array of labels or names in one dimension: numbers, or text."""
    if name is None:
        return None
    values = np.asarray(arrays[find_name(name, [other for other in arrays if other != "X"], source, "array")]).ravel()
    return _text_or_numbers(values)


def _feature_names(
    arrays: Mapping[str, Any], shape: tuple[int, ...], source: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the names of the features, or x0, x1, … if there are none, and what to say of it."""
    n_samples, n_features = shape
    check_memory(NAME * n_features, source, f"a table of {counted(n_features, 'feature')}")
    if FEATURE_NAMES in arrays:
        names = tuple(_text(name) for name in np.asarray(arrays[FEATURE_NAMES]).ravel())
        if len(names) != n_features:
            raise InputError(
                f"{source}: {counted(len(names), 'feature name')} for {counted(n_features, 'column')} of 'X'."
            )
        return names, ()
    found = _named_like_features(arrays, n_samples, n_features)
    if found is None:
        return tuple(f"x{j}" for j in range(n_features)), ()
    names = tuple(_text(name) for name in np.asarray(arrays[found]).ravel())
    return names, (f"the array {shown(found)} is taken for names of features",)


def _named_like_features(arrays: Mapping[str, Any], n_samples: int, n_features: int) -> str | None:
    """Find an array of text with an entry for each feature whose name says that it names features.

    The order of `NAMED` decides between several, and then their own. In a square table a name that could mean samples,
    such as ``names`` or ``ids``, decides nothing.
    """
    fit = [name for name, values in arrays.items() if _is_row(values) and values.size == n_features]
    text = [name for name in fit if arrays[name].dtype.kind in "USO" and not _plain(name).startswith(OF_SAMPLES)]
    known = [name for name in text if _plain(name) in NAMED]
    ends = [name for name in text if n_samples != n_features and _plain(name).endswith(NAMED_ENDS)]
    if n_samples == n_features:
        known = [name for name in known if _plain(name) not in ("names", "ids")]
    ranked = sorted(known, key=lambda name: NAMED.index(_plain(name)))
    ranked += sorted(ends, key=lambda name: next(k for k, end in enumerate(NAMED_ENDS) if _plain(name).endswith(end)))
    return next(iter(ranked), None)


def without_columns(table: Table, roles: ColumnRoles, source: str) -> Table:
    """Leave the ignored features out."""
    if not roles.ignore:
        return table
    dropped = roles.ignored(table.feature_names, source, "feature")
    kept = np.array([j for j, name in enumerate(table.feature_names) if name not in dropped], dtype=np.intp)
    names = tuple(table.feature_names[j] for j in kept)
    return replace(table, X=as_matrix(table.X).take_columns(kept).raw, feature_names=names)


# -- sparse matrices -------------------------------------------------------------------------


def checked_sparse(data: Any, indices: Any, indptr: Any, shape: Any, layout: str, source: str) -> Any:
    r"""Make a csr or csc matrix of its parts.

    Row i (csr) or column i (csc) holds the entries :math:`p_i \le e < p_{i+1}`, so that the pointers p must start at 0,
    never decrease and end within the entries, and every index must be one of the other axis. Compiled loops do not
    check this: a wrong number makes them read or write memory that is not theirs.

    Parameters
    ----------
    data, indices, indptr : array-like
        Values, their columns (csr) or rows (csc), and where each row (column) begins. What stands beyond the last
        pointer is left out.
    shape : array-like
        Numbers of rows and columns.
    layout : {"csr", "csc"}
    source : str
        What messages call the file.

    Returns
    -------
    csr_array or csc_array
        Without duplicates: entries that stand at one place more than once are added.

    Examples
    --------
    >>> checked_sparse([5.0, 1.0, 2.0], [1, 0, 0], [0, 1, 3], [2, 2], "csr", "x.npz").toarray()
    array([[0., 5.],
           [3., 0.]])
    >>> checked_sparse([5.0], [0], [0, 1, 0], [2, 1], "csr", "x")
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x: is damaged, its sparse matrix has index pointers that decrease; save it again.
    """
    kind, axis = LAYOUTS[layout]
    size = _checked_shape(shape, source)
    values, inner = _checked_values(data, source), _whole(indices, "indices", source)
    pointers = _whole(indptr, "index pointers", source)
    _demand(len(pointers) == size[axis] + 1, source, f"{len(pointers)} index pointers for {size[axis]} {_AXES[axis]}")
    _demand(pointers[0] == 0, source, f"index pointers that start at {pointers[0]}, not at 0")
    _demand(bool((pointers[1:] >= pointers[:-1]).all()), source, "index pointers that decrease")
    _demand(len(values) == len(inner), source, f"{len(values)} values for {len(inner)} indices")
    n_entries = int(pointers[-1])
    _demand(n_entries <= len(values), source, f"index pointers up to {n_entries} for {len(values)} values")
    inner, values = inner[:n_entries], values[:n_entries]
    _check_range(inner, size[1 - axis], _AXES[1 - axis], source)
    matrix = kind((values, inner, pointers), shape=size)
    matrix.sum_duplicates()
    return matrix


def checked_coordinates(data: Any, rows: Any, columns: Any, shape: Any, source: str) -> sparse.csr_array:
    """Make a matrix of values and the row and column of each; those that share a place are added.

    >>> checked_coordinates([1.0, 2.0], [0, 0], [1, 1], [1, 2], "x.npz").toarray()
    array([[0., 3.]])
    """
    size = _checked_shape(shape, source)
    values, places = _checked_values(data, source), [_whole(part, "indices", source) for part in (rows, columns)]
    for inner, length, axis in zip(places, size, _AXES, strict=True):
        _demand(len(inner) == len(values), source, f"{len(values)} values for {len(inner)} indices of {axis}")
        _check_range(inner, length, axis, source)
    return sparse.csr_array(sparse.coo_array((values, tuple(places)), shape=size))


def _demand(fine: bool, source: str, found: str) -> None:
    """Raise that the sparse matrix is damaged unless it is ``fine``; ``found`` says what it has."""
    if not fine:
        raise InputError(f"{source}: is damaged, its sparse matrix has {found}; save it again.")


def _checked_shape(shape: Any, source: str) -> tuple[int, int]:
    """Give the shape as two whole numbers, for which there is memory, and whose product fits into 64 bits."""
    given = np.asarray(shape)
    _demand(given.shape == (2,) and given.dtype.kind in "iu", source, "a shape that is not two whole numbers")
    size = (int(given[0]), int(given[1]))
    _demand(min(size) >= 0 and product(size) < 2**63, source, f"the shape {size[0]} x {size[1]}")
    check_memory(NAME * max(size), source, f"a table of {size[0]} x {size[1]}")
    return size


def _checked_values(data: Any, source: str) -> AnyArray:
    values = np.asarray(data)
    _demand(values.ndim == 1 and values.dtype.kind in "buif", source, "values that are not a row of real numbers")
    return values


def _whole(part: Any, what: str, source: str) -> AnyArray:
    values = np.asarray(part)
    _demand(values.ndim == 1 and values.dtype.kind in "iu", source, f"{what} that are not a row of whole numbers")
    _demand(what == "indices" or values.size > 0, source, f"no {what}")
    return values if values.dtype.kind == "i" else values.astype(np.int64)  # what is too large becomes negative


def _check_range(indices: AnyArray, length: int, axis: str, source: str) -> None:
    if indices.size:
        low, high = int(indices.min()), int(indices.max())
        _demand(low >= 0 and high < length, source, f"indices from {low} to {high} for {length} {axis}")
