"""One split of one data set of dissertation chapter 4: the methods of Tables 4.2 to 4.5 and Figure 4.2."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from baselines import arom_svm, mrmr
from common import load
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from eigenselect import MRSF, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, TraceRatio
from eigenselect.evaluation import jaccard_score, redundancy_rate, subset_accuracies
from eigenselect.similarity import RBF

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Top = Callable[[int], IndexArray]  # the chosen features, by their number

FILES = {
    "ORL": "orlraws10P.mat",
    "PIX": "pixraw10P.mat",
    "AR": "warpAR10P.mat",
    "PIE": "warpPIE10P.mat",
    "TOX": "TOX-171.mat",
    "GLIOMA": "GLIOMA.mat",
}
SIZES = tuple(range(10, 201, 10))
MOST = max(SIZES)
NEIGHBOURS = {"1 neighbour": 1, "5 neighbours": 5}
RANDOM, ALL = "random features", "all features"
TRAINING, HELD_OUT = "training", "held out"


def ordered(order: IndexArray) -> Top:
    """The first so many of an order."""
    return lambda size: order[:size]


def ranked(selector: Any, Z: FloatArray, y: Any = None) -> Top:
    """The best so many by a selector's ranking."""
    return ordered(np.argsort(selector.fit(Z, y).ranking_))


def mrsf(Z: FloatArray, y: IndexArray | None = None) -> Top:
    """MRSF, asked for every size in turn; with labels if they are given. If fewer can enter, these."""
    selector = MRSF(target="similarity" if y is None else "lda", scale=None, warm_start=True)
    sets = {}
    for size in sorted({*SIZES, len(Z)}):
        selector.set_params(n_features_to_select=size).fit(Z, y)
        sets[size] = np.flatnonzero(selector.ranking_ <= selector.n_features_)
    return sets.__getitem__


SUPERVISED: dict[str, Callable[[FloatArray, IndexArray], Top]] = {
    "ReliefF": lambda Z, y: ranked(ReliefF(), Z, y),
    "Fisher": lambda Z, y: ranked(FisherScore(), Z, y),
    "Trace ratio": lambda Z, y: ranked(TraceRatio(MOST, graphs="fisher", scale=None), Z, y),
    "HSIC": lambda Z, y: ranked(HSICScore(scale=None), Z, y),
    "mRMR": lambda Z, y: ordered(mrmr(Z, y, MOST)),
    "mRMR quotient": lambda Z, y: ordered(mrmr(Z, y, MOST, quotient=True)),
    "AROM-SVM": lambda Z, y: ordered(arom_svm(Z, y, MOST)),
    "MRSF": mrsf,
}
UNSUPERVISED: dict[str, Callable[[FloatArray, FloatArray, int], Top]] = {
    "Laplacian": lambda Z, S, k: ranked(LaplacianScore(similarity="rbf"), Z),
    "SPEC": lambda Z, S, k: ranked(SPEC(similarity="rbf", ranking="phi3", n_clusters=k), Z),
    "Trace ratio": lambda Z, S, k: ranked(TraceRatio(MOST, graphs="laplacian", scale=None, similarity="rbf"), Z),
    "HSIC": lambda Z, S, k: ranked(HSICScore(target_kernel=S, scale=None), Z),
    "MRSF": lambda Z, S, k: mrsf(Z),
}


@cache
def table_of(dataset: str) -> tuple[FloatArray, IndexArray]:
    """The samples and their classes 0, 1, …, read once in a process."""
    X, labels = load(FILES[dataset])
    return X, np.unique(labels, return_inverse=True)[1]


@dataclass(frozen=True)
class Split:
    """A table, standardised by its training half, and its two halves with their similarities."""

    Z: FloatArray
    y: IndexArray
    halves: dict[str, IndexArray]
    similarities: dict[str, FloatArray]

    @classmethod
    def of(cls, X: FloatArray, y: IndexArray, seed: int) -> Split:
        train, test = train_test_split(np.arange(y.size), test_size=0.5, stratify=y, random_state=seed)
        spread = X[train].std(axis=0)
        Z = (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        halves = {TRAINING: train, HELD_OUT: test}
        return cls(Z, y, halves, {half: RBF().build(Z[rows]).affinity for half, rows in halves.items()})

    @property
    def n_training(self) -> int:
        return int(self.halves[TRAINING].size)


def accuracies(split: Split, subsets: list[IndexArray]) -> list[float]:
    """Accuracy of a linear machine on the held-out half, for every subset."""
    machine = SVC(kernel="linear", C=1.0)
    found = subset_accuracies(subsets, split.Z, split.y, *split.halves.values(), classifier=machine)
    return [float(value) for value in found]


def redundancies(split: Split, chosen: IndexArray) -> dict[str, float]:
    """Mean absolute correlation, in either half."""
    return {half: redundancy_rate(split.Z[np.ix_(rows, chosen)]) for half, rows in split.halves.items()}


def jaccards(split: Split, subsets: list[IndexArray], k: int) -> dict[str, float]:
    """Mean share of k neighbours kept, in either half, by inner products of the chosen features."""
    found = {}
    for half, rows in split.halves.items():
        scores = [jaccard_score(split.Z[np.ix_(rows, columns)], split.similarities[half], k) for columns in subsets]
        found[half] = float(np.mean(scores))
    return found


def trial(dataset: str, seed: int) -> dict[str, Any]:
    """Every table's cells of one split of a data set."""
    return one_split(*table_of(dataset), seed)


def one_split(X: FloatArray, y: IndexArray, seed: int) -> dict[str, Any]:
    """All that one split tells: by table and method the value in either half, and the curves of Figure 4.2."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes, fewer features than asked for: see the choices
        return _split_values(Split.of(X, y, seed), seed)


def _split_values(split: Split, seed: int) -> dict[str, Any]:
    Z, y = split.Z[split.halves[TRAINING]], split.y[split.halves[TRAINING]]
    n_classes, S = int(y.max()) + 1, split.similarities[TRAINING]
    anyhow = ordered(np.random.default_rng(seed).permutation(Z.shape[1]))
    supervised = {name: choose(Z, y) for name, choose in SUPERVISED.items()} | {RANDOM: anyhow}
    unsupervised = {name: choose(Z, S, n_classes) for name, choose in UNSUPERVISED.items()} | {RANDOM: anyhow}
    everything = [np.arange(Z.shape[1])]
    subsets = {name: [top(size) for size in SIZES] for name, top in unsupervised.items()} | {ALL: everything}
    curves = {name: accuracies(split, [top(size) for size in SIZES]) for name, top in supervised.items()}
    curves[ALL] = accuracies(split, everything)
    tables = {f"4.4, {name}": {m: jaccards(split, s, k) for m, s in subsets.items()} for name, k in NEIGHBOURS.items()}
    tables["4.2"] = {name: {TRAINING: float(np.mean(curve))} for name, curve in curves.items()}
    for table, methods in {"4.3": supervised, "4.5": unsupervised}.items():
        tables[table] = {name: redundancies(split, top(split.n_training)) for name, top in methods.items()}
    entered = {"labels": supervised["MRSF"](MOST).size, "RBF": unsupervised["MRSF"](MOST).size}
    return {"tables": tables, "curves": curves, "entered": entered, "same": _same(supervised)}


def _same(supervised: dict[str, Top]) -> dict[str, bool]:
    """Whether methods that the chapter prints as equal chose the same features."""
    found = {}
    for other in ("Trace ratio", "HSIC"):
        pairs = ((set(supervised["Fisher"](size)), set(supervised[other](size))) for size in SIZES)
        found[other] = all(one == two for one, two in pairs)
    return found
