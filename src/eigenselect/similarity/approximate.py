"""Neighbours that others find: an approximate index, or any transformer with scikit-learn's interface.

Who was found is measured again from differences, so distances are exact, ties go to the lower sample number, and only
who is missing is approximate.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from eigenselect._parallel import effective_threads
from eigenselect._random import random_generator
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import ApproximateNeighborsWarning, counted
from eigenselect.matrix import Matrix, SparseMatrix
from eigenselect.matrix.base import ALL_PAIRS
from eigenselect.similarity.bounded_space import KEPT_BYTES, Space
from eigenselect.similarity.candidates import neighbors_of_some
from eigenselect.similarity.cells import Cells
from eigenselect.similarity.ties import nearest_of, ordered_by_sample

#: neighbours that the index is asked for beyond those wanted, the fewest that it works well with, and how many fewer
#: candidates it looks at: for a recall of 0.95 on 50 000 samples of clusters in 50 dimensions, where its own settings
#: reach 0.82
SPARE, FEWEST, FEWER_CANDIDATES = 12, 28, 4
#: trees that it starts from, fewer than its own: time is better spent on longer lists of neighbours
N_TREES = 6
#: part of the neighbours that one more round may change before it ends
SETTLED = 0.02
#: part of the true neighbours that must be found, of how many samples that is measured, and how often an index searches
#: again with lists twice as long where it is less
RECALL, JUDGED, MORE_SEARCHES = 0.95, 200, 2
#: relative difference of distances that are equal but for rounding
ROUNDING = 1e-11
#: part of a squared length below which single precision does not tell squared distances apart, and the part of the
#: samples that are searched exactly for it
TOLD_APART, MOST_DOUBTED = 16 * float(np.finfo(np.float32).eps), 0.05
#: what cells are planned for, with room for samples that are not judged
PLANNED_RECALL = 0.97
#: samples that each is compared with at most: beyond, pynndescent is faster, though it compiles for half a minute
MOST_COMPARED = 50_000


def is_installed() -> bool:
    """Whether there is an approximate index."""
    return find_spec("pynndescent") is not None


class Found(NamedTuple):
    """Neighbours, sorted by sample number, their squared distances, and who found them."""

    indices: IntArray
    squared: FloatArray
    by: str


def approximate_neighbors(X: Matrix, n_neighbors: int, *, metric: str, random_state: Any, n_jobs: int | None) -> Found:
    """Find most of the nearest neighbours, by cells where samples have structure, else with pynndescent.

    Some samples are searched exactly first. Their neighbours tell how many cells must be looked at to find at least
    `RECALL` of all; that is the same on any number of threads. Where these are too many, or single precision does not
    tell their samples apart, pynndescent searches.
    """
    X = X.out_of_file(ALL_PAIRS)
    space, generator = Space.of(X, metric), random_generator(random_state)
    judged = np.unique(np.linspace(0, X.n_samples - 1, JUDGED).astype(np.intp))
    true, expected = neighbors_of_some(space, judged, n_neighbors, n_jobs=n_jobs)
    if not _stays_sparse(space):
        cells = Cells(space, generator, n_jobs)
        count = cells.needed(judged, true, PLANNED_RECALL)
        if cells.compared(count) <= MOST_COMPARED:
            indices, squared = _measured(space, cells.search(count, n_neighbors, n_jobs), n_neighbors, n_jobs)
            _mend(space, indices, squared, n_jobs)
            if recall(squared[judged], expected) >= RECALL:
                return Found(indices, squared, "cells")
    return Found(*_by_index(space, judged, expected, generator.randint(2**31 - 1), n_jobs), "pynndescent")


def _mend(space: Space, indices: IntArray, squared: FloatArray, n_jobs: int | None) -> None:
    """Search a few samples exactly, in place, that lie so near each other that single precision ordered them by chance.

    Of some hundred samples that are judged, none may be of a small cluster that is far narrower than the table. Where
    these samples are more than a few, the judgement sees them.
    """
    last = squared.max(axis=1)
    doubted = np.flatnonzero((last > 0) & (last < TOLD_APART * space.norms * space.unit))
    if 0 < doubted.size <= MOST_DOUBTED * last.size:
        indices[doubted], squared[doubted] = neighbors_of_some(space, doubted, squared.shape[1], n_jobs=n_jobs)


def _by_index(
    space: Space, judged: IntArray, expected: FloatArray, seed: int, n_jobs: int | None
) -> tuple[IntArray, FloatArray]:
    """Search with pynndescent; with longer lists where fewer than `RECALL` were found, and say what these miss.

    Equal calls give equal results on the same number of threads: on another one, the index meets pairs in another order
    and a few neighbours differ.
    """
    n_samples, n_neighbors = space.X.n_samples, expected.shape[1]
    table = _single_precision(space)
    for search in range(1 + MORE_SEARCHES):
        asked = min(n_samples, max(FEWEST, n_neighbors + 1 + SPARE) << search)
        indices, squared = _measured(space, _index_lists(table, asked, seed, n_jobs), n_neighbors, n_jobs)
        found = recall(squared[judged], expected)
        if found >= RECALL:
            return indices, squared
    warn(
        f"KNN: the approximate search found about {found:.0%} of the {n_neighbors} neighbours, measured on "
        f"{judged.size} of {n_samples} samples: these have little structure, or lie too near each other for single "
        "precision; set algorithm='exact', or n_components to fewer dimensions.",
        ApproximateNeighborsWarning,
    )
    return indices, squared


def _index_lists(table: Any, asked: int, seed: int, n_jobs: int | None) -> IntArray:
    """Return the lists of neighbours of an index of pynndescent."""
    try:
        import numba
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            "KNN: algorithm='approximate' needs pynndescent where cells of near samples find too few; install it with "
            "pip install eigenselect[ann], or set algorithm='exact'."
        ) from error
    threads = min(effective_threads(n_jobs), numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    index = NNDescent(
        table,
        n_neighbors=asked,
        n_trees=N_TREES,
        max_candidates=max(1, asked - FEWER_CANDIDATES),
        delta=SETTLED,
        random_state=seed,
        n_jobs=threads,
    )
    lists: IntArray = index.neighbor_graph[0]
    return lists


def recall(squared: FloatArray, expected: FloatArray) -> float:
    """Return which part of the neighbours is as near as the k nearest are; of equal samples, any will do.

    >>> recall(np.array([[1.0, 4.0], [3.0, 2.0]]), np.array([[4.0, 1.0], [2.0, 2.0]]))
    0.75
    """
    return float(np.mean(squared <= expected.max(axis=1, keepdims=True) * (1 + ROUNDING)))


def _stays_sparse(space: Space) -> bool:
    """Whether a table is too large to be made dense in single precision."""
    return isinstance(space.X, SparseMatrix) and 4 * space.X.n_samples * space.X.n_features > KEPT_BYTES


def _single_precision(space: Space) -> Any:
    """Return the scaled rows; those of a table that stays sparse are not centred."""
    if not _stays_sparse(space):
        return space.single
    assert isinstance(space.X, SparseMatrix)
    return sparse.csr_matrix(sparse.diags_array(space.factors) @ space.X.by_row, dtype=np.float32)


def transformed_neighbors(
    X: Matrix, transformer: Any, n_neighbors: int, *, metric: str, n_jobs: int | None
) -> tuple[IntArray, FloatArray]:
    """Find neighbours with an object like scikit-learn's ``KNeighborsTransformer``.

    It may count samples among their own neighbours, return more than are wanted, and any distances: only who is a
    neighbour is taken from it.
    """
    loaded = X.loaded("neighbours are searched by an object that takes a table in memory")
    graph = clone(transformer).fit_transform(loaded.raw)
    return _measured(Space.of(loaded, metric), _columns_of(graph, transformer, X.n_samples), n_neighbors, n_jobs)


def check_transformer(transformer: Any) -> None:
    """Refuse what is no estimator that makes a graph of neighbours."""
    if isinstance(transformer, type) or not hasattr(transformer, "fit_transform"):
        raise TypeError(
            "KNN: algorithm must be 'auto', 'exact', 'approximate' or an object like scikit-learn's "
            f"KNeighborsTransformer, got {transformer!r}."
        )


def _columns_of(graph: Any, transformer: Any, n_samples: int) -> IntArray:
    """Return the neighbours of every sample, as many as the sample with most has; -1 where one has fewer."""
    name = type(transformer).__name__
    if not sparse.issparse(graph) or graph.shape != (n_samples, n_samples):
        got = f"a {type(graph).__name__}" + (f" of shape {graph.shape}" if hasattr(graph, "shape") else "")
        raise ValueError(
            f"KNN: algorithm={name}(...) must return a sparse matrix of {n_samples} × {n_samples} distances, got {got}."
        )
    rows = sparse.csr_array(graph, copy=True)
    rows.sum_duplicates()  # who is named twice is one neighbour
    counts = np.diff(rows.indptr)
    columns = np.full((n_samples, max(1, int(counts.max(initial=0)))), -1, dtype=np.intp)
    places = np.arange(rows.indices.size) - np.repeat(rows.indptr[:-1], counts)
    columns[np.repeat(np.arange(n_samples), counts), places] = rows.indices
    short = int(np.count_nonzero(counts == 0))
    if short:
        raise ValueError(
            f"KNN: algorithm={name}(...) found no neighbour of {counted(short, 'sample')}; ask it for more."
        )
    return columns


def _measured(space: Space, columns: IntArray, n_neighbors: int, n_jobs: int | None) -> tuple[IntArray, FloatArray]:
    """Choose the nearest of those that were found; where these are too few, search exactly."""
    own = np.arange(space.X.n_samples)[:, None]
    nobody = (columns < 0) | (columns == own)
    columns = np.where(nobody, own, columns).astype(np.intp)
    if columns.shape[1] < n_neighbors:
        columns = np.pad(columns, ((0, 0), (0, n_neighbors - columns.shape[1])), mode="edge")
        nobody = np.pad(nobody, ((0, 0), (0, n_neighbors - nobody.shape[1])), constant_values=True)
    squared = space.measure(np.repeat(own, columns.shape[1]), columns.ravel()).reshape(columns.shape)
    squared[nobody] = np.inf
    indices, squared = ordered_by_sample(squared, columns, nearest_of(squared, columns, n_neighbors))
    short = np.flatnonzero(np.isinf(squared).any(axis=1))
    if short.size:
        indices[short], squared[short] = neighbors_of_some(space, short, n_neighbors, n_jobs=n_jobs)
    return indices, squared
