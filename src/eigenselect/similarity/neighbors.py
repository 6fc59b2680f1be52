"""Nearest neighbours of every sample: a library proposes candidates, exact distances settle them.

Samples whose distances fit into memory, sparse tables and tables too large to copy are compared by panels of
`Distances`. Else candidates come from scikit-learn, from the workers of a Dask array, from pynndescent or from the
user's object. Candidates are measured from differences, and one rule decides ties.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from eigenselect._checks import random_generator
from eigenselect._parallel import effective_threads, map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import ApproximateNeighborsWarning
from eigenselect.matrix import DaskMatrix, Matrix, SparseMatrix
from eigenselect.matrix.base import ALL_PAIRS
from eigenselect.matrix.dask_passes import added, combined, over_columns
from eigenselect.similarity import pairs
from eigenselect.similarity.pairs import Distances, panel_rows, panel_sums

#: relative difference up to which two squared distances tie
TIED = 2e-11
#: dense tables of at most this many features and more than this many samples are searched with a k-d tree
TREE_FEATURES, TREE_SAMPLES = 12, 2000
#: bytes of a dense table of which a copy is made for a search
COPIED_BYTES = 2**31
#: candidates beyond the neighbours, by which factor they grow while more samples may tie, and how often they do
SPARE, GROWTH, ROUNDS = 5, 4, 4
#: candidates that are measured at once
MEASURED = 2**18
#: lists of pynndescent: at least so long, so much longer than the neighbours; it starts from so many trees and stops
#: when a round changes this part. Measured for a recall of 0.95 on 50 000 samples of clusters in 50 dimensions
FEWEST, LONGER, N_TREES, DELTA = 28, 13, 6, 0.02
#: recall that is required, samples of which it is measured, and how often lists of twice the length are tried
RECALL, JUDGED, MORE_SEARCHES = 0.95, 200, 2

#: neighbours of every sample sorted by sample number, and their squared distances
Neighbors = tuple[IntArray, FloatArray]


def smallest_per_row(distances: FloatArray, count: int) -> IntArray:
    """Find the columns of the ``count`` smallest entries of each row, ascending: the rule for ties.

    Entries within `TIED` of the last one taken tie with it, and ties go to the lower column.

    >>> smallest_per_row(np.array([[3.0, 1.0, 2.0, 1.0]]), 2)
    array([[1, 3]])
    """
    last = np.partition(distances, count - 1, axis=1)[:, count - 1 : count]
    chosen = distances <= last * (1.0 + TIED)
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > count):
        tied = np.flatnonzero(chosen[row] & (distances[row] >= last[row] * (1.0 - TIED)))
        surplus = np.count_nonzero(chosen[row]) - count
        chosen[row, tied[tied.size - surplus :]] = False
    return np.nonzero(chosen)[1].reshape(len(distances), count)


def nearest_neighbors(
    X: Matrix,
    n_neighbors: int,
    *,
    metric: str = "euclidean",
    known: FloatArray | None = None,
    n_jobs: int | None = None,
) -> Neighbors:
    """Find the ``n_neighbors`` nearest other samples of every sample, exactly.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    n_neighbors : int
        Less than n.
    metric : {"euclidean", "cosine"}
    known : ndarray of shape (n, n), optional
        All squared distances, if they are known.
    n_jobs : int, optional

    Returns
    -------
    indices, squared : ndarray of shape (n, n_neighbors)
        Sorted by sample number, not by distance.

    Examples
    --------
    >>> indices, squared = nearest_neighbors(Matrix(np.array([[0.0], [1.0], [3.0]])), 1)
    >>> indices.ravel(), squared.ravel()
    (array([1, 0, 1]), array([1., 1., 4.]))
    """
    samples = np.arange(X.n_samples)
    if known is not None:
        return _by_panels(known.__getitem__, samples, X.n_samples, n_neighbors, n_jobs)
    fits = 8 * X.n_samples**2 <= pairs.FULL_GRAM_BYTES
    copied = 8 * X.n_samples * X.n_features <= COPIED_BYTES and not X.is_sparse and not isinstance(X, DaskMatrix)
    by_library = copied and (not fits or (suits_tree(X, metric) and X.n_samples > TREE_SAMPLES))
    distances = Distances(X, metric, n_jobs, hold=fits and not by_library)
    if by_library and (distances.factors is None or distances.factors.all()):  # samples of zeros have no direction
        return _by_library(distances, metric, n_neighbors, n_jobs)
    if isinstance(X, DaskMatrix) and not fits:
        return _settled(distances, samples, _dask_candidates(X, distances), n_neighbors, n_jobs)
    return _by_panels(distances, samples, X.n_samples, n_neighbors, n_jobs)


def suits_tree(X: Matrix, metric: str) -> bool:
    """Whether a k-d tree is the fastest search if samples are many."""
    return metric == "euclidean" and X.n_features <= TREE_FEATURES and not X.is_sparse


def _by_panels(
    distances: Callable[[Any], FloatArray], samples: IntArray, n_samples: int, n_neighbors: int, n_jobs: int | None
) -> Neighbors:
    """Choose the neighbours of some samples from their distances to all ``n_samples``."""

    def search(part: slice) -> Neighbors:
        panel = distances(samples[part])
        panel[np.arange(len(panel)), samples[part]] = np.inf
        columns = smallest_per_row(panel, n_neighbors)
        return columns, np.take_along_axis(panel, columns, axis=1)

    indices, squared = zip(*map_blocks(search, slices(samples.size, panel_rows(n_samples)), n_jobs), strict=True)
    return np.concatenate(indices), np.concatenate(squared)


# -- settle ----------------------------------------------------------------------------------------


def _settled(
    distances: Distances,
    samples: IntArray,
    propose: Callable[[IntArray, int], IntArray],
    n_neighbors: int,
    n_jobs: int | None,
) -> Neighbors:
    """Settle proposals for some samples; take more while others may tie with the last one, in the end all samples.

    ``propose(rows, count)`` lists the nearest samples of some rows by distances with rounding errors δ of products, so
    that no other sample is nearer than the farthest candidate less 2 δ.
    """
    n_samples, n_features = distances.X.shape
    indices, squared = np.empty((n_samples, n_neighbors), dtype=np.intp), np.empty((n_samples, n_neighbors))
    left, count = samples, n_neighbors + SPARE
    for _ in range(ROUNDS):
        count = min(count, samples.size)
        unsettled = []
        for part in slices(left.size, max(1, 64 * MEASURED // count)):
            rows = left[part]
            lists = np.sort(propose(rows, count), axis=1)
            indices[rows], squared[rows], farthest = measured(distances, rows, lists, n_neighbors, n_jobs)
            last = squared[rows].max(axis=1)
            error = 8 * (n_features + 16) * np.finfo(np.float64).eps * (distances.norms[rows] + last)
            unsettled.append(rows[(farthest - error <= last * (1.0 + TIED)) & (count < samples.size)])
        left, count = np.concatenate(unsettled), GROWTH * count
        if not left.size:
            return indices, squared
    indices[left], squared[left] = _by_panels(distances, left, n_samples, n_neighbors, n_jobs)
    return indices, squared


def measured(
    distances: Distances, rows: IntArray, lists: IntArray, n_neighbors: int, n_jobs: int | None
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Choose the nearest of ascending lists of candidates; -1 is none, and a sample is not its own neighbour.

    Samples with too few candidates are compared with all.

    Returns
    -------
    indices, squared : ndarray of shape (n_rows, n_neighbors)
        Sorted by sample number.
    farthest : ndarray of shape (n_rows,)
        The squared distance of the farthest candidate.
    """
    indices, squared = np.empty((rows.size, n_neighbors), dtype=np.intp), np.empty((rows.size, n_neighbors))
    farthest = np.empty(rows.size)

    def measure(part: slice) -> None:
        own, others = rows[part, None], lists[part]
        none = (others < 0) | (others == own)
        others = np.where(none, own, others)
        found = distances.between(np.repeat(own.ravel(), others.shape[1]), others.ravel()).reshape(others.shape)
        farthest[part] = found.max(axis=1)
        found[none] = np.inf
        columns = smallest_per_row(found, n_neighbors)
        indices[part], squared[part] = (np.take_along_axis(values, columns, axis=1) for values in (others, found))

    together = rows.size if isinstance(distances.X, DaskMatrix) else MEASURED // lists.shape[1]
    map_blocks(measure, slices(rows.size, max(1, together)), n_jobs)
    short = np.flatnonzero(np.isinf(squared).any(axis=1))
    if short.size:
        indices[short], squared[short] = _by_panels(distances, rows[short], distances.X.n_samples, n_neighbors, n_jobs)
    return indices, squared, farthest


