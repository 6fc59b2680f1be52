"""The subset with the largest ratio of two sums: an exact fixed point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenselect._typing import FloatArray

#: rounds after which the iteration must long have ended (3 to 5 are usual)
MAX_ROUNDS = 1000


@dataclass(frozen=True)
class SubsetRatio:
    """The best subset, its ratio, and the ratio after every round (never falling)."""

    subset: NDArray[np.intp]
    ratio: float
    history: tuple[float, ...]


def largest_ratio_subset(gain: FloatArray, cost: FloatArray, size: int) -> SubsetRatio:
    r"""Find the subset I of ``size`` items that maximises :math:`\sum_I b_i / \sum_I e_i`: the global optimum.

    Dinkelbach's iteration: with λ the ratio of the current subset, take the ``size`` largest
    :math:`b_i - \lambda e_i`; λ rises until the subset stays. Items with e = 0 < b are perfect; if they fill the
    subset, alone or with items that have neither, the ratio is infinite.

    Parameters
    ----------
    gain, cost : arrays
        b and e, non-negative; items where both are 0 or NaN are taken last.
    size : int

    References
    ----------
    Nie, Xiang, Jia, Zhang and Yan, Trace ratio criterion for feature selection, AAAI 2008.

    Examples
    --------
    >>> largest_ratio_subset(np.array([4.0, 3, 2, 1]), np.array([4.0, 1, 1, 1]), 2).ratio
    2.5
    """
    useless = ~((gain > 0) | (cost > 0))
    b, e = np.where(useless, 0.0, gain), np.where(useless, 0.0, cost)
    perfect = np.flatnonzero((e == 0) & ~useless)
    if perfect.size >= min(size, int((~useless).sum())) > 0:
        best = perfect[np.argsort(-b[perfect], kind="stable")[:size]]
        fill = np.flatnonzero(useless)[: size - best.size]
        return SubsetRatio(np.sort(np.concatenate([best, fill])), np.inf, (np.inf,))
    subset = _best(feature_ratios(b, e), useless, size)
    history = [_ratio(b, e, subset)]
    for _ in range(MAX_ROUNDS):
        following = _best(b - history[-1] * e, useless, size)
        ratio = _ratio(b, e, following)
        if ratio <= history[-1]:
            break
        subset = following
        history.append(ratio)
    return SubsetRatio(np.sort(subset), history[-1], tuple(history))


def feature_ratios(gain: FloatArray, cost: FloatArray) -> FloatArray:
    """Divide b by e of each item: infinite where e = 0 < b, NaN where both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return gain / cost


def _best(scores: FloatArray, useless: NDArray[np.bool_], size: int) -> NDArray[np.intp]:
    """Take the ``size`` largest scores, useless items last, ties by position; by a partition, not a sort."""
    keys = np.where(useless, np.inf, -scores)
    limit = np.partition(keys, size - 1)[size - 1]
    chosen = np.flatnonzero(keys < limit)
    return np.concatenate([chosen, np.flatnonzero(keys == limit)[: size - chosen.size]])


def _ratio(b: FloatArray, e: FloatArray, subset: NDArray[np.intp]) -> float:
    total = float(e[subset].sum())
    return float(b[subset].sum()) / total if total > 0 else 0.0
