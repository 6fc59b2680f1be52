"""Connected components of a similarity matrix: which samples can reach which."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: rows of a dense similarity that are looked at together
ROWS = 64


def connected_components(affinity: NDArray[np.float64] | sparse.csr_array) -> NDArray[np.intp]:
    """Number the component of every sample, in order of first appearance.

    Two samples are in one component if a path of non-zero similarities joins them.

    Parameters
    ----------
    affinity : ndarray or csr_array of shape (n, n)
        Symmetric.

    Returns
    -------
    ndarray of int, shape (n,)
        The component of every sample, from 0.

    See Also
    --------
    SampleGraph.components : The same, of a graph of any kind.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import connected_components
    >>> connected_components(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    array([0, 0, 1])
    """
    if sparse.issparse(affinity):
        labels = sparse.csgraph.connected_components(affinity, directed=False)[1]
        return _in_order_of_appearance(labels)
    return _search_dense(affinity)


def _search_dense(affinity: NDArray[np.float64]) -> NDArray[np.intp]:
    """Search breadth-first by whole rows, a few at a time: a full kernel is settled by its first row."""
    labels = np.full(len(affinity), -1, dtype=np.intp)
    component = 0
    while (unseen := np.flatnonzero(labels < 0)).size:
        labels[unseen[0]] = component
        frontier = unseen[:1]
        while frontier.size:
            new = (affinity[frontier[:ROWS]] != 0).any(axis=0) & (labels < 0)
            labels[new] = component
            frontier = np.concatenate([frontier[ROWS:], np.flatnonzero(new)]) if (labels < 0).any() else unseen[:0]
        component += 1
    return labels


def _in_order_of_appearance(labels: NDArray[np.int32]) -> NDArray[np.intp]:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.intp)
