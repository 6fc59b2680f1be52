"""How well selected features preserve who is near whom."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._checks import whole
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import checked_matrix
from eigenselect.matrix import finite_table
from eigenselect.similarity.pairs import gram_matrix

#: similarities that differ by less than this part of a sample's largest are equal
TIED = 1e-12


def jaccard_score(X_selected: Any, similarity_matrix: Any, n_neighbors: int = 5, *, center: bool = False) -> float:
    r"""Return the mean overlap of the neighbourhoods that selected features give with those of a similarity S.

    .. math:: \mathrm{JAC} = \frac1n \sum_i \frac{|N_i(S_F) \cap N_i(S)|}{|N_i(S_F) \cup N_i(S)|},
        \qquad S_F = X_F X_F^\top

    where :math:`N_i(S)` are the k samples most similar to sample i, itself left out; ties (equal up to rounding) go to
    the lower index.

    Parameters
    ----------
    X_selected : array or sparse matrix of shape (n_samples, n_selected)
        The selected columns.
    similarity_matrix : array or sparse matrix of shape (n_samples, n_samples)
        S; it may hold negative numbers.
    n_neighbors : int, default=5
        The size k of a neighbourhood.
    center : bool, default=False
        Subtract the means of the features first; inner products of features as given favour long samples.

    Returns
    -------
    float
        1 if all neighbourhoods are the same, 0 if none share a sample.

    See Also
    --------
    redundancy_rate : How much the features repeat each other.
    clustering_accuracy : How well clusters agree with classes.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    section 4.3; Jiang and Ren, Eigenvalue sensitive feature selection, ICML 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.evaluation import jaccard_score
    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.2, 0.9]])
    >>> jaccard_score(X, X @ X.T, 1)
    1.0
    """
    table = finite_table(X_selected, "jaccard_score").to_array()
    n_samples = len(table)
    k = whole(n_neighbors, "n_neighbors", "jaccard_score", high=n_samples - 1)
    S = checked_matrix(similarity_matrix, n_samples, name="jaccard_score: similarity_matrix", non_negative=False)
    if center:
        table = table - table.mean(axis=0)
    size = np.abs(table).max(initial=0.0)
    scaled = table / size if size > 0 else table
    mine = _neighbors(gram_matrix(scaled), k)
    theirs = _neighbors(np.asarray(S.toarray() if sparse.issparse(S) else S), k)
    shared = (mine[:, :, None] == theirs[:, None, :]).sum(axis=(1, 2))
    return float(np.mean(shared / (2 * k - shared)))


def _neighbors(S: FloatArray, k: int) -> IntArray:
    """Find the k most similar others of every sample: who ties with the last of them goes by index, up to rounding."""
    others = S.copy()
    np.fill_diagonal(others, -np.inf)
    last = np.partition(others, len(S) - k, axis=1)[:, len(S) - k, None]
    slack = TIED * np.abs(S).max(axis=1, keepdims=True)
    above = others > last + slack
    tied = (others >= last - slack) & ~above
    index = np.broadcast_to(np.arange(len(S)), S.shape)
    return np.asarray(np.lexsort((index, ~tied, ~above), axis=-1)[:, :k])
