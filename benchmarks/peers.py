"""What the peers do with the same tables and graphs; each is imported only in its own child process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from data import NEIGHBORS, Spatial, Table, annotated_genes
from measure import Work, python_process


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


def fast_select_relieff(table: Table) -> Work:
    """fast-select's ReliefF on all cores; compiled in the warm-up. It takes dense tables only."""
    from fast_select import ReliefF

    X, y = table.X(), table.y()

    def fit(X: Any, y: Any) -> Any:
        return ReliefF(n_features_to_select=10, n_neighbors=NEIGHBORS).fit(X, y)

    return Work(lambda: fit(X, y), warm_up=lambda: fit(X[:300], y[:300]))


def skrebate_relieff(table: Table) -> Work:
    """Skrebate's ReliefF with two jobs."""
    from skrebate import ReliefF

    X, y = table.X(), table.y()
    return Work(lambda: ReliefF(n_features_to_select=10, n_neighbors=NEIGHBORS, n_jobs=2).fit(X, y))


def skfeature_trace_ratio(table: Table, n_features: int = 100) -> Work:
    """Skfeature's subset-level trace ratio with the Fisher pair."""
    from skfeature.function.similarity_based.trace_ratio import trace_ratio

    X, y = table.X(), table.y()
    return Work(lambda: trace_ratio(X, y, n_features, style="fisher"))


def sklearn_f_classif(table: Table, layout: str = "dense") -> Work:
    """scikit-learn's F statistic, which orders features as the Fisher score does."""
    from sklearn.feature_selection import f_classif

    X, y = table.X(), table.y()
    X = X if layout == "dense" else sparse.csr_array(X)
    return Work(lambda: f_classif(X, y), warm_up=lambda: f_classif(X[:, :10], y))


def literal_evsc(table: Table, n_features: int = 1) -> Work:
    """The paper's Eq. 12 as it stands, sums over pairs for every eigenvalue, on a few features; time scaled to all.

    The eigensystem is not counted.
    """
    X = table.X()
    n_samples = len(X)
    squared = _squared_distances(X)
    variance = float(np.median(np.sqrt(squared[np.triu_indices(n_samples, 1)])) ** 2)
    S = np.exp(-squared / (2 * variance))
    d = S.sum(axis=1)
    values, vectors = np.linalg.eigh(np.eye(n_samples) - S / np.sqrt(np.outer(d, d)))
    q = vectors / np.sqrt(d)[:, None]

    def score(x: Any) -> float:
        total = 0.0
        for r in range(n_samples):
            slope = 0.0
            for i in range(n_samples - 1):
                for j in range(i + 1, n_samples):
                    g = -((x[i] - x[j]) ** 2) / variance * S[i, j]
                    slope += g * ((q[i, r] - q[j, r]) ** 2 - values[r] * (q[i, r] ** 2 + q[j, r] ** 2))
            total += abs(slope)
        return total

    columns = X[:, :n_features].T
    return Work(lambda: [score(x) for x in columns] and None, scale=X.shape[1] / n_features)


def _squared_distances(X: Any) -> Any:
    norms = (X**2).sum(axis=1)
    return np.maximum(norms[:, None] + norms - 2 * X @ X.T, 0.0)


def bare_products(table: Table) -> Work:
    """As many products of an n × n matrix with X as there are samples: what xᵀA_r x of n matrices costs at least."""
    X = table.X()
    A = np.random.default_rng(0).random((len(X), len(X)))

    def products() -> None:
        for _ in range(len(X)):
            A @ X

    return Work(products)


def explicit_covariance(n_genes: int = 2000) -> Work:
    """The pseudo-inverse K of the feature Laplacian and the covariance K (I - 11ᵀ/l) K, formed with LAPACK.

    On some of the genes, and the time scaled by the cube of their number: all 8000 take several minutes. The
    covariance's own pseudo-inverse, which the distances need too, is not counted.
    """
    from scipy.linalg import pinvh

    _, terms = annotated_genes()
    scale = (len(terms) / n_genes) ** 3
    terms = terms[:n_genes]
    S = terms @ terms.T

    def form() -> None:
        K = pinvh(np.diag(S.sum(axis=1)) - S)
        K @ (K - K.mean(axis=0))

    return Work(form, scale=scale)


def empty_program() -> Work:
    """A Python process that does nothing."""
    return python_process("-c", "pass")


def pandas_csv(path: Path) -> Work:
    """Only the numbers of a csv, by the fastest of pandas' ways to read a wide one."""
    import pandas as pd

    def call() -> None:
        pd.read_csv(path, low_memory=False).to_numpy()

    return Work(call, warm_up=call)


def pandas_exact_csv(path: Path) -> Work:
    """The numbers of a csv, to the last bit."""
    import pandas as pd

    def call() -> Any:
        return pd.read_csv(path, float_precision="round_trip", low_memory=False).to_numpy()[-1]

    return Work(call, warm_up=call)


def numpy_csv(path: Path) -> Work:
    """The numbers of a csv without its header, to the last bit."""

    def call() -> Any:
        return np.loadtxt(path, delimiter=",", skiprows=1)[-1]

    return Work(call, warm_up=call)


def skglm_path(table: Table, target: str, n_features: int = 100) -> Work:
    """Skglm's multi-task path, at the loosest of a few tolerances whose last gap is at most ours."""
    from l21_gap import relative_gap
    from l21_peers import GAP, alphas_of, skglm_solver
    from ours import regression_problem

    X, Y = regression_problem(table, target)
    alphas = alphas_of(X, Y, n_features)
    solve = skglm_solver(X, Y)
    solve(alphas[:3], 1e-2)
    for tol in (1e-4, 3e-5, 1e-5, 3e-6, 1e-6):
        if relative_gap(X, Y, solve(alphas, tol), alphas[-1]) <= GAP:
            break

    def follow() -> None:
        solve(alphas, tol)

    return Work(follow)


def celer_path(table: Table, target: str, n_features: int = 100) -> Work:
    """Celer's multi-task path, timed in an environment of its own; here its time is only waited for."""
    from l21_peers import GAP, alphas_of, celer_seconds, replayed
    from ours import regression_problem

    X, Y = regression_problem(table, target)
    seconds, gap = celer_seconds(X, Y, alphas_of(X, Y, n_features))
    if gap > GAP:
        raise RuntimeError(f"celer reached a gap of {gap:.1e} only, in {seconds:.2f} s")
    return Work(lambda: replayed(seconds))


def accelerated_gradient(table: Table, target: str, n_features: int = 100) -> Work:
    """One solve at the last λ by the paper's general solver, from nothing."""
    from l21_peers import alphas_of, fista
    from ours import regression_problem

    X, Y = regression_problem(table, target)
    alpha = float(alphas_of(X, Y, n_features)[-1])

    def solve() -> None:
        fista(X, Y, alpha)

    return Work(solve)


def squidpy_autocorrelation(data: Spatial, n_features: int | None = None) -> Work:
    """Moran's I with its analytic p-values, by squidpy, as it is called without permutations."""
    import anndata
    import squidpy

    table = anndata.AnnData(sparse.csr_matrix(data.X()))
    table.obsp["spatial_connectivities"] = sparse.csr_matrix(data.S())

    options = {"n_perms": None, "transformation": False, "copy": True, "show_progress_bar": False}

    def call(genes: int | None = None) -> Any:
        part = table if genes is None else table[:, :genes]
        found = squidpy.gr.spatial_autocorr(part, mode="moran", **options)
        return found.loc[part.var_names, "I"].to_numpy()

    return Work(call, warm_up=lambda: call(50))
