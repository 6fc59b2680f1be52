"""Big tables: dense scoring against the bandwidth of memory, and first calls with a cold compiler cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from cases import Case, Goal
from data import NEIGHBORS, Store
from measure import Job, Work

SHAPE, QUICK_SHAPE = (2000, 20_000), (200, 2000)
#: columns that the graph is made of: it is given, and may be any
GRAPH_COLUMNS = 50
#: times of reading the same bytes once on two threads: 40 and 25 % of the bandwidth
FISHER_COST, LAPLACIAN_COST = 2.5, 4.0
#: a first call with nothing compiled may take so many times one with everything compiled, whole processes
COLD_COST = 1.4
COLD_SHAPE = (500, 10_000)
#: methods whose first call is timed, as Python, on a table, classes and a given graph
COLD_CALLS = (
    "LaplacianScore().fit(X, similarity_matrix=S)",
    "LaplacianScore(significance='given').fit(X, similarity_matrix=S)",
    "LaplacianScore(significance='given').fit(sparse.csr_array(X * (X > 1)), similarity_matrix=S)",
    "SPEC(ranking='phi1').fit(X, similarity_matrix=S)",
    "SPEC(ranking='phi2', spectral_function=2).fit(X, similarity_matrix=S)",
    "SPEC(ranking='phi2', spectral_function='heat').fit(X, similarity_matrix=S)",
    "SPEC(ranking='phi3', n_clusters=3).fit(X, similarity_matrix=S)",
    "MultiscaleSPEC().fit(X, similarity_matrix=S)",
    "MoranI(significance='given').fit(X, similarity_matrix=S)",
    "GearyC(significance='given').fit(X, similarity_matrix=S)",
    "FisherScore().fit(X, y)",
    "FisherScore(significance=True).fit(X, y)",
    "ReliefF().fit(X, y)",
    "HSICScore(significance=True).fit(X, y)",
    "TraceRatio().fit(X, y)",
    "SSelect().fit(X, np.where(np.arange(y.size) < 60, y, -1))",
    "Variance().fit(X)",
    "EVSC().fit(X[:100, :2000])",
    "MRSF(10).fit(X[:, :2000])",
    "MSFS(10, sources=[('target', eigenselect.multisource.TargetData('rbf'))]).fit(X[:, :2000])",
    "similarity.KNN(15, algorithm='exact').build(np.random.default_rng(1).normal(size=(20_000, 50)))",
)

FIRST_CALL = """
import sys, warnings
import numpy as np
from scipy import sparse
warnings.simplefilter("ignore")
import eigenselect
rng = np.random.default_rng(0)
shape = tuple(map(int, sys.argv[2:4]))
X, y = rng.standard_normal(shape, dtype=np.float32).astype(np.float64), rng.integers(0, 3, shape[0])
near = sparse.random_array((shape[0], shape[0]), density=10 / shape[0], rng=rng)
S = sparse.csr_array(near + near.T + sparse.eye_array(shape[0], k=1) + sparse.eye_array(shape[0], k=-1))
S.setdiag(0.0)
S.eliminate_zeros()
eval("eigenselect." + sys.argv[1], {"eigenselect": eigenselect, "X": X, "y": y, "S": S, "np": np, "sparse": sparse})
"""


def cases(store: Store) -> Iterator[Case]:
    """Fisher and the Laplacian score in both precisions against one read."""
    shape = QUICK_SHAPE if store.quick else SHAPE
    where = f"{shape[0]} x {shape[1]}"
    for method, cost in (("fisher", FISHER_COST), ("laplacian", LAPLACIAN_COST)):
        limit = None if store.quick else cost
        for dtype in ("float64", "float32"):
            mine = Job(scoring, (method, shape, dtype))
            yield Case(f"{method} scoring, {where}, {dtype}", "reading it, 2 threads", mine,
                       Job(reading, (shape, dtype)), Goal("cost", limit))  # fmt: skip
        single, double = (Job(scoring, (method, shape, dtype)) for dtype in ("float32", "float64"))
        yield Case(f"{method} scoring, {where}, float32", "ours, float64", single, double, Goal("cost", 1.0))


def first_calls(store: Store) -> Iterator[Case]:
    """Every method's first call, as whole processes; what the cold ones compile, the warm ones load."""
    for number, call in enumerate(COLD_CALLS):
        folder = store.folder / f"compiled_{number}"
        cold, warm = (Job(first_call, (call, folder, kept)) for kept in (False, True))
        yield Case(f"first {call}", "ours, compiled before", cold, warm, Goal("cost", COLD_COST))


def _table(shape: tuple[int, int], dtype: str) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32).astype(dtype)


def scoring(method: str, shape: tuple[int, int], dtype: str) -> Work:
    """Only the terms of the scores, on a graph of classes or of neighbours that is ready."""
    from eigenselect.criteria.quadratic import PowerForm, feature_terms
    from eigenselect.similarity import KNN, ClassLabels

    X, y = _table(shape, dtype), np.arange(shape[0]) % 5
    few = X[:, :GRAPH_COLUMNS].astype(np.float64)
    graph = ClassLabels().build(few, y) if method == "fisher" else KNN(NEIGHBORS).build(few)

    def call() -> Any:
        terms = feature_terms(X, graph, PowerForm(1))
        return terms.quadratic / terms.spread

    return Work(call, warm_up=call)


def reading(shape: tuple[int, int], dtype: str) -> Work:
    """The sum of all values in halves on two threads: what memory can give."""
    from numba import njit

    @njit(nogil=True, fastmath=True)
    def total(values):  # type: ignore[no-untyped-def]
        result = 0.0
        for value in values:
            result += value
        return result

    halves = np.array_split(_table(shape, dtype).ravel(), 2)
    pool = ThreadPoolExecutor(2)

    def call() -> None:
        list(pool.map(total, halves))

    return Work(call, warm_up=call)


def first_call(call: str, folder: Path, kept: bool) -> Work:
    """A whole process that calls one method, with the compiler's cache kept from a process before, or without."""
    environment = dict(os.environ, NUMBA_CACHE_DIR=str(folder))
    words = [sys.executable, "-c", FIRST_CALL, call, *map(str, COLD_SHAPE)]

    def run() -> None:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(words, env=environment, check=True, capture_output=True)

    return Work(run, warm_up=run if kept and not folder.exists() else None, most_calls=2)
