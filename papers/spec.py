"""The tables of SPEC (ICML 2007) and of chapter 2 of the dissertation (2010), published next to measured.

    python papers/spec.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one trial of the small sets, printed and not written.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import published
from common import load, markdown, one_nn, ran_with, run_script
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.model_selection import train_test_split

from eigenselect import FisherScore, LaplacianScore, ReliefF
from eigenselect.criteria.criterion import phi
from eigenselect.selection import rank_features
from eigenselect.similarity import KNN, ClassLabels, Diffusion, Geodesic, HitMiss
from eigenselect.spectral import Power

TRIALS = 10
SIGNIFICANT = 0.1
RANKINGS = ("phi1", "phi2", "phi3")
FILES = {
    "HOCKBASE": "BASEHOCK.mat",
    "RELATHE": "RELATHE.mat",
    "PIE10P": "warpPIE10P.mat",
    "PIX10P": "pixraw10P.mat",
    "COLON": "colon_alon_raw.npz",
    "DATABASEC": "CNS_Pomeroy.npz",
}
TEXT = ("HOCKBASE", "RELATHE")
ALL_FEATURES = 0  # in place of a number of selected features

CHOICES = """
The papers leave much open; these choices were made once, for all data sets, before looking at any number:

- A trial is a random stratified split in halves, of seed 0, 1, …, {last} (no other random numbers are drawn). Features
  are selected on the training half; 1NN learns on the training half and is tested on the other.
- Features are used as given: no scaling, no tf-idf, no centring. (ReliefF divides by ranges, as it always does.)
- RBF: 10-NN graph (i near j or j near i), `exp(-d²/2σ²)`, σ the median length of the graph's edges.
- DIF: `exp(-βL)` of that graph, β = 1. DIJ: RBF of the path lengths over the 10-NN graph, σ their median.
- φ3: k = number of classes. ReliefF and Eq. 12 (R): 10 neighbours per class, all of a class where it has fewer.
- 1NN: Euclidean, scikit-learn's brute force, which also decides between equally near training samples. Of columns with
  equal scores the first is taken.
- COLON is `colon_alon_raw.npz`, the intensities, not the discretised `colon.mat`. RELATHE labels as published by ASU.
"""


class Method(NamedTuple):
    """A row of the framework (graph, ranking function, power), or a baseline by its name."""

    graph: str
    ranking: str = ""
    power: int = 1


LAPLACIAN, RELIEFF, FISHER = Method("Laplacian"), Method("ReliefF"), Method("Fisher")
BASELINES: dict[Method, Any] = {LAPLACIAN: LaplacianScore, RELIEFF: ReliefF, FISHER: FisherScore}
GRAPHS: dict[str, Any] = {
    "RBF": KNN(10),
    "DIF": Diffusion(n_neighbors=10),
    "DIJ": Geodesic(n_neighbors=10),
    "R": HitMiss(10),
    "C": ClassLabels(),
}


@dataclass(frozen=True)
class Table:
    """A printed table: its cells by (data set, kernel), the methods of its columns, and how many features."""

    title: str
    published: dict[tuple[str, str], list[float]]
    columns: dict[str, Method]  # graph "*" stands for the row's kernel
    sizes: tuple[int, ...]
    printed_sizes: dict[str, tuple[int, int]]
    digits: int

    def method(self, column: str, kernel: str) -> Method:
        method = self.columns[column]
        return method._replace(graph=kernel) if method.graph == "*" else method

    def wanted(self, dataset: str) -> Iterator[tuple[Method, int]]:
        """Every (method, number of features) of this data set's rows."""
        for name, kernel in self.published:
            if name == dataset:
                for column in self.columns:
                    for size in self.sizes:
                        yield self.method(column, kernel), size


def _by_power(high: int, superscript: str) -> dict[str, Method]:
    columns = {"Laplacian": LAPLACIAN}
    for ranking in RANKINGS:
        name = f"φ{ranking[-1]}, r"
        columns |= {name: Method("*", ranking), name + superscript: Method("*", ranking, high)}
    return columns


def _on(graph: str, prefix: str = "") -> dict[str, Method]:
    return {f"{prefix}φ{ranking[-1]}": Method(graph, ranking) for ranking in RANKINGS}


