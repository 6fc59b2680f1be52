"""Near hits and near misses: the neighbours that ReliefF compares a sample with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._checks import choice, neighbors
from eigenselect._labels import encode_classes
from eigenselect._parallel import map_blocks
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import agreeing
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix, as_matrix
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.distances import distance_panels, row_panels
from eigenselect.similarity.equal_rows import FirstCopies
from eigenselect.similarity.manhattan import COMPILED_WORK, ManhattanPanels, shifted_and_scaled
from eigenselect.similarity.neighbors import smallest_per_row
from eigenselect.similarity.tree import POWERS, nearest_points, points_of

#: samples from which, and dense features up to which, trees find the nearest sooner than a scan of all pairs: of 20 000
#: samples with 3, 5, 8 features in 0.36, 1.3, 6.3 s of a processor instead of 3.0, 2.9, 2.8
TREE_SAMPLES, TREE_FEATURES = 10_000, 6
#: samples up to which numpy finds the nearest in less time than a loop takes to compile
PLAIN_SAMPLES = 2048
#: differences that numpy measures again for some rows and a class; more are for compiled loops
PLAIN_WORK = 1e7


@dataclass(frozen=True)
class NeighborEdges:
    """Directed edges from a sample to neighbours; ``group`` is the class that the neighbour was sought in."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    group: NDArray[np.int32]

    def shares(self) -> FloatArray:
        """Return 1/h of each edge, h the number of neighbours that its sample found in that group."""
        n_groups = int(self.group.max()) + 1
        pair = self.source.astype(np.intp) * n_groups + self.group
        return 1.0 / np.bincount(pair)[pair]

    def matrix(self, weights: FloatArray, n_samples: int) -> sparse.csr_array:
        """Return W + Wᵀ of weights on these edges, none of which occurs twice: each pair's total weight."""
        edges = sparse.coo_array((weights, (self.source, self.target)), shape=(n_samples, n_samples))
        edges.has_canonical_format = True  # no duplicates; the two changes of layout below sort faster than a sort
        W = edges.tocsc().tocsr()
        return sparse.csr_array(W + W.tocsc().T)


def neighbors_by_class(
    X: Any,
    codes: IntArray,
    n_neighbors: int,
    *,
    metric: str,
    samples: IntArray,
    n_jobs: int | None,
    scale: FloatArray | None = None,
) -> NeighborEdges:
    """Find the nearest ``n_neighbors`` of each of ``samples`` in every class, itself excluded.

    Fewer where a class is smaller. Ties go to the lower index. With one class (``codes`` all 0) these are plain nearest
    neighbours. Manhattan distances may scale each feature.
    """
    X = as_matrix(X)
    members = [np.flatnonzero(codes == group) for group in range(int(codes.max()) + 1)]
    if _suits_trees(X, metric):
        points = points_of(X) if metric == "euclidean" else shifted_and_scaled(X, scale)
        return _tree_search(points, samples, members, n_neighbors, POWERS[metric], n_jobs)
    wanted = np.zeros(X.n_samples, dtype=bool)
    wanted[samples] = True
    panels = ManhattanPanels(X, n_jobs, scale) if metric == "manhattan" else distance_panels(X, metric, n_jobs)
    small = X.n_samples <= PLAIN_SAMPLES or float(X.n_samples) ** 2 * X.n_features < COMPILED_WORK
    find = _plain_search if small else _compiled_search

    def search(rows: slice) -> NDArray[np.int32]:
        here = rows.start + np.flatnonzero(wanted[rows])
        return find(panels, rows, here, members, n_neighbors)

    edges = np.concatenate(map_blocks(search, row_panels(X.n_samples), n_jobs), axis=1)
    return NeighborEdges(*edges)


def _suits_trees(X: Matrix, metric: str) -> bool:
    few = X.n_features <= TREE_FEATURES and X.n_samples >= TREE_SAMPLES
    return few and metric in POWERS and not X.is_sparse


