"""Features as unit vectors whose products are their correlations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._parallel import map_blocks, slices
from eigenselect._scaling import column_exponents, divided

FloatArray = NDArray[np.float64]

#: numbers that are made dense at once
BLOCK_NUMBERS = 16_000_000
#: columns of one block of correlations
BLOCK_COLUMNS = 512


def checked_features(X: Any, owner: str) -> Any:
    """A table of finite numbers: an array, or CSC if sparse."""
    table = sparse.csc_array(X) if sparse.issparse(X) else np.asarray(X)
    if table.ndim != 2:
        raise ValueError(f"{owner}: expected a table of samples and features, got shape {table.shape}.")
    if not np.isfinite(table.data if sparse.issparse(table) else table).all():
        raise ValueError(f"{owner}: the features must be finite, got NaN or infinity; fill or drop them.")
    return table


def unit_columns(table: Any, columns: Any = slice(None)) -> FloatArray:
    r"""Columns centred and at unit length, so that :math:`u_i^\top u_j` is the correlation; zeros for constant ones."""
    block = table[:, columns]
    dense = np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)
    varies = (dense != dense[:1]).any(axis=0)
    if dense.size:
        dense = divided(dense, column_exponents(dense))  # so that sums stay in range
    centred = np.where(varies, dense - dense.mean(axis=0), 0.0)
    largest = np.abs(centred).max(axis=0, initial=0.0)
    centred /= np.where(largest > 0, largest, 1.0)  # so that squares stay in range
    lengths = np.linalg.norm(centred, axis=0)
    return np.asarray(centred / np.where(lengths > 0, lengths, 1.0))


def products(first: FloatArray, second: FloatArray) -> FloatArray:
    """FirstᵀSecond in blocks of columns, with the same bits on any number of threads: of unit columns, correlations."""
    parts = map_blocks(lambda part: first.T @ second[:, part], list(slices(second.shape[1], BLOCK_COLUMNS)))
    return np.hstack(parts) if parts else np.empty((first.shape[1], 0))


def blocks_of(columns: NDArray[np.intp], n_samples: int) -> Iterator[NDArray[np.intp]]:
    """The columns in parts that may be made dense."""
    step = max(1, BLOCK_NUMBERS // max(1, n_samples))
    for start in range(0, columns.size, step):
        yield columns[start : start + step]
