"""p-values of draws: the stopping rule, validity, and tails that are too heavy rather than too light."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from eigenselect.inference import deep_tail
from eigenselect.inference.deep_tail import sequential_pvalue, smallest_pvalue, tail_pvalue


def draws_of(values):
    return lambda first, count: values[first : first + count]


@pytest.mark.parametrize("block", [(1, 1), (3, 7), (1024, 65536)])
def test_it_stops_at_the_last_wanted_exceedance(block, monkeypatch):
    monkeypatch.setattr(deep_tail, "BLOCK_DRAWS", block)
    values = np.full(500, -1.0)
    values[[4, 10, 37, 300]] = [0.0, 1.0, 0.0, 2.0]
    assert sequential_pvalue(draws_of(values), 3, 500) == 3 / 38
    assert sequential_pvalue(draws_of(values), 4, 500) == 4 / 301


def test_no_more_draws_than_allowed_are_asked_for():
    asked = []

    def statistics(first, count):
        asked.append((first, count))
        return np.full(count, -1.0)

    assert sequential_pvalue(statistics, 100, 5000) == 1 / 5001
    assert sum(count for _, count in asked) == 5000
    assert [first for first, _ in asked] == list(np.cumsum([0, *(count for _, count in asked)])[:-1])


def test_pvalues_of_noise_are_valid():
    """The observed is one more draw: P(p ≤ α) ≤ α for every α, to a one-sided band."""
    rng, n_tables = np.random.default_rng(7), 4000
    found = np.array(
        [sequential_pvalue(draws_of(rng.normal(size=200) - rng.normal()), 10, 200) for _ in range(n_tables)]
    )
    for alpha in (0.005, 0.01, 0.05, 0.2):
        assert (found <= alpha).sum() <= stats.binom.ppf(1 - 1e-4, n_tables, alpha)
    assert abs(found.mean() - 0.5) < 0.03  # nor is it far from uniform


@pytest.mark.parametrize(
    "null", [stats.expon(), stats.norm(), stats.lognorm(0.6), stats.gamma(0.5)], ids=["exp", "norm", "lognorm", "gamma"]
)
@pytest.mark.parametrize("depth", [1e-5, 1e-6])
def test_tails_are_not_too_light(null, depth):
    """10 000 draws, a tenth and a hundredth of what they reach."""
    estimates = []
    for seed in range(40):
        values = np.sort(null.rvs(10_000, random_state=seed)) - null.isf(depth)
        estimates.append(tail_pvalue(values[-deep_tail.TAIL_DRAWS - 1 :], 10_000))
    assert np.median(estimates) > depth
    assert np.quantile(estimates, 0.1) > depth / 2
    assert np.median(estimates) < 1e-4


def test_tails_fall_with_the_distance():
    largest = np.sort(np.random.default_rng(0).exponential(size=10_000))[-101:]
    estimates = [tail_pvalue(largest - beyond, 10_000) for beyond in (10.0, 15.0, 30.0, 1000.0)]
    assert all(a > b > 0 for a, b in pairwise(estimates))


def test_there_is_no_tail_of_few_draws_atoms_or_beyond_the_observed():
    assert tail_pvalue(np.full(50, -1.0), 50) == 1.0
    assert tail_pvalue(np.full(101, -1.0), 1000) == 1.0
    assert tail_pvalue(np.linspace(1.0, 2.0, 101), 1000) == 1.0


@pytest.mark.parametrize("count", [1, 3, 9])
def test_some_exceedances_are_counted_whatever_the_tail_says(count):
    """The smaller of two estimates would be too small."""
    values = np.random.default_rng(3).normal(size=20_000) - 40.0
    values[np.arange(count) * 700] = 0.5
    assert sequential_pvalue(draws_of(values), 100, 20_000) == (count + 1) / 20_001


def test_no_exceedance_leaves_the_tail_but_never_more_than_one_draw():
    values = np.random.default_rng(3).normal(size=20_000)
    just_beyond, far_beyond = (
        sequential_pvalue(draws_of(values - values.max() - gap), 100, 20_000) for gap in (1e-9, 2.0)
    )
    assert 0 < far_beyond < just_beyond <= 1 / 20_001


def test_the_smallest_pvalue_is_one_arrangement():
    assert smallest_pvalue(np.array([397.0, 3.0])) == pytest.approx(6 / (400 * 399 * 398))
    assert smallest_pvalue(np.ones(5)) == pytest.approx(1 / 120)
