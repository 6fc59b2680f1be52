"""Big tables: eigenpairs of large graphs, and EVSC with all eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cases import Case, Goal
from data import Store
from measure import Job, Work

N_CLUSTERS = 10
#: pairs that the peers look for: the trivial one is not among them
N_PAIRS = N_CLUSTERS - 1
#: of the n bare products, these are made; their time is scaled
BARE_PRODUCTS = 60


def cases(store: Store) -> Iterator[Case]:
    """Yield the rows."""
    store.sources["points"] = "synthetic: 10 or 15 nearest neighbours of random points, RBF weights, seed 9"
    store.sources["digits"] = "real data: scikit-learn's digits, 1797 x 64"
    planar, many = (10_000, 3000) if store.quick else (100_000, 20_000)
    mine, peer = Job(phi3_fit, (planar, 2, 10)), Job(factor_and_lanczos, (planar, 2, 10))
    title = f"SPEC phi3 k={N_CLUSTERS}, planar 10-NN graph of {planar}"
    yield Case(title, "splu + eigsh", mine, peer, Goal("cost", None if store.quick else 2.0))
    mine, peer = Job(phi3_fit, (many, 50, 15)), Job(plain_lanczos, (many, 50, 15))
    yield Case(f"SPEC phi3 k={N_CLUSTERS}, 15-NN graph of {many} in 50 dimensions", "eigsh", mine, peer, Goal("cost"))
    n_samples = 400 if store.quick else 1797
    mine, peer = Job(evsc_of_digits, (n_samples,)), Job(bare_products_of_digits, (n_samples,))
    title = f"EVSC, all eigenvalues, digits, n = {n_samples}"
    yield Case(title, "n products n x n x m", mine, peer, Goal("cost", None if store.quick else 3.0))


def neighbour_graph(n_samples: int, n_dimensions: int, n_neighbors: int) -> sparse.csr_array:
    """A symmetric graph of random points: uniform in a plane, normal in more dimensions."""
    from sklearn.neighbors import kneighbors_graph

    rng = np.random.default_rng(9)
    points = rng.random((n_samples, 2)) if n_dimensions == 2 else rng.normal(size=(n_samples, n_dimensions))
    distances = kneighbors_graph(points, n_neighbors, mode="distance", n_jobs=2)
    distances.data = np.exp(-0.5 * (distances.data / np.median(distances.data)) ** 2)
    return sparse.csr_array(distances.maximum(distances.T))


def phi3_fit(n_samples: int, n_dimensions: int, n_neighbors: int) -> Work:
    """`SPEC.fit` with φ3 on a given graph; two features, so that the eigenpairs are what is measured."""
    from eigenselect import SPEC

    def call(n_samples: int) -> Callable[[], Any]:
        S = neighbour_graph(n_samples, n_dimensions, n_neighbors)
        X = np.random.default_rng(0).normal(size=(n_samples, 2))
        selector = SPEC(1, ranking="phi3", n_clusters=N_CLUSTERS)
        return lambda: selector.fit(X, similarity_matrix=S)

    return Work(call(n_samples), warm_up=call(2500))


def _normalised(S: sparse.csr_array) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """D^-1/2 S D^-1/2 and its trivial eigenvector."""
    degrees = np.asarray(S.sum(axis=1)).ravel()
    scale = sparse.diags_array(degrees**-0.5)
    return sparse.csr_array(scale @ S @ scale), np.sqrt(degrees / degrees.sum())


def factor_and_lanczos(n_samples: int, n_dimensions: int, n_neighbors: int) -> Work:
    """Factorise N + δI once, ordered by minimum degree, and run ARPACK on its inverse."""
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    similarity, trivial = _normalised(neighbour_graph(n_samples, n_dimensions, n_neighbors))

    def call() -> None:
        shifted = sparse.csc_array((1 + 1e-8) * sparse.eye_array(n_samples) - similarity)
        options = {"SymmetricMode": True}
        factor = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)

        def deflated(vector: Any) -> Any:
            image = factor.solve(vector - trivial * (trivial @ vector))
            return image - trivial * (trivial @ image)

        eigsh(LinearOperator((n_samples, n_samples), matvec=deflated, dtype=np.float64), k=N_PAIRS, which="LA")

    return Work(call)


def plain_lanczos(n_samples: int, n_dimensions: int, n_neighbors: int) -> Work:
    """ARPACK on D^-1/2 S D^-1/2, with its default settings; repeated eigenvalues are not looked for."""
    from scipy.sparse.linalg import eigsh

    similarity, _ = _normalised(neighbour_graph(n_samples, n_dimensions, n_neighbors))
    return Work(lambda: eigsh(similarity, k=N_CLUSTERS, which="LA"))


def _digits(n_samples: int) -> NDArray[np.float64]:
    from sklearn.datasets import load_digits

    return np.asarray(load_digits().data[:n_samples], dtype=np.float64)


def evsc_of_digits(n_samples: int) -> Work:
    """A whole `EVSC.fit` with all eigenvalues: graph, eigensystem, slopes."""
    from eigenselect import EVSC

    X = _digits(n_samples)
    return Work(lambda: EVSC(10).fit(X), warm_up=lambda: EVSC(10).fit(X[:100]))


def bare_products_of_digits(n_samples: int) -> Work:
    """Some of n products of an n × n matrix with X, scaled to all n."""
    X = _digits(n_samples)
    A = np.random.default_rng(0).random((n_samples, n_samples))

    def products() -> None:
        for _ in range(BARE_PRODUCTS):
            A @ X

    return Work(products, scale=n_samples / BARE_PRODUCTS)
