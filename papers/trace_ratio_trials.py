"""What papers/trace_ratio.py measures: one split of one data set with one pair of graphs."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from trace_ratio_data import FACES, dataset, split_of, training_size
from trace_ratio_rounds import MOST_FEATURES, below, best_ratios, rounds_from, subset_ratio

from eigenselect import FisherScore, LaplacianScore
from eigenselect.selection.scatter_pairs import GraphPair
from eigenselect.selection.trace_ratio import feature_ratios, largest_ratio_subset
from eigenselect.similarity import KNN
from eigenselect.similarity.labels import class_graph

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Top = Callable[[int], IndexArray]  # the chosen features, by their number

RAW, MIN_MAX, UNIT = "raw", "min-max", "unit deviation"
FISHER, LAPLACIAN, FIVE = "FS", "LS", "LS, 5 neighbours"
NEIGHBOURS = {LAPLACIAN: 10, FIVE: 5}
RANDOM_SUBSETS, RANDOM_SIZE = 40, 10


def trial(name: str, scaling: str, pair: str, seed: int) -> dict[str, Any]:
    """Select on the training samples of a split, feature by feature (F) and as a subset (S), and test on the rest."""
    X, y = dataset(name)
    train, test = split_of(y, training_size(name), seed)
    step = 10 if name in FACES else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # units that differ, a constant feature, a graph in parts
        return measured(scaled(X, train, scaling), y, train, test, pair, step, np.random.default_rng(seed))


def measured(
    X: FloatArray,
    y: IndexArray,
    train: IndexArray,
    test: IndexArray,
    pair: str,
    step: int,
    random: np.random.Generator,
) -> dict[str, Any]:
    """All that one split tells; accuracies at every ``step``-th number of features and at all."""
    learned, labels = X[train], y[train]
    b, e = graphs(learned, labels, pair).scatters(learned, n_jobs=1)
    order = by_single_ratio(b, e)
    chosen: dict[str, Top] = {"F": lambda m: order[:m], "S": lambda m: largest_ratio_subset(b, e, m).subset}
    varies = (b > 0) | (e > 0)
    spread = stats.rankdata(learned.std(axis=0)) / b.size  # 1 for the feature with the largest
    sizes = sorted({*range(step, b.size, step), b.size})

    def accuracy(columns: IndexArray) -> float:
        return one_nn(X[:, np.sort(columns)], y, train, test)  # sums in one order: the same features tie alike

    return {
        "sizes": sizes,
        "accuracy": {level: [accuracy(top(m)) for m in sizes] for level, top in chosen.items()},
        "score": {level: [subset_ratio(top(m), b, e) for m in sizes] for level, top in chosen.items()},
        "counts": counts(b[varies], e[varies], random),
        "same order": same_order(learned, labels, pair, b, e),
        "random": random_subsets(b, e, accuracy, random),
        "spread": {level: [float(spread[top(m)].mean()) for m in sizes] for level, top in chosen.items()},
        "constant": int(np.count_nonzero(~varies)),
        "constant is free": constant_is_free(b, e) if not varies.all() else None,
        "seconds": seconds(learned, labels, pair),
    }


def one_nn(X: FloatArray, y: IndexArray, train: IndexArray, test: IndexArray) -> float:
    """Accuracy of the nearest neighbour; what scikit-learn's has in checks takes longer than so few distances."""
    learned = X[train]
    distances = np.einsum("ij,ij->i", learned, learned) - 2 * (X[test] @ learned.T)
    return float(np.mean(y[train][distances.argmin(axis=1)] == y[test]))


def scaled(X: FloatArray, train: IndexArray, scaling: str) -> FloatArray:
    """The table as it is, or each feature by its range or its standard deviation in the training samples."""
    if scaling == RAW:
        return X
    spread = np.ptp(X[train], axis=0) if scaling == MIN_MAX else X[train].std(axis=0)
    centre = X[train].min(axis=0) if scaling == MIN_MAX else X[train].mean(axis=0)
    return (X - centre) / np.where(spread > 0, spread, 1.0)


def graphs(X: FloatArray, y: IndexArray, pair: str) -> GraphPair:
    """The paper's pairs, as TraceRatio makes them: Eqs. 10 and 11, or 12 and 13."""
    if pair == FISHER:
        return GraphPair(class_graph(y, np.unique(y)), "rest")
    return GraphPair(KNN(NEIGHBOURS[pair]).build(X, n_jobs=1), "total")


