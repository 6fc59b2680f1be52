"""Near hits and near misses: the neighbours that ReliefF compares a sample with."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._parallel import map_blocks
from eigenselect.graph import SampleGraph, UnweightedGraph
from eigenselect.similarity.base import BaseSimilarity, check_choice, check_neighbors
from eigenselect.similarity.distances import distance_panels, row_panels, smallest_with_gap
from eigenselect.similarity.label import encode_classes
from eigenselect.similarity.manhattan import COMPILED_WORK, ManhattanPanels

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NeighborEdges:
    """Directed edges from a sample to neighbours; ``group`` is the class that the neighbour was sought in."""

    source: NDArray[np.intp]
    target: NDArray[np.intp]
    group: NDArray[np.intp]

    def shares(self) -> FloatArray:
        """1/h of each edge, h the number of neighbours that its sample found in that group."""
        n_groups = int(self.group.max()) + 1
        pair = self.source * n_groups + self.group
        return 1.0 / np.bincount(pair)[pair]

    def matrix(self, weights: FloatArray, n_samples: int) -> sparse.csr_array:
        """W + Wᵀ of weights on these edges: each pair's total weight."""
        W = sparse.coo_array((weights, (self.source, self.target)), shape=(n_samples, n_samples)).tocsr()
        return sparse.csr_array(W + W.T)


def neighbors_by_class(
    X: Any, codes: NDArray[np.intp], n_neighbors: int, *, metric: str, samples: NDArray[np.intp], n_jobs: int | None
) -> NeighborEdges:
    """The nearest ``n_neighbors`` of each of ``samples`` in every class, itself excluded.

    Fewer where a class is smaller. Ties go to the lower index. With one class (``codes`` all 0) these are plain nearest
    neighbours.
    """
    n_samples, wanted = X.shape[0], np.zeros(X.shape[0], dtype=bool)
    wanted[samples] = True
    by_class = np.argsort(codes, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    panels = distance_panels(X, metric, n_jobs)
    select = compiled_selection() if float(n_samples) ** 2 * X.shape[1] >= COMPILED_WORK else smallest_with_gap

    def search(rows: slice) -> list[NDArray[np.intp]]:
        here = rows.start + np.flatnonzero(wanted[rows])
        distances = panels(rows)[here - rows.start]
        distances[np.arange(here.size), here] = np.inf
        distances = distances[:, by_class]
        found = []
        for group in range(bounds.size - 1):
            columns = by_class[bounds[group] : bounds[group + 1]]
            block = distances[:, bounds[group] : bounds[group + 1]]
            for part, count in _rows_by_count(codes[here] == group, columns.size, n_neighbors):
                if count and here[part].size:
                    nearest = columns[_nearest(select, block[part], count, here[part], columns, panels)]
                    source = np.repeat(here[part], count)
                    found.append(np.stack([source, nearest.ravel(), np.full(source.size, group)]))
        return found

    parts = [edges for found in map_blocks(search, list(row_panels(n_samples)), n_jobs) for edges in found]
    source, target, group = np.concatenate(parts, axis=1)
    return NeighborEdges(source, target, group)


def _rows_by_count(own: NDArray[np.bool_], size: int, n_neighbors: int) -> list[tuple[Any, int]]:
    """Rows that find the same number of neighbours in a class: all, or in a small class members and others apart."""
    if size > n_neighbors:
        return [(slice(None), n_neighbors)]
    return [(np.flatnonzero(own), size - 1), (np.flatnonzero(~own), size)]


def _nearest(
    select: Any, distances: FloatArray, count: int, rows: NDArray[np.intp], columns: NDArray[np.intp], panels: Any
) -> NDArray[np.intp]:
    """Columns of the smallest distances of each row; what single precision leaves in doubt is measured again."""
    nearest: NDArray[np.intp]
    nearest, last, following = select(distances, count)
    doubt = panels.doubt(last) if isinstance(panels, ManhattanPanels) else -1.0
    doubtful = following - last <= doubt
    if doubtful.any():
        measured = panels.exact(rows[doubtful], columns)
        measured[rows[doubtful][:, None] == columns] = np.inf
        nearest[doubtful] = select(measured, count)[0]
    return nearest


def compiled_selection() -> Any:
    """`smallest_with_gap` by one compiled scan per row; columns come in order of distance."""
    from eigenselect.similarity.kernels_numba import k_smallest

    def select(distances: FloatArray, count: int) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
        indices = np.empty((len(distances), count), dtype=np.intp)
        last, following = np.empty(len(distances)), np.empty(len(distances))
        k_smallest(distances, count, indices, last, following)
        return indices, last, following

    return select


def relief_weights(edges: NeighborEdges, codes: NDArray[np.intp], n_drawn: int) -> FloatArray:
    """ReliefF's weight of each edge (Z3.15), for M drawn samples.

    A hit weighs -1/h, a miss of class C +P(C) / (1 - P(own class)) / h, both divided by M; h is the number of
    neighbours that were found in that class.
    """
    sizes = np.bincount(codes)
    prior = sizes / codes.size
    own = codes[edges.source]
    factor = np.where(own == edges.group, -1.0, prior[edges.group] / (1.0 - prior[own]))
    return factor * edges.shares() / n_drawn


def warn_about_small_classes(owner: str, codes: NDArray[np.intp], n_neighbors: int) -> None:
    """Say once that some classes have fewer samples than neighbours are asked for."""
    small = int((np.bincount(codes) - 1 < n_neighbors).sum())
    if small:
        warnings.warn(
            f"{owner}: {small} classes have fewer than {n_neighbors + 1} samples; all of them are neighbours then.",
            UserWarning,
            stacklevel=5,
        )


class HitMiss(BaseSimilarity):
    r"""The ReliefF similarity of Zhao and Liu.

    .. math:: S_{ij} = 1 \text{ if } i = j, \quad \tfrac1k \text{ for a near hit}, \quad \tfrac{-1}{(c-1)k} \text{ for
    a near miss},
              \quad 0 \text{ else}

    where near hits are the k nearest samples of the same class and near misses the k nearest of each of the other c - 1
    classes (all of a smaller class). Every row sums to 1, so D = I in the normalisation; S is used through its
    symmetric part, whose own row sums stand in the Laplacian.

    Parameters
    ----------
    n_neighbors : int, default=10
        k.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"

    References
    ----------
    Zhao and Liu (2007), Eq. 12, doi:10.1145/1273496.1273641.
    """

    requires_labels = True
    expects_components = True

    def __init__(self, n_neighbors: int = 10, *, metric: str = "euclidean") -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric

    def build(self, X: Any, y: Any = None, *, n_jobs: int | None = None) -> SampleGraph:
        check_choice(self, "metric", self.metric, ("euclidean", "manhattan", "cosine"))
        n_neighbors = check_neighbors(self, self.n_neighbors, X.shape[0])
        codes, classes = encode_classes(y, type(self).__name__, X.shape[0])
        warn_about_small_classes(type(self).__name__, codes, n_neighbors)
        samples = np.arange(codes.size)
        edges = neighbors_by_class(X, codes, n_neighbors, metric=self.metric, samples=samples, n_jobs=n_jobs)
        hit = codes[edges.source] == edges.group
        weights = np.where(hit, 1.0, -1.0 / (len(classes) - 1)) * edges.shares()
        affinity = edges.matrix(weights / 2, codes.size) + sparse.eye_array(codes.size)
        return UnweightedGraph(sparse.csr_array(affinity), description=self.describe())
