"""Draw p-values and q-values with matplotlib; `eigenselect.plot` is the public path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eigenselect._checks import share
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.reporting.inputs import check_fitted
from eigenselect.reporting.plotting.style import COLOURS, CUT, SOFT, axes_or_new, styled, write_title
from eigenselect.reporting.significance import alpha_of, pvalues_of, qvalues_of
from eigenselect.reporting.views.significance_views import LEVEL, logarithms, means_view, quantiles_view
from eigenselect.selection.steps import last_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: of features that are no discoveries
OTHERS = SOFT


@styled
def qq(selector: Any, *, alpha: float | None = None, ax: Axes | None = None) -> Axes:
    r"""Draw sorted p-values against uniform ones, both as :math:`-\log_{10} p`.

    Features without relation to the graph lie along the line. The band holds the middle 95 % of each place if the
    features are independent. Labels found by clustering these features, and coordinates computed from them, lift all
    points off the line.

    Parameters
    ----------
    selector : fitted selector with ``pvalues_``, or a fitted pipeline that ends in one
        Fitted with ``significance``.
    alpha : float, optional
        False discovery rate of the features that are marked; that of the selector's rule by default, else 0.05.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    volcano : P-values against the size of the effect.
    eigenselect.pl.qq : The same for the genes of an AnnData.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> es.plot.qq(es.FisherScore(significance=True).fit(X, y)).get_title()
    'q ≤ 0.05: 13 of 13 features'
    """
    selector = _tested("plot.qq", selector)
    pvalues, found, title = selector.pvalues_, *_discovered("plot.qq", selector, alpha)
    if np.isnan(pvalues).all():
        raise ValueError("plot.qq: no feature has a p-value, so there is nothing to draw.")
    ax = draw_quantiles(axes_or_new(ax), pvalues, found)
    write_title(ax, title)
    return ax


def draw_quantiles(ax: Axes, pvalues: FloatArray, found: BoolArray) -> Axes:
    """Draw sorted p-values, of which some are not NaN, against uniform ones with their band; ``found`` are marked."""
    view = quantiles_view(pvalues)
    expected, observed, marked = np.array(view["expected"]), np.array(view["observed"]), found[view["place"]]
    ax.fill_between(
        expected, view["low"], view["high"], color=COLOURS[0], alpha=0.15, lw=0, label=f"{LEVEL:.0%} of uniform p"
    )
    ax.plot([0, expected.max()], [0, expected.max()], color=CUT, linestyle="--", lw=1)
    _dots(ax, expected, observed, marked)
    ax.set(xlabel="uniform, $-\\log_{10} p$", ylabel="$-\\log_{10} p$")
    return ax


@styled
def volcano(selector: Any, *, alpha: float | None = None, ax: Axes | None = None) -> Axes:
    r"""Draw p-values against the size of the effect: how many null deviations a score lies on its good side.

    .. math:: z = \pm \frac{s - \mathrm{E}\, s}{\mathrm{sd}\, s}

    where E and sd are over permutations of the feature (``null_mean_``, ``null_sd_``), and the sign makes large values
    good. Where a route has no such moments, ``scores_`` stand in their place, of which large ones are good, too.

    Parameters
    ----------
    selector : fitted selector with ``pvalues_``, or a fitted pipeline that ends in one
        Fitted with ``significance``.
    alpha : float, optional
        False discovery rate of the features that are marked; that of the selector's rule by default, else 0.05.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    qq : P-values against uniform ones.
    mean_score : Scores against the means of the features.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = es.plot.volcano(es.FisherScore(significance=True).fit(X, y))
    >>> ax.get_xlabel()
    'deviations of the null, good side'
    """
    selector = _tested("plot.volcano", selector)
    found, title = _discovered("plot.volcano", selector, alpha)
    effect, name = _effect(selector)
    known = np.isfinite(effect) & ~np.isnan(selector.pvalues_)
    heights = np.array(logarithms(np.where(known, selector.pvalues_, 1.0)))
    ax = axes_or_new(ax)
    _dots(ax, effect[known], heights[known], found[known])
    if (found & known).any():
        least = float(heights[found & known].min())
        ax.axhline(least, color=CUT, linestyle=":", lw=1)
    ax.set(xlabel=name, ylabel="$-\\log_{10} p$")
    write_title(ax, title)
    return ax


@styled
def mean_score(selector: Any, X: Any, *, alpha: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw the score of every feature against its mean, the discoveries marked.

    The axis is logarithmic where X has no negative value and the means differ by orders, as those of counts do.

    Parameters
    ----------
    selector : fitted selector with ``qvalues_``, or a fitted pipeline that ends in one
        Fitted with ``significance``.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    alpha : float, optional
        False discovery rate of the features that are marked; that of the selector's rule by default, else 0.05.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    volcano : P-values against the size of the effect.
    eigenselect.pl.score_mean : The same for the genes of an AnnData.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> ax = es.plot.mean_score(es.FisherScore(significance=True).fit(X, y), X)
    >>> ax.get_xlabel(), ax.get_xscale()
    ('mean', 'log')
    """
    fitted = check_fitted("plot.mean_score", selector, X)
    last = _tested("plot.mean_score", fitted.selector, "qvalues_")
    found, title = _discovered("plot.mean_score", last, alpha)
    ax = draw_means(axes_or_new(ax), fitted.X, last.ranking_.argsort(), last.scores_, found)
    write_title(ax, title)
    return ax