# -- propose ---------------------------------------------------------------------------------------


def _points(X: Matrix, metric: str) -> FloatArray:
    """Return the samples in float64, less their mean, or, for cosines, with unit length; zeros stay zeros."""
    points = X.to_array()
    if metric == "euclidean":
        return np.asarray(points - points.mean(axis=0), order="C")
    lengths = np.sqrt(np.einsum("ij,ij->i", points, points))
    return np.divide(points, lengths[:, None], where=lengths[:, None] > 0, out=np.zeros_like(points))


def _by_library(distances: Distances, metric: str, n_neighbors: int, n_jobs: int | None) -> Neighbors:
    """Search with scikit-learn's k-d tree (few features) or comparison of all pairs.

    The tree holds k + 1 of equal samples: the others have the same neighbours as the last of these.
    """
    from sklearn.neighbors import NearestNeighbors

    stands_in = samples = np.arange(distances.X.n_samples)
    if suits_tree(distances.X, metric):
        rows = np.ascontiguousarray(distances.X.to_array()) + 0.0  # -0 is 0
        groups = np.unique(rows.view(np.dtype((np.void, rows[0].nbytes)))[:, 0], return_inverse=True)[1]
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], groups[order])
        stands_in = np.empty_like(order)
        stands_in[order] = order[np.minimum(samples, starts + n_neighbors)]
        samples = np.unique(stands_in)
    points = _points(distances.X, metric)
    index = NearestNeighbors(n_jobs=effective_threads(n_jobs)).fit(points[samples])

    def propose(rows: IntArray, count: int) -> IntArray:
        with threadpool_limits(effective_threads(n_jobs), user_api="openmp"):
            return samples[index.kneighbors(points[rows], count, return_distance=False)]

    indices, squared = _settled(distances, samples, propose, n_neighbors, n_jobs)
    return indices[stands_in], squared[stands_in]


