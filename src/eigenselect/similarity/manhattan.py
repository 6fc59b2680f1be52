"""Manhattan distances in panels of rows, for dense and sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._parallel import map_blocks, slices

FloatArray = NDArray[np.float64]

#: absolute differences from which compiled loops are worth their import
COMPILED_WORK = 3e7
#: bytes of an n × n matrix of distances that is held at once
FULL_BYTES = 2**27
TILE_ROWS = 128


def manhattan_panels(X: Any, n_jobs: int | None) -> Any:
    """A function from a slice of rows to their Manhattan distances to all samples.

    Parameters
    ----------
    X : float64 ndarray or scipy sparse of shape (n, m)
    """
    n_samples, n_features = X.shape
    if sparse.issparse(X):
        return _sparse_panels(X)
    dense = np.ascontiguousarray(X, dtype=np.float64)
    if float(n_samples) ** 2 * n_features < COMPILED_WORK:
        from scipy.spatial.distance import cdist

        return lambda rows: cdist(dense[rows], dense, "cityblock")
    from eigenselect.similarity.kernels_numba import manhattan

    if 8 * n_samples**2 <= FULL_BYTES:
        full = _full_matrix(dense, manhattan, n_jobs)
        return lambda rows: full[rows].copy()

    def panel(rows: slice) -> FloatArray:
        out = np.empty((rows.stop - rows.start, n_samples))
        manhattan(dense[rows], dense, out)
        return out

    return panel


def _full_matrix(X: FloatArray, kernel: Any, n_jobs: int | None) -> FloatArray:
    """All distances; each tile of the upper triangle is computed once and mirrored."""
    n_samples = X.shape[0]
    full = np.empty((n_samples, n_samples))
    parts = list(slices(n_samples, TILE_ROWS))

    def fill(tile: tuple[slice, slice]) -> None:
        a, b = tile
        out = np.empty((a.stop - a.start, b.stop - b.start))
        kernel(X[a], X[b], out)
        full[a, b] = out
        full[b, a] = out.T

    map_blocks(fill, [(a, b) for index, a in enumerate(parts) for b in parts[index:]], n_jobs)
    return full


def _sparse_panels(X: Any) -> Any:
    from eigenselect.similarity.kernels_numba import sparse_manhattan

    by_row = sparse.csr_array(X, dtype=np.float64)
    by_column = sparse.csc_array(by_row)
    norms = np.asarray(abs(by_row).sum(axis=1)).ravel()

    def panel(rows: slice) -> FloatArray:
        out = np.empty((rows.stop - rows.start, X.shape[0]))
        sparse_manhattan(
            by_row.indptr, by_row.indices, by_row.data, by_column.indptr, by_column.indices, by_column.data,
            norms, rows.start, rows.stop, out,
        )  # fmt: skip
        return out

    return panel
