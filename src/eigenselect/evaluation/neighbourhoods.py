"""How far selected features keep samples near each other that were near before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array


def neighbourhood_jaccard(S_selected: Any, S: Any, n_neighbors: int = 5) -> float:
    r"""Mean overlap of the samples' neighbourhoods in two similarities, between 0 and 1.

    .. math:: \mathrm{JAC}(S_F, S, k) = \frac1n \sum_{i=1}^n
        \frac{|NB(i, k, S_F) \cap NB(i, k, S)|}{|NB(i, k, S_F) \cup NB(i, k, S)|}

    where

    * :math:`NB(i, k, S)` are the k samples most similar to sample i, itself left out (of equally similar ones the
      first),
    * :math:`S_F` comes from the selected features; inner products in the literature, ``X_F @ X_F.T``.

    Parameters
    ----------
    S_selected, S : arrays of shape (n_samples, n_samples)
        Similarities, larger is nearer; negative distances serve as well. Diagonals are not looked at.
    n_neighbors : int, default=5
        k, less than the number of samples.

    References
    ----------
    Zhao, Wang and Liu, Efficient spectral feature selection with minimum redundancy, AAAI 2010.

    Examples
    --------
    >>> X = np.array([[0.0, 0], [1, 0], [5, 1], [6, 3]])
    >>> def nearness(table):
    ...     return -np.linalg.norm(table[:, None] - table, axis=2)
    >>> neighbourhood_jaccard(nearness(X[:, 1:]), nearness(X), 1)
    0.75
    """
    chosen, given = (_checked(matrix, name) for matrix, name in ((S_selected, "S_selected"), (S, "S")))
    if chosen.shape != given.shape:
        raise ValueError(
            f"neighbourhood_jaccard: S_selected and S must be of the same samples, got shapes {chosen.shape} and "
            f"{given.shape}."
        )
    if isinstance(n_neighbors, bool) or n_neighbors != int(n_neighbors) or not 1 <= n_neighbors < len(given):
        raise ValueError(
            f"neighbourhood_jaccard: n_neighbors must be an integer between 1 and {len(given) - 1}, one less than "
            f"there are samples, got {n_neighbors!r}."
        )
    masks = _nearest(chosen, int(n_neighbors)), _nearest(given, int(n_neighbors))
    return float(np.mean((masks[0] & masks[1]).sum(axis=1) / (masks[0] | masks[1]).sum(axis=1)))


def _nearest(S: NDArray[np.float64], n_neighbors: int) -> NDArray[np.bool_]:
    """Which samples (columns) are among the nearest of which (rows)."""
    others = S.copy()
    np.fill_diagonal(others, -np.inf)
    nearest = np.argsort(-others, axis=1, kind="stable")[:, :n_neighbors]
    mask = np.zeros(S.shape, dtype=bool)
    np.put_along_axis(mask, nearest, True, axis=1)
    return mask


def _checked(S: Any, name: str) -> NDArray[np.float64]:
    """A square matrix of finite numbers."""
    matrix = check_array(S, dtype=np.float64, input_name=name, ensure_min_samples=2)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"neighbourhood_jaccard: {name} must be a similarity of samples with samples, got shape {matrix.shape}; "
            "for a table X take X @ X.T."
        )
    return np.asarray(matrix)
