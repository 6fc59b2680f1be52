"""Say so where one sample, or a handful, decides a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._names import feature_label, listed, sample_label
from eigenselect._warn import warn
from eigenselect.exceptions import DominatedWarning
from eigenselect.graph import SampleGraph, UnweightedGraph
from eigenselect.graph.findings import BEST, dominating_sample, outlying_samples


def warn_if_dominated(
    X: Any, best: NDArray[np.intp], graph: SampleGraph | None, samples: NDArray[np.intp] | None, owner: str
) -> None:
    """One warning that names the sample that dominates the best features, and those on which the graph's vectors live.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    best : array of int
        Features, best first; the first `BEST` are looked at.
    graph : SampleGraph or None
        None where its leading eigenvectors do not matter.
    samples : array of int or None
        The samples of X that the graph is about; None for all.
    owner : str
        Who selected.
    """
    remarks, said = [], set()
    rows = np.arange(X.shape[0]) if samples is None else samples
    live = np.arange(rows.size) if graph is None else np.flatnonzero(~graph.isolated)  # others count nowhere
    found = dominating_sample(_columns(X, best[:BEST], rows[live]))
    if found is not None:
        sample, dominated = int(rows[live][found[0]]), best[found[1]]
        names = listed([feature_label(int(place), X.shape[1]) for place in dominated])
        remarks.append(
            f"{_samples([sample], X)} alone makes most of the spread of {dominated.size} of the "
            f"{min(BEST, best.size)} best features ({names})"
        )
        said.add(sample)
    alone = [] if graph is None else [int(rows[place]) for place in outlying_samples(graph)]
    if alone:
        where = "it" if set(alone) == said else _samples(alone, X)
        count = "the leading eigenvector" if len(alone) == 1 else f"the {len(alone)} leading eigenvectors"
        remarks.append(f"{count} of the sample graph live{'s' * (len(alone) == 1)} on {where}")
    if remarks:
        warn(
            f"{owner}: {', and '.join(remarks)}; look there first, and take {_advice(graph)} to give such samples less "
            "weight.",
            DominatedWarning,
        )


def _advice(graph: SampleGraph | None) -> str:
    """Neighbours only in place of a graph of all pairs: labels, hits and misses are no choice of similarity."""
    full = graph is not None and not (graph.is_sparse or graph.is_implicit or isinstance(graph, UnweightedGraph))
    return "a neighbour graph (similarity='knn') or logarithms" if full else "logarithms"


def _samples(places: list[int], X: Any) -> str:
    labels = [sample_label(place, X.shape[0]) for place in places]
    return f"sample{'s' * (len(labels) > 1)} {listed(labels)}"


def _columns(X: Any, columns: NDArray[np.intp], samples: NDArray[np.intp]) -> NDArray[np.float64]:
    part = X[:, columns].toarray() if sparse.issparse(X) else np.asarray(X[:, columns])
    return np.asarray(part[samples], dtype=np.float64)
