"""Means and shares of groups against naive ones."""

import numpy as np
import pytest
from scipy.stats import zscore
from tests.reporting.views.test_near_copies import fitted_to

from eigenselect.reporting.views.dot_plot import dots_view
from eigenselect.reporting.views.groups import Groups


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def in_groups(codes, names=3):
    return Groups("class", [str(code) for code in range(names)], np.asarray(codes), names)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_means_and_shares(rng, scale):
    X, codes = rng.normal(size=(31, 4)) + 2, rng.integers(0, 3, size=31)
    found = dots_view(fitted_to(X * scale), np.array([3, 0]), in_groups(codes))
    assert (found["features"], found["place"], found["group"]) == (["x3", "x0"], [3, 0], [0, 1, 2])
    z, high = zscore(X)[:, [3, 0]], X[:, [3, 0]] > np.median(X[:, [3, 0]], axis=0)
    for code in range(3):
        np.testing.assert_allclose(found["mean"][code], z[codes == code].mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(found["share"][code], high[codes == code].mean(axis=0))
    assert found["share_of"] == "above the median of all samples"


def test_counts_are_zero_or_not(rng):
    X, codes = rng.poisson(0.7, size=(40, 3)).astype(float), np.arange(40) % 3
    found = dots_view(fitted_to(X), np.arange(3), in_groups(codes))
    assert found["share_of"] == "not zero"
    for code in range(3):
        np.testing.assert_allclose(found["share"][code], (X[codes == code] > 0).mean(axis=0))
    shifted = dots_view(fitted_to(X - 0.1 * (X.max() == X)), np.arange(3), in_groups(codes))
    assert shifted["share_of"] == "not zero"
    assert dots_view(fitted_to(X - 1), np.arange(3), in_groups(codes))["share_of"] != "not zero"


def test_two_groups_need_none(rng):
    assert dots_view(fitted_to(rng.normal(size=(6, 2))), np.arange(2), in_groups([0, 1] * 3, names=2)) is None


def test_empty_groups_and_samples_in_none_are_left_out(rng):
    X, codes = rng.normal(size=(6, 2)), [0, 0, 2, 2, -1, -1]
    found = dots_view(fitted_to(X), np.arange(2), in_groups(codes))
    assert found["group"] == [0, 2]
    np.testing.assert_allclose(found["mean"][1], zscore(X)[2:4].mean(axis=0))


def test_constant_features_have_no_mean():
    X = np.column_stack([np.full(6, 0.1), np.arange(6.0)])
    found = dots_view(fitted_to(X), np.arange(2), in_groups([0, 0, 1, 1, 2, 2]))
    assert np.isnan(np.array(found["mean"])).tolist() == [[True, False]] * 3
