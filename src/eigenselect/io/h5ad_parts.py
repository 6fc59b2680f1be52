"""The parts of an h5ad file that a table needs: X, names, and columns of obs, as they are stored.

The file is HDF5, with groups as folders and datasets as arrays [1]_. Attributes say how a part is encoded:

========================  ==============================================================================
``X``                     a dataset of shape (observations, variables), or a group with the attributes
                          ``encoding-type`` = ``csr_matrix`` or ``csc_matrix`` and ``shape``, and the
                          datasets ``data``, ``indices`` and ``indptr``
``obs``, ``var``          groups; the attribute ``_index`` is the name of the dataset with the names,
                          ``column-order`` of ``obs`` the names of its columns
a column of ``obs``       a dataset; a group ``categorical`` with ``categories`` and ``codes``; or a
                          group ``nullable-…`` with ``values`` and ``mask``
========================  ==============================================================================

Old versions call the attributes of X ``h5sparse_format`` and ``h5sparse_shape``. If obs, var or a column is encoded in
another way, `UnknownLayoutError` leaves the file to anndata.

HDF5 may crash or run for ever on a damaged file, so `outlives` reads the same parts in a process of its own first. That
is why this file imports nothing but h5py and numpy, and nothing of this package.

References
----------
.. [1] anndata documentation, "On-disk format".
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import h5py
import numpy as np

#: bytes of X beyond which the first process reads its ends only
LARGE = 1 << 26
#: seconds that reading may take before it is taken for hung, and bytes of a file that earn one second more
PATIENCE, BYTES_A_SECOND = 60, 10_000_000


class UnknownLayoutError(ValueError):
    """The file is of an old version, or of one to come."""


class OutsideError(ValueError):
    """Some of the file's content is in another file, which nobody has named."""


@dataclass
class Parts:
    """Hold what was read; columns are arrays by the name of their part.

    Attributes
    ----------
    matrix : dict
        X, or data, indices, indptr and shape; empty if there is none.
    layout : str
        "dense", "csr", "csc", "none", or what else the file says.
    features, samples : ndarray
        Names of variables and observations.
    index_name : str
        Of ``obs``; ``_index`` if it has none.
    column_names : list of str
        All columns of ``obs``.
    columns : dict
        Of those that were asked for: values, values and mask, or codes and categories.
    """

    matrix: dict[str, Any]
    layout: str
    features: Any
    samples: Any
    index_name: str
    column_names: list[str]
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)


def outlives(path: str) -> bool:
    """Tell whether a process that reads the file ends by itself, be it with an error that we can catch.

    The process is this file, run as a program. A signal ends it if HDF5 crashes; it hangs if it takes more than a
    minute and a second for each 10 MB. Where no process can be started, every file is taken for sound.
    """
    patience = PATIENCE + os.path.getsize(path) / BYTES_A_SECOND
    silent = subprocess.DEVNULL
    if not sys.executable or getattr(sys, "frozen", False):  # Python within another program, which is not to be started
        return True
    try:
        # -P: modules of this folder must not hide others
        child = subprocess.Popen([sys.executable, "-P", __file__, path], stdin=silent, stdout=silent, stderr=silent)
    except OSError:  # no process can be started here
        return True
    with child:
        try:
            return child.wait(patience) >= 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            child.kill()


def read_parts(path: str, asked: Sequence[str] | None, *, most: float = float("inf")) -> Parts:
    """Read X, the names, and the columns of obs that are asked for and there; all of them if None is given.

    Parameters
    ----------
    path : str
    asked : sequence of str or None
    most : float
        Bytes of X beyond which only its first and last values are read.

    Raises
    ------
    UnknownLayoutError
        If obs or var is no group, or a column is encoded in a way that is not known.
    OutsideError
        If a part is in another file. It is never opened: it may be any file that this user can read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.h5ad")
    ...     with h5py.File(path, "w") as file:
    ...         file["X"] = np.eye(2)
    ...         for name, index in (("obs", ["cell 1", "cell 2"]), ("var", ["TP53", "MYC"])):
    ...             file[f"{name}/_index"] = index
    ...             file[name].attrs.update({"_index": "_index", "column-order": np.array([])})
    ...     parts = read_parts(path, [])
    >>> parts.layout, parts.samples.tolist(), parts.features.tolist()
    ('dense', ['cell 1', 'cell 2'], ['TP53', 'MYC'])
    """
    with h5py.File(path, "r") as file:
        obs, var = (_part(file, name) for name in ("obs", "var"))
        if not (isinstance(obs, h5py.Group) and isinstance(var, h5py.Group)):
            raise UnknownLayoutError("obs and var are no groups")
        matrix, layout = _matrix(file, most)
        index_name = _text(obs.attrs["_index"])
        names = [_text(name) for name in np.asarray(obs.attrs["column-order"]).ravel()]
        wanted = names if asked is None else [name for name in names if name in asked]
        features = _values(_part(var, _text(var.attrs["_index"])))
        samples = _values(_part(obs, index_name))
        return Parts(matrix, layout, features, samples, index_name, names, {n: _column(_part(obs, n)) for n in wanted})


