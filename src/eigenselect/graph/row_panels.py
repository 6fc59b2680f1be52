"""A full similarity in panels of rows: what is asked of all its entries takes no second array of its size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray

#: bytes of the rows that are looked at together
PANEL_BYTES = 2**22


def panels(matrix: FloatArray) -> Iterator[FloatArray]:
    """Yield some rows after the other, as views.

    >>> [panel.shape for panel in panels(np.zeros((3, 2)))]
    [(3, 2)]
    """
    for rows in slices(len(matrix), max(1, PANEL_BYTES // (8 * max(1, matrix.shape[1])))):
        yield matrix[rows]


def absolute_row_sums(matrix: FloatArray | sparse.csr_array) -> FloatArray:
    """Sum |S_ij| over the rows of a dense or sparse matrix.

    >>> absolute_row_sums(np.array([[1.0, -2], [-2, 0]]))
    array([3., 2.])
    """
    if sparse.issparse(matrix):
        return np.asarray(abs(matrix).sum(axis=1), dtype=np.float64).ravel()
    return np.concatenate([np.abs(panel).sum(axis=1) for panel in panels(matrix)])
