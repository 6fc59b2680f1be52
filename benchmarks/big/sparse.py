"""Big tables: sparse tables on a given graph.

The limits alone, each in a process of its own, with the memory of the whole process:
``python benchmarks/big/sparse.py 4000000 550`` and ``python benchmarks/big/sparse.py 200000 2000``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

import ours
import peers
from cases import Case, Goal
from data import SPATIAL_SHAPE, Spatial, Store
from measure import Job, Work

#: neighbours of a cell, and the share of counts that are not zero
NEIGHBORS, DENSITY = 15, 0.05
#: cells that are made at a time
CHUNK = 50_000
#: spectral functions that are measured against r, and how many times its time they may take
FUNCTIONS = {"r^2": (2, 3.0), "heat": ("heat", 8.0)}
#: columns of a tile, and threads, where products alone are measured
TILE, THREADS = 64, 2
#: tables of the limits: cells and genes, and megabytes beyond the inputs; the largest may take 8 GB with its inputs
LIMITS = {(200_000, 2000): 500.0, (400_000, 550): 500.0, (4_000_000, 550): 6000.0}


def cases(store: Store) -> Iterator[Case]:
    """Yield the rows."""
    data = store.spatial()
    n_samples, n_features = (5000, 500) if store.quick else SPATIAL_SHAPE
    table = f"{n_samples} x {n_features}, 5 % non-zero"
    fit = Job(ours.tested_fit, (data, "LaplacianScore"))
    rivals = {
        "scanpy, Geary's C without p-values": Job(scanpy_autocorrelation, (data, "gearys_c")),
        "scanpy, Moran's I without p-values": Job(scanpy_autocorrelation, (data, "morans_i")),
        "squidpy, Moran's I with analytic p-values": Job(peers.squidpy_autocorrelation, (data,)),
    }
    for rival, peer in rivals.items():
        yield Case(f"Laplacian score and p-values, {table}", rival, fit, peer, Goal("speedup", _full(store, 40)))
    yield Case(
        f"Laplacian score and p-values, {table}", "(beyond the inputs)", fit, None, Goal("memory", _full(store, 100))
    )
    columns = Job(by_columns, (data,))
    yield Case(f"the same, CSC, {table}", "(beyond the inputs)", columns, None, Goal("memory", _full(store, 100)))
    yield Case(f"the same, CSC, {table}", "CSR", columns, fit, Goal("cost"), True)
    counts = Job(of_counts, (data,))
    yield Case(f"the same, int32, {table}", "float32", counts, fit, Goal("cost", _full(store, 1.2)), True)
    for name, (function, limit) in FUNCTIONS.items():
        mine, plain = Job(scoring, (data, function)), Job(scoring, (data, 1))
        yield Case(f"γ = {name}, {table}", "γ = r", mine, plain, Goal("cost", _full(store, limit)))
        yield Case(f"γ = {name}, {table}", "(beyond the inputs)", mine, None, Goal("memory"))
    heat, products = Job(scoring, (data, "heat")), Job(bare_products, (data,))
    yield Case(f"γ = heat, {table}", "its products alone, by scipy on 2 threads", heat, products, Goal("cost"))


def limits(store: Store) -> Iterator[Case]:
    """Yield large tables; each is fitted against one of a quarter of its cells, for the exponent in n."""
    for (n_samples, n_features), memory in LIMITS.items():
        shape = (n_samples // 100, n_features // 10) if store.quick else (n_samples, n_features)
        whole, quarter = (Job(limit_fit, (size, shape[1])) for size in (shape[0], shape[0] // 4))
        title = f"scores and q-values, {shape[0]} x {shape[1]} sparse"
        yield Case(title, "(beyond the inputs)", whole, None, Goal("memory", _full(store, memory)))
        yield Case(title, "a quarter of the cells", whole, quarter, Goal("cost", _full(store, 4**1.1)))


def _full(store: Store, limit: float) -> float | None:
    """Goals are for the full table."""
    return None if store.quick else limit


def scoring(data: Spatial, function: Any) -> Work:
    """Scores by φ2 with a spectral function, the graph at hand."""
    from eigenselect.criteria.criterion import phi
    from eigenselect.graph import SampleGraph
    from eigenselect.spectral import Heat, Power

    X, graph = data.X(), SampleGraph(data.S())
    criterion = phi("phi2", graph, Heat() if function == "heat" else Power(function))
    few = X[:, : X.shape[1] // 5]
    return Work(lambda: criterion.scores(X).native, warm_up=lambda: criterion.scores(few))


def bare_products(data: Spatial) -> Work:
    """The products with dense tiles that a series for heat needs, and nothing else: samples in the order of ours."""
    from eigenselect.graph import SampleGraph
    from eigenselect.spectral import Heat, chebyshev_series

    graph = SampleGraph(data.S())
    S = graph.affinity[graph.order][:, graph.order]
    n_steps = chebyshev_series(Heat(), graph.interval).coefficients.size // 2
    tile = np.random.default_rng(1).normal(size=(S.shape[0], TILE))
    n_tiles = 2 * THREADS
    pool = ThreadPoolExecutor(THREADS)

    def call() -> None:
        list(pool.map(lambda _: [S @ tile for _ in range(n_steps)], range(n_tiles)))

    return Work(call, warm_up=lambda: S @ tile, scale=data.X().shape[1] / (TILE * n_tiles))


def by_columns(data: Spatial) -> Work:
    """The fit with p-values of a table in CSC."""
    return _tested(sparse.csc_array(data.X()), data.S())


def of_counts(data: Spatial) -> Work:
    """The fit with p-values of a table of integers."""
    return _tested(data.X().astype(np.int32), data.S())


def _tested(X: Any, S: Any) -> Work:
    import eigenselect

    def fit(X: Any) -> Any:
        return eigenselect.LaplacianScore(significance="given").fit(X, similarity_matrix=S).scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, : X.shape[1] // 3]))


def scanpy_autocorrelation(data: Spatial, name: str) -> Work:
    """Geary's C or Moran's I of every gene, by scanpy, which has no p-values."""
    import scanpy

    S, genes = sparse.csr_matrix(data.S()), sparse.csr_matrix(data.X().T)
    measure = getattr(scanpy.metrics, name)
    return Work(lambda: measure(S, genes), warm_up=lambda: measure(S, genes[:50]))


def limit_fit(n_samples: int, n_features: int) -> Work:
    """Scores and q-values of many cells at random places."""
    import eigenselect

    X, S = cells(n_samples, n_features)
    few, graph = cells(30_000, n_features)

    def fit(X: Any, S: Any) -> Any:
        return eigenselect.LaplacianScore(significance="given").fit(X, similarity_matrix=S).qvalues_

    return Work(lambda: fit(X, S), warm_up=lambda: fit(few, graph), all_calls=True)


def cells(n_samples: int, n_features: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Make counts, in chunks, and the symmetrised graph of the neighbours of random points in a plane."""
    rng = np.random.default_rng(17)
    chunks = []
    for start in range(0, n_samples, CHUNK):
        shape = (min(CHUNK, n_samples - start), n_features)
        chunk = sparse.csr_array(rng.random(shape, dtype=np.float32) < DENSITY).astype(np.float32)
        chunk.data = (1 + rng.poisson(1.0, size=chunk.nnz)).astype(np.float32)
        chunks.append(chunk)
    places = rng.random((n_samples, 2))
    near = cKDTree(places).query(places, NEIGHBORS + 1, workers=-1)[1].astype(np.int32)[:, 1:]
    ends = np.arange(0, near.size + 1, NEIGHBORS, dtype=np.int32)
    directed = sparse.csr_array((np.ones(near.size), near.ravel(), ends), shape=(n_samples, n_samples))
    return sparse.csr_array(sparse.vstack(chunks, format="csr")), sparse.csr_array(directed.maximum(directed.T))


if __name__ == "__main__":
    from measure import _status_kb

    work = limit_fit(*map(int, sys.argv[1:]))
    work.warm_up()
    begun = time.perf_counter()
    found = work.call()
    print(f"{time.perf_counter() - begun:.1f} s, whole process at most {_status_kb('VmHWM') / 1024:.0f} MB, inputs")
    print(f"and their making included; {np.count_nonzero(found < 0.05)} of {found.size} features at q < 0.05")
