"""Checks of Dask arrays: what can be worked on in chunks becomes a `DaskMatrix`, or one sentence says why not.

Dask is never imported here: if X is one of its arrays, it is installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import Names
from eigenselect.matrix.dask_stores import Stores
from eigenselect.matrix.dask_table import DaskMatrix
from eigenselect.matrix.number_types import is_number_type

#: packages in which Dask's collections are
PACKAGES = ("dask", "dask_expr")


def is_dask(X: Any) -> bool:
    """Whether something is a Dask array, or another collection of Dask.

    >>> is_dask(np.zeros((2, 2)))
    False
    """
    return any(kind.__module__.partition(".")[0] in PACKAGES for kind in type(X).__mro__)


def is_dask_array(X: Any) -> bool:
    """Whether something is a Dask array."""
    return any(kind.__name__ == "Array" and kind.__module__.startswith("dask.array") for kind in type(X).__mro__)


def dask_matrix(
    X: Any, called: str, *, sample_names: Names | None = None, feature_names: Names | None = None
) -> DaskMatrix:
    """Wrap a Dask array of samples × features; nothing is computed.

    Parameters
    ----------
    X : dask.array.Array of shape (n_samples, n_features)
        Of dense chunks, or of chunks in CSR or CSC.
    called : str
        How errors call it: ``"SPEC: X"``.
    sample_names, feature_names : sequence, optional
    """
    if not is_dask_array(X):
        instead = "give X.to_dask_array(lengths=True)" if hasattr(type(X), "to_dask_array") else "give a Dask array"
        raise TypeError(
            f"{called} must be an array, data frame, sparse matrix or Dask array, got a Dask "
            f"{type(X).__name__}; {instead}."
        )
    if X.ndim != 2:
        raise ValueError(f"{called} must be a table of samples and features, got a Dask array of shape {X.shape}.")
    if any(np.isnan(size) for sizes in X.chunks for size in sizes):
        raise ValueError(
            f"{called} must have chunks of known size, got {_sizes(X)}; call X.compute_chunk_sizes() first, which "
            "counts the rows of every chunk."
        )
    if 0 in X.shape:
        raise ValueError(f"{called} must have samples and features, got an empty Dask array of shape {X.shape}.")
    _check_chunks(X, called)
    return DaskMatrix(X, sample_names=sample_names, feature_names=feature_names, stores=Stores.of(X, called))


def _check_chunks(X: Any, called: str) -> None:
    """Refuse chunks that hold no numbers, or are of a kind that cannot be read."""
    if not is_number_type(X.dtype):
        raise ValueError(f"{called} must hold numbers, got a Dask array of {X.dtype}; use X.astype(float).")
    kind, of_scipy = type(X._meta), sparse.issparse(X._meta)
    dense = isinstance(X._meta, np.ndarray) and not isinstance(X._meta, np.ma.MaskedArray)
    if not (dense or (of_scipy and X._meta.format in ("csr", "csc"))):
        how = "X.map_blocks(scipy.sparse.csr_array)" if of_scipy else "X.map_blocks"
        raise TypeError(
            f"{called} must have chunks that are numpy arrays or CSR or CSC of scipy, got chunks of "
            f"{kind.__module__.partition('.')[0]}.{kind.__name__}; make such chunks with {how}."
        )


def _sizes(X: Any) -> str:
    """Say on which axis sizes are not known."""
    unknown = [any(np.isnan(size) for size in sizes) for sizes in X.chunks]
    what = "rows and columns" if all(unknown) else "rows" if unknown[0] else "columns"
    return f"unknown numbers of {what}"
