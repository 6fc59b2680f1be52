"""The dropped features that are nearly copies of a selected one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._checks import share
from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation.correlations import products, unit_columns
from eigenselect.exceptions import listed
from eigenselect.matrix import Matrix, feature_names_of, finite_table

#: numbers that are made dense at once
BLOCK_NUMBERS = 16_000_000


@dataclass(frozen=True)
class NearCopies:
    """A selected feature and the dropped ones that are nearly copies of it.

    Attributes
    ----------
    feature : int
        Column of the selected feature.
    name : str or None
        Its name, where X has names.
    copies : ndarray of int
        Dropped features, the most similar first, ties by column order.
    correlations : ndarray
        Of each of them with the feature, signed.

    See Also
    --------
    near_copies : Finds them.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenselect.evaluation import near_copies
    >>> X = pd.DataFrame({"cm": [10.0, 20, 30, 50], "inch": [3.9, 7.9, 11.8, 19.7], "kg": [5.0, 1, 4, 1]})
    >>> found = near_copies(X, ["cm"])[0]
    >>> found.name, found.copies
    ('cm', array([1]))
    """

    feature: int
    name: Any
    copies: IntArray
    correlations: FloatArray


def near_copies(X: Any, support: Any, *, threshold: float = 0.9, nearest_only: bool = False) -> list[NearCopies]:
    r"""Find for each selected feature the dropped ones with :math:`|\rho| \ge` ``threshold``.

    A selection without redundancy hides what it leaves out: another feature may carry the same signal and be of more
    interest to the user (a better known gene, a cheaper sensor).

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        A sparse X is made dense in blocks of columns only.
    support : array
        The selection: a mask of all features, or their numbers, or names where X has names (a data frame, an AnnData),
        in the order in which they are to be listed.
    threshold : float, default=0.9
        Smallest absolute correlation, above 0 and up to 1.
    nearest_only : bool, default=False
        List a dropped feature only with the selected one that it is most like (ties: the first).

    Returns
    -------
    list of NearCopies
        One for each selected feature. Constant features have no copies, and are none.

    See Also
    --------
    redundancy_rate : How much the selected features repeat each other.
    eigenselect.plot.redundancy : Draws correlations, with near-copies outlined.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.evaluation import near_copies
    >>> X = np.array([[0.0, 1, 0, 5], [1, 3, 1, 1], [2, 5, 0, 4], [3, 7, 1, 1]])
    >>> [(s.feature, s.copies, s.correlations.round(2)) for s in near_copies(X, [0, 2])]
    [(0, array([1]), array([1.])), (2, array([3]), array([-0.98]))]
    """
    names = feature_names_of(X)
    table = finite_table(X, "near_copies")
    threshold = share(threshold, "threshold", "near_copies", zero=False)
    selected = _selected(support, table.n_features, names)
    found = _copies(table, selected, threshold, nearest_only)
    return [
        NearCopies(int(feature), None if names is None else names[feature], *_sorted(*found[place]))
        for place, feature in enumerate(selected)
    ]


def _copies(table: Matrix, selected: IntArray, threshold: float, nearest_only: bool) -> list[Any]:
    """Find numbers and correlations of the near-copies of each selected feature."""
    dropped = np.setdiff1d(np.arange(table.n_features), selected)
    reference = unit_columns(table.columns(selected))
    found: list[tuple[list[IntArray], list[FloatArray]]] = [([], []) for _ in selected]
    limit = threshold * (1 - 1e-12)  # a copy has a correlation of 1 up to rounding
    for part in slices(dropped.size, max(1, BLOCK_NUMBERS // max(1, table.n_samples))):
        columns = dropped[part]
        correlations = np.clip(products(reference, unit_columns(table.columns(columns))), -1.0, 1.0)
        near = np.abs(correlations) >= limit
        if nearest_only:
            near &= np.arange(selected.size)[:, None] == np.argmax(np.abs(correlations), axis=0)
        for place in np.flatnonzero(near.any(axis=1)):
            found[place][0].append(columns[near[place]])
            found[place][1].append(correlations[place, near[place]])
    return found


def _sorted(copies: list[IntArray], correlations: list[FloatArray]) -> tuple[IntArray, FloatArray]:
    if not copies:
        return np.empty(0, dtype=np.intp), np.empty(0)
    features, values = np.concatenate(copies), np.concatenate(correlations)
    order = np.argsort(-np.abs(values), kind="stable")
    return features[order], values[order]


def _selected(support: Any, n_features: int, names: Any) -> IntArray:
    """Give the columns that a mask, numbers or names select."""
    given = np.asarray(support)
    if given.dtype.kind in "UTO" and given.ndim == 1 and given.size:
        given = _places_of(given, names)
    if given.dtype == bool and given.shape == (n_features,):
        return np.flatnonzero(given)
    whole = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iu"
    if not whole or given.min() < 0 or given.max() >= n_features or np.unique(given).size < given.size:
        raise ValueError(
            f"near_copies: support must be a mask of the {n_features} features, different numbers from 0 to "
            f"{n_features - 1}, or names, got {support!r}."
        )
    return given.astype(np.intp)


def _places_of(wanted: Any, names: Any) -> IntArray:
    """Find features by name; refuse names that X does not have, or has twice."""
    if names is None:
        raise ValueError(
            f"near_copies: support holds names ({listed(wanted, most=3)}), but X has none; give a data frame or "
            "numbers."
        )
    index = pd.Index(names)
    known = index.drop_duplicates(keep=False)
    lacking = [name for name in wanted if name not in known]
    if lacking:
        why = "stand more than once in X" if lacking[0] in index else "are not in X"
        raise ValueError(
            f"near_copies: {listed(lacking, most=3)} of support {why}; give names of features, or numbers."
        )
    return np.asarray(index.get_indexer_for(wanted), dtype=np.intp)
