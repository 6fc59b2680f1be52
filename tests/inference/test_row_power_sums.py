"""Power sums row by row equal those of dense columns, for integers and any rows."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import power_sums as module
from eigenselect.inference.power_sums import power_sums
from eigenselect.matrix import as_matrix


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_integers_are_read_as_they_are(rng, dtype, monkeypatch):
    monkeypatch.setattr(module, "COMPILED_NONZEROS", 0)
    X = (rng.poisson(0.4, size=(40, 6)) * 40).astype(dtype)
    X[:, 2], X[:, 3] = 0, 200
    stored = sparse.csr_array(X)
    stored.data[::5] = 0  # stored zeros
    rows = np.delete(np.arange(40), [0, 7, 39])
    for chosen in (None, rows):
        found = power_sums(as_matrix(stored), chosen, n_jobs=1)
        expected = power_sums(as_matrix(stored.toarray().astype(float)), chosen)
        np.testing.assert_allclose(found.powers, expected.powers, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-13)
        np.testing.assert_array_equal(found.zeros, expected.zeros)
        np.testing.assert_array_equal(found.exponents, expected.exponents)
    many = power_sums(as_matrix(stored), rows, n_jobs=4)
    np.testing.assert_array_equal(many.powers, found.powers)


def test_one_value_in_every_row_leaves_nothing(monkeypatch):
    monkeypatch.setattr(module, "COMPILED_NONZEROS", 0)
    X = np.array([[5.0, 0.1], [0.0, 0.1], [0.1, 0.1], [0.1, 0.1]])
    found = power_sums(as_matrix(sparse.csr_array(X)), np.array([2, 3]))
    np.testing.assert_array_equal(found.powers[2:], 0.0)
    np.testing.assert_array_equal(np.ldexp(found.mean, found.exponents), [0.1, 0.1])


def test_values_whose_sum_leaves_the_range_have_a_mean(rng, monkeypatch):
    """Values are added as they are where that is safe; the other columns, full ones too, in units of their own."""
    monkeypatch.setattr(module, "COMPILED_NONZEROS", 0)
    X = np.where(rng.random((30, 5)) < 0.4, 1.0 + rng.random((30, 5)), 0.0) * [8e307, 5e-324 * 8, 1.0, 1e-290, 0.0]
    X[:, 4] = 1e6 + rng.normal(size=30)
    found, expected = power_sums(as_matrix(sparse.csr_array(X)), n_jobs=1), power_sums(as_matrix(X))
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-13)
    np.testing.assert_allclose(found.powers[2:], expected.powers[2:], rtol=1e-9, atol=1e-40)
    alone = power_sums(as_matrix(sparse.csr_array(X[:, [2]])), n_jobs=1)
    np.testing.assert_array_equal(alone.powers[:, 0], found.powers[:, 2])
