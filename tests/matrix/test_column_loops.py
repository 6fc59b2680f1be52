"""Variances of large tables where they lie."""

import numpy as np
import pytest

from eigenselect.matrix import as_matrix, base, column_loops


@pytest.fixture(autouse=True)
def small_tables_count_as_large(monkeypatch):
    monkeypatch.setattr(base, "COMPILED_VALUES", 0)
    monkeypatch.setattr(column_loops, "RUN_COLUMNS", 7)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 4, 5, 6, 7, 50, 101])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_variances_are_numpys(rng, n_samples, dtype):
    X = rng.normal(size=(n_samples, 30)).astype(dtype) + np.arange(30, dtype=dtype) * 100
    found = as_matrix(X).column_variances(n_jobs=2)
    np.testing.assert_allclose(found, X.astype(np.float64).var(axis=0), rtol=1e-11)
    np.testing.assert_array_equal(found, as_matrix(X).column_variances())


def test_a_constant_column_has_none(rng):
    X = np.hstack([np.full((37, 1), 0.1), rng.normal(size=(37, 9))])
    assert as_matrix(X).column_variances()[0] == 0


def test_a_first_value_far_from_the_others_costs_no_digits(rng):
    """They are measured again, from their mean."""
    X = rng.normal(size=(5000, 3))
    X[0, 1] = 1e6
    np.testing.assert_allclose(as_matrix(X).column_variances(), X.var(axis=0), rtol=1e-13)


@pytest.mark.parametrize("exponent", [-520, 500])
def test_squares_out_of_range(rng, exponent):
    X = rng.normal(size=(40, 9))
    found = as_matrix(np.ldexp(X, exponent)).column_variances(n_jobs=2)
    np.testing.assert_allclose(found / found.sum(), X.var(axis=0) / X.var(axis=0).sum(), rtol=1e-12)
