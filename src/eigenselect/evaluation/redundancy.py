"""How much selected features repeat each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect.evaluation.correlations import checked_features, products, unit_columns

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
    unit = unit_columns(checked_features(X_selected, "redundancy_rate"))
    unit = unit[:, unit.any(axis=0)]
    count = unit.shape[1]
    if count < 2:
        return float("nan")
    total = 0.0
    for start in range(0, count, BLOCK):
        block = unit[:, start : start + BLOCK]
        total += float(np.abs(products(block, unit)).sum())
    return float(np.clip((total - count) / (count * (count - 1)), 0.0, 1.0))
