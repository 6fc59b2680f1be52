"""What else a selected feature stands for: the dropped ones that are nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.evaluation.correlations import blocks_of, checked_features, products, unit_columns

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """A selected feature and the dropped ones that are nearly copies of it.

    Attributes
    ----------
    feature : int
    name : str or None
        Its name, where X has names.
    copies : ndarray of int
        Dropped features, the most similar first, ties by column order.
    correlations : ndarray
        Of each of them with the feature, signed.
    """

    feature: int
    name: Any
    copies: NDArray[np.intp]
    correlations: FloatArray


def stands_for(X: Any, support: Any, *, threshold: float = 0.9, nearest_only: bool = False) -> list[Standing]:
    r"""For each selected feature, the dropped features with :math:`|\rho| \ge` ``threshold``.

    A selection without redundancy hides what it leaves out: another feature may carry the same signal and be of more
    interest to the user (a better known gene, a cheaper sensor).

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        A sparse X is made dense in blocks of columns only.
    support : array
        The selection: a mask of all features, or their numbers in the order in which they are to be listed.
    threshold : float, default=0.9
        Smallest absolute correlation, above 0 and up to 1.
    nearest_only : bool, default=False
        List a dropped feature only with the selected one that it is most like (ties: the first).

    Returns
    -------
    list of Standing
        One for each selected feature. Constant features stand for nothing, and nothing for them.

    Examples
    --------
    >>> X = np.array([[0.0, 1, 0, 5], [1, 3, 1, 1], [2, 5, 0, 4], [3, 7, 1, 1]])
    >>> [(s.feature, s.copies, s.correlations.round(2)) for s in stands_for(X, [0, 2])]
    [(0, array([1]), array([1.])), (2, array([3]), array([-0.98]))]
    """
    names = list(X.columns) if hasattr(X, "columns") else None
    table = checked_features(X, "stands_for")
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not 0 < float(threshold) <= 1:
        raise ValueError(f"stands_for: threshold must be a number above 0 and up to 1, got {threshold!r}.")
    selected = _selected(support, table.shape[1])
    found = _near_copies(table, selected, float(threshold), nearest_only)
    return [
        Standing(int(feature), None if names is None else names[feature], *_sorted(*found[place]))
        for place, feature in enumerate(selected)
    ]


def _near_copies(table: Any, selected: NDArray[np.intp], threshold: float, nearest_only: bool) -> list[Any]:
    """Numbers and correlations of the dropped features of each selected one."""
    dropped = np.setdiff1d(np.arange(table.shape[1]), selected)
    reference = unit_columns(table, selected)
    found: list[tuple[list[NDArray[np.intp]], list[FloatArray]]] = [([], []) for _ in selected]
    limit = threshold * (1 - 1e-12)  # a copy has a correlation of 1 up to rounding
    for columns in blocks_of(dropped, table.shape[0]):
        correlations = np.clip(products(reference, unit_columns(table, columns)), -1.0, 1.0)
        near = np.abs(correlations) >= limit
        if nearest_only:
            near &= np.arange(selected.size)[:, None] == np.argmax(np.abs(correlations), axis=0)
        for place in np.flatnonzero(near.any(axis=1)):
            found[place][0].append(columns[near[place]])
            found[place][1].append(correlations[place, near[place]])
    return found


def _sorted(copies: list[NDArray[np.intp]], correlations: list[FloatArray]) -> tuple[NDArray[np.intp], FloatArray]:
    if not copies:
        return np.empty(0, dtype=np.intp), np.empty(0)
    features, values = np.concatenate(copies), np.concatenate(correlations)
    order = np.argsort(-np.abs(values), kind="stable")
    return features[order], values[order]


def _selected(support: Any, n_features: int) -> NDArray[np.intp]:
    given = np.asarray(support)
    if given.dtype == bool and given.shape == (n_features,):
        return np.flatnonzero(given)
    whole = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iu"
    if not whole or given.min() < 0 or given.max() >= n_features or np.unique(given).size < given.size:
        raise ValueError(
            f"stands_for: support must be a mask of the {n_features} features, or different numbers from 0 to "
            f"{n_features - 1}, got {support!r}."
        )
    return given.astype(np.intp)
