"""Heat diffusion over a base graph, without its dense n × n kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, expm_multiply

from eigenselect.graph.sample_graph import FloatArray, SampleGraph


class DiffusionGraph(SampleGraph):
    r"""The graph of :math:`S = \exp(-\beta L_0)`, :math:`L_0` the Laplacian of a base graph.

    Because :math:`L_0 \mathbf 1 = 0`, all degrees are 1 and :math:`N = I - \exp(-\beta L_0)`: every spectral
    function of N is the function :math:`\mu \mapsto \gamma(1 - e^{-\beta\mu})` of the sparse :math:`L_0`. So the
    base graph carries all products, and S is never formed.

    Parameters
    ----------
    base : SampleGraph
        Sparse or dense graph that heat flows over.
    beta : float
        Diffusion time, positive.
    """

    def __init__(self, base: SampleGraph, beta: float, *, description: dict[str, Any] | None = None) -> None:
        self.base = base
        self.beta = float(beta)
        operator = _HeatKernel(base, self.beta)
        super().__init__(operator, degrees=np.ones(base.n_samples), components=base.components, description=description)

    frequencies_are_carriers = False

    @property
    def carrier(self) -> SampleGraph:
        return self.base

    def frequencies(self, carrier_eigenvalues: FloatArray) -> FloatArray:
        """1 - exp(-βμ), without cancellation for small μ."""
        return np.asarray(-np.expm1(-self.beta * np.asarray(carrier_eigenvalues)))


class _HeatKernel(LinearOperator):
    """exp(-β L₀) as an operator; products by scipy's truncated Taylor series."""

    def __init__(self, base: SampleGraph, beta: float) -> None:
        super().__init__(np.float64, (base.n_samples, base.n_samples))
        self._generator = -beta * base.laplacian()

    def _matmat(self, features: FloatArray) -> FloatArray:
        return np.asarray(expm_multiply(self._generator, features))

    def _matvec(self, feature: FloatArray) -> FloatArray:
        return self._matmat(np.reshape(feature, (-1, 1)))

    def _adjoint(self) -> _HeatKernel:
        return self