def _tree_search(
    points: FloatArray, samples: IntArray, members: list[IntArray], count: int, power: int, n_jobs: int | None
) -> NeighborEdges:
    """Find the same edges with a tree for each class, of whose equal points only the first are in it."""
    found = [np.empty((3, 0), dtype=np.int32)]
    for group, columns in enumerate(members):
        first = columns[FirstCopies.of(points[columns], count).kept]
        nearest, distances = nearest_points(points, samples, first, min(count, first.size), power=power, n_jobs=n_jobs)
        there = np.isfinite(distances)
        source = np.repeat(samples, there.sum(axis=1))
        found.append(np.stack([source, nearest[there], np.full(source.size, group)], dtype=np.int32))
    return NeighborEdges(*np.concatenate(found, axis=1))


def _plain_search(
    panels: Any, rows: slice, samples: IntArray, members: list[IntArray], count: int
) -> NDArray[np.int32]:
    """Find edges (source, target, class) from ``samples``, which lie in ``rows``, to the nearest of every class."""
    panel = panels(rows)
    found = [np.empty((3, 0), dtype=np.int32)]
    for group, columns in enumerate(members):
        distances = np.asarray(panel[np.ix_(samples - rows.start, columns)], dtype=np.float64)
        own = samples[:, None] == columns
        distances[own] = np.inf
        n_others = columns.size - own.any(axis=1)
        for available in np.unique(n_others[n_others > 0]):  # a small class has one other fewer for its own members
            part = np.flatnonzero(n_others == available)
            near = distances[part]
            if count < available and not _are_sure(panels, near, count, samples[part], columns):
                return _compiled_search(panels, rows, samples, members, count)
            nearest = columns[smallest_per_row(near, min(available, count))]
            source = np.repeat(samples[part], nearest.shape[1])
            found.append(np.stack([source, nearest.ravel(), np.full(source.size, group)], dtype=np.int32))
    return np.concatenate(found, axis=1)


def _are_sure(panels: Any, near: FloatArray, count: int, samples: IntArray, columns: IntArray) -> bool:
    """Measure again, in place, what single precision leaves in doubt; False where that is much.

    In doubt are samples whose next neighbour is no farther than the last one taken, up to the error; who is farther
    cannot be among the nearest.
    """
    if not (isinstance(panels, ManhattanPanels) and panels.in_single_precision):
        return True
    last, following = np.partition(near, (count - 1, count), axis=1)[:, count - 1 : count + 1].T
    limits = last + panels.doubt(last)
    doubtful = np.flatnonzero(following <= limits)
    candidates = near[doubtful] <= limits[doubtful, None]
    if np.count_nonzero(candidates) * float(panels.scale.size) > PLAIN_WORK:
        return False
    for i, within in zip(doubtful, candidates, strict=True):
        apart = panels.X[columns[within]].astype(np.float64) - panels.X[samples[i]]
        near[i, within] = np.abs(apart) @ panels.scale
    return True


def _compiled_search(
    panels: Any, rows: slice, samples: IntArray, members: list[IntArray], count: int
) -> NDArray[np.int32]:
    """Do the same by one compiled scan, and measure again what single precision leaves in doubt.

    In doubt are pairs of sample and class whose next neighbour is no farther than the last one taken, up to the error.
    """
    from eigenselect.similarity.loops_numba import nearest_by_class, nearest_exactly

    panel, columns = panels(rows), np.concatenate(members)
    bounds = np.cumsum([0, *map(len, members)])
    nearest = np.empty((samples.size, len(members), count), dtype=np.int32)
    last, following = np.empty(nearest.shape[:2]), np.empty(nearest.shape[:2])
    room = np.empty(count + 1), np.empty(count + 1, dtype=np.int64)
    nearest_by_class(panel, rows.start, samples, columns, bounds, nearest, last, following, *room)
    if isinstance(panels, ManhattanPanels) and panels.in_single_precision:
        limits = last + panels.doubt(last)
        doubtful = np.nonzero(following <= limits)
        if doubtful[0].size:
            # contiguous, as those of a single pair are anyway: else the loop is compiled for both layouts
            pairs = map(np.ascontiguousarray, doubtful)
            where = (panel, rows.start, samples, columns, bounds, limits, *pairs)
            nearest_exactly(panels.X, panels.scale, *where, nearest, *room)
    found = nearest >= 0
    source, group, _ = np.nonzero(found)
    return np.stack([samples[source], nearest[found], group], dtype=np.int32)


