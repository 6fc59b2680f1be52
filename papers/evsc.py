"""Tables 2 to 5 of EVSC (ICML 2011), published next to measured.

    python papers/evsc.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one trial of the smallest set, printed and not written.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import published
from common import load, markdown, ran_with, run_script
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from eigenselect import EVSC, SPEC, LaplacianScore
from eigenselect.evaluation import clustering_accuracy

FloatArray = NDArray[np.float64]

TRIALS = 5
RUNS = 10  # of k-means; the best counts
NEIGHBORS = 5
SIZES = tuple(range(100, 2000, 100))
FILES = {
    "PIX": "pixraw10P.mat",
    "ORL": "orlraws10P.mat",
    "TOX": "TOX-171.mat",
    "GLIOMA": "GLIOMA.mat",
    "PROSTATE": "Prostate-GE.mat",
}
METHODS: dict[str, Any] = {
    "Laplacian": lambda: LaplacianScore(similarity="rbf"),
    "SPEC": lambda: SPEC(similarity="rbf", ranking="phi1"),
    "EVSC": lambda: EVSC(similarity="rbf"),
}
COSINE, EUCLIDEAN = "cosine", "Euclidean"
OVERLAPS = ("jaccard", COSINE, EUCLIDEAN)  # the paper's by inner product, and by two others
BEST, WORST, RANDOM = "best", "worst", "random"
TITLES = {
    2: ("Table 2: clustering accuracy, best features", "accuracy", BEST),
    3: ("Table 3: Jaccard score, best features", "jaccard", BEST),
    4: ("Table 4: clustering accuracy, worst features", "accuracy", WORST),
    5: ("Table 5: Jaccard score, worst features", "jaccard", WORST),
}

CHOICES = """
The same for all data sets:

- GLA-BRA and CLL-SUB could not be had. GLIOMA and Prostate-GE stand in for them and have no published numbers.
- Values as in the files: no scaling, no centring (one table at the end standardises).
- RBF between all pairs of samples, `exp(-d²/2σ²)`, σ the median distance, for all three methods. The paper chose its
  parameter by cross-validation and does not say which value it took.
- SPEC: φ1 with γ(λ) = λ. The paper does not say which ranking function it took. EVSC: all eigenvalues.
- k-means: as many clusters as classes, random samples as first centres, the best of {runs} runs by *accuracy*, as in
  the paper. This looks at the labels; a table below takes the run of lowest inertia, as k-means itself would. Accuracy
  is after the best one-to-one map of clusters to classes.
- A trial is {runs} such runs with seeds of its own; ± is the standard error over {trials} trials. Rankings, and with
  them the Jaccard scores, have no randomness.
