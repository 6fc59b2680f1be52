"""HSIC: how strongly a feature depends on a target, by the unbiased estimator with a linear kernel on the feature."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._rounding import rounding_of_sums
from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.quadratic import KernelForm, feature_terms
from eigenselect.criteria.unit_deviation import at_unit_deviation
from eigenselect.graph import ClassMeans, UnweightedGraph

FloatArray = NDArray[np.float64]


@dataclass
class HSICCriterion(BaseCriterion):
    r"""The unbiased HSIC of each feature with a target kernel K (diagonal left out).

    .. math:: \hat S = \frac{1}{n(n-3)} \left[K + \frac{\mathbf 1^\top K \mathbf 1}{(n-1)(n-2)} (\mathbf{11}^\top - I)
              - \frac{2}{n-2} \left(K \mathbf{11}^\top - \mathrm{diag}(K\mathbf 1)\right)\right], \qquad \hat f = f

    The symmetric part of Ŝ has zero row sums, so f may be centred first; then all but the diagonal of the rank-one
    terms vanishes, and the score is :math:`g^\top K g + \sum_i a_i g_i^2` with
    :math:`a = \frac{2}{n-2} K\mathbf 1 - \frac{\mathbf 1^\top K\mathbf 1}{(n-1)(n-2)}`.

    Attributes
    ----------
    graph : UnweightedGraph
        Its affinity is K, with any diagonal.
    scale : "unit" or None, default=None
        ``"unit"``: :math:`\hat f` is f divided by its standard deviation, so the score is divided by its variance.
    magnitude : ndarray
        After `native_scores`: what the rounding of each score is relative to.
    """

    graph: UnweightedGraph
    scale: str | None = None
    magnitude: FloatArray = field(init=False)

    @property
    def larger_is_better(self) -> bool:
        return True

    @cached_property
    def _row_sums(self) -> FloatArray:
        """K1 without the diagonal."""
        return self.graph.carrier.degrees - self.graph.affinity.diagonal()

    @cached_property
    def form(self) -> KernelForm:
        n = self.graph.n_samples
        total = self._row_sums.sum()
        added = 2.0 / (n - 2) * self._row_sums - total / ((n - 1) * (n - 2))
        return KernelForm(self.graph.affinity, added - self.graph.affinity.diagonal())

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        n = self.graph.n_samples
        terms = feature_terms(X, self.graph, self.form, n_jobs=n_jobs)
        terms = terms if self.scale == "unit" else terms.in_unit_of_table("HSICScore")
        spread = np.where(terms.spread > 0, terms.spread, np.nan)
        unit = spread / n if self.scale == "unit" else np.where(terms.spread > 0, 1.0, np.nan)
        self.magnitude = self._largest_weight * (spread / unit) / (n * (n - 3))
        return terms.quadratic / unit / (n * (n - 3))

    def tolerance(self, native: FloatArray) -> FloatArray:
        """Relative to |g|²‖Ŝ‖, of which a weak dependence is what is left when large terms cancel."""
        return rounding_of_sums(self.graph.n_samples) * self.magnitude

    @cached_property
    def _largest_weight(self) -> float:
        """A bound of ‖K + diag(a)‖: the largest sum of absolute values of a row."""
        K = self.graph.affinity
        rows = np.ones(1) if isinstance(K, ClassMeans) else np.asarray(abs(K).sum(axis=1)).ravel()
        return float(rows.max() + np.abs(self.form.diagonal).max())

    def relevance(self, native: FloatArray) -> FloatArray:
        return native

    def matrix(self) -> FloatArray:
        n = self.graph.n_samples
        K = self.graph.to_array().copy()
        np.fill_diagonal(K, 0.0)
        k, ones = K.sum(axis=1), np.ones((n, n))
        S = (
            K
            + k.sum() / ((n - 1) * (n - 2)) * (ones - np.eye(n))
            - 2.0 / (n - 2) * (np.outer(k, np.ones(n)) - np.diag(k))
        )
        return (S + S.T) / (2 * n * (n - 3))

    def features(self, X: FloatArray) -> FloatArray:
        return at_unit_deviation(X, self.graph) if self.scale == "unit" else X
