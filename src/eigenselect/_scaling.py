"""Powers of two: how values of any size are squared without leaving the range of floating point.

Multiplying by a power of two changes no digit, so a score that does not depend on a feature's unit is the same to the
last bit before and after; only values that would overflow, or vanish, when squared become measurable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]


def column_exponents(X: Any) -> NDArray[np.intp]:
    """Per column the e with 2^(e-1) ≤ max |x| < 2^e; 0 for columns of zeros."""
    return np.frexp(_largest(X, axis=0))[1].astype(np.intp)


def row_exponents(X: Any) -> NDArray[np.intp]:
    """Per row the e with 2^(e-1) ≤ max |x| < 2^e; 0 for rows of zeros."""
    return np.frexp(_largest(X, axis=1))[1].astype(np.intp)


def table_exponent(X: Any) -> int:
    """The largest of the columns' exponents that is not of a column of zeros; 0 for a table of zeros."""
    return int(np.frexp(_largest(X, axis=0).max(initial=0.0))[1])


def divided(X: Any, exponents: int | NDArray[np.intp]) -> Any:
    """X · 2^-e in float64, with one e for all or one per column; sparse stays sparse (CSC for one per column)."""
    if not sparse.issparse(X):
        return np.ldexp(np.asarray(X, dtype=np.float64), -np.asarray(exponents))
    scaled = sparse.csc_array(X, dtype=np.float64, copy=True) if np.ndim(exponents) else X.astype(np.float64)
    per_entry = np.repeat(exponents, np.diff(scaled.indptr)) if np.ndim(exponents) else exponents
    scaled.data = np.ldexp(scaled.data, -np.asarray(per_entry))
    return scaled


def divided_rows(X: Any, exponents: NDArray[np.intp]) -> Any:
    """X · 2^-e in float64 with one e per row; sparse stays sparse (CSR)."""
    if not sparse.issparse(X):
        return np.ldexp(np.asarray(X, dtype=np.float64), -exponents[:, None])
    scaled = sparse.csr_array(X, dtype=np.float64, copy=True)
    scaled.data = np.ldexp(scaled.data, -np.repeat(exponents, np.diff(scaled.indptr)))
    return scaled


def zeroed(X: Any, rows: NDArray[np.bool_]) -> Any:
    """X with zeros for samples that count nowhere, whose values may be of any size; X itself where there are none."""
    if not rows.any():
        return X
    if sparse.issparse(X):
        return type(X)(sparse.diags_array((~rows).astype(np.float64)) @ X)
    return np.where(rows[:, None], 0.0, X)


def _largest(X: Any, axis: int) -> FloatArray:
    """The largest |x| of each column (axis 0) or row (axis 1)."""
    if sparse.issparse(X):
        return np.asarray(abs(X).max(axis=axis).toarray(), dtype=np.float64).ravel()
    table = np.asarray(X)
    return np.maximum(table.max(axis=axis), -table.min(axis=axis)).astype(np.float64)
