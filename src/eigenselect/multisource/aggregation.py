"""One ranking from several, of which each may be partial and may hold ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, rankdata

from eigenselect._checks import choice
from eigenselect._parallel import single_threaded_blas, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.selection import rank_features

AGGREGATIONS = ("borda", "median", "rra", "mc4")
#: MC4 looks at every pair of items: one byte each
MOST_ITEMS_OF_MC4 = 20_000
#: share of MC4's steps that jump anywhere, so that its chain has one stationary distribution
JUMPS = 0.05
MC4_STEPS = 500


@dataclass(frozen=True)
class AggregatedRanking:
    """The common ranking; as an array, it is `ranking`.

    Attributes
    ----------
    ranking : ndarray of shape (n_items,)
        1 is best; ties by item order, items that no list holds last.
    scores : ndarray of shape (n_items,)
        Larger is better: minus the mean or median rank, minus log10 of RRA's nρ, MC4's probability. NaN for items that
        no list holds.
    p_values : ndarray of shape (n_items,) or None
        RRA only: how likely as good ranks are by chance, corrected for the choice of the best order statistic.

    See Also
    --------
    aggregate_rankings : Makes it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.multisource import aggregate_rankings
    >>> found = aggregate_rankings([[1, 2, 3], [1, 3, 2], [2, 1, 3]])
    >>> np.asarray(found), found.scores.round(2)
    (array([1, 2, 3]), array([-1.33, -2.  , -2.67]))
    """

    ranking: IntArray
    scores: FloatArray
    p_values: FloatArray | None = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.ranking, dtype=dtype) if copy else np.asarray(self.ranking, dtype=dtype)

    def __len__(self) -> int:
        return self.ranking.size

    def __getitem__(self, item: Any) -> Any:
        return self.ranking[item]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ranking)


def aggregate_rankings(rankings: Any, method: str = "borda", weights: Any = None) -> AggregatedRanking:
    r"""Aggregate rankings of the same items.

    * ``"borda"``: the mean rank. An item that a list of k out of m items does not hold gets the mean of the ranks that
      are left, (k + 1 + m) / 2.
    * ``"median"``: the (weighted) median of the same ranks.
    * ``"rra"``: robust rank aggregation. With the normalised ranks :math:`r_{(1)} \le \dots \le r_{(n)}` of an item in
      n lists (rank / m, 1 where it is missing), :math:`\rho = \min_k P(B(k, n-k+1) \le r_{(k)})`, and the p-value is
      :math:`\min(1, n\rho)`: items that are high in more lists than chance allows.
    * ``"mc4"``: a Markov chain that steps from an item to a random other one if a (weighted) majority of the lists that
      hold both prefers it; items by the share of time spent there. A twentieth of the steps goes anywhere.

    Parameters
    ----------
    rankings : array of shape (n_lists, n_items)
        Ranks, 1 is best; equal ranks are ties, NaN means that the list does not hold the item. Only the order within a
        list counts.
    method : {"borda", "median", "rra", "mc4"}, default="borda"
        One of the above.
    weights : sequence of n_lists numbers, optional
        How much each list counts; not for ``"rra"``.

    Returns
    -------
    AggregatedRanking
        Ranks and scores of the items; p-values with ``"rra"``.

    Raises
    ------
    ValueError
        If the rankings are no table of finite ranks, a list is empty, or ``"mc4"`` gets more than 20 000 items.

    See Also
    --------
    eigenselect.KOGS : Aggregates the rankings of selectors, on one table or several.
    eigenselect.reporting.compare : Shows where methods agree.

    References
    ----------
    Dwork, Kumar, Naor and Sivakumar, Rank aggregation methods for the web, WWW 2001, doi:10.1145/371920.372165 (Borda,
    MC4); Kolde, Laur, Adler and Vilo, Robust rank aggregation, Bioinformatics 2012, doi:10.1093/bioinformatics/btr709.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.multisource import aggregate_rankings
    >>> aggregate_rankings([[1, 2, 3], [1, 3, 2], [2, 1, np.nan]]).ranking
    array([1, 2, 3])
    """
    lists = _checked_lists(rankings)
    choice(method, "method", "aggregate_rankings", AGGREGATIONS)
    shares = list_weights(weights, len(lists), "aggregate_rankings")
    if method == "rra" and weights is not None:
        raise ValueError("aggregate_rankings: robust rank aggregation has no weights; use 'borda', 'median' or 'mc4'.")
    held = ~np.isnan(lists).all(axis=0)
    p_values = None
    if method == "rra":
        chance = len(lists) * robust_chances(lists)  # beyond 1 it still orders items, but is no probability
        p_values = np.where(held, np.minimum(1.0, chance), np.nan)
        scores = -np.log10(np.maximum(chance, np.finfo(np.float64).tiny))
    elif method == "mc4":
        with single_threaded_blas():
            scores = mc4_probabilities(lists, shares)
    else:
        complete = completed(lists)
        scores = -(shares @ complete) if method == "borda" else -_weighted_median(complete, shares)
    scores = np.where(held, np.round(scores, 12), np.nan)
    return AggregatedRanking(rank_features(scores), scores, p_values)


def completed(lists: FloatArray) -> FloatArray:
    """Give ties their average rank, and what a list does not hold the mean of the remaining ranks."""
    complete, n_items = np.empty_like(lists), lists.shape[1]
    for row, ranks in enumerate(lists):
        held = ~np.isnan(ranks)
        complete[row] = (held.sum() + 1 + n_items) / 2
        complete[row, held] = rankdata(ranks[held])
    return complete


def robust_chances(lists: FloatArray) -> FloatArray:
    """Compute RRA's ρ of every item."""
    n_lists, n_items = lists.shape
    normalized = np.sort(np.where(np.isnan(lists), 1.0, completed(lists) / n_items), axis=0)
    order = np.arange(1, n_lists + 1)[:, None]
    return np.asarray(beta.cdf(normalized, order, n_lists - order + 1).min(axis=0))


