"""Can any setting that EVSC's paper leaves open give its Jaccard scores? One trial: rankings have no randomness.

A setting is a scaling, a graph, a number of eigenvalues, a kind and a number of neighbours. It was looked for after
the tables were seen, and changes nothing in the protocol of papers/evsc.py.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from evsc_trials import INNER, KINDS, RAW, data, jaccard_curves, order_of, standardised
from numpy.typing import NDArray

from eigenselect import EVSC
from eigenselect.similarity import KNN, RBF, Linear

FloatArray = NDArray[np.float64]

NEIGHBORS = (1, 5, 10)
SCALINGS: dict[str, Any] = {
    "as given": lambda X: X,
    "standardised": standardised,
    "0 to 1": lambda X: (X - X.min(axis=0)) / np.ptp(X, axis=0),
    "unit length": lambda X: X / np.linalg.norm(X, axis=1, keepdims=True),
}
GRAPHS: dict[str, Any] = {
    "RBF, σ = median / 4": lambda median: RBF(bandwidth=median / 4),
    "RBF, σ = median / 2": lambda median: RBF(bandwidth=median / 2),
    "RBF, σ = median": lambda median: RBF(),
    "RBF, σ = 2 median": lambda median: RBF(bandwidth=2 * median),
    "RBF, σ = 4 median": lambda median: RBF(bandwidth=4 * median),
    "5-NN, RBF": lambda median: KNN(5),
    "10-NN, RBF": lambda median: KNN(10),
    "inner products": lambda median: Linear(),
}
EIGENVALUES = {"all eigenvalues": None, "10 eigenvalues": 10}
PROTOCOL = ("as given", "RBF, σ = median", "all eigenvalues", INNER, 5)


@dataclass(frozen=True)
class Tried:
    """A setting, and the mean Jaccard scores of its best and its worst features."""

    setting: tuple[str, str, str, str, int]
    best: float
    worst: float

    def distance(self, printed: tuple[float, float]) -> float:
        """Mean absolute difference to the published pair."""
        return (abs(self.best - printed[0]) + abs(self.worst - printed[1])) / 2


def keys(datasets: list[str]) -> list[tuple[str, str, str]]:
    """Of all trials."""
    return [(dataset, scaling, graph) for dataset in datasets for scaling in SCALINGS for graph in GRAPHS]


def trial(dataset: str, scaling: str, graph: str) -> dict[str, Any]:
    """Mean Jaccard scores of best and worst features, by eigenvalues and neighbours; or why there are none."""
    X = SCALINGS[scaling](data(dataset, RAW)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # units, eigenvalues that equal the last one
        return {name: scores_of(X, GRAPHS[graph](median_distance(X)), count) for name, count in EIGENVALUES.items()}


def scores_of(X: FloatArray, similarity: Any, n_eigenvalues: int | None) -> Any:
    """By kind and number of neighbours; a sentence where the graph cannot be made (negative inner products)."""
    try:
        order = order_of(EVSC(similarity=similarity, n_eigenvalues=n_eigenvalues, n_jobs=1).fit(X))
    except ValueError as error:
        return str(error)
    ends = [jaccard_curves(X, which, neighbours=NEIGHBORS) for which in (order, order[::-1])]
    return {name: [float(np.mean(end[name])) for end in ends] for name in ends[0]}


def median_distance(X: FloatArray) -> float:
    """Of all pairs of samples."""
    squares = (X**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0.0))
    return float(np.median(distances[np.triu_indices(len(X), 1)]))


def tried(found: dict[Any, Any], dataset: str) -> list[Tried]:
    """All settings of a data set that could be made."""
    results = []
    for (name, scaling, graph), by_count in found.items():
        for count, scores in by_count.items():
            if name != dataset or isinstance(scores, str):
                continue
            results += [
                Tried((scaling, graph, count, kind, k), *scores[f"{kind}, {k}"]) for kind in KINDS for k in NEIGHBORS
            ]
    return results
