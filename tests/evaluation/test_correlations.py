"""Redundancy of selections, and the correlations that it is made of."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.evaluation import redundancy_rate
from eigenselect.evaluation.correlations import unit_columns


class TestRedundancy:
    def test_mean_absolute_correlation_of_pairs(self, rng, monkeypatch):
        X = rng.normal(size=(30, 7))
        X[:, 3] = -2 * X[:, 1] + 0.1 * rng.normal(size=30)
        correlations = [abs(np.corrcoef(X[:, i], X[:, j])[0, 1]) for i in range(7) for j in range(i)]
        assert redundancy_rate(X) == pytest.approx(np.mean(correlations))
        assert redundancy_rate(sparse.csr_array(X)) == pytest.approx(np.mean(correlations))
        monkeypatch.setattr("eigenselect.evaluation.correlations.HELD_FEATURES", 3)
        assert redundancy_rate(X) == pytest.approx(np.mean(correlations))

    def test_copies_and_strangers(self, rng):
        f = rng.normal(size=20)
        assert redundancy_rate(np.column_stack([f, 3 * f + 1, -f])) == pytest.approx(1.0)
        assert redundancy_rate(np.eye(4)[:, :2]) == pytest.approx(1 / 3)

    @pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
    def test_scale_does_not_matter(self, rng, scale):
        X = rng.normal(size=(30, 4))
        assert redundancy_rate(X * scale) == pytest.approx(redundancy_rate(X))

    def test_constants_do_not_count(self, rng):
        X = rng.normal(size=(30, 3))
        assert redundancy_rate(np.column_stack([X, np.full(30, 5.0)])) == pytest.approx(redundancy_rate(X))
        assert np.isnan(redundancy_rate(X[:, :1]))
        assert np.isnan(redundancy_rate(np.ones((5, 3))))

    def test_bad_input(self):
        with pytest.raises(ValueError, match="finite"):
            redundancy_rate([[1, np.nan], [2, 3]])
        with pytest.raises(ValueError, match="table of samples"):
            redundancy_rate([1, 2, 3])


@pytest.mark.parametrize("n_samples", [3, 7, 10, 30])
def test_constant_columns_have_no_direction_whatever_their_mean_rounds_to(n_samples):
    constants = np.tile([0.1, 1 / 3, 1e300, -1e-300, 0.0], (n_samples, 1))
    assert not unit_columns(constants).any()


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300, 3e307])
def test_products_of_unit_columns_are_correlations(rng, scale):
    X = rng.normal(size=(20, 6)) + 3
    unit = unit_columns(X * scale)
    np.testing.assert_allclose(unit.T @ unit, np.corrcoef(X.T), atol=1e-12)
