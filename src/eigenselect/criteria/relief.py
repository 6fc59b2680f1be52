"""ReliefF as a form over the edges between a sample and its near hits and misses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._rounding import rounding_of_sums
from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.quadratic import AbsoluteForm, PowerForm, feature_terms
from eigenselect.graph import UnweightedGraph

FloatArray = NDArray[np.float64]


@dataclass
class ReliefCriterion(BaseCriterion):
    r"""A sum over pairs, :math:`\sum_{i<j} A_{ij}\, \delta(f_i, f_j)`: weights A of misses positive, of hits negative.

    With :math:`\delta` the squared difference this is :math:`f^\top (D_A - A) f`, so :math:`\hat S = D_A - A` and
    :math:`\hat f = f`. With the absolute difference, features are divided by their range and the same edges are summed.

    Attributes
    ----------
    graph : UnweightedGraph
        A = W + Wᵀ.
    half_ranges : ndarray or None
        Half the range of every feature, which is finite however large its values are, for absolute differences; None
        for squared ones.
    exponents : ndarray or None
        The half ranges are those of the features divided by 2 to the power of these; None for features as they are.
    magnitude : ndarray
        After `native_scores`: what the rounding of each score is relative to.
    """

    graph: UnweightedGraph
    half_ranges: FloatArray | None = None
    exponents: NDArray[np.intp] | None = None
    magnitude: FloatArray = field(init=False)

    @property
    def larger_is_better(self) -> bool:
        return True

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        form = PowerForm(1) if self.half_ranges is None else AbsoluteForm()
        terms = feature_terms(X, self.graph, form, n_jobs=n_jobs)
        if self.half_ranges is None:
            terms = terms.in_unit_of_table("ReliefF")
            self.magnitude = terms.spread * self._largest_weight
            return np.where(terms.spread > 0, terms.quadratic, np.nan)
        given, measured = (0 if unit is None else unit for unit in (self.exponents, terms.exponent))
        defined = terms.spread > 0
        ranges = np.where(defined, np.ldexp(self.half_ranges, 1 + given - measured), 1.0)
        self.magnitude = np.full(terms.spread.size, 0.5 * float(abs(self.graph.affinity).sum()))
        return np.where(defined, terms.quadratic / ranges, np.nan)

    def tolerance(self, native: FloatArray) -> FloatArray:
        """Relative to the sum of all terms' magnitudes, because hits and misses nearly cancel."""
        return rounding_of_sums(self.graph.n_samples) * self.magnitude

    @property
    def _largest_weight(self) -> float:
        """A bound of ‖D_A - A‖: twice the largest sum of absolute weights of a sample."""
        return 2.0 * float(abs(self.graph.affinity).sum(axis=1).max())

    def relevance(self, native: FloatArray) -> FloatArray:
        return native

    def matrix(self) -> FloatArray:
        if self.half_ranges is not None:
            raise ValueError("ReliefF with absolute differences is no quadratic form; use difference='squared'.")
        A = self.graph.to_array()
        return np.diag(A.sum(axis=1)) - A

    def features(self, X: FloatArray) -> FloatArray:
        return X
