"""Similarity by shortest paths over a neighbour graph (Isomap's distance)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra

from eigenselect._checks import bandwidth, neighbors
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.edges import Edges
from eigenselect.similarity.kernel import rbf_matrix
from eigenselect.similarity.neighbors import nearest_neighbors


class Geodesic(BaseSimilarity, name="geodesic"):
    r"""RBF of the shortest-path distance over a kNN graph.

    .. math:: S_{ij} = \exp\left(-\frac{\delta_{ij}^2}{2\sigma^2}\right)

    where :math:`\delta_{ij}` is the length of the shortest path from i to j along edges between neighbours, each as
    long as the Euclidean distance of its ends. Samples in different components have similarity 0; the diagonal
    is 1. Needs n² numbers.

    Parameters
    ----------
    n_neighbors : int, default=10
    bandwidth : float, "median" or "self-tuning", default="median"
        As for `RBF`, of the path lengths.

    References
    ----------
    Zhao (2010), Table 2.1 ("Dijkstra"); Tenenbaum, de Silva and Langford (2000), doi:10.1126/science.290.5500.2319.

    Examples
    --------
    >>> import numpy as np
    >>> S = Geodesic(n_neighbors=1, bandwidth=1.0).build(np.array([[0.0], [1.0], [2.5]])).to_array()
    >>> bool(np.isclose(S[0, 2], np.exp(-2.5**2 / 2)))
    True
    """

    made_of_distances = True

    def __init__(self, n_neighbors: int = 10, bandwidth: float | str = "median") -> None:
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        bandwidth(self.bandwidth, "Geodesic")
        n_neighbors = neighbors(self.n_neighbors, "Geodesic", X.n_samples)
        indices, squared = nearest_neighbors(X, n_neighbors, n_jobs=n_jobs)
        edges = Edges(indices, squared)
        # An edge of length 0 (a copy) would not be stored; the smallest float keeps it at no cost.
        roads = edges.matrix(np.maximum(np.sqrt(edges.squared), np.finfo(float).tiny))
        paths = dijkstra(roads, directed=False)
        paths = np.minimum(paths, paths.T)  # the two directions add the same edges in another order
        affinity, sigma = rbf_matrix(paths**2, self.bandwidth)
        return SampleGraph(affinity, description={"bandwidth_used": sigma})
