"""How the cells of an AnnData are alike: by the neighbours' graph, another graph, coordinates or labels.

The keys are those of scanpy: ``neighbors_key`` names a record of ``.uns``, ``obsp`` a graph, ``use_rep`` coordinates of
``.obsm``, ``label_key`` a column of ``.obs``. Without any it is the neighbours' graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import shown
from eigenselect.graph.precomputed import checked_matrix
from eigenselect.single_cell.containers import Place, place_of
from eigenselect.single_cell.places import check_places
from eigenselect.single_cell.provenance import (
    Provenance,
    coordinates_provenance,
    graph_provenance,
    label_provenance,
    parameters_of,
    plain,
    record_of_graph,
    says_distances,
)

#: what scanpy says where there are no neighbours, and its users know
NO_NEIGHBORS = "You need to run `pp.neighbors` first to compute a neighborhood graph."
#: neighbours that scanpy takes unless told otherwise; the cell itself is one of them
N_NEIGHBORS = 15


@dataclass(frozen=True)
class CellStructure:
    """How cells are alike: one of a graph, coordinates or labels; labels may stand beside a graph.

    Attributes
    ----------
    name : str
        How messages call it.
    keys : dict
        The keys that name it, for the record.
    provenance : Provenance
    graph : array or sparse matrix of shape (n_cells, n_cells) or None
        Symmetric, none negative.
    coordinates : array of shape (n_cells, n_dimensions) or None
        Neighbours in these make the graph; of ``use_rep="X"`` it is None, and the genes themselves make it.
    labels : Series or None
    parameters : dict
        How the neighbours were made, as ``.uns`` records it.
    """

    name: str
    keys: dict[str, str]
    provenance: Provenance
    graph: Any = None
    coordinates: Any = None
    labels: Any = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of_genes(self) -> bool:
        """Whether neighbours in the genes themselves make the graph: ``use_rep="X"``."""
        return self.keys.get("use_rep") == "X" and self.coordinates is None

    def take(self, rows: IntArray) -> CellStructure:
        """Return that of some cells: the edges among them, their coordinates and labels."""
        return replace(
            self,
            graph=None if self.graph is None else _square(self.graph, rows),
            coordinates=None if self.coordinates is None else self.coordinates[rows],
            labels=None if self.labels is None else self.labels.iloc[rows],
        )


def structure_of(
    data: Any,
    adata: Any,
    *,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_rep: str | None = None,
    label_key: str | None = None,
    owner: str,
) -> CellStructure:
    """Find how cells are alike.

    Parameters
    ----------
    data : AnnData, MuData or SpatialData
        What the verb was given; a key may point into another modality of a MuData.
    adata : AnnData
        The genes' own.
    neighbors_key, obsp, use_rep, label_key : str, optional
        One of them at most.
    owner : str
        The verb that errors speak for.
    """
    given = {"neighbors_key": neighbors_key, "obsp": obsp, "use_rep": use_rep, "label_key": label_key}
    chosen = {name: key for name, key in given.items() if key is not None}
    if len(chosen) > 1:
        got = " and ".join(f"{name}={shown(key)}" for name, key in chosen.items())
        raise ValueError(f"{owner}: expected at most one of {', '.join(given)}, got {got}; leave the others out.")
    for name, key in chosen.items():
        if not isinstance(key, str):
            raise TypeError(f"{owner}: {name} must be the name of a key, got {type(key).__name__}.")
    if label_key is not None:
        return _labels(data, adata, label_key, owner)
    if use_rep is not None:
        return _coordinates(data, adata, use_rep, owner)
    if obsp is not None:
        return _graph(place_of(data, adata, obsp, "obsp", owner=owner), {"obsp": obsp})
    return neighbors_structure(data, adata, neighbors_key, owner)


def neighbors_structure(data: Any, adata: Any, neighbors_key: str | None, owner: str) -> CellStructure:
    """Find the connectivities of neighbours, as scanpy looks for them; its own sentence where there are none."""
    key = "neighbors" if neighbors_key is None else neighbors_key
    keys = {"neighbors_key": key}
    for name in (key, f"{key}_neighbors"):  # squidpy's key_added leaves out the second part
        place = _found(data, adata, name, "uns", owner)
        record = None if place is None else place.holder.uns[place.key]
        if place is None or not isinstance(record, Mapping):
            continue
        graph = plain(record.get("connectivities_key", "connectivities" if name == "neighbors" else ""))
        if graph in place.holder.obsp:
            return _graph(Place(place.holder, graph, place.modality, place.rows, owner), keys)
    bare = "connectivities" if key == "neighbors" else f"{key}_connectivities"
    unrecorded = _found(data, adata, bare, "obsp", owner)
    if unrecorded is not None:
        return _graph(unrecorded, keys)
    if neighbors_key is None or neighbors_key == "neighbors":
        raise ValueError(f"{owner}: {NO_NEIGHBORS} Or name a graph with obsp, coordinates with use_rep, or label_key.")
    place_of(data, adata, key, "uns", owner=owner)  # names near keys where there is none
    raise ValueError(f"{owner}: uns[{shown(key)}] records no graph of neighbours. {NO_NEIGHBORS}")


def _graph(place: Place, keys: dict[str, str]) -> CellStructure:
    """Take a graph of ``.obsp``; of one with directions, as squidpy's nearest neighbours, the symmetric part."""
    key, uns = place.key, place.holder.uns
    if says := says_distances(uns, key):
        raise ValueError(
            f"{place.owner}: obsp[{shown(key)}] holds distances by {says}, so that far cells would count as near "
            "ones; give the graph of connectivities."
        )
    record = record_of_graph(uns, key)[1]
    provenance = graph_provenance(uns, key, place.modality, keys.get("neighbors_key", ""), place.holder.obsm)
    name, found = f"obsp[{shown(key)}]", place.graph()
    graph = checked_matrix(found, found.shape[0], name=f"{place.owner}: {name}", symmetric=False)
    return CellStructure(name, keys | {"graph": key}, provenance, graph=graph, parameters=parameters_of(record))


