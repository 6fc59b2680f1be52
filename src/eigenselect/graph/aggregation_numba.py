"""Group the samples of a graph around some that are apart from each other, compiled."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._typing import IntArray


def aggregates(matrix: sparse.csr_array, strong: float) -> IntArray:
    r"""Number the group of every sample: a sample with all its strong neighbours, then who is left joins the strongest.

    Samples i and j are strong neighbours if :math:`|M_{ij}| \ge \theta \min(\max_k |M_{ik}|, \max_k |M_{jk}|)`, where
    the largest entries are those beside the diagonal. Samples are visited in their order, and one whose strong
    neighbours are all free becomes the centre of a group.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        M, symmetric.
    strong : float
        θ, between 0 and 1.

    Returns
    -------
    ndarray of int, shape (n,)
        From 0, in the order of their centres; no group is empty.

    References
    ----------
    Vaněk, Mandel and Brezina, Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
    problems, Computing 1996, doi:10.1007/BF02238511.

    Examples
    --------
    >>> path = sparse.diags_array([np.ones(6), np.ones(6)], offsets=[-1, 1], shape=(7, 7), format="csr")
    >>> aggregates(path, 0.1).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    return np.asarray(_aggregates(matrix.indptr, matrix.indices, np.abs(matrix.data), strong))


@compiled()
def _aggregates(indptr, indices, sizes, strong):  # type: ignore[no-untyped-def]
    n = indptr.size - 1
    largest = np.zeros(n)
    for i in range(n):
        for entry in range(indptr[i], indptr[i + 1]):
            if indices[entry] != i:
                largest[i] = max(largest[i], sizes[entry])
    group = np.full(n, -1, np.int64)
    count = 0
    for i in range(n):
        is_free = group[i] == -1
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            if group[j] != -1 and sizes[entry] >= strong * min(largest[i], largest[j]):
                is_free = False
        if is_free:
            for entry in range(indptr[i], indptr[i + 1]):
                j = indices[entry]
                if sizes[entry] >= strong * min(largest[i], largest[j]):
                    group[j] = count
            group[i] = count
            count += 1
    _join_strongest(indptr, indices, sizes, group)
    return group


@compiled()
def _join_strongest(indptr, indices, sizes, group):  # type: ignore[no-untyped-def]
    first = group.copy()
    for i in range(first.size):
        most = -1.0
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            if first[i] == -1 and first[j] != -1 and sizes[entry] > most:
                most = sizes[entry]
                group[i] = first[j]
