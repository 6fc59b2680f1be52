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
#: parts of names, in small letters, of what is computed of genes, be it of genes and places (spatial PCA)
EMBEDDINGS = ("pca", "pcs", "umap", "tsne", "diffmap", "phate", "nmf", "scvi", "harmony", "latent", "embed")
#: and the most columns that places have: more are an embedding, of which genes are part
MOST_DIMENSIONS = 3
#: parameters that only squidpy's ``gr.spatial_neighbors`` and its like record
OF_SQUIDPY = ("coord_type", "radius", "delaunay", "n_rings", "transform", "set_diag", "percentile")
#: parts of the names of clusterings, where nothing records them
CLUSTERINGS = ("leiden", "louvain", "cluster", "kmeans", "k_means", "phenograph", "snn_res", "mclust")
#: of the cells that the most frequent label misses, the share that clusters must tell right to look like its source
TOLD = 0.9


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
    recorded : bool
        Whether ``.uns`` records that the genes made it, so that nobody can claim the opposite in silence.
    """

    elsewhere: bool
    why: str
    doubt: str = ""
    recorded: bool = False


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


def says_distances(uns: Mapping[str, Any], key: str) -> str:
    """Return what says that an entry of ``.obsp`` holds distances, its name or a record; empty if nothing does.

    >>> says_distances({"near": {"distances_key": "d"}}, "d"), says_distances({}, "connectivities")
    ("uns['near']", '')
    """
    if key.endswith("distances"):
        return "its name"
    records = (name for name, record in uns.items() if isinstance(record, Mapping))
    found = next((name for name in records if plain(uns[name].get("distances_key")) == key), None)
    return "" if found is None else f"uns[{shown(found)}]"


def graph_provenance(
    uns: Mapping[str, Any],
    key: str,
    modality: str | None,
    neighbors_key: str = "",
    obsm: Mapping[str, Any] | None = None,
) -> Provenance:
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
    obsm : mapping, optional
        Of the same object: coordinates that a record names are looked at there.

    Examples
    --------
    >>> graph_provenance({}, "spatial_connectivities", None)
    Provenance(elsewhere=True, why="obsp['spatial_connectivities'] is spatial by its name", doubt='', recorded=False)
    >>> graph_provenance({}, "connectivities", None).elsewhere
    False
    """
    graph = f"obsp[{shown(key)}]"
    name, record = record_of_graph(uns, key)
    parameters, recorded = parameters_of(record), f"uns[{shown(name)}] records {graph}"
    if modality is not None:
        return Provenance(True, f"{graph} is of another modality, {shown(modality)}")
    if _made_of_space(parameters, obsm or {}):
        return Provenance(True, f"{recorded} as spatial")
    if _made_of_genes(parameters):
        return Provenance(False, f"{recorded} as neighbours by {_representation(parameters)}", recorded=True)
    if _spatial_by_name(key, "spatial") or _spatial_by_name(neighbors_key, "spatial"):
        return Provenance(True, f"{graph} is spatial by its name")
    return Provenance(False, f"nothing says that {graph} was made of something else than these genes")


def coordinates_provenance(key: str, modality: str | None, n_dimensions: int) -> Provenance:
    """Tell whether coordinates of ``.obsm`` are of space, of another modality, or may be computed from the genes.

    >>> [coordinates_provenance(key, None, count).elsewhere for key, count in (("spatial", 2), ("spatial_pca", 30))]
    [True, False]
    """
    name = f"obsm[{shown(key)}]"
    if modality is not None:
        return Provenance(True, f"{name} is of another modality, {shown(modality)}")
    if _are_places(key, n_dimensions):
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
            return Provenance(False, f"uns[{shown(key)}] records {labels} as a clustering of this table", recorded=True)
        if _is_function_of(obs[key], obs[clustering]):
            same = f"every cluster of obs[{shown(clustering)}], which uns records as a clustering of this table"
            return Provenance(False, f"{same}, has one label in {labels}", recorded=True)
    return Provenance(True, f"uns does not record {labels} as a clustering", _doubt(uns, obs, key))


def _doubt(uns: Mapping[str, Any], obs: pd.DataFrame, key: str) -> str:
    """Say what lets labels that nothing records look like a clustering: their name, or that clusters tell them."""
    labels = f"obs[{shown(key)}]"
    if is_called_like_clusters(key):
        return f"{labels} is called like a clustering"
    told = {name: told_labels(obs[key], obs[name]) for name in _recorded_clusterings(uns, obs)}
    name = max(told, key=lambda each: told[each], default="")
    if not name or told[name] < TOLD:
        return ""
    return f"the clusters of obs[{shown(name)}] tell nearly all labels of {labels}"


def is_called_like_clusters(name: str) -> bool:
    """Whether labels have a name that programs and people give to clusters.

    >>> is_called_like_clusters("Leiden_0.5"), is_called_like_clusters("donor")
    (True, False)
    """
    return any(part in name.lower() for part in CLUSTERINGS)


def told_labels(labels: pd.Series[Any], clusters: pd.Series[Any]) -> float:
    """Return which share of the cells that the most frequent label misses the most frequent label of a cluster gets.

    >>> told_labels(pd.Series(list("aabbb")), pd.Series(list("00011")))
    0.5
    """
    counts = pd.crosstab(labels.to_numpy(), clusters.to_numpy()).to_numpy()
    missed = int(counts.sum() - counts.sum(axis=1).max(initial=0))
    wrong = int(counts.sum() - counts.max(axis=0, initial=0).sum())
    return 1.0 - wrong / missed if missed else 0.0


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


def _made_of_space(parameters: Mapping[str, Any], obsm: Mapping[str, Any]) -> bool:
    """Whether parameters are squidpy's, or those of neighbours in places, which need not be there any more."""
    used = str(parameters.get("use_rep", ""))
    known = used in obsm and len(np.shape(obsm[used])) == 2
    places = _are_places(used, np.shape(obsm[used])[1] if known else MOST_DIMENSIONS)
    return places or any(name in parameters for name in OF_SQUIDPY)


def _are_places(key: str, n_dimensions: int) -> bool:
    """Whether coordinates are places on a tissue, by their name and number."""
    return _spatial_by_name(key) and n_dimensions <= MOST_DIMENSIONS


def _spatial_by_name(key: str, starts: str | tuple[str, ...] = SPATIAL) -> bool:
    """Whether a name is that of places or of their graph, and not of an embedding with places in it.

    >>> [_spatial_by_name(key) for key in ("spatial_connectivities", "X_spatial", "spatial_umap", "X_umap")]
    [True, True, False, False]
    """
    return key.startswith(starts) and not any(part in key.lower() for part in EMBEDDINGS)


def _made_of_genes(parameters: Mapping[str, Any]) -> bool:
    """Whether parameters are those of scanpy's ``pp.neighbors`` on the table, or on something computed from it."""
    return "n_pcs" in parameters or "method" in parameters or str(parameters.get("use_rep", "")).startswith("X")


def _representation(parameters: Mapping[str, Any]) -> str:
    used = parameters.get("use_rep")
    if used is None:
        return "principal components of genes" if parameters.get("n_pcs") != 0 else "genes"
    return "genes" if used == "X" else f"obsm[{shown(used)}]"
