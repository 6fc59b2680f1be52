"""k-means whose clusters do not depend on rounding: of centres, and of runs, that are equally good the first counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: runs from different starts, and steps of each
RUNS, STEPS = 10, 300
#: squared distances closer than this part of the squared size of the cloud are equal
SAME = 1e-9


def k_means(points: FloatArray, count: int, random_state: Any) -> IntArray:
    """The cluster of every point, numbered by size and then by first point.

    scikit-learn's decides ties, which the eigenvectors of symmetric graphs are full of, by the last bits of a matrix
    product, and those differ from processor to processor.

    >>> k_means(np.array([[0.0], [9.0], [9.2], [9.1], [0.1]]), 2, 0)
    array([1, 0, 0, 0, 1])
    """
    rng = check_random_state(random_state)
    centred = points - points.mean(axis=0)
    size = float((centred**2).sum(axis=1).max(initial=0.0))
    runs = [_run(centred, _spread_starts(centred, count, rng), SAME * size) for _ in range(RUNS)]
    costs = np.array([cost for _, cost in runs])
    codes, _ = runs[int(np.argmax(costs <= costs.min() + SAME * size * len(points)))]
    return _numbered(codes, count)


def _spread_starts(points: FloatArray, count: int, rng: np.random.RandomState) -> FloatArray:
    """k-means++: each further start is drawn by its squared distance from those before."""
    starts = [points[rng.randint(len(points))]]
    for _ in range(count - 1):
        sums = np.cumsum(_squared_distances(points, np.array(starts)).min(axis=1))
        place = int(np.searchsorted(sums, rng.uniform() * sums[-1], side="right"))
        starts.append(points[min(place, len(points) - 1)])
    return np.array(starts)


def _run(points: FloatArray, centres: FloatArray, same: float) -> tuple[IntArray, float]:
    """Lloyd's steps until nothing changes: the nearest centre of every point, and the sum of squared distances."""
    codes = np.full(len(points), -1, dtype=np.intp)
    for _ in range(STEPS):
        squared = _squared_distances(points, centres)
        nearest = np.argmax(squared <= squared.min(axis=1, keepdims=True) + same, axis=1)
        if (nearest == codes).all():
            break
        codes = nearest
        sizes = np.bincount(codes, minlength=len(centres))
        member = np.eye(len(centres))[codes]
        centres = np.where(sizes[:, None] > 0, member.T @ points / np.maximum(sizes, 1)[:, None], centres)
    return codes, float(squared.min(axis=1).sum())


def _squared_distances(points: FloatArray, centres: FloatArray) -> FloatArray:
    """One centre at a time, so that a point on its centre is exactly there."""
    return np.column_stack([((points - centre) ** 2).sum(axis=1) for centre in centres])


def _numbered(codes: IntArray, count: int) -> IntArray:
    sizes = np.bincount(codes, minlength=count)
    first = np.full(count, codes.size)
    np.minimum.at(first, codes, np.arange(codes.size))
    place = np.empty(count, dtype=np.intp)
    place[np.lexsort((first, -sizes))] = np.arange(count)
    return np.asarray(place[codes])
