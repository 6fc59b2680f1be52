"""Nearest neighbours among points of few dimensions, exact: by a k-d tree, in blocks of points."""

from __future__ import annotations

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.matrix import Matrix
from eigenselect.similarity.distances import check_range
from eigenselect.similarity.equal_rows import FirstCopies
from eigenselect.similarity.ties import TIED, nearest_of, ordered_by_sample

#: tables with at most this many dense features are searched with a k-d tree
TREE_FEATURES = 12
TREE_SAMPLES = 2000
#: neighbours that a tree is asked for beyond those wanted, and how many times as many where they tie
SPARES, MORE_SPARES = 2, 8
#: points that are searched at once, and neighbours that are asked for at once
BLOCK_POINTS, BLOCK_NEIGHBORS = 2**14, 2**20


def suits_tree(X: Matrix, metric: str) -> bool:
    """Whether a tree finds the neighbours fastest."""
    few = X.n_features <= TREE_FEATURES and X.n_samples > TREE_SAMPLES
    return metric == "euclidean" and few and not X.is_sparse


def tree_neighbors(X: Matrix, n_neighbors: int, n_jobs: int | None) -> tuple[IntArray, FloatArray]:
    """Find neighbours with a k-d tree; a few more than wanted are asked for, to settle ties by index as elsewhere.

    Of equal points only the first are searched, so that a table of few levels takes no longer than others.
    """
    from scipy.spatial import KDTree

    points = np.ascontiguousarray(X.to_array())
    with np.errstate(over="ignore", invalid="ignore"):
        check_range(X, np.sum((points - points.mean(axis=0)) ** 2, axis=1), center=True)
    kept, places = FirstCopies.of(points, n_neighbors)
    points = points[kept]
    tree = KDTree(points)
    indices = np.empty((len(points), n_neighbors), dtype=np.intp)
    squared = np.empty((len(points), n_neighbors))

    def search(block: slice) -> None:
        rows, spares = np.arange(block.start, block.stop), SPARES
        while rows.size:
            asked = min(len(points), n_neighbors + 1 + spares)
            settled = np.empty(rows.size, dtype=bool)
            for part in slices(rows.size, max(1, BLOCK_NEIGHBORS // asked)):
                _, found = tree.query(points[rows[part]], k=asked)
                settled[part] = _settle(points, rows[part], found, indices, squared)
            rows, spares = rows[~settled] if asked < len(points) else rows[:0], MORE_SPARES * spares

    map_blocks(search, slices(len(points), BLOCK_POINTS), n_jobs)
    return kept[indices][places], squared[places]


def _settle(points: FloatArray, rows: IntArray, found: IntArray, indices: IntArray, squared: FloatArray) -> BoolArray:
    """Write the nearest that were found of some points; tell for which of them nobody else can tie with the last."""
    n_neighbors = indices.shape[1]
    distances = _distances_to(points, rows, found)
    distances[found == rows[:, None]] = np.inf
    places = nearest_of(distances, found, n_neighbors)
    indices[rows], squared[rows] = ordered_by_sample(distances, found, places)
    farthest = np.where(np.isinf(distances), -1.0, distances).max(axis=1)
    return np.asarray(farthest > squared[rows].max(axis=1) * (1.0 + TIED))


def _distances_to(points: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """Compute squared distances of each row to its own list of samples, from differences."""
    squared = np.empty(columns.shape)
    for column in range(columns.shape[1]):
        difference = points[rows] - points[columns[:, column]]
        squared[:, column] = np.einsum("ij,ij->i", difference, difference)
    return squared
