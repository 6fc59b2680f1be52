"""What papers/evsc.py measures: rankings, k-means on their features, and how well these keep neighbours."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from common import load
from numpy.typing import NDArray
from scipy.linalg import subspace_angles
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from eigenselect import EVSC, SPEC, LaplacianScore
from eigenselect.evaluation import clustering_accuracy
from eigenselect.selection import knee
from eigenselect.similarity import RBF

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

RUNS = 10  # of k-means; the best counts
SIZES = tuple(range(100, 2000, 100))
LEADING = 2000  # features whose scores Figure 4 shows
FILES = {
    "PIX": "pixraw10P.mat",
    "ORL": "orlraws10P.mat",
    "TOX": "TOX-171.mat",
    "GLIOMA": "GLIOMA.mat",
    "PROSTATE": "Prostate-GE.mat",
}
LAPLACIAN, SPEC_NAME, EVSC_NAME = "Laplacian", "SPEC", "EVSC"
METHODS: dict[str, Any] = {
    LAPLACIAN: lambda: LaplacianScore(similarity="rbf", n_jobs=1),
    SPEC_NAME: lambda: SPEC(similarity="rbf", ranking="phi1", n_jobs=1),
    EVSC_NAME: lambda: EVSC(similarity="rbf", n_jobs=1),
}
INNER, COSINE, EUCLIDEAN = KINDS = ("inner product", "cosine", "Euclidean")  # the paper's, and two others
NEIGHBORS = (5, 1)  # the protocol's, and the one that was added
BEST, WORST, RANDOM = "best", "worst", "random"
RAW, STANDARDISED = "raw", "standardised"
ACCURACY, INERTIA = "accuracy", "by inertia"


def standardised(X: FloatArray) -> FloatArray:
    """Every feature with mean 0 and variance 1."""
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


@cache
def data(dataset: str, scaling: str) -> tuple[FloatArray, IndexArray]:
    """Samples as in the file or standardised, and classes 0, 1, …."""
    X, labels = load(FILES[dataset])
    return (standardised(X) if scaling == STANDARDISED else X), np.unique(labels, return_inverse=True)[1]


@cache
def fitted(dataset: str, scaling: str) -> dict[str, Any]:
    """Every method, fitted."""
    X, _ = data(dataset, scaling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # features of several units: see the choices
        return {name: make().fit(X) for name, make in METHODS.items()}


def order_of(selector: Any) -> IndexArray:
    """The features from best to worst."""
    return np.argsort(selector.ranking_)


def ends(found: dict[str, Any], seed: int) -> dict[tuple[str, str], IndexArray]:
    """Features from best to worst, from worst to best, and at random."""
    orders = {name: order_of(selector) for name, selector in found.items()}
    every = {(name, BEST): order for name, order in orders.items()}
    every |= {(name, WORST): order[::-1] for name, order in orders.items()}
    n_features = next(iter(orders.values())).size
    return every | {(RANDOM, BEST): np.random.default_rng(seed).permutation(n_features)}


def trial(dataset: str, scaling: str, seed: int) -> dict[str, Any]:
    """Clustering accuracies of every method, end and number of features; and at EVSC's turning point."""
    X, y = data(dataset, scaling)
    found = fitted(dataset, scaling)
    values: dict[str, Any] = {
        f"{name}, {end}": clustering_curve(X, y, order, seed) for (name, end), order in ends(found, seed).items()
    }
    values["random jaccard"] = jaccard_curves(X, ends(found, seed)[RANDOM, BEST])
    values["everything"] = clustering(X, y, seed)[0]
    turns, order = turning_points(found[EVSC_NAME].scores_), order_of(found[EVSC_NAME])
    values["turning point"] = {name: clustering(X[:, order[:size]], y, seed)[0] for name, size in turns.items()}
    return values


def clustering_curve(X: FloatArray, y: IndexArray, order: IndexArray, seed: int) -> dict[str, list[float]]:
    """Accuracy at every number of features, by both rules for the run that counts."""
    pairs = [clustering(np.ascontiguousarray(X[:, order[:size]]), y, seed) for size in SIZES]
    best, by_inertia = zip(*pairs, strict=True)
    return {ACCURACY: list(best), INERTIA: list(by_inertia)}


