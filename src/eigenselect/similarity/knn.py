"""The k-nearest-neighbour graph, which is the default, and the flow of heat along it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._checks import bandwidth, choice, neighbors, number, whole
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import ApproximateNeighborsWarning
from eigenselect.graph import SampleGraph
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.similarity import neighbors as search
from eigenselect.similarity.base import BaseSimilarity, SquaredDifferences, WeightDerivative
from eigenselect.similarity.pairs import squared_distances
from eigenselect.similarity.projection import project

#: n² (m + 50) of a table whose exact search takes about half a minute on two cores: 100 000 samples × 50 features
LONG_SEARCH = 1e12
#: fewer samples are searched exactly: it takes no longer
FEW_SAMPLES = 4096
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
        Distance that decides which samples are neighbours, and enters the RBF weight.
    algorithm : {"auto", "exact", "approximate"} or object, default="auto"
        Backend of the search. ``"approximate"`` is pynndescent (``pip install eigenselect[ann]``), which misses up to 5
        neighbours in 100; distances of those that it finds are exact. ``"auto"`` is exact, but approximate if
        pynndescent is installed and an exact search would take long (from 100 000 samples of 50 features on), and then
        warns. An object with scikit-learn's interface of ``KNeighborsTransformer`` proposes neighbours; distances are
        measured again, and lists that are too short are completed.
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
        # none if the distances of some samples are not a part of those of all, or are not needed
        if self.n_components is not None or self.algorithm not in ("auto", "exact"):
            return None
        return squared_distances(X, metric=self.metric, n_jobs=n_jobs)

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        self._check_search(X)
        choice(self.weight, "weight", "KNN", ("rbf", "binary", "cosine"))
        choice(self.metric, "metric", "KNN", ("euclidean", "cosine"))
        n_neighbors = neighbors(self.n_neighbors, "KNN", X.n_samples)
        bandwidth(self.bandwidth, "KNN")
        table = X
        if self.n_components is not None:
            table = project(X, self.n_components, self.projection, self.random_state)
        (indices, squared), backend = self._search(table, n_neighbors, self._known_pairs(X), n_jobs)
        edges = Edges(indices, squared)
        weights, sigma = self._weights(table, edges, squared)
        return SampleGraph(edges.matrix(weights), description={"bandwidth_used": sigma, **backend})

    def _check_search(self, X: Matrix) -> None:
        """Refuse parameters of the search that cannot be."""
        if isinstance(self.algorithm, str):
            choices = ("auto", "exact", "approximate")
            choice(self.algorithm, "algorithm", "KNN", choices, other="an object like KNeighborsTransformer")
        elif isinstance(self.algorithm, type) or not hasattr(self.algorithm, "fit_transform"):
            raise TypeError(
                "KNN: algorithm must be 'auto', 'exact', 'approximate' or an object like scikit-learn's "
                f"KNeighborsTransformer, got {self.algorithm!r}."
            )
        choice(self.projection, "projection", "KNN", ("pca", "random"))
        if self.n_components is not None:
            most = min(X.shape) if self.projection == "pca" else X.n_features
            advice = f"X has {X.n_samples} samples and {X.n_features} features; None takes all features"
            whole(self.n_components, "n_components", "KNN", high=most, advice=advice)

    def _search(
        self, X: Matrix, n_neighbors: int, known: FloatArray | None, n_jobs: int | None
    ) -> tuple[search.Neighbors, dict[str, str]]:
        """Search neighbours with the chosen backend, which the graph's description names unless it is exact."""
        if not isinstance(self.algorithm, str):
            found = search.transformed_neighbors(X, self.algorithm, n_neighbors, metric=self.metric, n_jobs=n_jobs)
            return found, {"search": type(self.algorithm).__name__}
        if known is None and _is_approximate(self.algorithm, X, self.metric, n_neighbors):
            options: dict[str, Any] = {"metric": self.metric, "random_state": self.random_state, "n_jobs": n_jobs}
            return search.approximate_neighbors(X, n_neighbors, **options), {"search": "approximate, by pynndescent"}
        return search.nearest_neighbors(X, n_neighbors, metric=self.metric, known=known, n_jobs=n_jobs), {}

    def weight_derivative(self, graph: SampleGraph) -> WeightDerivative | None:
        sigma = graph.description["bandwidth_used"]  # None unless weights are RBF with one bandwidth
        if sigma is None or self.metric != "euclidean" or self.n_components is not None:
            return None
        return SquaredDifferences(sigma)

    def _weights(self, X: Matrix, edges: Edges, squared: FloatArray) -> tuple[FloatArray, float | None]:
        if self.weight == "binary":
            return np.ones(edges.first.size), None
        if self.weight == "cosine":
            return _edge_cosines(X, edges.first, edges.second), None
        if self.bandwidth == "self-tuning":
            scales = positive_scales(np.sqrt(squared.max(axis=1)))
            return rbf_weights(edges.squared, scales[edges.first], scales[edges.second]), None
        sigma = median_distance(np.sqrt(edges.squared)) if self.bandwidth == "median" else float(self.bandwidth)
        return rbf_weights(edges.squared, sigma, sigma), sigma


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

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        number(self.beta, "beta", "Diffusion")
        parameters = self.get_params(deep=False)
        del parameters["beta"]
        base = KNN(**parameters)._graph(X, y, owner, n_jobs)
        return base.diffuse(float(self.beta), base.description)


