"""Copies of h5ad files: with columns added to var, or with some of the variables only.

All that is not asked to change is copied as it is stored, bit by bit, without being read: `h5py.Group.copy` hands the
chunks on. What is aligned to the variables is taken apart:

=====================================  =============================================
``X``, matrices of ``layers``          columns
``var``, what is in ``varm``           rows
matrices of ``varp``                   rows and columns
``obs``, ``obsm``, ``obsp``, ``uns``,  all, as they are
``raw``, and what else is there
=====================================  =============================================

Matrices are read in blocks, so that a layer larger than memory can be copied. Types, chunks and compression stay what
they are. Only h5py and numpy are imported, as a process of its own does this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import h5py
import numpy as np

from eigenselect.io.h5ad_encode import add_columns, column_order, encoded, set_order, write_part
from eigenselect.io.h5ad_parts import UnknownLayoutError, Wanted, has, part_of, text_of_attribute, variables_of, visit

#: values of a block that is read at once
BLOCK = 1 << 22
#: groups whose matrices have a column for each variable, a row, or both
IN_COLUMNS, IN_ROWS, IN_BOTH = "layers", "varm", "varp"


class TakenError(ValueError):
    """Something else stands where scores would be written; its text says where."""


def check_free(path: str, wanted: Wanted, key: str, mark: str) -> None:
    """Refuse a file with another record in uns, or a column of var that holds no truth values, under this key.

    Parameters
    ----------
    path : str
    wanted : Wanted
        Which table of variables.
    key : str
    mark : str
        What a record of ours holds.

    Raises
    ------
    TakenError
    """
    with h5py.File(path, "r") as file:
        root = part_of(file, wanted.root)
        frame = _checked_frame(variables_of(root, wanted))
        uns = part_of(root, "uns") if has(root, "uns") else {}
        record = part_of(uns, key) if key in uns else None
        refuse_others(record, part_of(frame, key) if has(frame, key) else None, key, mark)


def refuse_others(record: Any, column: Any, key: str, mark: str) -> None:
    """Refuse a record that is none of ours, and a column that holds no truth values.

    >>> refuse_others(None, np.array([1.5]), "spectral", "eigenselect")
    Traceback (most recent call last):
    ...
    eigenselect.io.h5ad_copy.TakenError: var['spectral']
    """
    if record is not None and (isinstance(record, h5py.Dataset) or mark not in record):
        raise TakenError(f"uns[{key!r}]")
    if column is not None and getattr(column, "dtype", None) != np.dtype(bool):
        raise TakenError(f"var[{key!r}]")


def mark_variables(
    path: str, wanted: Wanted, columns: Mapping[str, Any], gone: list[str], record: Any, key: str
) -> None:
    """Add columns to var, and a record to uns, of a file that is our own copy.

    Parameters
    ----------
    path : str
    wanted : Wanted
        Which table of variables.
    columns : dict of ndarray
        By name, one value for each variable.
    gone : list of str
        Columns that are left out, those of an earlier call.
    record : dict
        What is written under ``key`` in uns.
    key : str
    """
    with h5py.File(path, "r+", locking=False) as file:
        root = part_of(file, wanted.root)
        frame = _checked_frame(variables_of(root, wanted))
        _unshared(root, wanted.variables)
        for name in [name for name in gone if name in frame]:
            del frame[name]
        set_order(frame, [name for name in column_order(frame) if name not in gone])
        add_columns(frame, columns)
        if not has(root, "uns"):
            encoded(root.create_group("uns"), "dict", "0.1.0")
        write_part(_unshared(root, "uns"), key, record)
        several = "raw/varm" if wanted.raw else IN_ROWS  # of an earlier call with several methods
        if has(root, several) and has(_unshared(root, several), key):
            del root[several][key]


def _unshared(root: Any, name: str) -> Any:
    """Give a group that is written to; leave a file to anndata in which it is known by another name as well."""
    node = part_of(root, name)
    if root.get(name, getclass=True, getlink=True) is not h5py.HardLink or h5py.h5o.get_info(node.id).rc != 1:
        raise UnknownLayoutError("links")
    return node


def take_variables(source: str, target: str, wanted: Wanted, places: Any) -> None:
    """Write a file with some of the variables only, in their order.

    Parameters
    ----------
    source, target : str
    wanted : Wanted
        The root of the annotated table; if raw is wanted, its X, var and varm take the places of those beside it, and
        what is aligned to the others is left out.
    places : ndarray of int
        Increasing, from 0.

    Raises
    ------
    UnknownLayoutError
        If something that must be taken apart is encoded in a way that is not known.
    """
    with h5py.File(source, "r") as file, h5py.File(target, "w", locking=False) as new:
        visit(file)  # refuse links to other files, which a copy would follow
        root = part_of(file, wanted.root)
        _checked_frame(variables_of(root, wanted))
        base = part_of(root, "raw") if wanted.raw else root
        lacking = ("X", "var", IN_COLUMNS, IN_ROWS, IN_BOTH, "raw") if wanted.raw else ()
        _refuse_references(part_of(root, "obs"))
        copy_attributes(root, new)
        for name in root:
            if name not in lacking:
                _take(part_of(root, name), new, name, places)
        for name in ("X", "var", IN_ROWS) if wanted.raw else ():
            if has(base, name):
                _take(part_of(base, name), new, name, places)


def _take(node: Any, new: Any, name: str, places: Any) -> None:
    """Copy one part of an annotated table, cut where it is aligned to the variables."""
    if name == "X":
        take_part(node, new, name, columns=places)
    elif name == "var":
        _refuse_references(_checked_frame(node))
        take_part(node, new, name, rows=places)
    elif name in (IN_COLUMNS, IN_ROWS, IN_BOTH) and isinstance(node, h5py.Group):
        group = copy_attributes(node, new.create_group(name))
        cut = {IN_COLUMNS: ("columns",), IN_ROWS: ("rows",), IN_BOTH: ("rows", "columns")}[name]
        for inner in node:
            take_part(part_of(node, inner), group, inner, **dict.fromkeys(cut, places))
    else:
        copy_whole(node, new, name)


def take_part(node: Any, group: Any, name: str, *, rows: Any = None, columns: Any = None) -> None:
    """Copy an array, a sparse matrix, a table or a column with some of its rows and columns, as it is encoded."""
    if isinstance(node, h5py.Dataset):
        if node.shape == ():  # there is none
            copy_whole(node, group, name)
        else:
            _take_array(node, group, name, rows, columns)
        return
    kind = text_of_attribute(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", "")))
    if kind.removesuffix("_matrix") in ("csr", "csc"):
        _take_sparse(node, group, name, rows, columns, by_rows=kind.startswith("csr"))
        return
    inner = copy_attributes(node, group.create_group(name))
    if kind == "dataframe" and columns is None:
        for column in dict.fromkeys([text_of_attribute(node.attrs["_index"]), *column_order(node)]):
            take_part(part_of(node, column), inner, column, rows=rows)
    elif kind == "categorical":
        copy_whole(part_of(node, "categories"), inner, "categories")
        take_part(part_of(node, "codes"), inner, "codes", rows=rows)
    elif kind.startswith("nullable-"):
        for part in ("values", "mask"):
            take_part(part_of(node, part), inner, part, rows=rows)
    else:
        raise UnknownLayoutError(kind)


# -- arrays --------------------------------------------------------------------------------------


def _take_array(node: Any, group: Any, name: str, rows: Any, columns: Any) -> None:
    """Copy a dense array in blocks of rows."""
    if columns is not None and len(node.shape) < 2:
        raise UnknownLayoutError("no matrix")
    shape = list(node.shape)
    for axis, places in ((0, rows), (1, columns)):
        if places is not None:
            shape[axis] = len(places)
    new = _like(node, group, name, tuple(shape))
    copy_attributes(node, new)
    step = max(1, BLOCK // max(1, int(np.prod(node.shape[1:]))))
    done = 0
    for start in range(0, node.shape[0], step):
        block = node[start : start + step]
        if rows is not None:
            block = block[_within(rows, start, start + len(block))]
        if columns is not None:
            block = block[:, columns]
        new[done : done + len(block)] = block
        done += len(block)


def _within(places: Any, start: int, stop: int) -> Any:
    """Give the places of a block, counted from its start."""
    low, high = np.searchsorted(places, [start, stop])
    return places[low:high] - start


def _like(node: Any, group: Any, name: str, shape: tuple[int, ...]) -> Any:
    """Create a dataset with the type, chunks and filters of another."""
    how: dict[str, Any] = {"shape": shape, "dtype": node.dtype}
    if node.chunks is not None and all(shape):
        how |= {
            "chunks": tuple(min(chunk, length) for chunk, length in zip(node.chunks, shape, strict=True)),
            "maxshape": tuple(
                None if most is None else length for most, length in zip(node.maxshape, shape, strict=True)
            ),
            "compression": node.compression,
            "compression_opts": node.compression_opts,
            "shuffle": node.shuffle,
            "fletcher32": node.fletcher32,
        }
    return group.create_dataset(name, **how)


# -- sparse matrices -----------------------------------------------------------------------------


def _take_sparse(node: Any, group: Any, name: str, rows: Any, columns: Any, *, by_rows: bool) -> None:
    r"""Copy a sparse matrix.

    Row i (csr; column i in csc) holds the entries :math:`p_i \le e < p_{i+1}`. An entry stays if its row and its column
    do; kept in order, its new place along the other axis is the number of kept places before it.
    """
    key = "shape" if "shape" in node.attrs else "h5sparse_shape"
    shape = np.array(node.attrs[key])
    outer, inner = (rows, columns) if by_rows else (columns, rows)
    n_outer, n_inner = (int(size) for size in (shape if by_rows else shape[::-1]))
    pointers = part_of(node, "indptr")[()]
    _check_pointers(pointers, n_outer)
    stays = np.ones(n_outer, dtype=bool) if outer is None else _flags(outer, n_outer)
    places = np.arange(n_inner) if inner is None else np.where(_flags(inner, n_inner), _before(inner, n_inner), -1)
    counts = np.zeros(n_outer, dtype=np.int64)
    for first, last, kept, _ in _entries(node, pointers, stays, places):
        counts[first:last] = _sums(kept, pointers[first : last + 1] - pointers[first])
    new = copy_attributes(node, group.create_group(name))
    new.attrs[key] = np.array(
        [old if cut is None else len(cut) for old, cut in zip(shape, (rows, columns), strict=True)], dtype=shape.dtype
    )
    starts = np.concatenate([[0], np.cumsum(counts[stays])]).astype(pointers.dtype)
    parts = {part: _like(part_of(node, part), new, part, (int(starts[-1]),)) for part in ("data", "indices")}
    _like(part_of(node, "indptr"), new, "indptr", starts.shape)[:] = starts
    _fill(node, parts, _entries(node, pointers, stays, places), pointers)


def _fill(node: Any, parts: Mapping[str, Any], entries: Iterator[Any], pointers: Any) -> None:
    """Write the entries that stay, block by block."""
    data, done = part_of(node, "data"), 0
    for first, last, kept, new_places in entries:
        stop = done + int(kept.sum())
        if stop > done:
            parts["data"][done:stop] = data[pointers[first] : pointers[last]][kept]
            parts["indices"][done:stop] = new_places[kept]
        done = stop


def _entries(node: Any, pointers: Any, stays: Any, places: Any) -> Iterator[tuple[int, int, Any, Any]]:
    """Go through the rows (columns) in blocks: first and last, which of their entries stay, and their new places."""
    indices = part_of(node, "indices")
    first = 0
    while first < len(stays):
        last = max(first + 1, int(np.searchsorted(pointers, int(pointers[first]) + BLOCK, side="right")) - 1)
        last = min(last, len(stays))
        inner = indices[pointers[first] : pointers[last]]
        if inner.size and (int(inner.min()) < 0 or int(inner.max()) >= len(places)):
            raise ValueError("indices out of range")
        found = places[inner]
        yield first, last, (found >= 0) & np.repeat(stays[first:last], np.diff(pointers[first : last + 1])), found
        first = last


def _check_pointers(pointers: Any, n_outer: int) -> None:
    if pointers.ndim != 1 or len(pointers) != n_outer + 1 or pointers[0] != 0 or (np.diff(pointers) < 0).any():
        raise ValueError("index pointers that lead astray")


def _flags(places: Any, length: int) -> Any:
    flags = np.zeros(length, dtype=bool)
    flags[places] = True
    return flags


def _before(places: Any, length: int) -> Any:
    """Count the kept places before each."""
    return np.cumsum(_flags(places, length)) - 1


def _sums(kept: Any, pointers: Any) -> Any:
    """Count what is kept of each row."""
    totals = np.concatenate([[0], np.cumsum(kept)])
    return np.diff(totals[pointers])


# -- what is not taken apart ---------------------------------------------------------------------


def copy_whole(node: Any, group: Any, name: str) -> None:
    """Copy a part as it is stored; links within the file become what they lead to."""
    group.copy(node, group, name, expand_soft=True)


def copy_attributes(node: Any, new: Any) -> Any:
    """Copy all attributes of a part to another, and give that."""
    for name, value in node.attrs.items():
        new.attrs[name] = value
    return new


def _checked_frame(frame: Any) -> Any:
    """Refuse a table of variables of an old version, which is an array of records."""
    if not isinstance(frame, h5py.Group) or "_index" not in frame.attrs or "column-order" not in frame.attrs:
        raise UnknownLayoutError("var is no table of columns")
    return frame


def _refuse_references(frame: Any) -> None:
    """Refuse columns of anndata 0.7, whose categories are named by references, which no copy keeps."""
    if not isinstance(frame, h5py.Group) or has(frame, "__categories"):
        raise UnknownLayoutError("categories of an old version")
