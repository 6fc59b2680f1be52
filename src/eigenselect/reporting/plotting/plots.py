"""Draw a selection with matplotlib (``pip install "eigenselect[plot]"``): every function returns its Axes.

`eigenselect.plot` is its public path. The numbers are those of `eigenselect.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eigenselect.reporting.inputs import Fitted, check_fitted, columns_of
from eigenselect.reporting.plotting.palette import LIGHT, SHAPES, group_colour, group_shape
from eigenselect.reporting.significance import qvalues_of
from eigenselect.reporting.views.drawing import Drawing
from eigenselect.reporting.views.drawn_graph import DrawnGraph
from eigenselect.reporting.views.spectrum import spectrum_view
from eigenselect.selection import feature_order, knee
from eigenselect.selection.order import selected_best_first
from eigenselect.selection.steps import last_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: colours of groups, which the colour-blind tell apart
COLOURS = LIGHT
#: of a cut, and of what stands back
CUT, SOFT = "#b4450b", "#59636d"


def score_curve(selector: Any, *, ax: Axes | None = None) -> Axes:
    """Draw scores by rank, with the number of features that the selector keeps; without q-values also the knee.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
    ax : Axes, optional

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> es.plot.score_curve(es.LaplacianScore(4).fit(scale(load_wine().data))).get_ylabel()
    'score'
    """
    selector = last_step(selector)
    check_is_fitted(selector, "ranking_")
    ax = axes_or_new(ax)
    order = feature_order(selector)
    curve = selector.scores_[order.best_first[: order.n_ordered]]  # the others have no place on the curve
    ax.plot(np.arange(1, curve.size + 1), curve, color=COLOURS[0], marker="o" if curve.size <= 60 else "", ms=4)
    _mark_kept(ax, selector, curve)
    if qvalues_of(selector) is None:  # noise has a knee, too, and q-values say more
        turn = knee(curve)
        ax.axvline(turn + 0.5, color=CUT, linestyle=":", label=f"knee {turn}")
    if curve.size > 200:
        ax.set_xscale("log")
    ax.set(xlabel="rank", ylabel="score", title=f"Scores of {curve.size} features")
    ax.legend(frameon=False)
    return ax


def _mark_kept(ax: Axes, selector: Any, curve: Any) -> None:
    """Draw a line after the features that are kept; dots where these are not the first of the curve."""
    kept = int(selector.n_features_)
    places = selector.ranking_[selected_best_first(selector)]
    if places.size == 0 or places[-1] == places.size:
        ax.axvline(kept + 0.5, color=CUT, linestyle="--", label=f"kept {kept}")
        return
    places = places[places <= curve.size]  # others have no place on the curve
    ax.plot(places, curve[places - 1], "o", color=CUT, ms=6, fillstyle="none", label=f"kept {kept}")


def spectrum(selector: Any, X: Any, *, random_state: Any = 0, ax: Axes | None = None) -> Axes:
    """Draw the smallest eigenvalues of the normalised Laplacian, with the largest gap if that stands out.

    Of the selector's own graph; of a graph of neighbours in all features where that is made of labels.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    random_state : int, default=0
    ax : Axes, optional
    """
    drawing = Drawing(check_fitted("plot.spectrum", selector, X, random_state=random_state))
    found = spectrum_view(_graph_of("plot.spectrum", drawing))
    values, clusters = np.array(found["eigenvalues"]), found["clusters"]
    ax = axes_or_new(ax)
    places = np.arange(1, values.size + 1)
    colours = [COLOURS[0] if clusters is None or place <= clusters else SOFT for place in places]
    ax.vlines(places, 0, values, colors=colours)
    ax.scatter(places, values, c=colours)
    if clusters is not None:
        ax.axvline(clusters + 0.5, color=CUT, linestyle="--", label=f"clear gap, after {clusters}")
    else:
        ax.plot([], [], " ", label="no clear number of clusters")
    ax.set(xlabel="eigenvalue", ylabel="value", title=f"Spectrum of {found['of']}")
    ax.legend(frameon=False, loc="upper left")
    return ax


def embedding(
    selector: Any, X: Any, y: Any = None, *, feature: int | str | None = None, random_state: Any = 0,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw samples in the first two non-trivial eigenvectors, coloured by class, by cluster or by a feature.

    Eigenvectors that only set a handful of samples apart are passed over; the labels of the axes say which are drawn.
    Of equal eigenvalues, whose eigenvectors may be rotated at will, a basis is drawn that is the same on every machine.
    Above the picture of classes stands how many samples have their nearest neighbour in their own class, beside what
    permuted labels give. Where the selector's own graph is made of labels, neighbours in all features are drawn.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels; without them clusters of the graph are shown, where there are some.
    feature : int or str, optional
        Column that the selector saw, or its name, to colour by instead.
    random_state : int, default=0
    ax : Axes, optional
    """
    fitted = check_fitted("plot.embedding", selector, X, y, random_state=random_state)
    column = None if feature is None else _column(fitted, feature)
    drawing = Drawing(fitted)
    _graph_of("plot.embedding", drawing)
    found = drawing.embedding
    if found is None:
        raise ValueError(
            "plot.embedding: the sample graph has no two non-trivial eigenvectors to draw: it has fewer, or so many "
            "equal eigenvalues that any picture of them would be as good."
        )
    ax, beside = axes_or_new(ax), ""
    across, up = np.array(found["coordinates"])[found["axes"]]
    if column is not None:
        points = ax.scatter(across, up, c=columns_of(fitted.X, [column])[drawing.shown, 0], cmap="viridis", s=18)
        ax.figure.colorbar(points, ax=ax, label=short_name(fitted.names[column]))
    else:
        _scatter_groups(ax, across, up, drawing)
        beside = _separation_line(drawing)
    first, second = (found["eigenvectors"][axis] for axis in found["axes"])
    ax.set(xlabel=f"eigenvector {first}", ylabel=f"eigenvector {second}", title=f"Samples in {found['of']}{beside}")
    return ax


