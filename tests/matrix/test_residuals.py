"""Residuals of least squares, cut out of any storage when they are looked at."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import Residuals, as_matrix, covariate_basis


@pytest.fixture
def X(rng):
    X = rng.poisson(0.5, size=(30, 9)).astype(float)
    X[:, 4] = rng.normal(size=30) + 1e6
    return X


@pytest.fixture
def C(rng):
    return rng.normal(size=(30, 2)) * [1, 5] + [3, 0]


def by_least_squares(X, C):
    """What a regression with an intercept leaves, and the mean."""
    D = np.column_stack([np.ones(len(X)), C])
    centred = X - X.mean(axis=0)
    return centred - D @ np.linalg.lstsq(D, centred, rcond=None)[0] + X.mean(axis=0)


def residuals(X, C, store=np.asarray):
    return Residuals.of(as_matrix(store(X)), covariate_basis(C, len(X), "test"))


def memory_map(tmp_path):
    def store(X):
        np.save(tmp_path / "X.npy", X)
        return np.load(tmp_path / "X.npy", mmap_mode="r")

    return store


@pytest.mark.parametrize("kind", ["dense", "csr", "csc", "float32", "map"])
def test_they_are_those_of_least_squares(X, C, kind, tmp_path):
    stores = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array, "map": memory_map(tmp_path)}
    X = X.astype(np.float32).astype(float)
    found = residuals(X, C, stores.get(kind, np.float32)).to_array()
    np.testing.assert_allclose(found, by_least_squares(X, C), rtol=0, atol=1e-9)
    small = np.arange(9) != 4
    np.testing.assert_allclose(found[:, small], by_least_squares(X, C)[:, small], rtol=0, atol=1e-13)


def test_the_storage_stays_as_it_is(X, C):
    table = residuals(X, C, sparse.csr_array)
    assert sparse.issparse(table.take_columns(np.array([1, 2])).raw.table.raw)
    assert sparse.issparse(table.take_rows(np.arange(5)).divided(3).raw.table.raw)


def test_all_parts_agree(X, C, as_kind):
    table = residuals(X, C, as_kind)
    whole = table.to_array()
    rows, columns = np.array([7, 2, 20]), np.array([8, 0])
    same = {"rtol": 1e-15, "atol": 1e-14}
    np.testing.assert_allclose(table.tile(slice(2, 5)), whole[:, 2:5], **same)
    np.testing.assert_allclose(np.vstack(list(table.row_blocks())), whole, **same)
    np.testing.assert_allclose(table.take_rows(rows).to_array(), whole[rows], **same)
    np.testing.assert_allclose(table.take_rows(whole[:, 0] > 0.4).to_array(), whole[whole[:, 0] > 0.4], **same)
    np.testing.assert_allclose(table.take_columns(columns).to_array(), whole[:, columns], **same)
    np.testing.assert_allclose(table.take_columns(columns).take_rows(rows).basis, table.basis[rows], **same)
    np.testing.assert_allclose(np.asarray(table.raw), whole, **same)
    np.testing.assert_allclose(table.column_extremes(), (whole.min(axis=0), whole.max(axis=0)), **same)


def test_other_units(X, C, as_kind):
    table = residuals(X, C, as_kind)
    whole, unused = table.to_array(), np.arange(30) % 4 == 0
    rows, columns = np.arange(30) - 10, np.arange(9)
    np.testing.assert_allclose(table.divided(2).to_array(), whole / 4, rtol=1e-14)
    np.testing.assert_allclose(table.divided(columns).to_array(), np.ldexp(whole, -columns), rtol=1e-14)
    twice = table.divided_rows(rows).divided_rows(rows).zeroed(unused)
    expected = np.where(unused[:, None], 0.0, np.ldexp(whole, -2 * rows[:, None]))
    np.testing.assert_allclose(twice.to_array(), expected, rtol=1e-14)
    np.testing.assert_allclose(twice.take_rows(rows > 3).to_array(), expected[rows > 3], rtol=1e-14)
    assert table.zeroed(np.zeros(30, dtype=bool)) is table


@pytest.mark.parametrize("size", [1.0, 1e-290, 1e290])
def test_a_feature_that_covariates_explain_is_its_mean(C, size, rng):
    explained = C @ [2.0, -3.0] + 0.7
    X = np.column_stack([explained, np.full(30, 0.1), rng.normal(size=30), explained * 1e-3 + 1e3, explained]) * size
    X[:, 4] += rng.normal(size=30) * 1e-6 * size
    table = residuals(X, C)
    np.testing.assert_array_equal(np.ptp(table.to_array(), axis=0) == 0, [True, True, False, True, False])
    np.testing.assert_allclose(table.to_array()[0, [0, 1, 3]], X[:, [0, 1, 3]].mean(axis=0), rtol=1e-12)
    assert table.n_explained == 2
    assert table.take_columns(np.array([0, 1, 2])).n_explained == 1
