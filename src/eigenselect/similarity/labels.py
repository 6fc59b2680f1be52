"""Similarities from labels: classes, and the near hits and near misses that ReliefF compares a sample with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect._checks import choice, neighbors
from eigenselect._labels import encode_classes
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray, Names
from eigenselect._warn import warn
from eigenselect.exceptions import agreeing
from eigenselect.graph import ClassMeans, Origin, SampleGraph
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.base import ALL_PAIRS
from eigenselect.similarity import pairs
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.neighbors import smallest_per_row
from eigenselect.similarity.pairs import CANCELLATION, Distances, Rows, all_pairs, panel_rows, panel_sums

#: absolute differences from which compiled loops are worth their import
COMPILED_WORK = 3e7


class ClassLabels(BaseSimilarity, name="class_labels"):
    r"""The class-label similarity.

    .. math:: S_{ij} = 1/n_l \text{ if } y_i = y_j = l, \text{ else } 0

    where :math:`n_l` is the size of class l. All degrees are 1 and S projects a feature onto its class means, so it is
    applied in O(n) per feature and never formed. Every distinct value of y is a class, -1 too; numbers that are no
    classes (a continuous target, counts) are refused.

    See Also
    --------
    HitMiss : Near samples of the own and of other classes.
    eigenselect.FisherScore : The ranking on this similarity, in its own scale.

    References
    ----------
    Zhao and Liu (2007), Eq. 2, doi:10.1145/1273496.1273641; Zhao, PhD thesis, Arizona State University 2010, Eq. 3.13.

    Examples
    --------
    >>> from eigenselect.similarity import ClassLabels
    >>> ClassLabels().build(None, ["a", "b", "a"]).to_array()
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """

    requires_labels = True
    origin = Origin.LABELS

    def _graph(self, X: Matrix | None, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        codes, classes = encode_classes(y, owner, None if X is None else X.n_samples)
        return class_graph(codes, classes)


def class_graph(codes: IntArray, classes: Names) -> SampleGraph:
    """Build the class-label similarity of samples whose class numbers and names are known."""
    n_classes = len(classes)
    return SampleGraph(
        ClassMeans(codes, n_classes, classes),
        row_sums=np.ones(codes.size),
        components=codes,
        made_of_labels=True,
        origin=Origin.LABELS,
        description={"similarity": ClassLabels.__name__, "n_classes": n_classes},
    )


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
        W = sparse.csr_array((weights, (self.source, self.target)), shape=(n_samples, n_samples))
        return sparse.csr_array(W + W.T.tocsr())


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
    """Find the nearest ``n_neighbors`` of each of ``samples`` in every class, itself excluded; all of a smaller class.

    Ties go to the lower index. With one class (``codes`` all 0) these are plain nearest neighbours. Manhattan distances
    may scale each feature.
    """
    X = as_matrix(X)
    members = [np.flatnonzero(codes == group) for group in range(int(codes.max()) + 1)]
    if metric == "manhattan":
        distances = manhattan_distances(X, scale, hold=2 * samples.size > X.n_samples, n_jobs=n_jobs)
    else:
        distances = Distances(X, metric, n_jobs)

    def search(part: slice) -> NDArray[np.int32]:
        rows, edges = samples[part], []
        panel = distances(rows)
        panel[np.arange(rows.size), rows] = np.inf
        for group, columns in enumerate(members):
            near = panel[:, columns]
            chosen = smallest_per_row(near, min(n_neighbors, columns.size))
            row, place = np.nonzero(np.isfinite(np.take_along_axis(near, chosen, axis=1)))
            edges.append(np.stack([rows[row], columns[chosen[row, place]], np.full(row.size, group)], dtype=np.int32))
        return np.concatenate(edges, axis=1)

    parts = slices(samples.size, panel_rows(X.n_samples))
    return NeighborEdges(*np.concatenate(map_blocks(search, parts, n_jobs), axis=1))


def manhattan_distances(
    X: Matrix, scale: FloatArray | None, *, hold: bool, n_jobs: int | None
) -> Callable[[Rows], FloatArray]:
    r"""Return a function from some samples to their distances :math:`\sum_k s_k |x_k - y_k|` from all samples.

    All n × n are computed at once if they should be held and are small enough.
    """
    X = X.loaded(ALL_PAIRS)
    if isinstance(X, SparseMatrix):
        return _sparse_distances(X.by_row.astype(np.float64) * (1.0 if scale is None else scale[None, :]))
    kernel: pairs.Kernel = partial(cdist, metric="cityblock")
    if float(X.n_samples) ** 2 * X.n_features >= COMPILED_WORK:
        from eigenselect.similarity.loops_numba import manhattan as kernel
    if hold and 8 * X.n_samples**2 <= pairs.FULL_GRAM_BYTES:
        return all_pairs(X, kernel, n_jobs, np.min, scale).__getitem__
    return lambda rows: panel_sums(X, rows, kernel, np.min, scale)  # less the smallest: a large mean would cost digits


def _sparse_distances(table: Any) -> Callable[[Rows], FloatArray]:
    """Return the same function for a sparse table: |a - b| is |a| + |b|, less 2 min(|a|, |b|) if signs are equal.

    Distances that have lost their digits by it are computed from differences.
    """
    from eigenselect.similarity.loops_numba import shared_values

    by_row, by_column = sparse.csr_array(table), sparse.csc_array(table)
    norms = np.asarray(abs(by_row).sum(axis=1)).ravel()

    def panel(rows: Rows) -> FloatArray:
        numbers = np.arange(norms.size)[rows]
        both = norms[numbers, None] + norms
        shared = np.zeros(both.shape)
        entries = (by_row.indptr, by_row.indices, by_row.data, by_column.indptr, by_column.indices, by_column.data)
        shared_values(*entries, numbers, shared)
        distances = both - 2.0 * shared
        first, second = np.nonzero(distances < CANCELLATION["manhattan"] * both)
        for part in slices(first.size, 2**12):
            i, j = first[part], second[part]
            distances[i, j] = np.asarray(abs(by_row[numbers[i]] - by_row[j]).sum(axis=1)).ravel()
        return distances

    return panel


def relief_weights(edges: NeighborEdges, codes: IntArray, n_drawn: int) -> FloatArray:
    """Return ReliefF's weight of each edge (Z3.15), for M drawn samples.

    A hit weighs -1/h, a miss of class C +P(C) / (1 - P(own class)) / h, both divided by M; h is the number of
    neighbours that were found in that class.
    """
    prior = np.bincount(codes) / codes.size
    factor = prior / (1.0 - prior[:, None])  # of a neighbour's class (column) for a sample's class (row)
    np.fill_diagonal(factor, -1.0)
    return factor[codes[edges.source], edges.group] * edges.shares() / n_drawn


def warn_about_small_classes(owner: str, codes: IntArray, n_neighbors: int) -> None:
    """Warn once that some classes have fewer samples than neighbours are asked for."""
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
        Distance that decides which samples are near.

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
