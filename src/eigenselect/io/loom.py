"""Read loom files as tables: cells in rows, genes in columns, labels and names from attributes of the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray
from eigenselect.exceptions import InputError, counted, shown
from eigenselect.io.arrays import checked_coordinates, without_columns
from eigenselect.io.h5ad import check_parts, check_places
from eigenselect.io.hdf5 import needs_h5py, no_raw, read_hdf5
from eigenselect.io.labels import labels_of, text_of
from eigenselect.io.memory import NAME, check_memory
from eigenselect.io.request import Request
from eigenselect.io.table import Table

if TYPE_CHECKING:
    from eigenselect.io.loom_parts import LoomParts


def read_loom(path: str, source: str, request: Request) -> Table:
    """Read the matrix of a loom file, or a layer in its place.

    Labels and names of samples are attributes of the columns that the roles name; names are by default those that the
    programs which write such files use. ``request.parts.obsp`` is a graph of ``col_graphs``, of which the larger weight
    of two directions counts, ``obsm`` an attribute of the columns with several values each, as anndata writes it. A
    matrix with few values other than 0 becomes sparse. `Table.notes` say both.

    Raises
    ------
    InputError
        If h5py is not installed, the file is damaged, points to other files, does not fit into memory, or has no such
        layer, attribute or graph.
    """
    try:
        from eigenselect.io.loom_parts import read_loom_parts
    except ImportError:
        raise needs_h5py(source, "loom") from None
    wanted, roles = request.parts, request.roles
    check_parts(wanted, source)
    if wanted.raw:
        raise no_raw(source)
    asked = [name for name in (roles.label, roles.samples, wanted.obsm) if name is not None]
    parts = read_hdf5(path, source, "loom", read_loom_parts, layer=wanted.layer, graph=wanted.obsp, asked=asked)
    X = parts.matrix.T
    genes, notes = _gene_names(parts.genes, X.shape[1], source)
    labels = None if roles.label is None else _texts(parts.columns[roles.label], roles.label, source)
    samples = parts.cells if roles.samples is None else parts.columns[roles.samples]
    graph, directed = _graph(parts, X.shape[0], source)
    places = None if wanted.obsm is None else parts.columns[wanted.obsm]
    check_places(places, X.shape[0], source)
    table = Table(
        X,
        genes,
        None if labels is None else labels_of(labels, str(roles.label), source),
        (*notes, *_thin(X), *directed),
        None if samples is None else _texts(samples, roles.samples or "names of cells", source),
        labels,
        graph=graph,
        places=places,
    )
    return without_columns(table, roles, source)


def _gene_names(names: Any, n_genes: int, source: str) -> tuple[tuple[str, ...], list[str]]:
    """Give the names of the features, or x0, x1, … with a note."""
    check_memory(NAME * n_genes, source, f"a table of {counted(n_genes, 'feature')}")
    if names is None:
        note = "no row attribute holds names of genes (Gene, var_names, Accession, …); they are called x0, x1, …"
        return tuple(f"x{j}" for j in range(n_genes)), [note]
    found = tuple(_texts(names, "names of genes", source).tolist())
    if len(found) != n_genes:
        rows = counted(n_genes, "row")
        raise InputError(f"{source}: is damaged, it has names of {len(found)} genes for {rows} of the matrix.")
    return found, []


def _texts(values: Any, name: str, source: str) -> AnyArray:
    """Give the text of each value of an attribute, of which there is one a row or column."""
    if np.ndim(values) != 1:
        raise InputError(f"{source}: {shown(name)} has {np.ndim(values)} dimensions, where one value each is needed.")
    return text_of(values)


def _thin(X: Any) -> list[str]:
    """Note that the matrix is sparse now."""
    if not sparse.issparse(X):
        return []
    share = X.nnz / max(1, X.shape[0] * X.shape[1])
    return [f"the matrix is kept sparse, as {share:.0%} of its values are not 0"]


def _graph(parts: LoomParts, n_cells: int, source: str) -> tuple[Any, list[str]]:
    """Make a matrix of the edges between cells, if they were asked for; read those of one direction in both."""
    if not parts.graph:
        return None, []
    edges = parts.graph
    S = checked_coordinates(edges["w"], edges["a"], edges["b"], (n_cells, n_cells), source)
    n_single = int((S != S.T).nnz)
    if not n_single or (S.nnz and S.data.min() < 0):  # a negative weight is no similarity, and is refused later
        return S, []
    note = f"the graph has directions: of {counted(n_single // 2, 'pair')} of cells the larger weight is taken for both"
    return sparse.csr_array(S.maximum(S.T)), [note]
