"""Table 2 of sSelect (SDM 2007), and its statements on λ, published next to measured.

    python papers/sselect.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one trial of PCMAC, printed and not written.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import published
from common import load, markdown, one_nn, ran_with, run_script
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from eigenselect import FisherScore, LaplacianScore, SSelect
from eigenselect.selection import rank_features
from eigenselect.similarity import KNN

FloatArray = NDArray[np.float64]
Order = NDArray[np.intp]

TRIALS = 20
FILES = {"PCMAC": "PCMAC.mat", "HOCKEYBASE": "BASEHOCK.mat", "MACBASE": "MACBASE.npz"}
LABELS = (2, 6, 10)
SIZES = tuple(range(5, 51, 5))
TEN = SIZES.index(10)
ZERO_CUT = 1e-9  # below it, the graph of the chosen features has fallen apart
DRAW, TIES, SHUFFLE = range(3)  # what random numbers are for: streams of their own
SSELECT, FISHER, LAPLACIAN = "sSelect", "Fisher", "Laplacian"
RANDOM_FISHER = "Fisher, ties random"
HIGH, AUTO = "sSelect, λ = 0.9", "sSelect, λ auto"
FILE_ORDER = " (file order)"  # after a method's name: 1NN decides between equally near posts by their place in the file
BASIC = (SSELECT, FISHER, RANDOM_FISHER, LAPLACIAN)

CHOICES = """
Choices that the paper leaves open, the same for all data sets:

- A trial has the seed 0, 1, …, {last}. It shuffles each class once and labels the first 1, 3 or 5 of it: the 2 labelled
  posts are among the 6, and these among the 10.
