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

    Here :math:`\varphi` is a ranking function of SPEC on the graph of all samples (φ3, of which large is good, enters
    as :math:`\gamma(2) - \varphi_3`, which is on the scale of φ1). NMI is the normalised mutual information, over the
    labelled samples, of the labels with the feature, cut into levels around its mean: the cluster indicator.

    Attributes
    ----------
    smoothness : Criterion
        Scores φ.
    gamma : SpectralFunction
        The function γ of φ.
    labels : PartialLabels
        The labelled samples.
    n_levels : int
        Levels of the cluster indicator.
    regularization : float or None
        The weight λ; None for the one with the smallest cut.
    search : callable or None
        From the table and the scores of a λ to its path, where λ is not given.

    See Also
    --------
    eigenselect.SSelect : The selector.

    References
    ----------
    Zhao and Liu, Semi-supervised feature selection via spectral analysis, SDM 2007, doi:10.1137/1.9781611972771.75.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.semisupervised import PartialLabels, SmoothAgreement
    >>> graph = es.graph.SampleGraph(np.kron(np.eye(2), np.ones((2, 2))))
    >>> gamma, labels = es.spectral.Power(1), PartialLabels(np.array([0, 3]), np.array([0, 1]))
    >>> smooth = es.criteria.phi("phi2", graph, gamma)
    >>> X = np.array([[1.0, 1], [1, 2], [3, 1], [3, 2]])
    >>> SmoothAgreement(smooth, gamma, labels, n_levels=2, regularization=0.5).scores(X).native
    array([0. , 0.5])
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
        """Score every feature with the given λ, or with the one whose top features have the smallest cut.

        Parameters
        ----------
        X : array, sparse matrix or Matrix of shape (n_samples, n_features)
            Finite numbers.
        n_jobs : int, optional
            Threads; None for all cores. Results do not depend on it.
        owner : str, default="SSelect"
            Who speaks in errors.

        Returns
        -------
        Scores
            With λ and the path that was searched among the ``attributes``.
        """
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
        """Return φ (small is good) and 1 - NMI of every feature: λ enters neither.

        Parameters
        ----------
        table : Matrix
            The features.
        n_jobs : int, optional
            Threads; None for all cores.

        Returns
        -------
        roughness : ndarray of shape (n_features,)
            The value φ; NaN where it is undefined.
        disagreement : ndarray of shape (n_features,)
            The value 1 - NMI.
        """
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

        Parameters
        ----------
        roughness : ndarray of shape (n_features,)
            The value φ.
        disagreement : ndarray of shape (n_features,)
            The value 1 - NMI.
        weight : float
            The weight λ.

        Returns
        -------
        Scores
            Small native values are good.
        """
        native = np.where(np.isnan(roughness), np.nan, weight * roughness + (1.0 - weight) * disagreement)
        graph, form = self.smoothness.graph, self.smoothness.form
        rounding = rounding_of_sums(graph.n_samples) * (np.abs(native) + weight * form.cancellation(graph))
        return Scores(native, 1.0 - native, rounding, self.larger_is_better)
