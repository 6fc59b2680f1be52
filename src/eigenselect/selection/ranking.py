"""Ranks of features, with ties by column and undefined scores last; and what a selection rule chooses from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from eigenselect._checks import is_whole
from eigenselect._floats import SAME
from eigenselect._typing import BoolArray, FloatArray, IntArray, Names
from eigenselect.exceptions import counted, listed
from eigenselect.matrix.base import only_counts


def rank_features(
    scores: FloatArray, *, larger_is_better: bool = True, tolerance: FloatArray | None = None
) -> IntArray:
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


def in_order(ranking: IntArray) -> IntArray:
    """List the features of a ranking, a permutation, best first: without sorting.

    >>> in_order(np.array([2, 3, 1]))
    array([2, 0, 1])
    """
    order = np.empty(ranking.size, dtype=np.intp)
    order[ranking - 1] = np.arange(ranking.size)
    return order


def same_as_before(ordered: FloatArray, rounding: FloatArray | None = None) -> BoolArray:
    """Tell which sorted scores, but for the first, equal the one before them up to rounding."""
    rounding = SAME * np.abs(ordered) if rounding is None else rounding
    before, after = ordered[:-1], ordered[1:]
    with np.errstate(invalid="ignore"):  # the difference of two infinite scores
        close = np.abs(after - before) <= np.maximum(rounding[:-1], rounding[1:])
    return np.asarray((before == after) | (close & np.isfinite(before) & np.isfinite(after)) | np.isnan(before))


@dataclass(frozen=True)
class Candidates:
    """The features of a fitted selector, as a rule sees them.

    Attributes
    ----------
    owner : str
        Who speaks in errors.
    scores : ndarray of shape (n_features,)
        Larger is better, NaN where undefined.
    ranking : ndarray of int, shape (n_features,)
        1 is best.
    n_samples : int
        Samples that the scores are about.
    names : sequence or None
        Of the features.
    n_selectable : int or None
        How many of the best may fill up a number of features; None for all.
    pvalues, qvalues : ndarray of shape (n_features,) or None
        None where nothing was tested; p-values may be missing where q-values are known.
    """

    owner: str
    scores: FloatArray
    ranking: IntArray
    n_samples: int
    names: Names | None = None
    n_selectable: int | None = None
    pvalues: FloatArray | None = None
    qvalues: FloatArray | None = None

    @property
    def n_features(self) -> int:
        return self.scores.size

    def best_first(self, allowed: BoolArray) -> IntArray:
        """List the allowed features that may be selected, best first."""
        order = in_order(self.ranking)[: self.n_selectable]
        return order[allowed[order]]

    def mask(self, columns: IntArray) -> BoolArray:
        """Mark some columns."""
        marked = np.zeros(self.n_features, dtype=bool)
        marked[columns] = True
        return marked


@dataclass(frozen=True)
class Forced:
    """Columns that are kept, and columns that are left out, whatever their scores."""

    kept: IntArray
    left_out: IntArray

    @classmethod
    def of(cls, must_keep: Any, never: Any, n_features: int, names: Names | None, owner: str) -> Forced:
        """Find the columns; refuse unknown ones, and those that are in both lists."""
        places = {} if names is None or only_counts(names) else _places_of(names)
        kept, left_out = (
            _columns(wanted, places, n_features, f"{owner}: {what}")
            for wanted, what in ((must_keep, "must_keep"), (never, "never"))
        )
        if (both := np.intersect1d(kept, left_out)).size:
            shown = listed(both if not places else [names[column] for column in both])  # type: ignore[index]
            raise ValueError(
                f"{owner}: must_keep and never must not share a feature, got {shown} in both; take "
                f"{'it' if both.size == 1 else 'them'} out of one."
            )
        return cls(kept, left_out)


def _places_of(names: Names) -> dict[Any, list[int]]:
    """Find the columns of each name: several, where features share one."""
    places: dict[Any, list[int]] = {}
    for column, name in enumerate(names):
        places.setdefault(name, []).append(column)
    return places


def _columns(wanted: Any, places: dict[Any, list[int]], n_features: int, who: str) -> IntArray:
    """Find the columns of names and column numbers, sorted."""
    found: list[int] = []
    for feature in as_features(wanted, who):
        if not isinstance(feature, str):
            if not 0 <= feature < n_features:
                raise ValueError(
                    f"{who} must hold column numbers from 0 to {n_features - 1}, got {feature}; the first is 0."
                )
            found.append(int(feature))
        elif feature in places:
            found += places[feature]
        else:
            raise ValueError(_unknown(feature, places, n_features, who))
    return np.unique(np.array(found, dtype=np.intp))


def _unknown(feature: str, places: dict[Any, list[int]], n_features: int, who: str) -> str:
    if places:
        return f"{who} must hold names of features of X ({listed(places, 3)}) or column numbers, got {feature!r}."
    return (
        f"{who} must hold column numbers, because the {counted(n_features, 'feature')} of X have no names, got "
        f"{feature!r}; give X as a data frame to use names."
    )


def as_features(wanted: Any, who: str) -> list[Any]:
    """Return names and column numbers as a list; one alone is a list of one."""
    features = [wanted] if isinstance(wanted, (str, Integral)) else wanted
    if not isinstance(features, Iterable) or isinstance(features, Iterator):  # an iterator is empty the second time
        raise ValueError(f"{who} must be a list of feature names or column numbers, got {wanted!r}.")
    features = list(features)
    for feature in features:
        if not (isinstance(feature, str) or is_whole(feature)):
            raise ValueError(f"{who} must hold feature names or column numbers, got {feature!r} among them.")
    return features
