"""The parts of a loom file: a matrix genes x cells, what is known of its rows and columns, and graphs of the cells.

The file is HDF5 [1]_:

====================================  ====================================================================
``matrix``, ``layers/…``              datasets of shape (genes, cells)
``row_attrs/…``, ``col_attrs/…``      datasets with a value, or a row, for each gene or cell
``col_graphs/…``                      groups with ``a``, ``b`` and ``w``: two cells and a weight for each edge;
                                      ``col_edges`` in old files
====================================  ====================================================================

Names are attributes that programs call by different names. Text of fixed length is ASCII, with ``&#945;`` for α.

The matrix is dense in the file and mostly 0; it is read in blocks of rows, of which those stay sparse that are.

As `h5ad_parts`, this file imports nothing but h5py and numpy until the matrix itself is read, because a process of its
own runs it first.

References
----------
.. [1] Linnarsson Lab, "Loom file format specs", version 3.0.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import h5py
import numpy as np

from eigenselect.io.h5ad_parts import AbsentError, checked_size, has, part_of, values_of

#: attributes that hold names, the first that is there
GENE_NAMES = ("Gene", "var_names", "gene_names", "Name", "Accession", "ensembl_ids", "gene_ids")
CELL_NAMES = ("CellID", "obs_names", "cell_names", "barcode", "Barcode", "cell_barcode")
GRAPHS = ("col_graphs", "col_edges")
#: bytes of the matrix that are read at once
BLOCK = 1 << 26
#: share of values other than 0 up to which a matrix is kept sparse: it then takes less than half of the memory
THIN = 0.25
ESCAPED = re.compile(r"&#(\d{1,7});")


@dataclass(frozen=True)
class LoomParts:
    """Hold what was read.

    Attributes
    ----------
    matrix : sparse matrix or ndarray of shape (genes, cells)
    genes, cells : ndarray of str, optional
        Names, where an attribute holds them.
    attributes : list of str
        Names of what is known of the cells.
    columns : dict of ndarray
        Of those that were asked for.
    graph : dict of ndarray
        a, b and w of the graph that was asked for.
    """

    matrix: Any
    genes: Any
    cells: Any
    attributes: list[str]
    columns: dict[str, Any] = field(default_factory=dict)
    graph: dict[str, Any] = field(default_factory=dict)


def read_loom_parts(
    path: str, *, layer: str | None, graph: str | None, asked: Sequence[str], most: float = float("inf")
) -> LoomParts:
    """Read the matrix or a layer, names of genes and cells, attributes of cells that are asked for, and a graph.

    Raises
    ------
    AbsentError
        If there is no such layer, attribute or graph.
    OutsideError
        If a part is in another file.
    BoundlessError
        If the matrix claims to be larger than the file can hold.
    """
    with h5py.File(path, "r") as file:
        rows, columns = part_of(file, "row_attrs"), part_of(file, "col_attrs")
        known = [name for name in columns if isinstance(part_of(columns, name), h5py.Dataset)]
        for name in asked:
            if name not in known:
                raise AbsentError("column attribute", name, known)
        node = _matrix_node(file, layer)
        return LoomParts(
            _matrix(node) if most == float("inf") else values_of(node, most),
            _first(rows, GENE_NAMES),
            _first(columns, CELL_NAMES),
            known,
            {name: _attribute(part_of(columns, name)) for name in asked},
            {} if graph is None else _edges(file, graph, most),
        )


def _matrix_node(file: Any, layer: str | None) -> Any:
    """Find the matrix, or the layer in its place."""
    if not layer:  # the matrix is the layer without a name
        return part_of(file, "matrix")
    names = list(part_of(file, "layers")) if has(file, "layers") else []
    if layer not in names:
        raise AbsentError("layer", layer, names)
    return part_of(part_of(file, "layers"), layer)


def _first(group: Any, names: Sequence[str]) -> Any:
    """Read the first attribute of these names that is there."""
    found = next((name for name in names if has(group, name)), None)
    return None if found is None else _attribute(part_of(group, found))


def _attribute(node: Any) -> Any:
    """Read the values of an attribute; resolve what ASCII cannot write in text of fixed length."""
    values = values_of(node)
    if node.dtype.kind != "S":
        return values
    return np.array([ESCAPED.sub(_letter, str(text)) for text in values.ravel()], dtype=object).reshape(values.shape)


def _letter(escaped: re.Match[str]) -> str:
    code = int(escaped[1])
    return chr(code) if code < 0x110000 else escaped[0]


def _edges(file: Any, name: str, most: float) -> dict[str, Any]:
    """Read the two ends and the weight of each edge."""
    groups = [part_of(file, folder) for folder in GRAPHS if has(file, folder)]
    found = next((group for group in groups if has(group, name)), None)
    if found is None:
        raise AbsentError("graph of col_graphs", name, [name for group in groups for name in group])
    return {part: values_of(part_of(part_of(found, name), part), most) for part in ("a", "b", "w")}


def _matrix(node: Any) -> Any:
    """Read all rows, block by block; keep them sparse where most of them are 0."""
    from scipy import sparse

    if node.ndim != 2 or node.dtype.kind not in "buif":
        raise TypeError("no matrix of real numbers")
    checked_size(node)
    n_values = int(node.shape[0]) * int(node.shape[1])
    blocks = [_thinned(block) for block in _row_blocks(node)]
    if not blocks:
        return np.zeros(node.shape, node.dtype)
    if sum(block.nnz if sparse.issparse(block) else block.size for block in blocks) <= THIN * n_values:
        return sparse.vstack([sparse.csr_array(block) for block in blocks], format="csr")
    return np.vstack([block.toarray() if sparse.issparse(block) else block for block in blocks])


def _row_blocks(node: Any) -> Iterator[Any]:
    """Yield blocks of whole chunks of rows, so that none is decompressed twice."""
    chunk = node.chunks[0] if node.chunks else 1
    width = max(1, int(node.shape[1]) * node.dtype.itemsize)
    step = max(1, BLOCK // (width * chunk)) * chunk
    for start in range(0, node.shape[0], step):
        yield node[start : start + step]


def _thinned(block: Any) -> Any:
    """Make a block sparse that is mostly 0."""
    from scipy import sparse

    return sparse.csr_array(block) if np.count_nonzero(block) <= THIN * block.size else block
