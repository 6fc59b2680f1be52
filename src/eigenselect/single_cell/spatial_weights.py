"""The spatial graph of an AnnData: an entry of obsp, row-normalised as squidpy does it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._warn import warn
from eigenselect.exceptions import listed, shown
from eigenselect.graph import SampleGraph, graph_from_matrix
from eigenselect.io.errors import near_names
from eigenselect.single_cell.containers import Place, is_mudata, place_of
from eigenselect.single_cell.provenance import graph_provenance, parameters_of, record_of_graph, says_distances


def spatial_graph(data: Any, adata: Any, key: str, owner: str, *, row_normalised: bool) -> SampleGraph:
    """Make the graph of an entry of obsp, of whose weights a quadratic form sees only the symmetric part.

    Parameters
    ----------
    data : AnnData, MuData or SpatialData
        What the verb was given.
    adata : AnnData
        What holds the genes.
    key : str
        Of ``.obsp``; in a MuData also ``"modality:key"``.
    owner : str
        The verb that errors speak for.
    row_normalised : bool
        Divide every row by its sum first, which makes the weights asymmetric where degrees differ.
    """
    if key not in adata.obsp and not is_mudata(data):
        raise KeyError(_missing(key, [str(name) for name in adata.obsp], owner))
    place = place_of(data, adata, key, "obsp", owner=owner)
    _warn_of_no_places(place)
    weights = place.graph()
    if row_normalised:
        weights = row_normalised_weights(weights)
    return graph_from_matrix(weights, adata.n_obs, name=f"{owner}: .obsp[{key!r}]", symmetric=False)


def _warn_of_no_places(place: Place) -> None:
    """Say where a graph is none of space, as far as its name and ``.uns`` tell: squidpy takes any without a word."""
    uns, key = place.holder.uns, place.key
    if says := says_distances(uns, key):
        warn(
            f"{place.owner}: .obsp[{shown(key)}] holds distances by {says}, so that far cells count as near ones; give "
            "the graph of connectivities."
        )
    found = graph_provenance(uns, key, place.modality, obsm=place.holder.obsm)
    if not found.elsewhere and parameters_of(record_of_graph(uns, key)[1]):
        warn(
            f"{place.owner}: {found.why}, and noise looks clustered on what it made, too, so that p-values do not hold "
            "for these genes; use pp.spectral_features(significance='split')."
        )


def row_normalised_weights(weights: Any) -> Any:
    r"""Divide the weights of every cell by their sum: :math:`w_{ij} / \sum_k |w_{ik}|`.

    Rows without neighbours stay 0, weights of 32 bits are rounded to 32 bits again, as squidpy's are, and what was
    given stays as it is.

    >>> row_normalised_weights(np.array([[0.0, 2, 2], [1, 0, 0], [0, 0, 0]]))
    array([[0. , 0.5, 0.5],
           [1. , 0. , 0. ],
           [0. , 0. , 0. ]])
    """
    given = weights.dtype if sparse.issparse(weights) else np.asarray(weights).dtype
    kept = given if given.kind in "fc" else np.dtype(np.float64)
    wide = np.result_type(kept, np.float64)  # in which rows are summed
    with np.errstate(invalid="ignore"):  # who makes a graph of them refuses what is not finite
        return _divided(weights, kept, wide)


def _divided(weights: Any, kept: Any, wide: Any) -> Any:
    if not sparse.issparse(weights):
        dense = np.asarray(weights, dtype=wide)
        sums = np.abs(dense).sum(axis=1)
        return (dense / np.where(sums == 0, 1.0, sums)[:, None]).astype(kept)
    stored = sparse.csr_array(weights)
    data, lengths = stored.data.astype(wide), np.diff(stored.indptr)
    sums = np.bincount(np.repeat(np.arange(lengths.size), lengths), np.abs(data), lengths.size)
    divisors = np.repeat(np.where(sums == 0, 1.0, sums), lengths)
    return sparse.csr_array(((data / divisors).astype(kept), stored.indices, stored.indptr), shape=stored.shape)


def _missing(key: str, names: list[str], owner: str) -> str:
    """Write the sentence of a graph that is not there."""
    near = near_names(str(key), names)
    has = f"it has {listed(names, 8)}" if names else "it is empty"
    hint = f"did you mean {' or '.join(map(shown, near))}?" if near else f"{has}."
    return (
        f"{owner}: no entry of .obsp is named {shown(key)}; {hint} Make the spatial graph first, for example with "
        "squidpy.gr.spatial_neighbors(adata), or name another with connectivity_key=; without one, "
        "eigenselect.pp.spectral_features(adata, use_rep='spatial') takes the coordinates of .obsm."
    )
