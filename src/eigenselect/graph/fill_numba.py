"""Count the entries of a triangular factor without factorising, compiled."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._typing import IntArray


def column_counts(matrix: sparse.csr_array, order: IntArray, most: int) -> IntArray | None:
    r"""Count the entries of every column of L, where :math:`LL^\top` is the matrix in another order.

    Row i of L has an entry in column k exactly if k is on a path of the elimination tree from an entry of row i of the
    matrix up to i, so walking these paths visits every entry of L once (Liu's row subtrees). No numbers are computed
    and no entry is stored.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        Its pattern is symmetric; the diagonal may have gaps.
    order : ndarray of int
        The row that comes first, second, …
    most : int
        Stop when there are more entries than this: the answer is then None.

    References
    ----------
    Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 1990, doi:10.1137/0611010.

    Examples
    --------
    >>> star = sparse.csr_array(np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]]))
    >>> column_counts(star, np.array([1, 2, 0]), 100)  # the centre last: no fill
    array([2, 2, 1])
    >>> column_counts(star, np.array([0, 1, 2]), 100)
    array([3, 2, 1])
    """
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    indptr, indices = (part.astype(np.int64, copy=False) for part in (matrix.indptr, matrix.indices))
    counts = np.ones(order.size, dtype=np.int64)
    complete = _walk_row_subtrees(indptr, indices, order.astype(np.int64), place, most, counts)
    return counts if complete else None


@compiled()
def _walk_row_subtrees(indptr, indices, order, place, most, counts):  # type: ignore[no-untyped-def]
    parent = np.full(order.size, -1, np.int64)
    last_seen = np.full(order.size, -1, np.int64)
    total = order.size
    for i in range(order.size):
        last_seen[i] = i
        for entry in range(indptr[order[i]], indptr[order[i] + 1]):
            k = place[indices[entry]]
            while k < i and last_seen[k] != i:
                last_seen[k] = i
                counts[k] += 1
                total += 1
                if parent[k] == -1:
                    parent[k] = i
                k = parent[k]
        if total > most:
            return False
    return True
