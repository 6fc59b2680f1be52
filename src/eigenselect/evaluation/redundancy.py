"""How much selected features repeat each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]

#: features whose correlations are held at once
BLOCK = 1024


def redundancy_rate(X_selected: Any) -> float:
    r"""Mean absolute correlation between two of the features.

    .. math:: \mathrm{RED} = \frac{2}{k(k-1)} \sum_{i < j} |\rho_{ij}|

    Constant features have no correlation and do not count; NaN if fewer than two are left.

    Parameters
    ----------
    X_selected : array or sparse matrix of shape (n_samples, k)

    References
    ----------
    Zhao, Wang and Liu, Efficient spectral feature selection with minimum redundancy, AAAI 2010; the mean over pairs,
    which is what the published values are (the printed formula cannot reach them).

    Examples
    --------
    >>> redundancy_rate([[0, 0, 1], [1, 2, 0], [2, 4, 1]])
    0.3333333333333333
    """
    unit = _unit_columns(X_selected)
    count = unit.shape[1]
    if count < 2:
        return float("nan")
    total = 0.0
    for start in range(0, count, BLOCK):
        block = unit[:, start : start + BLOCK]
        total += float(np.abs(block.T @ unit).sum())
    return float(np.clip((total - count) / (count * (count - 1)), 0.0, 1.0))


def _unit_columns(X: Any) -> FloatArray:
    """Columns centred and at unit length, without constant ones."""
    table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"redundancy_rate: expected a table of samples and features, got shape {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError("redundancy_rate: the features must be finite, got NaN or infinity; fill or drop them.")
    varies = (table != table[:1]).any(axis=0)
    if not varies.any():
        return np.empty((len(table), 0))
    centred = table[:, varies] - table[:, varies].mean(axis=0)
    centred /= np.abs(centred).max(axis=0)  # so that squares stay in range
    return np.asarray(centred / np.linalg.norm(centred, axis=0))
