"""The picture of msfs.py: Tables 5.4 and 5.5 and Figure 5.5c, published next to measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import published_msfs as published
from common import ROOT
from msfs_data import ALL, TWO
from msfs_run import FIVE, Run, counterpart
from msfs_trials import SHARES, mixture

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PICTURE = "papers_msfs.png"
CAPTION = (
    "Dissertation chapter 5: accuracy of 1NN with the chosen genes, mean over 2, 5, 10, 20 and 30 genes. Crosses are"
    " printed for the chapter's 88 tissues, which cannot be had; dots are measured on two other sets with the same five"
    " sources (mean and standard deviation over trials). Last panel: Figure 5.5c, with standard errors."
)
COLOURS = {"printed": "#000000", "NCI60": "#0072b2", "breast TCGA": "#d55e00"}
MARKS = {"printed": "x", "NCI60": "o", "breast TCGA": "s"}


def draw(run: Run, path: Path = ROOT / "docs" / "images" / PICTURE) -> None:
    """Three tables as dots, and the curves of Figure 5.5c."""
    figure, axes = plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
    dots(axes[0, 0], run, "two classes (Tables 5.4, 5.5: 2C-DATA)", published.ACCURACY_2C, TWO, TWO)
    dots(axes[0, 1], run, "more classes (Table 5.4: 4C-DATA)", published.ACCURACY_4C, ALL, ALL)
    dots(axes[1, 0], run, "chosen for two classes, tested on more (Table 5.5)", published.TRANSFER, ALL, TWO)
    curves(axes[1, 1], run)
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def dots(axis: Any, run: Run, title: str, rows: dict[str, list[float]], tested: str, learned: str) -> None:
    """One line for each row of a published table."""
    places = np.arange(len(rows))[::-1]
    printed = [np.mean(values) for values in rows.values()]
    axis.plot(printed, places, MARKS["printed"], color=COLOURS["printed"], ms=7, label="printed (other samples)")
    for shift, study in zip((-0.15, 0.15), FIVE, strict=True):
        values = [run.ave(study, counterpart(row, learned), tested, learned) for row in rows]
        means, spreads = [v.mean() for v in values], [v.std() for v in values]
        style = {"fmt": MARKS[study], "color": COLOURS[study], "ms": 5, "lw": 1}
        axis.errorbar(means, places + shift, xerr=spreads, label=f"measured, {study}", **style)
    axis.set(yticks=places, yticklabels=list(rows), xlim=(0, 1.02), title=title, xlabel="accuracy")
    axis.grid(axis="x", color="#dddddd")
    axis.set_axisbelow(True)


def curves(axis: Any, run: Run) -> None:
    """Figure 5.5c: two sources in all proportions."""
    for study in FIVE:
        for tested, style in ((TWO, "-"), (ALL, "--")):
            values = np.array([run.ave(study, mixture(share), tested) for share in SHARES])
            errors = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1]) if values.shape[1] > 1 else None
            options = {"marker": MARKS[study], "ms": 4, "color": COLOURS[study], "ls": style}
            axis.errorbar(SHARES, values.mean(axis=1), yerr=errors, label=f"{study}, {tested}", **options)
    axis.set(title="miRNA and function mixed (Figure 5.5c)", xlabel="share of miRNA", ylabel="accuracy")
    axis.set(ylim=(0.6, 1.0))
    axis.grid(color="#dddddd")
    axis.legend(loc="lower center", ncols=2, fontsize=9)
