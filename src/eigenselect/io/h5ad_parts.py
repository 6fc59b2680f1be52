"""The parts of an h5ad file that a table needs: a matrix, names, columns of obs and a graph, as they are stored.

The file is HDF5, with groups as folders and datasets as arrays [1]_. Attributes say how a part is encoded:

========================  ==============================================================================
``X``                     a dataset of shape (observations, variables), or a group with the attributes
                          ``encoding-type`` = ``csr_matrix`` or ``csc_matrix`` and ``shape``, and the
                          datasets ``data``, ``indices`` and ``indptr``
``obs``, ``var``          groups; the attribute ``_index`` is the name of the dataset with the names,
                          ``column-order`` of ``obs`` the names of its columns
a column of ``obs``       a dataset; a group ``categorical`` with ``categories`` and ``codes``; or a
                          group ``nullable-…`` with ``values`` and ``mask``
``layers``, ``obsp``      groups of matrices stored as X is; those of ``obsp`` are square
``raw``                   a group with an X and a var of its own
``obsm``                  a group of arrays with a row for each observation
``uns``                   groups; one with a group ``params`` records how a graph, or the column of ``obs`` of
                          its name, was made
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

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import h5py
import numpy as np

#: bytes of X beyond which the first process reads its ends only
LARGE = 1 << 26
#: seconds that reading may take before it is taken for hung, and bytes of a file that earn one second more
PATIENCE, BYTES_A_SECOND = 60, 10_000_000
#: bytes that one byte of a file may stand for: zlib packs at most 1032 into one
RATIO = 2000


class UnknownLayoutError(ValueError):
    """The file is of an old version, or of one to come."""


class BoundlessError(ValueError):
    """An array claims more values than the file can hold."""


class OutsideError(ValueError):
    """Some of the file's content is in another file, which nobody has named."""


class AbsentError(KeyError):
    """There is no part of this name; ``names`` are those of its kind that are there."""

    def __init__(self, what: str, wanted: str, names: Sequence[str] = ()) -> None:
        super().__init__(what, wanted)
        self.what, self.wanted, self.names = what, wanted, list(names)


@dataclass(frozen=True)
class Wanted:
    """Name the parts that are read.

    Attributes
    ----------
    root : str
        The group that holds the annotated table: ``/``, or that of a modality.
    layer : str, optional
        A layer in place of X.
    raw : bool
        ``raw/X`` and ``raw/var`` in place of X and var.
    graph : str, optional
        A matrix of ``obsp``.
    planes : sequence of str
        Entries of ``obsm`` whose first two columns are read, where they can be.
    places : str, optional
        An entry of ``obsm`` that is read as a whole.

    Examples
    --------
    >>> Wanted(layer="counts").matrix, Wanted(raw=True).variables
    ('layers/counts', 'raw/var')
    """

    root: str = "/"
    layer: str | None = None
    raw: bool = False
    graph: str | None = None
    planes: Sequence[str] = ()
    places: str | None = None

    @property
    def matrix(self) -> str:
        """Where the matrix stands."""
        return "raw/X" if self.raw else "X" if self.layer is None else f"layers/{self.layer}"

    @property
    def variables(self) -> str:
        """Where the table of its variables stands."""
        return "raw/var" if self.raw else "var"


#: X of the whole file, and no graph
WHOLE = Wanted()


@dataclass
class Parts:
    """Hold what was read; columns are arrays by the name of their part.

    Attributes
    ----------
    matrix : dict
        X (or what is wanted in its place), or data, indices, indptr and shape; empty if there is none.
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
    graph, graph_layout
        As ``matrix`` and ``layout``, of the matrix of ``obsp`` that is wanted; "none" where none is.
    planes : dict
        The first two columns of the wanted entries of ``obsm`` that could be read.
    places, places_layout
        As ``matrix`` and ``layout``, of the wanted entry of ``obsm``.
    records : dict
        What ``uns`` records of graphs and clusterings: of each its parameters, single values only.
    """

    matrix: dict[str, Any]
    layout: str
    features: Any
    samples: Any
    index_name: str
    column_names: list[str]
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    graph: dict[str, Any] = field(default_factory=dict)
    graph_layout: str = "none"
    planes: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Any] = field(default_factory=dict)
    places_layout: str = "none"
    records: dict[str, dict[str, Any]] = field(default_factory=dict)


