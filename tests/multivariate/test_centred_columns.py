"""Products with centred columns are those of the table, at any scale and in any storage."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.multivariate.centred_columns import CentredColumns, exponent_of


@pytest.mark.parametrize("center", [False, True])
def test_columns_are_the_table(rng, center):
    X = rng.normal(size=(12, 30)) * (rng.random((12, 30)) < 0.5) + 3.0 * (np.arange(30) % 2)
    expected = X - X.mean(axis=0) if center else X
    R = rng.normal(size=(12, 2))
    for kind in (np.asarray, sparse.csr_array, np.float32):
        columns = CentredColumns(kind(X), center=center)
        rtol = 1e-5 if kind is np.float32 else 1e-10
        np.testing.assert_allclose(columns.take(np.array([4, 1])) * columns.scale, expected[:, [4, 1]].T, atol=rtol)
        np.testing.assert_allclose(columns.norms * columns.scale, np.linalg.norm(expected, axis=0), rtol=rtol)
        norms = columns.correlation_norms(R) * columns.scale
        np.testing.assert_allclose(norms, np.linalg.norm(expected.T @ R, axis=1), rtol=100 * rtol)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array])
def test_constant_columns_have_norm_zero(rng, kind):
    X = rng.normal(size=(12, 4))
    X[:, 1], X[:, 2] = 0.1, 0.0
    np.testing.assert_array_equal(CentredColumns(kind(X), center=True).norms > 0, [True, False, False, True])
    np.testing.assert_array_equal(CentredColumns(kind(X), center=False).norms > 0, [True, True, False, True])


def test_a_residual_orthogonal_but_for_rounding_has_no_correlation(rng):
    X = rng.normal(size=(30, 5)) + 50
    columns = CentredColumns(X, center=True)
    R = np.full((30, 1), 0.1)  # constant: orthogonal to every centred column
    norms = columns.correlation_norms(R)
    assert norms.max() > 0
    assert columns.largest_correlation(norms, R) == 0
    R[0] += 1e-3
    assert columns.largest_correlation(columns.correlation_norms(R), R) > 0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("exponent", [-1000, -5, 1000])
def test_scale_is_a_power_of_two_near_the_longest_norm(rng, kind, exponent):
    X = np.ldexp(rng.normal(size=(12, 4)), exponent)
    columns = CentredColumns(kind(X), center=False)
    assert 0.5 < columns.norms.max() < 2
    back = np.ldexp(columns.take(np.arange(4)).T, columns.exponent)
    np.testing.assert_array_equal(back, X)


def test_exponents_are_of_the_power_of_two_next_below():
    assert [exponent_of(size) for size in (0.0, 1.0, 7.9, 0.5)] == [0, 0, 2, -1]
