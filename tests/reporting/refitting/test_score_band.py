"""The band of scores that permuted data give."""

from __future__ import annotations

import numpy as np
import pytest

from eigenselect.reporting.refitting.refits import NotMeasuredError
from eigenselect.reporting.refitting.score_band import band_view, falling, shown_ranks


def test_lowest_middle_and_highest_at_every_rank(rng):
    real, permuted = rng.normal(size=50), rng.normal(size=(5, 50))
    band = band_view(real, list(permuted), "the labels")
    for place, rank in enumerate(band["rank"]):
        at_rank = sorted(sorted(scores, reverse=True)[rank - 1] for scores in permuted)
        assert (band["low"][place], band["middle"][place], band["high"][place]) == (at_rank[0], at_rank[2], at_rank[4])
    assert band["n_above"] == sum(score > permuted.max() for score in real)
    assert band["n_permutations"] == 5


def test_undefined_scores_shorten_it():
    band = band_view(np.arange(4.0), [np.array([1.0, np.nan, 3.0, np.nan]), np.arange(4.0)], "the labels")
    assert band["rank"] == [1, 2]
    assert band["high"] == [3.0, 2.0]
    assert band["n_above"] == 0


def test_a_rounding_error_is_not_above():
    band = band_view(np.array([1 + 1e-9, 0.5]), [np.array([1.0, 0.2])], "the labels")
    assert band["n_above"] == 0


@pytest.mark.parametrize("count", [1, 30, 120, 121, 5000, 100_000])
def test_ranks_begin_with_all_and_end_with_the_last(count):
    ranks = shown_ranks(count)
    assert ranks[-1] == count
    assert ranks.size <= 120
    np.testing.assert_array_equal(ranks[:30], np.arange(1, min(count, 30) + 1))
    assert (np.diff(ranks) > 0).all()
    if count > 120:
        assert (ranks[31:] / ranks[30:-1]).max() < 1.2


def test_scores_that_do_not_change_are_no_null():
    scores = np.array([3.0, 1.0, 2.0])
    with pytest.raises(NotMeasuredError, match="does not change the scores"):
        band_view(scores, [scores[::-1]], "the values of every feature by itself")


def test_no_score_is_no_band():
    with pytest.raises(NotMeasuredError, match="leaves no feature with a score"):
        band_view(np.ones(2), [np.full(2, np.nan)], "the labels")


def test_falling_leaves_out_what_is_no_number():
    np.testing.assert_array_equal(falling(np.array([1.0, np.nan, 3.0, -np.inf, 2.0])), [3, 2, 1])
