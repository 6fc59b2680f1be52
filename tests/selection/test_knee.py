"""Where a falling curve of scores turns."""

import numpy as np
import pytest

from eigenselect.selection import knee


@pytest.mark.parametrize("good", [1, 3, 8, 15])
def test_a_step_is_cut_at_the_step(good, rng):
    scores = rng.permutation(np.r_[np.full(good, 0.9), np.full(20 - good, 0.1)])
    assert knee(scores) == good


def test_an_elbow_with_noise(rng):
    scores = np.r_[np.linspace(1, 0.8, 6), np.linspace(0.2, 0.1, 94)] + rng.normal(size=100) * 0.001
    assert knee(scores) == 6


@pytest.mark.parametrize(
    ("scores", "expected"), [([1.0], 1), ([2.0, 1.0], 1), ([1.0, 1.0, 1.0], 3), ([np.nan, 1.0], 1), ([np.nan], 0)]
)
def test_small_cases(scores, expected):
    assert knee(np.array(scores)) == expected


def test_infinite_scores_are_the_limit_of_large_ones(rng):
    for count in range(1, 12):
        finite = rng.random(20)
        limit = np.r_[np.full(count, np.inf), finite]
        assert knee(limit) == knee(np.where(np.isinf(limit), 1e15, limit)) == count
        assert knee(-limit) == knee(np.where(np.isinf(limit), -1e15, -limit)) == 20
    assert knee(np.full(4, np.inf)) == 4
    assert knee(np.array([np.inf, np.nan, 1.0, -np.inf])) == 1


def test_scale_and_shift_do_not_matter(rng):
    scores = rng.exponential(size=50)
    assert knee(scores) == knee(1e9 * scores - 5e8)
