"""Similarity by shortest paths over a neighbour graph (Isomap's distance)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra

from eigenselect._checks import bandwidth, choice, neighbors
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.edges import Edges
from eigenselect.similarity.kernel import rbf_matrix
from eigenselect.similarity.neighbors import nearest_neighbors

#: rows and columns of the blocks in which two directions are compared
BLOCK = 512


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
            return self._path_graph(X, n_neighbors, n_jobs)

    def _path_graph(self, X: Matrix, n_neighbors: int, n_jobs: int | None) -> SampleGraph:
        indices, squared = nearest_neighbors(X, n_neighbors, metric=self.metric, n_jobs=n_jobs)
        edges = Edges(indices, squared)
        # An edge of length 0 (a copy) would not be stored; the smallest float keeps it at no cost.
        roads = edges.matrix(np.maximum(np.sqrt(edges.squared), np.finfo(float).tiny))
        paths = dijkstra(roads, directed=False, unweighted=self.weight == "hops")
        _take_shorter(paths)
        affinity, sigma = rbf_matrix(np.square(paths, out=paths), self.bandwidth)
        return SampleGraph(affinity, description={"bandwidth_used": sigma})


def _take_shorter(paths: FloatArray) -> None:
    """Give both directions of a path the shorter length, in place: they add the same edges in another order.

    >>> paths = np.array([[0.0, 2.0], [1.0, 0.0]])
    >>> _take_shorter(paths)
    >>> paths
    array([[0., 1.],
           [1., 0.]])
    """
    blocks = slices(len(paths), BLOCK)
    for place, rows in enumerate(blocks):
        for columns in blocks[: place + 1]:
            shorter = np.minimum(paths[rows, columns], paths[columns, rows].T)
            paths[rows, columns], paths[columns, rows] = shorter, shorter.T
