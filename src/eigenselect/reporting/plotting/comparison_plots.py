"""Draw a comparison of methods with matplotlib: accuracies and the features that methods keep.

`eigenselect.plot` is its public path. Everything is drawn as lines, areas and text, so that svg and pdf stay sharp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.evaluation import AccuracyCurves
from eigenselect.reporting.plotting.palette import SHAPES, group_colour, group_shape
from eigenselect.reporting.plotting.style import (
    CUT,
    SMALL,
    SOFT,
    axes_or_new,
    colour_key,
    plain_name,
    styled,
    width_of,
    write_title,
)
from eigenselect.reporting.report import Report
from eigenselect.reporting.summary import ComparisonSummary, ConsensusView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: lines that tell methods apart without colour
DASHES = ("-", (0, (6, 2)), (0, (1.5, 2)), (0, (7, 2, 1.5, 2)), (0, (3, 1.5)), (0, (10, 2)))
#: inches of a row and a column of the consensus, and of what stands right of and above them
ROW, COLUMN, AROUND = 0.26, 0.5, (2.4, 1.2)


@styled
def accuracy_curves(curves: AccuracyCurves | Report | ComparisonSummary, *, ax: Axes | None = None) -> Axes:
    """Draw accuracy against the number of features, one line per selector, from 0 to 1.

    Names stand at the ends of the lines, bars are deviations over the folds, the dashed line is always answering the
    largest class. Of a comparison, the grey band holds what permuted labels gave.

    Parameters
    ----------
    curves : AccuracyCurves, Report or its summary
        From `eigenselect.evaluation.accuracy_curves` or `eigenselect.reporting.compare`.
    ax : Axes, optional
        Where to draw; by default in a new figure, wide enough for all names.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    eigenselect.evaluation.accuracy_curves : Measures the curves.
    consensus : Which features the methods of a comparison keep.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> curves = es.evaluation.accuracy_curves({"fisher": es.FisherScore()}, scale(X), y, [1, 5])
    >>> [text.get_text() for text in es.plot.accuracy_curves(curves).texts]
    ['fisher', 'largest class']
    """
    found = _curves_of(curves)
    ax = axes_or_new(ax, (5.2 + width_of([*map(plain_name, found.names), "permuted labels"]), 4.4))
    places = [_draw_line(ax, found, place) for place in range(len(found.names))]
    if found.permuted is not None:
        _draw_band(ax, found.sizes, found.permuted)
    ax.axhline(found.chance, color=CUT, linestyle="--", lw=1.2)
    ax.set(xlabel="features", ylabel="accuracy", xscale="log", ylim=(0.0, 1.0), yticks=np.linspace(0, 1, 6))
    write_title(ax, "Accuracy, mean and deviation over the folds")
    ax.set_xticks(found.sizes, [str(size) for size in found.sizes])
    ax.minorticks_off()
    _label_ends(ax, found, places)
    return ax


def _draw_line(ax: Axes, found: _Curves, place: int) -> FloatArray:
    """Draw one method with bars, a little aside so that bars at one size do not hide each other; return where."""
    mean, spread = found.mean[place], found.spread[place]
    step = min(0.012, 0.08 / len(found.names)) * np.log(2 * found.sizes[-1] / found.sizes[0])
    across = found.sizes * np.exp(step * (place - (len(found.names) - 1) / 2))
    ax.errorbar(
        across,
        mean,
        # lists: matplotlib 3.10.0 takes an array of one for a number
        yerr=[np.minimum(spread, mean).tolist(), np.minimum(spread, 1.0 - mean).tolist()],
        color=group_colour(place),
        linestyle=DASHES[place % len(DASHES)] if found.sizes.size > 1 else "none",
        marker=SHAPES[group_shape(place)],
        ms=5,
        elinewidth=1,
    )
    if found.sizes.size == 1:
        ax.set_xlim(found.sizes[0] / 1.2, found.sizes[0] * 1.2)
    return np.asarray(across)


@dataclass(frozen=True)
class _Curves:
    """What is drawn: a row per method, a column per size; the range of permuted accuracies where it is known."""

    names: Sequence[str]
    sizes: Any
    mean: FloatArray
    spread: FloatArray
    chance: float
    permuted: FloatArray | None


def _curves_of(given: AccuracyCurves | Report | ComparisonSummary) -> _Curves:
    """Read accuracies from curves or from a comparison."""
    if isinstance(given, AccuracyCurves):
        return _Curves(given.names, given.sizes, given.mean, given.accuracies.std(axis=2), given.chance, None)
    summary = comparison_of(given, "plot.accuracy_curves")
    sizes, methods = list(summary["best"]), summary["methods"]

    def rows(key: str) -> FloatArray:
        return np.array([[facts[key][size] for size in sizes] for facts in methods.values()])  # type: ignore[literal-required]

    permuted = np.array([summary["permuted_range"][size] for size in sizes])
    numbers = np.array([int(size) for size in sizes])
    return _Curves(list(methods), numbers, rows("accuracy"), rows("accuracy_deviation"), summary["chance"], permuted)


def comparison_of(given: Any, owner: str) -> ComparisonSummary:
    """Return the summary of a comparison, of a report or as it is; refuse any other."""
    summary: Any = getattr(given, "summary", given)
    if not isinstance(summary, dict) or summary.get("kind") != "comparison":
        raise TypeError(
            f"{owner}: expected what eigenselect.reporting.compare returns, or its summary, got {type(given).__name__}"
            f"{' of a ranking' if isinstance(summary, dict) else ''}."
        )
    return summary  # type: ignore[return-value]


def _draw_band(ax: Axes, sizes: Any, permuted: FloatArray) -> None:
    """Shade what permuted labels gave; over all of the width where there is one size only."""
    if sizes.size > 1:
        ax.fill_between(sizes, permuted[:, 0], permuted[:, 1], color=SOFT, alpha=0.2, lw=0)
    else:
        ax.axhspan(permuted[0, 0], permuted[0, 1], color=SOFT, alpha=0.2, lw=0)


def _label_ends(ax: Axes, found: _Curves, places: Sequence[FloatArray]) -> None:
    """Write every name at the right, none over another, with a line from what it names."""
    ends = []
    for place, mean in enumerate(found.mean):
        known = np.flatnonzero(~np.isnan(mean))
        if known.size:
            ends.append(
                (mean[known[-1]], places[place][known[-1]], plain_name(found.names[place]), group_colour(place))
            )
    if found.permuted is not None and not np.isnan(found.permuted[-1]).any():
        ends.append((float(found.permuted[-1].mean()), found.sizes[-1], "permuted labels", SOFT))
    ends.append((found.chance, None, "largest class", CUT))
    height = ax.get_figure().get_size_inches()[1] * 0.75  # type: ignore[union-attr]
    heights = spread_out([end[0] for end in ends], 12.5 / 72 / height, 0.0, 1.0)
    for (value, size, words, colour), at in zip(ends, heights, strict=True):
        ax.annotate(
            words,
            xy=(1.0, value) if size is None else (size, value),
            xycoords=ax.get_yaxis_transform() if size is None else "data",
            xytext=(1.05, at),
            textcoords=ax.get_yaxis_transform(),
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.8, "relpos": (0, 0.5), "shrinkA": 1},
            annotation_clip=False,
        )


def spread_out(wanted: Sequence[float], gap: float, low: float = -np.inf, high: float = np.inf) -> FloatArray:
    """Move numbers apart, as little as their order allows, so that neighbours differ by a gap; then between two ends.

    The squares of the moves are least: numbers in runs that touch are moved together, to the mean of what they want.

    >>> spread_out([0.5, 0.5, 0.0], 0.1)
    array([0.45, 0.55, 0.  ])
    >>> spread_out([0.5, 0.5], 0.1, 0.0, 0.5)
    array([0.4, 0.5])
    """
    order, count = np.argsort(wanted, kind="stable"), len(wanted)
    runs: list[list[float]] = []  # what the members of each run want, but for the gaps before them
    for place, number in enumerate(np.asarray(wanted, dtype=np.float64)[order]):
        runs.append([number - gap * place])
        while len(runs) > 1 and np.mean(runs[-2]) > np.mean(runs[-1]):
            last = runs.pop()
            runs[-1] += last
    steps = gap * np.arange(count)
    moved = np.concatenate([np.full(len(run), np.mean(run)) for run in runs]) + steps
    moved = np.maximum(np.minimum(moved, high - steps[::-1]), low + steps)
    result = np.empty(count)
    result[order] = moved
    return result


@styled
def consensus(comparison: Report | ComparisonSummary, *, ax: Axes | None = None) -> Axes:
    """Draw which features which methods keep: features by the number of methods, with their ranks in the cells.

    The title says how many features all methods keep, beside the mean for selections at random and for permuted labels.

    Parameters
    ----------
    comparison : Report or its summary
        From `eigenselect.reporting.compare`.
    ax : Axes, optional
        Where to draw; by default in a new figure, as large as the names and cells need.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    eigenselect.reporting.compare : Makes the comparison.
    accuracy_curves : How well the methods' features predict.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import compare
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> methods = {"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}
    >>> drawn = es.plot.consensus(compare(methods, scale(X), y, n_features=3, sizes=[3]))
    >>> [label.get_text() for label in drawn.get_xticklabels()]
    ['fisher', 'laplacian']
    """
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import MaxNLocator

    summary = comparison_of(comparison, "plot.consensus")
    view, methods = summary["consensus"], list(summary["methods"])
    ranks = np.array([view["ranks"][name] for name in methods], dtype=np.float64).T.reshape(-1, len(methods))
    wide, tall = AROUND[0] + COLUMN * len(methods), max(1.6, ROW * len(ranks))
    named, above = width_of(map(plain_name, view["feature"])), width_of(map(plain_name, methods))
    ax = axes_or_new(ax, (max(5.0, wide + named), AROUND[1] + above + tall))
    shades = LinearSegmentedColormap.from_list("ranks", ["#85b5da", "#eef5fb"])  # black is readable on all of them
    cells = ax.pcolormesh(
        np.ma.masked_invalid(ranks), cmap=shades, vmin=1, vmax=max(2, summary["n_selected"]), edgecolors="white", lw=1.5
    )
    for (row, column), rank in np.ndenumerate(ranks):
        if not np.isnan(rank):
            ax.text(column + 0.5, row + 0.5, f"{rank:g}", ha="center", va="center", fontsize=SMALL, color="black")
    _name_sides(ax, methods, view)
    colour_key(ax, cells, "rank where kept", tall, ticks=MaxNLocator(5, integer=True))
    write_title(ax, *_consensus_title(summary), wide=max(wide, 5.0 - named) - 0.6)
    return ax


def _name_sides(ax: Axes, methods: Sequence[str], view: ConsensusView) -> None:
    """Name features at the left, methods above, and at the right how many methods keep each feature."""
    middles = np.arange(len(view["feature"])) + 0.5
    ax.set_yticks(middles, [plain_name(name) for name in view["feature"]])
    ax.set_xticks(np.arange(len(methods)) + 0.5, [plain_name(name) for name in methods], rotation=90)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    counts = ax.secondary_yaxis("right")
    counts.set_yticks(middles, [f"{count} of {len(methods)}" for count in view["count"]], fontsize=SMALL)
    counts.tick_params(length=0)
    counts.spines["right"].set_visible(False)


def _consensus_title(summary: ComparisonSummary) -> tuple[str, str]:
    """Say what all keep, beside chance."""
    counts = summary["consensus"]["at_least"][0]
    found = f"{counts['n_features']} feature{' is' if counts['n_features'] == 1 else 's are'}"
    return (
        f"{found} kept by all {counts['n_methods']} methods",
        f"at random {counts['random']:.1f}, with permuted labels {counts['permuted']:.1f}",
    )
