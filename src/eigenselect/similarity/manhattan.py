"""Manhattan distances in panels of rows, for dense and sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect._parallel import map_blocks, slices

FloatArray = NDArray[np.float64]

#: absolute differences from which compiled loops are worth their import
COMPILED_WORK = 3e7
#: bytes of an n × n matrix of distances that is held at once
FULL_BYTES = 2**27
TILE_ROWS = 128


class ManhattanPanels:
    """A function from a slice of rows to their Manhattan distances to all samples.

    Large dense tables are measured in float32, for speed; `doubt` bounds the error, and `exact` settles what it leaves
    in doubt.

    Parameters
    ----------
    X : ndarray or scipy sparse of shape (n, m)
    n_jobs : int, optional
    """

    def __init__(self, X: Any, n_jobs: int | None) -> None:
        self._X = sparse.csr_array(X, dtype=np.float64) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        n_samples, n_features = X.shape
        self._relative_error = self._absolute_error = 0.0
        if sparse.issparse(X):
            self._panel = _sparse_panels(self._X)
        elif float(n_samples) ** 2 * n_features < COMPILED_WORK:
            self._panel = lambda rows: cdist(self._X[rows], self._X, "cityblock")
        else:
            # Differences do not see a shift, and small values lose less to rounding.
            single = (self._X - self._X.min(axis=0)).astype(np.float32)
            unit = float(np.finfo(np.float32).eps) / 2
            self._absolute_error = 3 * unit * n_features * float(single.max())  # of two values and their difference
            self._relative_error = unit * (4.0 + n_features / 8.0)  # of sums, in at least 8 lanes
            self._panel = _single_precision_panels(single, n_jobs)

    def __call__(self, rows: slice) -> FloatArray:
        return self._panel(rows)

    def doubt(self, distances: FloatArray) -> FloatArray | float:
        """Two distances closer than this may be in the wrong order; negative where all are in double precision."""
        error = self._absolute_error + self._relative_error * distances
        return 2.0 * error if self._absolute_error else -1.0

    def exact(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> FloatArray:
        """Distances of some dense rows to some others in double precision."""
        return np.asarray(cdist(self._X[rows], self._X[columns], "cityblock"))


def _single_precision_panels(single: NDArray[np.float32], n_jobs: int | None) -> Any:
    from eigenselect.similarity.kernels_numba import manhattan

    if 8 * len(single) ** 2 <= FULL_BYTES:
        full = _full_matrix(single, manhattan, n_jobs)
        return lambda rows: full[rows]

    def panel(rows: slice) -> FloatArray:
        out = np.empty((rows.stop - rows.start, len(single)))
        manhattan(single[rows], single, out)
        return out

    return panel


def _full_matrix(X: NDArray[np.float32], kernel: Any, n_jobs: int | None) -> FloatArray:
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


def _sparse_panels(by_row: sparse.csr_array) -> Any:
    from eigenselect.similarity.kernels_numba import sparse_manhattan

    by_column = sparse.csc_array(by_row)
    norms = np.asarray(abs(by_row).sum(axis=1)).ravel()

    def panel(rows: slice) -> FloatArray:
        out = np.empty((rows.stop - rows.start, by_row.shape[0]))
        sparse_manhattan(
            by_row.indptr, by_row.indices, by_row.data, by_column.indptr, by_column.indices, by_column.data,
            norms, rows.start, rows.stop, out,
        )  # fmt: skip
        return out

    return panel
