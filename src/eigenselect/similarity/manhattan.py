"""Manhattan distances in panels of rows, for dense and sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect._floats import OutOfRangeError
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.matrix import Matrix, SparseMatrix
from eigenselect.matrix.base import ALL_PAIRS

#: absolute differences from which compiled loops are worth their import
COMPILED_WORK = 3e7
#: bytes of an n × n matrix of distances that is held at once
FULL_BYTES = 2**27
TILE_ROWS = 128
TILE_COLUMNS = 1024
#: tables whose largest value is within 2^±this have differences, and sums of them, that fit
ORDINARY_EXPONENT = 1000


class ManhattanPanels:
    r"""A function from a slice of rows to their distances :math:`\sum_k s_k |x_k - y_k|` to all samples.

    Up to one common factor: for telling who is near. Large dense tables are measured in float32, for speed; `doubt`
    bounds the error.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    n_jobs : int, optional
    scale : ndarray of shape (m,), optional
        Weight s of each feature, ones if not given.

    Attributes
    ----------
    X, scale : ndarray
        As given, where distances are in single precision: to measure again what is in doubt.
    """

    X: NDArray[Any]
    scale: FloatArray

    def __init__(self, X: Matrix, n_jobs: int | None, scale: FloatArray | None = None) -> None:
        X = X.loaded(ALL_PAIRS)
        n_samples, n_features = X.shape
        scale = _checked_scale(X, scale)
        self._relative_error = self._absolute_error = 0.0
        if isinstance(X, SparseMatrix):
            self._panel = _sparse_panels(_sparse_shifted_and_scaled(X, scale))
        elif float(n_samples) ** 2 * n_features < COMPILED_WORK:
            table = shifted_and_scaled(X, scale)
            self._panel = lambda rows: cdist(table[rows], table, "cityblock")
        else:
            # values of any unit fit into single precision once the widest feature has width 1
            from eigenselect.similarity.loops_numba import RUN

            values, (low, high) = X.in_floats().raw, X.column_extremes()
            widest = float(((high - low) * scale).max())
            scale = scale / widest if widest > 0 else scale
            self.X, self.scale = values, scale
            single = _shifted_and_scaled(values, low, scale, n_jobs)
            unit = float(np.finfo(np.float32).eps) / 2
            spans = float(((high - low) * scale).sum())
            self._absolute_error = 3.01 * unit * spans  # of two values and their difference, each within its span
            self._relative_error = unit * (4.0 + min(n_features, RUN) / 4.0)  # of runs, in at least 4 lanes
            self._panel = _single_precision_panels(single, n_jobs)

    def __call__(self, rows: slice) -> NDArray[Any]:
        return self._panel(rows)

    @property
    def in_single_precision(self) -> bool:
        return self._relative_error > 0.0

    def doubt(self, distances: FloatArray) -> FloatArray:
        """Two distances closer than this may be in the wrong order; zero where all are in double precision."""
        return 2.0 * (self._absolute_error + self._relative_error * distances)


def _check_range(X: Matrix) -> None:
    if abs(X.exponent()) > ORDINARY_EXPONENT:
        raise OutOfRangeError("X holds values too large or too small for sums of differences; scale the features.")


def shifted_and_scaled(X: Matrix, scale: FloatArray | None) -> FloatArray:
    """Return a dense table whose features begin at 0, times a scale: differences keep all their digits."""
    return np.asarray((X.to_array() - X.column_extremes()[0]) * _checked_scale(X, scale))


def _checked_scale(X: Matrix, scale: FloatArray | None) -> FloatArray:
    """Return ones where nobody gives a scale that makes sums of differences fit."""
    if scale is None:
        _check_range(X)
        return np.ones(X.n_features)
    return scale


def _shifted_and_scaled(X: NDArray[Any], low: FloatArray, scale: FloatArray, n_jobs: int | None) -> NDArray[np.float32]:
    """Return (X - low) · scale in float32: differences do not see a shift, and small values lose less to rounding."""
    single = np.empty(X.shape, dtype=np.float32)
    columns = slices(X.shape[1], TILE_COLUMNS)

    def fill(rows: slice) -> None:
        for part in columns:  # what is widened stays in the cache
            np.multiply(X[rows, part] - low[part], scale[part], out=single[rows, part], casting="same_kind")

    map_blocks(fill, slices(len(X), TILE_ROWS), n_jobs)
    return single


def _sparse_shifted_and_scaled(X: SparseMatrix, scale: FloatArray) -> sparse.csr_array:
    """Return X · scale, less the lowest value of columns without a zero: others reach from 0 to what they hold."""
    low, table = X.column_extremes()[0], sparse.csr_array(X.by_row, dtype=np.float64, copy=True)
    shift = np.where(X.column_counts() == X.n_samples, low, 0.0)
    table.data = (table.data - shift[table.indices]) * scale[table.indices]
    return table


def _single_precision_panels(single: NDArray[np.float32], n_jobs: int | None) -> Any:
    from eigenselect.similarity.loops_numba import manhattan

    if 4 * len(single) ** 2 <= FULL_BYTES:
        full = _full_matrix(single, manhattan, n_jobs)
        return lambda rows: full[rows]

    def panel(rows: slice) -> NDArray[np.float32]:
        out = np.empty((rows.stop - rows.start, len(single)), dtype=np.float32)
        manhattan(single[rows], single, out)
        return out

    return panel


def _full_matrix(X: NDArray[np.float32], fill_distances: Any, n_jobs: int | None) -> NDArray[np.float32]:
    """Compute all distances; each tile of the upper triangle is computed once and mirrored."""
    n_samples = X.shape[0]
    full = np.empty((n_samples, n_samples), dtype=np.float32)
    parts = list(slices(n_samples, TILE_ROWS))

    def fill(tile: tuple[slice, slice]) -> None:
        a, b = tile
        fill_distances(X[a], X[b], full[a, b])
        full[b, a] = full[a, b].T

    map_blocks(fill, [(a, b) for index, a in enumerate(parts) for b in parts[index:]], n_jobs)
    return full


def _sparse_panels(by_row: sparse.csr_array) -> Any:
    from eigenselect.similarity.loops_numba import absolute_sums, sparse_manhattan

    by_column = sparse.csc_array(by_row)
    norms, rests = np.empty(by_row.shape[0]), np.empty(by_row.shape[0])
    absolute_sums(by_row.indptr, by_row.data, norms, rests)

    def panel(rows: slice) -> FloatArray:
        out = np.empty((rows.stop - rows.start, by_row.shape[0]))
        sparse_manhattan(
            by_row.indptr, by_row.indices, by_row.data, by_column.indptr, by_column.indices, by_column.data,
            norms, rests, rows.start, rows.stop, out, np.empty_like(out),
        )  # fmt: skip
        return out

    return panel