class Edges:
    """Each pair {i, j} with i a neighbour of j or j of i.

    Parameters
    ----------
    indices, squared : ndarray of shape (n, k)
        The neighbours of every sample, sorted by sample number, and their squared distances.

    Attributes
    ----------
    first, second : ndarray of int
        The two samples of every edge, the lower first.
    squared : ndarray
        Their squared distance: of two that are neighbours of each other, as the lower one has it.

    Examples
    --------
    >>> edges = Edges(np.array([[1], [0], [1]]), np.array([[1.0], [1.0], [4.0]]))
    >>> edges.first, edges.second, edges.squared
    (array([0, 1]), array([1, 2]), array([1., 4.]))
    >>> edges.matrix(np.array([0.5, 0.1])).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.1],
           [0. , 0.1, 0. ]])
    """

    def __init__(self, indices: IntArray, squared: FloatArray) -> None:
        n_samples, n_neighbors = indices.shape
        # numbered backwards, so that the larger of two numbers is that of the lower sample
        numbers, ends = np.arange(indices.size, 0, -1), np.arange(0, indices.size + 1, n_neighbors)
        directed = sparse.csr_array((numbers, indices.ravel(), ends), shape=(n_samples, n_samples))
        pairs = sparse.triu(directed.maximum(directed.T.tocsr()), format="coo")
        self.first, self.second = pairs.coords
        self.squared: FloatArray = squared.ravel()[indices.size - pairs.data]
        self._shape = pairs.shape

    def matrix(self, weights: FloatArray) -> sparse.csr_array:
        """Return the symmetric matrix with the weight of every edge on both (i, j) and (j, i); zeros are not stored."""
        upper = sparse.csr_array((weights, (self.first, self.second)), shape=self._shape)
        upper.eliminate_zeros()
        return sparse.csr_array(upper + upper.T.tocsr())


def _is_approximate(algorithm: str, X: Matrix, metric: str, n_neighbors: int) -> bool:
    """Decide, and warn if the user may expect another search. A Dask array would have to be gathered for an index."""
    few = X.n_samples < FEW_SAMPLES
    long = float(X.n_samples) ** 2 * (X.n_features + 50) >= LONG_SEARCH and not search.suits_tree(X, metric)
    if algorithm == "approximate" and few:
        message = (
            f"algorithm='approximate' has no gain on {X.n_samples} samples (fewer than {FEW_SAMPLES}), whose "
            "neighbours were searched exactly."
        )
    elif (
        algorithm == "auto"
        and long
        and not few
        and not isinstance(X, DaskMatrix)
        and find_spec("pynndescent") is not None
    ):
        message = (
            f"the {n_neighbors} neighbours of {X.n_samples} samples are searched approximately, which misses a few; "
            "set algorithm='exact' to find all, which takes longer, or 'approximate' to silence this."
        )
    else:
        return algorithm == "approximate"
    warn(f"KNN: {message}", ApproximateNeighborsWarning)
    return not few


def _edge_cosines(X: Matrix, first: IntArray, second: IntArray) -> FloatArray:
    """Return max(0, cos(x_i, x_j)) for each edge, in blocks of edges."""
    cosines = np.empty(first.size)
    for edges in slices(first.size, EDGES):
        a, b = first[edges], second[edges]
        inner, length = X.pair_products(a, b), np.sqrt(X.pair_products(a, a)) * np.sqrt(X.pair_products(b, b))
        cosines[edges] = np.divide(inner, length, out=np.zeros_like(inner), where=length > 0)
    return np.maximum(cosines, 0.0)


def median_distance(distances: FloatArray) -> float:
    """Return the median of distances, of which infinite ones do not count; reorders them.

    If more than half of them are zero (duplicated samples), the median of the others; if all are, 1: every weight is
    then exp(0) = 1 whatever the scale.

    >>> median_distance(np.array([0.0, 0.0, 1.0, 2.0, 3.0])), median_distance(np.array([0.0, 0.0, 0.0, 2.0, 4.0]))
    (1.0, 3.0)
    """
    finite = np.isfinite(distances)
    distances = distances if finite.all() else distances[finite]
    median = np.median(distances, overwrite_input=True) if distances.size else 0.0
    positive = distances[distances > 0] if median == 0 else distances[:0]
    return float(np.median(positive) if positive.size else median or 1.0)


def positive_scales(scales: FloatArray) -> FloatArray:
    """Return per-sample scales with zeros (samples among duplicates) replaced by the median of the others."""
    positive = scales[scales > 0]
    return np.where(scales > 0, scales, np.median(positive) if positive.size else 1.0)


def rbf_weights(squared: FloatArray, sigma: Any, other_sigma: Any) -> FloatArray:
    r"""Return :math:`\exp(-d^2 / 2\sigma_i\sigma_j)`."""
    return np.exp(squared / (-2.0 * sigma * other_sigma))