def mc4_probabilities(lists: FloatArray, shares: FloatArray) -> FloatArray:
    """Find the stationary distribution of MC4's chain, by power iteration on the matrix of majorities."""
    n_items = lists.shape[1]
    if n_items > MOST_ITEMS_OF_MC4:
        raise ValueError(
            f"aggregate_rankings: 'mc4' compares all pairs, at most {MOST_ITEMS_OF_MC4} items, got {n_items}; use "
            "'borda', or leave out items that no list ranks high."
        )
    preferred = _majorities(lists, shares)
    leaving = preferred.sum(axis=1) / n_items
    probability = np.full(n_items, 1.0 / n_items)
    for _ in range(MC4_STEPS):
        arriving = np.zeros(n_items)
        for rows in slices(n_items, 1024):
            arriving += probability[rows] @ preferred[rows]
        stepped = arriving / n_items + probability * (1.0 - leaving)
        following = JUMPS / n_items + (1.0 - JUMPS) * stepped
        change = np.abs(following - probability).sum()
        probability = following
        if change < 1e-13:
            break
    return probability


def _majorities(lists: FloatArray, shares: FloatArray) -> NDArray[np.bool_]:
    """Tell for each (i, j) whether lists that rank j above i outweigh those that rank i above j."""
    n_items = lists.shape[1]
    preferred = np.empty((n_items, n_items), dtype=bool)
    for rows in slices(n_items, 256):
        balance = np.zeros((rows.stop - rows.start, n_items))
        for ranks, share in zip(lists, shares, strict=True):
            difference = ranks[rows, None] - ranks  # NaN where one is missing: neither way
            balance += share * ((difference > 0).astype(np.float64) - (difference < 0))
        preferred[rows] = balance > 1e-12
    return preferred


def _weighted_median(values: FloatArray, shares: FloatArray) -> FloatArray:
    """Find the value at which half of the weight is reached; the middle of two where it is met exactly."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    reached = np.cumsum(shares[order], axis=0)
    low = ordered[np.argmax(reached >= 0.5 - 1e-12, axis=0), np.arange(values.shape[1])]
    high = ordered[np.argmax(reached > 0.5 + 1e-12, axis=0), np.arange(values.shape[1])]
    return (low + high) / 2


def _checked_lists(rankings: Any) -> FloatArray:
    try:
        lists = np.array(rankings, dtype=np.float64)
    except (TypeError, ValueError):
        lists = np.empty(0)
    if lists.ndim != 2 or lists.size == 0:
        raise ValueError(
            "aggregate_rankings: rankings must be a table of numbers, one row per list, one column per item."
        )
    if np.isinf(lists).any():
        raise ValueError("aggregate_rankings: ranks must be finite; use NaN for items that a list does not hold.")
    empty = np.flatnonzero(np.isnan(lists).all(axis=1))
    if empty.size:
        raise ValueError(f"aggregate_rankings: list {empty[0] + 1} of {len(lists)} holds no item; leave it out.")
    return lists


def list_weights(weights: Any, n_lists: int, owner: str) -> FloatArray:
    """Scale the weights of lists to sum to 1; equal ones if None."""
    if weights is None:
        return np.full(n_lists, 1.0 / n_lists)
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (n_lists,) or not np.isfinite(values).all() or (values < 0).any() or values.sum() == 0:
        raise ValueError(
            f"{owner}: weights must be {n_lists} numbers, none negative and not all zero, got {weights!r}."
        )
    return np.asarray(values / values.sum())
