"""Random landings: uniform over all places, each draw a permutation, its statistic the quadratic form."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from eigenselect.inference import landing_numpy
from eigenselect.inference.landing import TIED
from landing_cases import KINDS, form, landing


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("background", [0.0, 0.4])
def test_a_statistic_is_the_form_of_the_permuted_feature(kind, background):
    case, A = landing(kind, background=background), form(kind).to_array()
    places = landing_numpy.places(case.seed, np.arange(7, 27), case.values.size, 30)
    found = landing_numpy.statistics(case, 7, 20)
    for place, statistic in zip(places, found, strict=True):
        f = np.full(30, background)
        f[place] += case.values
        size = np.abs(f) @ np.abs(A) @ np.abs(f)
        assert statistic == pytest.approx(f @ A @ f - 0.3, abs=100 * TIED * size)


def test_a_draw_does_not_depend_on_the_draws_beside_it(monkeypatch):
    case = landing("all")
    together = landing_numpy.statistics(case, 0, 50)
    monkeypatch.setattr(landing_numpy, "BLOCK", 30 * 7)
    np.testing.assert_allclose(landing_numpy.statistics(case, 0, 50), together, rtol=1e-12)
    np.testing.assert_allclose(landing_numpy.statistics(case, 33, 5), together[33:38], rtol=1e-12)


def test_every_order_of_the_places_is_equally_likely():
    drawn = landing_numpy.places(11, np.arange(60_000), 3, 5)
    assert (np.sort(drawn, axis=1)[:, 1:] > np.sort(drawn, axis=1)[:, :-1]).all()
    counts = np.bincount(drawn @ [25, 5, 1], minlength=125)
    assert (counts > 0).sum() == 60
    assert stats.chisquare(counts[counts > 0]).pvalue > 1e-4


def test_seeds_and_draws_give_different_landings():
    first, second = (landing_numpy.places(seed, np.arange(200), 8, 400) for seed in (0, 1))
    assert len(np.unique(np.vstack([first, second]), axis=0)) == 400


def test_what_is_equal_but_for_rounding_is_not_below_zero():
    """A form of the sum of the values: every permutation is as good as the observed one."""
    case = landing("low rank", background=0.0)
    same = case.values.sum() ** 2 * 0.01 * 4.0
    flat = replace(case, V=np.full((30, 2), 0.1), C=np.array([[1.0, 0.5], [0.5, 2.0]]), constant=-same)
    found = landing_numpy.statistics(flat, 0, 300)
    assert (found >= 0.0).all()
    assert (found < 1e-8 * abs(same)).all()