def _dask_candidates(X: DaskMatrix, distances: Distances) -> Callable[[IntArray, int], IntArray]:
    """Propose on the workers: products are added up over blocks of columns, only the lists come to the client."""
    from dask.delayed import delayed

    sums, nearest = delayed(panel_sums), delayed(_nearest_by_products)

    def propose(rows: IntArray, count: int) -> IntArray:
        blocks, lists = [block for _, block in over_columns(X.raw, copy)], []
        for part in slices(rows.size, panel_rows(X.n_samples)):
            total = combined([sums(block, rows[part], np.inner, distances.origin) for block in blocks], added)
            lists.append(nearest(total, distances.norms, distances.factors, count))
        return np.concatenate(X.computed(lists))

    return propose


def _nearest_by_products(products: FloatArray, norms: FloatArray, factors: FloatArray | None, count: int) -> IntArray:
    """List the samples y with the smallest |y|² - 2 xᵀy, or the largest cosines."""
    products = products if factors is None else products * factors
    return np.argpartition(norms - 2.0 * products, count - 1, axis=1)[:, :count]


# -- approximate search ----------------------------------------------------------------------------


def approximate_neighbors(
    X: Matrix, n_neighbors: int, *, metric: str, random_state: Any, n_jobs: int | None
) -> Neighbors:
    """Find most neighbours with pynndescent; warn if fewer than `RECALL` of those of some samples are found."""
    distances = Distances(X.out_of_file(ALL_PAIRS), metric, n_jobs, hold=False)
    n_samples, samples = X.n_samples, np.arange(X.n_samples)
    judged = np.unique(np.linspace(0, n_samples - 1, JUDGED).astype(np.intp))
    limit = _by_panels(distances, judged, n_samples, n_neighbors, n_jobs)[1].max(axis=1, keepdims=True) * (1.0 + TIED)
    table, seed = _single_precision(distances.X, metric), random_generator(random_state).randint(2**31 - 1)
    for search in range(1 + MORE_SEARCHES):
        length = min(n_samples, max(FEWEST, n_neighbors + LONGER) << search)
        lists = np.sort(_index_lists(table, length, seed, n_jobs), axis=1)
        indices, squared, _ = measured(distances, samples, lists, n_neighbors, n_jobs)
        recall = float(np.mean(squared[judged] <= limit))
        if recall >= RECALL:
            return indices, squared
    warn(
        f"KNN: the approximate search found about {recall:.0%} of the {n_neighbors} neighbours, measured on "
        f"{judged.size} of {n_samples} samples: these have little structure, or lie too near each other for single "
        "precision; set algorithm='exact', or n_components to fewer dimensions.",
        ApproximateNeighborsWarning,
    )
    return indices, squared