- Jaccard score: {neighbors} nearest neighbours by largest inner product, the sample itself left out, in the chosen and
  in all features (the paper's number of neighbours is not given).
- All numbers are means over the 100, 200, …, 1900 best (or worst) features. "Random" takes features at random, another
  draw in each trial: what a ranking must beat.
"""


@dataclass
class Run:
    """What was measured, averaged over the numbers of features; one value per trial."""

    shape: dict[str, tuple[int, int]] = field(default_factory=dict)
    values: dict[tuple[str, str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    everything: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    variance: dict[tuple[str, str], float] = field(default_factory=dict)
    standardised: dict[tuple[str, str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    def mean(self, measure: str, end: str, dataset: str, method: str) -> float:
        """One cell."""
        return float(np.mean(self.values[measure, end, dataset, method]))


def clustering(X: FloatArray, y: NDArray[np.intp], trial: int) -> tuple[float, float]:
    """Accuracy of k-means: the best of the runs by accuracy, and that of lowest inertia."""
    found = []
    for number in range(RUNS):
        seed = trial * RUNS + number
        model = KMeans(int(y.max()) + 1, init="random", n_init=1, random_state=seed).fit(X)
        found.append((model.inertia_, clustering_accuracy(y, model.labels_)))
    return max(accuracy for _, accuracy in found), min(found)[1]


def neighbours(X: FloatArray, kind: str = "jaccard") -> NDArray[np.bool_]:
    """Which samples are among the nearest of which, by inner product, cosine or Euclidean distance."""
    products = X @ X.T
    squares = np.diag(products).copy()
    if kind == COSINE:
        products /= np.sqrt(np.outer(squares, squares))
    elif kind == EUCLIDEAN:
        products = 2 * products - squares  # of row i's own square the order does not depend
    np.fill_diagonal(products, -np.inf)
    nearest = np.argsort(-products, axis=1, kind="stable")[:, :NEIGHBORS]
    mask = np.zeros(products.shape, dtype=bool)
    np.put_along_axis(mask, nearest, True, axis=1)
    return mask


def jaccard(chosen: NDArray[np.bool_], everything: NDArray[np.bool_]) -> float:
    """Mean overlap of two sets of neighbours."""
    return float(np.mean((chosen & everything).sum(axis=1) / (chosen | everything).sum(axis=1)))


def judge(X: FloatArray, y: NDArray[np.intp], order: NDArray[np.intp], trial: int) -> dict[str, float]:
    """Every measure, averaged over the numbers of features."""
    everything, rows = {kind: neighbours(X, kind) for kind in OVERLAPS}, []
    for size in SIZES:
        chosen = np.ascontiguousarray(X[:, order[:size]])
        overlaps = [jaccard(neighbours(chosen, kind), everything[kind]) for kind in OVERLAPS]
        rows.append((*clustering(chosen, y, trial), *overlaps))
    return dict(zip(("accuracy", "by inertia", *OVERLAPS), np.mean(rows, axis=0).tolist(), strict=True))


def orders(X: FloatArray) -> dict[str, NDArray[np.intp]]:
    """The features from best to worst, for every method."""
    return {name: np.argsort(make().fit(X).ranking_) for name, make in METHODS.items()}


def add_trial(values: Any, dataset: str, X: FloatArray, y: NDArray[np.intp], found: Any, trial: int) -> None:
    """One trial of all methods, best and worst features, and random ones."""
    anyhow = np.random.default_rng(trial).permutation(X.shape[1])
    ends = {(name, BEST): order for name, order in found.items()}
    ends |= {(name, WORST): order[::-1] for name, order in found.items()}
    for (name, end), order in (ends | {(RANDOM, BEST): anyhow}).items():
        for measure_name, value in judge(X, y, order, trial).items():
            values[measure_name, end, dataset, name].append(value)


def measure(quick: bool, n_trials: int) -> Run:
    """All trials of all data sets; of one if quick."""
    run = Run()
    for dataset in ["GLIOMA"] if quick else FILES:
        X, labels = load(FILES[dataset])
        y = np.unique(labels, return_inverse=True)[1]
        run.shape[dataset] = X.shape
        found = orders(X)
        for name, order in found.items():
            run.variance[dataset, name] = float(spearmanr(np.argsort(order), -X.var(axis=0)).statistic)
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
        with threadpool_limits(1):  # k-means of so few samples is faster so
            for trial in range(n_trials):
                start = time.perf_counter()
                add_trial(run.values, dataset, X, y, found, trial)
                run.everything[dataset].append(clustering(X, y, trial)[0])
                print(f"{dataset} trial {trial + 1}/{n_trials}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
            add_trial(run.standardised, dataset, scaled, y, orders(scaled), 0)
    return run


def table_text(number: int, run: Run) -> str:
    """One table, published / measured, with the mean over the sets that are in both."""
    title, measure_name, end = TITLES[number]
    printed, body, gaps = published.EVSC_TABLES[number], [], []
    both = [dataset for dataset in run.shape if dataset in printed]
    for dataset in run.shape:
        cells = []
        for column, method in enumerate(METHODS):
            values = np.array(run.values[measure_name, end, dataset, method])
            error = np.std(values, ddof=1) / np.sqrt(values.size) if values.size > 1 else 0.0
            old = f"{printed[dataset][column]:.3f}" if dataset in printed else "-"
            cells.append(f"{old} / {values.mean():.3f}" + (f" ± {error:.3f}" if measure_name == "accuracy" else ""))
            if dataset in printed:
                gaps.append(abs(printed[dataset][column] - values.mean()))
        extra = [f"{run.mean(measure_name, BEST, dataset, RANDOM):.3f}"]
        body.append([dataset, *cells, *extra, *_all_features(run, dataset, measure_name)])
    if both:
        means = [
            f"{np.mean([printed[d][column] for d in both]):.3f} / "
            f"{np.mean([run.mean(measure_name, end, d, method) for d in both]):.3f}"
            for column, method in enumerate(METHODS)
        ]
        chance = np.mean([run.mean(measure_name, BEST, d, RANDOM) for d in both])
        body.append([f"**mean of {', '.join(both)}**", *means, f"{chance:.3f}", *([""] * (measure_name == "accuracy"))])
    header = ["", *METHODS, "random features"] + (["all features"] if measure_name == "accuracy" else [])
    note = f"\nMean absolute difference: {np.mean(gaps):.3f} over the {len(gaps)} cells of same data.\n" if gaps else ""
    return f"### {title}\n\n{markdown(header, body)}{note}"


def _all_features(run: Run, dataset: str, measure_name: str) -> list[str]:
    """What k-means does without selection; the Jaccard score is then 1."""
    return [f"{np.mean(run.everything[dataset]):.3f}"] if measure_name == "accuracy" else []


def inertia_text(run: Run) -> str:
    """The accuracy of the run that k-means takes by itself."""
    body = [
        [dataset, *(f"{run.mean('by inertia', BEST, dataset, name):.3f}" for name in [*METHODS, RANDOM])]
        for dataset in run.shape
    ]
    title = "### Clustering accuracy of the run with the lowest inertia, best features (measured)"
    return f"{title}\n\n{markdown(['', *METHODS, 'random features'], body)}"


def overlap_text(run: Run) -> str:
    """The Jaccard score if neighbours are taken by cosine or by distance."""
    body = []
    for dataset in run.shape:
        means = ([run.mean(kind, BEST, dataset, name) for kind in (COSINE, EUCLIDEAN)] for name in [*METHODS, RANDOM])
        body.append([dataset, *("{:.3f}, {:.3f}".format(*pair) for pair in means)])
    title = "### Jaccard score by other neighbours: cosine, Euclidean distance, best features (measured)"
    note = "Added after Table 3 was seen, to learn how much hangs on the inner product.\n"
    return f"{title}\n\n{note}\n{markdown(['', *METHODS, 'random features'], body)}"


def standardised_text(run: Run) -> str:
    """Accuracy and Jaccard score if every feature has mean 0 and variance 1, one trial."""
    body = []
    for dataset in run.shape:
        cells = []
        for name in [*METHODS, RANDOM]:
            pair = (run.standardised[measure_name, BEST, dataset, name][0] for measure_name in ("accuracy", "jaccard"))
            cells.append("{:.3f}, {:.3f}".format(*pair))
        body.append([dataset, *cells])
    title = "### Standardised features: clustering accuracy, Jaccard score, best features (measured, one trial)"
    return f"{title}\n\n{markdown(['', *METHODS, 'random features'], body)}"


def counted_text(run: Run) -> str:
    """The paper's statements on orderings, and how far a ranking is one by variance."""
    lines = []
    for measure_name, (good, bad) in {"accuracy": (2, 4), "jaccard": (3, 5)}.items():
        winners = []
        for dataset in run.shape:
            means = {name: run.mean(measure_name, BEST, dataset, name) for name in METHODS}
            winners.append(f"{dataset} {max(means, key=means.__getitem__)}")
        lines.append(f"- Highest of the three in Table {good}: {', '.join(winners)}")
        parts = []
        for column, name in enumerate(METHODS):
            old = published.EVSC_TABLES[good]["Ave"][column] - published.EVSC_TABLES[bad]["Ave"][column]
            new = [run.mean(measure_name, BEST, d, name) - run.mean(measure_name, WORST, d, name) for d in run.shape]
            parts.append(f"{name} {old:+.3f} / {np.mean(new):+.3f}")
        lines.append(
            f"- Table {good} minus Table {bad}, best less worst features, mean of the paper's five sets / of the "
            f"{len(run.shape)} here: {', '.join(parts)}"
        )
    for name in METHODS:
        shares = ", ".join(f"{dataset} {run.variance[dataset, name]:+.3f}" for dataset in run.shape)
        lines.append(f"- Rank correlation of {name} with a ranking by variance, largest first: {shares}")
    return "### The paper's statements, counted\n\n" + "\n".join(lines) + "\n"


def data_text(run: Run) -> str:
    """Sizes here and in the paper."""
    sizes = {name: published.EVSC_SIZES.get(name) for name in run.shape}
    body = [
        [name, f"`{FILES[name]}`", f"{shape[0]} × {shape[1]}", "{} × {}".format(*sizes[name]) if sizes[name] else "-"]
        for name, shape in run.shape.items()
    ]
    return markdown(["data set", "file", "here", "paper"], body)


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    intro = f"{ran_with()}: {n_trials} trials. Cells are `published / measured`. Remake with `python papers/evsc.py`.\n"
    choices = CHOICES.format(runs=RUNS, trials=n_trials, neighbors=NEIGHBORS).lstrip()
    parts = ["## EVSC (ICML 2011)\n", intro, choices, data_text(run), *(table_text(number, run) for number in TITLES)]
    return "\n".join([*parts, inertia_text(run), overlap_text(run), standardised_text(run), counted_text(run)])


def main() -> None:
    """Run the trials and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("evsc", __doc__, TRIALS, measure, section)


if __name__ == "__main__":
    main()
