"""Pictures of all genes that a verb judged: score against mean, the best of the ranking, p-values against uniform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._checks import share, whole
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.exceptions import shown
from eigenselect.matrix.annotated import annotated_matrix
from eigenselect.reporting.plotting.significance_plots import OTHERS, discoveries_title, draw_means, draw_quantiles
from eigenselect.reporting.plotting.style import COLOURS, CUT, axes_or_new, short_name
from eigenselect.single_cell.containers import annotated_of
from eigenselect.single_cell.figures import finish
from eigenselect.single_cell.found_genes import FoundGenes, found_genes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: said of genes that were judged on a graph made of themselves
UNTESTED = "no q-values"
#: size of names beside points
LETTERS = 7.0
#: inches of a line of the ranking: names do not touch
LINE = 0.15


def score_mean(
    adata: Any,
    key: str = "spectral",
    *,
    layer: str | None = None,
    use_raw: bool = False,
    alpha: float | None = None,
    n_labels: int = 10,
    modality: str | None = None,
    table_key: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    save: bool | str | os.PathLike[str] | None = None,
) -> Any:
    """Draw the score of every gene against its mean, those with a small q-value marked and the best of these named.

    Without q-values the flagged genes are marked, and none is named. The axis of means is logarithmic where these
    differ by orders and no value is negative.

    Parameters
    ----------
    adata : AnnData, MuData or SpatialData
        With what a verb wrote under ``key``.
    key : str, default="spectral"
        ``key_added`` of `pp.spectral_features`, or ``"moranI"`` or ``"gearyC"`` of `gr.spatial_autocorr`.
    layer : str, optional
        Layer that means are taken of; by default the one that was judged.
    use_raw : bool, default=False
        Whether means are those of ``adata.raw``.
    alpha : float, optional
        Largest q-value of genes that are marked; that of the verb by default.
    n_labels : int, default=10
        How many marked genes are named, the best first.
    modality, table_key : str, optional
        Which part of a MuData, which table of a SpatialData.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    show : bool, optional
        False returns the Axes; None shows the figure where there is something to show it on, and else returns them.
    save : bool, str or path, optional
        A path, or an end of ``figures/score_mean_{key}`` that starts with ``_``; True for that name itself.

    Returns
    -------
    Axes or None
        None if the figure was shown. Nothing is written to ``adata``.

    See Also
    --------
    ranking : The best genes with their names.
    qq : P-values against uniform ones.
    eigenselect.plot.mean_score : The same for a selector on any table.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import eigenselect as es
    >>> line = np.eye(40, k=1) + np.eye(40, k=-1)
    >>> X = np.random.default_rng(0).gamma(1.0, size=(40, 3))
    >>> X[:20, 2] += 3  # the third gene fills half of a strip of cells
    >>> adata = anndata.AnnData(X, obsp={"spatial_connectivities": line})
    >>> es.pp.spectral_features(adata, obsp="spatial_connectivities")
    >>> ax = es.pl.score_mean(adata, show=False)
    >>> ax.get_title(), [text.get_text() for text in ax.texts]
    ('q ≤ 0.05: 1 of 3 genes', ['2'])
    """
    owner = "pl.score_mean"
    held = annotated_of(adata, modality=modality, table_key=table_key, owner=owner)
    found = found_genes(held, key, owner)
    level = _level(found, alpha, owner)
    marked = found.discovered(level) if found.has_qvalues or found.chosen is None else found.chosen
    table = annotated_matrix(held, owner, layer=_layer(found, layer, use_raw), use_raw=use_raw)
    columns = found.columns(table, owner)
    scores, flags = np.full(table.n_features, np.nan), np.zeros(table.n_features, dtype=bool)
    scores[columns], flags[columns] = found.scores, marked
    ax = draw_means(axes_or_new(ax), table, columns[found.order], scores, flags)
    if found.has_qvalues:
        best = found.order[marked[found.order]][: whole(n_labels, "n_labels", owner, low=0)]
        _name_points(ax, table, columns, found, best)
    ax.set(xlabel="mean over cells", ylabel=found.score_name, title=_title(found, level))
    _explain_colours(ax, marked[found.order], _mark(found, level))
    return finish(ax, f"score_mean_{key}", show=show, save=save)


def ranking(
    adata: Any,
    key: str = "spectral",
    *,
    n_genes: int = 30,
    alpha: float | None = None,
    modality: str | None = None,
    table_key: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    save: bool | str | os.PathLike[str] | None = None,
) -> Any:
    """Draw the scores of the best genes with their names, best at the top; those with a small q-value are marked.

    A dotted line is the median of all genes with a score: the best of many are beyond it in noise, too, and only marked
    ones are more than that. Without q-values none is marked.

    Parameters
    ----------
    adata : AnnData, MuData or SpatialData
        With what a verb wrote under ``key``.
    key : str, default="spectral"
        ``key_added`` of `pp.spectral_features`, or ``"moranI"`` or ``"gearyC"`` of `gr.spatial_autocorr`.
    n_genes : int, default=30
        How many genes.
    alpha : float, optional
        Largest q-value of genes that are marked; that of the verb by default.
    modality, table_key : str, optional
        Which part of a MuData, which table of a SpatialData.
    ax : Axes, optional
        Where to draw; by default in a new figure that is high enough for the names.
    show : bool, optional
        False returns the Axes; None shows the figure where there is something to show it on, and else returns them.
    save : bool, str or path, optional
        A path, or an end of ``figures/ranking_{key}`` that starts with ``_``; True for that name itself.

    Returns
    -------
    Axes or None
        None if the figure was shown. Nothing is written to ``adata``.

    Raises
    ------
    ValueError
        If no gene has a score.

    See Also
    --------
    score_mean : All genes, score against mean.
    eigenselect.plot.score_curve : Scores by rank, for a selector on any table.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import eigenselect as es
    >>> line = np.eye(40, k=1) + np.eye(40, k=-1)
    >>> X = np.random.default_rng(0).gamma(1.0, size=(40, 3))
    >>> X[:20, 2] += 3  # the third gene fills half of a strip of cells
    >>> adata = anndata.AnnData(X, obsp={"spatial_connectivities": line})
    >>> es.pp.spectral_features(adata, obsp="spatial_connectivities")
    >>> ax = es.pl.ranking(adata, n_genes=2, show=False)
    >>> ax.get_yticklabels()[0].get_text(), ax.get_title()
    ('2', 'q ≤ 0.05: 1 of 3 genes')
    """
    owner = "pl.ranking"
    found = found_genes(annotated_of(adata, modality=modality, table_key=table_key, owner=owner), key, owner)
    best = found.order[: whole(n_genes, "n_genes", owner)]
    if not best.size:
        raise ValueError(f"{owner}: no gene of {shown(key)} has a score, so there is nothing to draw.")
    level, heights = _level(found, alpha, owner), np.arange(best.size)
    marked = found.discovered(level)[best]
    ax = axes_or_new(ax, (6.4, max(4.8, 1.2 + LINE * best.size)))
    ax.scatter(found.scores[best], heights, c=np.where(marked, CUT, OTHERS), s=22)
    ax.axvline(float(np.median(found.scores[found.order])), color=COLOURS[0], ls=":", lw=1, label="median of all genes")
    ax.set_yticks(heights, [short_name(str(found.names[place])) for place in best], fontsize=8)
    ax.set(xlabel=found.score_name, title=_title(found, level))
    ax.set_ylim(best.size - 0.5, -0.5)
    ax.grid(axis="y", lw=0.3)
    _explain_colours(ax, marked, _mark(found, level))
    return finish(ax, f"ranking_{key}", show=show, save=save)


def qq(
    adata: Any,
    key: str = "spectral",
    *,
    alpha: float | None = None,
    modality: str | None = None,
    table_key: str | None = None,
    ax: Axes | None = None,
    show: bool | None = None,
    save: bool | str | os.PathLike[str] | None = None,
) -> Any:
    r"""Draw sorted p-values against uniform ones, both as :math:`-\log_{10} p`.

    Genes without relation to the graph lie along the line. The band holds the middle 95 % of each place if genes are
    independent, and they are not.

    Parameters
    ----------
    adata : AnnData, MuData or SpatialData
        With what a verb wrote under ``key``.
    key : str, default="spectral"
        ``key_added`` of `pp.spectral_features`, or ``"moranI"`` or ``"gearyC"`` of `gr.spatial_autocorr`.
    alpha : float, optional
        Largest q-value of genes that are marked; that of the verb by default.
    modality, table_key : str, optional
        Which part of a MuData, which table of a SpatialData.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    show : bool, optional
        False returns the Axes; None shows the figure where there is something to show it on, and else returns them.
    save : bool, str or path, optional
        A path, or an end of ``figures/qq_{key}`` that starts with ``_``; True for that name itself.

    Returns
    -------
    Axes or None
        None if the figure was shown. Nothing is written to ``adata``.

    Raises
    ------
    ValueError
        If no gene has a p-value.

    See Also
    --------
    score_mean : All genes, score against mean.
    eigenselect.plot.qq : The same for a selector on any table.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import eigenselect as es
    >>> line = np.eye(40, k=1) + np.eye(40, k=-1)
    >>> X = np.random.default_rng(0).gamma(1.0, size=(40, 3))
    >>> X[:20, 2] += 3  # the third gene fills half of a strip of cells
    >>> adata = anndata.AnnData(X, obsp={"spatial_connectivities": line})
    >>> es.gr.spatial_autocorr(adata)
    >>> es.pl.qq(adata, "moranI", show=False).get_title()
    'q ≤ 0.05: 1 of 3 genes'
    """
    owner = "pl.qq"
    found = found_genes(annotated_of(adata, modality=modality, table_key=table_key, owner=owner), key, owner)
    if not found.has_pvalues:
        raise ValueError(
            f"{owner}: no gene of {shown(key)} has a p-value, so there is nothing to draw; pp.spectral_features gives "
            "them on a graph or labels from elsewhere, or with significance='split'."
        )
    level = _level(found, alpha, owner)
    ax = draw_quantiles(axes_or_new(ax), found.pvalues, found.discovered(level))
    ax.set(xlabel="expected of uniform p, $-\\log_{10} p$", ylabel="observed, $-\\log_{10} p$")
    ax.set_title(_title(found, level))
    _explain_colours(ax, found.discovered(level)[~np.isnan(found.pvalues)], _mark(found, level))
    return finish(ax, f"qq_{key}", show=show, save=save)


def _level(found: FoundGenes, alpha: float | None, owner: str) -> float:
    """Return the largest q-value of genes that are marked."""
    return found.alpha if alpha is None else share(alpha, "alpha", owner, zero=False, one=False)


def _title(found: FoundGenes, level: float) -> str:
    """Count the discoveries, or say that there is no evidence."""
    if found.has_qvalues:
        return discoveries_title(found.qvalues, level, "genes")
    if found.chosen is None:
        return UNTESTED
    return f"{int(found.chosen.sum())} of {found.scores.size} genes flagged, {UNTESTED}"


def _mark(found: FoundGenes, level: float) -> str:
    """Say what a mark means."""
    return f"q ≤ {level:g}" if found.has_qvalues else f"flagged, {UNTESTED}"


def _explain_colours(ax: Axes, marked: BoolArray, mark: str) -> None:
    """Add a key of what is drawn: genes with the mark and others, as far as there are, and what the Axes name."""
    from matplotlib.lines import Line2D

    kinds = []
    if marked.any():
        kinds.append((CUT, mark))
    if not marked.all():
        kinds.append((OTHERS, mark.replace("≤", ">") if "≤" in mark else "others"))
    points: list[Any] = [Line2D([], [], marker="o", ms=4, ls="", color=colour, label=name) for colour, name in kinds]
    ax.legend(handles=[*points, *ax.get_legend_handles_labels()[0]], frameon=False, loc="best", fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def _layer(found: FoundGenes, layer: str | None, use_raw: bool) -> str | None:
    """Return the layer that is asked for, else the one that was judged, where the record names one."""
    recorded = found.params.get("layer")
    return layer if layer is not None or use_raw or not isinstance(recorded, str) or not recorded else recorded


def _name_points(ax: Axes, table: Any, columns: IntArray, found: FoundGenes, places: IntArray) -> None:
    """Write the names of some genes beside their points, where there is room: no name is written over another."""
    if not places.size:
        return
    means: FloatArray = table.columns(columns[places]).mean(axis=0)
    whole_figure: Any = ax.get_figure(root=True)
    whole_figure.draw_without_rendering()  # else limits and layout are not known yet
    shown_at = ax.transData.transform(np.column_stack([means, found.scores[places]]))
    taken: list[FloatArray] = []
    for place, point, at in zip(places, zip(means, found.scores[places], strict=True), shown_at, strict=True):
        name = short_name(str(found.names[place]))
        for right, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            box = _text_box(at, len(name), right, up, ax.figure.dpi)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                sides: Any = {"ha": "left" if right > 0 else "right", "va": "bottom" if up > 0 else "top"}
                ax.annotate(name, point, (2.0 * right, 2.0 * up), textcoords="offset points", fontsize=LETTERS, **sides)
                break


def _text_box(at: FloatArray, letters: int, right: int, up: int, dpi: float) -> FloatArray:
    """Guess the corners of a text in pixels, (left, bottom, right, top), and its distance from the point.

    Letters are 0.7 as wide as high, and stand in lines of 1.5 times their height.
    """
    width, height = letters * 0.7 * LETTERS * dpi / 72, 1.5 * LETTERS * dpi / 72
    end = at + np.array([right * width, up * height])
    return np.concatenate([np.minimum(at, end), np.maximum(at, end)])


def _overlap(one: FloatArray, other: FloatArray) -> bool:
    """Tell whether two boxes share an area."""
    return bool((np.maximum(one[:2], other[:2]) < np.minimum(one[2:], other[2:])).all())
