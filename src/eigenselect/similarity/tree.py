"""Nearest neighbours among points of few dimensions, exact: by a k-d tree, in blocks of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.matrix import Matrix
from eigenselect.similarity.distances import check_range
from eigenselect.similarity.ties import nearest_of, ordered_by_sample, rounded_keys, smallest_per_row

#: tables with at most this many dense features are searched with a k-d tree
TREE_FEATURES = 12
TREE_SAMPLES = 2000
#: neighbours that a tree is asked for beyond those wanted: a few for most points, more where these tie
SPARES = (2, 16)
#: points that are searched at once
BLOCK_POINTS = 2**14


def suits_tree(X: Matrix, metric: str) -> bool:
    """Whether a tree finds the neighbours fastest."""
    few = X.n_features <= TREE_FEATURES and X.n_samples > TREE_SAMPLES
    return metric == "euclidean" and few and not X.is_sparse


def tree_neighbors(X: Matrix, n_neighbors: int, n_jobs: int | None) -> tuple[IntArray, FloatArray]:
    """Find neighbours with a k-d tree; a few more than wanted are asked for, to settle ties by index as elsewhere."""
    from scipy.spatial import KDTree

    points = np.ascontiguousarray(X.to_array())
    with np.errstate(over="ignore", invalid="ignore"):
        check_range(X, np.sum((points - points.mean(axis=0)) ** 2, axis=1), center=True)
    tree = KDTree(points)
    indices = np.empty((len(points), n_neighbors), dtype=np.intp)
    squared = np.empty((len(points), n_neighbors))

    def search(block: slice) -> None:
        rows = np.arange(block.start, block.stop)
        for spare in SPARES:
            rows = rows[~_settle(tree, rows, n_neighbors, spare, indices, squared)]
            if not rows.size:
                return
        for row in rows:
            indices[row], squared[row] = _among_all(points, row, n_neighbors)

    map_blocks(search, slices(len(points), BLOCK_POINTS), n_jobs)
    return indices, squared


def _settle(
    tree: Any, rows: IntArray, n_neighbors: int, spare: int, indices: IntArray, squared: FloatArray
) -> BoolArray:
    """Write the neighbours of these points; tell for which of them nobody else can tie with the last one."""
    points = tree.data
    asked = min(len(points), n_neighbors + 1 + spare)
    _, found = tree.query(points[rows], k=asked)
    distances = _distances_to(points, rows, found)
    distances[found == rows[:, None]] = np.inf
    places = nearest_of(distances, found, n_neighbors)
    indices[rows], squared[rows] = ordered_by_sample(distances, found, places)
    keys = rounded_keys(distances)
    farthest = np.where(np.isinf(distances), -1, keys).max(axis=1)
    last = np.take_along_axis(keys, places[:, -1:], axis=1)[:, 0]
    return np.asarray((farthest > last) | (asked == len(points)))


def _among_all(points: FloatArray, row: int, n_neighbors: int) -> tuple[IntArray, FloatArray]:
    """Find the neighbours of one point, with which many tie, by looking at all."""
    distances = ((points - points[row]) ** 2).sum(axis=1)[None]
    distances[0, row] = np.inf
    chosen = smallest_per_row(distances, n_neighbors)[0]
    return chosen, _distances_to(points, np.array([row]), chosen[None])[0]


def _distances_to(points: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """Compute squared distances of each row to its own list of samples, from differences."""
    squared = np.empty(columns.shape)
    for column in range(columns.shape[1]):
        difference = points[rows] - points[columns[:, column]]
        squared[:, column] = np.einsum("ij,ij->i", difference, difference)
    return squared
