"""In which order rows and columns of a heat map stand: like ones beside each other, the same on every machine."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import pdist, squareform

from eigenselect._typing import FloatArray, IntArray

#: digits of a distance that count: the others differ from processor to processor, and would decide ties
DIGITS = 9
#: added to the distance of features of different groups of near-copies: more than any two correlations differ
APART = 3.0


def leaf_order(distances: FloatArray) -> IntArray:
    r"""Order things so that like ones are neighbours: average linkage, then the best order of its leaves.

    Distances are rounded first, and of an order and its reverse, which are equally good, the one that begins with the
    thing that was given earlier is taken; so last bits decide nothing.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Symmetric, with a diagonal of zeros.

    Returns
    -------
    ndarray of int, shape (n,)

    References
    ----------
    Bar-Joseph, Gifford and Jaakkola, Fast optimal leaf ordering for hierarchical clustering, Bioinformatics 2001.

    Examples
    --------
    >>> places = np.array([[0.0], [9.0], [1.0], [8.0]])
    >>> leaf_order(np.abs(places - places.T))
    array([0, 2, 3, 1])
    """
    count = len(distances)
    if count < 3:
        return np.arange(count)
    pairs = squareform(np.round(distances, DIGITS), checks=False)
    order = leaves_list(optimal_leaf_ordering(linkage(pairs, "average"), pairs)).astype(np.intp)
    return order if order[0] < order[-1] else order[::-1]


def order_features(correlation: FloatArray, groups: IntArray) -> IntArray:
    r"""Order features by :math:`1 - \rho`; near-copies, of either sign, stay together, and constant ones come last.

    Parameters
    ----------
    correlation : ndarray of shape (k, k)
        NaN for constant features.
    groups : ndarray of int, shape (k,)
        Number of the group of near-copies of each, 0 for those in none.

    Examples
    --------
    >>> order_features(np.array([[1.0, 0.1, -0.95], [0.1, 1, 0.2], [-0.95, 0.2, 1]]), np.array([1, 0, 1]))
    array([0, 2, 1])
    """
    varies = ~np.isnan(correlation.diagonal())
    known = np.flatnonzero(varies)
    codes = groups[known]
    apart = (codes[:, None] != codes) | (codes == 0)
    distances = 1.0 - correlation[np.ix_(known, known)] + APART * apart
    np.fill_diagonal(distances, 0.0)
    return np.concatenate([known[leaf_order(distances)], np.flatnonzero(~varies)])


def order_samples(steps: IntArray, codes: IntArray) -> IntArray:
    """Order samples by group, and within a group by the distance of their columns; those in no group come last.

    The columns are whole numbers, so distances are exact. Samples are sorted by them first: the order of the table's
    rows decides only between equal ones.

    Parameters
    ----------
    steps : ndarray of int, shape (n_features, n_samples)
        Values in whole steps.
    codes : ndarray of int, shape (n_samples,)
        Number of the group of each sample, -1 for none.

    Examples
    --------
    >>> order_samples(np.array([[5, 1, 4, 1, 9]]), np.array([0, 1, 0, -1, 1]))
    array([2, 0, 1, 4, 3])
    """
    sorted_first = np.lexsort(steps[::-1].astype(np.int64))
    parts = [sorted_first[codes[sorted_first] == code] for code in (*range(int(codes.max(initial=-1)) + 1), -1)]
    return np.concatenate([part[leaf_order(_distances(steps[:, part]))] for part in parts])


def _distances(steps: IntArray) -> FloatArray:
    if steps.shape[1] < 3:
        return np.zeros((steps.shape[1],) * 2)
    return np.asarray(squareform(pdist(steps.T.astype(np.float64))))