FIVE = (10, 20, 30, 40, 50)
TABLES = [
    Table(
        "SPEC Table 3: no labels, 100 features",
        published.SPEC_TABLE_3,
        _by_power(4, "⁴"),
        (100,),
        published.SPEC_SIZES,
        2,
    ),
    Table(
        "SPEC Table 4: with labels, 100 features",
        published.SPEC_TABLE_4,
        {"ReliefF": RELIEFF, **_on("R", "R, "), **_on("C", "C, ")},
        (100,),
        published.SPEC_SIZES,
        2,
    ),
    Table(
        "Dissertation Table 2.3: no labels, mean over 10, 20, …, 50 features",
        published.DISSERTATION_TABLE_2_3,
        _by_power(3, "³"),
        FIVE,
        published.DISSERTATION_SIZES,
        3,
    ),
    Table(
        "Dissertation Table 2.4: with labels, mean over 10, 20, …, 50 features",
        published.DISSERTATION_TABLE_2_4,
        {"ReliefF": RELIEFF, "Fisher": FISHER, **_on("C")},
        FIVE,
        published.DISSERTATION_SIZES,
        3,
    ),
]
TABLE_3, TABLE_4, TABLE_23, TABLE_24 = TABLES


@dataclass
class Run:
    """What was measured: accuracies per trial, shapes, and how often two rankings were the same."""

    accuracy: dict[tuple[str, Method, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    shape: dict[str, tuple[int, int]] = field(default_factory=dict)
    majority: dict[str, float] = field(default_factory=dict)
    blank: dict[tuple[str, Method], list[float]] = field(default_factory=lambda: defaultdict(list))
    same_order: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))

    def trials(self, dataset: str, method: Method, sizes: Iterable[int]) -> NDArray[np.float64]:
        """Accuracy of every trial, averaged over the numbers of features."""
        return np.mean([self.accuracy[dataset, method, size] for size in sizes], axis=0)

    def cell(self, table: Table, row: tuple[str, str], column: str) -> float:
        return float(self.trials(row[0], table.method(column, row[1]), table.sizes).mean())


def orders(X: Any, y: NDArray[Any], methods: set[Method]) -> Iterator[tuple[Method, NDArray[np.intp]]]:
    """The features from best to worst, for every method; each graph is built once."""
    for method in methods & set(BASELINES):
        yield method, np.argsort(BASELINES[method]().fit(X, y).ranking_)
    n_classes = np.unique(y).size
    for name in sorted({method.graph for method in methods} & set(GRAPHS)):
        graph = GRAPHS[name].build(X, y if GRAPHS[name].requires_labels else None)
        for method in sorted(m for m in methods if m.graph == name):
            criterion = phi(method.ranking, graph, Power(method.power), n_classes)
            ranks = rank_features(criterion.scores(X).native, larger_is_better=criterion.larger_is_better)
            yield method, np.argsort(ranks)


def run_trial(run: Run, dataset: str, X: Any, y: NDArray[Any], seed: int) -> None:
    """One split: every method, every number of features that some table asks for."""
    train, test = train_test_split(np.arange(y.size), test_size=0.5, stratify=y, random_state=seed)
    sizes: dict[Method, set[int]] = defaultdict(set)
    for table in TABLES:
        for method, size in table.wanted(dataset):
            sizes[method].add(size)
    found = dict(orders(X[train], y[train], set(sizes)))
    columns = X.tocsc() if sparse.issparse(X) else X
    for method, order in found.items():
        for size in sizes[method]:
            chosen = columns[:, order[:size]]
            dense = chosen.toarray() if sparse.issparse(chosen) else chosen
            run.accuracy[dataset, method, size].append(one_nn(dense, y, train, test))
            if size == 100:
                run.blank[dataset, method].append(float(np.mean(~dense[test].any(axis=1))))
    run.accuracy[dataset, Method("All"), ALL_FEATURES].append(one_nn(X, y, train, test))
    _compare_orders(run, found)


def _compare_orders(run: Run, found: dict[Method, NDArray[np.intp]]) -> None:
    pairs = (
        ("Laplacian score", LAPLACIAN, "φ2, r on RBF", Method("RBF", "phi2")),
        ("Fisher score", FISHER, "φ2 on class labels", Method("C", "phi2")),
    )
    for name, baseline, other, method in pairs:
        if baseline in found and method in found:
            run.same_order[f"{name} = {other}"].append(
                all(set(found[baseline][:size]) == set(found[method][:size]) for size in (*FIVE, 100))
            )