def draw_means(ax: Axes, X: Any, order: IntArray, scores: FloatArray, found: BoolArray) -> Axes:
    """Draw scores against the means of their features, ``found`` marked; of very many features some of each rank.

    Parameters
    ----------
    ax : Axes
    X : Matrix of shape (n_samples, n_features)
    order : ndarray of int
        Columns, best first; others are not drawn.
    scores, found : ndarray of shape (n_features,)
    """
    view = means_view(X, order, found[order])
    columns, mean = order[view["place"]], np.array(view["mean"])
    known = np.isfinite(scores[columns]) & ((mean > 0) if view["log"] else True)
    _dots(ax, mean[known], scores[columns][known], found[columns][known])
    if view["log"]:
        ax.set_xscale("log")
    ax.set(xlabel="mean", ylabel="score")
    return ax


def _tested(owner: str, selector: Any, needed: str = "pvalues_") -> Any:
    """Return the last step; refuse one that was not asked how sure it is, or whose route has no p-values."""
    last = last_step(selector)
    check_is_fitted(last)
    if getattr(last, needed, None) is not None:
        return last
    instead = "fit it with significance" if getattr(last, "has_p_values", True) else "its method has none"
    if qvalues_of(last) is not None and pvalues_of(last) is None:
        instead = "its significance gives q-values only, which plot.mean_score draws"
    raise ValueError(f"{owner}: expected a selector with {needed}, got {type(last).__name__} without; {instead}.")


def _discovered(owner: str, selector: Any, alpha: float | None) -> tuple[BoolArray, str]:
    """Tell which features are discoveries, and a title that counts them."""
    level = alpha_of(selector) if alpha is None else share(alpha, "alpha", owner, zero=False, one=False)
    return np.asarray(selector.qvalues_ <= level), discoveries_title(selector.qvalues_, level)


def discoveries_title(qvalues: FloatArray, level: float, what: str = "features") -> str:
    """Count the discoveries in a title.

    >>> discoveries_title(np.array([0.01, 0.2, np.nan]), 0.05, "genes")
    'q ≤ 0.05: 1 of 2 genes'
    """
    return f"q ≤ {level:g}: {int((qvalues <= level).sum())} of {int((~np.isnan(qvalues)).sum())} {what}"


def _effect(selector: Any) -> tuple[FloatArray, str]:
    """Return how many null deviations each score lies on its good side, or its score; and what that is."""
    mean, deviation = getattr(selector, "null_mean_", None), getattr(selector, "null_sd_", None)
    if mean is None or deviation is None:
        return np.asarray(selector.scores_), "score"
    sign = _sign(selector)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(sign * (selector.native_scores_ - mean) / deviation), "deviations of the null, good side"


def _sign(selector: Any) -> float:
    """Return 1 where large native scores are good, else -1."""
    return 1.0 if getattr(getattr(selector, "criterion_", None), "larger_is_better", True) else -1.0


def _dots(ax: Axes, across: FloatArray, up: FloatArray, found: BoolArray) -> None:
    """Draw features as points, the discoveries on top."""
    for which, colour, size in ((~found, OTHERS, 10), (found, CUT, 14)):
        ax.scatter(across[which], up[which], s=size, color=colour, lw=0, alpha=0.8)
