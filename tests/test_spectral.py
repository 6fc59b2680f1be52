"""Functions of eigenvalues: how they are given, their series, heat and CAR."""

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from eigenselect.spectral import (
    CAR,
    CHEBYSHEV_TOLERANCE,
    Custom,
    Heat,
    Power,
    as_spectral_function,
    chebyshev_series,
    check_spectral_function,
)


def test_shorthands():
    words = {"identity": Power(1), 3: Power(3), 2.5: Power(2.5), np.int64(4): Power(4), "heat": Heat(1.0)}
    for given, expected in (words | {"car": CAR(0.9), Heat(0.5): Heat(0.5)}).items():
        assert as_spectral_function(given) == expected


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        ("cubic", ValueError, "cubic"),
        (0, ValueError, "positive.*0"),
        (-2, ValueError, "positive.*-2"),
        (True, TypeError, "bool"),
        (None, TypeError, "NoneType"),
        (lambda r: 1.0, ValueError, "same shape"),
        (lambda r: np.log(r), ValueError, "finite"),
        (1100, ValueError, "at most 1000.*1100"),
    ],
)
def test_bad_functions_are_named(bad, error, says):
    with pytest.raises(error, match=f"(?s)spectral_function.*{says}"):
        as_spectral_function(bad)


@pytest.mark.parametrize("function", [np.exp, np.sqrt, lambda r: r**2.5, lambda r: np.tanh(20 * (r - 1))])
def test_the_reported_error_bounds_the_error_everywhere(function, rng):
    for interval in ((0.0, 2.0), (0.0, 40.0)):
        series = chebyshev_series(function, interval)
        points = rng.uniform(*interval, size=5000)
        unit = 2 * (points - interval[0]) / (interval[1] - interval[0]) - 1
        error = np.abs(chebyshev.chebval(unit, series.coefficients) - function(points)).max()
        assert error <= 1.5 * series.error + 1e-14 * function(interval[1])
        assert series.converged == (series.error <= CHEBYSHEV_TOLERANCE * np.ptp(function(np.array(interval))))


def test_smooth_functions_need_few_terms():
    series = chebyshev_series(np.exp, (0.0, 2.0))
    assert series.converged
    assert len(series.coefficients) <= 16


def test_a_falling_function_is_questioned_but_used():
    with pytest.warns(UserWarning, match="SPEC: spectral_function decreases"):
        check_spectral_function(lambda r: np.exp(-r), "SPEC")
    gamma = as_spectral_function(lambda r: np.exp(-r))
    assert gamma(np.array([1.0]))[0] == pytest.approx(np.exp(-1))


def test_non_integer_powers_accept_rounding_below_zero():
    assert Power(0.5)(np.array([-1e-17]))[0] == 0.0
    assert Custom(np.exp)(np.array([0.0]))[0] == 1.0


@pytest.mark.parametrize("gamma", [Heat(0.1), Heat(30.0), CAR(0.05), CAR(0.99)], ids=str)
def test_heat_and_car_rise_from_zero_and_stay_below_one(gamma):
    """A series reaches them, and tiny eigenvalues keep their digits."""
    values = gamma(np.linspace(0.0, 2.0, 201))
    assert values[0] == 0.0
    assert (np.diff(values) >= 0).all()
    assert (np.diff(values)[:50] > 0).all()
    assert values[-1] <= 1.0
    assert chebyshev_series(gamma, (0.0, 2.0)).converged
    slope = gamma.time if isinstance(gamma, Heat) else gamma.rho / (1 - gamma.rho)
    np.testing.assert_allclose(gamma(np.array([1e-20, 1e-300])) / slope, [1e-20, 1e-300], rtol=1e-12)


def test_heat_and_car_are_kernels_of_the_walk():
    r = np.linspace(0.0, 2.0, 9)
    np.testing.assert_allclose(1 - Heat(2.5)(r), np.exp(-2.5 * r), rtol=1e-14)
    np.testing.assert_allclose(1 - CAR(0.7)(r), 0.3 / (1 - 0.7 * (1 - r)), rtol=1e-14)


def test_car_has_no_pole_below_zero():
    """Of a graph with negative weights, eigenvalues may be there."""
    np.testing.assert_array_equal(CAR(0.9)(np.array([-1 / 9, -5.0])), 0.0)


def test_strengths_out_of_range_are_refused():
    for rho in (0, 1, -0.5, 1.5, np.nan):
        with pytest.raises(ValueError, match=f"spectral_function: CAR.* {rho}"):
            CAR(rho)
