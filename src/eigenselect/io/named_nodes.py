"""One table among the arrays of a hierarchy, HDF5 or zarr: which it is, and what stands beside it.

The table is an array of two dimensions, or a group with the parts of a sparse matrix as anndata writes them (``data``,
``indices``, ``indptr`` and the attributes ``encoding-type`` and ``shape``). Arrays of one dimension in the same group
may hold names and labels.

This file imports nothing but numpy, because a process of its own reads HDF5 first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenselect.exceptions import listed

#: the table that is read where several are there and none is named
USUAL = "X"
#: nodes that are looked at before a hierarchy is taken for endless, and groups within groups
MOST_NODES, DEEPEST = 10_000, 32
SPARSE = ("data", "indices", "indptr")


class NoTableError(ValueError):
    """A hierarchy holds no table, or several of which none is named; the text says it."""


@dataclass(frozen=True)
class Access:
    """How nodes are reached: what differs between libraries.

    Attributes
    ----------
    part : callable
        From a group and a name to a node; KeyError if there is none.
    values : callable
        From an array to its values.
    """

    part: Callable[[Any, str], Any]
    values: Callable[[Any], Any]


@dataclass(frozen=True)
class NamedArrays:
    """Hold a table and the arrays beside it.

    Attributes
    ----------
    matrix : dict
        ``X``; or data, indices, indptr and shape.
    layout : {"dense", "csr", "csc"}
    others : dict of str to ndarray
        Arrays of one dimension that are as long as the table is high or wide.
    path : str
        Where the table stands.
    """

    matrix: dict[str, Any]
    layout: str
    others: dict[str, Any] = field(default_factory=dict)
    path: str = USUAL


def named_arrays(root: Any, access: Access, table: str | None) -> NamedArrays:
    """Read the table that is named, or the only one, or the one that is called X, and what stands beside it.

    Parameters
    ----------
    root : group or array
    access : Access
    table : str, optional
        A path within the hierarchy.

    Raises
    ------
    NoTableError
        If there is none, or several.
    KeyError
        If there is none of this name.
    """
    if hasattr(root, "shape"):
        if table is not None:
            raise NoTableError(f"is one array, which has no part {table!r}")
        return NamedArrays({"X": access.values(root)}, "dense")
    path = _only(root, access) if table is None else table.strip("/")
    node = access.part(root, path)
    layout, shape = layout_of(node)
    if layout is None:
        raise NoTableError(f"{path!r} is no matrix of numbers, nor a sparse one as anndata writes it")
    parts = {"X": node} if layout == "dense" else {name: access.part(node, name) for name in SPARSE}
    matrix = {name: access.values(part) for name, part in parts.items()}
    if layout != "dense":
        matrix["shape"] = np.asarray(shape)
    folder, _, own = path.rpartition("/")
    group = access.part(root, folder) if folder else root
    return NamedArrays(matrix, layout, _beside(group, access, own, tuple(shape)), path)


def layout_of(node: Any) -> tuple[str | None, Any]:
    """Tell whether a node is a table, "dense", "csr" or "csc", and its shape; None where it is none."""
    if hasattr(node, "shape"):
        shape = tuple(node.shape or ())
        return ("dense" if len(shape) == 2 and node.dtype.kind in "buif" else None), shape
    attributes = dict(node.attrs)
    kind, shape = attributes.get("encoding-type"), attributes.get("shape", ())
    kind = kind.decode("utf-8", "replace") if isinstance(kind, bytes) else str(kind)
    found = kind.removesuffix("_matrix")
    sound = found in ("csr", "csc") and len(np.ravel(shape)) == 2 and all(name in node for name in SPARSE)
    return (found if sound else None), tuple(np.ravel(shape).tolist())


def _only(root: Any, access: Access) -> str:
    """Find the table that is meant where none is named."""
    found = list(_tables(root, access, "", [MOST_NODES], DEEPEST))
    if USUAL in found or len(found) == 1:
        return USUAL if USUAL in found else found[0]
    if found:
        raise NoTableError(f"holds {len(found)} tables ({listed(found)}), of which none is named")
    raise NoTableError("holds no matrix of numbers")


def names_of_tables(root: Any, access: Access) -> list[str]:
    """List the paths of all tables; where there are none, or too much to look through, what stands at the top."""
    try:
        found = list(_tables(root, access, "", [MOST_NODES], DEEPEST))
    except NoTableError:
        found = []
    return sorted(found or [str(name) for name in root.keys()])  # noqa: SIM118 - groups of zarr


def _tables(group: Any, access: Access, before: str, left: list[int], deep: int) -> Iterator[str]:
    """Yield the paths of all tables; stop in what has no end."""
    for name in list(group.keys()):
        left[0] -= 1
        if left[0] < 0 or deep < 0:
            raise NoTableError("holds more groups than can be looked through, and no table is named")
        node, path = _followed(group, access, name), f"{before}{name}"
        if node is not None and layout_of(node)[0] is not None:
            yield path
        elif node is not None and not hasattr(node, "shape"):
            yield from _tables(node, access, f"{path}/", left, deep - 1)


def _beside(group: Any, access: Access, own: str, shape: tuple[int, ...]) -> dict[str, Any]:
    """Read the arrays of a group that have an entry for each sample or each feature."""
    found = {}
    for name in list(group.keys()):
        node = _followed(group, access, name) if name not in (own, USUAL) else None
        size = tuple(getattr(node, "shape", None) or ())
        if len(size) == 1 and size[0] in shape:
            found[str(name)] = access.values(node)
    return found


def _followed(group: Any, access: Access, name: str) -> Any:
    """Return a node of a group; None for a link that leads nowhere, or in a circle."""
    try:
        return access.part(group, name)
    except (KeyError, RecursionError):
        return None
