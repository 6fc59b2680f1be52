"""Covariates taken out of a Dask array, chunk by chunk, when a worker needs it."""

from __future__ import annotations

import numpy as np

from eigenselect._typing import AnyArray, FloatArray
from eigenselect.matrix.base import Matrix
from eigenselect.matrix.dask_passes import as_table
from eigenselect.matrix.dask_table import DaskMatrix
from eigenselect.matrix.residuals import regression


def dask_residuals(table: DaskMatrix, basis: FloatArray) -> DaskMatrix:
    r"""Return :math:`F - QQ^\top F`, the table without what orthonormal, centred columns explain of its features.

    Features keep their means. Coefficients are computed by one run over blocks of columns; the rest is lazy. Chunks of
    CSR become dense one by one on the workers.

    Parameters
    ----------
    table : DaskMatrix
    basis : ndarray of shape (n_samples, rank)
        Q.

    Examples
    --------
    >>> import dask.array as da
    >>> depth = np.array([[-1.0], [0.0], [1.0]]) / np.sqrt(2)
    >>> X = dask_residuals(DaskMatrix(da.from_array(np.array([[1.0, 3], [5, 4], [3, 5]]), chunks=(2, 1))), depth)
    >>> X.to_array().round(6)
    array([[2., 4.],
           [5., 4.],
           [2., 4.]])
    >>> X.n_explained
    1
    """
    import dask.array as da

    found = [part for _, part in table.by_columns(_regression_of, basis)]
    coefficients, means = (np.concatenate([part[place] for part in found], axis=-1) for place in range(2))
    rows, columns = table.raw.chunks
    lazy = da.map_blocks(
        _without,
        table.raw,
        da.from_array(basis, chunks=(rows, basis.shape[1])),
        da.from_array(coefficients, chunks=(basis.shape[1], columns)),
        da.from_array(means[None, :], chunks=(1, columns)),
        chunks=table.raw.chunks,
        dtype=np.float64,
        meta=np.empty((0, 0)),
    )
    low, high = table.column_extremes()
    residuals = table._with(lazy)
    residuals.basis, residuals.n_explained = basis, int((~np.isnan(means) & (high > low)).sum())
    return residuals


def _regression_of(table: Matrix, basis: FloatArray) -> tuple[FloatArray, FloatArray]:
    parts = [regression(table.tile(columns), basis) for columns in table.tiles()]
    return np.hstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _without(chunk: AnyArray, basis: FloatArray, coefficients: FloatArray, means: FloatArray) -> FloatArray:
    """Return the residuals of a chunk; the mean of features of which nothing else is left."""
    values = as_table(chunk).to_array() - basis @ coefficients
    return np.where(np.isnan(means), values, means)
