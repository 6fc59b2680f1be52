r"""How well kept features predict samples that the selector never saw, and when that is beyond chance.

Every class is spread evenly over a few folds, and each fold is predicted, by the nearest neighbour in the features that
a refit on the other folds kept. Of data that say nothing, with the labels of a fold in random order, each prediction is
right with at most the share :math:`p` of the largest class. The predictions are not independent: two samples of
different folds that are each other's neighbours are right or wrong together. If all were such pairs, n predictions
would be as good as n/2 independent ones, so

.. math:: P(\text{accuracy} \ge a) \le P(B(n/2, p) \ge a\,n/2),

where B is binomial. An accuracy is called beyond chance where that is at most `LEVEL`, and where it is above that of
permuted labels as well. Not all neighbours are mutual, and p is the worst case, so that noise gets there far more
rarely, about once in a thousand tables: `benchmarks/claims_on_noise.py` counts it. Much less would be asked too much:
of 40 samples of two equal classes, 80 % right are beyond chance.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn import config_context
from sklearn.model_selection import KFold, StratifiedKFold

from eigenselect._labels import class_strata
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.evaluation import subset_accuracies
from eigenselect.matrix import Matrix, as_matrix
from eigenselect.reporting.facts import AccuracyFacts
from eigenselect.reporting.refitting.refits import NotMeasuredError, Refit, Refits
from eigenselect.selection.steps import before_last

#: parts that the samples are cut into; each is held out once
FOLDS = 3
#: chance of being called beyond chance, in the worst case
LEVEL = 0.01
#: differences that are looked at to find neighbours, and how many for each value of the table
LEAST_DIFFERENCES, DIFFERENCES_PER_VALUE = 2e7, 5.0


@dataclass(frozen=True)
class Folds:
    """Which samples are held out together.

    Attributes
    ----------
    of : ndarray of int of shape (n_samples,)
        Number of the fold of every sample.
    codes : ndarray of int of shape (n_samples,), or None
        Class of every sample, -1 where it has none; None where no accuracy can be measured.
    reason : str
        Why not; else empty.
    """

    of: IntArray
    codes: IntArray | None
    reason: str = ""

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.of.max()) + 1

    def training(self, fold: int) -> IntArray:
        """Return the samples outside a fold."""
        return np.flatnonzero(self.of != fold)

    @property
    def within(self) -> IntArray:
        """Return the fold of labelled samples, -1 for others: labels may be shuffled within it."""
        return self.of if self.codes is None else np.where(self.codes < 0, -1, self.of)


def cut_folds(refits: Refits, y: Any, numbers: bool) -> Folds:
    """Cut the samples into folds, every class evenly.

    Parameters
    ----------
    refits : Refits
    y : array of shape (n_samples,), or None
        What the samples are predicted as; the fit may not have used it.
    numbers : bool
        Whether y holds numbers, which are no classes.
    """
    n_samples, rng = refits.n_samples, refits.rng(1)
    if n_samples < 2 * FOLDS:
        raise NotMeasuredError(f"{n_samples} samples are too few to hold some out")
    codes, reason = _codes(refits, y, numbers)
    if codes is None:
        folds = KFold(FOLDS, shuffle=True, random_state=rng).split(np.zeros((n_samples, 1)))
        return Folds(_numbered(folds, n_samples), None, reason)
    sizes = np.sort(np.bincount(codes[codes >= 0]))[::-1]
    number = min(FOLDS, int(sizes[1]))  # so that two classes are in every part
    strata = np.where(codes < 0, codes.max() + 1, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class may be smaller than the number of folds
        folds = list(StratifiedKFold(number, shuffle=True, random_state=rng).split(np.zeros((n_samples, 1)), strata))
    return Folds(_numbered(folds, n_samples), codes)


def _codes(refits: Refits, y: Any, numbers: bool) -> tuple[IntArray | None, str]:
    """Number the classes; None and a reason where there are not two that can be told apart."""
    if y is None:
        return None, "there are no labels to predict"
    labelled = refits.labelled if refits.samples.y is not None else _known(y)
    strata = None if numbers else class_strata(y)
    if strata is None:
        return None, "the label is a number, and accuracy is of classes"
    codes = np.where(labelled < 0, -1, strata)
    known, counts = np.unique(codes[codes >= 0], return_counts=True)
    if np.sum(counts > 1) < 2:
        return None, "fewer than two classes have two samples or more"
    places = np.searchsorted(known, codes)
    return np.where(codes < 0, -1, places), ""


def _known(y: Any) -> IntArray:
    import pandas as pd

    return np.where(pd.isna(np.asarray(y, dtype=object)), -1, 0)


def _numbered(folds: Any, n_samples: int) -> IntArray:
    number = np.empty(n_samples, dtype=np.intp)
    for place, (_, held_out) in enumerate(folds):
        number[held_out] = place
    return number


@dataclass(frozen=True)
class HeldOut:
    """Accuracies of the folds, and how many samples each predicted."""

    accuracies: FloatArray
    sizes: IntArray

    @property
    def mean(self) -> float:
        """Mean over the folds."""
        return float(self.accuracies.mean())

    @property
    def n_correct(self) -> int:
        """How many predictions were right."""
        return int(np.round(self.accuracies @ self.sizes))


def predict_held_out(refits: Refits, kept: Sequence[Refit], folds: Folds, codes: IntArray, X: Any = None) -> HeldOut:
    """Predict each fold by the nearest neighbour outside it, in what the refit without it kept.

    Parameters
    ----------
    refits : Refits
    kept : sequence of Refit
        One for each fold.
    folds : Folds
    codes : ndarray of int
        Classes: the real ones, or permuted.
    X : array, data frame, sparse matrix or Matrix, optional
        The table as given, by default that of the fit.
    """
    table = refits.samples.X if X is None else X
    measured = _measured(refits, folds, max(1, max(refit.columns.size for refit in kept)))
    accuracies, sizes = [], []
    for fold, refit in enumerate(kept):
        train, test = (np.flatnonzero(measured & part) for part in (folds.of != fold, folds.of == fold))
        accuracies.append(_accuracy(refit, table, codes, train, test))
        sizes.append(test.size)
    return HeldOut(np.array(accuracies), np.array(sizes))


def _measured(refits: Refits, folds: Folds, n_kept: int) -> BoolArray:
    """Choose the labelled samples that are compared with each other: all, unless that takes longer than the fits.

    With N samples, (1 - 1/F) N² differences are taken for each kept feature, twice with the permuted labels.
    """
    labelled = np.flatnonzero(folds.within >= 0)
    budget = max(LEAST_DIFFERENCES, DIFFERENCES_PER_VALUE * float(np.prod(refits.samples.X.shape)))
    most = max(10 * folds.count, int(np.sqrt(budget / (2 * (1 - 1 / folds.count) * n_kept))))
    chosen = labelled if labelled.size <= most else np.sort(refits.rng(1).permutation(labelled)[:most])
    mask = np.zeros(refits.n_samples, dtype=bool)
    mask[chosen] = True
    return mask


def _accuracy(refit: Refit, table: Any, codes: IntArray, train: IntArray, test: IntArray) -> float:
    """Return the accuracy of one fold; that of the largest class outside it where nothing was kept."""
    if not refit.columns.size:
        return float(np.mean(codes[test] == np.bincount(codes[train]).argmax()))
    seen = as_matrix(before_last(refit.estimator, table))
    rows = np.concatenate([train, test])
    chosen = Matrix(seen.columns(refit.columns)[rows])
    places = np.arange(rows.size)
    every = [np.arange(refit.columns.size)]
    with config_context(assume_finite=True, skip_parameter_validation=True):  # the refit has looked at the values
        return subset_accuracies(every, chosen, codes[rows], places[: train.size], places[train.size :])[0]


def accuracy_facts(
    real: HeldOut, permuted: HeldOut, codes: IntArray, n_features: int, refits: Sequence[Refit]
) -> AccuracyFacts:
    """Put accuracies beside what says nothing gives."""
    sizes = [int(refit.columns.size) for refit in refits]
    counts = np.bincount(codes[codes >= 0])
    largest = float(counts.max() / counts.sum())
    return {
        "n_features": n_features,
        "least_features": min(sizes),
        "most_features": max(sizes),
        "n_folds": int(real.sizes.size),
        "n_predicted": int(real.sizes.sum()),
        "mean": real.mean,
        "deviation": float(real.accuracies.std(ddof=1)),
        "largest_class": largest,
        "permuted": permuted.mean,
        "beyond_chance": is_beyond_chance(real.n_correct, int(real.sizes.sum()), largest)
        and real.mean > float(permuted.accuracies.max()),
    }


def is_beyond_chance(n_correct: int, n_predicted: int, largest_class: float) -> bool:
    """Tell whether noise would practically never predict so many samples right: see the top of this file.

    Parameters
    ----------
    n_correct, n_predicted : int
    largest_class : float
        Its share.

    Examples
    --------
    >>> [is_beyond_chance(right, 60, 0.5) for right in (30, 42, 44)]
    [False, False, True]
    """
    independent = n_predicted // 2
    right = int(np.floor(n_correct / n_predicted * independent + 1e-9)) if n_predicted else 0
    return bool(binom.sf(right - 1, independent, largest_class) <= LEVEL)
