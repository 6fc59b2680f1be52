"""Big tables: the neighbour graph of tall tables, exact and approximate, and of a sparse one on its components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cases import Case, Goal
from data import Store, clusters
from measure import Job, Work

N_FEATURES = 50
NEIGHBORS = 15
#: samples of a warm-up: enough for the route of large tables
WARM_UP_SAMPLES = 5000
#: samples and features of a table of few levels, and how many these are: each sample has many copies
LEVELS_SHAPE, LEVELS = (20_000, 3), 4
#: cells and genes of the sparse table, and the components in which its neighbours are searched
CELLS_SHAPE = (200_000, 2000)
N_COMPONENTS = 50
#: cells that are made at a time
CHUNK = 20_000
#: samples whose recall is looked at, and the least that it may be
JUDGED, RECALL = 2000, 0.95


def cases(store: Store) -> Iterator[Case]:
    """Yield the rows."""
    for n_samples in (10_000,) if store.quick else (20_000, 50_000):
        path = _tall_table(store, n_samples)
        where = f"{n_samples} x {N_FEATURES}, k = {NEIGHBORS}"
        exact, brute = Job(knn_graph, (path, "exact")), Job(sklearn_neighbors, (path, "brute"))
        yield Case(f"kNN graph exact, {where}", "scikit-learn brute", exact, brute, Goal("cost", 1.0))
        approximate, index = _with_index(knn_graph, path, "approximate"), _with_index(pynndescent_index, path)
        yield Case(f"kNN graph approximate, {where}", "pynndescent", approximate, index, Goal("cost", 1.3))
        found, by_index = (_with_index(recall, path, who) for who in ("ours", "pynndescent"))
        title = f"recall of approximate neighbours, {where}"
        yield Case(title, "(of the exact ones)", found, None, Goal("recall", RECALL))
        yield Case(f"{title}, pynndescent alone", "(of the exact ones)", by_index, None, Goal("recall"))
    levels = _table_of_levels(store)
    exact, tree = Job(knn_graph, (levels, "exact")), Job(sklearn_neighbors, (levels, "auto"))
    title = f"kNN graph exact, {LEVELS_SHAPE[0]} x {LEVELS_SHAPE[1]} of {LEVELS} levels, k = {NEIGHBORS}"
    yield Case(title, "scikit-learn auto", exact, tree, Goal("cost", 1.0))
    table = _sparse_table(store)
    n_samples, n_features = _cells_shape(store)
    title = f"kNN graph approximate on {N_COMPONENTS} components, {n_samples} x {n_features} sparse"
    mine, peer = _with_index(sparse_graph, table), _with_index(truncated_svd_index, table)
    yield Case(title, "TruncatedSVD + pynndescent", mine, peer, Goal("cost"))
    yield Case(title, "(beyond the inputs)", mine, None, Goal("memory"))


def _with_index(make: Callable[..., Work], *arguments: Any) -> Job:
    """A job that pynndescent has a part in, which compiles for half a minute in every process: all share one."""
    return Job(make, arguments, process="pynndescent")


# -- data ----------------------------------------------------------------------------------------


def _tall_table(store: Store, n_samples: int) -> Path:
    """Ten clusters with noise in all of 50 dimensions, which is hard for an approximate index."""
    path = store.folder / f"tall_{n_samples}.npy"
    store.sources[f"tall {n_samples}"] = f"synthetic: 10 clusters with normal noise, {n_samples} x 50, seed 17"
    if not path.exists():
        np.save(path, clusters(np.random.default_rng(17), n_samples, N_FEATURES)[0])
    return path


def _table_of_levels(store: Store) -> Path:
    path = store.folder / "levels.npy"
    store.sources["levels"] = f"synthetic: {LEVELS} levels, {LEVELS_SHAPE[0]} x {LEVELS_SHAPE[1]}, seed 19"
    if not path.exists():
        np.save(path, np.random.default_rng(19).integers(0, LEVELS, size=LEVELS_SHAPE).astype(float))
    return path


def _cells_shape(store: Store) -> tuple[int, int]:
    return (10_000, 500) if store.quick else CELLS_SHAPE


def _sparse_table(store: Store) -> Path:
    """Counts of cells of 20 kinds, 5 % non-zero."""
    path, shape = store.folder / "cells.npz", _cells_shape(store)
    store.sources["cells"] = f"synthetic: {shape[0]} cells of 20 kinds x {shape[1]} genes, 5 % non-zero, seed 18"
    if not path.exists():
        rng = np.random.default_rng(18)
        kinds = rng.gamma(0.5, 2.0, size=(20, shape[1]))
        chunks = [_cells(rng, kinds, rows) for rows in (np.arange(shape[0])[part] for part in _chunks(shape[0]))]
        sparse.save_npz(path, sparse.vstack(chunks, format="csr"), compressed=False)
    return path


def _chunks(n_samples: int) -> list[slice]:
    return [slice(start, start + CHUNK) for start in range(0, n_samples, CHUNK)]


def _cells(rng: np.random.Generator, kinds: Any, rows: Any) -> sparse.csr_array:
    """Logarithms of counts of some cells; a gene that a kind has more of is more often seen in it."""
    kind = rows % len(kinds)
    X = sparse.csr_array(rng.random((rows.size, kinds.shape[1]), dtype=np.float32) < 0.05 * kinds[kind])
    X = X.astype(np.float32)
    X.data = np.log1p(1.0 + rng.poisson(kinds[np.repeat(kind, np.diff(X.indptr)), X.indices])).astype(np.float32)
    return X


# -- our side --------------------------------------------------------------------------------------


def _on(X: Any, call: Callable[[Any], Any]) -> Work:
    return Work(lambda: call(X), warm_up=lambda: call(X[:WARM_UP_SAMPLES]))


def knn_graph(path: Path, algorithm: str) -> Work:
    """The whole graph: neighbours, weights, symmetric matrix."""
    from eigenselect.similarity import KNN

    return _on(np.load(path), lambda X: KNN(NEIGHBORS, algorithm=algorithm).build(X).affinity)


def sparse_graph(path: Path) -> Work:
    """Components and approximate neighbours of a table that is never made dense."""
    from eigenselect.similarity import KNN

    similarity = KNN(NEIGHBORS, algorithm="approximate", n_components=N_COMPONENTS)
    return _on(sparse.csr_array(sparse.load_npz(path)), lambda X: similarity.build(X).affinity)


def recall(path: Path, who: str) -> Work:
    """The part of the exact neighbours of some samples that an approximate search finds."""
    from sklearn.neighbors import NearestNeighbors

    from eigenselect.matrix import as_matrix
    from eigenselect.similarity.neighbors import approximate_neighbors

    X = np.load(path)
    exact = NearestNeighbors(n_neighbors=NEIGHBORS + 1, algorithm="brute").fit(X).kneighbors(X[:JUDGED])[1]

    def found() -> Any:
        if who == "ours":
            options: dict[str, Any] = {"metric": "euclidean", "random_state": None, "n_jobs": None}
            return approximate_neighbors(as_matrix(X), NEIGHBORS, **options)[0]
        return _index(X)[0]

    def part() -> Any:
        hits = [np.isin(others, mine).mean() for mine, others in zip(found(), exact[:, 1:], strict=False)]
        return np.array([np.mean(hits)])

    return Work(part, most_calls=1)


# -- the others ------------------------------------------------------------------------------------


def sklearn_neighbors(path: Path, algorithm: str) -> Work:
    """A search of scikit-learn, on all cores."""
    from sklearn.neighbors import NearestNeighbors

    def search(X: Any) -> Any:
        neighbors = NearestNeighbors(n_neighbors=NEIGHBORS, algorithm=algorithm, n_jobs=-1).fit(X)
        return neighbors.kneighbors_graph(mode="distance")

    return _on(np.load(path), search)


def _index(X: Any) -> Any:
    from pynndescent import NNDescent

    return NNDescent(X, n_neighbors=NEIGHBORS + 1, random_state=0).neighbor_graph


def pynndescent_index(path: Path) -> Work:
    """The index with its own settings, asked for the sample itself and its neighbours."""
    return _on(np.load(path), _index)


def truncated_svd_index(path: Path) -> Work:
    """What scikit-learn and pynndescent offer for a sparse table: singular vectors without centring, then the index."""
    from sklearn.decomposition import TruncatedSVD

    def search(X: Any) -> Any:
        return _index(TruncatedSVD(N_COMPONENTS, random_state=0).fit_transform(X))

    return _on(sparse.csr_array(sparse.load_npz(path)), search)