def refuse_outside(path: str) -> None:
    """Look for links to other files in the whole file, all of which anndata reads, and follow none."""
    with h5py.File(path, "r") as file:
        _visit(file)


def _part(group: Any, name: str) -> Any:
    """Give a part of a group; never open what is in another file, by link or by storage."""
    node = group
    for step in name.split("/"):
        link = node.get(step, getlink=True) if step not in ("", ".") else None
        if isinstance(link, h5py.ExternalLink):
            raise OutsideError(name)
        if isinstance(link, h5py.SoftLink):  # one in a circle ends in RecursionError
            node = _part(node.file if link.path.startswith("/") else node, link.path)
        elif link is not None:
            node = node[step]
    if isinstance(node, h5py.Dataset) and (node.is_virtual or node.external):
        raise OutsideError(name)
    return node


def _matrix(file: Any, most: float) -> tuple[dict[str, Any], str]:
    """Read X and its layout; "none" if there is no X, or one of the type null."""
    node = _part(file, "X") if file.get("X", getlink=True) is not None else None
    if node is None or _text(node.attrs.get("encoding-type", "")) == "null":
        return {}, "none"
    if isinstance(node, h5py.Dataset):
        return {"X": _values(node, most)}, "dense"
    kind = _text(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", "")))
    parts = {name: _values(_part(node, name), most) for name in ("data", "indices", "indptr")}
    shape = node.attrs["shape"] if "shape" in node.attrs else node.attrs["h5sparse_shape"]
    return {**parts, "shape": np.asarray(shape)}, kind.removesuffix("_matrix")


def _column(node: Any) -> dict[str, Any]:
    """Read categories and codes, values and a mask, or values alone."""
    if isinstance(node, h5py.Dataset):
        if "categories" in node.attrs:
            raise UnknownLayoutError("categories of an old version")
        return {"values": _values(node)}
    kind = _text(node.attrs["encoding-type"])
    if kind == "categorical":
        categories = _part(node, "categories")
        inner = categories if isinstance(categories, h5py.Dataset) else _part(categories, "values")
        return {"categories": _values(inner), "codes": _values(_part(node, "codes"))}
    if kind.startswith("nullable-"):
        return {name: _values(_part(node, name)) for name in ("values", "mask")}
    raise UnknownLayoutError(kind)


def _values(node: Any, most: float = float("inf")) -> Any:
    """Read all values, text as text; the first and the last of what has more than ``most`` bytes."""
    size = node.dtype.itemsize
    for length in node.shape:
        size *= int(length)
    if h5py.check_string_dtype(node.dtype) is not None:
        node = node.asstr()
    return node[()] if size <= most else (node[(0,) * len(node.shape)], node[(-1,) * len(node.shape)])


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _visit(group: Any, read: Callable[[Any], Any] | None = None, seen: set[int] | None = None) -> None:
    """Go through all groups, each once, and ``read`` every array."""
    seen = set() if seen is None else seen
    for name in group:
        node = _part(group, name)
        dict(node.attrs)
        if isinstance(node, h5py.Dataset) and read is not None:
            read(node)
        elif isinstance(node, h5py.Group) and (place := h5py.h5o.get_info(node.id).addr) not in seen:
            seen.add(place)
            _visit(node, read, seen)


def _main(path: str) -> None:
    """Read everything once and forget it."""
    try:
        read_parts(path, None, most=LARGE)
    except UnknownLayoutError:
        with h5py.File(path, "r") as file:
            _visit(file, lambda node: _values(node, LARGE))


if __name__ == "__main__":
    _main(sys.argv[1])
