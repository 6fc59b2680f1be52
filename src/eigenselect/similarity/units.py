r"""Which features decide which samples are near: the squared distance of two samples is a sum over features.

.. math:: \mathbf E \lVert x_i - x_j \rVert^2 = 2 \sum_t \mathrm{var}(f_t)

so a feature's share of the summed variance is its share of the distances. In a table of one unit (pixels, expression,
counts) many features share it; if units differ, the one with the smallest unit may take it all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import UnitsWarning
from eigenselect.matrix import Matrix, as_matrix

#: share of the summed variance that counts as all of it: what is left moves a distance by 5 % (1 - √0.9)
NEARLY_ALL = 0.9
#: so few features are a handful. Of 40 tables of one unit the most uneven leave 90 % of the variance to 7 features or
#: more (lipids 7 of 21, single cells 29 of 715, newsgroups 2430 of 22792), or differ less than `FAR_WIDER`
HANDFUL = 5
#: their spread is that of the others' median times this, or more: a typical other feature then adds less than a
#: hundredth of what the widest one does to a squared distance
FAR_WIDER = 10.0
#: what to do about it, unless a method knows better
ADVICE = "put features on one scale first (StandardScaler; --scale standard), unless they share a unit"


def warn_about_units(X: Matrix, owner: str, advice: str = ADVICE, *, variances: FloatArray | None = None) -> None:
    """Warn once, with names, if the spread of a few features decides the distances between samples.

    Parameters
    ----------
    X : Matrix
        The table that distances are taken in.
    owner : str
        Name that the warning begins with.
    advice : str, optional
        What to do; by default, to scale.
    variances : ndarray, optional
        Those of the columns, if they are known.
    """
    features = dominating_features(X, variances)
    if features.size:
        verb = "makes" if features.size == 1 else "make"
        warn(
            f"{owner}: {X.list_features(features)} of {X.n_features} features {verb} up over {NEARLY_ALL:.0%} of the "
            f"squared distances between samples, so the others hardly count; {advice}.",
            UnitsWarning,
        )


def dominating_features(X: Any, variances: FloatArray | None = None) -> IntArray:
    """Find the features that hold nearly all of the summed variance, if they are a handful far wider than all others.

    Widest first; none in a table of one unit.

    Parameters
    ----------
    X : Matrix, ndarray, memory map or sparse matrix of shape (n_samples, n_features)
    variances : ndarray, optional
        Those of the columns, if they are known.

    Examples
    --------
    >>> dominating_features(np.array([[1.0, 900, 3], [2, 100, 5], [3, 500, 4]]))
    array([1])
    """
    variances = as_matrix(X).column_variances() if variances is None else variances
    order = np.argsort(-variances, kind="stable")
    cumulated = np.cumsum(variances[order])
    count = int(np.searchsorted(cumulated, NEARLY_ALL * cumulated[-1]) + 1)
    others = variances[order[count:]]
    typical = np.median(others[others > 0]) if (others > 0).any() else np.inf
    is_far_wider = count <= HANDFUL and variances[order[0]] >= FAR_WIDER**2 * typical
    return order[:count] if is_far_wider else order[:0]
