"""Similarity by class: samples of one class are alike, others are not."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from eigenselect.exceptions import shown
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.similarity.base import BaseSimilarity


class ClassLabels(BaseSimilarity):
    r"""The class-label similarity.

    .. math:: S_{ij} = 1/n_l \text{ if } y_i = y_j = l, \text{ else } 0

    where :math:`n_l` is the size of class l. All degrees are 1 and S projects a feature onto its class means, so it is
    applied in O(n) per feature and never formed. Every distinct value of y is a class, -1 too.

    References
    ----------
    Zhao and Liu (2007), Eq. 2, doi:10.1145/1273496.1273641; Zhao (2010), Eq. 3.13.

    Examples
    --------
    >>> ClassLabels().build(None, ["a", "b", "a"]).to_array()
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """

    requires_labels = True

    def build(self, X: Any, y: Any = None, *, n_jobs: int | None = None) -> SampleGraph:
        codes, classes = encode_classes(y, type(self).__name__, None if X is None else X.shape[0])
        return SampleGraph(
            ClassMeans(codes, len(classes)),
            degrees=np.ones(codes.size),
            components=codes,
            made_of_labels=True,
            description={**self.describe(), "n_classes": len(classes)},
        )


def encode_classes(y: Any, owner: str, n_samples: int | None = None) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Class numbers in order of first appearance, and the classes; refuses missing labels and a single class."""
    if y is None:
        raise ValueError(
            f"{owner} requires y to be passed, but the target y is None; call fit(X, y) with one label per sample."
        )
    values = _checked_labels(y, owner, n_samples)
    codes, classes = pd.factorize(values, use_na_sentinel=True)
    if (missing := int((codes < 0).sum())) > 0:
        raise ValueError(f"{owner}: y must not have missing labels, got {missing}; drop those samples or label them.")
    if len(classes) < 2:
        raise ValueError(
            f"{owner}: y must have at least 2 classes, got 1 ({shown(classes[0])}); nothing separates them."
        )
    if len(classes) == codes.size:
        raise ValueError(f"{owner}: y must have fewer classes than samples, got {len(classes)} of each.")
    return codes.astype(np.intp), np.asarray(classes)


def labelled_samples(
    y: Any, owner: str, n_samples: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.generic]]:
    """The samples with a label, their class numbers, and the classes in order; -1, None and NaN mean unlabelled.

    No ``y`` at all means that no sample is labelled.
    """
    if y is None:
        empty = np.empty(0, dtype=np.intp)
        return empty, empty, np.empty(0)
    values = _checked_labels(y, owner, n_samples)
    unknown = pd.isna(values)
    if values.dtype.kind in "if":
        unknown = unknown | (values == -1)
    elif values.dtype.kind == "O":
        numbers = np.array([isinstance(value, Real) and not isinstance(value, bool) for value in values], dtype=bool)
        unknown = unknown | (
            numbers & np.array([n and v == -1 for n, v in zip(numbers, values, strict=True)], dtype=bool)
        )
    rows = np.flatnonzero(~unknown)
    codes, classes = pd.factorize(values[rows], sort=True)
    return rows, codes.astype(np.intp), np.asarray(classes)


def _checked_labels(y: Any, owner: str, n_samples: int | None) -> NDArray[Any]:
    """Labels in one dimension, one per sample, and no measurements."""
    if isinstance(y, (list, tuple)) and not any(np.ndim(label) for label in y):
        y = pd.Series(y)  # numpy would turn a missing label among text into the text 'nan'
    if isinstance(y, pd.Series) and pd.api.types.is_extension_array_dtype(y.dtype):
        y = y.to_numpy(dtype=object, na_value=np.nan)
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(f"{owner}: y must hold class labels, got infinite values; mark missing ones as NaN.")
    if values.ndim != 1 or (n_samples is not None and values.size != n_samples):
        raise ValueError(f"{owner}: y must be 1-dimensional with {n_samples} labels, got shape {values.shape}.")
    if values.dtype.kind == "f" and (values[np.isfinite(values)] % 1 != 0).any():
        raise ValueError(
            f"{owner}: y must hold class labels, got a continuous target; bin it, or use ReliefF or "
            "HSICScore(target_kernel='linear'), which take numbers."
        )
    return values