def by_single_ratio(b: FloatArray, e: FloatArray) -> IndexArray:
    """Table 1: features by their own ratio; constant ones last."""
    return np.argsort(-np.nan_to_num(feature_ratios(b, e), nan=-1.0, posinf=np.inf), kind="stable")


def counts(b: FloatArray, e: FloatArray, random: np.random.Generator) -> dict[str, Any]:
    """The two theorems and the rounds, for every number m of features less than all; no feature may be constant."""
    found: Counter[str] = Counter()
    order = by_single_ratio(b, e)
    rounds: dict[str, Counter[int]] = {"random start": Counter(), "best single features": Counter()}
    best = [largest_ratio_subset(b, e, m).ratio for m in range(1, b.size + 1)]
    for m in range(1, b.size):
        starts = {"random start": random.permutation(b.size)[:m], "best single features": order[:m]}
        for name, start in starts.items():
            way = rounds_from(start, b, e)
            rounds[name][way.number] += 1
            found["rounds"] += way.number
            found["falls"] += way.falls
            found["other end"] += differ(way.ratios[-1], best[m - 1])
        found["runs"] += 1
        found["F lower"] += below(subset_ratio(order[:m], b, e), best[m - 1])
        found["F higher"] += below(best[m - 1], subset_ratio(order[:m], b, e))
        found["rises with m"] += below(best[m - 1], best[m])
        found["infinite"] += bool(np.isinf(best[m - 1]))
    if b.size <= MOST_FEATURES:
        found["brute force"] += b.size
        found["not the best"] += sum(map(differ, best, best_ratios(b, e).tolist()))
    found["zero costs"] = int(np.count_nonzero(e == 0))
    steps = {name: {str(number): times for number, times in sorted(one.items())} for name, one in rounds.items()}
    return {**found, "by rounds": steps}


def constant_is_free(b: FloatArray, e: FloatArray) -> list[int]:
    """By the letter of Eq. 8 a constant feature is free: how often this beats all subsets without, of how many."""
    order = by_single_ratio(b, e)
    sizes = range(2, b.size)
    letter = (rounds_from(order[:m], b, e).ratios[-1] for m in sizes)
    beaten = sum(below(largest_ratio_subset(b, e, m).ratio, ratio) for m, ratio in zip(sizes, letter, strict=True))
    return [int(beaten), len(sizes)]


def differ(one: float, other: float) -> bool:
    """Whether two ratios are not the same, but for rounding."""
    return below(one, other) or below(other, one)


def same_order(X: FloatArray, y: IndexArray, pair: str, b: FloatArray, e: FloatArray) -> bool:
    """Whether b/e is Fisher's score, or one over the Laplacian score, for every feature that is not constant."""
    if pair == FISHER:
        known = FisherScore().fit(X, y).native_scores_
    else:
        known = 1 / LaplacianScore(similarity=KNN(NEIGHBOURS[pair])).fit(X).native_scores_
    varies = np.ptp(X, axis=0) > 0
    return bool(np.allclose(feature_ratios(b, e)[varies], known[varies], rtol=1e-6, equal_nan=True))


def random_subsets(
    b: FloatArray, e: FloatArray, accuracy: Callable[[IndexArray], float], random: np.random.Generator
) -> dict[str, float]:
    """Subsets of one size: their mean accuracy, and its rank correlation with the score (0 where one never changes)."""
    size = min(RANDOM_SIZE, b.size // 2)
    subsets = [random.permutation(b.size)[:size] for _ in range(RANDOM_SUBSETS)]
    scores, accuracies = [subset_ratio(one, b, e) for one in subsets], [accuracy(one) for one in subsets]
    constant = np.ptp(scores) == 0 or np.ptp(accuracies) == 0
    correlation = 0.0 if constant else float(stats.spearmanr(scores, accuracies).statistic)
    return {"size": size, "accuracy": float(np.mean(accuracies)), "correlation": correlation}


def seconds(X: FloatArray, y: IndexArray, pair: str) -> dict[str, float]:
    """CPU time of the scatters (graphs, then b and e) and of the iteration for half of the features; the best of 3."""
    b, e = graphs(X, y, pair).scatters(X, n_jobs=1)
    half = max(1, b.size // 2)
    return {
        "scatters": cpu_time(lambda: graphs(X, y, pair).scatters(X, n_jobs=1)),
        "iteration": cpu_time(lambda: largest_ratio_subset(b, e, half)),
    }


def cpu_time(work: Callable[[], Any]) -> float:
    """The shortest of three times."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
