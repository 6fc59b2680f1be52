"""Ranking features and resolving how many are wanted."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.selection.knee import knee


def rank_features(scores: NDArray[np.float64], *, larger_is_better: bool = True) -> NDArray[np.intp]:
    """Rank of every feature, 1 = best: a permutation; ties by column order, undefined (NaN) scores last.

    >>> rank_features(np.array([0.5, np.nan, 0.9, 0.5]))
    array([2, 4, 1, 3])
    """
    order = np.argsort(-scores if larger_is_better else scores, kind="stable")  # argsort puts NaN last
    ranking = np.empty(scores.size, dtype=np.intp)
    ranking[order] = np.arange(1, scores.size + 1)
    return ranking


def number_to_select(wanted: Any, scores: NDArray[np.float64], owner: str, n_samples: int | None = None) -> int:
    """How many features ``n_features_to_select`` asks for.

    Parameters
    ----------
    wanted : int, float in (0, 1), "auto" or None
        A number, a fraction, the knee of the scores (at most ``n_samples``), or half (as scikit-learn's RFE).
    scores : array
        Larger is better.
    owner : str
        Who asks, for the error.
    n_samples : int, optional
        Most features that ``"auto"`` gives. The knee only says where a curve bends, which the curve of 9000 features of
        noise does after 1000, too; more features than samples are never needed to tell the samples apart.
    """
    n_features = scores.size
    if wanted is None:
        return max(1, n_features // 2)
    if isinstance(wanted, str):
        if wanted == "auto":
            turn = max(1, knee(scores))
            return turn if n_samples is None else min(turn, n_samples)
    elif isinstance(wanted, Integral) and not isinstance(wanted, bool):
        if 1 <= int(wanted) <= n_features:
            return int(wanted)
        raise ValueError(
            f"{owner}: n_features_to_select must be between 1 and the {n_features} features of X, got {wanted}; "
            "ask for fewer, or use 'auto'."
        )
    elif isinstance(wanted, Real) and not isinstance(wanted, bool) and 0 < float(wanted) <= 1:
        return max(1, int(n_features * float(wanted)))
    raise ValueError(
        f"{owner}: n_features_to_select must be an integer, a fraction in (0, 1], 'auto' or None, got {wanted!r}."
    )