- Counts are used as given: no scaling, no tf-idf. sSelect: all defaults (10-NN graph of all posts, `exp(-d²/2σ²)`, σ
  the median length of the graph's edges, λ = 0.1, φ2). Laplacian score: such a graph of the unlabelled posts only.
- Fisher score: the labelled posts only. Words that none of these tell apart have no score and come last. With one post
  per class nothing varies within a class, and `FisherScore` refuses such labels; here every word whose count differs
  between the two posts then counts as infinitely good, which is what the formula says.
- The Fisher score of a few posts takes few values, and `FisherScore` breaks ties by column. The columns of these files
  are in alphabetical order, numbers first, so there is a second column with ties broken at random (seed of the trial).
- 1NN: 5 stratified folds, Euclidean. Posts that hold none of the chosen words are all equally near to each other, and
  the files are sorted by class: a rule such as "the first one in the file" would always answer the first class. The
  posts are therefore shuffled (seed of the trial) before scikit-learn's rule, lowest number first, is used.
"""


@dataclass
class Run:
    """What was measured: accuracies per trial and number of features, and facts about ties and λ."""

    shape: dict[str, tuple[int, int]] = field(default_factory=dict)
    everything: dict[str, float] = field(default_factory=dict)  # 1NN with all features
    accuracy: dict[tuple[str, int, str], list[FloatArray]] = field(default_factory=lambda: defaultdict(list))
    blank: dict[tuple[str, int, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    scored: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))  # words with a Fisher score
    distinct: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))  # and how many values these take
    chosen: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # λ of "auto"
    zero_cuts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))  # how many λ's cut nothing

    def trials(self, dataset: str, labels: int, method: str) -> FloatArray:
        """Accuracy of every trial, averaged over the numbers of features."""
        return np.mean(self.accuracy[dataset, labels, method], axis=1)

    def gain(self, dataset: str, labels: int, over: str, of: str = SSELECT) -> FloatArray:
        """How much better sSelect is, trial by trial."""
        return self.trials(dataset, labels, of) - self.trials(dataset, labels, over)


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

    def curve(self, order: Order) -> tuple[FloatArray, float]:
        """Accuracy at every number of features, and the share of samples that are 0 in all of the last."""
        table = self.columns[:, order[: SIZES[-1]]].toarray()
        distances, accuracy = self.start.copy(), []
        for first, last in pairwise((0, *SIZES)):
            part = table[:, first:last]
            squares = (part**2).sum(axis=1)  # of row i's own square nothing depends
            distances += np.c_[-2 * part, np.ones_like(squares)] @ np.c_[part, squares].T
            accuracy.append(np.mean(self.y[distances.argmin(axis=1)] == self.y))
        return np.array(accuracy), float(np.mean(~table.any(axis=1)))


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


def best_first(selector: Any) -> Order:
    """The columns by a fitted selector's ranking."""
    return np.argsort(selector.ranking_)


def orders(run: Run, dataset: str, X: Any, affinity: Any, partial: NDArray[np.int64], seed: int) -> dict[str, Order]:
    """The features from best to worst, for every method."""
    known, n_labels = partial != -1, int((partial != -1).sum())
    fisher = fisher_scores(X[known], partial[known])
    run.scored[n_labels].append(int((~np.isnan(fisher)).sum()))
    run.distinct[n_labels].append(np.unique(fisher[~np.isnan(fisher)]).size)
    anyhow = np.random.default_rng([seed, TIES]).permutation(fisher.size)
    found = {
        SSELECT: best_first(SSelect().fit(X, partial, similarity_matrix=affinity)),
        FISHER: np.argsort(rank_features(fisher)),
        RANDOM_FISHER: anyhow[np.argsort(rank_features(fisher[anyhow]))],
        LAPLACIAN: best_first(LaplacianScore().fit(X[~known])),
    }
    if n_labels == LABELS[-1]:
        found[HIGH] = best_first(SSelect(regularization=0.9).fit(X, partial, similarity_matrix=affinity))
        auto = SSelect(10, regularization="auto").fit(X, partial, similarity_matrix=affinity)
        found[AUTO] = best_first(auto)
        run.chosen[dataset].append(auto.regularization_)
        run.zero_cuts[dataset].append(int((auto.cut_values_ < ZERO_CUT).sum()))
    return found


def measure(quick: bool, n_trials: int) -> Run:
    """All trials of all data sets; of the first only if quick."""
    run = Run()
    for dataset in list(FILES)[: 1 if quick else None]:
        X, y = load(FILES[dataset], text=True)
        affinity = KNN().build(X).affinity  # of all samples: the same in every trial
        run.shape[dataset] = X.shape
        folds = StratifiedKFold(5, shuffle=True, random_state=0).split(y, y)
        run.everything[dataset] = float(np.mean([one_nn(X, y, train, test) for train, test in folds]))
        for seed in range(n_trials):
            start = time.perf_counter()
            judge, by_place = CrossValidation(X, y, seed), CrossValidation(X, y, seed, shuffled=False)
            for count in LABELS:
                found = orders(run, dataset, X, affinity, draw_labels(y, count, seed), seed)
                for method, order in found.items():
                    accuracy, blank = judge.curve(order)
                    run.accuracy[dataset, count, method].append(accuracy)
                    run.blank[dataset, count, method].append(blank)
                    if method in BASIC:
                        run.accuracy[dataset, count, method + FILE_ORDER].append(by_place.curve(order)[0])
            print(f"{dataset} trial {seed + 1}/{n_trials}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return run


def with_error(values: FloatArray, sign: str = "") -> str:
    """Mean ± standard error."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(values.size):.3f}" if values.size > 1 else ""
    return f"{values.mean():{sign}.3f}{error}"


def rows_of(run: Run) -> list[tuple[str, int]]:
    """The published rows whose data sets were run."""
    return [row for row in published.SSELECT_TABLE_2 if row[0] in run.shape]


def gain_text(run: Run) -> str:
    """Table 2, published / measured, and its average."""
    rows, overs = rows_of(run), (FISHER, RANDOM_FISHER, LAPLACIAN)
    body = []
    for row in [*rows, None]:
        printed = published.SSELECT_TABLE_2[row] if row else published.SSELECT_TABLE_2_AVERAGE
        name = f"{row[0]}, {row[1]} labels" if row else "**average**"
        cells = []
        for over in overs:
            gains = run.gain(*row, over) if row else np.mean([run.gain(*each, over) for each in rows], axis=0)
            cells.append(f"{printed[over == LAPLACIAN]:+.3f} / {with_error(gains, '+')}")
        body.append([name, *cells])
    text = markdown(["", *(f"over {over}" for over in overs)], body)
    return f"### Table 2: accuracy gained by sSelect, mean over 5, 10, …, 50 features\n\n{text}"


def accuracy_text(run: Run) -> str:
    """The accuracies behind the gains, which the paper shows as curves only."""
    body = [
        [f"{dataset}, {count} labels", *(with_error(run.trials(dataset, count, method)) for method in BASIC)]
        for dataset, count in rows_of(run)
    ]
    means = (np.mean([run.trials(*row, method) for row in rows_of(run)], axis=0) for method in BASIC)
    body.append(["**average**", *map(with_error, means)])
    return f"### The accuracies themselves (measured)\n\n{markdown(['', *BASIC], body)}"


def blank_text(run: Run) -> str:
    """How many posts hold none of the 50 best words."""
    body = [
        [f"{row[0]}, {row[1]} labels", *(f"{np.mean(run.blank[*row, method]):.2f}" for method in BASIC)]
        for row in rows_of(run)
    ]
    return f"### Share of posts with none of the 50 chosen words (measured)\n\n{markdown(['', *BASIC], body)}"


def lambda_text(run: Run) -> str:
    """λ = 0.1 against 0.9 and against Algorithm 3."""
    count, body = LABELS[-1], []
    for dataset in run.shape:
        top = {name: np.array(run.accuracy[dataset, count, name])[:, TEN] for name in (SSELECT, HIGH, AUTO)}
        tally = ", ".join(f"{value:.1f} ({times}×)" for value, times in sorted(Counter(run.chosen[dataset]).items()))
        gains = [with_error(run.gain(dataset, count, over, AUTO), "+") for over in (SSELECT, FISHER, LAPLACIAN)]
        body.append([dataset, *map(with_error, top.values()), *gains, tally, f"{np.mean(run.zero_cuts[dataset]):.1f}"])
    header = ["", "10 features, λ = 0.1", "λ = 0.9", "λ auto"]
    header += ["auto minus λ = 0.1, 5 to 50 features", "auto minus Fisher", "auto minus Laplacian"]
    header += ["λ that auto chose", "λ's of 11 with a cut of 0, mean"]
    return f"### The choice of λ, {count} labels (measured)\n\n{markdown(header, body)}"


def counted_text(run: Run) -> str:
    """The paper's statements on orderings, and what ties do."""
    rows, lines = rows_of(run), []
    for over in (FISHER, RANDOM_FISHER, LAPLACIAN):
        gains = [run.gain(*row, over) for row in rows]
        clear = [g.mean() / (np.std(g, ddof=1) / np.sqrt(g.size)) if g.size > 1 else np.nan for g in gains]
        ahead, behind = sum(value > 2 for value in clear), sum(value < -2 for value in clear)
        by_place = np.mean([run.gain(*row, over + FILE_ORDER, SSELECT + FILE_ORDER).mean() for row in rows])
        lines.append(
            f"- sSelect over {over}: ahead by more than two standard errors in {ahead} of {len(rows)} rows, behind in "
            f"{behind}; it wins {np.mean(np.concatenate(gains) > 0):.0%} of the single trials. With 1NN's ties decided "
            f"by place in the file the average gain is {by_place:+.3f}"
        )
    for dataset in run.shape:
        ends = [np.mean(run.accuracy[dataset, LABELS[-1], SSELECT], axis=0)[at] for at in (0, TEN, -1)]
        lines.append(
            f"- {dataset}, sSelect with {LABELS[-1]} labels: accuracy {ends[0]:.3f} with 5, {ends[1]:.3f} with 10 and "
            f"{ends[2]:.3f} with 50 features"
        )
    lines += [
        f"- Fisher score of {count} posts: {np.median(run.scored[count]):.0f} words have one (median; fewest "
        f"{min(run.scored[count])}), with {np.median(run.distinct[count]):.0f} different values among them (median)"
        for count in LABELS
    ]
    return "### The paper's statements, counted\n\n" + "\n".join(lines) + "\n"


def data_text(run: Run) -> str:
    """Sizes here and in the paper."""
    body = []
    for dataset, shape in run.shape.items():
        sizes = [f"{size[0]} × {size[1]}" for size in (shape, published.SSELECT_SIZES[dataset])]
        body.append([dataset, f"`{FILES[dataset]}`", *sizes, f"{run.everything[dataset]:.3f}"])
    return markdown(["data set", "file", "here", "paper", "1NN, all features (5 folds, once)"], body)


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    intro = (
        f"{ran_with()}: {n_trials} trials of every row. Accuracy is that of 1NN on all posts by 5-fold"
        " cross-validation; ± is the standard error over trials. Remake with `python papers/sselect.py`.\n"
    )
    parts = ["## sSelect (SDM 2007)\n", intro, CHOICES.format(last=n_trials - 1).lstrip(), data_text(run)]
    parts += [text(run) for text in (gain_text, accuracy_text, blank_text, lambda_text, counted_text)]
    return "\n".join(parts)


def main() -> None:
    """Run the trials and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("sselect", __doc__, TRIALS, measure, section)


if __name__ == "__main__":
    main()
