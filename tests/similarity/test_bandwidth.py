"""Bandwidths: the median of the distances, one per sample, or a number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eigenselect.similarity import RBF
from eigenselect.similarity.bandwidth import (
    bandwidth_in_unit,
    median_bandwidth,
    positive_scales,
    rbf_weights,
)


def test_the_median_of_an_even_number_of_distances_is_the_mean_of_two():
    """Of the distances 1, 2, 3, 7, 9, 10: not √((3² + 7²)/2)."""
    graph = RBF().build(np.array([[0.0], [1], [3], [10]]))
    assert graph.description["bandwidth_used"] == pytest.approx(5.0, rel=1e-12)


def test_mostly_duplicated_samples_still_have_a_bandwidth(rng):
    X = np.zeros((30, 2))
    X[0] = [3.0, 4.0]
    assert RBF().build(X).description["bandwidth_used"] == pytest.approx(5.0)
    np.testing.assert_array_equal(RBF().build(np.zeros((5, 2))).to_array(), 1.0)
    assert np.isfinite(RBF("self-tuning").build(X).to_array()).all()


@pytest.mark.parametrize(("bandwidth", "expected"), [(1e300, 1.0), (1e-200, 0.0)])
def test_extreme_bandwidths_have_their_limits(rng, bandwidth, expected):
    X = rng.normal(size=(20, 3))
    weights = RBF(bandwidth).build(X).to_array()[np.triu_indices(20, 1)]
    np.testing.assert_array_equal(weights, expected)


@given(hnp.arrays(float, st.integers(1, 30), elements=st.floats(1e-3, 1e3)))
def test_the_median_of_distances_not_of_their_squares(distances):
    assert median_bandwidth(distances**2) == pytest.approx(np.median(distances), rel=1e-9)


def test_zeros_count_until_they_are_the_median():
    assert median_bandwidth(np.array([0.0, 0, 1, 4, 9])) == 1.0
    assert median_bandwidth(np.array([0.0, 0, 0, 4, 16])) == 3.0  # of 2 and 4
    assert median_bandwidth(np.zeros(4)) == median_bandwidth(np.empty(0)) == 1.0


def test_scales_of_duplicates_are_the_median_of_the_others():
    np.testing.assert_array_equal(positive_scales(np.array([0.0, 1, 3, 0, 8])), [3, 1, 3, 3, 8])
    np.testing.assert_array_equal(positive_scales(np.zeros(3)), 1)


def test_weights_with_one_bandwidth_and_with_two(rng):
    squared = rng.exponential(size=10)
    np.testing.assert_allclose(rbf_weights(squared, 1.5), np.exp(-squared / 4.5), rtol=1e-14)
    np.testing.assert_allclose(rbf_weights(squared, 0.5, 3.0), np.exp(-squared / 3), rtol=1e-14)


def test_bandwidths_whose_square_is_no_number(rng):
    squared = rng.exponential(size=5)
    for unit in (1e-90, 1e90):
        expected = rbf_weights(squared, 2.0)
        np.testing.assert_allclose(rbf_weights(squared * unit * unit, 2.0 * unit), expected, rtol=1e-12)
    np.testing.assert_array_equal(rbf_weights(squared, 1e200), 1.0)
    np.testing.assert_array_equal(rbf_weights(squared, 1e-200), 0.0)


def test_the_bandwidth_in_the_unit_of_the_graph(rng):
    X = rng.normal(size=(12, 3))
    ordinary, huge = RBF().build(X), RBF().build(np.ldexp(X, 600))
    assert bandwidth_in_unit(ordinary) == ordinary.description["bandwidth_used"]
    unit = huge.description["unit_exponent"]
    assert np.ldexp(bandwidth_in_unit(huge), unit) == pytest.approx(huge.description["bandwidth_used"], rel=1e-12)
    assert bandwidth_in_unit(RBF("self-tuning").build(X)) is None