def _single_precision(X: Matrix, metric: str) -> Any:
    """Return the samples in float32 with lengths of at most 1; a sparse table stays sparse and is not centred."""
    if not isinstance(X, SparseMatrix):
        points = _points(X, metric)
        largest = np.sqrt(np.einsum("ij,ij->i", points, points).max())
        return (points / (largest or 1.0)).astype(np.float32)
    lengths = sparse.linalg.norm(X.by_row.astype(np.float64), axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0) if metric == "cosine" else np.full(X.n_samples, lengths.max() or 1.0)
    return sparse.csr_matrix(sparse.diags_array(1.0 / lengths) @ X.by_row, dtype=np.float32)


def _index_lists(table: Any, length: int, seed: int, n_jobs: int | None) -> IntArray:
    """Return the lists of neighbours of an index of pynndescent."""
    try:
        import numba
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            "KNN: algorithm='approximate' needs pynndescent; install it with pip install eigenselect[ann], or set "
            "algorithm='exact'."
        ) from error
    threads = min(effective_threads(n_jobs), numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    options = {"n_trees": N_TREES, "max_candidates": max(1, length - 4), "delta": DELTA}
    index = NNDescent(table, n_neighbors=length, random_state=seed, n_jobs=threads, **options)
    return np.asarray(index.neighbor_graph[0])


def transformed_neighbors(
    X: Matrix, transformer: Any, n_neighbors: int, *, metric: str, n_jobs: int | None
) -> Neighbors:
    """Take the candidates of an object like scikit-learn's ``KNeighborsTransformer``; complete lists that are short."""
    loaded, n_samples = X.loaded("neighbours are searched by an object that takes a table in memory"), X.n_samples
    graph = clone(transformer).fit_transform(loaded.raw)
    if not sparse.issparse(graph) or graph.shape != (n_samples, n_samples):
        raise ValueError(
            f"KNN: algorithm={type(transformer).__name__}(...) must return a sparse {n_samples} × {n_samples} matrix, "
            f"got a {type(graph).__name__} of shape {np.shape(graph)}."
        )
    rows = sparse.csr_array(graph, copy=True)
    rows.sum_duplicates()
    counts = np.diff(rows.indptr)
    width = max(n_neighbors, int(counts.max()))
    lists = np.full((n_samples, width), -1, dtype=np.intp)  # -1 is none
    lists[np.arange(width) >= width - counts[:, None]] = rows.indices
    distances = Distances(loaded, metric, n_jobs, hold=False)
    return measured(distances, np.arange(n_samples), lists, n_neighbors, n_jobs)[:2]
