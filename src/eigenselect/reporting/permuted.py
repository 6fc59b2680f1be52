r"""What a comparison gives for permuted labels, and which method is best beyond the spread of the folds.

Accuracy and stability of noise are not zero: features that are chosen among thousands with some labels are chosen again
on subsamples that share most samples, and a fifth of the samples is predicted now better, now worse. So each number
stands beside the same number for labels that were permuted, and the best method is named only if two things hold.

- Its accuracy is above that of every other method by more than the folds spread: the paired differences over J folds
  have a mean above :math:`t_{J-1}` standard errors, with the correction for training sets that overlap,
  :math:`\mathrm{SE}^2 = s^2 (1/J + 1/(J-1))` (Nadeau and Bengio, Machine Learning 52, 2003,
  doi:10.1023/A:1024068626366), and :math:`t_{J-1}` the 97.5 % point of Student's distribution.
- It is above its own accuracy with any of the permuted labels.

A small redundancy or a quick fit is no merit by itself, and a method that always takes the same features is stable, so
only accuracies have a best.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from eigenselect._random import random_generator
from eigenselect._typing import FloatArray
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
    y: Any,
    curves: AccuracyCurves,
    n_splits: int,
    random_state: Any,
    progress_of: Callable[[int], Any],
) -> FloatArray:
    """Mean accuracies for each permutation, of shape (n_permutations, n_selectors, n_sizes)."""
    found = []
    for labels in permuted_labels(y, random_state):
        progress = progress_of(len(selectors) * n_splits)
        found.append(
            accuracy_curves(
                selectors,
                X,
                labels,
                curves.sizes.tolist(),
                n_splits=n_splits,
                random_state=random_state,
                progress=progress,
            ).mean
        )
    return np.array(found)


def permuted_stability(
    selector: Any, X: Any, y: Any, order: FeatureOrder, stability: float, count: int, random_state: Any
) -> float:
    """Mean stability over the permutations; a method that ranks alike with other labels does not use them."""
    found = []
    for labels in permuted_labels(y, random_state):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already for the labels themselves
            measured = ranking_stability(
                selector, X, labels, n_repeats=SUBSAMPLES, n_selected=count, random_state=random_state, progress=False
            )
        if np.array_equal(measured.full_ranking, order.ranks):
            return stability
        found.append(measured.corrected_overlap)
    return float(np.mean(found))


def best_methods(curves: AccuracyCurves, permuted: FloatArray) -> dict[str, str | None]:
    """For each size the method whose accuracy is beyond the spread of all others and of permuted labels, or None."""
    return {
        str(size): _best(curves.names, curves.accuracies[:, place], permuted[:, :, place])
        for place, size in enumerate(curves.sizes)
    }


def _best(names: list[str], accuracies: FloatArray, permuted: FloatArray) -> str | None:
    """Of accuracies of shape (n_methods, n_folds) and permuted ones of shape (n_permutations, n_methods)."""
    known = np.flatnonzero(~np.isnan(accuracies).any(axis=1))  # a method that orders fewer features has none
    if known.size < 2:
        return None
    first = int(known[accuracies[known].mean(axis=1).argmax()])
    others = accuracies[known[known != first]]
    if accuracies[first].mean() <= permuted[:, first].max() + ROUNDING:
        return None
    return names[first] if all(beyond_spread(accuracies[first], other) for other in others) else None


def beyond_spread(one: FloatArray, other: FloatArray) -> bool:
    """Whether paired accuracies over folds differ by more than these spread, the first being larger."""
    differences, folds = one - other, one.size
    error = differences.std(ddof=1) * np.sqrt(1 / folds + 1 / (folds - 1))
    return bool(differences.mean() > t.ppf(LEVEL, folds - 1) * error + ROUNDING)
