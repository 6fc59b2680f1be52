"""Similarities along the edges of a neighbour graph: heat diffusion, and shortest paths (Isomap's distance)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra

from eigenselect._checks import bandwidth, choice, neighbors, number
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.kernels import rbf_matrix
from eigenselect.similarity.knn import KNN, Edges, described_search
from eigenselect.similarity.neighbors import nearest_neighbors

#: rows and columns of the blocks in which two directions are compared
BLOCK = 512


class Diffusion(BaseSimilarity, name="diffusion"):
    r"""How much heat flows from one sample to another along a kNN graph in time :math:`\beta`.

    .. math:: S = \exp(-\beta L_0)

    where :math:`L_0` is the Laplacian of the `KNN` graph with the same parameters. Its degrees are 1, and it is
    only ever applied, never formed: memory stays that of the neighbour graph.

    Parameters
    ----------
    beta : float, default=1.0
        Diffusion time: larger looks further along the graph.
    n_neighbors : int, default=10
        Neighbours of each sample.
    weight : {"rbf", "binary", "cosine"}, default="rbf"
        Of the edges; this and all that follow as for `KNN`.
    bandwidth : float, "median" or "self-tuning", default="median"
        Of the RBF weight.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance that decides which samples are neighbours.
    algorithm : {"auto", "exact", "approximate"} or object, default="auto"
        Backend of the neighbour search.
    n_components : int, optional
        Search in so many dimensions; in all features by default.
    projection : {"pca", "random"}, default="pca"
        Principal components, or a random projection.
    random_state : int, RandomState or None, default=None
        Of an approximate search and of projections; None is a fixed start.

    See Also
    --------
    KNN : The neighbour graph.
    eigenselect.spectral.Heat : The same flow on the normalised Laplacian, as a spectral function of any graph.

    References
    ----------
    Kondor and Lafferty, Diffusion kernels on graphs, ICML 2002; Zhao and Liu (2007), Table 1,
    doi:10.1145/1273496.1273641.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import Diffusion
    >>> graph = Diffusion(beta=0.5, n_neighbors=1, weight="binary").build(np.array([[0.0], [1.0]]))
    >>> graph.to_array().round(3)
    array([[0.684, 0.316],
           [0.316, 0.684]])
    """

    made_of_distances = True

    def __init__(
        self,
        beta: float = 1.0,
        n_neighbors: int = 10,
        weight: str = "rbf",
        bandwidth: float | str = "median",
        *,
        metric: str = "euclidean",
        algorithm: Any = "auto",
        n_components: int | None = None,
        projection: str = "pca",
        random_state: Any = None,
    ) -> None:
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.bandwidth = bandwidth
        self.metric = metric
        self.algorithm = algorithm
        self.n_components = n_components
        self.projection = projection
        self.random_state = random_state

    def describe(self) -> dict[str, Any]:
        return described_search(super().describe())

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        number(self.beta, "beta", "Diffusion")
        parameters = self.get_params(deep=False)
        del parameters["beta"]
        base = KNN(**parameters).build(X, owner=owner, n_jobs=n_jobs)
        return base.diffuse(float(self.beta), {**base.description, **self.describe()})


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
