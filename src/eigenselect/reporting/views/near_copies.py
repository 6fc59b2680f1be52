"""Features that say nearly the same: which dropped ones are near-copies of kept ones, and which form a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import betainc

from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation import near_copies
from eigenselect.evaluation.copies import NearCopies
from eigenselect.evaluation.correlations import products, unit_columns
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.view_types import BestCopies, CopyGroup, NearCopiesRow

#: correlation of a near-copy, how many are named, and samples that are enough to tell
NEAR_COPY, SHOWN_COPIES, COPY_SAMPLES = 0.9, 8, 5000
#: features whose near-copies are looked for, and those whose near-copies are listed one by one
SEARCHED, LISTED = 200, 30


@dataclass(frozen=True)
class CopyGroups:
    r"""Groups of features that are connected by correlations of magnitude 0.9.

    Attributes
    ----------
    found : list of NearCopies
        Of each feature that was looked at, all other features that are near-copies of it.
    codes : ndarray of int, shape (n_features,)
        Number of the group of every feature, from 1 by the best rank in it; 0 for features in none.
    by_chance : float
        How many near-copies independent features would show between those looked at and all others.
    """

    found: list[NearCopies]
    codes: IntArray
    by_chance: float


def find_copies(fitted: Fitted, searched: IntArray) -> CopyGroups:
    """Find the near-copies of these features among all, and the groups that they form; the best must come first.

    Of many samples, a part drawn at random is enough to tell copies.
    """
    table = fitted.X
    if table.shape[0] > COPY_SAMPLES:
        rng = np.random.default_rng(fitted.random_state)
        table = table.take_rows(np.sort(rng.choice(table.shape[0], COPY_SAMPLES, replace=False)))
    unit = unit_columns(columns_of(table, searched))
    among = np.clip(products(unit, unit), -1.0, 1.0)
    np.fill_diagonal(among, 0.0)
    found = [
        _with_searched(row, searched, along)
        for row, along in zip(near_copies(table, searched, threshold=NEAR_COPY), among, strict=True)
    ]
    n_samples, n_features = table.shape
    pairs = searched.size * (n_features - searched.size) + searched.size * (searched.size - 1) / 2
    codes = _numbered(_edges(found), n_features, fitted.selector.ranking_)
    return CopyGroups(found, codes, pairs * chance_of_copy(n_samples))


def _with_searched(row: NearCopies, searched: IntArray, correlations: FloatArray) -> NearCopies:
    """Add those of the searched features themselves to the near-copies of one; the most similar come first."""
    near = np.abs(correlations) >= NEAR_COPY * (1 - 1e-12)
    copies = np.append(row.copies, searched[near])
    values = np.append(row.correlations, correlations[near])
    order = np.lexsort((copies, -np.round(np.abs(values), 9)))  # exact copies by column, not by their last bits
    return NearCopies(row.feature, row.name, copies[order], values[order])


def chance_of_copy(n_samples: int) -> float:
    r"""Return the probability that :math:`|\rho| \ge 0.9` for two independent normal features.

    >>> round(chance_of_copy(5), 3), chance_of_copy(48) < 1e-15
    (0.037, True)
    """
    return 1.0 if n_samples < 3 else float(betainc((n_samples - 2) / 2, 0.5, 1 - NEAR_COPY**2))


def _numbered(edges: IntArray, n_features: int, ranks: IntArray) -> IntArray:
    """Number the connected groups of more than one feature by the best rank in each."""
    count, component = _connected(edges, n_features)
    large = np.bincount(component, minlength=count) > 1
    best = np.full(count, n_features + 1)
    np.minimum.at(best, component, ranks)
    number = np.zeros(count, dtype=np.intp)
    number[np.argsort(np.where(large, best, n_features + 1), kind="stable")[: large.sum()]] = np.arange(large.sum()) + 1
    return np.asarray(number[component])


def _edges(found: list[NearCopies]) -> IntArray:
    """Return the features that were looked at, each beside its near-copies, as two rows."""
    features = np.repeat([row.feature for row in found], [row.copies.size for row in found])
    return np.array([features, np.hstack([row.copies for row in found])]).astype(np.intp)


def _connected(edges: IntArray, n_features: int) -> tuple[int, IntArray]:
    """Return how many groups features form that edges connect, and the group of each."""
    graph = sparse.coo_array((np.ones(edges.shape[1]), tuple(edges)), shape=(n_features, n_features))
    count, component = connected_components(graph, directed=False)
    return int(count), component


def best_copies(copies: CopyGroups, best: IntArray) -> BestCopies:
    """Count near-copies of the best features alone: groups may also be connected by features that were left out."""
    first = best[:SEARCHED]
    edges = _edges([row for row in copies.found if np.isin(row.feature, first)])
    inside = np.isin(edges[1], first)
    sizes = np.bincount(_connected(edges[:, inside], copies.codes.size)[1])
    others = np.setdiff1d(edges[1], best)
    return {"n_best": int(first.size), "sizes": sizes[sizes > 1].tolist(), "n_others": int(others.size)}


def near_copies_view(found: list[NearCopies], best: IntArray, names: Any) -> list[NearCopiesRow]:
    """List dropped features that are near-copies of the best of the selection."""
    by_feature = {row.feature: row for row in found}
    rows: list[NearCopiesRow] = []
    for column in best[:LISTED]:
        row = by_feature[int(column)]
        dropped = ~np.isin(row.copies, best)
        copies, correlations = row.copies[dropped], row.correlations[dropped]
        if copies.size:
            rows.append(
                {
                    "feature": names[column],
                    "count": int(copies.size),
                    "copies": [names[copy] for copy in copies[:SHOWN_COPIES]],
                    "correlations": correlations[:SHOWN_COPIES].astype(float).tolist(),
                }
            )
    return rows


def copy_groups_view(copies: CopyGroups, kept: IntArray, shown: IntArray, fitted: Fitted) -> list[CopyGroup]:
    """Describe every group: its kept and its other features, best first, and where it stands among those shown."""
    ranks, is_kept = fitted.selector.ranking_, np.zeros(copies.codes.size, dtype=bool)
    is_kept[kept] = True
    return [
        _described(number, copies.codes, ranks, is_kept, shown, fitted.names)
        for number in range(1, int(copies.codes.max(initial=0)) + 1)
    ]


def _described(number: int, codes: IntArray, ranks: IntArray, is_kept: Any, shown: IntArray, names: Any) -> CopyGroup:
    members = np.flatnonzero(codes == number)
    members = members[np.argsort(ranks[members])]
    inside, outside = members[is_kept[members]], members[~is_kept[members]]
    places = np.flatnonzero(codes[shown] == number)
    return {
        "number": number,
        "kept": [names[column] for column in inside[:SHOWN_COPIES]],
        "n_kept": int(inside.size),
        "others": [names[column] for column in outside[:SHOWN_COPIES]],
        "n_others": int(outside.size),
        "shown": [int(places[0]), int(places[-1]) + 1] if places.size else None,
    }
