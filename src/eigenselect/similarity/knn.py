"""The k-nearest-neighbour graph: the default, sparse, and exact unless it is large."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._checks import bandwidth, choice, neighbors
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.bandwidth import (
    bandwidth_in_unit,
    median_bandwidth,
    positive_scales,
    rbf_weights,
)
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.derivative import SquaredDifferences, WeightDerivative
from eigenselect.similarity.distances import rows_of_like_size, squared_distances
from eigenselect.similarity.edges import Edges
from eigenselect.similarity.search import described_search, find_neighbors

#: edges whose cosines are computed at once
EDGES = 2048


class KNN(BaseSimilarity, name="knn"):
    r"""Weights between each sample and its nearest neighbours.

    .. math:: S_{ij} = w(x_i, x_j) \text{ if } j \in \mathrm{kNN}(i) \text{ or } i \in \mathrm{kNN}(j),
              \text{ else } 0

    without self-loops. Neighbours are exact, unless ``algorithm`` says otherwise; ties go to the lower sample number.

    Parameters
    ----------
    n_neighbors : int, default=10
        The k, less than the number of samples.
    weight : {"rbf", "binary", "cosine"}, default="rbf"
        :math:`w`: :math:`\exp(-d^2/2\sigma^2)`, 1, or the cosine of the two samples (negative ones count as 0).
    bandwidth : float, "median" or "self-tuning", default="median"
        :math:`\sigma` of the RBF weight. ``"median"`` is the median of the distances that the graph keeps;
        ``"self-tuning"`` replaces :math:`\sigma^2` by :math:`\sigma_i\sigma_j`, :math:`\sigma_i` the distance of
        sample i to its k-th neighbour.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance that decides who is a neighbour, and enters the RBF weight.
    algorithm : {"auto", "exact", "approximate"} or object, default="auto"
        Who searches. ``"approximate"`` misses a few neighbours, about 3 in 100; distances of those that it finds are
        exact. Samples are compared within cells, as many as find that part; where these would be too many (large
        tables of noise), pynndescent (``pip install eigenselect[ann]``) searches. ``"auto"`` is exact, but approximate
        where pynndescent is installed and an exact search would take long (from 100 000 samples of 50 features on),
        and then warns. An object with scikit-learn's interface of ``KNeighborsTransformer`` finds at least
        ``n_neighbors`` of every sample: only who is a neighbour is taken from it.
    n_components : int, optional
        Search in so many dimensions; in all features by default. Weights, too, are then of projected samples.
    projection : {"pca", "random"}, default="pca"
        Principal components, or a random projection. Sparse tables stay sparse.
    random_state : int, RandomState or None, default=None
        Of an approximate search and of projections; None is a fixed start.

    See Also
    --------
    RBF : Weights between all pairs.
    Diffusion : Heat that flows along the edges.
    Geodesic : Shortest paths along the edges.
    FromTable : Neighbours in another table, such as coordinates.

    Notes
    -----
    Neighbours that pynndescent finds are the one result that depends on the number of threads: a few differ on another
    number. ``n_jobs=1`` gives the same ones each time on a machine.

    References
    ----------
    Zhao and Liu (2007), section 4.2 (k = 10), doi:10.1145/1273496.1273641.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import KNN
    >>> graph = KNN(n_neighbors=1, weight="binary").build(np.array([[0.0], [1.0], [3.0]]))
    >>> graph.to_array()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    >>> X = np.random.default_rng(0).normal(size=(100, 30))
    >>> KNN(n_neighbors=5, n_components=10).build(X).description["projected"]
    'pca to 10 dimensions'
    """

    made_of_distances = True

    def __init__(
        self,
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
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.bandwidth = bandwidth
        self.metric = metric
        self.algorithm = algorithm
        self.n_components = n_components
        self.projection = projection
        self.random_state = random_state

    def pairs(self, X: Matrix, n_jobs: int | None = None) -> FloatArray | None:
        # none where the distances of some samples are no part of those of all, or nobody needs them
        if self.n_components is not None or self.algorithm not in ("auto", "exact"):
            return None
        return squared_distances(X, metric=self.metric, n_jobs=n_jobs)

    def describe(self) -> dict[str, Any]:
        return described_search(super().describe())

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        choice(self.weight, "weight", "KNN", ("rbf", "binary", "cosine"))
        choice(self.metric, "metric", "KNN", ("euclidean", "cosine"))
        n_neighbors = neighbors(self.n_neighbors, "KNN", X.n_samples)
        bandwidth(self.bandwidth, "KNN")
        found = find_neighbors(X, self, n_neighbors, known=self._known_pairs(X), n_jobs=n_jobs)
        edges = Edges(found.indices, found.squared)
        weights, sigma = self._weights(found.table, edges, found.squared)
        return SampleGraph(edges.matrix(weights), description={"bandwidth_used": sigma, **found.how})

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        sigma = bandwidth_in_unit(graph)  # known for RBF weights with one bandwidth only
        if sigma is None or self.metric != "euclidean" or self.n_components is not None:
            return None
        return SquaredDifferences(sigma)

    def _weights(self, X: Matrix, edges: Edges, squared: FloatArray) -> tuple[FloatArray, float | None]:
        if self.weight == "binary":
            return np.ones(edges.first.size), None
        if self.weight == "cosine":
            return _edge_cosines(rows_of_like_size(X), edges.first, edges.second), None
        if self.bandwidth == "self-tuning":
            scales = positive_scales(np.sqrt(squared.max(axis=1)))
            return rbf_weights(edges.squared, scales[edges.first], scales[edges.second]), None
        sigma = median_bandwidth(edges.squared) if self.bandwidth == "median" else float(self.bandwidth)
        return rbf_weights(edges.squared, sigma), sigma


def _edge_cosines(X: Matrix, first: IntArray, second: IntArray) -> FloatArray:
    """Return max(0, cos(x_i, x_j)) for each edge, in blocks of edges."""
    cosines = np.empty(first.size)
    for edges in slices(first.size, EDGES):
        a, b = first[edges], second[edges]
        inner, length = X.pair_products(a, b), np.sqrt(X.pair_products(a, a) * X.pair_products(b, b))
        cosines[edges] = np.divide(inner, length, out=np.zeros_like(inner), where=length > 0)
    return np.maximum(cosines, 0.0)
