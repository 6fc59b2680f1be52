"""Write values into an HDF5 file as anndata encodes them.

Every part says by two attributes what it is, ``encoding-type`` and ``encoding-version`` [1]_:

====================  =======  ====================================================================
``array``             0.2.0    a dataset of numbers or truth values
``string-array``      0.2.0    a dataset of texts in UTF-8 of any length
``string``,           0.2.0    one value
``numeric-scalar``
``categorical``       0.2.0    a group with ``categories`` and ``codes``, of which -1 is missing
``csr_matrix``, …     0.1.0    a group with ``data``, ``indices`` and ``indptr``, and the attribute
                               ``shape``
``dataframe``         0.2.0    a group with a part for each column, see `eigenselect.io.h5ad_parts`
``dict``              0.1.0    a group of any of these
====================  =======  ====================================================================

Nothing but h5py and numpy is needed: a sparse matrix is anything with these parts.

References
----------
.. [1] anndata documentation, "On-disk format".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np


def write_part(group: Any, name: str, value: Any) -> None:
    """Write a value under a name, in place of what stands there.

    Parameters
    ----------
    group : h5py.Group
    name : str
    value : ndarray or list, sparse matrix (csr or csc), str, bool, int, float, or a dictionary of these
        Arrays of objects hold texts.

    Examples
    --------
    >>> with h5py.File("x.h5ad", "w", driver="core", backing_store=False) as file:
    ...     write_part(file, "uns", {"method": "laplacian", "alpha": 0.05, "genes": np.array(["TP53"])})
    ...     file["uns/method"][()], dict(file["uns/genes"].attrs)["encoding-type"]
    (b'laplacian', 'string-array')
    """
    if name in group:
        del group[name]
    if isinstance(value, Mapping):
        inner = encoded(group.create_group(name), "dict", "0.1.0")
        for key, part in value.items():
            write_part(inner, str(key), part)
    elif hasattr(value, "indptr"):
        _write_sparse(group, name, value)
    elif isinstance(value, (list, np.ndarray)):
        _write_array(group, name, np.asarray(value))
    elif isinstance(value, str):
        text = np.array(value.encode(), dtype=object)
        encoded(group.create_dataset(name, data=text, dtype=h5py.string_dtype()), "string", "0.2.0")
    else:
        encoded(group.create_dataset(name, data=value), "numeric-scalar", "0.2.0")


def encoded(node: Any, kind: str, version: str) -> Any:
    """Say what a part is, and give it."""
    node.attrs["encoding-type"], node.attrs["encoding-version"] = kind, version
    return node


def _write_array(group: Any, name: str, values: Any) -> None:
    """Write numbers as they are, and texts in UTF-8."""
    if values.dtype.kind in "OUST":
        texts = np.array([str(value).encode("utf-8", "surrogatepass") for value in values.ravel()], dtype=object)
        node = group.create_dataset(name, data=texts.reshape(values.shape), dtype=h5py.string_dtype())
        encoded(node, "string-array", "0.2.0")
    else:
        encoded(group.create_dataset(name, data=values), "array", "0.2.0")


def _write_sparse(group: Any, name: str, matrix: Any) -> None:
    node = encoded(group.create_group(name), f"{matrix.format}_matrix", "0.1.0")
    node.attrs["shape"] = np.array(matrix.shape)
    for part in ("data", "indices", "indptr"):
        node.create_dataset(part, data=getattr(matrix, part), maxshape=(None,))


def write_categories(group: Any, name: str, texts: Any) -> None:
    """Write texts as categories in their order of sorting; an empty one is missing.

    >>> with h5py.File("x.h5ad", "w", driver="core", backing_store=False) as file:
    ...     write_categories(file, "class", np.array(["b", "", "a"], dtype=object))
    ...     file["class/codes"][()].tolist(), file["class/categories"].asstr()[()].tolist()
    ([1, -1, 0], ['a', 'b'])
    """
    known = np.array(sorted({str(text) for text in texts} - {""}), dtype=object)
    places = {text: place for place, text in enumerate(known)}
    codes = np.array([places.get(str(text), -1) for text in texts], dtype=np.min_scalar_type(-1 - len(known)))
    node = encoded(group.create_group(name), "categorical", "0.2.0")
    node.attrs["ordered"] = False
    _write_array(node, "categories", known)
    _write_array(node, "codes", codes)


def write_frame(group: Any, name: str, index: Any, columns: Mapping[str, Any] | None = None) -> Any:
    """Write a table with names of its rows; columns are added by `add_columns`. Give its group."""
    node = encoded(group.create_group(name), "dataframe", "0.2.0")
    node.attrs["_index"], node.attrs["column-order"] = "_index", np.array([])
    _write_array(node, "_index", np.asarray(index, dtype=object))
    add_columns(node, columns or {})
    return node


def add_columns(frame: Any, columns: Mapping[str, Any]) -> None:
    """Add columns to a table, behind those it has; one of the same name gives way.

    >>> with h5py.File("x.h5ad", "w", driver="core", backing_store=False) as file:
    ...     var = write_frame(file, "var", ["g1", "g2"], {"mean": np.array([0.5, 1.5])})
    ...     add_columns(var, {"score": np.array([1.0, np.nan])})
    ...     column_order(var)
    ['mean', 'score']
    """
    for name, values in columns.items():
        write_part(frame, name, values)
    set_order(frame, [name for name in column_order(frame) if name not in columns] + list(columns))


def index_name(frame: Any) -> str:
    """Name the column that holds the names of the rows."""
    name = frame.attrs["_index"]
    return name.decode() if isinstance(name, bytes) else str(name)


def column_order(frame: Any) -> list[str]:
    """Name the columns of a table, in their order."""
    names = np.asarray(frame.attrs["column-order"]).ravel()
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


def set_order(frame: Any, names: list[str]) -> None:
    """Say which columns a table has, in their order."""
    frame.attrs["column-order"] = np.array(names, dtype=h5py.string_dtype()) if names else np.array([])


def empty_table(file: Any) -> None:
    """Make a file that holds an annotated table without anything in it."""
    encoded(file, "anndata", "0.1.0")
    for name in ("layers", "obsm", "obsp", "uns", "varm", "varp"):
        encoded(file.require_group(name), "dict", "0.1.0")
