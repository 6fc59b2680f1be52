"""From p-values to discoveries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import cauchy

from eigenselect.inference import benjamini_hochberg, cauchy_combination

PVALUES = st.lists(st.one_of(st.floats(0, 1), st.just(np.nan)), min_size=1, max_size=20)


@given(PVALUES, st.floats(0.001, 0.999))
def test_q_at_most_alpha_is_the_step_up_rule(values, alpha):
    """The rule by its own words: keep the i smallest, for the largest i with p_(i) ≤ alpha i / m."""
    p = np.array(values)
    q = benjamini_hochberg(p)
    defined = np.sort(p[~np.isnan(p)])
    passing = np.flatnonzero(defined <= alpha * np.arange(1, defined.size + 1) / defined.size)
    limit = defined[passing[-1]] if passing.size else -1.0
    close = np.abs(q - alpha) < 1e-9  # rounding may decide there
    np.testing.assert_array_equal((q <= alpha)[~close], (p <= limit)[~close])
    np.testing.assert_array_equal(np.isnan(q), np.isnan(p))


def test_undefined_values_do_not_count_as_tests():
    p = np.array([0.01, 0.04, 0.2])
    with_nan = np.array([np.nan, 0.01, np.nan, 0.04, 0.2, np.nan])
    np.testing.assert_array_equal(benjamini_hochberg(with_nan)[[1, 3, 4]], benjamini_hochberg(p))
    assert np.isnan(benjamini_hochberg(np.full(3, np.nan))).all()


@given(st.lists(st.floats(1e-12, 0.99), min_size=1, max_size=8))
def test_cauchy_is_the_tail_of_the_mean_of_cauchy_variables(values):
    combined = cauchy_combination(np.array(values)[:, None])
    expected = cauchy.sf(np.mean(cauchy.isf(values)))
    np.testing.assert_allclose(combined, expected, rtol=1e-6)


def test_cauchy_of_one_value_is_that_value_however_small():
    p = np.array([1e-300, 1e-17, 1e-5, 0.3, 0.7])
    np.testing.assert_allclose(cauchy_combination(p[None]), p, rtol=1e-12)
    np.testing.assert_allclose(cauchy_combination(np.stack([p, p, p])), p, rtol=1e-12)


def test_cauchy_leaves_undefined_values_out_and_clips_ones():
    values = np.array([[0.01, np.nan, 1.0], [np.nan, np.nan, 0.001]])
    combined = cauchy_combination(values)
    assert combined[0] == pytest.approx(0.01)
    assert np.isnan(combined[1])
    assert 0.001 < combined[2] < 0.01  # one p = 1 alone would be minus infinity
