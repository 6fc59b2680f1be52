"""Which settings that the dissertation leaves open give the cells of its Table 2.4? Looked for on the choosing seeds.

Three columns of the table are off on several sets: ReliefF, AROM-SVM and φ3 with class labels. A trial is one split
(two thirds for training) on which every setting of the three, and of the COLON data, chooses features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import baselines
import numpy as np
from common import load
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.model_selection import train_test_split
from spec_methods import FloatArray, IndexArray, best_first, indicator_terms
from spec_trials import SHARES, data, nested_one_nn

from eigenselect import SPEC, FisherScore
from eigenselect.similarity import ClassLabels

SHARE = "two thirds"
SIZES_MEANT = 5  # the table's mean over 10, 20, …, 50 features
SEEDS = {"RELATHE": 4, "HOCKBASE": 4}  # of the others 10: from 0 on
NEIGHBORS = (1, 5, 10, 20)
DISTANCES = {"Manhattan of ranges": "cityblock", "Euclid of ranges": "euclidean", "Euclid as given": "euclidean"}
DIFFERENCES = {
    "absolute, by range": (True, np.abs),
    "squared, by range": (True, np.square),
    "absolute, as given": (False, np.abs),
    "squared, as given": (False, np.square),
}
COSTS = (1e3, 1.0, 1e-2)
ROUNDS = (1, 5, 50)
COLONS = {"COLON, logarithms": "colon_alon_raw.npz", "COLON, three levels": "colon.mat"}


def keys(datasets: list[str]) -> list[tuple[str, int]]:
    """Of all trials: every data set, and COLON in two more forms."""
    names = [*datasets, *(COLONS if "COLON" in datasets else ())]
    return [(name, seed) for name in names for seed in range(SEEDS.get(name, 10))]


def trial(name: str, seed: int) -> dict[str, float]:
    """The cell of every setting, "column: setting", on one split."""
    X, y = _data(name)
    train, test = train_test_split(np.arange(y.size), train_size=SHARES[SHARE], stratify=y, random_state=seed)
    found = {}
    for setting, order in settings(X[train], y[train], seed):
        chosen = X[:, order[: 10 * SIZES_MEANT]]
        curve = nested_one_nn(chosen[train], y[train], chosen[test], y[test])
        found[setting] = float(np.mean(curve[:SIZES_MEANT]))
    return found


def _data(name: str) -> tuple[FloatArray, NDArray[Any]]:
    if name not in COLONS:
        X, y = data(name)
        return (X.toarray() if sparse.issparse(X) else X), y
    X, y = load(COLONS[name])
    return (np.log(X) if "logarithms" in name else X), y


def settings(X: FloatArray, y: NDArray[Any], seed: int) -> Iterator[tuple[str, IndexArray]]:
    """Every setting and the features that it puts first."""
    yield "Fisher:", np.argsort(FisherScore().fit(X, y).ranking_)
    yield "φ1:", np.argsort(SPEC(ranking="phi1", similarity=ClassLabels()).fit(X, y).ranking_)
    yield from relieff_settings(X, y)
    yield from arom_settings(X, y)
    yield "AROM-SVM: random features", np.random.default_rng(seed).permutation(X.shape[1])
    yield from phi3_settings(X, y)


def relieff_settings(X: FloatArray, y: NDArray[Any]) -> Iterator[tuple[str, IndexArray]]:
    """By distance, difference and number of neighbours."""
    ranges = np.ptp(X, axis=0)
    scaled = X / np.where(ranges > 0, ranges, 1.0)
    for distance, metric in DISTANCES.items():
        Z = X if distance.endswith("given") else scaled
        D = cdist(Z, Z, metric)
        for difference, (by_range, size) in DIFFERENCES.items():
            nearest = neighbour_sums(scaled if by_range else X, y, D, size)
            for k in NEIGHBORS:
                name = f"ReliefF: {k} neighbours, {distance}; differences {difference}"
                yield name, best_first(relieff(nearest, k), larger_is_better=True)


@dataclass(frozen=True)
class NearestSums:
    """Mean differences to the k nearest samples of a class, summed over samples; the priors of misses are within."""

    hits: FloatArray  # (k - 1, feature)
    misses: FloatArray


def neighbour_sums(X: FloatArray, y: NDArray[Any], D: FloatArray, size: Any) -> NearestSums:
    r"""For every k the sums over samples i of the mean differences to the k nearest hits h and misses m.

    .. math::
        \sum_i \frac{1}{k} \sum_{r \le k} |f_i - f_{h_r(i)}|, \qquad
        \sum_i \sum_{c \ne y_i} \frac{P_c}{1 - P_{y_i}} \frac{1}{k} \sum_{r \le k} |f_i - f_{m_r(i, c)}|

    A class with fewer than k samples gives the mean over those that it has.
    """
    classes, counts = np.unique(y, return_counts=True)
    hits, misses = (np.zeros((max(NEIGHBORS), X.shape[1])) for _ in range(2))
    for i in range(len(X)):
        for label, count in zip(classes, counts, strict=True):
            members = np.flatnonzero((y == label) & (np.arange(len(X)) != i))
            near = members[np.argsort(D[i, members], kind="stable")][: max(NEIGHBORS)]
            sums = np.cumsum(size(X[near] - X[i]), axis=0) / np.arange(1, near.size + 1)[:, None]
            means = sums[np.minimum(np.arange(max(NEIGHBORS)), near.size - 1)]
            if label == y[i]:
                hits += means
            else:
                misses += means * (count / (len(X) - counts[classes == y[i]][0]))
    return NearestSums(hits, misses)


def relieff(nearest: NearestSums, k: int) -> FloatArray:
    """Mean difference to the k nearest misses less that to the k nearest hits."""
    return np.asarray(nearest.misses[k - 1] - nearest.hits[k - 1])


def arom_settings(X: FloatArray, y: NDArray[Any]) -> Iterator[tuple[str, IndexArray]]:
    """By scaling, cost and rounds; and with the features that are out in the order of columns, or the best last."""
    deviations = X.std(axis=0)
    scalings = {"as given": X, "standardised": (X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)}
    for (scaling, Z), cost, rounds in product(scalings.items(), COSTS, ROUNDS):
        order, kept = baselines.arom_order(Z, y, cost=cost, rounds=rounds)
        name = f"AROM-SVM: {scaling}, C = {cost:g}, at most {rounds} rounds"
        yield name, order
        if rounds == max(ROUNDS):
            columns = np.concatenate([np.sort(order[:kept]), np.sort(order[kept:])])
            yield f"{name}; kept ones, then the others, by column", columns
            yield f"{name}; reversed", order[::-1]


def phi3_settings(X: FloatArray, y: NDArray[Any]) -> Iterator[tuple[str, IndexArray]]:
    """By the basis of the k-fold eigenvalue 0."""
    yield (
        "φ3: contrasts",
        np.argsort(SPEC(ranking="phi3", similarity=ClassLabels(), n_clusters=np.unique(y).size).fit(X, y).ranking_),
    )
    terms = indicator_terms(X, y)
    bases = {"without the first": terms[1:], "without the last": terms[:-1], "all": terms}
    for basis, kept in bases.items():
        yield f"φ3: indicators, {basis}", best_first(kept.sum(axis=0), larger_is_better=True)