def clustering(X: FloatArray, y: IndexArray, trial: int) -> tuple[float, float]:
    """Accuracy of k-means: the best of the runs by accuracy, and that of lowest inertia."""
    found = []
    for number in range(RUNS):
        seed = trial * RUNS + number
        model = KMeans(int(y.max()) + 1, init="random", n_init=1, random_state=seed).fit(X)
        found.append((float(model.inertia_), clustering_accuracy(y, model.labels_)))
    return max(accuracy for _, accuracy in found), min(found)[1]


def turning_points(values: FloatArray) -> dict[str, int]:
    """How many features are before the knee of all scores, and of the leading ones that Figure 4 shows."""
    leading = np.sort(values[~np.isnan(values)])[::-1][:LEADING]
    return {"all": knee(values), "leading": knee(leading)}


def facts(name: str, dataset: str, scaling: str) -> dict[str, Any]:
    """What has no randomness: Jaccard scores, the curve of EVSC scores, variance; ``name`` is for the key."""
    X, _ = data(dataset, scaling)
    found = fitted(dataset, scaling)
    turns, order = turning_points(found[EVSC_NAME].scores_), order_of(found[EVSC_NAME])
    return {
        "shape": list(X.shape),
        "jaccard": {f"{who}, {end}": jaccard_curves(X, order) for (who, end), order in ends(found, 0).items()},
        "variance": {who: float(spearmanr(one.scores_, X.var(axis=0)).statistic) for who, one in found.items()},
        "turning point": turns,
        "jaccard there": {at: jaccard_curves(X, order, (size,))[f"{INNER}, 5"][0] for at, size in turns.items()},
        "scores": np.sort(found[EVSC_NAME].scores_)[::-1][:LEADING:20].tolist(),
    }


def jaccard_curves(
    X: FloatArray, order: IndexArray, sizes: Sequence[int] = SIZES, neighbours: Sequence[int] = NEIGHBORS
) -> dict[str, list[float]]:
    """Jaccard score at every number of features, for every kind and number of neighbours."""
    full = X @ X.T
    everything = {kind: neighbour_order(full, kind) for kind in KINDS}
    products = np.zeros_like(full)
    curves: dict[str, list[float]] = {f"{kind}, {k}": [] for kind in KINDS for k in neighbours}
    for first, last in pairwise((0, *sizes)):
        part = X[:, order[first:last]]
        products += part @ part.T
        for kind in KINDS:
            chosen = neighbour_order(products, kind)
            for k in neighbours:
                curves[f"{kind}, {k}"].append(overlap(chosen[:, :k], everything[kind][:, :k]))
    return curves


def neighbour_order(products: FloatArray, kind: str) -> IndexArray:
    """The others of every sample, nearest first, by inner product, cosine or Euclidean distance."""
    squares = np.diag(products)
    nearness = products.copy()
    if kind == COSINE:
        nearness /= np.sqrt(np.outer(squares, squares))
    elif kind == EUCLIDEAN:
        nearness = 2 * products - squares  # of row i's own square the order does not depend
    np.fill_diagonal(nearness, -np.inf)
    return np.argsort(-nearness, axis=1, kind="stable")


def overlap(chosen: IndexArray, everything: IndexArray) -> float:
    """Mean share of common neighbours: as many in both sets, k, so |A ∩ B| / (2k - |A ∩ B|)."""
    common = (chosen[:, :, None] == everything[:, None, :]).sum(axis=(1, 2))
    return float(np.mean(common / (2 * chosen.shape[1] - common)))


def iris(name: str) -> dict[str, Any]:
    """Figure 1: how far the three smooth eigenvectors turn if one of two features goes; ``name`` is for the key."""
    X = load_iris().data[:, [0, 2]]
    spaces = {columns: smooth_space(X[:, list(columns)]) for columns in ((0, 1), (0,), (1,))}
    turned = [float(np.degrees(subspace_angles(spaces[0, 1], spaces[kept]).max())) for kept in ((0,), (1,))]
    return {
        "without petal length": turned[0],
        "without sepal length": turned[1],
        "scores": EVSC().fit(X).scores_.tolist(),
    }


def smooth_space(X: FloatArray) -> FloatArray:
    """The eigenvectors of D⁻¹L of the three smallest eigenvalues, for the RBF graph."""
    graph = RBF().build(X)
    vectors = graph.full_eigensystem().eigenvectors[:, :3]
    return np.asarray(vectors / np.sqrt(graph.degrees)[:, None])
