"""Full kernels between samples: RBF, linear, cosine."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from eigenselect._checks import bandwidth
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.base import BaseSimilarity, Products, SquaredDifferences, WeightDerivative
from eigenselect.similarity.knn import median_distance, positive_scales, rbf_weights
from eigenselect.similarity.pairs import CACHED_BYTES, cosine_matrix, gram_matrix, panel_rows, squared_distances

#: neighbour whose distance is a sample's own scale in a full self-tuning kernel
SELF_TUNING_NEIGHBOR = 7


def rbf_matrix(
    squared: FloatArray, bandwidth: float | str, n_jobs: int | None = None
) -> tuple[FloatArray, float | None]:
    """Replace a full matrix of squared distances by its RBF weights, in place, panel by panel of rows.

    Infinite distances get weight 0, and so do weights that are subnormal. Also returns the global bandwidth.
    """
    sigma, panels = None, slices(len(squared), panel_rows(len(squared), CACHED_BYTES))
    if bandwidth == "self-tuning":
        scales = positive_scales(np.concatenate(map_blocks(lambda rows: _own_scales(squared[rows]), panels, n_jobs)))
    else:
        sigma = _median_of_pairs(squared) if bandwidth == "median" else float(bandwidth)
        scales = np.full(len(squared), sigma)

    def weigh(rows: slice) -> None:
        weights = rbf_weights(squared[rows], scales[rows, None], scales)
        squared[rows] = np.where(weights < np.finfo(np.float64).tiny, 0.0, weights)

    map_blocks(weigh, panels, n_jobs)
    return squared, sigma


def _own_scales(squared: FloatArray) -> FloatArray:
    """Return the distance of some samples to their own neighbour of a fixed rank; 0 if no path leads to it."""
    neighbor = min(SELF_TUNING_NEIGHBOR, squared.shape[1] - 1)
    scales = np.sqrt(np.partition(squared, neighbor, axis=1)[:, neighbor])
    return np.where(np.isfinite(scales), scales, 0.0)


def _median_of_pairs(squared: FloatArray) -> float:
    """Return the median distance of two samples, from the part of an n × n matrix above the diagonal."""
    distances = np.concatenate([row[place:] for place, row in enumerate(squared, start=1)])
    return median_distance(np.sqrt(distances, out=distances))


class _Kernel(BaseSimilarity):
    """A similarity of which every entry comes from one pair of samples."""

    holds_all_pairs = True

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        with self.room_for_pairs(X.n_samples, owner):
            known = self._known_pairs(X)
            return self._kernel_graph(self.pairs(X, n_jobs) if known is None else known.copy(), n_jobs)

    @abstractmethod
    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray: ...

    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        """Build the graph from products or distances of all pairs, which may be overwritten."""
        return SampleGraph(pairs, signed=bool(pairs.min() < 0))


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

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        bandwidth(self.bandwidth, "RBF")
        return super()._graph(X, y, owner, n_jobs)

    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        affinity, sigma = rbf_matrix(pairs, self.bandwidth, n_jobs)
        return SampleGraph(affinity, description={"bandwidth_used": sigma})

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        sigma = graph.description["bandwidth_used"]
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
