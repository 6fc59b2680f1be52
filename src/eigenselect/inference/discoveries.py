"""From many p-values to discoveries, and from several p-values of one feature to one."""

from __future__ import annotations

import numpy as np
from scipy.stats import false_discovery_control

from eigenselect._typing import FloatArray


def benjamini_hochberg(pvalues: FloatArray) -> FloatArray:
    r"""Adjust p-values for their number: q is the smallest false discovery rate at which a feature is kept.

    .. math:: q_{(i)} = \min_{j \ge i} \frac{m}{j} p_{(j)}

    where :math:`p_{(1)} \le \dots \le p_{(m)}` are the p-values that are defined. NaN stays NaN and does not count.

    Parameters
    ----------
    pvalues : array of any shape
        One p-value per feature; NaN where a feature has none.

    Returns
    -------
    ndarray of the same shape
        The q-values; NaN where the p-value is.

    See Also
    --------
    eigenselect.selection.FDR : Select the features whose q-value is small.
    cauchy_combination : One p-value from several of one feature.

    References
    ----------
    Benjamini and Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 1995,
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.inference import benjamini_hochberg
    >>> benjamini_hochberg(np.array([0.01, np.nan, 0.02, 0.9]))
    array([0.03,  nan, 0.03, 0.9 ])
    """
    pvalues = np.asarray(pvalues, dtype=np.float64)
    qvalues = np.full(pvalues.shape, np.nan)
    defined = ~np.isnan(pvalues)
    if defined.any():
        qvalues[defined] = false_discovery_control(pvalues[defined])
    return qvalues


def cauchy_combination(pvalues: FloatArray, largest: float | None = None) -> FloatArray:
    r"""Combine the p-values of each column, which may depend on one another, into one.

    .. math:: p = \tfrac12 - \tfrac1\pi \arctan\Big(\frac1K \sum_k \tan\big(\pi (\tfrac12 - p_k)\big)\Big)

    where :math:`p_k` are the K values of a column. NaN are left out; a column without any is NaN.

    Parameters
    ----------
    pvalues : array of shape (n_values, n_features)
        The values of a feature are in its column; NaN are left out.
    largest : float, optional
        Larger p-values count as this: one p = 1 alone would be minus infinity. 1 - 1/m of m features by default, as far
        as 0.99 for few.

    Returns
    -------
    ndarray of shape (n_features,)
        Combined p-values.

    See Also
    --------
    benjamini_hochberg : From the p-values of many features to discoveries.
    Split : Combines the p-values of repeats by this rule.

    Notes
    -----
    The rule holds in the limit of small p for many kinds of dependence; at moderate p its values can be too small.

    References
    ----------
    Liu and Xie, Cauchy combination test, J. Am. Stat. Assoc. 2020, doi:10.1080/01621459.2018.1554485.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.inference import cauchy_combination
    >>> cauchy_combination(np.array([[0.01, 0.5], [0.01, 0.02]])).round(3)
    array([0.01, 0.04])
    """
    pvalues = np.atleast_2d(np.asarray(pvalues, dtype=np.float64))
    largest = 1.0 - 1.0 / max(pvalues.shape[1], 100) if largest is None else largest
    clipped = np.minimum(pvalues, largest)
    known = ~np.isnan(clipped)
    count = known.sum(axis=0)
    safe = np.where(known, np.maximum(clipped, np.finfo(np.float64).tiny), 0.5)
    mean = np.where(known, _cotangent(safe), 0.0).sum(axis=0) / np.maximum(count, 1)
    combined = np.where(mean > 1.0, np.arctan(1.0 / np.where(mean > 1.0, mean, 1.0)), np.pi / 2 - np.arctan(mean))
    return np.where(count > 0, combined / np.pi, np.nan)


def _cotangent(p: FloatArray) -> FloatArray:
    """Compute tan(π(½ - p)) = 1 / tan(πp), which keeps the digits of tiny p."""
    return 1.0 / np.tan(np.pi * p)
