"""What the peers do with the same tables and graphs; each is imported only in its own child process."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from data import NEIGHBORS, Table
from measure import Work


def skfeature_spec(table: Table, style: int) -> Work:
    """`style` -1, 0 or k ≥ 2 stands for φ1, φ2 or φ3."""
    from skfeature.function.similarity_based.SPEC import spec

    X, S = table.X(), sparse.csr_matrix(table.S())
    return Work(lambda: spec(X, mode="raw", style=style, W=S))


def skfeature_lap_score(table: Table, mode: str) -> Work:
    """`mode` "index" is its cheapest; "rank", the default, also turns the order into ranks with a Python loop."""
    from skfeature.function.similarity_based.lap_score import lap_score

    X, S = table.X(), sparse.csr_matrix(table.S())

    def call() -> None:
        # It hands out an order only, which cannot be compared with scores.
        lap_score(X, mode=mode, W=S)

    return Work(call)


def itmo_laplacian_score(table: Table) -> Work:
    """It takes a dense S only, and forms m × m matrices of which it keeps the diagonal."""
    from ITMO_FS.filters.univariate import laplacian_score

    X, S = table.X(), table.S().toarray()
    return Work(lambda: laplacian_score(X, None, weights=S))


def itmo_spec_class_labels(table: Table) -> Work:
    """Its SPEC takes no graph, and fails without labels: only its class-label graph can be compared."""
    from ITMO_FS.filters.sparse import SPEC

    X, y = table.X(), table.y()
    return Work(lambda: SPEC(p=1, gamma=lambda r: r, phi_type=1).run(X, y))


def bare_product(table: Table) -> Work:
    """S @ X by scipy: the product that a straightforward implementation would make first."""
    X, S = table.X(), table.S()

    def product() -> Any:
        return S @ X

    return Work(product, warm_up=lambda: S @ np.ones((X.shape[0], 1)))


def sklearn_knn_graph(table: Table) -> Work:
    """Brute force of scikit-learn, on all cores."""
    from sklearn.neighbors import NearestNeighbors

    X = table.X()

    def search(X: Any) -> Any:
        neighbors = NearestNeighbors(n_neighbors=NEIGHBORS, algorithm="brute", n_jobs=-1).fit(X)
        return neighbors.kneighbors_graph(mode="distance")

    return Work(lambda: search(X), warm_up=lambda: search(X[:, :100]))
