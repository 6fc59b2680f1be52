"""How well selected features predict, by cross-validation in which the selector never sees the held-out samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from eigenselect._checks import random_generator
from eigenselect._labels import class_numbers, label_array, refuse_numbers
from eigenselect._progress import Progress, tracked
from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect.matrix import Matrix, as_matrix, check_order, indexable, rows_of, sample_names_of
from eigenselect.selection import feature_order
from eigenselect.selection.steps import before_last, fitted_for, last_step


@dataclass(frozen=True)
class AccuracyCurves:
    """Accuracy against the number of selected features, one row per selector.

    Attributes
    ----------
    names : list of str
        The selectors.
    sizes : ndarray of shape (n_sizes,)
        Numbers of selected features, ascending.
    accuracies : ndarray of shape (n_selectors, n_sizes, n_folds)
        NaN where a selector does not say which features come first: there the curve has no point.
    chance : float
        Share of the largest class.

    See Also
    --------
    accuracy_curves : Measures them.
    eigenselect.plot.accuracy_curves : Draws them.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.evaluation import AccuracyCurves
    >>> curves = AccuracyCurves(["mine"], np.array([1, 5]), np.array([[[0.6, 0.8], [0.9, 0.9]]]), chance=0.5)
    >>> curves.mean
    array([[0.7, 0.9]])
    """

    names: list[str]
    sizes: IntArray
    accuracies: FloatArray
    chance: float

    @property
    def mean(self) -> FloatArray:
        """Mean accuracy over the folds, of shape (n_selectors, n_sizes)."""
        return np.asarray(self.accuracies.mean(axis=2))

    def to_frame(self) -> pd.DataFrame:
        """Return the mean accuracies, selectors in rows, sizes in columns.

        Returns
        -------
        DataFrame
            Indexed by the names of the selectors.
        """
        return pd.DataFrame(self.mean, index=self.names, columns=list(self.sizes))


def nearest_neighbour() -> Any:
    """Make a nearest-neighbour classifier by differences: equal distances stay equal, which by products they do not.

    Of discrete features many distances are equal, and rounding, which differs from processor to processor, would choose
    among them (measured: digits in 20 pixels, 0.620 or 0.621).
    """
    return KNeighborsClassifier(1, algorithm="kd_tree")


def accuracy_curves(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    sizes: Sequence[int],
    *,
    n_splits: int = 5,
    n_repeats: int = 1,
    classifier: Any = None,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> AccuracyCurves:
    """Cross-validate the accuracy with the top features of each selector.

    In every fold each selector is fitted on the training samples only; the chosen features, standardised there, go to
    the classifier. All selectors get the same folds. A pipeline is fitted as a whole, and the features are those that
    its last step saw, so that scaling and filling happen inside the folds.

    Parameters
    ----------
    selectors : mapping of names to selectors or pipelines that end in one
        Of this library or of scikit-learn. One that orders only what it selects (`MRSF`) is asked for as many features
        as the largest size. Where a selector does not order so many (`MRSF` if no more can enter, `SelectFromModel`
        at any size but its own), the accuracy is NaN.
    X : array, data frame, sparse matrix or AnnData of shape (n_samples, n_features)
        The table.
    y : array of shape (n_samples,)
        Classes; those smaller than ``n_splits`` lower it.
    sizes : sequence of int
        Numbers of features; those beyond the table's are left out.
    n_splits, n_repeats : int
        Folds, and how often they are drawn.
    classifier : estimator, optional
        The nearest neighbour by default.
    random_state : int, RandomState or None, default=0
        For the folds; None is a fixed start.
    progress : callable, optional
        Called as ``progress(done, total)`` after each selector of each fold.

    Returns
    -------
    AccuracyCurves
        An accuracy for each selector, size and fold.

    Raises
    ------
    ValueError
        If there are fewer than two classes of two samples, or no size fits the table.

    See Also
    --------
    subset_accuracies : Accuracies of subsets that are given.
    eigenselect.plot.accuracy_curves : Draws the curves.
    eigenselect.reporting.compare : The same with permuted labels beside it, as a report.

    Examples
    --------
    >>> from eigenselect import FisherScore, LaplacianScore
    >>> from eigenselect.evaluation import accuracy_curves
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> curves = accuracy_curves({"fisher": FisherScore(), "laplacian": LaplacianScore()}, scale(X), y, [1, 5])
    >>> curves.to_frame().round(2)
                  1     5
    fisher     0.67  0.95
    laplacian  0.71  0.97
    """
    table = indexable(X, "accuracy_curves")
    check_order(sample_names_of(y), sample_names_of(table), "accuracy_curves", "y")
    refuse_numbers(y, "accuracy_curves")
    labels = label_array(y, "accuracy_curves")
    codes = class_numbers(labels, "accuracy_curves")
    counts = np.bincount(codes)
    if counts.size < 2 or counts.min() < 2:
        raise ValueError("accuracy_curves: y needs at least 2 classes of at least 2 samples each.")
    kept = np.unique([size for size in sizes if 1 <= size <= table.shape[1]]).astype(np.intp)
    if not kept.size:
        raise ValueError(
            f"accuracy_curves: sizes must hold a number between 1 and {table.shape[1]}, got {list(sizes)}."
        )
    folds = RepeatedStratifiedKFold(
        n_splits=min(n_splits, int(counts.min())), n_repeats=n_repeats, random_state=random_generator(random_state)
    )
    model = nearest_neighbour() if classifier is None else classifier
    steps = [
        (selector, train, test)
        for train, test in folds.split(np.zeros((codes.size, 1)), codes)
        for selector in selectors.values()
    ]
    results = [
        _fold(selector, model, table, labels, codes, train, test, kept)
        for selector, train, test in tracked(steps, len(steps), progress)
    ]
    accuracies = np.array(results, dtype=np.float64).reshape(-1, len(selectors), kept.size).transpose(1, 2, 0)
    return AccuracyCurves(list(selectors), kept, accuracies, float(counts.max() / labels.size))


def subset_accuracies(
    subsets: Iterable[Any], X: Any, y: Any, train: Any, test: Any, *, classifier: Any = None
) -> list[float]:
    """Predict some samples from others with each of several subsets of the features, and return the accuracies.

    The chosen features are standardised by the training samples. For an honest number the subsets, too, must come
    from these alone.

    Parameters
    ----------
    subsets : iterable of arrays of int
        Columns of X.
    X : array or sparse matrix of shape (n_samples, n_features)
        The table, training and test samples in one.
    y : array of shape (n_samples,)
        Classes.
    train, test : arrays of int
        Samples to learn from, and to predict.
    classifier : estimator, optional
        The nearest neighbour by default.

    Returns
    -------
    list of float
        One for each subset.

    See Also
    --------
    accuracy_curves : Cross-validation of whole selectors.
    eigenselect.selection.feature_order : The features of a fitted selector, best first.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect import FisherScore
    >>> from eigenselect.evaluation import subset_accuracies
    >>> from eigenselect.selection import feature_order
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> train, test = np.arange(0, 178, 2), np.arange(1, 178, 2)
    >>> order = feature_order(FisherScore().fit(X[train], y[train]))
    >>> np.round(subset_accuracies([order.top(1), order.top(5)], X, y, train, test), 2)
    array([0.64, 0.96])
    """
    codes = class_numbers(label_array(y, "subset_accuracies"), "subset_accuracies")
    model = nearest_neighbour() if classifier is None else classifier
    table = as_matrix(X, "subset_accuracies")
    seen, unseen = (table.take_rows(np.asarray(rows)) for rows in (train, test))
    return [_accuracy(model, seen, unseen, columns, codes[train], codes[test]) for columns in subsets]


def _accuracy(model: Any, seen: Matrix, unseen: Matrix, columns: IntArray, known: IntArray, asked: IntArray) -> float:
    """Return how many of the unseen samples a model predicts right that learns from some columns of the seen ones."""
    train, test = (part.columns(np.asarray(columns)) for part in (seen, unseen))
    scaler = StandardScaler().fit(train)
    fitted = clone(model).fit(scaler.transform(train), known)
    return float(fitted.score(scaler.transform(test), asked))


def _fold(
    selector: Any,
    model: Any,
    X: Any,
    y: AnyArray,
    codes: IntArray,
    train: IntArray,
    test: IntArray,
    sizes: IntArray,
) -> list[float]:
    """Return the accuracy of one selector in one fold, for every size."""
    seen, unseen = (rows_of(X, rows) for rows in (train, test))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant features and small classes of a fold
        fitted = fitted_for(selector, seen, y[train], sizes.tolist())
        order = feature_order(last_step(fitted))
        known, asked = as_matrix(before_last(fitted, seen)), as_matrix(before_last(fitted, unseen))
    return [
        _accuracy(model, known, asked, np.sort(top), codes[train], codes[test])
        if (top := order.top(size)).size == size
        else np.nan
        for size in sizes
    ]
