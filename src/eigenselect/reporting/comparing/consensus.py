"""Which features several methods keep, beside how many selections at random and of permuted labels have in common.

Methods that see the same samples and labels agree on noise as well, so the number of features that all of them keep
says little by itself. Beside it stand two others: the mean for selections that are drawn at random, and that of the
same methods for permuted labels, where whatever the methods share but the labels' meaning is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.reporting.summary import ConsensusCount, ConsensusView

#: features that the matrix shows
SHOWN = 40


def consensus_view(
    chosen: Mapping[str, IntArray],
    ranks: Mapping[str, FloatArray],
    permuted: Sequence[Sequence[BoolArray]],
    feature_names: Sequence[str],
) -> ConsensusView:
    """Count the methods that keep each feature.

    Parameters
    ----------
    chosen : mapping of methods to columns
        What each method keeps.
    ranks : mapping of methods to arrays of shape (n_features,)
    permuted : sequence of sequences of bool arrays
        For each method what it keeps for every permutation of the labels.
    feature_names : sequence of str

    Examples
    --------
    >>> chosen = {"one": np.array([0, 1]), "other": np.array([1, 2])}
    >>> ranks = {"one": np.array([1.0, 2.0, 3.0]), "other": np.array([3.0, 1.0, 2.0])}
    >>> kept = [[np.array([True, True, False])], [np.array([True, False, True])]]
    >>> view = consensus_view(chosen, ranks, kept, ["a", "b", "c"])
    >>> view["feature"], view["count"], view["ranks"]["one"]
    (['b', 'a', 'c'], [2, 1, 1], [2, 1, None])
    >>> view["at_least"][0]
    {'n_methods': 2, 'n_features': 1, 'random': 1.3333333333333333, 'permuted': 1.0}
    """
    kept = {name: np.isin(np.arange(len(feature_names)), columns) for name, columns in chosen.items()}
    count = np.sum(list(kept.values()), axis=0)
    mean_rank = np.mean(list(ranks.values()), axis=0)
    order = np.lexsort((mean_rank, -count))[: min(SHOWN, int((count > 0).sum()))]
    return {
        "n_kept": int((count > 0).sum()),
        "feature": [feature_names[column] for column in order],
        "count": [int(count[column]) for column in order],
        "ranks": {name: [plain_rank(ranks[name][j]) if kept[name][j] else None for j in order] for name in kept},
        "at_least": _counts(count, [columns.size for columns in chosen.values()], permuted),
    }


def _counts(count: IntArray, sizes: Sequence[int], permuted: Sequence[Sequence[BoolArray]]) -> list[ConsensusCount]:
    """Count features that at least so many methods keep, from all methods down to one."""
    by_chance = expected_at_least(sizes, count.size)
    of_permutations = [np.sum(selections, axis=0) for selections in zip(*permuted, strict=True)]
    return [
        {
            "n_methods": least,
            "n_features": int((count >= least).sum()),
            "random": float(by_chance[least - 1]),
            "permuted": float(np.mean([(found >= least).sum() for found in of_permutations])),
        }
        for least in range(len(sizes), 0, -1)
    ]


def expected_at_least(sizes: Sequence[int], n_features: int) -> FloatArray:
    """Expect how many features are in at least 1, 2, … of selections of such sizes that are drawn independently.

    A feature is in selection i with probability p_i = size_i / m; the number of selections that hold it is a sum of
    such coins.

    >>> expected_at_least([5, 5], 10)
    array([7.5, 2.5])
    """
    chances = np.ones(1)  # of 0, 1, … selections so far
    for size in sizes:
        chances = np.convolve(chances, [1.0 - size / n_features, size / n_features])
    return np.asarray(n_features * np.cumsum(chances[::-1])[::-1][1:])


def plain_rank(rank: float) -> int | float:
    """Return a rank as a whole number where it is one; features that tie share a rank between two."""
    return int(rank) if rank % 1 == 0 else float(rank)
