"""Tails of the Pearson type III distribution, and p-values of draws: valid, and never too light."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, special, stats

from eigenselect.inference import deep_tail
from eigenselect.inference.deep_tail import sequential_pvalue, smallest_pvalue, tail_pvalue
from eigenselect.inference.tails import _nearly_normal, careful_tail, upper_tail

T = np.array([-6.0, -2.5, -1.0, -0.1, 0.0, 0.3, 1.0, 2.5, 5.0, 9.0, 20.0])


def test_against_scipy():
    for skewness in (-3.0, -1.0, -0.3, -0.01, 0.02, 0.3, 1.0, 2.0, 5.0):
        expected = stats.pearson3.sf(T, skewness)
        np.testing.assert_allclose(upper_tail(T, np.full(T.size, skewness)), expected, rtol=1e-7, atol=1e-250)
    np.testing.assert_allclose(upper_tail(T, np.zeros(T.size)), special.ndtr(-T), rtol=1e-13)
    for skewness in (0.0, 1e-5, 0.4, 2.0):
        both = upper_tail(T, np.full(T.size, skewness)) + upper_tail(-T, np.full(T.size, -skewness))
        np.testing.assert_allclose(both, 1.0, rtol=1e-12)


def test_moments_of_the_distribution():
    """The tail integrates to mean 0, variance 1 and the asked skewness."""
    grid = np.linspace(-40, 60, 400_001)
    for skewness in (-0.5, 1.5):
        tail = upper_tail(grid, np.full(grid.size, skewness))
        for power, expected in ((1, 0.0), (2, 1.0), (3, skewness)):
            moment = grid[0] ** power + integrate.simpson(power * grid ** (power - 1) * tail, x=grid)
            assert moment == pytest.approx(expected, abs=1e-6)


def integrated(t, skewness):
    """The tail by quadrature of the density, relative to its value at t; its logarithm without cancellation."""
    shape = 4.0 / skewness**2

    def logarithm(s):
        u = 0.5 * skewness * s
        series = np.sum([(-1) ** (j + 1) * u**j / j for j in range(2, 25)], axis=0)
        stirling = 1 / (12 * shape) - 1 / (360 * shape**3)
        return shape * series - np.log1p(u) - 0.5 * np.log(2 * np.pi) - stirling

    relative = integrate.quad(lambda s: np.exp(logarithm(s) - logarithm(t)), t, t + 40 / max(t, 1), epsrel=1e-12)[0]
    return relative * np.exp(logarithm(t))


def test_deep_tails_of_small_skewness():
    """Both formulas on both sides of the border between them; the skewness counts far out, however small."""
    for skewness in (-0.02, -0.0051, -0.0049, -1e-3, 1e-3, 0.0049, 0.0051, 0.02):
        for t in (1.0, 3.0, 5.0, 8.0, 15.0):
            tail = upper_tail(np.array([t]), np.array([skewness]))[0]
            assert tail == pytest.approx(integrated(t, skewness), rel=1e-11)
        assert abs(tail / special.ndtr(-t) - 1) > 0.4


def test_what_the_expansion_leaves_out_is_of_the_next_order():
    """Far beyond where it is used, it is off by its third term, about 25 / 6048 γ⁵ / 32 of the density."""
    t = np.array([1.0, 2.0, 3.0, 4.0])
    for skewness in (-0.2, -0.1, 0.1, 0.2):
        error = _nearly_normal(t, np.full(4, skewness)) - upper_tail(t, np.full(4, skewness))
        assert (np.abs(error) < 1.6 * 25 / 6048 * abs(skewness) ** 5 / 32 * stats.norm.pdf(t)).all()


def test_beyond_the_end():
    np.testing.assert_array_equal(upper_tail(np.array([2.0, -2.0]), np.array([-1.5, 1.5])), [0.0, 1.0])
    assert np.isnan(careful_tail(np.array([np.nan, 1.0]), np.array([-1.0, np.nan]))).all()
    far = careful_tail(np.full(3, 1e160), np.array([-1e-320, -1e-3, -1.0]))
    np.testing.assert_array_equal(far, 0.0)


def test_the_careful_tail_is_type_iii_to_half_of_its_end_and_then_falls_as_a_normal_one():
    for skewness in (-4.0, -1.0, -0.3, -0.003, 0.0, 2.0):
        t = T[1.0 / abs(skewness) >= T] if skewness < 0 else T
        gamma = np.full(t.size, skewness)
        np.testing.assert_array_equal(careful_tail(t, gamma), upper_tail(t, gamma))
    for skewness in (-4.0, -1.0, -0.3):
        t = 1.0 / abs(skewness) + np.array([0.0, 1e-9, 0.2, 1.0, 3.0, 30.0])
        tail = careful_tail(t, np.full(t.size, skewness))
        np.testing.assert_allclose(tail / special.ndtr(-t), tail[0] / special.ndtr(-t[0]), rtol=1e-9)
        assert tail[1] == pytest.approx(tail[0], rel=1e-7)
        assert (np.diff(tail) < 0).all()
        assert (tail >= (1 - 1e-7) * upper_tail(t, np.full(t.size, skewness))).all()


def draws_of(values):
    return lambda first, count: values[first : first + count]


def test_it_stops_at_the_last_wanted_exceedance(monkeypatch):
    values = np.full(500, -1.0)
    values[[4, 10, 37, 300]] = [0.0, 1.0, 0.0, 2.0]
    for block in ((1, 1), (3, 7), (1024, 65536)):
        monkeypatch.setattr(deep_tail, "BLOCK_DRAWS", block)
        assert sequential_pvalue(draws_of(values), 3, 500) == 3 / 38
        assert sequential_pvalue(draws_of(values), 4, 500) == 4 / 301


def test_pvalues_of_noise_are_valid():
    """The observed is one more draw: P(p ≤ α) ≤ α for every α, to a one-sided band."""
    rng, n_tables = np.random.default_rng(7), 4000
    found = np.array(
        [sequential_pvalue(draws_of(rng.normal(size=200) - rng.normal()), 10, 200) for _ in range(n_tables)]
    )
    for alpha in (0.005, 0.01, 0.05, 0.2):
        assert (found <= alpha).sum() <= stats.binom.ppf(1 - 1e-4, n_tables, alpha)
    assert abs(found.mean() - 0.5) < 0.03  # nor is it far from uniform


def test_tails_are_not_too_light():
    """10 000 draws, a tenth and a hundredth of what they reach."""
    for null in (stats.expon(), stats.norm(), stats.lognorm(0.6), stats.gamma(0.5)):
        for depth in (1e-5, 1e-6):
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


def test_some_exceedances_are_counted_whatever_the_tail_says():
    """The smaller of two estimates would be too small."""
    for count in (1, 3, 9):
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
