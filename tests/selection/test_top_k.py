"""Ranks with ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenselect.selection import rank_features
from eigenselect.selection.top_k import in_order

scores_with_ties = st.lists(st.sampled_from([0.0, 0.5, 1.0, np.nan]), min_size=1, max_size=30).map(np.array)


class TestRanking:
    @given(scores_with_ties, st.booleans())
    def test_a_permutation_that_follows_the_scores(self, scores, larger):
        ranking = rank_features(scores, larger_is_better=larger)
        assert sorted(ranking) == list(range(1, scores.size + 1))
        ordered = scores[np.argsort(ranking)]
        defined = ordered[~np.isnan(ordered)]
        assert np.isnan(ordered[defined.size :]).all()
        assert (np.diff(defined) <= 0).all() if larger else (np.diff(defined) >= 0).all()

    @given(scores_with_ties, st.booleans())
    def test_the_features_in_order(self, scores, larger):
        ranking = rank_features(scores, larger_is_better=larger)
        np.testing.assert_array_equal(in_order(ranking), np.argsort(ranking))

    @given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.booleans())
    def test_chains_of_ties_are_sorted_by_column_and_nothing_else_is(self, steps, larger):
        """As if all scores were sorted by their group of ties and then by column."""
        scores = 1.0 + 40 * np.finfo(float).eps * np.array(steps)
        order = np.argsort(-scores if larger else scores, kind="stable")
        gaps = np.abs(np.diff(scores[order])) > 64 * 2.0**-52 * np.maximum(scores[order[:-1]], scores[order[1:]])
        order = order[np.lexsort((order, np.append(0, np.cumsum(gaps))))]
        np.testing.assert_array_equal(in_order(rank_features(scores, larger_is_better=larger)), order)

    def test_ties_by_column(self):
        np.testing.assert_array_equal(rank_features(np.array([1.0, np.nan, 2, 1, np.nan])), [2, 4, 1, 3, 5])

    @pytest.mark.parametrize("larger", [True, False])
    @pytest.mark.parametrize("size", [1e-300, 1e-20, 1.0, 1e300])
    def test_scores_equal_up_to_rounding_tie_by_column(self, larger, size):
        last_bits = size * (1 + np.array([3, -2, 0, 5, -4]) * np.finfo(float).eps)
        np.testing.assert_array_equal(rank_features(last_bits, larger_is_better=larger), [1, 2, 3, 4, 5])

    def test_a_chain_of_close_scores_ties_as_a_whole(self):
        step = 50 * np.finfo(float).eps
        chain = 1 + step * np.arange(6)
        np.testing.assert_array_equal(rank_features(chain), [1, 2, 3, 4, 5, 6])
        np.testing.assert_array_equal(rank_features(np.delete(chain, [2, 3])), [3, 4, 1, 2])  # a gap of 150 eps

    def test_digits_beyond_rounding_decide_however_small_the_scores(self):
        scores = 1e-200 * (1 + np.array([0.0, 2e-14, 1e-13]))
        np.testing.assert_array_equal(rank_features(scores), [3, 2, 1])

    def test_infinite_scores_tie_with_one_another_only(self):
        scores = np.array([1e308, np.inf, -np.inf, np.inf, np.nan])
        np.testing.assert_array_equal(rank_features(scores), [3, 1, 4, 2, 5])

    def test_a_method_that_loses_more_says_how_much(self):
        scores = np.array([0.5, 0.5 + 1e-9, 0.7])
        np.testing.assert_array_equal(rank_features(scores, tolerance=np.full(3, 1e-8)), [2, 3, 1])
        np.testing.assert_array_equal(rank_features(scores, tolerance=np.array([0, 1e-8, 0])), [2, 3, 1])
