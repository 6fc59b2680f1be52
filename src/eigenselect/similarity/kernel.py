"""Full kernels between samples: RBF, linear, cosine."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from eigenselect._checks import bandwidth
from eigenselect._parallel import map_blocks
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.bandwidth import (
    SELF_TUNING_NEIGHBOR,
    bandwidth_in_unit,
    median_of_pairs,
    positive_scales,
    rbf_weights,
)
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.derivative import Products, SquaredDifferences, WeightDerivative
from eigenselect.similarity.distances import cosine_matrix, gram_matrix, squared_distances, thin_panels


def rbf_matrix(
    squared: FloatArray, bandwidth: float | str, n_jobs: int | None = None
) -> tuple[FloatArray, float | None]:
    """Replace a full matrix of squared distances by its RBF weights, in place, panel by panel of rows.

    Infinite distances get weight 0, and so do weights that are subnormal. The global bandwidth used is returned, too.
    """
    sigma: float | None = None
    scales = None
    if bandwidth == "self-tuning":
        scales = _own_scales(squared, n_jobs)
    else:
        sigma = median_of_pairs(squared) if bandwidth == "median" else float(bandwidth)

    def weigh(rows: slice) -> None:
        panel = squared[rows]
        pair = (sigma,) if scales is None else (scales[rows, None], scales)
        panel[...] = rbf_weights(panel, *pair)
        panel[panel < np.finfo(np.float64).tiny] = 0.0

    map_blocks(weigh, thin_panels(len(squared)), n_jobs)
    return squared, sigma


def _own_scales(squared: FloatArray, n_jobs: int | None) -> FloatArray:
    """Return the distance of every sample to its own neighbour of a fixed rank."""
    neighbor = min(SELF_TUNING_NEIGHBOR, len(squared) - 1)

    def nearest(rows: slice) -> FloatArray:
        return np.sqrt(np.partition(squared[rows], neighbor, axis=1)[:, neighbor])

    scales = np.concatenate(map_blocks(nearest, thin_panels(len(squared)), n_jobs))
    return positive_scales(np.where(np.isfinite(scales), scales, 0.0))


class _Kernel(BaseSimilarity):
    """A similarity of which every entry comes from one pair of samples."""

    holds_all_pairs = True

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        """Refuse what memory does not hold, then make the kernel of an array that nobody else has."""
        self._check_kernel()
        with self.room_for_pairs(X.n_samples, owner):
            known = self._known_pairs(X)
            return self._kernel_graph(self.pairs(X, n_jobs) if known is None else known.copy(), n_jobs)

    def _check_kernel(self) -> None:
        """Refuse parameters that are wrong."""

    @abstractmethod
    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray: ...

    @abstractmethod
    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        """Make the graph of what is known of all pairs, which may be overwritten."""


class RBF(_Kernel, name="rbf"):
    r"""Radial basis function of all pairs of samples.

    .. math:: S_{ij} = \exp\left(-\frac{\lVert x_i - x_j\rVert^2}{2\sigma^2}\right)

    with 1 on the diagonal. Needs n² numbers (0.5 GB for 8000 samples), and says so before memory is gone; for many
    samples use `KNN`.

    Parameters
    ----------
    bandwidth : float, "median" or "self-tuning", default="median"
        :math:`\sigma`. ``"median"`` is the median distance between two samples; ``"self-tuning"`` replaces
        :math:`\sigma^2` by :math:`\sigma_i\sigma_j`, :math:`\sigma_i` the distance of sample i to its 7th neighbour.

    See Also
    --------
    KNN : The same weights between neighbours only.
    Geodesic : The same weight of path lengths.

    References
    ----------
    Zhao and Liu (2007), Eq. 1, doi:10.1145/1273496.1273641; Zelnik-Manor and Perona, Self-tuning spectral clustering,
    NeurIPS 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import RBF
    >>> RBF(bandwidth=1.0).build(np.array([[0.0], [2.0]])).to_array().round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    made_of_distances = True

    def __init__(self, bandwidth: float | str = "median") -> None:
        self.bandwidth = bandwidth

    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray:
        return squared_distances(X, n_jobs=n_jobs)

    def _check_kernel(self) -> None:
        bandwidth(self.bandwidth, "RBF")

    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        affinity, sigma = rbf_matrix(pairs, self.bandwidth, n_jobs)
        return SampleGraph(affinity, description={"bandwidth_used": sigma})

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        sigma = bandwidth_in_unit(graph)
        return None if sigma is None else SquaredDifferences(sigma)


class Linear(_Kernel, name="linear"):
    r"""Inner products of samples, :math:`S_{ij} = x_i^\top x_j`.

    Every sample must have a positive degree :math:`\sum_j x_i^\top x_j`: true for non-negative data (counts,
    pixels), an error otherwise. Needs n² numbers.

    See Also
    --------
    Cosine : Products of samples of length 1.
    RBF : Falls with the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import Linear
    >>> Linear().build(np.array([[1.0, 0], [1, 2]])).to_array()
    array([[1., 1.],
           [1., 5.]])
    """

    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray:
        return gram_matrix(X, n_jobs=n_jobs)

    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        return _inner_product_graph(pairs)

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative:
        return Products()


class Cosine(_Kernel, name="cosine"):
    r"""Cosines between samples, :math:`S_{ij} = x_i^\top x_j / \lVert x_i\rVert\lVert x_j\rVert`.

    A sample of zeros has similarity 0 to all. As for `Linear`, degrees must be positive. Needs n² numbers.

    See Also
    --------
    Linear : Products of samples as they are.
    KNN : Has cosines as distances and as weights of few edges.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import Cosine
    >>> Cosine().build(np.array([[1.0, 0], [3, 4]])).to_array()
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray:
        return cosine_matrix(X, n_jobs=n_jobs)

    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        return _inner_product_graph(pairs)


def _inner_product_graph(affinity: FloatArray) -> SampleGraph:
    return SampleGraph(affinity, signed=bool(affinity.min() < 0))
