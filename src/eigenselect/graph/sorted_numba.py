"""Rows of a sparse matrix with their columns sorted, compiled: copied and sorted at once."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._compiled import compiled
from eigenselect._floats import all_equal

_compiled = compiled()
#: entries of a row, on average over all entries, up to which each is put to its place by moving those before it
FEW = 256


def sorted_rows(matrix: sparse.csr_array) -> sparse.csr_array | None:
    """Return a CSR with sorted columns, without changing it; None where rows are long or have an entry twice.

    Neighbours that are stored nearest first, as searches list them, are in no order of their numbers. Of 4 000 000
    samples with 17 neighbours, scipy's copy and sort took 1.0 s, and this takes 0.8. Equal weights stay where they are,
    which leaves a third of the 800 MB.

    >>> sorted_rows(sparse.csr_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 2, 2])), shape=(2, 2))).data
    array([2., 1.])
    """
    lengths = np.diff(matrix.indptr).astype(np.float64)
    if lengths @ lengths > FEW * matrix.nnz:
        return None
    differ = not all_equal(matrix.data)
    indices, data = np.empty_like(matrix.indices), np.empty_like(matrix.data) if differ else matrix.data
    if not _sort_rows(matrix.indptr, matrix.indices, matrix.data, differ, indices, data):
        return None
    found = sparse.csr_array((data, indices, matrix.indptr), shape=matrix.shape)
    found.has_canonical_format = True
    return found


@_compiled
def _sort_rows(indptr, indices, data, differ, to_indices, to_data):  # type: ignore[no-untyped-def]
    """Put each entry before the larger ones of its row; False as soon as one is there already."""
    for i in range(indptr.size - 1):
        first = np.uintp(indptr[i])
        for edge in range(first, np.uintp(indptr[i + 1])):
            at, column = np.uintp(edge), indices[edge]
            while at > first and to_indices[at - np.uintp(1)] > column:
                to_indices[at] = to_indices[at - np.uintp(1)]
                if differ:
                    to_data[at] = to_data[at - np.uintp(1)]
                at -= np.uintp(1)
            if at > first and to_indices[at - np.uintp(1)] == column:
                return False
            to_indices[at] = column
            if differ:
                to_data[at] = data[edge]
    return True
