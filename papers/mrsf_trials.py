"""What papers/mrsf.py measures: the methods of Tables 4.2 to 4.5, and one split of one data set."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from baselines import arom_svm, mrmr
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from eigenselect import MRSF, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, TraceRatio
from eigenselect.evaluation import jaccard_score, redundancy_rate, subset_accuracies
from eigenselect.similarity import RBF

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Top = Callable[[int], IndexArray]  # the chosen features, by their number

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
    selector = MRSF(target="similarity" if y is None else "lda", warm_start=True)
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


def lists() -> dict[Any, list[Any]]:
    """Lists that begin empty."""
    return defaultdict(list)


@dataclass
class Run:
    """What was measured: by table, half, data set and method, one value for each split."""

    shape: dict[str, tuple[int, int]] = field(default_factory=dict)
    values: dict[tuple[str, str, str, str], list[float]] = field(default_factory=lists)
    entered: dict[tuple[str, str], list[int]] = field(default_factory=lists)
    same: dict[str, list[bool]] = field(default_factory=lists)

    def add(self, other: Run) -> None:
        """Take in the splits of another run."""
        for mine, theirs in ((self.values, other.values), (self.entered, other.entered), (self.same, other.same)):
            for key, found in theirs.items():
                mine[key].extend(found)

    def splits(self, table: str, dataset: str, method: str, half: str = TRAINING) -> FloatArray:
        """The value of every split."""
        return np.array(self.values[table, half, dataset, method])


@dataclass(frozen=True)
class Split:
    """A table, standardised by its training half, and its two halves with their similarities."""

    dataset: str
    Z: FloatArray
    y: IndexArray
    halves: dict[str, IndexArray]
    similarities: dict[str, FloatArray]

    @classmethod
    def of(cls, dataset: str, X: FloatArray, y: IndexArray, seed: int) -> Split:
        train, test = train_test_split(np.arange(y.size), test_size=0.5, stratify=y, random_state=seed)
        spread = X[train].std(axis=0)
        Z = (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        halves = {TRAINING: train, HELD_OUT: test}
        return cls(dataset, Z, y, halves, {half: RBF().build(Z[rows]).affinity for half, rows in halves.items()})

    @property
    def n_training(self) -> int:
        return int(self.halves[TRAINING].size)


def add_accuracy(run: Run, split: Split, method: str, subsets: list[IndexArray]) -> None:
    """Mean accuracy of a linear machine on the held-out half."""
    machine = SVC(kernel="linear", C=1.0)
    found = subset_accuracies(subsets, split.Z, split.y, *split.halves.values(), classifier=machine)
    run.values["4.2", TRAINING, split.dataset, method].append(float(np.mean(found)))


def add_redundancy(run: Run, split: Split, method: str, table: str, chosen: IndexArray) -> None:
    """Mean absolute correlation, in either half."""
    for half, rows in split.halves.items():
        run.values[table, half, split.dataset, method].append(redundancy_rate(split.Z[np.ix_(rows, chosen)]))


def add_jaccard(run: Run, split: Split, method: str, subsets: list[IndexArray]) -> None:
    """Mean share of neighbours kept, in either half, by inner products of the chosen features."""
    for half, rows in split.halves.items():
        tables = [split.Z[np.ix_(rows, columns)] for columns in subsets]
        for name, k in NEIGHBOURS.items():
            scores = [jaccard_score(table, split.similarities[half], k) for table in tables]
            run.values[f"4.4, {name}", half, split.dataset, method].append(float(np.mean(scores)))


def one_split(dataset: str, X: FloatArray, y: IndexArray, seed: int) -> Run:
    """All that one split tells."""
    run = Run()
    with threadpool_limits(1), warnings.catch_warnings():  # one thread: faster so with so few samples
        warnings.simplefilter("ignore", UserWarning)  # small classes, fewer features than asked for: see the choices
        run_split(run, Split.of(dataset, X, y, seed), seed)
    return run


def run_split(run: Run, split: Split, seed: int) -> None:
    """Every method on the training half, and every measure."""
    Z, y = split.Z[split.halves[TRAINING]], split.y[split.halves[TRAINING]]
    n_classes, S = int(y.max()) + 1, split.similarities[TRAINING]
    anyhow = ordered(np.random.default_rng(seed).permutation(Z.shape[1]))
    supervised = {name: choose(Z, y) for name, choose in SUPERVISED.items()} | {RANDOM: anyhow}
    unsupervised = {name: choose(Z, S, n_classes) for name, choose in UNSUPERVISED.items()} | {RANDOM: anyhow}
    for name, top in supervised.items():
        add_accuracy(run, split, name, [top(size) for size in SIZES])
        add_redundancy(run, split, name, "4.3", top(split.n_training))
    for name, top in unsupervised.items():
        add_jaccard(run, split, name, [top(size) for size in SIZES])
        add_redundancy(run, split, name, "4.5", top(split.n_training))
    everything = [np.arange(Z.shape[1])]
    add_accuracy(run, split, ALL, everything)
    add_jaccard(run, split, ALL, everything)
    _remember(run, split.dataset, supervised, unsupervised)


def _remember(run: Run, dataset: str, supervised: dict[str, Top], unsupervised: dict[str, Top]) -> None:
    """How many features MRSF got, and whether methods that the chapter prints as equal chose the same ones."""
    run.entered[dataset, "labels"].append(supervised["MRSF"](MOST).size)
    run.entered[dataset, "RBF"].append(unsupervised["MRSF"](MOST).size)
    for other in ("Trace ratio", "HSIC"):
        pairs = ((set(supervised["Fisher"](size)), set(supervised[other](size))) for size in SIZES)
        run.same[other].append(all(one == two for one, two in pairs))
