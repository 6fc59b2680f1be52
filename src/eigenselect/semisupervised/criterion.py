"""Smoothness over all samples and agreement with the labels of a few, weighed against each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.criteria.criterion import Criterion, Scores, rounding_of_sums
from eigenselect.criteria.quadratic import feature_terms
from eigenselect.matrix import Matrix, as_matrix
from eigenselect.semisupervised.label_agreement import PartialLabels, label_agreement
from eigenselect.semisupervised.regularization import RegularizationPath
from eigenselect.spectral import SpectralFunction


@dataclass(frozen=True)
class SmoothAgreement:
    r"""The regularised sum :math:`s(f) = \lambda\,\varphi(f) + (1-\lambda)(1 - \mathrm{NMI}(f, y))`, small is good.

    where :math:`\varphi` is a ranking function of SPEC on the graph of all samples (φ3, of which large is good, enters
    as :math:`\gamma(2) - \varphi_3`, which is on the scale of φ1), and NMI is taken over the labelled samples, see
    `label_agreement`.

    Attributes
    ----------
    smoothness : Criterion
        φ.
    gamma : SpectralFunction
    labels : PartialLabels
    n_levels : int
        Levels of the cluster indicator.
    regularization : float or None
        λ; None for the one with the smallest cut.
    search : callable or None
        From the table and the scores of a λ to its path, where λ is not given.
    """

    smoothness: Criterion
    gamma: SpectralFunction
    labels: PartialLabels
    n_levels: int
    regularization: float | None
    search: Callable[[Matrix, Callable[[float], Scores]], RegularizationPath] | None = None

    @property
    def larger_is_better(self) -> bool:
        """Direction of the scores."""
        return False

    def scores(self, X: Any, *, n_jobs: int | None = None, owner: str = "SSelect") -> Scores:
        """Score every feature with the given λ, or with the one whose top features have the smallest cut."""
        table = as_matrix(X)
        roughness, disagreement = self.parts(table, n_jobs=n_jobs)
        if self.regularization is not None or self.search is None:
            weight, found = self.regularization or 0.0, {}
        else:
            path = self.search(table, lambda value: self.weighted(roughness, disagreement, value))
            weight, found = path.best, {"regularization_path_": path.values, "cut_values_": path.cuts}
        known = replace(self, regularization=weight, search=None)
        attributes = {"criterion_": known, "regularization_": weight, **found, **self.smoothness.form.attributes}
        return replace(self.weighted(roughness, disagreement, weight), attributes=attributes)

    def parts(self, table: Matrix, *, n_jobs: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Return φ (small is good) and 1 - NMI of every feature: λ enters neither. NaN in φ where it is undefined."""
        terms = feature_terms(table, self.smoothness.graph, self.smoothness.form, n_jobs=n_jobs)
        roughness = self.smoothness.score_terms(terms).native
        if self.smoothness.larger_is_better:
            roughness = float(self.gamma(np.array([2.0]))[0]) - roughness
        if self.labels.n_classes < 2:  # labels of one class agree with nothing
            return roughness, np.ones_like(roughness)
        return roughness, 1.0 - label_agreement(table, terms, self.labels, n_levels=self.n_levels, n_jobs=n_jobs)

    def weighted(self, roughness: FloatArray, disagreement: FloatArray, weight: float) -> Scores:
        """Return λφ + (1-λ)(1 - NMI); undefined where φ is, even with λ = 0.

        Rounding is that of s itself, and of φ where that is not relative to it.
        """
        native = np.where(np.isnan(roughness), np.nan, weight * roughness + (1.0 - weight) * disagreement)
        graph, form = self.smoothness.graph, self.smoothness.form
        rounding = rounding_of_sums(graph.n_samples) * (np.abs(native) + weight * form.cancellation(graph))
        return Scores(native, 1.0 - native, rounding, self.larger_is_better)
