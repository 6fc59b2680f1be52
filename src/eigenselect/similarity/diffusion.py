"""Heat diffusion over a neighbour graph."""

from __future__ import annotations

from typing import Any

from eigenselect._checks import number
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.knn import KNN
from eigenselect.similarity.search import described_search


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
        Distance that decides who is a neighbour.
    algorithm : {"auto", "exact", "approximate"} or object, default="auto"
        Who searches neighbours.
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
