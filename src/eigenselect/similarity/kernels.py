"""Similarities of all pairs of samples: RBF of distances or of path lengths, inner products, cosines."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra

from eigenselect._checks import bandwidth, choice, neighbors
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.matrix.value_range import LARGEST
from eigenselect.similarity.base import BaseSimilarity, Products, SquaredDifferences, WeightDerivative
from eigenselect.similarity.knn import Edges, median_distance, positive_scales, rbf_weights
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.pairs import CACHED_BYTES, cosine_matrix, gram_matrix, panel_rows, squared_distances

#: neighbour whose distance is a sample's own scale in a full self-tuning kernel
SELF_TUNING_NEIGHBOR = 7


def rbf_matrix(
    squared: FloatArray, bandwidth: float | str, n_jobs: int | None = None
) -> tuple[FloatArray, float | None]:
    """Replace all squared distances by their RBF weights, in place, in panels of rows; return the one bandwidth, too.

    Infinite distances get weight 0.
    """
    sigma, panels = None, slices(len(squared), panel_rows(len(squared), CACHED_BYTES))
    if bandwidth == "self-tuning":
        scales = positive_scales(np.concatenate(map_blocks(lambda rows: _own_scales(squared[rows]), panels, n_jobs)))
    else:
        sigma = _median_of_pairs(squared) if bandwidth == "median" else float(bandwidth)
        scales = np.full(len(squared), sigma)

    def weigh(rows: slice) -> None:
        squared[rows] = rbf_weights(squared[rows], scales[rows, None], scales)

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

    def _kernel_graph(self, pairs: FloatArray, n_jobs: int | None) -> SampleGraph:
        largest = max(pairs.max(), -pairs.min())
        if 0 < largest < 1 / LARGEST or largest > LARGEST:  # no score depends on the unit of S
            return SampleGraph(pairs / largest, signed=bool(pairs.min() < 0), description={"divided_by": largest})
        return super()._kernel_graph(pairs, n_jobs)

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        return None if "divided_by" in graph.description else Products()


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


class Geodesic(BaseSimilarity, name="geodesic"):
    r"""RBF of the shortest-path distance over a kNN graph.

    .. math:: S_{ij} = \exp\left(-\frac{\delta_{ij}^2}{2\sigma^2}\right)

    where :math:`\delta_{ij}` is the length of the shortest path from i to j along edges between neighbours, each as
    long as the distance of its ends, or, with ``weight="hops"``, the smallest number of edges between them. Samples in
    different components have similarity 0; the diagonal is 1. Needs n² numbers, and says so before they are made.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours of each sample, to which edges go.
    bandwidth : float, "median" or "self-tuning", default="median"
        As for `RBF`, of the path lengths.
    weight : {"length", "hops"}, default="length"
        How long an edge is: as the distance of its ends, or 1. Hops do not see how dense samples are; the papers'
        tables of Dijkstra's similarity are nearer to them.
    metric : {"euclidean", "cosine"}, default="euclidean"
        The distance between samples, for neighbours and lengths, as for `KNN`.

    See Also
    --------
    RBF : The same weight of straight distances.
    KNN : The neighbour graph itself.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    Table 2.1 ("Dijkstra"); Tenenbaum, de Silva and Langford, A global geometric framework for nonlinear dimensionality
    reduction, Science 2000, doi:10.1126/science.290.5500.2319.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import RBF, Geodesic
    >>> corner = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> Geodesic(n_neighbors=1, bandwidth=1.0).build(corner).to_array()[0].round(3)  # exp(-2² / 2) around the corner
    array([1.   , 0.607, 0.135])
    >>> RBF(bandwidth=1.0).build(corner).to_array()[0].round(3)
    array([1.   , 0.607, 0.368])
    >>> uneven = np.array([[0.0], [1.0], [2.5]])
    >>> Geodesic(n_neighbors=1, bandwidth=1.0, weight="hops").build(uneven).to_array()[0].round(3)  # two edges away
    array([1.   , 0.607, 0.135])
    """

    made_of_distances = True
    holds_all_pairs = True

    def __init__(
        self,
        n_neighbors: int = 10,
        bandwidth: float | str = "median",
        *,
        weight: str = "length",
        metric: str = "euclidean",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.weight = weight
        self.metric = metric

    @property
    def bandwidth_has_unit(self) -> bool:
        """Lengths have the unit of X, hops have none."""
        return self.weight == "length"

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        bandwidth(self.bandwidth, "Geodesic")
        choice(self.weight, "weight", "Geodesic", ("length", "hops"))
        choice(self.metric, "metric", "Geodesic", ("euclidean", "cosine"))
        n_neighbors = neighbors(self.n_neighbors, "Geodesic", X.n_samples)
        with self.room_for_pairs(X.n_samples, owner):
            edges = Edges(*nearest_neighbors(X, n_neighbors, metric=self.metric, n_jobs=n_jobs))
            # an edge of length 0 (a copy) would not be stored; the smallest float keeps it at no cost
            lengths = edges.matrix(np.maximum(np.sqrt(edges.squared), np.finfo(float).tiny))
            paths = dijkstra(lengths, directed=False, unweighted=self.weight == "hops")
            for row in range(1, len(paths)):  # both directions of a path add the same edges in another order
                paths[row, :row] = paths[:row, row] = np.minimum(paths[row, :row], paths[:row, row])
            affinity, sigma = rbf_matrix(np.square(paths, out=paths), self.bandwidth)
        return SampleGraph(affinity, description={"bandwidth_used": sigma})
