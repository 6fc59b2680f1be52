"""Read zarr folders as tables: an array of numbers or a sparse matrix, with names and labels; also anndata's stores.

A zarr folder holds a small file of JSON for each array, which says how its chunks are stored, and a file for each
chunk. Chunks are unpacked by codecs that the JSON names, and there are codecs that unpickle: only those of a list are
let in. Links are not followed, metadata that were put together in one file (``.zmetadata``) are not believed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from eigenselect.exceptions import InputError, shown
from eigenselect.io.arrays import checked_sparse
from eigenselect.io.errors import find_name, reading_as
from eigenselect.io.h5ad import check_graph, check_parts, check_places, no_array
from eigenselect.io.hdf5_arrays import no_table, table_of
from eigenselect.io.memory import bounded_memory, check_memory, product
from eigenselect.io.named_nodes import (
    SPARSE,
    Access,
    NamedArrays,
    NoTableError,
    layout_of,
    named_arrays,
    names_of_tables,
)
from eigenselect.io.request import AnnotatedParts, Request
from eigenselect.io.table import Table
from eigenselect.io.transposed import refuse_of_rows
from eigenselect.matrix.planes import PLANES, planes

#: files of metadata, of an array or a group, in both versions of the format
METADATA = ("zarr.json", ".zarray", ".zgroup")
#: bytes of such a file beyond which it is no description of an array
LARGEST = 2**20
#: values of a chunk of coordinates beyond which no picture is made of them
LARGEST_PLANE = 2**24
#: codecs that only move and unpack bytes
CODECS = frozenset(
    [
        *("bytes", "transpose", "crc32c", "adler32", "crc32", "fletcher32", "jenkins_lookup3", "sharding_indexed"),
        *("blosc", "gzip", "zlib", "zstd", "lz4", "lzma", "bz2", "shuffle", "delta", "bitround", "quantize"),
        *("fixedscaleoffset", "astype", "packbits", "vlen-utf8", "vlen-bytes", "vlen-array", "categorize"),
    ]
)
#: bytes at the head of a chunk of blosc, and those of them that say how long it is
BLOSC_HEADER, BLOSC_SIZE = 16, slice(12, 16)


def is_zarr(path: str) -> bool:
    """Whether a folder holds the metadata of zarr, or is called like one."""
    return path.rstrip("/").lower().endswith(".zarr") or any(os.path.isfile(os.path.join(path, f)) for f in METADATA)


def read_zarr(path: str, source: str, request: Request) -> Table:
    """Read the array or group that ``request.inner`` names, or the only table of the folder, or the one called X.

    Names and labels are arrays beside it, as in npz; of a store of anndata those of var and obs.

    Raises
    ------
    InputError
        If zarr is not installed, the folder is damaged, has links or codecs that are not known, does not fit into
        memory, or has no table or several.
    """
    try:
        import zarr
    except ImportError:
        raise InputError(f"{source}: zarr needs the package zarr; pip install 'eigenselect[io]'.") from None
    with bounded_memory(), reading_as("zarr", source):
        check_folder(path, source)
        root: Any = _opened(zarr, path)
        read: list[Any] = []
        access = Access(_part, lambda node: _values(node, source, read))
        try:
            table = _table(root, access, source, request)
        except NoTableError as error:
            raise no_table(source, error, request.inner) from None
        return replace(table, notes=(*table.notes, *_not_stored(read)))


def _table(root: Any, access: Access, source: str, request: Request) -> Table:
    check_parts(request.parts, source)
    if _is_annotated(root):
        return _annotated(root, access, source, request)
    parts = request.parts
    for option, given in (("--layer", parts.layer), ("--obsp", parts.obsp), ("--obsm", parts.obsm)):
        if given is not None:
            raise InputError(f"{source}: {option} is for a store that anndata wrote, and this is none; leave it out.")
    if hasattr(root, "shape") and request.inner is not None:
        raise InputError(f"{source}: is one array, which has no part {shown(request.inner)}; name the folder alone.")
    if request.inner is not None and not _has(root, request.inner):
        find_name(request.inner, names_of_tables(root, access), source, "array")
    return table_of(named_arrays(root, access, request.inner), source, request)


def check_folder(path: str, source: str) -> None:
    """Refuse links, and arrays that are stored by codecs which do more than unpack bytes."""
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            if os.path.islink(os.path.join(folder, name)):
                raise InputError(f"{source}: holds a link, {shown(name)}, which is never followed; copy what it means.")
        for name in set(names) & {"zarr.json", ".zarray"}:
            codecs = list(_codecs(Path(folder, name)))
            for codec in codecs:
                if codec.removeprefix("numcodecs.") not in CODECS:
                    raise InputError(
                        f"{source}: stores an array by {shown(codec)}, which is never used as it may run programs; "
                        "save it as plain numbers and text."
                    )
            if codecs and codecs[0].removeprefix("numcodecs.") == "blosc":
                _check_blosc(folder)


def _check_blosc(folder: str) -> None:
    """Refuse chunks that are shorter than blosc says in them: what unpacks them would read on behind their end."""
    for inner, _, names in os.walk(folder):
        for path in (Path(inner, name) for name in names if not name.startswith(".") and name != "zarr.json"):
            with path.open("rb") as file:
                said = int.from_bytes(file.read(BLOSC_HEADER)[BLOSC_SIZE], "little")
            if said < BLOSC_HEADER or said != path.stat().st_size:
                raise ValueError("no chunk of blosc")


def _codecs(metadata: Path) -> Iterator[str]:
    """List the codecs of an array, those within others, too: first what unpacks the bytes of a chunk's file."""
    if metadata.stat().st_size > LARGEST:
        raise ValueError("no description of an array")
    said = json.loads(metadata.read_text(encoding="utf-8"))
    left = [*(said.get("codecs") or ()), *(said.get("filters") or ()), *filter(None, [said.get("compressor")])]
    while left:
        codec = left.pop()
        yield str(codec.get("name", codec.get("id")) if isinstance(codec, dict) else codec).lower()
        inside = codec.get("configuration") if isinstance(codec, dict) else None
        for name in ("codecs", "index_codecs"):
            left.extend((inside or {}).get(name) or ())


