r"""Which features decide who is near whom: the squared distance of two samples is a sum over features.

.. math:: \mathbf E \lVert x_i - x_j \rVert^2 = 2 \sum_t \mathrm{var}(f_t)

so a feature's share of the summed variance is its share of the distances. In a table of one unit (pixels, expression,
counts) many features share it; where units differ, the one with the smallest unit may take it all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._names import feature_label, listed
from eigenselect._warn import warn
from eigenselect.exceptions import UnitsWarning

FloatArray = NDArray[np.float64]

#: share of the summed variance that counts as all of it: what is left moves a distance by 5 % (1 - √0.9)
NEARLY_ALL = 0.9
#: so few features are a handful. Of 40 tables of one unit the most uneven leave 90 % of the variance to 7 features or
#: more (lipids 7 of 21, single cells 29 of 715, newsgroups 2430 of 22792), or differ less than `FAR_WIDER`
HANDFUL = 5
#: their spread is that of the others' median times this, or more: a typical other feature then adds less than a
#: hundredth of what the widest one does to a squared distance
FAR_WIDER = 10.0
#: bytes of rows that are looked at together
BLOCK_BYTES = 2**24


def dominating_features(X: Any) -> NDArray[np.intp]:
    """The features that hold nearly all of the summed variance, widest first, if they are a handful far wider than all.

    None in a table of one unit. Three passes over X in blocks of rows: small beside any search for neighbours.

    Parameters
    ----------
    X : ndarray, memory map or sparse matrix of shape (n_samples, n_features)

    Examples
    --------
    >>> dominating_features(np.array([[1.0, 900, 3], [2, 100, 5], [3, 500, 4]]))
    array([1])
    """
    variances = column_variances(X)
    order = np.argsort(-variances, kind="stable")
    total = variances.sum()
    count = int(np.searchsorted(np.cumsum(variances[order]), NEARLY_ALL * total) + 1)
    others = variances[order[count:]]
    others = others[others > 0]
    if count > HANDFUL or not others.size or not total > 0:
        return order[:0]
    far_wider = variances[order[0]] >= FAR_WIDER**2 * np.median(others)
    return order[:count] if far_wider else order[:0]


def warn_about_units(X: Any, owner: str, advice: str | None = None) -> None:
    """One warning that names the features whose spread decides the distances between samples.

    Parameters
    ----------
    X : ndarray or sparse matrix
        What distances are taken in.
    owner : str
        Who takes them.
    advice : str, optional
        What to do; by default, to scale.
    """
    found = dominating_features(X)
    if not found.size:
        return
    n_features = X.shape[1]
    names = listed([feature_label(int(place), n_features) for place in found])
    advice = advice or "put features on one scale first (StandardScaler; --scale standard), unless they share a unit"
    warn(
        f"{owner}: {names} of {n_features} features {'makes' if found.size == 1 else 'make'} up over "
        f"{NEARLY_ALL:.0%} of the squared distances between samples, so the others hardly count; {advice}.",
        UnitsWarning,
    )


def column_variances(X: Any) -> FloatArray:
    """Variances of all columns up to one common factor, a power of two that keeps squares in range."""
    if sparse.issparse(X):
        return _sparse_variances(X if X.format in ("csr", "csc") else sparse.csr_array(X))
    exponent = _exponent_into_range(max(max(float(block.max()), -float(block.min())) for block in _row_blocks(X)))
    first = np.ldexp(np.asarray(X[0], dtype=np.float64), exponent)  # subtracted, so that a large mean costs no digits
    mean, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for block in _row_blocks(X, exponent):
        mean += (block - first).sum(axis=0) / X.shape[0]
    for block in _row_blocks(X, exponent):
        squares += ((block - first - mean) ** 2).sum(axis=0)
    return np.asarray(squares / X.shape[0])


def _exponent_into_range(largest: float) -> int:
    """0 where squares of such values are in range, else the power of two that brings them to about 1."""
    return 0 if not largest or 1e-100 < largest < 1e100 else -int(np.frexp(largest)[1])


def _row_blocks(X: Any, exponent: int = 0) -> Iterator[FloatArray]:
    """Some rows after the other in float64, times 2^exponent."""
    step = max(1, BLOCK_BYTES // (8 * X.shape[1]))
    for start in range(0, X.shape[0], step):
        block = np.asarray(X[start : start + step], dtype=np.float64)
        yield np.ldexp(block, exponent) if exponent else block


def _sparse_variances(X: Any) -> FloatArray:
    """From the non-zeros, in rows or in columns: the zeros of a column add its squared mean each."""
    n_samples, n_features = X.shape
    data = X.data.astype(np.float64)
    data = np.ldexp(data, _exponent_into_range(float(np.abs(data).max(initial=0.0))))
    column = X.indices if X.format == "csr" else np.repeat(np.arange(n_features), np.diff(X.indptr))
    mean = np.bincount(column, weights=data, minlength=n_features) / n_samples
    squares = np.bincount(column, weights=(data - mean[column]) ** 2, minlength=n_features)
    absent = n_samples - np.bincount(column, minlength=n_features)
    return np.asarray((squares + mean**2 * absent) / n_samples)
