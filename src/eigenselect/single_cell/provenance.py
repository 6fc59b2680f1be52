"""Where a sample graph, coordinates or labels of an AnnData come from, as far as ``.uns`` and the keys tell.

A gene that helped to make a graph looks smooth on it, noise or not. P-values on a graph need one that did not see the
genes: made of space, or of another modality.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from eigenselect.exceptions import shown

#: how keys of graphs and coordinates of a tissue start
SPATIAL = ("spatial", "X_spatial")
#: parameters that only squidpy's ``gr.spatial_neighbors`` and its like record
OF_SQUIDPY = ("coord_type", "radius", "delaunay", "n_rings", "transform", "set_diag", "percentile")
#: how clusterings are called where nothing records them
CLUSTERINGS = ("leiden", "louvain", "cluster", "kmeans", "k_means", "phenograph", "seurat_cluster", "parc", "mclust")


@dataclass(frozen=True)
class Provenance:
    """What is known of the origin of a graph or of labels.

    Attributes
    ----------
    elsewhere : bool
        Whether the genes did not make it, so that p-values are honest as it is given.
    why : str
        Why that is so or not, for the end of a sentence.
    doubt : str
        What speaks against it nevertheless; empty if nothing does.
    """

    elsewhere: bool
    why: str
    doubt: str = ""


def plain(value: Any) -> Any:
    """Return a recorded value as Python's own: files of old versions hold arrays of one element.

    >>> plain(np.array([15])), plain(np.str_("umap")), plain(None)
    (15, 'umap', None)
    """
    if isinstance(value, (np.ndarray, np.generic)) and np.size(value) == 1:
        return np.ravel(value)[0].item()
    return value


def parameters_of(record: Any) -> dict[str, Any]:
    """Return the parameters that a record of ``.uns`` holds; none where it holds none."""
    found = record.get("params") if isinstance(record, Mapping) else None
    return {str(name): plain(value) for name, value in found.items()} if isinstance(found, Mapping) else {}


def record_of_graph(uns: Mapping[str, Any], key: str) -> tuple[str, Mapping[str, Any]]:
    """Find what ``.uns`` records of a graph: the name of the record and the record, both empty where there is none.

    scanpy and squidpy record the key of a graph as ``connectivities_key``; old files of scanpy only mean it.
    """
    for name, record in uns.items():
        if isinstance(record, Mapping) and plain(record.get("connectivities_key")) == key:
            return str(name), record
    old = uns.get("neighbors") if key == "connectivities" else None
    return ("neighbors", old) if isinstance(old, Mapping) else ("", {})


def graph_provenance(uns: Mapping[str, Any], key: str, modality: str | None, neighbors_key: str = "") -> Provenance:
    """Tell whether a graph of ``.obsp`` is made of space, of another modality, or may be made of the genes.

    Parameters
    ----------
    uns : mapping
        Of the object that holds the graph.
    key : str
        In ``.obsp``.
    modality : str or None
        The other modality that holds it.
    neighbors_key : str
        The record that the user named, if it is none of the found ones.

    Examples
    --------
    >>> graph_provenance({}, "spatial_connectivities", None)
    Provenance(elsewhere=True, why="obsp['spatial_connectivities'] is spatial by its name", doubt='')
    >>> graph_provenance({}, "connectivities", None).elsewhere
    False
    """
    graph = f"obsp[{shown(key)}]"
    name, record = record_of_graph(uns, key)
    parameters, recorded = parameters_of(record), f"uns[{shown(name)}] records {graph}"
    if modality is not None:
        return Provenance(True, f"{graph} is of another modality, {shown(modality)}")
    if _made_of_space(parameters):
        return Provenance(True, f"{recorded} as spatial")
    if _made_of_genes(parameters):
        return Provenance(False, f"{recorded} as neighbours by {_representation(parameters)}")
    if key.startswith("spatial") or neighbors_key.startswith("spatial"):
        return Provenance(True, f"{graph} is spatial by its name")
    return Provenance(False, f"nothing says that {graph} was made of something else than these genes")


def coordinates_provenance(key: str, modality: str | None) -> Provenance:
    """Tell whether coordinates of ``.obsm`` are of space, of another modality, or may be computed from the genes."""
    name = f"obsm[{shown(key)}]"
    if modality is not None:
        return Provenance(True, f"{name} is of another modality, {shown(modality)}")
    if key.startswith(SPATIAL):
        return Provenance(True, f"{name} is spatial by its name")
    return Provenance(False, f"nothing says that {name} was made of something else than these genes")


def label_provenance(uns: Mapping[str, Any], obs: pd.DataFrame, key: str, modality: str | None) -> Provenance:
    """Tell whether labels are recorded as a clustering of this table, or are unions of clusters of one that is.

    Parameters
    ----------
    uns : mapping
    obs : DataFrame
        With the labels and the recorded clusterings.
    key : str
        Of the labels.
    modality : str or None
        The other modality that holds them.

    Examples
    --------
    >>> obs = pd.DataFrame({"leiden": list("001122"), "type": list("BBTTTT"), "donor": list("xyxyxy")})
    >>> uns = {"leiden": {"params": {"resolution": 1.0}}}
    >>> [label_provenance(uns, obs, key, None).elsewhere for key in obs]
    [False, False, True]
    """
    labels = f"obs[{shown(key)}]"
    if modality is not None:
        return Provenance(True, f"{labels} is of another modality, {shown(modality)}")
    for clustering in _recorded_clusterings(uns, obs):
        if clustering == key:
            return Provenance(False, f"uns[{shown(key)}] records {labels} as a clustering of this table")
        if _is_function_of(obs[key], obs[clustering]):
            same = f"every cluster of obs[{shown(clustering)}], which uns records as a clustering of this table"
            return Provenance(False, f"{same}, has one label in {labels}")
    doubt = f"{labels} is called like a clustering" if key.lower().startswith(CLUSTERINGS) else ""
    return Provenance(True, f"uns does not record {labels} as a clustering", doubt)


def _recorded_clusterings(uns: Mapping[str, Any], obs: pd.DataFrame) -> Iterator[str]:
    """Yield columns of obs whose own name in ``.uns`` records parameters, as leiden and louvain do.

    A clustering on a graph of space is none of the genes.
    """
    for key in obs:
        parameters = parameters_of(uns.get(str(key)))
        if not parameters:
            continue
        graph, name = str(parameters.get("obsp", "")), str(parameters.get("neighbors_key", ""))
        if not (graph or name) or not graph_provenance(uns, graph or name, None, name).elsewhere:
            yield str(key)


def _is_function_of(labels: pd.Series[Any], clusters: pd.Series[Any]) -> bool:
    """Whether every cluster has one label, of two or more that there are."""
    pairs = pd.DataFrame({"label": labels.to_numpy(), "cluster": clusters.to_numpy()}).dropna().drop_duplicates()
    return bool(pairs["label"].nunique() > 1 and not pairs["cluster"].duplicated().any())


def _made_of_space(parameters: Mapping[str, Any]) -> bool:
    named = any(name in parameters for name in OF_SQUIDPY)
    return named or str(parameters.get("use_rep", "")).startswith(SPATIAL)


def _made_of_genes(parameters: Mapping[str, Any]) -> bool:
    """Whether parameters are those of scanpy's ``pp.neighbors`` on the table, or on something computed from it."""
    return "n_pcs" in parameters or "method" in parameters or str(parameters.get("use_rep", "")).startswith("X")


def _representation(parameters: Mapping[str, Any]) -> str:
    used = parameters.get("use_rep")
    if used is None:
        return "principal components of genes" if parameters.get("n_pcs") != 0 else "genes"
    return "genes" if used == "X" else f"obsm[{shown(used)}]"
