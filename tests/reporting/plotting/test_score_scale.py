"""The axis of scores: plain numbers, or symmetric logarithms where one score would hide the others."""

import numpy as np
import pytest

from eigenselect.reporting.plotting.score_scale import ScoreScale, readable_scale

HIDDEN = np.array([5000.0, 8.0, 5.0, 2.0, -3.0])
BELOW = np.array([3.0, 1.0, -0.5, -40.0])


@pytest.mark.parametrize("scores", [np.array([3.0, 2.0, 1.0]), np.array([1.0, -2.0]), np.zeros(3), np.array([-1.0])])
def test_numbers_that_can_be_read_stay(scores):
    scale = readable_scale(scores)
    assert scale.unit is None
    assert scale.ticks() == []
    assert (scale.low, scale.high) == (min(0, *scores), max(0, *scores))
    np.testing.assert_array_equal(scale.place(scores), scores)
    np.testing.assert_array_equal(scale.value(scores), scores)


def test_the_middle_one_decides_what_is_far():
    assert readable_scale(np.array([101.0, 1.0, 1.0])).unit is not None
    assert readable_scale(np.array([100.0, 1.0, 1.0])).unit is None


def test_only_leading_ones_hide_others():
    late = np.append(np.linspace(2, 1, 30), np.full(1000, 1e-9))
    assert readable_scale(late).unit is None


@pytest.mark.parametrize("scores", [HIDDEN, BELOW])
def test_logarithms_can_be_undone_and_keep_the_order(scores):
    scale = readable_scale(scores)
    places = scale.place(scores)
    assert (np.diff(places) < 0).all()
    np.testing.assert_allclose(scale.value(places), scores, rtol=1e-12)
    np.testing.assert_allclose(places, np.sign(scores) * np.log10(1 + np.abs(scores) / scale.unit))
    assert scale.place(0.0) == 0


def test_small_scores_beside_a_large_one_keep_room():
    scale = readable_scale(HIDDEN)
    gap = (scale.place(8.0) - scale.place(2.0)) / (scale.place(scale.high) - scale.place(scale.low))
    assert gap > 0.1 > (8 - 2) / 5003


@pytest.mark.parametrize("largest", [1e3, 1e9, 1e200])
def test_ticks_are_zero_and_powers_of_ten_on_the_axis(largest):
    scale = readable_scale(np.array([largest, 1.0, 0.5, -0.1 * largest]))
    ticks = scale.ticks()
    assert 0.0 in ticks
    assert 3 <= len(ticks) <= 8
    assert all(scale.low <= tick <= scale.high for tick in ticks)
    powers = np.log10(np.abs([tick for tick in ticks if tick]))
    np.testing.assert_allclose(powers, np.round(powers), atol=1e-9)
    assert scale.unit >= largest / 1e7


def test_far_outside_is_no_warning():
    assert ScoreScale(0.0, 1.0, 1.0).value(1e4) == np.inf
