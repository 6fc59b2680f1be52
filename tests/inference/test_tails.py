"""Tails of the Pearson type III distribution."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from eigenselect.inference.tails import _nearly_normal, careful_tail, upper_tail

T = np.array([-6.0, -2.5, -1.0, -0.1, 0.0, 0.3, 1.0, 2.5, 5.0, 9.0, 20.0])


@pytest.mark.parametrize("skewness", [-3.0, -1.0, -0.3, -0.01, 0.02, 0.3, 1.0, 2.0, 5.0])
def test_against_scipy(skewness):
    expected = stats.pearson3.sf(T, skewness)
    np.testing.assert_allclose(upper_tail(T, np.full(T.size, skewness)), expected, rtol=1e-7, atol=1e-250)


@pytest.mark.parametrize("skewness", [-0.5, 0.3, 1.5])
def test_moments_of_the_distribution(skewness):
    """The tail integrates to mean 0, variance 1 and the asked skewness."""
    grid = np.linspace(-40, 60, 400_001)
    tail = upper_tail(grid, np.full(grid.size, skewness))
    below = grid[0]
    for power, expected in ((1, 0.0), (2, 1.0), (3, skewness)):
        moment = below**power + integrate.simpson(power * grid ** (power - 1) * tail, x=grid)
        assert moment == pytest.approx(expected, abs=1e-6)


def test_no_skewness_is_normal():
    np.testing.assert_allclose(upper_tail(T, np.zeros(T.size)), special.ndtr(-T), rtol=1e-13)


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


@pytest.mark.parametrize("skewness", [-0.02, -0.0051, -0.0049, -1e-3, 1e-3, 0.0049, 0.0051, 0.02])
def test_deep_tails_of_small_skewness(skewness):
    """Both formulas on both sides of the border between them; the skewness counts far out, however small."""
    for t in (1.0, 3.0, 5.0, 8.0, 15.0):
        tail = upper_tail(np.array([t]), np.array([skewness]))[0]
        assert tail == pytest.approx(integrated(t, skewness), rel=1e-11)
    assert abs(tail / special.ndtr(-t) - 1) > 0.4


@pytest.mark.parametrize("skewness", [-0.2, -0.1, 0.1, 0.2])
def test_what_the_expansion_leaves_out_is_of_the_next_order(skewness):
    """Far beyond where it is used, it is off by its third term, about 25 / 6048 γ⁵ / 32 of the density."""
    t = np.array([1.0, 2.0, 3.0, 4.0])
    error = _nearly_normal(t, np.full(4, skewness)) - upper_tail(t, np.full(4, skewness))
    assert (np.abs(error) < 1.6 * 25 / 6048 * abs(skewness) ** 5 / 32 * stats.norm.pdf(t)).all()


def test_smooth_in_the_skewness():
    """A small skewness changes the normal tail by γ (t² - 1) φ(t) / 6, Edgeworth's first term."""
    skewness = np.array([-1e-4, -1e-6, -1e-9, 1e-12, 1e-7, 1e-4])
    for t in (-2.0, 0.0, 0.5, 3.0):
        expected = special.ndtr(-t) + skewness * (t**2 - 1) * stats.norm.pdf(t) / 6
        np.testing.assert_allclose(upper_tail(np.full(6, t), skewness), expected, atol=2e-9)


def test_lower_tail_is_the_mirrored_upper_one():
    for skewness in (0.0, 1e-5, 0.4, 2.0):
        both = upper_tail(T, np.full(T.size, skewness)) + upper_tail(-T, np.full(T.size, -skewness))
        np.testing.assert_allclose(both, 1.0, rtol=1e-12)


def test_beyond_the_end():
    np.testing.assert_array_equal(upper_tail(np.array([2.0, -2.0]), np.array([-1.5, 1.5])), [0.0, 1.0])


@pytest.mark.parametrize("skewness", [-4.0, -1.0, -0.3, -0.003, 0.0, 0.3, 2.0])
def test_the_careful_tail_is_type_iii_to_half_of_its_end(skewness):
    t = T[1.0 / abs(skewness) >= T] if skewness < 0 else T
    gamma = np.full(t.size, skewness)
    np.testing.assert_array_equal(careful_tail(t, gamma), upper_tail(t, gamma))


@pytest.mark.parametrize("skewness", [-4.0, -1.0, -0.3])
def test_beyond_it_falls_as_a_normal_one(skewness):
    start = 1.0 / abs(skewness)
    t = start + np.array([0.0, 1e-9, 0.2, 1.0, 3.0, 30.0])
    tail = careful_tail(t, np.full(t.size, skewness))
    np.testing.assert_allclose(tail / special.ndtr(-t), tail[0] / special.ndtr(-t[0]), rtol=1e-9)
    assert tail[1] == pytest.approx(tail[0], rel=1e-7)
    assert (np.diff(tail) < 0).all()
    assert (tail >= (1 - 1e-7) * upper_tail(t, np.full(t.size, skewness))).all()
    assert careful_tail(np.array([1e5]), np.array([skewness]))[0] == 0.0


def test_what_is_not_known_stays_unknown():
    assert np.isnan(careful_tail(np.array([np.nan, 1.0]), np.array([-1.0, np.nan]))).all()


@pytest.mark.parametrize("skewness", [-1e-320, -1e-160, -1e-12, -1e-3, -1.0])
def test_however_far_a_tail_is_a_number(skewness):
    far = careful_tail(np.array([1e101, 1e160, 1e200]), np.full(3, skewness))
    np.testing.assert_array_equal(far, 0.0)
