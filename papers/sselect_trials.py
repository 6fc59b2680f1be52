"""What papers/sselect.py measures: one draw of labels of one data set, every method, number of features and λ."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from common import load, one_nn
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from eigenselect import FisherScore, LaplacianScore, SSelect
from eigenselect.matrix import as_matrix
from eigenselect.selection import rank_features
from eigenselect.semisupervised import RegularizationPath, regularization_path
from eigenselect.similarity import KNN, RBF

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

FILES = {"PCMAC": "PCMAC.mat", "HOCKEYBASE": "BASEHOCK.mat", "MACBASE": "MACBASE.npz"}
LABELS = (2, 4, 6, 8, 10)
PRINTED_LABELS = (2, 6, 10)  # those of Table 2 and Figures 3 and 7
SIZES = tuple(range(5, 51, 5))
FEW, MANY = 10, 200  # features of Figures 4 and 7
LAMBDAS = np.arange(11) / 10
DRAW, TIES, SHUFFLE = range(3)  # what random numbers are for: streams of their own
SSELECT, FISHER, LAPLACIAN = "sSelect", "Fisher", "Laplacian"
RANDOM_FISHER = "Fisher, ties random"
BASIC = (SSELECT, FISHER, RANDOM_FISHER, LAPLACIAN)
HIGH, AUTO = "sSelect, λ = 0.9", "sSelect, λ auto"
CURVE_POINTS = 60  # of the sorted smoothness scores (Figure 7 d)


class CrossValidation:
    """5-fold 1NN accuracy for growing sets of columns; squared distances grow with them (exact: counts are integers).

    Ties go to the lowest sample number, after shuffling if wanted, as in scikit-learn.
    """

    def __init__(self, X: Any, y: NDArray[Any], seed: int, *, shuffled: bool = True) -> None:
        order = np.random.default_rng([seed, SHUFFLE]).permutation(y.size) if shuffled else np.arange(y.size)
        self.columns, self.y = X[order].astype(np.float32).tocsc(), y[order]
        folds = np.empty(y.size, dtype=np.int8)
        for number, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=seed).split(order, self.y)):
            folds[test] = number
        self.start = np.where(folds[:, None] == folds, np.float32(np.inf), np.float32(0))  # own fold: no neighbour

    def curve(self, order: IndexArray, sizes: Sequence[int] = SIZES) -> list[float]:
        """Accuracy at every number of features."""
        table = self.columns[:, order[: sizes[-1]]].toarray()
        distances, accuracy = self.start.copy(), []
        for first, last in pairwise((0, *sizes)):
            part = table[:, first:last]
            squares = (part**2).sum(axis=1)  # of row i's own square nothing depends
            distances += np.c_[-2 * part, np.ones_like(squares)] @ np.c_[part, squares].T
            accuracy.append(float(np.mean(self.y[distances.argmin(axis=1)] == self.y)))
        return accuracy

    def blank(self, order: IndexArray) -> float:
        """The share of samples that are 0 in all of the most features of a curve."""
        return float(np.mean(self.columns[:, order[: SIZES[-1]]].getnnz(axis=1) == 0))


def draw_labels(y: NDArray[Any], count: int, seed: int) -> NDArray[np.int64]:
    """The labels of half as many samples of each of two classes; -1 elsewhere."""
    rng, partial = np.random.default_rng([seed, DRAW]), np.full(y.size, -1)
    for label in np.unique(y):
        known = rng.permutation(np.flatnonzero(y == label))[: count // 2]
        partial[known] = label
    return partial


def fisher_scores(X: Any, y: NDArray[Any]) -> FloatArray:
    """Large is good; NaN where the feature is constant, 1 (φ2 = 0) where only the classes differ."""
    if y.size == np.unique(y).size:
        dense = X.toarray()
        return np.where(np.ptp(dense, axis=0) > 0, 1.0, np.nan)
    return np.asarray(FisherScore().fit(X, y).scores_).round(12)


@dataclass(frozen=True)
class Lambdas:
    """sSelect for any λ, from one fit: λ enters neither of its two terms."""

    fitted: SSelect
    roughness: FloatArray  # the first term, φ2
    disagreement: FloatArray  # the second term, 1 - NMI

    @classmethod
    def of(cls, X: Any, partial: NDArray[np.int64], affinity: Any) -> Lambdas:
        fitted = SSelect().fit(X, partial, similarity_matrix=affinity)
        return cls(fitted, *fitted.criterion_.parts(as_matrix(X)))

    def order(self, value: float) -> IndexArray:
        """The features from best to worst."""
        scores = self.fitted.criterion_.weighted(self.roughness, self.disagreement, value)
        return np.argsort(rank_features(scores.native, larger_is_better=False, tolerance=scores.rounding))

    def path(self, size: int, build: Callable[[IndexArray], Any]) -> RegularizationPath:
        """Algorithm 3: the cut value of so many top features, for every λ."""
        return regularization_path(LAMBDAS, lambda value: self.order(value)[:size], build)


@cache
def data(dataset: str) -> tuple[Any, NDArray[Any], Any]:
    """Posts, groups, and the graph of all posts, which is the same in every trial."""
    X, y = load(FILES[dataset], text=True)
    return X, y, KNN().build(X).affinity


def trial(dataset: str, seed: int) -> dict[str, Any]:
    """One draw of labels, and what the first 2, 4, … of it tell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # graphs of few words fall apart: they are counted
        return one_draw(*data(dataset), seed)


