"""Draw clustered tables with matplotlib: heat map, dot plot and redundancy; `eigenselect.plot` is the public path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation.correlations import mean_correlation, unit_columns
from eigenselect.reporting.inputs import Fitted, check_fitted, columns_of
from eigenselect.reporting.plotting.palette import group_colour
from eigenselect.reporting.plotting.style import (
    INK,
    NO_COLOUR,
    SMALL,
    SOFT,
    axes_or_new,
    colour_key,
    plain_name,
    styled,
    width_of,
    write_title,
)
from eigenselect.reporting.views.dot_plot import LEAST_GROUPS, dots_view
from eigenselect.reporting.views.drawing import Drawing
from eigenselect.reporting.views.groups import Groups
from eigenselect.reporting.views.near_copies import find_copies
from eigenselect.reporting.views.shown_table import LIMIT, MOST_FEATURES, NO_VALUE, STEP, ShownTable, shown_table
from eigenselect.selection.order import selected_best_first

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

#: from low to high, as on the page: blue, nearly white, orange
DIVERGING = ("#084594", "#5ca0d1", "#f6f6f4", "#f4a259", "#993900")
#: inches of a row, of a key at the right, and of the key of a dot plot
ROW, KEY, AREA_KEY = 0.19, 1.0, 3.6
#: samples that are named one by one
NAMED_SAMPLES = 60
#: points² of the largest dot
LARGEST_DOT = 130.0
#: shares in the key of a dot plot
KEY_SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)


@styled
def heat_map(
    selector: Any, X: Any, y: Any = None, *, n_features: int | None = None,
    feature_names: Sequence[str] | None = None, random_state: Any = 0, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    r"""Draw the best features on the samples as a clustered heat map of z-scores.

    .. math:: z = \frac{f - \bar f}{\mathrm{sd}(f)}

    over all samples; colours end at ±2.5, and constant features are grey. Features that are alike stand together, near-
    copies always; samples are sorted by group, and within a group by likeness. Of more than 300 samples some are drawn
    at random, equally many of each group. Features that were chosen with labels differ between classes also in noise,
    and sorting makes blocks of noise, too: held-out accuracy says whether a difference lasts.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
        Says which features are the best.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels; without them clusters of the graph are the groups, where there are some.
    n_features : int, optional
        So many of the best; by default those that are kept, 50 at most.
    feature_names : sequence of str, optional
        Names of the columns of X; by default its own.
    random_state : int, default=0
        For clusters, and for samples drawn at random.
    ax : Axes, optional
        Where to draw; by default in a new figure that is large enough for all names.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    dot_plot : The same features, one row per group of samples.
    redundancy : Correlations of the same features.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> es.plot.heat_map(es.FisherScore(4).fit(X, y), X, y).get_title()
    '4 features, 178 samples'
    """
    fitted = check_fitted("plot.heat_map", selector, X, y, feature_names, random_state)
    groups = Drawing(fitted).groups
    shown = _clustered(fitted, _features("plot.heat_map", fitted, n_features, 1), groups)
    names = [plain_name(fitted.names[column]) for column in shown.columns]
    above = width_of(map(plain_name, groups.names)) if len(groups.names) > 1 else 0.0
    width = min(6.5, 1.0 + 0.06 * shown.rows.size) + KEY + width_of(names)
    samples = _named_samples(fitted, shown)
    height = 1.2 + ROW * len(names) + width_of(samples, SMALL)
    ax = axes_or_new(ax, (width + above / 2, height + above / 1.4))  # names of groups may be slanted
    z = np.ma.masked_equal(shown.steps, NO_VALUE) * STEP
    mesh = _cells(ax, z, LIMIT)
    ax.set_yticks(np.arange(len(names)) + 0.5, names)
    _group_bar(ax, groups, shown)
    _sample_names(ax, samples)
    colour_key(ax, mesh, "z-score", 0.5 + ROW * len(names), extend="both")
    whole = "" if shown.rows.size == groups.codes.size else f" of {groups.codes.size}"
    write_title(
        ax,
        f"{len(names)} feature{'' if len(names) == 1 else 's'}, {shown.rows.size}{whole} samples",
        wide=width - width_of(names),
    )
    return ax


@styled
def dot_plot(
    selector: Any, X: Any, y: Any = None, *, n_features: int | None = None,
    feature_names: Sequence[str] | None = None, random_state: Any = 0, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the best features by group: the mean z-score as colour, the share of high values as area.

    High is what is not zero in tables like counts, else what is above the median of all samples; the key says which.
    Features stand in the order of `heat_map`, and what is said there of noise holds here.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
        Says which features are the best.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels; without them clusters of the graph are the groups. There must be more than two.
    n_features : int, optional
        So many of the best; by default those that are kept, 50 at most.
    feature_names : sequence of str, optional
        Names of the columns of X; by default its own.
    random_state : int, default=0
        For clusters, and for the samples by which features are sorted.
    ax : Axes, optional
        Where to draw; by default in a new figure that is large enough for all names.

    Returns
    -------
    Axes
        What was drawn on.

    Raises
    ------
    ValueError
        If there are fewer than three groups.

    See Also
    --------
    heat_map : Every sample by itself.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ax = es.plot.dot_plot(es.FisherScore(4).fit(X, y), X, y)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0', '1', '2']
    """
    fitted = check_fitted("plot.dot_plot", selector, X, y, feature_names, random_state)
    groups = Drawing(fitted).groups
    shown = _clustered(fitted, _features("plot.dot_plot", fitted, n_features, 1), groups)
    view = dots_view(fitted, shown.columns, groups)
    if view is None:
        raise ValueError(
            f"plot.dot_plot: expected at least {LEAST_GROUPS} classes or clusters, got {groups.count}; plot.heat_map "
            "shows fewer."
        )
    mean, share = np.array(view["mean"]), np.array(view["share"])
    rows, columns = [plain_name(groups.names[code]) for code in view["group"]], list(map(plain_name, view["features"]))
    width = KEY + 0.5 + width_of(rows) + max(AREA_KEY, 1.3 * ROW * len(columns))
    ax = axes_or_new(ax, (width, 1.3 + 1.4 * ROW * len(rows) + width_of(columns)))
    dots = _dots(ax, mean, share)
    colour_key(ax, dots, "mean z-score", 0.4 + 1.4 * ROW * len(rows), extend="both")
    ax.set_xticks(range(len(columns)), columns, rotation=90)
    ax.set_yticks(range(len(rows)), rows)
    ax.set(xlim=(-0.7, len(columns) - 0.3), ylim=(len(rows) - 0.4, -0.6))
    _area_key(ax, view["share_of"])
    return ax


