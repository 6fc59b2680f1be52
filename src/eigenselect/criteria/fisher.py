"""Fisher score: φ2 on the class-label similarity, in its own scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._rounding import rounding_of_sums
from eigenselect.criteria.criterion import Criterion

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class FisherCriterion(Criterion):
    r""":math:`F = \sum_l n_l (\mu_l - \mu)^2 / \sum_l n_l \sigma_l^2 = 1/\varphi_2 - 1`, large is good.

    With the class-label similarity, φ2 is the share of a feature's scatter that lies within classes: 1/(1 + F).
    """

    @property
    def larger_is_better(self) -> bool:
        return True

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        within_share = super().native_scores(X, n_jobs=n_jobs)
        with np.errstate(divide="ignore"):  # no scatter within classes: a perfect feature, infinitely good
            return (1.0 - within_share) / within_share

    def tolerance(self, native: FloatArray) -> FloatArray:
        """That of φ2 = 1 / (1 + F), as a change of F: where F is small, 1 - φ2 has lost its leading digits."""
        return rounding_of_sums(self.graph.n_samples) * (1.0 + native)

    def relevance(self, native: FloatArray) -> FloatArray:
        """1 - φ2 = F / (1 + F)."""
        with np.errstate(divide="ignore"):
            return 1.0 / (1.0 + 1.0 / native)
