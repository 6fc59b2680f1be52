"""What may be done to a table before it is ranked: fill missing values, scale features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.table import Table, count_not_finite


def imputed(table: Table, source: str) -> Table:
    """The table with missing values replaced by the median of their column; a column without any value is refused."""
    missing = count_not_finite(table.X)
    if not missing.any():
        return table
    X = table.X.toarray() if sparse.issparse(table.X) else np.array(table.X, dtype=np.float64)
    X[~np.isfinite(X)] = np.nan
    columns = np.flatnonzero(missing)
    empty = columns[missing[columns] == len(X)]
    if empty.size:
        listed = ", ".join(repr(table.feature_names[j]) for j in empty[:5])
        raise InputError(
            f"{source}: {empty.size} columns hold no value at all ({listed}); leave them out with --ignore."
        )
    medians = np.nanmedian(X[:, columns], axis=0)
    X[:, columns] = np.where(np.isnan(X[:, columns]), medians, X[:, columns])
    note = f"{int(missing.sum())} missing values in {columns.size} columns were replaced by the median of their column"
    return replace(table, X=X, notes=(*table.notes, note))


def scaled(table: Table, how: str) -> Table:
    """The table with every feature at unit deviation and mean 0, or between 0 and 1; constant features stay.

    A sparse table is divided only: its zeros stay zeros, and differences between samples do not see a shift.
    """
    if how == "none":
        return table
    if sparse.issparse(table.X):
        columns = sparse.csc_array(table.X, dtype=np.float64)
        width = _sparse_deviations(columns) if how == "standard" else _sparse_ranges(columns)
        return replace(table, X=sparse.csr_array(columns @ sparse.diags_array(1.0 / np.where(width > 0, width, 1.0))))
    X = np.asarray(table.X, dtype=np.float64)
    origin, width = (X.mean(axis=0), X.std(axis=0)) if how == "standard" else (X.min(axis=0), np.ptp(X, axis=0))
    return replace(table, X=(X - origin) / np.where(width > 0, width, 1.0))


def _sparse_deviations(columns: sparse.csc_array) -> np.ndarray:
    mean = np.asarray(columns.mean(axis=0)).ravel()
    square = np.asarray(columns.multiply(columns).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(square - mean**2, 0.0))


def _sparse_ranges(columns: sparse.csc_array) -> np.ndarray:
    return np.asarray(columns.max(axis=0).toarray() - columns.min(axis=0).toarray()).ravel()
