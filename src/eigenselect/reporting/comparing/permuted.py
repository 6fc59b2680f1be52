r"""What a comparison gives for permuted labels, and which method is best beyond the spread of the folds.

Accuracy and stability of noise are not zero: features that are chosen among thousands with some labels are chosen again
on subsamples that share most samples, and a fifth of the samples is predicted now better, now worse. So each number
stands beside the same number for labels that were permuted, and the best method is named only if three things hold.

- Its accuracy is above that of every other method by more than the folds spread: the paired differences over J folds
  have a mean above :math:`t_{J-1}` standard errors, with the correction for training sets that overlap,
  :math:`\mathrm{SE}^2 = s^2 (1/J + 1/(J-1))` (Nadeau and Bengio, Machine Learning 52, 2003,
  doi:10.1023/A:1024068626366), and :math:`t_{J-1}` the 97.5 % point of Student's distribution.
- No other mean lies within its own deviation: whoever compares the numbers of a table sees no winner inside the spread.
- It is above the accuracy with any of the permuted labels by as many standard errors, which are at least those of as
  many independent samples; a few permutations alone would let noise pass now and then.

A small redundancy or a quick fit is no merit by itself, and a method that always takes the same features is stable, so
only accuracies have a best.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from eigenselect._checks import random_generator
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.evaluation import AccuracyCurves, accuracy_curves
from eigenselect.selection import FeatureOrder
from eigenselect.sensitivity import ranking_stability

#: permutations of the labels, and subsamples of each that the stability is measured on: about twice as many fits as
#: the comparison itself makes
PERMUTATIONS, SUBSAMPLES = 3, 4
#: point of Student's distribution
LEVEL = 0.975
#: differences of accuracies below this are rounding
ROUNDING = 1e-9


def permuted_labels(y: Any, random_state: Any) -> list[NDArray[Any]]:
    """The labels in other orders."""
    rng = random_generator(random_state)
    return [np.asarray(y)[rng.permutation(len(y))] for _ in range(PERMUTATIONS)]


def permuted_accuracies(
    selectors: Mapping[str, Any],
    X: Any,
    labels: Sequence[NDArray[Any]],
    curves: AccuracyCurves,
    n_splits: int,
    random_state: Any,
    progress_of: Callable[[int], Any],
) -> FloatArray:
    """Mean accuracies for each permutation of the labels, of shape (n_permutations, n_selectors, n_sizes)."""
    return np.array(
        [
            accuracy_curves(
                selectors,
                X,
                permuted,
                curves.sizes.tolist(),
                n_splits=n_splits,
                random_state=random_state,
                progress=progress_of(len(selectors) * n_splits),
            ).mean
            for permuted in labels
        ]
    )


@dataclass(frozen=True)
class PermutedFits:
    """What one method gave on all samples for every permutation of the labels.

    Attributes
    ----------
    stability : float
        Mean over the permutations.
    ranks : list of ndarray of shape (n_features,)
    selections : list of bool ndarrays of shape (n_features,)
    uses_labels : bool
        False where other labels give the same order of all features.
    """

    stability: float
    ranks: list[FloatArray]
    selections: list[BoolArray]
    uses_labels: bool = True


def permuted_fits(
    selector: Any,
    X: Any,
    labels: Sequence[NDArray[Any]],
    order: FeatureOrder,
    stability: float,
    count: int,
    random_state: Any,
) -> PermutedFits:
    """Fit a method with permuted labels; one that ranks alike does not use them, so its own numbers are given back."""
    found = []
    for permuted in labels:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already for the labels themselves
            measured = ranking_stability(
                selector, X, permuted, n_repeats=SUBSAMPLES, n_selected=count, random_state=random_state, progress=False
            )
        if np.array_equal(measured.full_ranking, order.ranks):
            own = np.isin(np.arange(order.n_features), order.top(count))
            return PermutedFits(stability, [order.ranks] * len(labels), [own] * len(labels), uses_labels=False)
        found.append(measured)
    return PermutedFits(
        float(np.mean([one.corrected_overlap for one in found])),
        [np.asarray(one.full_ranking, dtype=np.float64) for one in found],
        [one.full_selection for one in found],
    )


def permuted_range(permuted: FloatArray) -> FloatArray:
    """Lowest and highest of the permuted accuracies at each size, over permutations and methods: shape (n_sizes, 2).

    >>> permuted_range(np.array([[[0.4, np.nan]], [[0.6, np.nan]]]))
    array([[0.4, 0.6],
           [nan, nan]])
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no method orders so many features
        return np.stack([np.nanmin(permuted, axis=(0, 1)), np.nanmax(permuted, axis=(0, 1))], axis=1)


def best_methods(curves: AccuracyCurves, permuted: FloatArray, n_samples: int) -> dict[str, str | None]:
    """For each size the method whose accuracy is beyond the spread of all others and of permuted labels, or None."""
    high = permuted_range(permuted)[:, 1]
    return {
        str(size): _best(curves.names, curves.accuracies[:, place], high[place], n_samples)
        for place, size in enumerate(curves.sizes)
    }


def _best(names: list[str], accuracies: FloatArray, chance: float, n_samples: int) -> str | None:
    """Of accuracies of shape (n_methods, n_folds), where those of permuted labels reach up to ``chance``."""
    near = within_deviation(accuracies)
    known = np.flatnonzero(~np.isnan(accuracies).any(axis=1))  # a method that orders fewer features has none
    if known.size < 2 or len(near) > 1 or not beyond_level(accuracies[near[0]], chance, n_samples):
        return None
    first = near[0]
    others = accuracies[known[known != first]]
    return names[first] if all(beyond_spread(accuracies[first], other) for other in others) else None


def within_deviation(accuracies: FloatArray) -> list[int]:
    """Rows whose mean lies within the deviation of the highest one, itself included, the highest first.

    >>> within_deviation(np.array([[0.8, 0.9], [0.8, 0.84], [0.7, 0.7], [np.nan, np.nan]]))
    [0, 1]
    """
    means = accuracies.mean(axis=1)
    if np.isnan(means).all():
        return []
    first = int(np.nanargmax(means))
    near = np.flatnonzero(means >= means[first] - accuracies[first].std() - ROUNDING)
    return [int(place) for place in near[np.argsort(-means[near], kind="stable")]]


def beyond_spread(one: FloatArray, other: FloatArray) -> bool:
    """Whether paired accuracies over folds differ by more than these spread, the first being larger."""
    differences = one - other
    return bool(differences.mean() > t.ppf(LEVEL, one.size - 1) * _standard_error(differences) + ROUNDING)


def beyond_level(accuracies: FloatArray, level: float, n_samples: int) -> bool:
    """Whether the mean over folds is above a level by more than the folds, or so many coin throws, spread.

    >>> beyond_level(np.array([0.9, 0.92, 0.88]), 0.6, 100), beyond_level(np.array([0.7, 0.7, 0.7]), 0.6, 20)
    (True, False)
    """
    throws = np.sqrt(level * (1.0 - level) / n_samples)  # folds of few samples may agree by accident
    error = max(_standard_error(accuracies), throws)
    return bool(accuracies.mean() > level + t.ppf(LEVEL, accuracies.size - 1) * error + ROUNDING)


def _standard_error(over_folds: FloatArray) -> float:
    """Standard error of a mean over folds whose training sets overlap."""
    folds = over_folds.size
    return float(over_folds.std(ddof=1) * np.sqrt(1 / folds + 1 / (folds - 1)))
