"""Draw scores by rank with matplotlib, beside the band that permuted data give; `eigenselect.plot` is the public path.

The figure of the page's card "How many?": the user's cut is a line, the knee only a faint tick, because scores of noise
have one, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.reporting.facts import BandView
from eigenselect.reporting.inputs import check_fitted
from eigenselect.reporting.plotting.score_scale import ScoreScale, readable_scale
from eigenselect.reporting.plotting.style import COLOURS, CUT, SOFT, axes_or_new, styled, write_title
from eigenselect.reporting.refitting.refits import NotMeasuredError, Refits
from eigenselect.reporting.refitting.score_band import permuted_band
from eigenselect.reporting.report import Report
from eigenselect.reporting.significance import qvalues_of
from eigenselect.reporting.summary import RankingSummary
from eigenselect.selection import feature_order, knee
from eigenselect.selection.order import selected_best_first
from eigenselect.selection.steps import last_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: features from which ranks stand in logarithms, and up to which each is a dot
LONG, DOTTED = 200, 60
#: part of the height that is left above the highest score, and that the tick of the knee takes
ROOM, TICK = 0.08, 0.03


@styled
def score_curve(
    selector: Any, X: Any = None, y: Any = None, *, band: bool = True, random_state: Any = 0,
    fit_params: Mapping[str, Any] | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    r"""Draw scores by rank, with what is kept, beside the band of scores that permuted data give.

    The grey band goes from the lowest to the highest of three fits to permuted data at every rank: permuted labels
    where the fit took its order from them, else values of every feature by itself, or samples against a graph that was
    given. Of noise, one feature or more is above it with a chance of 1 in 4. What is kept is a dashed line, or circles
    where it is not simply the first; the knee is a faint tick, and left out beside q-values, which say more.

    The axis of scores has symmetric logarithms, :math:`\mathrm{sign}(v) \log_{10}(1 + |v| / u)`, where one score would
    hide the others.

    Parameters
    ----------
    selector : fitted selector or pipeline, Report, or summary of a Report
        The band of a report is that of its page; nothing is fitted again for it.
    X : array, data frame or sparse matrix of shape (n_samples, n_features), optional
        The data of `fit`, for the band of a selector; without it there is none.
    y : array of shape (n_samples,), optional
        The labels of `fit`.
    band : bool, default=True
        Draw the band where it is known or can be measured, which takes as long as three fits. A warning says why not.
    random_state : int, default=0
        For the permutations: with that of `eigenselect.report` the band is the same.
    fit_params : mapping, optional
        What `fit` was given beside X and y, as for `eigenselect.report`.
    ax : Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    eigenselect.report : Measures the band once, with all else about the ranking.
    eigenselect.selection.Knee : Selects up to the knee.
    qq : P-values in place of a band.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = es.FisherScore(4).fit(X, y)
    >>> ax = es.plot.score_curve(fitted, X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['features', 'kept 4', 'knee 7', 'permuted labels, 3 fits']
    >>> es.plot.score_curve(es.report(fitted, X, y)).get_title()
    'Scores of 13 features, 13 above all of permuted data'
    """
    found = _reported(selector) if isinstance(selector, (Report, dict)) else _fitted_curve(selector)
    drawn_band = None
    if band:
        try:
            drawn_band = _band(selector, X, y, random_state, fit_params)
        except NotMeasuredError as error:
            warn(f"plot.score_curve: no band of permuted data is drawn: {error}; band=False leaves it out.")
    ax = axes_or_new(ax)
    _draw(ax, found, drawn_band)
    return ax


@dataclass(frozen=True)
class _Curve:
    """Scores of the features that are ordered, best first, NaN where there is none; ranks that are kept, and the knee.

    ``kept`` is None where no number was asked for, ``knee`` 0 where none is to be drawn.
    """

    scores: FloatArray
    kept: IntArray | None
    knee: int

    @property
    def known(self) -> BoolArray:
        """Features that have a place on the axis."""
        return np.isfinite(self.scores)


def _fitted_curve(selector: Any) -> _Curve:
    """Read the curve from a fitted selector."""
    last = last_step(selector)
    check_is_fitted(last, "ranking_")
    order = feature_order(last)
    scores = np.asarray(last.scores_, dtype=np.float64)[order.best_first[: order.n_ordered]]
    defined = scores[~np.isnan(scores)]
    turn = knee(defined) if defined.size and qvalues_of(last) is None else 0
    return _Curve(scores, np.asarray(last.ranking_[selected_best_first(last)]), turn)


def _reported(given: Report | dict[str, Any]) -> _Curve:
    """Read the curve from a report on a ranking."""
    summary = ranking_of(given)
    listed = summary["all_features"]
    scores = np.array(listed["score"][: summary["n_ordered"]], dtype=np.float64)  # None, of JSON, is NaN
    kept = np.array(listed["selected"], dtype=np.intp) + 1 if summary["cut"] else None
    return _Curve(scores, kept, 0 if summary["significance"] else summary["scores"]["knee"])


def ranking_of(given: Any) -> RankingSummary:
    """Return the summary of a ranking with all its features, of a report or as it is; refuse any other."""
    summary: Any = getattr(given, "summary", given)
    if summary.get("kind") != "ranking" or "all_features" not in summary:
        raise TypeError(
            "plot.score_curve: expected a fitted selector, what eigenselect.report returns, or its summary, got "
            f"{type(given).__name__} of {'a comparison' if summary.get('kind') == 'comparison' else 'something else'}."
        )
    return summary


def _band(selector: Any, X: Any, y: Any, random_state: Any, params: Mapping[str, Any] | None) -> BandView | None:
    """Return the band of a report, else measure it; None where there are no data, or the user left it out."""
    if isinstance(selector, (Report, dict)):
        evaluation = ranking_of(selector).get("evaluation")
        if evaluation is not None and evaluation["band"] is None:
            raise NotMeasuredError(evaluation["missing"]["band"])
        return None if evaluation is None else evaluation["band"]
    if X is None:
        return None
    return permuted_band(Refits.of(check_fitted("plot.score_curve", selector, X, y, None, random_state, params)))


def _draw(ax: Axes, found: _Curve, band: BandView | None) -> None:
    """Draw the curve, what is kept, the knee and the band."""
    ranks, scores = np.flatnonzero(found.known) + 1, found.scores[found.known]
    ends = [*scores, *(band["low"] + band["high"] if band else [])]
    scale = readable_scale(scores) if scores.size else ScoreScale(0.0, 0.0)
    scale = ScoreScale(min([scale.low, *ends]), max([scale.high, *ends]), scale.unit)
    _score_axis(ax, scale)
    ax.plot(
        ranks, scores, color=COLOURS[0], marker="o" if scores.size <= DOTTED else "", ms=4,
        label="features" if band else None,
    )  # fmt: skip
    if found.kept is not None:
        _mark_kept(ax, found, found.kept)
    if 0 < found.knee < scores.size:
        ax.axvline(found.knee + 0.5, ymax=TICK, color=SOFT, alpha=0.7, lw=1)
        ax.plot([], [], marker="|", ls="none", color=SOFT, alpha=0.7, ms=6, label=f"knee {found.knee}")
    if band:
        _draw_band(ax, band, scores.size)
    if scores.size > LONG:
        ax.set_xscale("log")
    ax.set_xlabel("rank (logarithmic)" if scores.size > LONG else "rank")
    write_title(ax, _title(scores.size, band))
    if ax.get_legend_handles_labels()[0]:
        ax.legend()


def _score_axis(ax: Axes, scale: ScoreScale) -> None:
    """Set the axis of the scores, with some room above."""
    bottom, top = float(scale.place(scale.low)), float(scale.place(scale.high))
    room = ROOM * (top - bottom) or 1.0
    if scale.unit is not None:
        ax.set_yscale("function", functions=(scale.place, scale.value))
        ax.set_yticks(scale.ticks(), [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in scale.ticks()])
    ax.set_ylim(float(scale.value(bottom - 0.4 * room)), float(scale.value(top + room)))
    ax.set_ylabel("score" if scale.unit is None else "score (symmetric logarithm)")


def _mark_kept(ax: Axes, found: _Curve, kept: IntArray) -> None:
    """Draw a line after the features that are kept; circles where these are not the first of the curve."""
    label = f"kept {kept.size}"
    if kept.size == 0 or kept.max() == kept.size:
        ax.axvline(kept.size + 0.5, color=CUT, linestyle="--", lw=1.2, label=label)
        return
    places = np.sort(kept[kept <= found.scores.size])  # others have no place on the curve
    places = places[found.known[places - 1]]
    ax.plot(places, found.scores[places - 1], "o", color=CUT, ms=7, fillstyle="none", label=label)


def _draw_band(ax: Axes, band: BandView, count: int) -> None:
    """Draw what permuted data score at the ranks of the curve: from the lowest fit to the highest, and the middle."""
    shown = np.array(band["rank"]) <= count
    ranks, low, middle, high = (np.array(band[key])[shown] for key in ("rank", "low", "middle", "high"))
    label = f"permuted {band['of'].removeprefix('the ')}, {band['n_permutations']} fits"
    if ranks.size > 1:
        ax.fill_between(ranks, low, high, color=SOFT, alpha=0.22, lw=0, label=label, zorder=0.5)
        ax.plot(ranks, middle, color=SOFT, lw=0.8, zorder=0.6)
    else:
        ax.vlines(ranks, low, high, color=SOFT, alpha=0.4, lw=6, label=label, zorder=0.5)


def _title(count: int, band: BandView | None) -> str:
    title = f"Scores of {count} feature{'' if count == 1 else 's'}"
    return f"{title}, {band['n_above']} above all of permuted data" if band else title
