"""The pictures of mrsf.py: Tables 4.2 to 4.5 published against measured, and Figures 4.1 and 4.2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from common import ROOT
from mrsf_run import TABLES, Run
from mrsf_tables import cells_of
from mrsf_trials import RANDOM, SIZES, SUPERVISED

matplotlib.use("Agg")
import matplotlib.pyplot as plt

IMAGES = ROOT / "docs" / "images"
PICTURE, CURVES = "papers_mrsf.png", "papers_mrsf_curves.png"
CAPTION = (
    "Dissertation chapter 4: every cell of Tables 4.2 to 4.5, printed against measured (filled: MRSF; line: equal), and"
    " Figure 4.1: CPU time of one run of a general solver over that of the whole path to 100 features."
)
CURVES_CAPTION = (
    "Dissertation Figure 4.2, measured: accuracy of a linear SVM against the number of features, mean over splits."
    " The chapter prints the plots without numbers."
)
#: Okabe and Ito's colours
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#000000", "#666666")
DASHES = ("-", "-", "--", ":", "-", "--", "-.", "-", ":")


def draw(run: Run, folder: Path = IMAGES) -> None:
    """Both pictures."""
    figure, axes = plt.subplots(2, 3, figsize=(11, 7.4), layout="constrained")
    for axis, table in zip(axes.flat, TABLES, strict=False):
        scatter(axis, run, table)
    times(axes.flat[5], run)
    figure.savefig(folder / PICTURE, dpi=90)
    plt.close(figure)
    figure, axes = plt.subplots(2, 3, figsize=(11, 7.4), layout="constrained", sharex=True)
    for axis, dataset in zip(axes.flat, run.datasets, strict=False):
        curves(axis, run, dataset)
    figure.supxlabel("number of features")
    figure.supylabel("accuracy")
    handles, names = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=5, frameon=False)
    figure.savefig(folder / CURVES, dpi=74, pil_kwargs={"optimize": True})
    plt.close(figure)


def scatter(axis: Any, run: Run, table: str) -> None:
    """Printed against measured, one mark for each cell."""
    datasets, old, new = cells_of(run, table)
    per_set = len(datasets) // len(run.shared)
    for number, dataset in enumerate(run.shared):
        part = slice(number * per_set, (number + 1) * per_set)  # MRSF is the last row
        colour = COLOURS[number]
        axis.plot(old[part][:-1], new[part][:-1], "o", mfc="none", color=colour, ms=6)
        axis.plot(old[part][-1:], new[part][-1:], "o", color=colour, ms=7, label=dataset)
    ends = [min(old.min(), new.min()) - 0.03, max(old.max(), new.max()) + 0.03]
    axis.plot(ends, ends, color="#999999", lw=1)
    kind = {"4.2": "accuracy", "4.3": "redundancy, labels", "4.5": "redundancy, no labels"}.get(table, "Jaccard score")
    axis.set(title=f"Table {table}\n{kind} (filled: MRSF)", xlabel="printed", ylabel="measured", xlim=ends, ylim=ends)
    axis.legend(fontsize=8)


def times(axis: Any, run: Run) -> None:
    """Figure 4.1 as ratios."""
    names = list(run.times)
    for place, dataset in enumerate(names):
        ratios = run.seconds(dataset, "general") / run.seconds(dataset, "path")
        axis.bar(place, np.median(ratios), color="#56b4e9")
        axis.text(place, np.median(ratios), f"{np.median(ratios):.0f}", ha="center", va="bottom")
    axis.axhline(1, color="#999999", lw=1)
    axis.margins(y=0.12)
    axis.set(
        xticks=range(len(names)), title="Figure 4.1 with labels, CPU time:\ngeneral solver over path", ylabel="ratio"
    )
    axis.set_xticklabels(names, rotation=30)


def curves(axis: Any, run: Run, dataset: str) -> None:
    """Figure 4.2 for one set."""
    for colour, dash, method in zip(COLOURS, DASHES, [*SUPERVISED, RANDOM], strict=True):
        width = 2.5 if method == "MRSF" else 1.3
        axis.plot(SIZES, run.curve(dataset, method).mean(axis=0), dash, color=colour, lw=width, label=method)
    axis.set(title=dataset)
    axis.grid(color="#dddddd")
