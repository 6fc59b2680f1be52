"""The pictures of the section on sSelect: Table 2, and Figures 3 to 7, drawn from the trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import published
from matplotlib import pyplot as plt
from pictures import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, YELLOW, save
from sselect_run import Run, published_over_laplacian
from sselect_trials import FEW, FISHER, LABELS, LAMBDAS, LAPLACIAN, MANY, PRINTED_LABELS, RANDOM_FISHER, SIZES, SSELECT
from summary import standard_error

METHOD_COLOURS = {SSELECT: BLUE, FISHER: ORANGE, RANDOM_FISHER: YELLOW, LAPLACIAN: GREY}
MARKS = {SSELECT: "o", FISHER: "s", RANDOM_FISHER: "D", LAPLACIAN: "^"}
SET_COLOURS = dict(zip(published.SSELECT_SIZES, (BLUE, ORANGE, GREEN), strict=True))
LABEL_COLOURS = dict(zip(PRINTED_LABELS, (ORANGE, PURPLE, BLUE), strict=True))
PICTURE = "papers_sselect.png"


def draw(run: Run) -> None:
    """Write all pictures."""
    with plt.rc_context(STYLE):
        draw_table(run)
        draw_curves(run)
        draw_lambda(run)
        draw_labels(run)


def draw_table(run: Run) -> None:
    """Table 2 and what labels add: published hollow, measured full."""
    figure, axes = plt.subplots(1, 3, figsize=(9.2, 3.4), layout="constrained")
    for axis, over, column in zip(axes, (FISHER, LAPLACIAN), (0, 1), strict=False):
        for number, (dataset, colour) in enumerate(SET_COLOURS.items()):
            place = np.arange(3) + 3.6 * number
            gains = [run.gain(dataset, count, over) for count in PRINTED_LABELS]
            old = [published.SSELECT_TABLE_2[dataset, count][column] for count in PRINTED_LABELS]
            axis.plot(place, old, "o--", color=colour, mfc="white", lw=1)
            axis.errorbar(
                place, [g.mean() for g in gains], [2 * standard_error(g) for g in gains], fmt="o-", color=colour
            )
            axis.text(place[1], 0.285, dataset, color=colour, ha="center", fontsize=8)
        axis.set(title=f"sSelect less {over}", ylim=(0, 0.3), xlabel="labels")
        axis.set_xticks([x + 3.6 * n for n in range(3) for x in range(3)], [*map(str, PRINTED_LABELS)] * 3)
    axes[0].set_ylabel("accuracy gained")
    draw_more_labels(run, axes[2])
    marks = [plt.Line2D([], [], color="black", marker="o", ls=ls, mfc=c) for ls, c in (("--", "white"), ("-", "black"))]
    axes[0].legend(marks, ["published", "measured ± 2 s.e."], loc="upper left", frameon=False, bbox_to_anchor=(0, 0.92))
    save(figure, PICTURE)


def draw_more_labels(run: Run, axis: Any) -> None:
    """Accuracy with 10 labels less with 2, of sSelect and of the Fisher score."""
    for number, dataset in enumerate(run.datasets):
        for shift, method in ((-0.18, SSELECT), (0.18, FISHER)):
            printed = published_over_laplacian(dataset, method)
            found = run.more_labels(dataset, method)
            style = {"color": METHOD_COLOURS[method], "marker": MARKS[method], "ls": ""}
            axis.plot(number + shift - 0.06, printed[-1] - printed[0], mfc="white", **style)
            axis.errorbar(number + shift + 0.06, found.mean(), 2 * standard_error(found), **style)
    axis.axhline(0, color=GREY, lw=0.8)
    axis.set_xticks(range(len(run.datasets)), run.datasets, fontsize=8)
    axis.set(title="10 labels less 2 labels", ylabel="accuracy gained")
    marks = [plt.Line2D([], [], color=METHOD_COLOURS[m], marker=MARKS[m], ls="") for m in (SSELECT, FISHER)]
    axis.legend(marks, [SSELECT, FISHER], loc="upper left", frameon=False)


def draw_curves(run: Run) -> None:
    """Figure 3: rows are data sets, columns numbers of labels."""
    figure, axes = plt.subplots(3, 3, figsize=(9.2, 7.2), layout="constrained", sharex=True, sharey="row")
    for line, dataset in zip(axes, run.datasets, strict=False):
        for axis, count in zip(line, PRINTED_LABELS, strict=True):
            for method in (SSELECT, FISHER, RANDOM_FISHER, LAPLACIAN):
                curves = run.curves(dataset, count, method)
                mean, spread = curves.mean(axis=0), 2 * np.array([standard_error(column) for column in curves.T])
                style = {"color": METHOD_COLOURS[method], "marker": MARKS[method], "ms": 4, "lw": 1.3}
                axis.plot(SIZES, mean, label=method, ls=":" if method == RANDOM_FISHER else "-", **style)
                if method != RANDOM_FISHER:
                    axis.fill_between(
                        SIZES, mean - spread, mean + spread, color=METHOD_COLOURS[method], alpha=0.15, lw=0
                    )
            axis.set_title(f"{dataset}, {count} labels", fontsize=9)
        line[0].set_ylabel("1NN accuracy")
    for axis in axes[-1]:
        axis.set_xlabel("features")
    axes[0, 0].legend(frameon=False, fontsize=8, loc="upper left")
    save(figure, "papers_sselect_curves.png")


def draw_lambda(run: Run) -> None:
    """Figures 4 and 7 (a, b): accuracy and cut value, of 10 features above, of 200 below."""
    figure, axes = plt.subplots(4, 3, figsize=(9.2, 8.6), layout="constrained", sharex=True)
    for column, dataset in zip(axes.T, run.datasets, strict=False):
        few, cut = (run.sweep(dataset, LABELS[-1], name) for name in ("few", "cut"))
        column[0].plot(LAMBDAS, few.mean(axis=0), "o-", color=BLUE)
        column[1].plot(LAMBDAS, cut.mean(axis=0), "o-", color=BLUE, label="mean")
        column[1].plot(LAMBDAS, np.median(cut, axis=0), "x--", color=GREY, label="median")
        for count, colour in LABEL_COLOURS.items():
            many = run.sweep(dataset, count, "many").mean(axis=0)
            column[2].plot(LAMBDAS, many, "o-", color=colour, label=f"{count} labels")
            column[2].plot(LAMBDAS[many.argmax()], many.max(), "o", color=colour, ms=11, mfc="none")
            column[3].plot(LAMBDAS, run.many_cuts[dataset, count].mean(axis=0), "o-", color=colour)
        column[0].set_title(dataset)
        column[3].set_xlabel("λ")
        for axis in (column[0], column[1]):
            axis.axvspan(0.1, 0.3, color=GREEN, alpha=0.12, lw=0)
    names = [f"accuracy, {FEW} features", f"cut value, {FEW} features"]
    names += [f"accuracy, {MANY} features", f"cut value, {MANY} features"]
    for axis, name in zip(axes[:, 0], names, strict=True):
        axis.set_ylabel(name)
    for axis in (*axes[1], *axes[3]):
        axis.set_yscale("symlog", linthresh=1e-6)  # 0 is a graph in pieces
        axis.set_yticks([0, 1e-6, 1e-4, 1e-2, 1])
        axis.set_ylim(-3e-7, 1)
    axes[1, 0].legend(frameon=False, fontsize=8)
    axes[2, 0].legend(frameon=False, fontsize=8)
    save(figure, "papers_sselect_lambda.png")


def draw_labels(run: Run) -> None:
    """Figures 5, 6 and 7 (c, d)."""
    figure, axes = plt.subplots(1, 3, figsize=(9.2, 3.3), layout="constrained")
    for dataset in run.datasets:
        found = [run.accuracy(dataset, count, SSELECT) for count in LABELS]
        errors = [2 * standard_error(one) for one in found]
        axes[0].errorbar(LABELS, [one.mean() for one in found], errors, fmt="o-", color=SET_COLOURS[dataset])
        shift = -0.035 if dataset == "PCMAC" else 0.024  # below its line, above the others
        axes[0].text(LABELS[-1], found[-1].mean() + shift, dataset, color=SET_COLOURS[dataset], ha="right", fontsize=8)
    axes[0].set(title="Figure 5: sSelect", xlabel="labels", ylabel="1NN accuracy")
    dataset = run.datasets[-1]
    surface = np.array([run.curves(dataset, count, SSELECT).mean(axis=0) for count in LABELS])
    image = axes[1].imshow(surface, origin="lower", aspect="auto", cmap="cividis")
    axes[1].set_xticks(range(1, len(SIZES), 2), [str(size) for size in SIZES[1::2]])
    axes[1].set_yticks(range(len(LABELS)), list(map(str, LABELS)))
    axes[1].set(title=f"Figure 6: {dataset}", xlabel="features", ylabel="labels")
    figure.colorbar(image, ax=axes[1])
    draw_terms(run, axes[2])
    save(figure, "papers_sselect_labels.png")


def draw_terms(run: Run, axis: Any) -> None:
    """The two terms of Eq. 3.8 for all words, sorted: one draw of PCMAC with 2 labels."""
    terms = run.found["PCMAC"][0]["2"]["terms"]
    tally = {float(value): number for value, number in terms["labels"].items()}
    values = np.repeat(sorted(tally), [tally[value] for value in sorted(tally)])
    places = np.linspace(0, 1, len(terms["graph"]))
    axis.plot(np.linspace(0, 1, values.size), values, color=ORANGE, label="label term")
    axis.plot(places, terms["graph"], color=BLUE, label="graph term")
    axis.set(title="Figure 7 c, d: PCMAC, 2 labels", xlabel="share of words, best first", ylabel="score")
    axis.legend(frameon=False, loc="lower right")
