"""Sums over samples and over edges, by numpy; a full similarity is looked at in panels of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray

#: bytes of the rows that are looked at together
PANEL_BYTES = 2**22


def inner(mass: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Compute ⟨u, v⟩ = Σ_i m_i u_i v_i of each pair of columns.

    >>> inner(np.array([1.0, 2.0]), np.array([[1.0], [3.0]]), np.array([[5.0], [1.0]]))
    array([11.])
    """
    return np.einsum("i,ij,ij->j", mass, first, second)


def sum_over_edges(
    S: sparse.csr_array, features: FloatArray, cost: Callable[[FloatArray], FloatArray] = np.square
) -> FloatArray:
    """Compute Σ_{i<j} S_ij cost(f_i - f_j) of each column: a sum without cancellation.

    >>> S = sparse.csr_array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]])
    >>> sum_over_edges(S, np.array([[0.0], [1.0], [3.0]]))
    array([6.])
    """
    lower, total = sparse.tril(S, -1, format="coo"), np.zeros(features.shape[1])
    for edges in slices(lower.nnz, max(1, PANEL_BYTES // (8 * max(1, total.size)))):
        differences = features[lower.row[edges]] - features[lower.col[edges]]
        total += np.einsum("i,ij->j", lower.data[edges], cost(differences))
    return total


def panels(matrix: FloatArray) -> Iterator[FloatArray]:
    """Yield some rows after the other, as views: what is asked of all entries takes no second array of this size.

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