@styled
def redundancy(
    selector: Any, X: Any, *, n_features: int | None = None, feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the correlations of the best features, in the order of `heat_map`, with groups of near-copies outlined.

    Near-copies are connected by correlations of at least 0.9 in magnitude, with each other or through other features.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
        Says which features are the best.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    n_features : int, optional
        So many of the best; by default those that are kept, 50 at most.
    feature_names : sequence of str, optional
        Names of the columns of X; by default its own.
    ax : Axes, optional
        Where to draw; by default in a new figure that is large enough for all names.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    eigenselect.evaluation.redundancy_rate : The mean magnitude of the title, as a number.
    eigenselect.evaluation.near_copies : Dropped features that are nearly copies of selected ones.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> es.plot.redundancy(es.FisherScore(4).fit(X, y), X).get_title()
    'Mean magnitude 0.42'
    """
    fitted = check_fitted("plot.redundancy", selector, X, feature_names=feature_names)
    features = _features("plot.redundancy", fitted, n_features, 2)
    everyone = Groups("cluster", ["all samples"], np.zeros(fitted.X.shape[0], dtype=np.intp), 1)
    shown, codes = _clustered(fitted, features, everyone), find_copies(fitted, features).codes
    names = [plain_name(fitted.names[column]) for column in shown.columns]
    named, side = width_of(names), max(1.4, ROW * len(names))
    if ax is None:  # so large that cells are about square: a layout of names around exact squares would cut names
        ax = axes_or_new(None, (side + named + KEY + 0.4, side + named + 0.6))
    else:
        ax.set_aspect("equal")
    mesh = _cells(ax, np.ma.masked_invalid(shown.correlation), 1.0)
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90)
    ax.set_yticks(np.arange(len(names)) + 0.5, names)
    _outline(ax, codes[shown.columns])
    colour_key(ax, mesh, "correlation", side)
    write_title(
        ax, f"Mean magnitude {mean_correlation(unit_columns(columns_of(fitted.X, features))):.2f}", wide=side + KEY
    )
    return ax


def _features(owner: str, fitted: Fitted, n_features: int | None, least: int) -> IntArray:
    """Return the features to draw, best first: so many of the ranking, or those that are kept."""
    kept, count = selected_best_first(fitted.selector)[:MOST_FEATURES], n_features
    count = kept.size if count is None else count
    if not least <= count <= fitted.X.shape[1]:
        most = fitted.X.shape[1]
        wanted = f"{least} to {most}" if most > least else f"at least {least}"
        raise ValueError(f"{owner}: expected {wanted} features to compare, got {count}.")
    return kept if n_features is None else fitted.selector.ranking_.argsort()[:count]


def _clustered(fitted: Fitted, features: IntArray, groups: Groups) -> ShownTable:
    return shown_table(fitted, features, find_copies(fitted, features).codes, groups)


def _cells(ax: Axes, values: Any, limit: float) -> Any:
    """Draw a table as coloured cells, the first row on top; as vectors, without seams between the cells."""
    mesh = ax.pcolormesh(values, cmap=diverging(), vmin=-limit, vmax=limit, edgecolors="face", linewidth=0.05)
    ax.set_facecolor("none")
    ax.invert_yaxis()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return mesh


def _group_bar(ax: Axes, groups: Groups, shown: ShownTable) -> None:
    """Draw a bar above the cells in the colours of the groups, with their names above it."""
    codes = groups.codes[shown.rows]
    starts = np.flatnonzero(np.diff(codes, prepend=-2))
    ends = np.append(starts[1:], codes.size)
    ax.xaxis.tick_top()
    if starts.size < 2:
        ax.set_xticks([])
        return
    tall = 0.02 * len(shown.columns) + 0.35
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        colour = group_colour(int(codes[start])) if codes[start] >= 0 else NO_COLOUR
        ax.broken_barh([(start, end - start)], (-1.4 * tall, tall), color=colour, clip_on=False)
        ax.axvline(start, color="white", lw=1.2 if start else 0)
    names = [plain_name(groups.names[code]) if code >= 0 else "in no group" for code in codes[starts]]
    crowded = any(len(name) > 0.11 * (end - start) + 4 for name, start, end in zip(names, starts, ends, strict=True))
    turned: dict[str, Any] = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"} if crowded else {}
    ax.set_xticks((starts + ends) / 2, names, **turned)
    ax.tick_params(axis="x", pad=3 if crowded else 1)
    ax.set_ylim(len(shown.columns), -1.5 * tall)


def _sample_names(ax: Axes, names: list[str]) -> None:
    """Name the samples below the cells."""
    if not names:
        return
    below = ax.secondary_xaxis("bottom")
    below.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90, fontsize=SMALL)
    below.tick_params(length=0)
    below.spines[:].set_visible(False)


def _dots(ax: Axes, mean: FloatArray, share: FloatArray) -> Any:
    limit = float(np.clip(np.ceil(2 * np.nanmax(np.abs(mean), initial=0.0)) / 2, 0.5, LIMIT))
    up, across = np.indices(mean.shape)
    return ax.scatter(
        across.ravel(), up.ravel(), s=LARGEST_DOT * share.ravel(), c=mean.ravel(), cmap=diverging(), vmin=-limit,
        vmax=limit, edgecolors=SOFT, linewidths=0.4, plotnonfinite=True,
    )  # fmt: skip


def _area_key(ax: Axes, share_of: str) -> None:
    """Say above the dots which area stands for which share."""
    for share in KEY_SHARES:
        ax.scatter([], [], s=LARGEST_DOT * share, color=SOFT, label=f"{share:.0%}")
    ax.legend(
        title=f"share {share_of}", ncols=len(KEY_SHARES), loc="lower left", bbox_to_anchor=(0, 1.01),
        handletextpad=0.2, columnspacing=1.0, alignment="left",
    )  # fmt: skip


def _outline(ax: Axes, codes: IntArray) -> None:
    """Outline groups of more than one of the features that are shown, and number them."""
    from matplotlib.patches import Rectangle

    for number in np.unique(codes[codes > 0]):
        places = np.flatnonzero(codes == number)
        if places.size > 1:
            corner, size = (int(places[0]), int(places[0])), int(places.size)
            ax.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=INK, lw=1.2, clip_on=False))
            ax.text(codes.size + 0.4, places.mean() + 0.5, f"group {number}", va="center", fontsize=SMALL)


def _named_samples(fitted: Fitted, shown: ShownTable) -> list[str]:
    """Return the names of the samples where they are few and have names."""
    if fitted.sample_names is None or shown.rows.size > NAMED_SAMPLES:
        return []
    return [plain_name(str(fitted.sample_names[row])) for row in shown.rows]


def diverging() -> Colormap:
    """Return the colours of the page's heat maps, with the grey of what has no value."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("eigenselect", DIVERGING).with_extremes(bad=NO_COLOUR)
