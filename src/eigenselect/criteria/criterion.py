"""A criterion: the triple (similarity, normalisation, spectral function) and its scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from eigenselect._eigen import eigh, tell_whole_group
from eigenselect._rounding import rounding_of_sums
from eigenselect._warn import warn
from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.normalization import DEFLATED, UNIT, FeatureTerms, Normalization
from eigenselect.criteria.quadratic import ChebyshevForm, FactorForm, Form, PowerForm, feature_terms
from eigenselect.graph import SampleGraph, Spectrum
from eigenselect.spectral import Power, SpectralFunction, chebyshev_series

FloatArray = NDArray[np.float64]

#: samples up to which an arbitrary γ is computed from the full eigensystem
EXACT_SAMPLES = 400
#: samples up to which the full eigensystem is used where no polynomial fits γ
EXACT_FALLBACK_SAMPLES = 5000


@dataclass(frozen=True)
class Criterion(BaseCriterion):
    r"""A ranking function of SPEC on one graph.

    .. math::
        \varphi_1 &= \hat f^\top \gamma(N) \hat f = \sum_j \alpha_j^2 \gamma(\lambda_j) \\
        \varphi_2 &= \sum_{j\ge2} \alpha_j^2 \gamma(\lambda_j) \Big/ \sum_{j\ge2} \alpha_j^2 \\
        \varphi_3 &= \sum_{j=2}^{k} (\gamma(2) - \gamma(\lambda_j))\, \alpha_j^2

    where :math:`(\lambda_j, \xi_j)` are the eigenpairs of N, :math:`\hat f = D^{1/2} f / \lVert D^{1/2} f\rVert` and
    :math:`\alpha_j = \langle \hat f, \xi_j\rangle`. φ1 and φ2 are small for good features, φ3 is large.

    Attributes
    ----------
    graph : SampleGraph
    normalization : Normalization
        `UNIT` (φ1, φ3) or `DEFLATED` (φ2).
    gamma : SpectralFunction
    leading : Spectrum or None
        For φ3 the pairs 1..k, never a part of equal eigenvalues; ``None`` uses the whole spectrum.
    """

    graph: SampleGraph
    normalization: Normalization
    gamma: SpectralFunction
    leading: Spectrum | None = None

    @property
    def larger_is_better(self) -> bool:
        return self.leading is not None

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        """φ of every feature; NaN where it is undefined."""
        return self.score(feature_terms(X, self.graph, self.form, n_jobs=n_jobs))

    def score(self, terms: FeatureTerms) -> FloatArray:
        """φ from a feature's quadratic form, spread and mean."""
        at_zero = 0.0 if self.leading is not None else float(self.gamma(np.zeros(1))[0])
        return self.normalization.score(terms, at_zero)

    def relevance(self, native: FloatArray) -> FloatArray:
        """f̂ᵀŜf̂, where Ŝ = I - γ(N) for φ1 and φ2: larger is better for every criterion."""
        return native if self.larger_is_better else 1.0 - native

    def tolerance(self, native: FloatArray) -> FloatArray:
        """Relative to φ where it is a sum over differences of samples, which tiny φ are too; else to the largest γ."""
        rounding = rounding_of_sums(self.graph.n_samples)
        products = self.form.roundings(self.graph)
        largest = float(np.abs(self.gamma(np.array([0.0, 2.0]))).max())
        return rounding * (np.abs(native) + products * largest)

    @cached_property
    def form(self) -> Form:
        """How the quadratic form is computed here."""
        if self.leading is not None:
            return _factor(self.graph, self.leading.nontrivial_vectors(), self._leading_weights())
        if isinstance(self.gamma, Power) and self.gamma.is_integer and self.graph.frequencies_are_carriers:
            return PowerForm(int(self.gamma.exponent))
        if self.graph.n_samples <= EXACT_SAMPLES:
            return self._exact_form()
        return self._chebyshev_form()

    def matrix(self) -> FloatArray:
        """Ŝ as a dense array, from the full eigensystem: for looking and checking."""
        if self.leading is not None:
            vectors = self.leading.nontrivial_vectors()
            return np.asarray((vectors * self._leading_weights()) @ vectors.T)
        values, vectors = full_eigensystem(self.graph)
        return np.eye(self.graph.n_samples) - (vectors * self.gamma(values)) @ vectors.T

    def features(self, X: FloatArray) -> FloatArray:
        return self.normalization.apply(X, self.graph.degrees)

    def _leading_weights(self) -> FloatArray:
        assert self.leading is not None
        return np.asarray(self.gamma(np.array([2.0])) - self.gamma(self.leading.eigenvalues[1:]))

    def _exact_form(self) -> FactorForm:
        values, vectors = full_eigensystem(self.graph)
        return _factor(self.graph, vectors, self.gamma(values))

    def _chebyshev_form(self) -> Form:
        graph = self.graph
        series = chebyshev_series(lambda mu: self.gamma(graph.frequencies(mu)), graph.interval)
        if not series.converged:
            if graph.n_samples <= EXACT_FALLBACK_SAMPLES:
                return self._exact_form()
            warn(
                f"The spectral function is not smooth: its polynomial of degree {len(series.coefficients) - 1} is off "
                f"by up to {series.error:.1e}, and so may be every score.",
                ConvergenceWarning,
            )
        return ChebyshevForm(series)


def full_eigensystem(graph: SampleGraph) -> tuple[FloatArray, FloatArray]:
    """All eigenvalues of N and eigenvectors, by LAPACK on the carrier's n × n matrix.

    The vectors of equal eigenvalues are a choice of basis, for functions of N, which do not depend on it.
    """
    root = np.sqrt(graph.inverse_degrees)
    carrier = graph.carrier
    laplacian = np.diag(carrier.degrees) - carrier.to_array()
    values, vectors = eigh(root[:, None] * laplacian * root)
    if not graph.signed:
        values = np.maximum(values, 0.0)
        values[: graph.n_components] = 0.0  # known; rounding to 1e-16 would show in a γ that is steep at 0
    return graph.frequencies(values), vectors


def _factor(graph: SampleGraph, vectors: FloatArray, weights: FloatArray) -> FactorForm:
    return FactorForm(np.sqrt(graph.degrees)[:, None] * vectors, weights)


def phi(
    ranking: str,
    graph: SampleGraph,
    gamma: SpectralFunction,
    n_clusters: int | None = None,
    random_state: Any = None,
    *,
    owner: str = "phi3",
) -> Criterion:
    """The criterion named ``"phi1"``, ``"phi2"`` or ``"phi3"``; φ3 takes k from the eigen-gap if not given.

    Where k would end among equal eigenvalues φ3 takes all of these, and says so as its ``owner``.
    """
    if ranking == "phi1":
        return Criterion(graph, UNIT, gamma)
    if ranking == "phi2":
        return Criterion(graph, DEFLATED, gamma)
    if n_clusters is None:
        return Criterion(graph, UNIT, gamma, graph.eigengap_spectrum(random_state))
    leading = graph.whole_spectrum(n_clusters, random_state)
    if (used := len(leading.eigenvalues)) > n_clusters:
        tell_whole_group(f"{owner}: n_clusters={n_clusters}", used)
    return Criterion(graph, UNIT, gamma, leading)
