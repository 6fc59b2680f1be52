"""Say so where one sample, or a handful, decides a ranking."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect._warn import warn
from eigenselect.exceptions import DominatedWarning
from eigenselect.graph import SampleGraph
from eigenselect.graph.findings import BEST, dominating_sample, outlying_samples
from eigenselect.matrix import Matrix


def warn_if_dominated(
    X: Matrix, best: NDArray[np.intp], graph: SampleGraph | None, samples: NDArray[np.intp] | None, owner: str
) -> None:
    """Warn once, by name, of a sample that dominates the best features, and of samples on which eigenvectors live.

    Parameters
    ----------
    X : Matrix
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
    rows = np.arange(X.n_samples) if samples is None else samples
    live = np.arange(rows.size) if graph is None else np.flatnonzero(~graph.isolated)  # others count nowhere
    found = dominating_sample(X.columns(best[:BEST])[rows[live]])
    if found is not None:
        sample, dominated = int(rows[live][found[0]]), best[found[1]]
        remarks.append(
            f"{_samples([sample], X)} alone makes most of the spread of {dominated.size} of the "
            f"{min(BEST, best.size)} best features ({X.list_features(dominated)})"
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
    full = graph is not None and not (graph.is_sparse or graph.is_implicit or graph.has_own_mass)
    return "a neighbour graph (similarity='knn') or logarithms" if full else "logarithms"


def _samples(places: list[int], X: Matrix) -> str:
    return f"sample{'s' * (len(places) > 1)} {X.list_samples(places)}"
