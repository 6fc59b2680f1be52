"""Figures 2 to 4 of the trace ratio paper, measured. The printed ones have no numbers to draw next to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from pictures import BLUE, ORANGE, save
from trace_ratio_run import METHODS, PAIRS, Run
from trace_ratio_trials import FISHER, LAPLACIAN, RAW

COLOURS = {FISHER: BLUE, LAPLACIAN: ORANGE}
LINES = {"F": ":", "S": "-"}


def draw_accuracies(run: Run, scaling: str, file: str) -> None:
    """Figures 2 and 3: mean 1NN accuracy against the number of features, one panel for each data set."""
    figure, panels = plt.subplots(2, 4, figsize=(10, 5.2), layout="constrained")
    for panel, name in zip(panels.flat, run.datasets, strict=True):
        for method in METHODS:
            mean = run.curves(name, scaling, method).mean(axis=0)
            panel.plot(run.sizes(name), mean, label=method, **_style(method))
        panel.set_title(name, fontsize=11)
        panel.grid(alpha=0.3)
    _finish(figure, panels, "number of features", "1NN accuracy", file)


def draw_scores(run: Run, file: str) -> None:
    """Figure 4: the score of the chosen subset against its size, on UMIST, and what F's lacks."""
    figure, panels = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", squeeze=False)
    sizes = run.sizes("UMIST")
    for panel, pair in zip(panels[0], PAIRS, strict=False):
        for level in LINES:
            method = f"{level}-{pair}"
            mean = run.curves("UMIST", RAW, method, "score").mean(axis=0)
            panel.plot(sizes, mean, label=method, **_style(method))
        panel.set_title(f"score of the subset, {pair}", fontsize=11)
    for pair in PAIRS:
        ratio = run.curves("UMIST", RAW, f"F-{pair}", "score") / run.curves("UMIST", RAW, f"S-{pair}", "score")
        panels[0, 2].plot(sizes, ratio.mean(axis=0), color=COLOURS[pair])
    panels[0, 2].set_title("score of F / score of S", fontsize=11)
    for panel in panels.flat:
        panel.grid(alpha=0.3)
    _finish(figure, panels, "number of features", "score", file)


def _style(method: str) -> dict[str, Any]:
    level, pair = method.split("-", 1)
    return {"color": COLOURS[pair], "linestyle": LINES[level], "linewidth": 1.8}


def _finish(figure: Any, panels: Any, x: str, y: str, file: str) -> None:
    """One legend for all panels, names of the axes at the outside, and the file."""
    for panel in panels[-1]:
        panel.set_xlabel(x)
    for row in panels:
        row[0].set_ylabel(y)
    named = dict(zip(*_labels(panels), strict=True))
    figure.legend([named[method] for method in METHODS], METHODS, loc="outside lower center", ncols=4, frameon=False)
    save(figure, file)


def _labels(panels: Any) -> tuple[list[str], list[Any]]:
    found = [panel.get_legend_handles_labels() for panel in np.ravel(panels)]
    lines = [line for handles, _ in found for line in handles]
    return [line.get_label() for line in lines], lines
