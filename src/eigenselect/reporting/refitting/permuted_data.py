"""Data that say nothing: labels in another order, or every column of a table shuffled by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._typing import IntArray
from eigenselect.matrix import Matrix, as_matrix

#: bytes of a table of which a shuffled copy is made
SHUFFLED_BYTES = 2**31


def shuffled_within(groups: IntArray, rng: np.random.RandomState) -> IntArray:
    """Return the places of the samples in another order, in which each group keeps its places; group -1 stays.

    >>> shuffled_within(np.array([0, 0, 0, 1, 1, -1]), np.random.RandomState(0))
    array([2, 1, 0, 3, 4, 5])
    """
    places = np.arange(groups.size)
    for group in np.unique(groups[groups >= 0]):
        members = np.flatnonzero(groups == group)
        places[members] = rng.permutation(members)
    return places


def shuffled_columns(table: Any, rng: np.random.RandomState) -> Any:
    """Return a table in the same storage whose columns are shuffled, each by itself; zeros of a sparse one stay zeros.

    Parameters
    ----------
    table : array, data frame, sparse matrix or Matrix of shape (n_samples, n_features)
        In memory.
    rng : RandomState

    Examples
    --------
    >>> shuffled = shuffled_columns(np.array([[1, 10], [2, 20], [3, 30]]), np.random.RandomState(1))
    >>> np.sort(shuffled, axis=0)
    array([[ 1, 10],
           [ 2, 20],
           [ 3, 30]])
    """
    if isinstance(table, Matrix):
        shuffled = shuffled_columns(table.raw, rng)
        return as_matrix(shuffled, sample_names=table.sample_names, feature_names=table.feature_names)
    if sparse.issparse(table):
        return _shuffled_sparse(table, rng)
    if hasattr(table, "columns") and hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if isinstance(table, pd.DataFrame):
        return _shuffled_frame(table, rng)
    return _generator(rng).permuted(np.asarray(table), axis=0)


def _generator(rng: np.random.RandomState) -> np.random.Generator:
    """Return a generator that shuffles all columns at once, started by the next number of ``rng``."""
    return np.random.default_rng(rng.randint(2**31 - 1))


def _shuffled_frame(table: pd.DataFrame, rng: np.random.RandomState) -> pd.DataFrame:
    """Shuffle the columns of a frame; those of text or categories keep their types."""
    if len(set(table.dtypes)) == 1 and isinstance(table.dtypes.iloc[0], np.dtype):
        values = _generator(rng).permuted(table.to_numpy(), axis=0)
        return pd.DataFrame(values, index=table.index, columns=table.columns, copy=False)
    columns = [table.iloc[:, place].take(rng.permutation(len(table))).array for place in range(table.shape[1])]
    shuffled = pd.concat([pd.Series(column, index=table.index) for column in columns], axis=1)
    return shuffled.set_axis(table.columns, axis=1)


def _shuffled_sparse(table: Any, rng: np.random.RandomState) -> Any:
    """Give the stored values of every column new rows."""
    columns, generator = table.tocsc(), _generator(rng)
    rows = np.empty_like(columns.indices)
    for start, stop in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        rows[start:stop] = generator.choice(table.shape[0], stop - start, replace=False)
    shuffled = type(columns)((columns.data, rows, columns.indptr), shape=table.shape)
    shuffled.sort_indices()
    return shuffled.asformat(table.format)
