"""What a fitted selector says of the order of its features, and no more: ties stay ties, the rest has no order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from eigenselect._typing import FloatArray, IntArray
from eigenselect.selection.ranking import same_as_before
from eigenselect.selection.steps import last_step, n_features_seen, original_columns


@dataclass(frozen=True)
class FeatureOrder:
    """An order of features in which some tie.

    Attributes
    ----------
    best_first : ndarray of int, shape (n_features,)
        All features, best first; those that tie by column.
    levels : ndarray of int, shape (n_features,)
        For each of ``best_first`` the number of its group of ties, 0 for the best.
    firm : ndarray of bool, shape (n_features,)
        For each of ``best_first`` whether the order may be cut after it: at the end of a group, and within a group of
        equal scores, which selections break by column; never within features that cannot be told apart.
    n_ordered : int
        Features that the selector says anything of; the others share the last rank.

    See Also
    --------
    feature_order : Reads the order of a fitted selector.
    rank_features : Ranks without ties.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.selection import FeatureOrder
    >>> order = FeatureOrder.of(np.array([2, 0, 1]), np.array([0, 1, 1]), 3, divisible=False)
    >>> order.ranks, order.top(2)
    (array([2.5, 2.5, 1. ]), array([2]))
    """

    best_first: IntArray
    levels: IntArray
    firm: NDArray[np.bool_]
    n_ordered: int

    @classmethod
    def of(cls, best_first: IntArray, levels: IntArray, n_ordered: int, *, divisible: bool) -> FeatureOrder:
        """Make an order whose ties may be cut or not; what is not ordered is the last group.

        Parameters
        ----------
        best_first : ndarray of int, shape (n_features,)
            All features, best first.
        levels : ndarray of int, shape (n_features,)
            For each of ``best_first`` the number of its group of ties.
        n_ordered : int
            Features that are ordered.
        divisible : bool
            Whether a group of ties may be cut by column.

        Returns
        -------
        FeatureOrder
            The order.
        """
        levels = levels.copy()
        levels[n_ordered:] = levels[n_ordered - 1] + 1 if n_ordered else 0
        ends = np.append(np.diff(levels) > 0, True)
        return cls(best_first, levels, ends | (divisible & (np.arange(levels.size) < n_ordered)), n_ordered)

    @property
    def n_features(self) -> int:
        """Number of features, ordered or not."""
        return self.best_first.size

    @cached_property
    def ranks(self) -> FloatArray:
        """Rank of every feature, 1 is best; those that tie share the mean of their ranks."""
        ranks = np.empty(self.n_features)
        ranks[self.best_first] = rankdata(self.levels)
        return ranks

    @cached_property
    def partial_ranks(self) -> FloatArray:
        """Ranks, but NaN for features that are not ordered: a partial list."""
        ranks = self.ranks.copy()
        ranks[self.best_first[self.n_ordered :]] = np.nan
        return ranks

    def top(self, count: int) -> IntArray:
        """Return the best ``count`` features; fewer where the order cannot be cut there.

        Parameters
        ----------
        count : int
            How many features.

        Returns
        -------
        ndarray of int
            Their columns, best first.
        """
        cuts = np.flatnonzero(self.firm[: max(0, count)])
        return self.best_first[: cuts[-1] + 1] if cuts.size else self.best_first[:0]


def feature_order(fitted: Any) -> FeatureOrder:
    """Read the order that a fitted selector gives its features: everything that needs one asks here.

    Parameters
    ----------
    fitted : selector or pipeline that ends in one
        * Of this library: ``ranking_``, of which the first ``n_ordered_`` are ordered. Equal scores tie.
        * ``ranking_`` of others (`RFE`): equal ranks tie, and cannot be told apart.
        * ``scores_`` (`SelectKBest` and its like): larger is better, equal ones tie, NaN are not ordered.
        * Any other selector (`SelectFromModel`, `SequentialFeatureSelector`, `VarianceThreshold`): its selected
          features tie first, all others last.

        Of a pipeline the order is that of the columns that its first step saw; those that a step drops are not ordered.

    Returns
    -------
    FeatureOrder
        Of all columns.

    Raises
    ------
    TypeError
        Where the object selects no features.

    See Also
    --------
    FeatureOrder : What it returns.
    eigenselect.evaluation.accuracy_curves : Compares the orders of selectors by what they predict.
    eigenselect.multisource.aggregate_rankings : Makes one order of several.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from eigenselect import MRSF
    >>> from eigenselect.selection import feature_order
    >>> X, y = load_wine(return_X_y=True)
    >>> order = feature_order(MRSF(3, target="lda").fit(scale(X), y))
    >>> order.n_ordered, order.top(3), order.top(5)
    (3, array([ 6, 12, 11]), array([ 6, 12, 11]))
    """
    selector = last_step(fitted)
    order = _own_order(selector)
    if selector is fitted:
        return order
    columns = original_columns(fitted)
    return _within(order, columns, n_features_seen(fitted))


def selected_best_first(selector: Any) -> IntArray:
    """Return the columns that a fitted selector of this library, or one with ``ranking_``, selects, best first."""
    order = np.argsort(selector.ranking_, kind="stable")
    return order[selector.get_support()[order]]


def _own_order(selector: Any) -> FeatureOrder:
    ranking, scores = getattr(selector, "ranking_", None), getattr(selector, "scores_", None)
    if ranking is not None and hasattr(selector, "n_ordered_"):
        best_first = np.argsort(ranking, kind="stable")
        levels = _levels(~_ties(selector, best_first))
        return FeatureOrder.of(best_first, levels, int(selector.n_ordered_), divisible=True)
    if ranking is not None:
        return _order_of_ranks(np.asarray(ranking))
    if scores is not None and np.ndim(scores) == 1:
        best_first = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")  # NaN last
        ordered = np.asarray(scores, dtype=np.float64)[best_first]
        levels = _levels(~same_as_before(ordered))
        return FeatureOrder.of(best_first, levels, int((~np.isnan(ordered)).sum()), divisible=True)
    if not hasattr(selector, "get_support"):
        raise TypeError(f"{type(selector).__name__} selects no features: it has no ranking_, scores_ or get_support.")
    return _order_of_ranks(np.where(selector.get_support(), 1, 2))


def _order_of_ranks(ranking: NDArray[Any]) -> FeatureOrder:
    """Order by ranks with ties that nobody can break; a last group of several features has no order."""
    best_first = np.argsort(ranking, kind="stable")
    levels = _levels(np.diff(ranking[best_first]) > 0)
    last = int((levels == levels[-1]).sum())
    n_ordered = levels.size - last if 1 < last < levels.size else levels.size
    return FeatureOrder.of(best_first, levels, n_ordered, divisible=False)


def _levels(starts: NDArray[np.bool_]) -> IntArray:
    """Number groups, from where all but the first of them start."""
    return np.concatenate([[0], np.cumsum(starts)]).astype(np.intp)


def _ties(selector: Any, best_first: IntArray) -> NDArray[np.bool_]:
    """Tell which features tie with the one before them, by the rounding of the method's formula where it is known."""
    native, rounding = np.asarray(selector.native_scores_), getattr(selector, "rounding_", None)
    return same_as_before(native[best_first], None if rounding is None else rounding[best_first])


def _within(order: FeatureOrder, columns: IntArray, n_features: int) -> FeatureOrder:
    """Make the order of some columns one of all: the others come last, with those that are not ordered."""
    ordered = columns[order.best_first[: order.n_ordered]]
    rest = np.setdiff1d(np.arange(n_features), ordered)
    last = order.levels[order.n_ordered - 1] + 1 if ordered.size else 0
    return FeatureOrder(
        np.concatenate([ordered, rest]),
        np.concatenate([order.levels[: order.n_ordered], np.full(rest.size, last)]),
        np.append(order.firm[: order.n_ordered], np.arange(rest.size) == rest.size - 1),
        order.n_ordered,
    )
