"""HSIC: how strongly a feature depends on a target, by the unbiased estimator with a linear kernel on the feature."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.quadratic import KernelForm, feature_terms
from eigenselect.criteria.unit_deviation import at_unit_deviation
from eigenselect.graph import UnweightedGraph

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
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
    """

    graph: UnweightedGraph
    scale: str | None = None

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
        scores = np.where(terms.spread > 0, terms.quadratic / (n * (n - 3)), np.nan)
        return scores if self.scale is None else scores / (np.where(terms.spread > 0, terms.spread, np.nan) / n)

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
        return at_unit_deviation(X) if self.scale == "unit" else X