def outlives(path: str, wanted: Wanted = WHOLE) -> bool:
    """Tell whether a process that reads the file ends by itself; the process is this file, run as a program."""
    return ends_by_itself([__file__, path, json.dumps(asdict(wanted))], path)


def ends_by_itself(program: Sequence[str], path: str) -> bool:
    """Tell whether a Python process that reads a file ends by itself, be it with an error that we can catch.

    A signal ends it if HDF5 crashes; it hangs if it takes more than a minute and a second for each 10 MB. Where no
    process can be started, every file is taken for sound.
    """
    silent = subprocess.DEVNULL
    if not sys.executable or getattr(sys, "frozen", False):  # Python within another program, which is not to be started
        return True
    try:
        # -P: modules of this folder must not hide others
        child = subprocess.Popen([sys.executable, "-P", *program], stdin=silent, stdout=silent, stderr=silent)
    except OSError:  # no process can be started here
        return True
    with child:
        try:
            return child.wait(patience_for(path)) >= 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            child.kill()


def patience_for(path: str) -> float:
    """Give the seconds after which a process that reads a file is taken for hung."""
    return PATIENCE + os.path.getsize(path) / BYTES_A_SECOND


def read_parts(path: str, asked: Sequence[str] | None, wanted: Wanted = WHOLE, *, most: float = float("inf")) -> Parts:
    """Read X, the names, and the columns of obs that are asked for and there; all of them if None is given.

    Beside columns that are asked for, those of clusterings that ``uns`` records are read: the others may be made of
    them.

    Parameters
    ----------
    path : str
    asked : sequence of str or None
    wanted : Wanted
        What is read in place of X, and which graph.
    most : float
        Bytes of X beyond which only its first and last values are read.

    Raises
    ------
    UnknownLayoutError
        If obs or var is no group, or a column is encoded in a way that is not known.
    OutsideError
        If a part is in another file. It is never opened: it may be any file that this user can read.
    AbsentError
        If there is no such layer, graph, entry of obsm or raw.

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
        root = part_of(file, wanted.root)
        obs = part_of(root, "obs")
        if not all(isinstance(node, h5py.Group) for node in (obs, part_of(root, "var"))):
            raise UnknownLayoutError("obs and var are no groups")
        _check_there(root, wanted)
        var = part_of(root, wanted.variables)
        matrix, layout = _matrix(root, wanted.matrix, most)
        graph = ({}, "none") if wanted.graph is None else _matrix(root, f"obsp/{wanted.graph}", most)
        index_name = text_of_attribute(obs.attrs["_index"])
        names = [text_of_attribute(name) for name in np.asarray(obs.attrs["column-order"]).ravel()]
        records = records_of(root)
        read = names if asked is None else [name for name in names if name in asked or (asked and name in records)]
        features = values_of(_of_text(part_of(var, text_of_attribute(var.attrs["_index"]))))
        samples = values_of(_of_text(part_of(obs, index_name)))
        columns = {name: _column(part_of(obs, name)) for name in read}
        planes = _planes(root, wanted.planes, len(samples))
        places = ({}, "none") if wanted.places is None else _places(root, wanted.places, most)
        return Parts(matrix, layout, features, samples, index_name, names, columns, *graph, planes, *places, records)


def _check_there(root: Any, wanted: Wanted) -> None:
    """Refuse a layer, a graph, coordinates or raw that the file does not have."""
    for folder, what, name in (
        ("layers", "layer", wanted.layer),
        ("obsp", "graph of obsp", wanted.graph),
        ("obsm", "entry of obsm", wanted.places),
    ):
        names = list(part_of(root, folder)) if has(root, folder) else []
        if name is not None and name not in names:
            raise AbsentError(what, name, names)
    if wanted.raw and not has(root, "raw"):
        raise AbsentError("raw", "raw")


def names_of(path: str, wanted: Wanted = WHOLE) -> tuple[str, ...]:
    """Read the names of the variables alone."""
    with h5py.File(path, "r") as file:
        var = variables_of(part_of(file, wanted.root), wanted)
        if not isinstance(var, h5py.Group):
            raise UnknownLayoutError("var is no group")
        return tuple(map(str, values_of(_of_text(part_of(var, text_of_attribute(var.attrs["_index"]))))))


def variables_of(root: Any, wanted: Wanted) -> Any:
    """Give the table of the variables; leave a file to anndata whose raw stands where old versions put it."""
    if wanted.raw and not has(root, "raw"):
        raise UnknownLayoutError("raw of an old version")
    return part_of(root, wanted.variables)


def refuse_outside(path: str) -> None:
    """Look for links to other files in the whole file, all of which anndata reads, and follow none."""
    with h5py.File(path, "r") as file:
        visit(file)


def part_of(group: Any, name: str) -> Any:
    """Give a part of a group, KeyError if there is none; never open what is in another file, by link or by storage."""
    node = group
    for step in name.split("/"):
        link = node.get(step, getlink=True) if step not in ("", ".") else None
        if isinstance(link, h5py.ExternalLink):
            raise OutsideError(name)
        if isinstance(link, h5py.SoftLink):  # one in a circle ends in RecursionError
            node = part_of(node.file if link.path.startswith("/") else node, link.path)
        elif step not in ("", "."):
            node = node[step]
    if isinstance(node, h5py.Dataset) and (node.is_virtual or node.external):
        raise OutsideError(name)
    return node


def has(group: Any, name: str) -> bool:
    """Tell whether a group has a link of this name, wherever that leads."""
    return group.get(name, getlink=True) is not None


def _matrix(root: Any, place: str, most: float) -> tuple[dict[str, Any], str]:
    """Read a matrix and its layout; "none" if there is none at this place, or one of the type null."""
    folder, _, name = place.rpartition("/")
    group = part_of(root, folder)
    node = part_of(group, name) if has(group, name) else None
    if node is None or text_of_attribute(node.attrs.get("encoding-type", "")) == "null":
        return {}, "none"
    if isinstance(node, h5py.Dataset):
        return {"X": values_of(node, most)}, "dense"
    kind = text_of_attribute(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", "")))
    parts = {name: values_of(part_of(node, name), most) for name in ("data", "indices", "indptr")}
    shape = node.attrs["shape"] if "shape" in node.attrs else node.attrs["h5sparse_shape"]
    return {**parts, "shape": np.asarray(shape)}, kind.removesuffix("_matrix")


def _places(root: Any, name: str, most: float) -> tuple[dict[str, Any], str]:
    """Read an entry of ``obsm`` and its layout; nothing of a data frame."""
    kind = text_of_attribute(part_of(part_of(root, "obsm"), name).attrs.get("encoding-type", ""))
    return ({}, kind) if kind == "dataframe" else _matrix(root, f"obsm/{name}", most)


def _planes(root: Any, names: Sequence[str], n_samples: int) -> dict[str, Any]:
    """Read the first two columns of arrays with a row for each sample; what cannot be read is left out.

    Pictures are an extra: a table is not refused for what is wrong with them.
    """
    found = {}
    for name in names:
        try:
            node = part_of(part_of(root, "obsm"), name)
            if isinstance(node, h5py.Dataset) and node.ndim == 2 and node.shape[0] == n_samples and _is_small(node):
                found[name] = node[:, :2]
        except (KeyError, OSError, ValueError, TypeError, AttributeError, RuntimeError, MemoryError):
            continue
    return found


def records_of(root: Any) -> dict[str, dict[str, Any]]:
    """Read what ``uns`` records of graphs and clusterings; what cannot be read is left out, as it is an extra.

    A record is a group with a group ``params``. Of both, texts and numbers that stand alone are read.
    """
    found: dict[str, dict[str, Any]] = {}
    uns = part_of(root, "uns") if has(root, "uns") else ()
    for name in uns:
        try:
            record = part_of(uns, name)
            if isinstance(record, h5py.Group) and has(record, "params"):
                found[str(name)] = {**_single_values(record), "params": _single_values(part_of(record, "params"))}
        except (KeyError, OSError, ValueError, TypeError, AttributeError, RuntimeError):
            continue
    return found


def _single_values(group: Any) -> dict[str, Any]:
    nodes = {str(name): part_of(group, name) for name in group}
    single = {name: node for name, node in nodes.items() if isinstance(node, h5py.Dataset) and node.size == 1}
    return {name: values_of(node) for name, node in single.items()}


def _is_small(node: Any) -> bool:
    """Tell whether values are numbers, and no block of them that is unpacked at once is larger than the file may hold.

    Two columns may lie in blocks of a million, or be text of a megabyte in each place.
    """
    if node.dtype.kind not in "iuf":
        return False
    block = int(node.dtype.itemsize)
    for length in node.chunks or (node.shape[0], 2):
        block *= int(length)
    return block <= RATIO * node.file.id.get_filesize()


def read_column(frame: Any, name: str) -> dict[str, Any]:
    """Read one column of a table, as in `Parts.columns`."""
    return _column(part_of(frame, name))


def _column(node: Any) -> dict[str, Any]:
    """Read categories and codes, values and a mask, or values alone."""
    if isinstance(node, h5py.Dataset):
        if "categories" in node.attrs:
            raise UnknownLayoutError("categories of an old version")
        return {"values": values_of(node)}
    kind = text_of_attribute(node.attrs["encoding-type"])
    if kind == "categorical":
        categories = _of_text(part_of(node, "categories"))
        return {"categories": values_of(categories), "codes": values_of(part_of(node, "codes"))}
    if kind.startswith("nullable-"):
        return {name: values_of(part_of(node, name)) for name in ("values", "mask")}
    raise UnknownLayoutError(kind)


def _of_text(node: Any) -> Any:
    """Give the array of texts: newer versions store it as a group of values and a mask of missing ones."""
    return node if isinstance(node, h5py.Dataset) else part_of(node, "values")


def values_of(node: Any, most: float = float("inf")) -> Any:
    """Read all values, text as text; the first and the last of what has more than ``most`` bytes."""
    size = checked_size(node)
    if h5py.check_string_dtype(node.dtype) is not None:
        node = node.asstr()
    return node[()] if size <= most else (node[(0,) * len(node.shape)], node[(-1,) * len(node.shape)])


def checked_size(node: Any) -> int:
    """Give the bytes of an array; refuse more than the file can hold: what was never written reads as zeros."""
    size = int(node.dtype.itemsize)
    for length in node.shape or ():  # there is no shape where there are no values
        size *= int(length)
    if size > RATIO * node.file.id.get_filesize():
        raise BoundlessError(node.name)
    return size


def text_of_attribute(value: Any) -> str:
    """Give the text of an attribute, which may be stored as bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def visit(group: Any, read: Callable[[Any], Any] | None = None, seen: set[int] | None = None) -> None:
    """Go through all groups, each once, and ``read`` every array; refuse those that the file cannot hold."""
    seen = set() if seen is None else seen
    for name in group:
        try:
            node = part_of(group, name)
        except KeyError:  # a link that leads nowhere
            continue
        dict(node.attrs)
        if isinstance(node, h5py.Dataset):
            checked_size(node)
            if read is not None:
                read(node)
        elif isinstance(node, h5py.Group) and (place := h5py.h5o.get_info(node.id).addr) not in seen:
            seen.add(place)
            visit(node, read, seen)


def _main(path: str, wanted: str) -> None:
    """Read everything once and forget it."""
    try:
        read_parts(path, None, Wanted(**json.loads(wanted)), most=LARGE)
    except UnknownLayoutError:
        with h5py.File(path, "r") as file:
            visit(file, lambda node: values_of(node, LARGE))


if __name__ == "__main__":
    _main(*sys.argv[1:3])