def _coordinates(data: Any, adata: Any, use_rep: str, owner: str) -> CellStructure:
    """Find coordinates whose nearest neighbours make the graph."""
    recorded = {"n_neighbors": N_NEIGHBORS, "use_rep": use_rep}
    if use_rep == "X" and "X" not in adata.obsm:
        provenance = Provenance(False, "use_rep='X' makes the graph of these genes")
        return CellStructure("the genes", {"use_rep": "X"}, provenance, parameters=recorded)
    place = place_of(data, adata, use_rep, "obsm", owner=owner)
    found = place.coordinates()
    values = sparse.csr_array(found) if sparse.issparse(found) else np.asarray(found)
    if doubt := check_places(values, f"obsm[{shown(place.key)}]", owner, N_NEIGHBORS - 1):
        warn(f"{owner}: {doubt}.", UserWarning)
    provenance = coordinates_provenance(place.key, place.modality, values.shape[1] if values.ndim == 2 else 1)
    return CellStructure(
        f"obsm[{shown(place.key)}]", {"use_rep": use_rep}, provenance, coordinates=values, parameters=recorded
    )


def _labels(data: Any, adata: Any, label_key: str, owner: str) -> CellStructure:
    place = place_of(data, adata, label_key, "obs", owner=owner)
    provenance = label_provenance(place.holder.uns, place.holder.obs, place.key, place.modality)
    return CellStructure(f"obs[{shown(place.key)}]", {"label_key": label_key}, provenance, labels=place.labels())


def _found(data: Any, adata: Any, key: str, slot: str, owner: str) -> Place | None:
    """Return the place of a key, or None where it is nowhere."""
    try:
        return place_of(data, adata, key, slot, owner=owner)
    except ValueError:
        return None


def _square(graph: Any, rows: IntArray) -> Any:
    """Return rows and columns of some cells; sparse stays sparse."""
    return graph[rows][:, rows] if sparse.issparse(graph) else graph[np.ix_(rows, rows)]
