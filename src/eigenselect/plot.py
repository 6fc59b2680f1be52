"""Pictures of a selection for matplotlib (``pip install "eigenselect[plot]"``): every function returns its Axes.

They draw the same numbers as `eigenselect.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eigenselect.evaluation import redundancy_rate
from eigenselect.reporting import views
from eigenselect.reporting.drawn_graph import DrawnGraph, picture_of
from eigenselect.reporting.inputs import checked_labels, checked_table, columns_of, names_of
from eigenselect.reporting.report import groups_of
from eigenselect.selection import feature_order, knee

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eigenselect.evaluation import AccuracyCurves

#: Okabe and Ito's colours, told apart by the colour-blind; more groups take a wheel of hues
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b4568f", "#a37b00", "#4b4b9b", "#7a4b1e", "#5c6670")
CUT = "#b4450b"


def score_curve(selector: Any, *, ax: Axes | None = None) -> Axes:
    """Scores by rank, with the number of features that the selector keeps and the knee.

    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> es.plot.score_curve(es.LaplacianScore(4).fit(scale(load_wine().data))).get_ylabel()
    'score'
    """
    check_is_fitted(selector, "ranking_")
    ax = _axes(ax)
    order = feature_order(selector)
    curve = selector.scores_[order.best_first[: order.n_ordered]]  # the others have no place on the curve
    ax.plot(np.arange(1, curve.size + 1), curve, color=COLOURS[0], marker="o" if curve.size <= 60 else "", ms=4)
    turn, kept = knee(curve), int(selector.n_features_)
    for place, what, style in ((kept, f"kept {kept}", "--"), (turn, f"knee {turn}", ":")):
        ax.axvline(place + 0.5, color=CUT, linestyle=style, label=what)
    if curve.size > 200:
        ax.set_xscale("log")
    ax.set(xlabel="rank", ylabel="score", title=f"Scores of {curve.size} features")
    ax.legend(frameon=False)
    return ax


def spectrum(selector: Any, X: Any, *, random_state: Any = 0, ax: Axes | None = None) -> Axes:
    """Smallest eigenvalues of the normalised Laplacian, with the largest gap if that stands out.

    Of the selector's own graph; of a graph of neighbours in all features where that is made of labels.
    """
    found = views.spectrum_view(
        _picture("plot.spectrum", selector, checked_table("plot.spectrum", selector, X), random_state)
    )
    values, clusters = np.array(found["eigenvalues"]), found["clusters"]
    ax = _axes(ax)
    places = np.arange(1, values.size + 1)
    colours = [COLOURS[0] if clusters is None or place <= clusters else COLOURS[7] for place in places]
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
    """Samples in the first two non-trivial eigenvectors, coloured by class, by cluster or by a feature.

    Eigenvectors that only set a handful of samples apart are passed over; the labels of the axes say which are drawn.
    Of equal eigenvalues, whose eigenvectors may be rotated at will, a basis is drawn that is the same on every machine.
    Above the picture of classes stands how many samples have their nearest neighbour in their own class, beside what
    permuted labels give. Where the selector's own graph is made of labels, neighbours in all features are drawn.

    Parameters
    ----------
    selector : fitted selector
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels; without them clusters of the graph are shown, where there are some.
    feature : int or str, optional
        Column, or its name, to colour by instead.
    random_state : int, default=0
    ax : Axes, optional
    """
    X = checked_table("plot.embedding", selector, X)
    y = checked_labels("plot.embedding", y, X.shape[0])
    column = None if feature is None else _column(selector, feature)
    picture = _picture("plot.embedding", selector, X, random_state)
    shown = views.shown_samples(picture, X.shape[0], random_state)
    found = views.embedding_view(picture, shown)
    if found is None:
        raise ValueError(
            "plot.embedding: the sample graph has no two non-trivial eigenvectors to draw: it has fewer, or so many "
            "equal eigenvalues that any picture of them would be as good."
        )
    ax, beside = _axes(ax), ""
    x, height = np.array(found["coordinates"])[found["axes"]]
    if column is not None:
        points = ax.scatter(x, height, c=columns_of(X, [column])[shown, 0], cmap="viridis", s=18)
        ax.figure.colorbar(points, ax=ax, label=_short(names_of(selector)[column]))
    else:
        groups = groups_of(selector, y, picture, X.shape[0], random_state)
        codes = groups.codes[shown]
        marks = [
            ax.scatter(x[codes == code], height[codes == code], color=_colour(code), s=18) for code in _used(codes)
        ]
        ax.legend(marks, [_short(groups.names[code]) for code in _used(codes)], frameon=False, title=groups.kind)
        told = views.class_separation(picture, found, groups, shown, random_state)
        if told is not None:
            beside = f"\n1NN {told['accuracy']:.2f}, with permuted labels {told['permuted']:.2f}"
    first, second = (found["eigenvectors"][axis] for axis in found["axes"])
    ax.set(xlabel=f"eigenvector {first}", ylabel=f"eigenvector {second}", title=f"Samples in {found['of']}{beside}")
    return ax


def accuracy_curves(curves: AccuracyCurves, *, ax: Axes | None = None) -> Axes:
    """Accuracy against the number of features, one line per selector, and always answering the largest class.

    Parameters
    ----------
    curves : AccuracyCurves
        From `eigenselect.evaluation.accuracy_curves`.
    ax : Axes, optional
    """
    ax = _axes(ax)
    spread = curves.accuracies.std(axis=2)
    for place, line in enumerate(curves.mean):
        ax.plot(curves.sizes, line, color=_colour(place), marker="o")
        ax.fill_between(
            curves.sizes, line - spread[place], line + spread[place], color=_colour(place), alpha=0.12, lw=0
        )
    ax.axhline(curves.chance, color=CUT, linestyle="--")
    ax.set(xlabel="features", ylabel="accuracy", title="Accuracy, mean and deviation over the folds", xscale="log")
    ax.set_xticks(curves.sizes, [str(size) for size in curves.sizes])
    ax.minorticks_off()
    ax.legend(ax.lines, [*map(_short, curves.names), "largest class"], frameon=False)
    return ax


def redundancy(selector: Any, X: Any, *, n_features: int | None = None, ax: Axes | None = None) -> Axes:
    """Heat map of the correlations of the best features; by default of those that the selector keeps, 30 at most."""
    X = checked_table("plot.redundancy", selector, X)
    count = min(int(selector.n_features_), views.SHOWN_CORRELATIONS) if n_features is None else n_features
    if not 2 <= count <= X.shape[1]:
        raise ValueError(f"plot.redundancy: expected 2 to {X.shape[1]} features to compare, got {count}.")
    selected = selector.ranking_.argsort()[:count]
    correlation = views.correlations(columns_of(X, selected))
    labels = [_short(name) for name in np.array(names_of(selector), dtype=object)[selected]]
    ax = _axes(ax)
    image = ax.imshow(correlation, cmap="RdBu", vmin=-1, vmax=1)
    ax.set_xticks(range(count), labels, rotation=90)
    ax.set_yticks(range(count), labels)
    ax.figure.colorbar(image, ax=ax, label="correlation")
    ax.set_title(f"Mean magnitude {redundancy_rate(columns_of(X, selected)):.2f}")
    return ax


def _axes(ax: Axes | None) -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Plots need matplotlib: pip install "eigenselect[plot]".') from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _picture(owner: str, selector: Any, X: Any, random_state: Any) -> DrawnGraph:
    picture = picture_of(selector, X, random_state)
    if picture is None:
        raise ValueError(f"{owner}: no sample of the graph has a neighbour, so there is no spectrum to draw.")
    return picture


def _used(codes: Any) -> list[int]:
    """Groups that a sample is in, in their order."""
    return [int(code) for code in np.unique(codes) if code >= 0]


def _column(selector: Any, feature: int | str) -> int:
    names = names_of(selector)
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"plot.embedding: no feature is named {feature!r}.")
        return names.index(feature)
    if not 0 <= feature < len(names):
        raise ValueError(f"plot.embedding: feature must be a column from 0 to {len(names) - 1}, got {feature}.")
    return int(feature)


def _short(name: str) -> str:
    """At most 24 characters, and no dollar that would start mathematics."""
    return (name if len(name) <= 24 else name[:23] + "…").replace("$", r"\$")


def _colour(place: int) -> Any:
    from matplotlib.colors import hsv_to_rgb

    return COLOURS[place] if place < len(COLOURS) else hsv_to_rgb([(place * 0.381966) % 1, 0.6, 0.7])
