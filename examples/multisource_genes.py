"""Genes by more than one measurement: MSFS on mRNA, miRNA and protein of the same cell lines.

The mRNA genes of the NCI60 leukemia, melanoma and CNS cell lines are ranked by how smooth they are on a graph of the
cell lines. The graph comes from the mRNA itself, from miRNA, from proteins, or from all three with equal or learned
weights. How good the top genes are is measured by 1-nearest-neighbour accuracy on cell lines that the ranking has not
seen. After Zhao (2010), section 5.4.

Uses ../shared/data/ms_nci60.npz where it is there, else synthetic tables (and says so).
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy import linalg
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from eigenselect import MSFS
from eigenselect.graph import SampleGraph
from eigenselect.multisource import AuxiliaryData, TargetData
from figures import COLOURS, bare, plt, save

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "ms_nci60.npz"
SIZES = (2, 5, 10, 20, 30, 50)
REPEATS = 10
TOP = 30
EQUAL, LEARNED, RANDOM = "all three, equal weights", "all three, learned (alignment)", "no graph: random genes"
STYLES = {"mRNA": "-", "miRNA": "--", "protein": ":", EQUAL: "-", LEARNED: "--", RANDOM: "-"}
PALETTE = dict(zip(STYLES, (*COLOURS[:3], "black", "#7f3c8d", "#bbbbbb"), strict=True))
Tables = dict[str, pd.DataFrame]


def main() -> None:
    """Rank, compare, evaluate and draw."""
    tables, y, classes, source = matched_tables()
    sizes = ", ".join(f"{table.shape[1]} {name}" for name, table in tables.items())
    print(f"{source}: {y.size} cell lines of {len(classes)} tissues; {sizes}")
    whole = standardised(tables, np.arange(y.size))
    weights = {"equal": np.full(3, 1 / 3)}
    for kind in ("discriminant", "alignment"):
        weights[kind] = selector(whole, kind).fit(whole["mRNA"], y).weights_
    for kind, values in weights.items():
        print(f"weights, {kind:<13}" + "  ".join(f"{n} {v:.2f}" for n, v in zip(tables, values, strict=True)))
    combined = selector(whole, "equal").fit(whole["mRNA"])
    print_top_genes(rankings(whole, y), list(whole["mRNA"].columns))
    curves = accuracies(tables, y)
    for name, trials in curves.items():
        print(f"accuracy, {name:<30} " + " ".join(f"{value:.3f}" for value in np.mean(trials, axis=0)))
    figure, axes = plt.subplot_mosaic(
        [["weights", "curves", "own"], ["weights", "curves", "all"]],
        figsize=(12, 4.6),
        width_ratios=(1, 1.7, 1),
        layout="constrained",
    )
    draw_weights(axes["weights"], weights, list(tables))
    draw_curves(axes["curves"], curves, float(np.bincount(y).max() / y.size))
    draw_samples(axes["own"], combined.similarities_["mRNA"], y, classes, "c   cell lines on the graph of mRNA")
    draw_samples(axes["all"], combined.graph_, y, classes, "d   ... and of all three, equal weights")
    axes["all"].legend(fontsize=8, handletextpad=0.1, loc="lower right", frameon=True)
    save(figure, "multisource_genes")


def matched_tables() -> tuple[Tables, NDArray[np.intp], list[str], str]:
    """Three tables of the same cell lines, with names; tissues as numbers; their names; where it is from."""
    if DATA.exists():
        with np.load(DATA) as content:
            keys = {"mRNA": "mrna", "miRNA": "mirna", "protein": "prot"}
            tables = {
                label: pd.DataFrame(
                    content[f"X_{key}"].astype(float), content["sample_ids"].astype(str), content[f"names_{key}"]
                )
                for label, key in keys.items()
            }
            return tables, content["y"].astype(np.intp), list(map(str, content["class_names"])), "NCI60"
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 8)
    tables = {}
    for label, n_columns, informative in (("mRNA", 2000, 60), ("miRNA", 200, 40), ("protein", 800, 40)):
        values = rng.normal(size=(y.size, n_columns))
        values[:, :informative] += 1.5 * rng.normal(size=(3, informative))[y]
        columns = [f"{label}{number}" for number in range(n_columns)]
        tables[label] = pd.DataFrame(values, [f"line{number}" for number in range(y.size)], columns)
    return tables, y, ["A", "B", "C"], "SYNTHETIC tables (no ms_nci60.npz)"


def standardised(tables: Tables, train: NDArray[np.intp]) -> Tables:
    """Every column with mean 0 and deviation 1 on the training samples."""
    found = {}
    for name, table in tables.items():
        part = table.iloc[train]
        varies = (part.max() > part.min()).to_numpy()
        found[name] = (table - part.mean().to_numpy()) / np.where(varies, part.std(ddof=0).to_numpy(), np.inf)
    return found


def selector(tables: Tables, weights: Any) -> MSFS:
    """The mRNA table itself and the other two, matched by the names of the cell lines."""
    others = [(name, AuxiliaryData(tables[name], "rbf")) for name in ("miRNA", "protein")]
    return MSFS(TOP, sources=[("mRNA", TargetData("rbf")), *others], weights=weights)


def rankings(tables: Tables, y: NDArray[np.intp]) -> dict[str, NDArray[np.intp]]:
    """Ranks of the mRNA genes by each source, by all with equal weights, and with weights learned from labels."""
    equal = selector(tables, "equal").fit(tables["mRNA"])
    learned = selector(tables, "alignment").fit(tables["mRNA"], y)
    return {**equal.source_rankings(tables["mRNA"]), EQUAL: equal.ranking_, LEARNED: learned.ranking_}


def print_top_genes(found: dict[str, NDArray[np.intp]], names: list[str]) -> None:
    """The first genes by each graph, and how many of the top each two share."""
    tops = {name: np.argsort(ranking)[:TOP] for name, ranking in found.items()}
    for name, top in tops.items():
        print(f"top genes, {name:<30} " + " ".join(names[gene].split("_")[0] for gene in top[:8]))
    print(f"genes shared by the top {TOP}:")
    for name, top in tops.items():
        print(f"  {name:<30} " + " ".join(f"{np.intersect1d(top, other).size:>3}" for other in tops.values()))


def accuracies(tables: Tables, y: NDArray[np.intp]) -> dict[str, list[NDArray[np.float64]]]:
    """1NN accuracy for each number of genes, by repeated 3-fold cross-validation; rankings see training lines only."""
    trials = defaultdict(list)
    for seed in range(REPEATS):
        right = defaultdict(lambda: np.zeros(len(SIZES)))
        rng = np.random.default_rng(seed)
        for train, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(y, y):
            scaled = standardised(tables, train)
            found = rankings({name: table.iloc[train] for name, table in scaled.items()}, y[train])
            X = scaled["mRNA"].to_numpy()
            orders = {name: np.argsort(ranking) for name, ranking in found.items()}
            for name, order in {**orders, RANDOM: rng.permutation(X.shape[1])}.items():
                for place, size in enumerate(SIZES):
                    part = X[:, order[:size]]
                    model = KNeighborsClassifier(1).fit(part[train], y[train])
                    right[name][place] += np.sum(model.predict(part[test]) == y[test])
        for name, count in right.items():
            trials[name].append(count / y.size)
    return dict(trials)


def draw_weights(axes: Axes, weights: dict[str, NDArray[np.float64]], names: list[str]) -> None:
    """Stacked bars, one for each way to choose weights."""
    bottom = np.zeros(len(weights))
    for place, name in enumerate(names):
        heights = np.array([values[place] for values in weights.values()])
        bars = axes.bar(range(len(weights)), heights, bottom=bottom, color=PALETTE[name], width=0.7)
        labels = [f"{name}\n{height:.2f}" if height > 0.08 else "" for height in heights]
        axes.bar_label(bars, labels, label_type="center", color="white", fontsize=8)
        bottom += heights
    axes.set_xticks(range(len(weights)), ["equal", "discriminant\n(labels)", "alignment\n(labels)"], fontsize=8)
    axes.set(ylabel="weight of each source's graph", ylim=(0, 1))
    axes.set_title("a   how the sources are weighted", loc="left")


def draw_curves(axes: Axes, curves: dict[str, list[NDArray[np.float64]]], largest: float) -> None:
    """Mean accuracy against the number of genes, with standard errors over repeats."""
    for number, (name, trials) in enumerate(curves.items()):
        mean, error = np.mean(trials, axis=0), np.std(trials, axis=0, ddof=1) / np.sqrt(len(trials))
        at = np.arange(len(SIZES)) + 0.04 * (number - 2.5)
        width = 2.5 if name == EQUAL else 1.6
        axes.errorbar(at, mean, error, ls=STYLES[name], color=PALETTE[name], marker="o", ms=4, lw=width, label=name)
    axes.axhline(largest, color="#bbbbbb", lw=1, ls=":")
    axes.text(len(SIZES) - 0.8, largest + 0.006, "always the largest tissue", color="#888888", fontsize=8, ha="right")
    axes.set_xticks(range(len(SIZES)), list(map(str, SIZES)))
    axes.set(xlabel="number of top mRNA genes", ylabel="1NN accuracy on held-out cell lines", ylim=(0.2, 1.0))
    axes.set_title(f"b   are the genes good? ({REPEATS} × 3 folds, bars: standard error)", loc="left")
    axes.legend(ncols=2, fontsize=8, loc="lower right", title="mRNA genes ranked on the graph of", title_fontsize=8)


def draw_samples(axes: Axes, graph: SampleGraph, y: NDArray[np.intp], classes: list[str], title: str) -> None:
    """Samples in the two smoothest non-trivial eigenvectors of the normalised Laplacian."""
    S, root = graph.to_array(), np.sqrt(graph.degrees)
    vectors = linalg.eigh(S / np.outer(root, root))[1][:, ::-1][:, 1:3]
    vectors *= np.where(vectors[y == 1].sum(axis=0) < 0, -1, 1)  # signs are free: the second tissue to the upper right
    for number, (name, marker) in enumerate(zip(classes, "o^s", strict=True)):
        chosen = y == number
        axes.scatter(*vectors[chosen].T, marker=marker, s=28, color=COLOURS[3 + number], label=name)
    axes.set(xlabel="eigenvector 2", ylabel="eigenvector 3")
    axes.set_title(title, loc="left")
    bare(axes)


if __name__ == "__main__":
    main()
