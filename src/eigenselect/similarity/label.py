"""Similarity by class: samples of one class are alike, others are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from eigenselect.graph import SampleGraph
from eigenselect.similarity.base import BaseSimilarity

FloatArray = NDArray[np.float64]


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
    expects_components = True

    def build(self, X: Any, y: Any = None, *, n_jobs: int | None = None) -> SampleGraph:
        codes, classes = encode_classes(y, type(self).__name__, None if X is None else X.shape[0])
        return SampleGraph(
            _ClassMeans(codes, len(classes)),
            degrees=np.ones(codes.size),
            components=codes,
            description={**self.describe(), "n_classes": len(classes)},
        )


def encode_classes(y: Any, owner: str, n_samples: int | None = None) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Class numbers in order of first appearance, and the classes; refuses missing labels and a single class."""
    if y is None:
        raise ValueError(
            f"{owner} requires y to be passed, but the target y is None; call fit(X, y) with one label per sample."
        )
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1 or (n_samples is not None and values.size != n_samples):
        raise ValueError(f"{owner}: y must be 1-dimensional with {n_samples} labels, got shape {values.shape}.")
    codes, classes = pd.factorize(values, use_na_sentinel=True)
    if (missing := int((codes < 0).sum())) > 0:
        raise ValueError(f"{owner}: y must not have missing labels, got {missing}; drop those samples or label them.")
    if len(classes) < 2:
        raise ValueError(f"{owner}: y must have at least 2 classes, got 1 ({classes[0]!r}); nothing separates them.")
    return codes.astype(np.intp), np.asarray(classes)


class _ClassMeans(LinearOperator):
    """The projector onto functions that are constant on classes."""

    def __init__(self, codes: NDArray[np.intp], n_classes: int) -> None:
        n_samples = codes.size
        super().__init__(np.float64, (n_samples, n_samples))
        self._member = sparse.csr_array(
            (np.ones(n_samples), codes, np.arange(n_samples + 1)), shape=(n_samples, n_classes)
        )
        self._inverse_sizes = 1.0 / np.bincount(codes, minlength=n_classes)

    def _matmat(self, features: FloatArray) -> FloatArray:
        means = self._inverse_sizes[:, None] * (self._member.T @ features)
        return np.asarray(self._member @ means)

    def _matvec(self, feature: FloatArray) -> FloatArray:
        return self._matmat(np.reshape(feature, (-1, 1)))

    def _adjoint(self) -> _ClassMeans:
        return self
