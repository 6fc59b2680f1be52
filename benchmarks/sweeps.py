"""What grows, and who is measured on it: tables of growing size, made in the child process that is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from data import clusters
from measure import Job, Work

#: of every method, in features and in samples on a given sparse graph
LARGEST_EXPONENT = 1.1
#: features of tables that grow in samples, and the share of them that is not zero
GENES, DENSITY = 500, 0.05
#: samples of tables that grow in features, and their classes
SAMPLES, CLASSES = 200, 4
NEIGHBORS = 10
#: lines that pynndescent has a part in, which compiles for half a minute in every process
INDEXED = ("KNN, approximate", "pynndescent")


@dataclass(frozen=True)
class Sweep:
    """One picture: several calls on tables of growing size.

    Attributes
    ----------
    name, title : str
        Of the file, and of the picture.
    axis : {"samples", "features"}
        What grows.
    sizes : tuple of int
    ours, peers : dict
        From a label to a function that makes `Work` for a size.
    limit : float or None
        The largest exponent that our calls may have; None where only compared.
    """

    name: str
    title: str
    axis: str
    sizes: tuple[int, ...]
    ours: dict[str, Callable[[int], Work]]
    peers: dict[str, Callable[[int], Work]] = field(default_factory=dict)
    limit: float | None = LARGEST_EXPONENT

    def job(self, label: str, size: int) -> Job:
        """Return the call of one line at one size; sizes of a line share a process, and so do users of one index."""
        by_index = "pynndescent" if label in INDEXED else label
        return Job((self.ours | self.peers)[label], (size,), process=f"{self.name}, {by_index}")


def sweeps(*, quick: bool) -> list[Sweep]:
    """Return all sweeps; a quick run only shows that they run."""
    wide = (500, 1000, 2000) if quick else (20_000, 40_000, 80_000, 160_000)
    tall = (1000, 2000, 4000) if quick else (25_000, 50_000, 100_000, 200_000)
    points = (5000, 6000, 7000) if quick else (10_000, 20_000, 40_000, 80_000)
    return [
        Sweep("features", f"{SAMPLES} samples, dense, growing features", "features", wide,
              {name: partial(wide_fit, name) for name in WIDE}, WIDE_PEERS),
        Sweep("samples", f"{GENES} sparse features on a given planar graph, growing samples", "samples", tall,
              {name: partial(tall_fit, name) for name in TALL}, TALL_PEERS),
        Sweep("neighbors", "the neighbour graph of growing samples with 50 features", "samples", points,
              {"KNN, exact": partial(knn, "exact"), "KNN, approximate": partial(knn, "approximate")},
              {"scikit-learn, brute": sklearn_knn, "pynndescent": pynndescent_knn}, limit=None),
    ]  # fmt: skip


# -- tables ----------------------------------------------------------------------------------


def wide_table(n_features: int) -> tuple[Any, Any]:
    """Return normal noise with a few features that follow the classes, and the classes."""
    rng = np.random.default_rng(11)
    y = np.arange(SAMPLES) % CLASSES
    X = rng.normal(size=(SAMPLES, n_features))
    X[:, :20] += y[:, None]
    return X, y


def tall_table(n_samples: int) -> tuple[sparse.csr_array, sparse.csr_array, Any]:
    """Return sparse counts, a binary neighbour graph of points in a plane, and classes of the points."""
    from sklearn.neighbors import kneighbors_graph

    rng = np.random.default_rng(12)
    points = rng.random((n_samples, 2))
    S = kneighbors_graph(points, NEIGHBORS, mode="connectivity")
    S = sparse.csr_array(S.maximum(S.T))
    X = sparse.csr_array(rng.random((n_samples, GENES), dtype=np.float32) < DENSITY).astype(np.float32)
    X.data = rng.integers(1, 5, size=X.nnz).astype(np.float32)
    return X, S, (points[:, 0] * CLASSES).astype(int)


def clustered_points(n_samples: int) -> Any:
    """Return ten clusters in 50 dimensions with noise in all of them."""
    return clusters(np.random.default_rng(13), n_samples, 50)[0]


# -- our side --------------------------------------------------------------------------------

#: parameters of each method beyond its defaults; every row of the theorem's table that takes a plain table
WIDE: dict[str, dict[str, Any]] = {
    "FisherScore": {},
    "LaplacianScore": {},
    "SPEC": {},
    "ReliefF": {},
    "HSICScore": {},
    "TraceRatio": {},
    "SSelect": {},
    "MRSF": {"n_features_to_select": 20},
    "Variance": {},
    "MultiscaleSPEC": {},
    "IteratedSPEC": {"n_features_to_select": 20},
    "EVSC": {"n_eigenvalues": 4},
    "MSFS": {"n_features_to_select": 20},
    "MoranI": {},
    "GearyC": {},
}
TALL: dict[str, dict[str, Any]] = {
    "LaplacianScore": {"significance": "given"},
    "MoranI": {"significance": "given"},
    "GearyC": {"significance": "given"},
    "SPEC, r": {},
    "SPEC, r^2": {"spectral_function": 2},
    "SPEC, heat": {"spectral_function": "heat"},
    "SPEC, phi3": {"ranking": "phi3", "n_clusters": 10},
    "FisherScore": {"significance": True},
    "TraceRatio": {},
}
#: methods whose graph is made of the labels
LABELLED = ("FisherScore", "TraceRatio", "HSICScore")


def wide_fit(name: str, n_features: int) -> Work:
    """A whole fit of a dense table, graph included."""
    import eigenselect

    X, y = wide_table(n_features)
    if name == "SSelect":
        y = np.where(np.arange(SAMPLES) < 20, y, -1)

    parameters: dict[str, Any] = dict(WIDE[name])
    if name == "MSFS":
        parameters["sources"] = [("target", eigenselect.multisource.TargetData("rbf"))]

    def fit(X: Any) -> Any:
        return getattr(eigenselect, name)(**parameters).fit(X, y).scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, : min(n_features, 10_000)]))


def tall_fit(name: str, n_samples: int) -> Work:
    """A whole fit of a sparse table on a given graph, or on the graph of its labels."""
    import eigenselect

    X, S, y = tall_table(n_samples)
    method = name.partition(",")[0]

    def fit(X: Any) -> Any:
        selector = getattr(eigenselect, method)(**TALL[name])
        return selector.fit(X, y).scores_ if method in LABELLED else selector.fit(X, similarity_matrix=S).scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :100]))


def knn(algorithm: str, n_samples: int) -> Work:
    """The neighbour graph."""
    from eigenselect.similarity import KNN

    X = clustered_points(n_samples)

    def build(X: Any) -> Any:
        return KNN(15, algorithm=algorithm).build(X).affinity.data

    return Work(lambda: build(X), warm_up=lambda: build(X[:5000]))


# -- peers -----------------------------------------------------------------------------------


def skfeature_laplacian(n_features: int) -> Work:
    """Skfeature's Laplacian score on the graph that ours makes, which is not in its time."""
    from skfeature.function.similarity_based import lap_score

    from eigenselect.similarity import KNN

    X, _ = wide_table(n_features)
    W = sparse.csc_matrix(KNN(NEIGHBORS).build(X).affinity)
    return Work(lambda: lap_score.lap_score(X, mode="raw", W=W))


