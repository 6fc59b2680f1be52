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
#: metrics, and the p of their distances
POWERS = {"euclidean": 2, "manhattan": 1}
#: points that are searched at once, and neighbours that are asked for at once
BLOCK_POINTS, BLOCK_NEIGHBORS = 2**14, 2**20


def suits_tree(X: Matrix, metric: str) -> bool:
    """Whether a tree finds the neighbours fastest."""
    few = X.n_features <= TREE_FEATURES and X.n_samples > TREE_SAMPLES
    return metric == "euclidean" and few and not X.is_sparse


def tree_neighbors(X: Matrix, n_neighbors: int, n_jobs: int | None) -> tuple[IntArray, FloatArray]:
    """Find neighbours and squared distances with a k-d tree, as `eigenselect.similarity.neighbors` does.

    Of equal points only the first are searched, so that a table of few levels takes no longer than others.
    """
    points = points_of(X)
    kept, places = FirstCopies.of(points, n_neighbors)
    indices, squared = nearest_points(points, kept, kept, n_neighbors, n_jobs=n_jobs)
    return indices[places], squared[places]


def points_of(X: Matrix) -> FloatArray:
    """Return the rows of a table whose squared distances neither overflow nor vanish."""
    points = np.ascontiguousarray(X.to_array())
    with np.errstate(over="ignore", invalid="ignore"):
        check_range(X, np.sum((points - points.mean(axis=0)) ** 2, axis=1), center=True)
    return points


def nearest_points(
    points: FloatArray, rows: IntArray, others: IntArray, count: int, *, power: int = 2, n_jobs: int | None = None
) -> tuple[IntArray, FloatArray]:
    r"""Find the nearest of some points among others; a few more are asked for, to settle ties by number.

    Parameters
    ----------
    points : ndarray of shape (n, m)
    rows, others : ndarray of int
        Whose neighbours are looked for, and who may be one; nobody is a neighbour of itself.
    count : int
        At most the number of others.
    power : {1, 2}, default=2
        The p of the distance :math:`\sum_k |x_k - y_k|^p`.

    Returns
    -------
    indices, distances : ndarray of shape (n_rows, count)
        Sorted by number. Infinitely far is a point itself, where there are too few others.

    Examples
    --------
    >>> everybody = np.arange(3)
    >>> nearest_points(np.array([[0.0], [1.0], [3.0]]), everybody, everybody, 1)[0].ravel()
    array([1, 0, 1])
    """
    from scipy.spatial import KDTree

    tree = KDTree(points[others])
    indices, distances = np.empty((rows.size, count), dtype=np.intp), np.empty((rows.size, count))

    def search(block: slice) -> None:
        left, spares = np.arange(block.start, block.stop), SPARES
        while left.size:
            asked = min(others.size, count + 1 + spares)
            settled = np.empty(left.size, dtype=bool)
            for part in slices(left.size, max(1, BLOCK_NEIGHBORS // asked)):
                own, here = left[part], rows[left[part]]
                found = others[tree.query(points[here], k=asked, p=power)[1].reshape(here.size, asked)]
                indices[own], distances[own], settled[part] = _settled(points, here, found, count, power)
            left, spares = left[~settled] if asked < others.size else left[:0], MORE_SPARES * spares

    map_blocks(search, slices(rows.size, BLOCK_POINTS), n_jobs)
    return indices, distances


def _settled(
    points: FloatArray, rows: IntArray, found: IntArray, count: int, power: int
) -> tuple[IntArray, FloatArray, BoolArray]:
    """Choose among what was found of some points; tell for which of them nobody else can tie with the last."""
    distances = _distances_to(points, rows, found, power)
    distances[found == rows[:, None]] = np.inf
    chosen, nearest = ordered_by_sample(distances, found, nearest_of(distances, found, count))
    farthest = np.where(np.isinf(distances), -1.0, distances).max(axis=1)
    return chosen, nearest, np.asarray(farthest > nearest.max(axis=1) * (1.0 + TIED))


def _distances_to(points: FloatArray, rows: IntArray, columns: IntArray, power: int) -> FloatArray:
    """Compute the distances of each row to its own list of points, from differences."""
    distances = np.empty(columns.shape)
    for column in range(columns.shape[1]):
        difference = points[rows] - points[columns[:, column]]
        factors = np.sign(difference) if power == 1 else difference
        distances[:, column] = np.einsum("ij,ij->i", difference, factors)
    return distances
