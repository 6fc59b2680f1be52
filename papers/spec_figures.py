"""The pictures of papers/spec.py: published against measured, and Figures 2.2 to 2.5 of the dissertation."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from common import ROOT
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image
from spec_methods import Method
from spec_synthetic import AMOUNTS, CURVES, FOLLOWED, SIGNAL, Clusters, Perturbation
from spec_tables import CHOSEN, FIRST, TABLE_3, TABLE_23, TABLE_24, TABLES, Run, Table
from spec_trials import SIZES
from spec_view import View

IMAGES = ROOT / "docs" / "images"
#: told apart also by colour-blind readers
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
GREY = "#8a8a8a"
LOOK = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
}


def draw_all(run: Run, clusters: Clusters, draw: Perturbation) -> None:
    """Every picture of the section."""
    with plt.rc_context(LOOK):
        save(published_against_measured(run), "papers_spec")
        save(eigenvector_contours(clusters), "papers_spec_eigenvectors")
        save(perturbation(draw), "papers_spec_perturbation")
        save(unsupervised(run, TABLE_3), "papers_spec_icml")
        save(unsupervised(run, TABLE_23), "papers_spec_unsupervised")
        save(supervised(run), "papers_spec_supervised")


def save(figure: Figure, name: str) -> Path:
    """Write docs/images/NAME.png, in few colours: small files."""
    target = IMAGES / f"{name}.png"
    figure.savefig(target, dpi=100)
    plt.close(figure)
    with Image.open(target) as picture:
        few = picture.convert("RGB").quantize(96)
    few.save(target, optimize=True)
    return target


def published_against_measured(run: Run) -> Figure:
    """Each cell of the four tables as a point: the published accuracy across, the measured one up."""
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.4), layout="constrained", sharex=True, sharey=True)
    for place, (axis, table) in enumerate(zip(axes, TABLES, strict=True)):
        _scatter(axis, table, run)
        axis.set(title=table.title.replace(": ", "\n").split(",")[0], xlabel="published accuracy")
        if place == 0:
            axis.set_ylabel("measured accuracy")
            axis.legend(loc="upper left", handletextpad=0.1)
    return figure


def _scatter(axis: Axes, table: Table, run: Run) -> None:
    kept = [place for place, name in enumerate(table.columns) if name not in table.stand_ins]
    printed = table.printed(run)[:, kept]
    axis.plot([0.4, 1], [0.4, 1], color="#cccccc", lw=1, zorder=0)
    before, now = (run.cells(protocol, table)[:, kept] for protocol in (FIRST, CHOSEN))
    axis.plot(printed.ravel(), before.ravel(), "o", mfc="none", mec=GREY, ms=4, label=str(FIRST))
    axis.plot(printed.ravel(), now.ravel(), "o", color=COLOURS[0], ms=4, label=str(CHOSEN))
    axis.set_aspect("equal")


def eigenvector_contours(clusters: Clusters) -> Figure:
    """Figure 2.2: how six eigenvectors value the samples of three clusters."""
    figure, axes = plt.subplots(2, 3, figsize=(9, 5.6), layout="constrained")
    for axis, number in zip(axes.ravel(), (1, 2, 3, 4, 5, 20), strict=True):
        vector = clusters.vectors[:, number - 1]
        vector = vector * np.sign(vector[np.argmax(np.abs(vector))])
        axis.tricontourf(*clusters.points.T, vector, levels=9, cmap="cividis")
        axis.plot(*clusters.points.T, ".", color="white", ms=2)
        axis.set(xticks=[], yticks=[], title=f"ξ{number}, λ = {max(clusters.values[number - 1], 0.0):.3f}")
    return figure


def perturbation(draw: Perturbation) -> Figure:
    """Figure 2.3: all twelve charts of one draw."""
    figure, axes = plt.subplots(4, 3, figsize=(9.5, 11), layout="constrained")
    for axis, points, title in zip(axes[0], draw.embeddings, ("a = 0", "a = 0.5"), strict=False):
        axis.scatter(*points.T, c=np.array(COLOURS)[draw.groups], s=12)
        axis.set(xticks=[], yticks=[], title=f"2nd and 3rd eigenvector, {title}")
    axes[0, 2].plot(np.arange(1, draw.values.shape[1] + 1), draw.values[0], ".", color=COLOURS[0], ms=4)
    axes[0, 2].set(title="eigenvalues, a = 0", xlabel="number")
    for number, colour in zip(FOLLOWED, COLOURS, strict=True):
        axes[1, 0].plot(AMOUNTS, draw.values[:, number - 1], color=colour, label=f"λ{number}")
        axes[1, 1].plot(AMOUNTS, draw.turns[:, number - 1], color=colour, label=f"ξ{number}")
    axes[1, 0].set(title="eigenvalues", xlabel="noise a")
    axes[1, 1].set(title="sin of the turn of eigenvectors", xlabel="noise a")
    for name, power in CURVES:
        label, style = f"{name}, r{_superscript(power)}", "-" if power == 1 else "--"
        axes[1, 2].plot(AMOUNTS, draw.relative_change(name, power), style, color=COLOURS[int(name[1]) - 1], label=label)
    axes[1, 2].set(title="relative change of the score of F3", xlabel="noise a", yscale="symlog")
    for axis in axes[1]:
        axis.legend(ncols=2)
    for axis, (name, power) in zip(axes[2:].T.ravel(), CURVES, strict=True):
        _score_chart(axis, draw, name, power)
    return figure


def _superscript(power: int) -> str:
    return "" if power == 1 else "³"


def _score_chart(axis: Axes, draw: Perturbation, name: str, power: int) -> None:
    for number, curve in enumerate(draw.scores[name, power].T):
        label = {0: "signal F1 to F3", SIGNAL: "noise F4 to F6"}.get(number)
        style = {"color": COLOURS[0]} if number < SIGNAL else {"color": COLOURS[1], "ls": "--"}
        axis.plot(AMOUNTS, curve, label=label, **style)
    good = "large" if name == "φ3" else "small"
    axis.set(title=f"{name}, r{_superscript(power)} ({good} is good)", xlabel="noise a")
    if (name, power) == CURVES[0]:
        axis.legend()


def unsupervised(run: Run, table: Table) -> Figure:
    """Figure 2 of the ICML paper, Figure 2.4: accuracy by number of features, a row of panels per graph."""
    view = View(run, CHOSEN, table)
    kernels = dict.fromkeys(kernel for _, kernel in view.rows)
    figure, axes = plt.subplots(
        2, len(view.names), figsize=(10.5, 4.8), layout="constrained", sharex=True, sharey="col"
    )
    for name, pair in zip(view.names, axes.T, strict=True):
        for kernel, axis in zip(kernels, pair, strict=True):
            for column, method in table.columns.items():
                axis.plot(SIZES, view.curve((name, kernel), method), **_style(column), label=_label(column))
            axis.set_title(f"{name}, {kernel}")
    _finish(figure, axes)
    return figure


def supervised(run: Run) -> Figure:
    """Figure 2.5: the same with labels; φ3 by the library's rule and by class indicators."""
    view = View(run, CHOSEN, TABLE_24)
    figure, axes = plt.subplots(1, len(view.names), figsize=(10.5, 2.9), layout="constrained", squeeze=False)
    for name, axis in zip(view.names, axes[0], strict=True):
        for column, method in TABLE_24.columns.items():
            axis.plot(SIZES, view.curve((name, ""), method), **_style(column), label=column)
        curve = run.curves(name, CHOSEN.share, Method("C", "phi3")).mean(axis=0)
        axis.plot(SIZES, curve, color=COLOURS[2], ls=":", label="φ3, library")
        axis.set_title(name)
    _finish(figure, axes)
    return figure


def _label(column: str) -> str:
    return f"{column} (stand-in)" if column in TABLE_23.stand_ins else column


def _style(column: str) -> dict[str, object]:
    """Colour by ranking function, dashes for the higher power; thick grey and black for baselines."""
    baselines = {"Laplacian": ("black", "-"), "ReliefF": ("black", "-"), "SEPER": (GREY, "-"), "Fisher": (GREY, "-")}
    if column in baselines:
        colour, dashes = baselines[column]
        return {"color": colour, "ls": dashes, "lw": 4.0 if column == "Fisher" else 2.2}  # φ2 lies upon it
    if column == "AROM-SVM":
        return {"color": COLOURS[4], "lw": 2.2}
    return {"color": COLOURS[int(column[1]) - 1], "ls": "--" if column[-1] in "³⁴" else "-", "lw": 1.3}


def _finish(figure: Figure, axes: np.ndarray) -> None:
    for axis in axes[-1]:
        axis.set(xlabel="features", xticks=(10, 40, 70, 100))
    for axis in axes[:, 0]:
        axis.set_ylabel("accuracy")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
