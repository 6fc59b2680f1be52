"""Heat diffusion over a sample graph, as a map of its spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.linalg import LinearOperator, expm_multiply

from eigenselect._typing import FloatArray

if TYPE_CHECKING:
    from eigenselect.graph.sample_graph import SampleGraph


@dataclass(frozen=True)
class HeatFlow:
    r"""The spectral map of :math:`S = \exp(-\beta L_0)`, :math:`L_0` the Laplacian of a base graph with mass 1.

    Because :math:`L_0 \mathbf 1 = 0`, every row of S sums to 1 and :math:`N = I - \exp(-\beta L_0)`. A spectral
    function γ of N is the function :math:`\mu \mapsto \gamma(1 - e^{-\beta\mu})` of :math:`L_0`, so products with the
    base graph are enough and S is never formed.

    Parameters
    ----------
    beta : float
        Time β that heat flows.

    See Also
    --------
    SampleGraph.diffuse : Makes a graph with this map.
    eigenselect.similarity.Diffusion : The similarity for selectors.

    References
    ----------
    Kondor and Lafferty, Diffusion kernels on graphs and other discrete input spaces, ICML 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import HeatFlow
    >>> HeatFlow(2.0).frequencies(np.array([0.0, 0.5])).round(3)
    array([0.   , 0.632])
    """

    beta: float

    def frequencies(self, eigenvalues: FloatArray) -> FloatArray:
        """Map eigenvalues μ of L₀ to those of N, 1 - exp(-βμ), without cancellation for small μ.

        Parameters
        ----------
        eigenvalues : array
            Eigenvalues μ of the base graph's Laplacian.

        Returns
        -------
        ndarray of the same shape
            Eigenvalues of N, from 0 to below 1.
        """
        return np.asarray(-np.expm1(-self.beta * np.asarray(eigenvalues)))

    def similarity(self, base: SampleGraph) -> LinearOperator:
        """Return exp(-β L₀) as an operator.

        Parameters
        ----------
        base : SampleGraph
            The graph over which heat flows.

        Returns
        -------
        LinearOperator of shape (n, n)
            Its products are computed by scipy's `expm_multiply`.
        """
        return _HeatKernel(base, self.beta)


class _HeatKernel(LinearOperator):
    """exp(-β L₀); products by scipy's truncated Taylor series."""

    def __init__(self, base: SampleGraph, beta: float) -> None:
        super().__init__(np.float64, (base.n_samples, base.n_samples))
        self._generator = -beta * base.stored_laplacian()

    def _matmat(self, features: FloatArray) -> FloatArray:
        return np.asarray(expm_multiply(self._generator, features))

    def _matvec(self, feature: FloatArray) -> FloatArray:
        return self._matmat(np.reshape(feature, (-1, 1)))

    def _adjoint(self) -> _HeatKernel:
        return self