def measure(quick: bool, n_trials: int) -> Run:
    """All trials of all data sets; of the small ones if quick."""
    run = Run()
    for dataset in FILES:
        if quick and dataset in TEXT:
            continue
        X, y = load(FILES[dataset], text=dataset in TEXT)
        run.shape[dataset] = X.shape
        run.majority[dataset] = float(np.unique(y, return_counts=True)[1].max() / y.size)
        for seed in range(n_trials):
            start = time.perf_counter()
            run_trial(run, dataset, X, y, seed)
            print(f"{dataset} trial {seed + 1}/{n_trials}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return run


def rows_of(table: Table, run: Run) -> list[tuple[str, str]]:
    """The published rows whose data sets were run."""
    return [row for row in table.published if row[0] in run.shape]


def table_text(table: Table, run: Run) -> str:
    """The table, `published / measured` in every cell, and the means of its columns."""
    rows, digits = rows_of(table, run), table.digits
    printed = np.array([table.published[row] for row in rows])
    measured = np.array([[run.cell(table, row, column) for column in table.columns] for row in rows])
    body = []
    for (dataset, kernel), old, new in zip(rows, printed, measured, strict=True):
        body.append([f"{dataset} {kernel}".strip(), *_cells(old, new, digits)])
    body.append(["**mean**", *_cells(printed.mean(axis=0), measured.mean(axis=0), digits)])
    note = f"Mean absolute difference: {_differences(table, run, printed, measured)}.\n"
    return f"### {table.title}\n\n{markdown(['', *table.columns], body)}\n{note}"


def _cells(old: NDArray[np.float64], new: NDArray[np.float64], digits: int) -> list[str]:
    return [f"{a:.{digits}f} / {b:.{digits}f}" for a, b in zip(old, new, strict=True)]


def _differences(table: Table, run: Run, printed: NDArray[np.float64], measured: NDArray[np.float64]) -> str:
    """Over all cells, and over those whose table has the size that the paper prints."""
    rows = rows_of(table, run)
    same = np.array([run.shape[row[0]] == table.printed_sizes[row[0]] for row in rows])
    gap = np.abs(printed - measured)
    text = f"{gap.mean():.3f} over all {gap.size} cells"
    if same.any():
        names = dict.fromkeys(row[0] for row, kept in zip(rows, same, strict=True) if kept)
        text += f"; {gap[same].mean():.3f} over the {gap[same].size} cells of same-sized data ({', '.join(names)})"
    signed = float((measured - printed).mean())
    order = stats.spearmanr(printed.ravel(), measured.ravel()).statistic
    return f"{text}; mean signed difference {signed:+.3f}; rank correlation of all cells {order:.2f}"


def data_text(run: Run) -> str:
    """Sizes here and in the papers, and what 1NN does with every feature."""
    body = []
    for dataset, shape in run.shape.items():
        sizes = [shape, published.SPEC_SIZES.get(dataset), published.DISSERTATION_SIZES.get(dataset)]
        everything = np.mean(run.accuracy[dataset, Method("All"), ALL_FEATURES])
        printed = [f"{size[0]} × {size[1]}" if size else "-" for size in sizes]
        body.append([dataset, f"`{FILES[dataset]}`", *printed, f"{run.majority[dataset]:.3f}", f"{everything:.3f}"])
    header = ["data set", "file", "here", "SPEC paper", "dissertation", "largest class", "1NN, all features"]
    return markdown(header, body)


def blank_text(run: Run) -> str:
    """How many posts 1NN cannot see at all, because they hold none of the chosen words."""
    parts = []
    for table in (TABLE_3, TABLE_4):
        rows = [row for row in rows_of(table, run) if row[0] in TEXT]
        body = [
            [" ".join(row).strip()]
            + [f"{np.mean(run.blank[row[0], table.method(column, row[1])]):.2f}" for column in table.columns]
            for row in rows
        ]
        parts += [markdown(["", *table.columns], body)] if rows else []
    if not parts:
        return ""
    return "\n".join(["### Text: share of test posts with none of the 100 chosen words (measured)\n", *parts])


def claims_text(run: Run) -> str:
    """The papers' statements about orderings, counted."""
    lines = [
        f"- {name}: the same features in {sum(same)} of {len(same)} splits" for name, same in run.same_order.items()
    ]
    for table, high in ((TABLE_3, "⁴"), (TABLE_23, "³")):
        lines.append(_power_claim(table, run, high))
    lines.append(_kernel_claim(TABLE_3, run, "DIF"))
    lines.append(_kernel_claim(TABLE_23, run, "DIJ"))
    lines.append(_label_claim(TABLE_3, TABLE_4, run))
    lines.append(_label_claim(TABLE_23, TABLE_24, run))
    lines += [_best_claim(table, run) for table in (TABLE_3, TABLE_23)]
    return "\n".join(lines) + "\n"


def _power_claim(table: Table, run: Run, high: str) -> str:
    worse: list[str] = []
    better: list[str] = []
    gaps: list[float] = []
    for dataset, kernel in rows_of(table, run):
        for name in ("φ1", "φ2", "φ3"):
            plain, power = (run.trials(dataset, table.method(f"{name}, r{p}", kernel), table.sizes) for p in ("", high))
            gap = power - plain
            gaps.append(float(gap.mean()))
            if len(gap) > 1 and np.ptp(gap) > 0 and stats.ttest_rel(power, plain).pvalue < SIGNIFICANT:
                (worse if gap.mean() < 0 else better).append(f"{dataset} {kernel} {name} {gap.mean():+.3f}")
    return (
        f"- r{high} against r, {table.title.split(':')[0]}: mean {np.mean(gaps):+.3f} over {len(gaps)} pairs; better "
        f"(paired t-test, p < {SIGNIFICANT}) in {len(better)} ({', '.join(better) or 'none'}); worse in {len(worse)} "
        f"({', '.join(worse) or 'none'})"
    )


def _kernel_claim(table: Table, run: Run, kernel: str) -> str:
    parts = []
    for dataset in dict.fromkeys(row[0] for row in rows_of(table, run)):
        old = np.subtract(table.published[dataset, kernel], table.published[dataset, "RBF"])[1:].mean()
        new = np.mean(
            [
                run.cell(table, (dataset, kernel), column) - run.cell(table, (dataset, "RBF"), column)
                for column in list(table.columns)[1:]
            ]
        )
        parts.append(f"{dataset} {old:+.3f} / {new:+.3f}")
    title = table.title.split(":")[0]
    return f"- {kernel} minus RBF, mean over φ1 to φ3 ({title}, published / measured): {', '.join(parts)}"


def _label_claim(without: Table, with_labels: Table, run: Run) -> str:
    parts = []
    for dataset in dict.fromkeys(row[0] for row in rows_of(with_labels, run)):
        values = []
        for table in (with_labels, without):
            rows = [row for row in table.published if row[0] == dataset]
            old = np.mean([table.published[row] for row in rows])
            values.append((old, np.mean([run.cell(table, row, column) for row in rows for column in table.columns])))
        (old_with, new_with), (old_without, new_without) = values
        parts.append(f"{dataset} {old_with - old_without:+.3f} / {new_with - new_without:+.3f}")
    title = without.title.split(":")[0]
    return f"- Mean of the methods with labels minus without ({title} and the next): {', '.join(parts)}"


def _best_claim(table: Table, run: Run) -> str:
    parts = []
    for dataset in dict.fromkeys(row[0] for row in rows_of(table, run)):
        rows = [row for row in table.published if row[0] == dataset]
        old = {(r[1], c): v for r in rows for c, v in zip(table.columns, table.published[r], strict=True)}
        new = {(r[1], c): run.cell(table, r, c) for r in rows for c in table.columns}
        texts = []
        for cells in (old, new):
            best = max(cells, key=lambda cell: cells[cell])
            texts.append(f"{best[0]} {best[1]} ({cells[best] - cells['RBF', 'Laplacian']:+.3f})")
        parts.append(f"{dataset} {texts[0]} / {texts[1]}")
    title = table.title.split(":")[0]
    return f"- Best cell and its gain over the Laplacian score ({title}, published / measured): {'; '.join(parts)}"


def _spread(run: Run, n_trials: int) -> str:
    if n_trials < 2:
        return ""
    errors = [np.std(values, ddof=1) / np.sqrt(n_trials) for values in run.accuracy.values()]
    return f"; standard error of a mean: {np.median(errors):.3f} (median), {np.max(errors):.3f} (largest)"


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    intro = (
        f"{ran_with()}: {n_trials} trials of every cell"
        f"{_spread(run, n_trials)}. Cells are `published / measured` 1NN accuracy. Remake with "
        "`python papers/spec.py`.\n"
    )
    parts = ["## SPEC (ICML 2007) and dissertation chapter 2\n", intro, CHOICES.format(last=n_trials - 1).lstrip()]
    parts += [data_text(run), *(table_text(table, run) for table in TABLES)]
    parts += [blank_text(run), "### The papers' statements, counted\n", claims_text(run)]
    return "\n".join(parts)


def main() -> None:
    """Run the trials and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("spec", __doc__, TRIALS, measure, section)


if __name__ == "__main__":
    main()
