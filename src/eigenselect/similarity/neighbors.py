"""Nearest neighbours of every sample, exact: by panels of distances, or by a tree where features are few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import effective_threads, map_blocks
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import Matrix
from eigenselect.similarity.distances import check_range, distance_panels, row_panels

#: tables with at most this many dense features are searched with a k-d tree
TREE_FEATURES = 12
TREE_SAMPLES = 2000
#: neighbours that a tree is asked for beyond those wanted
TREE_SPARE = 16


def nearest_neighbors(
    X: Matrix,
    n_neighbors: int,
    *,
    metric: str = "euclidean",
    known: FloatArray | None = None,
    n_jobs: int | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find indices and squared distances of the ``n_neighbors`` nearest other samples of every sample.

    Exact. Equal distances (to 11 digits) go to the lower index, so the result does not depend on the number of
    threads. Each row is sorted by index, not by distance.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    n_neighbors : int
        Less than n.
    metric : {"euclidean", "cosine"}
        The cosine distance is Euclidean between samples scaled to unit length: d² = 2 - 2 cos.
    known : ndarray of shape (n, n), optional
        All squared distances, where somebody has them.
    """
    if known is None and _suits_tree(X, metric):
        return _tree_neighbors(X, n_neighbors, n_jobs)
    indices = np.empty((X.n_samples, n_neighbors), dtype=np.intp)
    squared = np.empty((X.n_samples, n_neighbors))
    panels = distance_panels(X, metric, n_jobs) if known is None else lambda rows: known[rows].copy()

    def search(rows: slice) -> None:
        distances = panels(rows)
        _exclude_self(distances, rows)
        indices[rows] = smallest_per_row(distances, n_neighbors)
        squared[rows] = np.take_along_axis(distances, indices[rows], axis=1)

    map_blocks(search, row_panels(X.n_samples), n_jobs)
    return indices, squared


# -- selection ------------------------------------------------------------------------------


def _exclude_self(distances: FloatArray, rows: slice) -> None:
    local = np.arange(rows.stop - rows.start)
    distances[local, local + rows.start] = np.inf


def smallest_per_row(distances: FloatArray, count: int) -> IntArray:
    """Find the columns of the ``count`` smallest entries of each row, ties to the lower column."""
    keys = _rounded_keys(distances)
    limit = np.partition(keys, count - 1, axis=1)[:, count - 1 : count]
    chosen = keys <= limit
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) > count):
        tied = np.flatnonzero(keys[row] == limit[row])
        surplus = np.count_nonzero(chosen[row]) - count
        chosen[row, tied[tied.size - surplus :]] = False
    return np.nonzero(chosen)[1].reshape(len(distances), count)


def _rounded_keys(distances: FloatArray) -> NDArray[np.int64]:
    """Return the bits of non-negative floats, rounded to 36 of the mantissa: same order, equal up to rounding noise."""
    bits = np.ascontiguousarray(distances).view(np.int64)
    return (bits + 0x8000) & ~np.int64(0xFFFF)


# -- few features: a tree -------------------------------------------------------------------


def _suits_tree(X: Matrix, metric: str) -> bool:
    few = X.n_features <= TREE_FEATURES and X.n_samples > TREE_SAMPLES
    return metric == "euclidean" and few and not X.is_sparse


def _tree_neighbors(X: Matrix, n_neighbors: int, n_jobs: int | None) -> tuple[IntArray, FloatArray]:
    """Find neighbours with a k-d tree; a few more than wanted are asked for, to settle ties by index as elsewhere."""
    from scipy.spatial import KDTree

    points = X.to_array()
    with np.errstate(over="ignore", invalid="ignore"):
        check_range(X, np.sum((points - points.mean(axis=0)) ** 2, axis=1), center=True)
    n_samples = len(points)
    asked = min(n_samples, n_neighbors + 1 + TREE_SPARE)
    _, found = KDTree(points).query(points, k=asked, workers=effective_threads(n_jobs))
    squared = _distances_to(points, np.arange(n_samples), found)
    squared[found == np.arange(n_samples)[:, None]] = np.inf
    keys = _rounded_keys(squared)
    order = np.lexsort((found, keys), axis=-1)
    indices = np.take_along_axis(found, order, axis=1)[:, :n_neighbors]
    farthest = np.where(np.isinf(squared), -1, keys).max(axis=1)
    limit = np.take_along_axis(keys, order, axis=1)[:, n_neighbors - 1]
    for row in np.flatnonzero(farthest == limit) if asked < n_samples else ():
        # More samples tie at this distance than were asked for: look at all of them.
        distances = ((points - points[row]) ** 2).sum(axis=1)[None]
        distances[0, row] = np.inf
        indices[row] = smallest_per_row(distances, n_neighbors)[0]
    indices = np.sort(indices, axis=1).astype(np.intp)
    return indices, _distances_to(points, np.arange(n_samples), indices)


def _distances_to(points: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """Compute squared distances of each row to its own list of samples, from differences."""
    squared = np.empty(columns.shape)
    for column in range(columns.shape[1]):
        difference = points[rows] - points[columns[:, column]]
        squared[:, column] = np.einsum("ij,ij->i", difference, difference)
    return squared
