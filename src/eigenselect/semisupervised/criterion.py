"""Smoothness over all samples and agreement with the labels of a few, weighed against each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from eigenselect._rounding import rounding_of_sums
from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.criterion import Criterion
from eigenselect.criteria.quadratic import feature_terms
from eigenselect.semisupervised.label_agreement import PartialLabels, label_agreement

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SemiSupervisedCriterion(BaseCriterion):
    r"""The regularised sum :math:`s(f) = \lambda\,\varphi(f) + (1-\lambda)(1 - \mathrm{NMI}(f, y))`, small is good.

    :math:`\varphi` is a ranking function of SPEC on the graph of all samples; φ3, of which large is good, enters as
    :math:`\gamma(2) - \varphi_3`, which is on the scale of φ1. NMI is taken over the labelled samples, see
    `label_agreement`.

    Attributes
    ----------
    smoothness : Criterion
        φ.
    labels : PartialLabels
    n_levels : int
        Levels of the cluster indicator.
    regularization : float
        λ.
    """

    smoothness: Criterion
    labels: PartialLabels
    n_levels: int
    regularization: float

    @property
    def larger_is_better(self) -> bool:
        return False

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        return self.combined(*self.parts(X, n_jobs=n_jobs))

    def parts(self, X: Any, *, n_jobs: int | None = None) -> tuple[FloatArray, FloatArray]:
        """φ (small is good) and 1 - NMI of every feature: λ enters neither. NaN in φ where it is undefined."""
        terms = feature_terms(X, self.smoothness.graph, self.smoothness.form, n_jobs=n_jobs)
        roughness = self.smoothness.score(terms)
        if self.smoothness.larger_is_better:
            roughness = float(self.smoothness.gamma(np.array([2.0]))[0]) - roughness
        if self.labels.n_classes < 2:  # labels of one class agree with nothing
            return roughness, np.ones_like(roughness)
        return roughness, 1.0 - label_agreement(X, terms, self.labels, n_levels=self.n_levels, n_jobs=n_jobs)

    def combined(self, roughness: FloatArray, disagreement: FloatArray) -> FloatArray:
        """λφ + (1-λ)(1 - NMI); undefined where φ is, even with λ = 0."""
        weight = self.regularization
        return np.where(np.isnan(roughness), np.nan, weight * roughness + (1.0 - weight) * disagreement)

    def tolerance(self, native: FloatArray) -> FloatArray:
        """Of s itself, and of φ where rounding is not relative to it."""
        of_zero = float(self.smoothness.tolerance(np.zeros(1))[0])
        return rounding_of_sums(self.smoothness.graph.n_samples) * np.abs(native) + self.regularization * of_zero

    def relevance(self, native: FloatArray) -> FloatArray:
        return 1.0 - native

    def with_regularization(self, regularization: float) -> Self:
        """The same with another λ."""
        return replace(self, regularization=regularization)

    def matrix(self) -> FloatArray:
        raise ValueError(
            "SSelect adds agreement with labels, which is no quadratic form; SPEC has that of its first term."
        )

    def features(self, X: FloatArray) -> FloatArray:
        return self.smoothness.features(X)
