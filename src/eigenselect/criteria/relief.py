"""ReliefF as a form over the edges between a sample and its near hits and misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.quadratic import AbsoluteForm, PowerForm, feature_terms
from eigenselect.graph import UnweightedGraph

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ReliefCriterion(BaseCriterion):
    r"""A sum over pairs, :math:`\sum_{i<j} A_{ij}\, \delta(f_i, f_j)`: weights A of misses positive, of hits negative.

    With :math:`\delta` the squared difference this is :math:`f^\top (D_A - A) f`, so :math:`\hat S = D_A - A` and
    :math:`\hat f = f`. With the absolute difference, features are divided by their range and the same edges are summed.

    Attributes
    ----------
    graph : UnweightedGraph
        A = W + Wᵀ.
    ranges : ndarray or None
        Range of every feature for absolute differences, None for squared ones.
    """

    graph: UnweightedGraph
    ranges: FloatArray | None = None

    @property
    def larger_is_better(self) -> bool:
        return True

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        form = PowerForm(1) if self.ranges is None else AbsoluteForm()
        terms = feature_terms(X, self.graph, form, n_jobs=n_jobs)
        defined = terms.spread > 0
        scale = 1.0 if self.ranges is None else np.where(defined, self.ranges, 1.0)
        return np.where(defined, terms.quadratic / scale, np.nan)

    def relevance(self, native: FloatArray) -> FloatArray:
        return native

    def matrix(self) -> FloatArray:
        if self.ranges is not None:
            raise ValueError("ReliefF with absolute differences is no quadratic form; use difference='squared'.")
        A = self.graph.to_array()
        return np.diag(A.sum(axis=1)) - A

    def features(self, X: FloatArray) -> FloatArray:
        return X
