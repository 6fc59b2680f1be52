"""Tables that go to estimators of any library: rows taken of them, and the container that each can read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import _safe_indexing

from eigenselect._typing import IntArray
from eigenselect.matrix.annotated import is_annotated
from eigenselect.matrix.base import OTHER_LIBRARIES, Matrix, only_counts
from eigenselect.matrix.dask_input import is_dask
from eigenselect.matrix.dask_table import DaskMatrix
from eigenselect.matrix.input import opened, refuse_other_tables, sample_names_of


def indexable(X: Any, owner: str) -> Any:
    """Return a table of which `rows_of` takes rows: frames stay frames, sparse ones are CSR, others a `Matrix`."""
    refuse_other_tables(X, owner)
    X = opened(X, owner)
    if isinstance(X, Matrix):
        return X.out_of_small_file()
    if sparse.issparse(X):
        return X.tocsr()
    return X if (hasattr(X, "columns") and hasattr(X, "shape")) or isinstance(X, Matrix) else np.asarray(X)


def refuse_many_fits(X: Any, owner: str) -> None:
    """Refuse a large Dask array where a table is fitted dozens of times: each fit would make all its chunks again."""
    table = opened(X, owner) if is_annotated(X) or is_dask(X) else X
    if isinstance(table, DaskMatrix):
        table.refuse_large("it is fitted again and again on parts of the samples")


def rows_of(table: Any, rows: IntArray) -> Any:
    """Return some rows of an `indexable` table, with their names."""
    return table.take_rows(rows) if isinstance(table, Matrix) else _safe_indexing(table, rows)


def readable_by(estimator: Any, table: Any) -> Any:
    """Return a table as an estimator can read it: as it is, unless it is a `Matrix` and the estimator not of ours."""
    return table if getattr(estimator, "reads_matrices", False) else portable(table)


def portable(table: Any) -> Any:
    """Return a `Matrix` as scikit-learn knows it: CSR or CSC where it is sparse, else a frame, if it has names.

    Names that repeat are left out: scikit-learn refuses frames with them.

    Nothing is copied; what is in a file is loaded. Other tables stay what they are.

    >>> portable(Matrix(np.ones((1, 2)), feature_names=["a", "b"]))
         a    b
    0  1.0  1.0
    """
    if not isinstance(table, Matrix):
        return table
    held = table.loaded(OTHER_LIBRARIES)
    columns = held.feature_names
    if held.is_sparse or columns is None or only_counts(columns) or len(set(columns)) < len(columns):
        return held.raw
    return pd.DataFrame(held.raw, index=sample_names_of(held), columns=list(columns), copy=False)
