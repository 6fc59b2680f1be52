"""Rank aggregation against hand-computed cases and naive implementations."""

import numpy as np
import pytest
from scipy.stats import binom, rankdata

from eigenselect.multisource import aggregate_rankings

NAN = np.nan


def naive_rra(lists):
    """Kolde et al.: the chance that at least k of n uniform ranks are as small, by the binomial distribution."""
    n, m = lists.shape
    ranks = np.array([rankdata(row, nan_policy="omit") for row in lists]) / m
    ordered = np.sort(np.where(np.isnan(ranks), 1.0, ranks), axis=0)
    chances = binom.sf(np.arange(n)[:, None], n, ordered)
    return np.minimum(1.0, n * chances.min(axis=0))


def naive_mc4(lists, weights):
    """The transition matrix written down, and its left eigenvector."""
    n, m = lists.shape
    P = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            both = [k for k in range(n) if not np.isnan(lists[k, i] + lists[k, j])]
            ahead = sum(weights[k] for k in both if lists[k, j] < lists[k, i])
            behind = sum(weights[k] for k in both if lists[k, j] > lists[k, i])
            if i != j and ahead > behind + 1e-12:
                P[i, j] = 1 / m
        P[i, i] = 1 - P[i].sum()
    P = 0.05 / m + 0.95 * P
    values, vectors = np.linalg.eig(P.T)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    return stationary / stationary.sum()


@pytest.fixture
def partial_lists(rng):
    """Five lists of twelve items with ties and gaps."""
    lists = np.array([rng.permutation(12) + 1.0 for _ in range(5)])
    lists[0, lists[0] > 8] = NAN
    lists[1] = np.ceil(lists[1] / 3)
    lists[3, [2, 5]] = NAN
    return lists


class TestByHand:
    def test_borda(self):
        result = aggregate_rankings([[1, 2, 3], [2, 1, 3], [1, 3, 2]])
        np.testing.assert_allclose(result.scores, [-4 / 3, -2, -8 / 3])
        np.testing.assert_array_equal(result.ranking, [1, 2, 3])

    def test_median(self):
        """Ties go by order; an even median is the middle."""
        result = aggregate_rankings([[1, 2, 3], [3, 1, 2], [1, 3, 2]], method="median")
        np.testing.assert_allclose(result.scores, [-1, -2, -2])
        np.testing.assert_array_equal(result.ranking, [1, 2, 3])
        np.testing.assert_allclose(aggregate_rankings([[1, 2], [2, 1]], "median").scores, [-1.5, -1.5])

    def test_gaps_and_ties(self):
        """What a list does not hold shares the ranks that are left; ties share theirs, and only order counts."""
        np.testing.assert_allclose(
            aggregate_rankings([[NAN, 1, NAN, 2], [1, 2, 3, 4]]).scores, [-2.25, -1.5, -3.25, -3]
        )
        np.testing.assert_allclose(aggregate_rankings([[10.0, 3, 3, 70]]).scores, [-3, -1.5, -1.5, -4])

    def test_weights(self):
        lists = [[1, 2, 3], [3, 2, 1]]
        np.testing.assert_allclose(aggregate_rankings(lists, weights=[3, 1]).scores, [-1.5, -2, -2.5])
        np.testing.assert_array_equal(aggregate_rankings(lists, "median", weights=[3, 1]).ranking, [1, 2, 3])
        np.testing.assert_array_equal(aggregate_rankings(lists, "mc4", weights=[1, 3]).ranking, [3, 2, 1])

    def test_a_condorcet_winner_leads_mc4(self):
        """The first item beats each other one in two of three lists, though its mean rank is not the best."""
        lists = [[1, 2, 3, 4, 5], [2, 1, 3, 4, 5], [1, 5, 4, 3, 2]]
        assert aggregate_rankings(lists, "mc4").ranking[0] == 1


class TestNaive:
    def test_rra_p_values(self, partial_lists):
        result = aggregate_rankings(partial_lists, "rra")
        np.testing.assert_allclose(result.p_values, naive_rra(partial_lists), rtol=1e-10)
        significant = result.p_values < 1
        by_p = np.argsort(np.round(np.log10(result.p_values), 12), kind="stable")[: significant.sum()]
        np.testing.assert_array_equal(np.argsort(result.ranking)[: significant.sum()], by_p)
        np.testing.assert_allclose(aggregate_rankings([[1, 2, 3, 4]], "rra").p_values, [0.25, 0.5, 0.75, 1])

    def test_rra_is_valid_under_chance(self, rng):
        """With random lists p ≤ 0.05 in at most a twentieth of the items, more or less."""
        lists = np.array([rng.permutation(2000) + 1.0 for _ in range(6)])
        assert np.mean(aggregate_rankings(lists, "rra").p_values <= 0.05) < 0.06

    @pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 5.0]])
    def test_mc4(self, partial_lists, weights):
        shares = np.full(5, 0.2) if weights is None else np.array(weights) / 15
        expected = naive_mc4(partial_lists, shares)
        np.testing.assert_allclose(aggregate_rankings(partial_lists, "mc4", weights).scores, expected, atol=1e-10)

    def test_mc4_in_blocks(self, rng):
        """More items than one block of rows."""
        lists = np.array([rng.permutation(1500) + 1.0 for _ in range(3)])
        result = aggregate_rankings(lists, "mc4")
        assert result.scores.sum() == pytest.approx(1)
        assert np.corrcoef(result.scores, -lists.mean(axis=0))[0, 1] > 0.6


@pytest.mark.parametrize("method", ["borda", "median", "rra", "mc4"])
def test_every_method(partial_lists, rng, method):
    """Agreement is kept, the order of lists does not matter, and items of no list come last."""
    order = rng.permutation(20) + 1
    result = aggregate_rankings([order, order, order], method)
    np.testing.assert_array_equal(np.asarray(result), order)
    np.testing.assert_array_equal(result.ranking, order)
    assert [result[0], len(result), list(result)[3]] == [order[0], 20, order[3]]
    shuffled = aggregate_rankings(partial_lists[rng.permutation(5)], method).ranking
    np.testing.assert_array_equal(shuffled, aggregate_rankings(partial_lists, method).ranking)
    unknown = aggregate_rankings([[2, NAN, 1], [1, NAN, 2]], method)
    assert unknown.ranking[1] == 3
    assert np.isnan(unknown.scores[1])


def test_bad_input(monkeypatch):
    two = [[1, 2], [2, 1]]
    monkeypatch.setattr("eigenselect.multisource.aggregation.MOST_ITEMS_OF_MC4", 3)
    for arguments, keyword in (
        (([[1, 2]], "kemeny"), "'kemeny'"),
        (([1, 2, 3],), "one row per list"),
        (([[1, 2], [1]],), "one row per list"),
        (([["a", "b"]],), "table of numbers"),
        (([[1, np.inf]],), "NaN"),
        (([[1, 2], [NAN, NAN]],), "list 2 of 2"),
        ((two, "borda", [1]), "2 numbers"),
        ((two, "borda", [1, -1]), "none negative"),
        ((two, "borda", "ab"), "2 numbers"),
        ((two, "rra", [1, 1]), "has no weights"),
        (([[1, 2, 3, 4]], "mc4"), "at most 3 items"),
    ):
        with pytest.raises(ValueError, match=keyword):
            aggregate_rankings(*arguments)
