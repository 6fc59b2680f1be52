"""Draw a selection with matplotlib (``pip install "eigenselect[plot]"``): every function returns its Axes.

`eigenselect.plot` is its public path. The numbers are those of `eigenselect.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect.reporting.inputs import Fitted, check_fitted, columns_of
from eigenselect.reporting.plotting.palette import SHAPES, group_colour, group_shape
from eigenselect.reporting.plotting.style import (
    COLOURS,
    CUT,
    SIZE,
    SOFT,
    axes_or_new,
    colour_key,
    key_beside,
    plain_name,
    styled,
    width_of,
    write_title,
)
from eigenselect.reporting.views.drawing import Drawing
from eigenselect.reporting.views.drawn_graph import DrawnGraph
from eigenselect.reporting.views.spectrum import spectrum_view

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: inches of a line of a key
LINE = 0.2


@styled
def spectrum(selector: Any, X: Any, *, random_state: Any = 0, ax: Axes | None = None) -> Axes:
    """Draw the smallest eigenvalues of the normalised Laplacian, with the largest gap if that stands out.

    Of the selector's own graph; of a graph of neighbours in all features where that is made of labels.

    Parameters
    ----------
    selector : fitted selector, or a fitted pipeline that ends in one
        Its graph is drawn.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    random_state : int, default=0
        For the eigensolver, and for samples drawn at random from large tables.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    embedding : The samples in the eigenvectors.
    eigenselect.graph.eigengap : Counts the eigenvalues before the largest gap, whether it stands out or not.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X = scale(load_wine().data)
    >>> ax = es.plot.spectrum(es.LaplacianScore(4).fit(X), X)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['clear gap, after 3']
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
    ax.set(xlabel="eigenvalue", ylabel="value")
    write_title(ax, f"Spectrum of {found['of']}")
    ax.legend(loc="upper left", frameon=True, framealpha=1.0, edgecolor="none")  # eigenvalues rise
    return ax


@styled
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
        Its graph is drawn.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels; without them clusters of the graph are shown, where there are some.
    feature : int or str, optional
        Column that the selector saw, or its name, to colour by instead.
    random_state : int, default=0
        For the eigensolver, clusters, permuted labels, and samples drawn at random from large tables.
    ax : Axes, optional
        Where to draw; by default in a new figure with room for the names of groups.

    Returns
    -------
    Axes
        What was drawn on.

    Raises
    ------
    ValueError
        If the graph has no two non-trivial eigenvectors, or no feature has the name.

    See Also
    --------
    spectrum : The eigenvalues.
    eigenselect.pl.embedding : Cells of an AnnData in UMAP and the like, coloured by genes.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = es.plot.embedding(es.LaplacianScore(4).fit(scale(X)), scale(X), y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('eigenvector 2', 'eigenvector 3')
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
    across, up = np.array(found["coordinates"])[found["axes"]]
    if column is not None:
        ax = axes_or_new(ax)
        points = ax.scatter(across, up, c=columns_of(fitted.X, [column])[drawing.shown, 0], cmap="viridis", s=18)
        colour_key(ax, points, plain_name(fitted.names[column]))
    else:
        ax = _scatter_groups(ax, across, up, drawing)
    first, second = (found["eigenvectors"][axis] for axis in found["axes"])
    ax.set(xlabel=f"eigenvector {first}", ylabel=f"eigenvector {second}")
    write_title(ax, f"Samples in {found['of']}", "" if column is not None else _separation_line(drawing))
    return ax


def _scatter_groups(ax: Axes | None, across: Any, up: Any, drawing: Drawing) -> Axes:
    """Draw each group of samples in its colour and shape, with a key at the right, in which names are whole."""
    groups, codes = drawing.groups, drawing.groups.codes[drawing.shown]
    used = [int(code) for code in np.unique(codes) if code >= 0]
    names = [plain_name(groups.names[code]) for code in used]
    ax = axes_or_new(ax, (SIZE[0] + 0.5 + width_of([*names, groups.kind]), max(SIZE[1], 0.8 + LINE * len(names))))
    marks = [
        ax.scatter(
            across[codes == code], up[codes == code], color=group_colour(code), marker=SHAPES[group_shape(code)], s=18
        )
        for code in used
    ]
    key_beside(ax, marks, names, title=groups.kind)
    return ax


def _separation_line(drawing: Drawing) -> str:
    """Write how far the plane tells classes apart, as a second line of a title."""
    told = drawing.separation
    return "" if told is None else f"1NN {told['accuracy']:.2f}, with permuted labels {told['permuted']:.2f}"


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
