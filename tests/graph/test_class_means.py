"""The class similarity is the projector onto class means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from eigenselect.graph import ClassMeans

some_classes = st.lists(st.integers(0, 3), min_size=2, max_size=20).map(lambda y: np.unique(y, return_inverse=True)[1])


def within_scatter(f, codes):
    return sum(((f[codes == c] - f[codes == c].mean()) ** 2).sum() for c in np.unique(codes))


@settings(deadline=None)
@given(some_classes)
def test_it_is_a_symmetric_idempotent_matrix_with_row_sums_1(codes):
    operator = ClassMeans(codes, codes.max() + 1)
    S = operator @ np.eye(codes.size)
    np.testing.assert_allclose(S, S.T, atol=1e-15)
    np.testing.assert_allclose(S @ S, S, atol=1e-14)
    np.testing.assert_allclose(S.sum(axis=1), 1)
    np.testing.assert_allclose(S.diagonal(), operator.diagonal())
    assert np.trace(S) == pytest.approx(codes.max() + 1)  # its rank
    np.testing.assert_allclose(operator.T @ np.arange(codes.size), S.T @ np.arange(codes.size))


@settings(deadline=None)
@given(some_classes, st.integers(0, 2**32 - 1))
def test_its_energy_is_the_scatter_within_classes(codes, seed):
    F = np.random.default_rng(seed).normal(size=(codes.size, 3))
    expected = [within_scatter(f, codes) for f in F.T]
    operator = ClassMeans(codes, codes.max() + 1)
    np.testing.assert_allclose(operator.energy(F), expected, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(np.einsum("ij,ij->j", F, F - operator @ F), expected, rtol=1e-8, atol=1e-12)


def test_a_perfect_feature_has_no_energy_at_all():
    """0.1 three times has not the mean 0.1 in floating point."""
    codes = np.array([0, 1, 0, 1, 0, 1])
    F = np.where(codes == 0, 0.1, 1e6 + 0.7)[:, None]
    operator = ClassMeans(codes, 2)
    assert operator.energy(F)[0] == 0.0
    assert operator.sparse_scatter(sparse.csr_array(F))[0][0] == 0.0


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
def test_scatters_of_sparse_columns(rng, store):
    codes = np.array([0, 1, 2, 1, 0, 2, 2, 1, 0, 2])
    X = rng.normal(size=(10, 6)) * (rng.random((10, 6)) < 0.5)
    X[:, 1] = 0.0
    X[codes == 1, 2] = 4.0  # a class without zeros, of one value
    within, between, mean = ClassMeans(codes, 3).sparse_scatter(store(X))
    np.testing.assert_allclose(within, [within_scatter(f, codes) for f in X.T], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(mean, X.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(within + between, 10 * X.var(axis=0), rtol=1e-12, atol=1e-15)


def test_means_of_sparse_and_dense_columns(rng):
    codes, X = np.array([0, 0, 1, 1, 1]), rng.poisson(1.0, size=(5, 4)).astype(float)
    expected = np.stack([X[:2].mean(axis=0), X[2:].mean(axis=0)])
    for given_X in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(ClassMeans(codes, 2).means(given_X), expected)