def _scatter_groups(ax: Axes, across: Any, up: Any, drawing: Drawing) -> None:
    """Draw each group of samples in its colour, with a legend."""
    groups, codes = drawing.groups, drawing.groups.codes[drawing.shown]
    used = [int(code) for code in np.unique(codes) if code >= 0]
    marks = [
        ax.scatter(
            across[codes == code], up[codes == code], color=group_colour(code), marker=SHAPES[group_shape(code)], s=18
        )
        for code in used
    ]
    ax.legend(marks, [short_name(groups.names[code]) for code in used], frameon=False, title=groups.kind)


def _separation_line(drawing: Drawing) -> str:
    """Write how far the plane tells classes apart, as a second line of a title."""
    told = drawing.separation
    return "" if told is None else f"\n1NN {told['accuracy']:.2f}, with permuted labels {told['permuted']:.2f}"


def axes_or_new(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the Axes that were given, else new ones, so many inches wide and high; say what to install."""
    return ax if ax is not None else _pyplot().subplots(figsize=size, layout="constrained")[1]


def grid_of_axes(count: int, across: int, *, width: float) -> list[Axes]:
    """Make a figure with a number of square places, so many in a row, each so many inches wide."""
    down = -(-count // across)
    size = (width * across, width * down)
    figure, grid = _pyplot().subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for spare in grid.ravel()[count:]:
        figure.delaxes(spare)
    return list(grid.ravel()[:count])


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Plots need matplotlib: pip install "eigenselect[plot]".') from error
    return plt


def _graph_of(owner: str, drawing: Drawing) -> DrawnGraph:
    """Return the drawn graph; refuse one without edges."""
    if drawing.graph is None:
        raise ValueError(f"{owner}: no sample of the graph has a neighbour, so there is no spectrum to draw.")
    return drawing.graph


def _column(fitted: Fitted, feature: int | str) -> int:
    """Find a column by its place or name."""
    names = list(fitted.names)
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"plot.embedding: no feature is named {feature!r}.")
        return names.index(feature)
    if not 0 <= feature < len(names):
        raise ValueError(f"plot.embedding: feature must be a column from 0 to {len(names) - 1}, got {feature}.")
    return int(feature)


def short_name(name: str) -> str:
    """Shorten a name to 24 characters, without a dollar that would start mathematics."""
    return (name if len(name) <= 24 else name[:23] + "…").replace("$", r"\$")
