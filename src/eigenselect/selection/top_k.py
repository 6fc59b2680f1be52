"""Ranking features: ties by column, undefined scores last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect._floats import SAME


def rank_features(
    scores: NDArray[np.float64], *, larger_is_better: bool = True, tolerance: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Rank every feature, 1 = best: a permutation; ties by column order, undefined (NaN) scores last.

    Scores that follow one another and are equal up to the rounding of their computation tie, whole chains of them: two
    features with one and the same score by their formula must not be ordered by the last bits, which differ between
    machines, threads and storages of the same numbers.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Scores; NaN where undefined.
    larger_is_better : bool, default=True
        Which scores are good.
    tolerance : array of shape (n_features,), optional
        Rounding of each score; about 1e-14 of its magnitude if not given.

    Returns
    -------
    ndarray of int, shape (n_features,)
        The ranks.

    See Also
    --------
    feature_order : The order of a fitted selector, in which ties stay ties.
    knee : How many of the best to keep.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.selection import rank_features
    >>> rank_features(np.array([0.5, np.nan, 0.9, 0.5]))
    array([2, 4, 1, 3])
    >>> rank_features(np.array([0.1 + 0.2, 0.3]), larger_is_better=False)
    array([1, 2])
    """
    rounding = SAME * np.abs(scores) if tolerance is None else tolerance
    order = np.argsort(-scores if larger_is_better else scores, kind="stable")  # argsort puts NaN last
    same = same_as_before(scores[order], rounding[order])
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same)) if same.any() else np.zeros(0, dtype=np.intp)
    groups = np.cumsum(~np.append(False, same)[tied])  # growing along the order
    order[tied] = order[tied][np.lexsort((order[tied], groups))]
    ranking = np.empty(scores.size, dtype=np.intp)
    ranking[order] = np.arange(1, scores.size + 1)
    return ranking


def in_order(ranking: NDArray[np.intp]) -> NDArray[np.intp]:
    """List the features of a ranking, a permutation, best first: without sorting.

    >>> in_order(np.array([2, 3, 1]))
    array([2, 0, 1])
    """
    order = np.empty(ranking.size, dtype=np.intp)
    order[ranking - 1] = np.arange(ranking.size)
    return order


def same_as_before(ordered: NDArray[np.float64], rounding: NDArray[np.float64] | None = None) -> NDArray[np.bool_]:
    """Tell which sorted scores, but for the first, equal the one before them up to rounding."""
    rounding = SAME * np.abs(ordered) if rounding is None else rounding
    before, after = ordered[:-1], ordered[1:]
    with np.errstate(invalid="ignore"):  # the difference of two infinite scores
        close = np.abs(after - before) <= np.maximum(rounding[:-1], rounding[1:])
    return np.asarray((before == after) | (close & np.isfinite(before) & np.isfinite(after)) | np.isnan(before))
