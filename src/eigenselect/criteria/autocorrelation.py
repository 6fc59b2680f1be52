r"""Moran's I and Geary's C: the theorem on a graph where every sample counts the same.

With :math:`z = f - \bar f`, a sample similarity W with Laplacian L and :math:`\Sigma W = \mathbf 1^\top W \mathbf 1`,

.. math:: I = \frac{n}{\Sigma W} \frac{z^\top W z}{z^\top z}, \qquad
          C = \frac{n - 1}{2\,\Sigma W} \frac{\sum_{ij} w_{ij} (f_i - f_j)^2}{z^\top z}
            = \frac{n - 1}{\Sigma W} \frac{z^\top L z}{z^\top z}.

Similarities of a sample with itself are part of W and ΣW; for C their differences are 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.criteria.criterion import DEFLATED, LARGE, SMALL, Criterion
from eigenselect.criteria.forms import spectral_form
from eigenselect.criteria.quadratic import KernelForm, PowerForm
from eigenselect.graph import SampleGraph
from eigenselect.spectral import SpectralFunction


@dataclass(frozen=True)
class Line(SpectralFunction):
    """γ(λ) = a + bλ, by which graphs that are known through their spectrum (diffusion) have I and C.

    >>> Line(1.0, -1.0)(np.array([0.25]))
    array([0.75])
    """

    at_zero: float
    slope: float

    def __call__(self, eigenvalues: FloatArray) -> FloatArray:
        return self.at_zero + self.slope * np.asarray(eigenvalues)


def moran_criterion(graph: SampleGraph, owner: str = "moran_criterion") -> Criterion:
    """Make Moran's I of a graph, whatever the mass of its samples.

    >>> path = SampleGraph(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> moran_criterion(path).scores(np.array([[1.0], [2], [3]])).native
    array([0.])
    """
    factor = graph.n_samples / _total(graph, owner)
    graph = graph.weighing_equally()
    if graph.spectral_map is not None:  # W = I - N
        return Criterion(graph, DEFLATED, spectral_form(graph, Line(factor, -factor)), LARGE)
    return Criterion(graph, DEFLATED, KernelForm(graph.affinity, np.zeros(graph.n_samples), factor), LARGE)


def geary_criterion(graph: SampleGraph, owner: str = "geary_criterion") -> Criterion:
    """Make Geary's C of a graph: φ2 where every sample has the mass ΣW / (n - 1).

    >>> path = SampleGraph(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> geary_criterion(path).scores(np.array([[1.0], [2], [3]])).native
    array([0.5])
    """
    mass = _total(graph, owner) / (graph.n_samples - 1)
    if graph.spectral_map is not None:  # the map holds for mass 1
        graph = graph.weighing_equally()
        return Criterion(graph, DEFLATED, spectral_form(graph, Line(0.0, 1.0 / mass)), SMALL)
    return Criterion(graph.weighing_equally(mass), DEFLATED, PowerForm(1), SMALL)


def _total(graph: SampleGraph, owner: str) -> float:
    """Return ΣW, which must be positive."""
    total = float(graph.degrees.sum())
    if not total > 0:
        raise ValueError(
            f"{owner}: the similarities must have a positive sum, got {total:.4g}; a graph without edges, or one whose "
            "negative weights outweigh the others, has no autocorrelation."
        )
    return total
