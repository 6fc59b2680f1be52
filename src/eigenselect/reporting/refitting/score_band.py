"""Scores that data say nothing would give, by rank: the band beside which a curve of scores is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.reporting.facts import BandView
from eigenselect.reporting.refitting.refits import FIRST_PERMUTATION, SAME_SCORES, NotMeasuredError, Refits, Shuffled

#: fits to permuted data that make the band
PERMUTATIONS = 3
#: ranks that are all drawn, and how many are drawn of a long curve
EXACT_RANKS, SHOWN_RANKS = 30, 120


def permuted_band(refits: Refits, tick: Callable[[], None] = lambda: None) -> BandView:
    """Score permuted data, and put the scores beside those of the fit; ``tick`` is called after each.

    Raises
    ------
    NotMeasuredError
        Where permuted data have no scores that compare with those of the fit.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting.inputs import check_fitted
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> band = permuted_band(Refits.of(check_fitted("report", es.FisherScore(3).fit(X, y), X, y)))
    >>> band["of"], band["n_above"]
    ('the labels', 13)
    """
    check_comparable(refits)
    permuted = []
    for number in range(FIRST_PERMUTATION, FIRST_PERMUTATION + PERMUTATIONS):
        first = number == FIRST_PERMUTATION and refits.shuffled is Shuffled.LABELS
        permuted.append(refits.first_scores if first else refits.scores(refits.permuted(number)))
        tick()
    return band_view(np.asarray(refits.fitted.selector.scores_, dtype=float), permuted, str(refits.shuffled))


def check_comparable(refits: Refits) -> None:
    """Refuse a band where scores of two tables do not compare: each holds for the features chosen with it."""
    selector = refits.fitted.selector
    if not getattr(selector, "orders_all_features", True) or hasattr(selector, "trace_ratio_"):
        name = type(selector).__name__
        raise NotMeasuredError(
            f"{name} chooses features together, and a score only compares with those of the same choice"
        )


def band_view(real: FloatArray, permuted: Sequence[FloatArray], of: str) -> BandView:
    """Put the scores of permuted data in order, and find lowest, middle and highest at some ranks.

    Parameters
    ----------
    real : ndarray of shape (n_features,)
        Scores of the fit, NaN where there is none.
    permuted : sequence of ndarray
        Scores of each fit to permuted data.
    of : str
        What was permuted, in words.

    Examples
    --------
    >>> permuted = [np.array([1.0, 4.0, 2.0]), np.array([5.0, 3.0, 0.0])]
    >>> band = band_view(np.array([9.0, 1.0, 3.0]), permuted, "the labels")
    >>> band["rank"], band["low"], band["high"], band["n_above"]
    ([1, 2, 3], [4.0, 2.0, 0.0], [5.0, 3.0, 1.0], 1)
    """
    curves = [falling(scores) for scores in (real, *permuted)]
    if all(_same(curves[0], curve) for curve in curves[1:]):
        raise NotMeasuredError(f"permuting {of} does not change the scores")
    length = min(curve.size for curve in curves[1:])
    if not length:
        raise NotMeasuredError(f"permuting {of} leaves no feature with a score")
    ranks = shown_ranks(length)
    heights = np.array([curve[ranks - 1] for curve in curves[1:]])
    highest = float(heights[:, 0].max())
    return {
        "of": of,
        "n_permutations": len(permuted),
        "rank": ranks.tolist(),
        "low": heights.min(axis=0).tolist(),
        "middle": np.median(heights, axis=0).tolist(),
        "high": heights.max(axis=0).tolist(),
        "n_above": int(np.sum(curves[0] > highest + SAME_SCORES * abs(highest))),
    }


def falling(scores: FloatArray) -> FloatArray:
    """Return the finite scores, the highest first."""
    return np.sort(scores[np.isfinite(scores)])[::-1]


def shown_ranks(count: int) -> IntArray:
    """Choose ranks from 1 to a number: the first ones, then some with equal ratios, and the last.

    >>> shown_ranks(100_000)[[0, 29, 30, -2, -1]]
    array([     1,     30,     33,  91381, 100000])
    """
    if count <= SHOWN_RANKS:
        return np.arange(1, count + 1)
    spread = np.geomspace(EXACT_RANKS, count, SHOWN_RANKS - EXACT_RANKS + 1)
    return np.unique(np.concatenate([np.arange(1, EXACT_RANKS + 1), np.round(spread).astype(np.intp)]))


def _same(one: FloatArray, other: FloatArray) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=SAME_SCORES, atol=0))