def relief_weights(edges: NeighborEdges, codes: IntArray, n_drawn: int) -> FloatArray:
    """Return ReliefF's weight of each edge (Z3.15), for M drawn samples.

    A hit weighs -1/h, a miss of class C +P(C) / (1 - P(own class)) / h, both divided by M; h is the number of
    neighbours that were found in that class.
    """
    sizes = np.bincount(codes)
    prior = sizes / codes.size
    factor = prior / (1.0 - prior[:, None])  # of a neighbour's class (column) for a sample's class (row)
    np.fill_diagonal(factor, -1.0)
    return factor[codes[edges.source], edges.group] * edges.shares() / n_drawn


def warn_about_small_classes(owner: str, codes: IntArray, n_neighbors: int) -> None:
    """Say once that some classes have fewer samples than neighbours are asked for."""
    small = int((np.bincount(codes) - 1 < n_neighbors).sum())
    if small:
        warn(
            f"{owner}: {agreeing(small, f'{small} class[|es] [has|have]')} fewer than {n_neighbors + 1} samples; all "
            "of them are neighbours then.",
            UserWarning,
        )


class HitMiss(BaseSimilarity, name="hit_miss"):
    r"""The ReliefF similarity of Zhao and Liu.

    .. math:: S_{ij} = 1 \text{ if } i = j, \quad \tfrac1k \text{ for a near hit}, \quad
              \tfrac{-1}{(c-1)k} \text{ for a near miss}, \quad 0 \text{ else}

    where near hits are the k nearest samples of the same class and near misses the k nearest of each of the other c - 1
    classes (all of a smaller class). Every row sums to 1, so D = I in the normalisation; S is used through its
    symmetric part, whose own row sums stand in the Laplacian.

    Parameters
    ----------
    n_neighbors : int, default=10
        The k, per class.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance that decides who is near.

    See Also
    --------
    ClassLabels : All samples of a class.
    eigenselect.ReliefF : Hits and misses as the literature weighs them.

    References
    ----------
    Zhao and Liu (2007), Eq. 12, doi:10.1145/1273496.1273641.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.similarity import HitMiss
    >>> HitMiss(n_neighbors=1).build(np.array([[0.0], [1.0], [3.0], [4.0]]), ["a", "a", "b", "b"]).to_array()
    array([[ 1. ,  1. , -0.5,  0. ],
           [ 1. ,  1. , -1. , -0.5],
           [-0.5, -1. ,  1. ,  1. ],
           [ 0. , -0.5,  1. ,  1. ]])
    """

    requires_labels = True

    def __init__(self, n_neighbors: int = 10, *, metric: str = "euclidean") -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        choice(self.metric, "metric", "HitMiss", ("euclidean", "manhattan", "cosine"))
        n_neighbors = neighbors(self.n_neighbors, "HitMiss", X.n_samples)
        codes, classes = encode_classes(y, owner, X.n_samples)
        warn_about_small_classes(owner, codes, n_neighbors)
        samples = np.arange(codes.size)
        edges = neighbors_by_class(X, codes, n_neighbors, metric=self.metric, samples=samples, n_jobs=n_jobs)
        hit = codes[edges.source] == edges.group
        weights = np.where(hit, 1.0, -1.0 / (len(classes) - 1)) * edges.shares()
        affinity = edges.matrix(weights / 2, codes.size) + sparse.eye_array(codes.size)
        return SampleGraph(sparse.csr_array(affinity), mass=np.ones(codes.size), signed=True, made_of_labels=True)
