"""Bandwidths: the median of the distances, one per sample, or a number."""

import numpy as np
import pytest

from eigenselect.similarity import RBF


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