def _opened(zarr: Any, path: str) -> Any:
    """Open an array or a group, each by its own metadata."""
    if os.path.isfile(os.path.join(path, ".zarray")):
        return zarr.open_array(path, mode="r")
    try:
        return zarr.open_group(path, mode="r", use_consolidated=False)
    except Exception:  # an array of version 3 has the same file as a group
        return zarr.open_array(path, mode="r")


def _part(group: Any, name: str) -> Any:
    node = group
    for step in name.split("/"):
        if step in ("", ".", ".."):
            raise KeyError(name)
        node = node[step]
    return node


def _has(root: Any, path: str) -> bool:
    try:
        return bool(hasattr(root, "keys") and _part(root, path.strip("/")) is not None)
    except (KeyError, TypeError, IndexError):
        return False


def _not_stored(arrays: list[Any]) -> Iterator[str]:
    """Count chunks that have no file: zarr leaves out what is all zeros, and a copy may have lost them."""
    for array in arrays:
        missing = array.nchunks - array.nchunks_initialized
        if missing > 0:  # shards at the border count for more chunks than there are
            verb = "is" if missing == 1 else "are"
            yield (
                f"{missing} of {array.nchunks} chunks of the array {shown(array.name)} {verb} not stored, every value "
                f"there counts as {array.fill_value}"
            )


def _values(node: Any, source: str, read: list[Any]) -> Any:
    """Read all values of an array, if they fit into memory; text as text. Arrays are added to those that were read."""
    read.append(node)
    size = product(node.shape) * int(np.dtype(node.dtype).itemsize or 1)
    check_memory(size, source, f"its array {shown(node.name)}")
    check_memory(product(node.chunks) * int(np.dtype(node.dtype).itemsize or 1), source, "one of its chunks")
    values = np.asarray(node[...])
    if values.dtype.kind in "buif":
        return values
    flat = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values.ravel()]
    return np.array(flat, dtype=object).reshape(values.shape)


# -- stores of anndata -----------------------------------------------------------------------


def _is_annotated(root: Any) -> bool:
    return hasattr(root, "keys") and {"obs", "var"} <= set(root.keys())


