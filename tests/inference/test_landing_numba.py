"""Compiled landings are those of numpy."""

import numpy as np
import pytest

from eigenselect.inference import landing_numba, landing_numpy
from landing_cases import KINDS, landing


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("background", "n_values"), [(0.0, 1), (0.4, 6), (-3.0, 30)])
def test_it_is_numpys(kind, background, n_values):
    case = landing(kind, background=background, n_values=n_values)
    expected = landing_numpy.statistics(case, 5, 200)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(landing_numba.statistics(case, 5, 200), expected, rtol=1e-12, atol=1e-13 * scale)


def test_whole_orders_are_numpys():
    draws = np.array([0, 7, 2**40])
    found = landing_numba.places(11, draws, 30, 30)
    np.testing.assert_array_equal(found, landing_numpy.places(11, draws, 30, 30))
    np.testing.assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(30), (3, 1)))


def test_a_draw_does_not_depend_on_the_draws_before_it():
    case = landing("all")
    together = landing_numba.statistics(case, 0, 100)
    assert (landing_numba.statistics(case, 60, 40) == together[60:]).all()
