"""The pictures of the section on EVSC: Tables 2 to 5, and Figures 2 to 5, drawn from the trials."""

from __future__ import annotations

import numpy as np
import published
from evsc_run import JACCARD, ONE_NEIGHBOUR, TITLES, Run
from evsc_trials import ACCURACY, BEST, EVSC_NAME, LAPLACIAN, LEADING, METHODS, RANDOM, RAW, SIZES, SPEC_NAME, WORST
from matplotlib import pyplot as plt
from pictures import BLUE, GREEN, GREY, ORANGE, STYLE, save

COLOURS = {LAPLACIAN: ORANGE, SPEC_NAME: GREEN, EVSC_NAME: BLUE, RANDOM: GREY}
MARKS = {LAPLACIAN: "s", SPEC_NAME: "^", EVSC_NAME: "o", RANDOM: ""}
PICTURE = "papers_evsc.png"
NAMES = {ACCURACY: "clustering accuracy", JACCARD: "Jaccard score"}


def draw(run: Run) -> None:
    """Write all pictures."""
    with plt.rc_context(STYLE):
        draw_tables(run)
        draw_curves(run)
        draw_turning(run)
        draw_good_and_bad(run)


def draw_tables(run: Run) -> None:
    """Published hollow, measured full; the Jaccard score with one neighbour as a cross."""
    figure, axes = plt.subplots(1, 4, figsize=(9.2, 3.5), layout="constrained", sharey=True)
    for axis, (number, (title, measure, end)) in zip(axes, TITLES.items(), strict=True):
        for group, dataset in enumerate(run.printed):
            for column, method in enumerate(METHODS):
                place, style = group + 0.27 * (column - 1), {"color": COLOURS[method], "ms": 6}
                old = published.EVSC_TABLES[number][dataset][column]
                new = run.mean(measure, end, dataset, method)
                axis.plot([place, place], [old, new], color=COLOURS[method], lw=0.8, alpha=0.6)
                axis.plot(place, old, MARKS[method], mfc="white", **style)
                axis.plot(place, new, MARKS[method], **style)
                if measure == JACCARD:
                    axis.plot(place, run.mean(ONE_NEIGHBOUR, end, dataset, method), "x", **style)
        axis.set_xticks(range(len(run.printed)), run.printed)
        axis.set_title(title.replace(": ", ":\n").replace(", ", ",\n"), fontsize=9)
    axes[0].set_ylim(-0.02, 1.02)
    handles = [plt.Line2D([], [], color=COLOURS[name], marker=MARKS[name], ls="") for name in METHODS]
    handles += [plt.Line2D([], [], color="black", marker="o", ls="", mfc=c) for c in ("white", "black")]
    handles += [plt.Line2D([], [], color="black", marker="x", ls="")]
    names = [*METHODS, "published", "measured", "measured, 1 neighbour"]
    figure.legend(handles, names, loc="outside lower center", ncols=6, frameon=False)
    save(figure, PICTURE)


def draw_curves(run: Run) -> None:
    """Figures 2 and 3: a column per set, accuracy above and Jaccard score below."""
    figure, axes = plt.subplots(2, 5, figsize=(9.6, 4.6), layout="constrained", sharex=True, sharey="row")
    for column, dataset in zip(axes.T, run.datasets, strict=False):
        for axis, measure in zip(column, NAMES, strict=True):
            for name in (*METHODS, RANDOM):
                curve = run.curves(measure, BEST, dataset, name).mean(axis=0)
                style = {"color": COLOURS[name], "marker": MARKS[name], "ms": 3, "lw": 1.2}
                axis.plot(
                    SIZES,
                    curve,
                    ls="--" if name == RANDOM else "-",
                    label="random features" if name == RANDOM else name,
                    **style,
                )
        column[0].set_title(dataset)
        column[0].axvline(1300, color=GREY, lw=0.6, ls=":")
        column[1].set_xlabel("features")
    for axis, name in zip(axes[:, 0], NAMES.values(), strict=True):
        axis.set_ylabel(name)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    save(figure, "papers_evsc_curves.png")


def draw_turning(run: Run) -> None:
    """Figure 4: EVSC scores, relative to the first, with accuracy and Jaccard score; the turning points as lines."""
    figure, axes = plt.subplots(1, 5, figsize=(9.6, 2.9), layout="constrained", sharey=True)
    for axis, dataset in zip(axes, run.datasets, strict=False):
        known = run.facts[dataset, RAW]
        scores = np.array(known["scores"])
        axis.plot(np.linspace(1, LEADING, scores.size), scores / scores[0], color="black", label="EVSC score")
        for measure, colour in ((ACCURACY, BLUE), (JACCARD, ORANGE)):
            curve = run.curves(measure, BEST, dataset, EVSC_NAME).mean(axis=0)
            axis.plot(SIZES, curve, color=colour, marker="o", ms=3, label=NAMES[measure])
        axis.axvline(known["turning point"]["leading"], color=GREEN, lw=1.2, label="knee, leading 2000")
        axis.axvline(known["turning point"]["all"], color=GREEN, lw=1.2, ls="--", label="knee, all features")
        axis.set(title=dataset, xlabel="features", xlim=(0, LEADING), ylim=(0, 1.02))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    save(figure, "papers_evsc_turning.png")


def draw_good_and_bad(run: Run) -> None:
    """Figure 5: good features as full lines, bad ones dashed, for GLIOMA, in the place of GLA-BRA, and TOX."""
    shown = [dataset for dataset in ("GLIOMA", "TOX") if dataset in run.found]
    figure, axes = plt.subplots(4, 3, figsize=(9.2, 7.4), layout="constrained", sharex=True, sharey="row")
    for number, (measure, dataset) in enumerate((m, d) for m in NAMES for d in shown):
        for axis, name in zip(axes[number], METHODS, strict=True):
            for end, style in ((BEST, "-"), (WORST, "--")):
                curve = run.curves(measure, end, dataset, name).mean(axis=0)
                label = "good features" if end == BEST else "bad features"
                axis.plot(SIZES, curve, style, color=COLOURS[name], marker=MARKS[name], ms=3, label=label)
            axis.set_title(f"{dataset}, {name}", fontsize=9)
        axes[number, 0].set_ylabel(NAMES[measure])
    for axis in axes[-1]:
        axis.set_xlabel("features")
    axes[0, 0].legend(frameon=False, fontsize=8)
    save(figure, "papers_evsc_good_bad.png")
