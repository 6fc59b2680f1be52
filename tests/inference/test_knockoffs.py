"""Decisions by competition, held against the rules by their own words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenselect.inference.knockoffs import contest, ebh_qvalues, knockoff_evalues, knockoff_qvalues

LEADS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.5, np.nan])), min_size=1, max_size=14)


def threshold(wins, leads, n_copies, level):
    """The smallest t > 0 at which the estimate is at most the level; infinite if there is none."""
    for t in sorted(set(leads[leads > 0])):
        won, lost = (wins & (leads >= t)).sum(), (~wins & (leads >= t)).sum()
        if (1 + lost) / n_copies <= level * won:
            return t
    return np.inf


@given(LEADS, st.integers(1, 3))
def test_a_q_value_is_the_smallest_level_that_keeps(pairs, n_copies):
    wins, leads = (np.array(values) for values in zip(*pairs, strict=True))
    found = knockoff_qvalues(wins, leads, n_copies)
    levels = {(1 + lost) / n_copies / won for lost in range(15) for won in range(1, 15)}
    levels = sorted(level for level in levels if level < 1)
    for place in range(leads.size):
        if np.isnan(leads[place]):
            assert np.isnan(found[place])
            continue
        kept = [q for q in levels if wins[place] and leads[place] >= threshold(wins, leads, n_copies, q + 1e-12)]
        assert found[place] == pytest.approx(min(kept, default=1.0))


def test_at_least_one_over_q_features_are_kept_or_none():
    """Twenty wins and no loss: 1/20 is the smallest level."""
    found = knockoff_qvalues(np.ones(20, dtype=bool), np.arange(1.0, 21))
    np.testing.assert_allclose(found, 1 / 20)


@given(LEADS, st.integers(1, 3), st.sampled_from([0.1, 0.3, 0.5, 1.0]))
def test_e_values_are_those_of_the_rule(pairs, n_copies, level):
    wins, leads = (np.array(values) for values in zip(*pairs, strict=True))
    found = knockoff_evalues(wins, leads, n_copies, level)
    t = threshold(wins, leads, n_copies, level)
    lost = (~wins & (leads >= t)).sum()
    expected = np.where(wins & (leads >= t), (~np.isnan(leads)).sum() * n_copies / (1 + lost), 0.0)
    np.testing.assert_allclose(found, np.where(np.isnan(leads), np.nan, expected))


@pytest.mark.parametrize("n_copies", [1, 3])
def test_e_values_of_noise_have_a_mean_of_at_most_one(n_copies, rng):
    sums = []
    for _ in range(3000):
        wins, leads = contest(rng.normal(size=(1 + n_copies, 30)))
        sums.append(knockoff_evalues(wins, leads, n_copies, 0.5).mean())
    assert np.mean(sums) <= 1 + 4 * np.std(sums) / np.sqrt(len(sums))
    assert np.mean(sums) > 0.1


@given(st.lists(st.sampled_from([0.0, 0.5, 2.0, 10.0, 40.0, np.nan]), min_size=1, max_size=15))
def test_e_values_are_adjusted_by_the_step_up_rule(values):
    e = np.array(values)
    found = ebh_qvalues(e)
    m = (~np.isnan(e)).sum()
    for level in (0.03, 0.11, 0.27, 0.53, 0.97):
        kept = [k for k in range(1, m + 1) if np.sort(e[~np.isnan(e)])[::-1][k - 1] * level * k >= m]
        limit = np.sort(e[~np.isnan(e)])[::-1][kept[-1] - 1] if kept else np.inf
        np.testing.assert_array_equal(found <= level, e >= limit)


def test_a_contest_is_won_by_the_best():
    scores = np.array([[3.0, 1, 2, 2, np.nan], [1.0, 4, 2, 1.9, 1], [2.0, 2, 0, 0, 1]])
    wins, leads = contest(scores)
    np.testing.assert_array_equal(wins[[0, 1, 3]], [True, False, True])
    np.testing.assert_allclose(leads, [1.5, 2.5, 0, 1.05, np.nan])
    np.testing.assert_allclose(contest(scores, np.full(scores.shape, 0.2))[1], [1.5, 2.5, 0, 0, np.nan])


def test_swapping_features_with_copies_turns_the_contest_around(rng):
    scores = rng.normal(size=(2, 40))
    (wins, leads), (others, same) = contest(scores), contest(scores[::-1])
    np.testing.assert_array_equal(wins, ~others)
    np.testing.assert_array_equal(leads, same)
