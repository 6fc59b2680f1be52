r"""How similarities change with the weight of one feature.

A weight :math:`w_t` multiplies feature t inside the similarity; derivatives are taken where all weights are 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray


@dataclass(frozen=True)
class SquaredDifferences:
    r""":math:`\partial S_{ij} / \partial w_t = -S_{ij} (x_{it} - x_{jt})^2 / \sigma^2`, of RBF weights.

    The bandwidth :math:`\sigma`, and which pairs are neighbours, are held fixed.
    """

    bandwidth: float

    def matrix(self, affinity: Any, feature: FloatArray) -> Any:
        """Return ∂S of one feature, dense or sparse as S."""
        scaled = feature / self.bandwidth
        if not sparse.issparse(affinity):
            return -affinity * np.subtract.outer(scaled, scaled) ** 2
        first = np.repeat(np.arange(feature.size), np.diff(affinity.indptr))
        moved = -affinity.data * (scaled[first] - scaled[affinity.indices]) ** 2
        return sparse.csr_array((moved, affinity.indices, affinity.indptr), shape=affinity.shape)


@dataclass(frozen=True)
class Products:
    r""":math:`\partial S_{ij} / \partial w_t = 2 x_{it} x_{jt}`, of inner products."""

    def matrix(self, affinity: Any, feature: FloatArray) -> FloatArray:
        """Return ∂S of one feature."""
        return 2.0 * np.outer(feature, feature)


WeightDerivative = SquaredDifferences | Products
