"""A graph for criteria that take features as they are: every sample counts the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect.graph.sample_graph import Affinity, SampleGraph


class UnweightedGraph(SampleGraph):
    r"""A similarity W, signed if need be, in the plain inner product.

    Its Laplacian form is :math:`f^\top (D_W - W) f = \tfrac12 \sum_{ij} W_{ij} (f_i - f_j)^2` with :math:`D_W` the
    row sums of W, which may have any sign: nothing is divided by them. Degrees are 1, so means are plain means.

    Parameters
    ----------
    weights : ndarray, csr_array or LinearOperator
        W, symmetric.
    """

    def __init__(self, weights: Affinity, *, description: dict[str, Any] | None = None) -> None:
        self._carrier = _AnySigned(weights)
        super().__init__(
            self._carrier.affinity, degrees=np.ones(weights.shape[0]), signed=True, description=description
        )

    @property
    def carrier(self) -> SampleGraph:
        return self._carrier


class _AnySigned(SampleGraph):
    """Row sums of any sign: only products are taken."""

    def __init__(self, weights: Affinity) -> None:
        super().__init__(weights, signed=True)

    def _check_degrees(self) -> None:
        if not np.isfinite(self.degrees).all():
            raise ValueError("The weights of the sample graph must be finite.")