def sklearn_anova(n_features: int) -> Work:
    """scikit-learn's F of classes, which orders features as the Fisher score does."""
    from sklearn.feature_selection import f_classif

    X, y = wide_table(n_features)
    return Work(lambda: f_classif(X, y)[0])


def skrebate_relieff(n_features: int) -> Work:
    """ReliefF of skrebate."""
    from skrebate import ReliefF

    X, y = wide_table(n_features)
    return Work(lambda: ReliefF(n_neighbors=10, categorical_threshold=2, n_jobs=-1).fit(X, y).feature_importances_)


def scanpy_statistic(name: str, n_samples: int) -> Work:
    """Moran's I or Geary's C of scanpy: scores, no p-values."""
    import scanpy

    X, S, _ = tall_table(n_samples)
    graph, genes = sparse.csr_matrix(S), sparse.csr_matrix(X.T)
    measure = getattr(scanpy.metrics, name)
    return Work(lambda: measure(graph, genes), warm_up=lambda: measure(graph, genes[:20]))


def squidpy_moran(n_samples: int) -> Work:
    """Moran's I of squidpy with its analytic p-values."""
    import anndata
    import squidpy

    X, S, _ = tall_table(n_samples)
    table = anndata.AnnData(sparse.csr_matrix(X))
    table.obsp["spatial_connectivities"] = sparse.csr_matrix(S)

    def call(part: Any) -> Any:
        options = {"n_perms": None, "transformation": False, "copy": True, "show_progress_bar": False}
        return squidpy.gr.spatial_autocorr(part, mode="moran", **options)["I"].to_numpy()

    return Work(lambda: call(table), warm_up=lambda: call(table[:, :20].copy()))


def sklearn_knn(n_samples: int) -> Work:
    """Exact neighbours by brute force."""
    from sklearn.neighbors import kneighbors_graph

    X = clustered_points(n_samples)
    return Work(lambda: kneighbors_graph(X, 15, mode="distance", n_jobs=-1).data)


def pynndescent_knn(n_samples: int) -> Work:
    """Approximate neighbours by pynndescent with its defaults."""
    import pynndescent

    X = clustered_points(n_samples)

    def call(X: Any) -> Any:
        return pynndescent.NNDescent(X, n_neighbors=16, random_state=0).neighbor_graph[1][:, -1]

    return Work(lambda: call(X), warm_up=lambda: call(X[:5000]))


WIDE_PEERS: dict[str, Callable[[int], Work]] = {
    "skfeature, Laplacian score": skfeature_laplacian,
    "scikit-learn, f_classif": sklearn_anova,
    "skrebate, ReliefF": skrebate_relieff,
}
TALL_PEERS: dict[str, Callable[[int], Work]] = {
    "scanpy, Geary's C": partial(scanpy_statistic, "gearys_c"),
    "scanpy, Moran's I": partial(scanpy_statistic, "morans_i"),
    "squidpy, Moran's I": squidpy_moran,
}
