"""What the loops get: the feature split into background and departures, and the cost of a draw."""

import numpy as np
import pytest

from eigenselect.inference.landing import Landing, visits
from landing_cases import KINDS, form


@pytest.mark.parametrize("kind", KINDS)
def test_background_and_departures_are_the_feature(kind):
    A = form(kind)
    f = np.full(30, 0.7)
    f[[3, 8]] += [1.0, -2.0]
    g = f - 0.7
    landing = Landing.of(A, g[[3, 8]], background=0.7, constant=0.25, seed=0)
    whole = g @ A.to_array() @ g + landing.linear @ g + landing.constant
    assert whole == pytest.approx(f @ A.to_array() @ f + 0.25, rel=1e-12)


def test_a_draw_costs_its_values_times_their_neighbours():
    assert visits(5, 100, 1000, False, 3) == 5 * (10 + 3 + 6)
    assert visits(5, 100, 1000, True, 3) == 5 * (5 + 3 + 6)
    assert Landing.of(form("dense"), np.ones(4), background=0.0, constant=0.0, seed=0).visits == 4 * (4 + 6)
