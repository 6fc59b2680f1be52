"""Lists of neighbours become the edges of a graph: each pair once, and the symmetric matrix of their weights."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray


class Edges:
    """Each pair {i, j} with i a neighbour of j or j of i.

    Parameters
    ----------
    indices, squared : ndarray of shape (n, k)
        The neighbours of every sample, sorted by sample number, and their squared distances.

    Attributes
    ----------
    first, second : ndarray of int
        The two samples of every edge, the lower first.
    squared : ndarray
        Their squared distance: of two that are neighbours of each other, as the lower one has it.

    Examples
    --------
    >>> edges = Edges(np.array([[1], [0], [1]]), np.array([[1.0], [1.0], [4.0]]))
    >>> edges.first, edges.second, edges.squared
    (array([0, 1]), array([1, 2]), array([1., 4.]))
    >>> edges.matrix(np.array([0.5, 0.1])).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.1],
           [0. , 0.1, 0. ]])
    """

    def __init__(self, indices: IntArray, squared: FloatArray) -> None:
        n_samples, n_neighbors = indices.shape
        dtype = np.int32 if indices.size < 2**31 else np.int64
        # numbered backwards, so that the larger of two numbers is that of the lower sample
        numbers = np.arange(indices.size, 0, -1, dtype=dtype)
        ends = np.arange(0, indices.size + 1, n_neighbors, dtype=dtype)
        directed = sparse.csr_array((numbers, indices.ravel().astype(dtype), ends), shape=(n_samples, n_samples))
        both = directed.maximum(directed.T.tocsr())
        self._entries, self._ends = both.indices, both.indptr
        self._places = indices.size - both.data
        rows = np.repeat(np.arange(n_samples), np.diff(both.indptr))
        self._upper = rows < both.indices
        self.first, self.second = rows[self._upper], both.indices[self._upper].astype(np.intp)
        self.squared: FloatArray = squared.ravel()[self._places[self._upper]]
        self._shape = indices.shape

    def matrix(self, weights: FloatArray) -> sparse.csr_array:
        """Return the symmetric matrix with the weight of every edge on both (i, j) and (j, i); zeros are not stored."""
        n_samples, n_neighbors = self._shape
        by_place = np.empty(n_samples * n_neighbors)
        by_place[self._places[self._upper]] = weights
        entries = (by_place[self._places], self._entries, self._ends)
        matrix = sparse.csr_array(entries, shape=(n_samples, n_samples), copy=bool((weights == 0).any()))
        matrix.has_canonical_format = True
        matrix.eliminate_zeros()
        return matrix
