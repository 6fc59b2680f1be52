"""Correlations between features: how much selected ones repeat each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.matrix import finite_table

#: columns of one block of correlations
BLOCK_COLUMNS = 512
#: features whose correlations with all others are held at once
HELD_FEATURES = 1024


def redundancy_rate(X_selected: Any) -> float:
    r"""Return the mean absolute correlation between two of the features.

    .. math:: \mathrm{RED} = \frac{2}{k(k-1)} \sum_{i < j} |\rho_{ij}|

    where :math:`\rho_{ij}` is the correlation of features i and j. Constant features have none and do not count.

    Parameters
    ----------
    X_selected : array or sparse matrix of shape (n_samples, k)
        The selected columns.

    Returns
    -------
    float
        Between 0 and 1; NaN if fewer than two features are left.

    See Also
    --------
    near_copies : The dropped features that repeat a selected one.
    eigenselect.MRSF : Selects features that do not repeat each other.
    eigenselect.plot.redundancy : Draws the correlations.

    References
    ----------
    Zhao, Wang and Liu, Efficient spectral feature selection with minimum redundancy, AAAI 2010; the mean over pairs,
    which is what the published values are (the printed formula cannot reach them).

    Examples
    --------
    >>> from eigenselect.evaluation import redundancy_rate
    >>> round(redundancy_rate([[0, 0, 1], [1, 2, 0], [2, 4, 1]]), 4)
    0.3333
    """
    return mean_correlation(unit_columns(finite_table(X_selected, "redundancy_rate").to_array()))


def mean_correlation(unit: FloatArray) -> float:
    """Average |ρ| over the pairs of unit columns, but for zero ones; NaN if fewer than two are left."""
    unit = unit[:, unit.any(axis=0)]
    count = unit.shape[1]
    if count < 2:
        return float("nan")
    total = 0.0
    for block in slices(count, HELD_FEATURES):
        total += float(np.abs(products(unit[:, block], unit)).sum())
    return float(np.clip((total - count) / (count * (count - 1)), 0.0, 1.0))


def unit_columns(dense: FloatArray) -> FloatArray:
    r"""Centre columns and give them unit length, so that :math:`u_i^\top u_j` is the correlation; zeros if constant."""
    varies = (dense != dense[:1]).any(axis=0)
    centred = np.where(varies, dense - dense.mean(axis=0), 0.0)
    lengths = np.linalg.norm(centred, axis=0)
    return np.asarray(centred / np.where(lengths > 0, lengths, 1.0))


def products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Compute FirstᵀSecond, of unit columns their correlations, with the same bits on any number of threads."""
    parts = map_blocks(lambda part: first.T @ second[:, part], slices(second.shape[1], BLOCK_COLUMNS))
    return np.hstack(parts) if parts else np.empty((first.shape[1], 0))
