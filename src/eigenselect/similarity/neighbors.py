"""Nearest neighbours of every sample, exact: by a tree, blocked products, proposals, or panels of distances."""

from __future__ import annotations

from typing import cast

import numpy as np

from eigenselect._parallel import map_blocks
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.base import ALL_PAIRS
from eigenselect.similarity import distances
from eigenselect.similarity.candidates import blocked_neighbors
from eigenselect.similarity.dask_pairs import chunk_neighbors
from eigenselect.similarity.proposals import proposed_distances, suits_proposals
from eigenselect.similarity.ties import smallest_per_row
from eigenselect.similarity.tree import TREE_FEATURES, suits_tree, tree_neighbors

__all__ = ["TREE_FEATURES", "nearest_neighbors", "smallest_per_row"]


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
    threads. Each row is sorted by index, not by distance. Points of few dimensions are searched with a tree; where
    all distances fit into memory, or zeros make products cheap, they are looked at as they are, of wide tables only
    those that single precision has proposed; else `candidates` are.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    n_neighbors : int
        Less than n.
    metric : {"euclidean", "cosine"}
        The cosine distance is Euclidean between samples scaled to unit length: d² = 2 - 2 cos.
    known : ndarray of shape (n, n), optional
        All squared distances, where somebody has them.

    Examples
    --------
    >>> indices, squared = nearest_neighbors(Matrix(np.array([[0.0], [1.0], [3.0]])), 1)
    >>> indices.ravel(), squared.ravel()
    (array([1, 0, 1]), array([1., 1., 4.]))
    """
    if known is None:
        if suits_tree(X, metric):
            return tree_neighbors(X, n_neighbors, n_jobs)
        if isinstance(X, DaskMatrix):
            scaled = X if metric == "euclidean" else distances.rows_of_like_size(X)
            return chunk_neighbors(cast(DaskMatrix, scaled), n_neighbors, metric)
        if 8 * X.n_samples**2 > distances.FULL_GRAM_BYTES:
            X = X.out_of_file(ALL_PAIRS)  # its rows are needed again and again
            if not (X.is_sparse and distances.is_cheap_to_square(X)):
                return blocked_neighbors(X, n_neighbors, metric=metric, n_jobs=n_jobs)
        elif suits_proposals(X, n_neighbors, metric):
            known = proposed_distances(X, n_neighbors, n_jobs)
    return _neighbors_in_panels(X, n_neighbors, metric, known, n_jobs)


def _neighbors_in_panels(
    X: Matrix, n_neighbors: int, metric: str, known: FloatArray | None, n_jobs: int | None
) -> tuple[IntArray, FloatArray]:
    """Find neighbours where distances to all samples are made, or known."""
    indices = np.empty((X.n_samples, n_neighbors), dtype=np.intp)
    squared = np.empty((X.n_samples, n_neighbors))
    panels = distances.distance_panels(X, metric, n_jobs) if known is None else lambda rows: known[rows].copy()

    def search(rows: slice) -> None:
        panel = panels(rows)
        own = np.arange(len(panel))
        panel[own, own + rows.start] = np.inf
        indices[rows] = smallest_per_row(panel, n_neighbors)
        squared[rows] = np.take_along_axis(panel, indices[rows], axis=1)

    map_blocks(search, distances.row_panels(X.n_samples), n_jobs)
    return indices, squared
