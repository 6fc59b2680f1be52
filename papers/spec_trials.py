"""One trial of papers/spec.py: a split of one data set, and what 1NN says of every method's features."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from common import load, one_nn
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import train_test_split
from spec_methods import FISHER, LAPLACIAN, PHI, FloatArray, IndexArray, Method, graphs, orders

from eigenselect.graph import SampleGraph

FILES = {
    "RELATHE": "RELATHE.mat",
    "HOCKBASE": "BASEHOCK.mat",
    "PIE10P": "warpPIE10P.mat",
    "PIX10P": "pixraw10P.mat",
    "COLON": "colon_alon_raw.npz",
    "DATABASEC": "CNS_Pomeroy.npz",
}
TEXT = ("HOCKBASE", "RELATHE")
#: the share of samples that features are selected on and 1NN learns from
SHARES = {"half": 1 / 2, "two thirds": 2 / 3}
SIZES = tuple(range(10, 101, 10))
#: pairs of methods that are one by a theorem
SAME = {
    "Laplacian score = φ2, r on RBF": (LAPLACIAN, [Method("RBF", "phi2")]),
    "Fisher score = φ2 on class labels": (FISHER, [Method("C", "phi2")]),
} | {
    f"{ranking} on class labels with r, r³, r⁴": (Method("C", ranking), [Method("C", ranking, p) for p in (3, 4)])
    for ranking in PHI
}


@cache
def data(name: str) -> tuple[Any, NDArray[Any]]:
    """A data set, read once per process."""
    return load(FILES[name], text=name in TEXT)


def trial(name: str, share: str, seed: int) -> dict[str, Any]:
    """One split of one data set."""
    return one_split(*data(name), SHARES[share], seed)


def one_split(X: Any, y: NDArray[Any], share: float, seed: int) -> dict[str, Any]:
    """Accuracies of every method with the best 10, 20, …, 100 features, and what else the claims are about."""
    train, test = train_test_split(np.arange(y.size), train_size=share, stratify=y, random_state=seed)
    built = graphs(X[train], y[train])
    found = dict(orders(X[train], y[train], built))
    columns = X.tocsc() if sparse.issparse(X) else X
    accuracy, blank = {}, {}
    for method, order in found.items():
        chosen = columns[:, order[: SIZES[-1]]]
        dense = chosen.toarray() if sparse.issparse(chosen) else chosen
        accuracy[method.key] = nested_one_nn(dense[train], y[train], dense[test], y[test])
        blank[method.key] = float(np.mean(~dense[test].any(axis=1)))
    return {
        "accuracy": accuracy,
        "blank": blank,
        "all features": one_nn(X, y, train, test),
        "same": {name: same_features(found, *pair) for name, pair in SAME.items()},
        "power sums": {name: power_sum(graph) for name, graph in built.items() if name not in ("R", "C")},
        "shape": list(X.shape),
        "largest class": float(np.unique(y, return_counts=True)[1].max() / y.size),
    }


def nested_one_nn(A: FloatArray, y: NDArray[Any], B: FloatArray, z: NDArray[Any]) -> list[float]:
    """Accuracy on (B, z) of the nearest of (A, y) in the first 10, 20, … columns; of equally near ones the first."""
    distances, accuracies, done = np.zeros((len(B), len(A))), [], 0
    for size in SIZES:
        a, b = A[:, done:size], B[:, done:size]
        distances += np.sum(b**2, axis=1)[:, None] + np.sum(a**2, axis=1) - 2.0 * (b @ a.T)
        accuracies.append(float(np.mean(y[distances.argmin(axis=1)] == z)))
        done = size
    return accuracies


def same_features(found: dict[Method, IndexArray], method: Method, others: list[Method]) -> bool:
    """Whether the methods choose the same sets of 10, 20, …, 100 features."""
    pairs = ((found[method][:size], found[other][:size]) for other in others for size in SIZES)
    return all(set(one) == set(two) for one, two in pairs)


def power_sum(graph: SampleGraph) -> float:
    """Σλ³ / Σλ of the normalised Laplacian."""
    N = graph.normalized_laplacian()
    N = N.toarray() if sparse.issparse(N) else N
    return float(np.einsum("ij,ji->", N @ N, N) / np.trace(N))