def one_draw(X: Any, y: NDArray[Any], affinity: Any, seed: int) -> dict[str, Any]:
    """All that is measured, by the number of labels."""
    shuffled, by_place = CrossValidation(X, y, seed), CrossValidation(X, y, seed, shuffled=False)
    found = {}
    for count in LABELS:
        partial = draw_labels(y, count, seed)
        lambdas, fisher = Lambdas.of(X, partial, affinity), fisher_scores(X[partial != -1], partial[partial != -1])
        orders = {SSELECT: lambdas.order(0.1)} | fisher_orders(fisher, seed)
        one: dict[str, Any] = {"terms": term_facts(lambdas), "fisher": fisher_facts(fisher)}
        if count in PRINTED_LABELS:
            orders[LAPLACIAN] = np.argsort(LaplacianScore().fit(X[partial == -1]).ranking_)
            one["sweep"] = sweep(lambdas, X, shuffled, cuts=count == LABELS[-1])
            one["by place"] = {name: by_place.curve(order) for name, order in orders.items()}
        if count == LABELS[-1]:
            orders[HIGH] = lambdas.order(0.9)
            orders[AUTO] = lambdas.order(one["sweep"]["auto"])
        one["curves"] = {name: shuffled.curve(order) for name, order in orders.items()}
        one["blank"] = {name: shuffled.blank(order) for name, order in orders.items()}
        found[str(count)] = one
    return found


def fisher_orders(scores: FloatArray, seed: int) -> dict[str, IndexArray]:
    """The features from best to worst, ties by column and at random."""
    anyhow = np.random.default_rng([seed, TIES]).permutation(scores.size)
    return {
        FISHER: np.argsort(rank_features(scores)),
        RANDOM_FISHER: anyhow[np.argsort(rank_features(scores[anyhow]))],
    }


def fisher_facts(scores: FloatArray) -> dict[str, int]:
    """How many words have a Fisher score, and how many different ones there are."""
    known = scores[~np.isnan(scores)]
    return {"words": known.size, "values": np.unique(known).size}


def term_facts(lambdas: Lambdas) -> dict[str, Any]:
    """How the two terms of Eq. 3.8 are distributed: footnote 4 and Figure 7 (c, d)."""
    defined = ~np.isnan(lambdas.roughness)
    rough, labels = lambdas.roughness[defined].round(10), lambdas.disagreement[defined]
    tally = Counter(f"{value:.4f}" for value in labels.tolist())
    curve = np.quantile(rough, np.linspace(0, 1, CURVE_POINTS))
    return {"labels": dict(tally), "graph values": int(np.unique(rough).size), "graph": curve.round(5).tolist()}


def sweep(lambdas: Lambdas, X: Any, judge: CrossValidation, *, cuts: bool) -> dict[str, Any]:
    """Accuracy for every λ, of few and of many features; and the cut value of few."""
    accuracy = [judge.curve(lambdas.order(value), (FEW, MANY)) for value in LAMBDAS]
    few, many = np.transpose(accuracy).tolist()
    if not cuts:
        return {"few": few, "many": many}
    path = lambdas.path(FEW, lambda columns: KNN().build(X[:, columns], n_jobs=1))
    return {"few": few, "many": many, "cut": path.cuts.tolist(), "auto": path.best}


def many_cuts(name: str, dataset: str, seed: int) -> dict[str, list[float]]:
    """Cut values of many features for every λ, by the number of labels; ``name`` is for the key."""
    X, y, affinity = data(dataset)
    found = {}
    for count in PRINTED_LABELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            path = Lambdas.of(X, draw_labels(y, count, seed), affinity).path(
                MANY, lambda columns: KNN().build(X[:, columns], n_jobs=1)
            )
        found[str(count)] = path.cuts.tolist()
    return found


def full_graph(name: str, dataset: str, seed: int) -> list[float]:
    """Cut values of few features for every λ if the graph on them is an RBF of all pairs; ``name`` is for the key."""
    X, y, affinity = data(dataset)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        lambdas = Lambdas.of(X, draw_labels(y, LABELS[-1], seed), affinity)
        return lambdas.path(FEW, lambda columns: RBF().build(X[:, columns].toarray(), n_jobs=1)).cuts.tolist()


def table_facts(name: str, dataset: str) -> dict[str, Any]:
    """Size, and 1NN with all features; ``name`` is for the key."""
    X, y, _ = data(dataset)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(y, y)
    return {"shape": list(X.shape), "accuracy": float(np.mean([one_nn(X, y, *fold) for fold in folds]))}