def _annotated(root: Any, access: Access, source: str, request: Request) -> Table:
    """Read X, or what is named in its place, with the names of var and obs, and columns of obs that are asked for."""
    roles, path = request.roles, _path_of_matrix(root, source, request)
    if not _has(root, path):
        find_name(path, names_of_tables(root, access), source, "array")
    found = named_arrays(root, access, path)
    obs, var = root["obs"], root["var"]
    asked = [name for name in (roles.label, roles.samples) if name is not None]
    columns = [str(name) for name in np.ravel(obs.attrs.get("column-order", []))]
    others = {name: _column(obs[find_name(name, columns, source, "column of obs")], access) for name in asked}
    features = _column(var[str(var.attrs["_index"])], access)
    samples = _column(obs[str(obs.attrs["_index"])], access)
    features, samples = (samples, features) if request.transpose else (features, samples)
    others["feature_names"] = features
    table = table_of(NamedArrays(found.matrix, found.layout, others, found.path), source, request)
    if request.transpose:
        refuse_of_rows(source, graph=request.parts.obsp is not None, places=request.parts.obsm is not None)
    else:
        table = _with_parts(table, root, access, source, request.parts)
        records = _records(root)
        recorded = {name: _column(obs[name], access) for name in columns if asked and name in records}
        table = replace(table, records=records, clusterings=pd.DataFrame(recorded) if recorded else None)
    return table if roles.samples is not None or roles.describes else replace(table, sample_names=samples)


def _records(root: Any) -> dict[str, dict[str, Any]]:
    """Read what uns records of graphs and clusterings, as `eigenselect.io.h5ad_parts.records_of` does."""
    found = {}
    for name, record in root["uns"].groups() if _has(root, "uns") else ():
        if _has(record, "params"):
            found[str(name)] = {**_single_values(record), "params": _single_values(record["params"])}
    return found


def _single_values(group: Any) -> dict[str, Any]:
    return {str(name): np.ravel(node[...])[0] for name, node in group.arrays() if product(node.shape) == 1}


def _path_of_matrix(root: Any, source: str, request: Request) -> str:
    """Say where the matrix is: X, a layer, or what is named behind the folder."""
    layer, inner = request.parts.layer, request.inner
    if layer is None:
        return inner or "X"
    if inner is not None:
        raise InputError(
            f"{source}: the layer {shown(layer)} and {shown(inner)} are two matrices; name the folder alone, or leave "
            "--layer out."
        )
    known = sorted(root["layers"].keys()) if _has(root, "layers") else []
    return f"layers/{find_name(layer, known, source, 'layer')}"


def _with_parts(table: Table, root: Any, access: Access, source: str, parts: AnnotatedParts) -> Table:
    """Add the graph of obsp and the coordinates of obsm that were asked for, and places for pictures."""
    n_samples = table.X.shape[0]
    graph = None if parts.obsp is None else _of_samples(root, access, "obsp", parts.obsp, source)
    places = None if parts.obsm is None else _of_samples(root, access, "obsm", parts.obsm, source)
    check_graph(graph, n_samples, source)
    check_places(places, n_samples, source)
    arrays = {name: _plane(root[f"obsm/{name}"], n_samples) for name in PLANES if _has(root, f"obsm/{name}")}
    return replace(table, graph=graph, places=places, coordinates=planes(arrays, n_samples))


def _plane(node: Any, n_samples: int) -> Any:
    """Read the first two columns of an entry of obsm; None where that is no picture, or cannot be read as one."""
    if layout_of(node)[0] != "dense" or node.shape[0] != n_samples or product(node.chunks) > LARGEST_PLANE:
        return None
    try:
        return np.asarray(node[:, :2])
    except Exception:  # a picture is an extra, and the table is as good without
        return None


def _of_samples(root: Any, access: Access, slot: str, name: str, source: str) -> Any:
    """Read a matrix of obsp or obsm, dense or sparse."""
    known = sorted(root[slot].keys()) if _has(root, slot) else []
    node = root[slot][find_name(name, known, source, "graph of obsp" if slot == "obsp" else "entry of obsm")]
    layout, shape = layout_of(node)
    if layout == "dense":
        return access.values(node)
    if layout is None:
        if hasattr(node, "shape"):  # of another number of dimensions
            return access.values(node)
        raise no_array(name, source)
    data, indices, indptr = (access.values(node[part]) for part in SPARSE)
    return checked_sparse(data, indices, indptr, np.asarray(shape), layout, source)


def _column(node: Any, access: Access) -> Any:
    """Read a column of obs or var: values, values and a mask, or codes and categories; missing text is empty."""
    if hasattr(node, "shape"):
        return access.values(node)
    if "categories" in node:
        kinds, codes = access.values(_of_text(node["categories"])), access.values(node["codes"])
        named = np.array([*kinds.astype(object).tolist(), ""], dtype=object)  # -1 is missing, and the last
        if codes.min(initial=0) < -1:
            raise ValueError("no code of a category")
        return named[codes]
    values = access.values(node["values"]).astype(object)
    values[access.values(node["mask"]).astype(bool)] = ""
    return values


def _of_text(node: Any) -> Any:
    return node if hasattr(node, "shape") else node["values"]
