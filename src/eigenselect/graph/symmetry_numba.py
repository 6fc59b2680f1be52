"""Whether a sparse matrix equals its mirror, compiled: no mirror is made."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled, prefetch
from eigenselect._floats import all_equal

_compiled = compiled()


def is_symmetric(matrix: sparse.csr_array) -> bool:
    """Tell whether each entry of a square CSR, sorted and without duplicates, is stored on both sides, and is equal.

    A mirror writes all entries to places that no processor foresees: of 4 000 000 samples with 17 neighbours, in any
    order, it took 2.5 s, and this takes 0.5, or 0.9 where weights differ.

    >>> is_symmetric(sparse.csr_array([[5.0, 2], [2, 0]])), is_symmetric(sparse.csr_array([[5.0, 2], [1, 0]]))
    (True, False)
    """
    differ = not all_equal(matrix.data)  # where all are equal, places tell all
    return bool(_equals_mirror(matrix.indptr, matrix.indices, matrix.data, differ, matrix.indptr[:-1].copy()))


@_compiled
def _equals_mirror(indptr, indices, data, differ, reached):  # type: ignore[no-untyped-def]
    """Look up what is right of the diagonal on its left, where rows come by in the order of their entries.

    ``reached`` has the first entry of each row that no earlier row asked for. When a row's turn comes, that is the
    first one from the diagonal on, or an entry on the left has no mirror; an entry on the right without one is found
    to be another, or takes ``reached`` beyond the end of a row.
    """
    last = reached.size - 1
    for i in range(reached.size):
        later = min(i + 4, last)
        for edge in range(np.uintp(reached[later]), np.uintp(indptr[later + 1])):
            prefetch(reached, np.uintp(indices[edge]))
        later = min(i + 2, last)
        for edge in range(np.uintp(reached[later]), np.uintp(indptr[later + 1])):
            prefetch(indices, reached[np.uintp(indices[edge])])
        begin, end = np.uintp(reached[i]), np.uintp(indptr[i + 1])
        if begin > end or (begin < end and indices[begin] < i):
            return False
        for edge in range(begin, end):
            j = np.uintp(indices[edge])
            if j != np.uintp(i):
                at = np.uintp(reached[j])
                if at >= np.uintp(indices.size) or indices[at] != i or (differ and data[at] != data[edge]):
                    return False
                reached[j] += 1
    return True
