"""Power sums of features in any storage, of any size, row by row, and pooled from parts."""

from fractions import Fraction

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import power_sums as module
from eigenselect.inference.power_sums import power_sums
from eigenselect.matrix import DaskMatrix, as_matrix

N = 37


def table(rng):
    """Bell-shaped, counts, one non-zero, constant, all zero, a large mean, and stored without zeros."""
    X = np.zeros((N, 8))
    X[:, 0], X[:, 1] = rng.normal(size=N), rng.poisson(0.5, size=N)
    X[5, 2], X[:, 3] = -3.0, 0.1
    X[:, 5], X[:, 6] = 1e6 + rng.normal(size=N), rng.lognormal(size=N)
    X[:, 7] = rng.lognormal(size=N) * (rng.random(N) < 0.3)
    return X


def exact(f):
    """Mean and p_2 … p_6 in rational numbers."""
    values = [Fraction(float(value)) for value in f]
    mean = sum(values) / len(values)
    return mean, [sum((value - mean) ** k for value in values) for k in range(2, 7)]


def check(sums, X):
    for column, f in enumerate(X.T):
        unit = Fraction(float(sums.scale[column]))
        mean, powers = exact(f)
        assert abs(Fraction(float(sums.mean[column])) * unit - mean) <= Fraction(1e-15) * max(
            abs(Fraction(float(v))) for v in f
        )
        for k, value in enumerate(powers, 2):
            size = sum(abs(Fraction(float(v)) - mean) ** k for v in f)
            lost = Fraction(1e-11 if column == 5 else 1e-13)  # 1e6 itself has only 16 digits
            assert abs(Fraction(float(sums.powers[k, column])) * unit**k - value) <= lost * size
        assert sums.zeros[column] == np.count_nonzero(f == 0)
    np.testing.assert_array_equal(sums.powers[:2], [[len(X)] * X.shape[1], [0.0] * X.shape[1]])


STORES = {"dense": np.asarray, "fortran": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


@pytest.fixture(params=["compiled", "numpy"])
def route(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(module, "COMPILED_NONZEROS", 0)


def test_against_rational_numbers(rng, route):
    for factor in (1.0, 1e-90, 1e90):
        X = table(rng)
        X[:, 5] -= 1e6 * (factor != 1.0)
        X = factor * np.where(np.abs(X) < 1e-3 * (factor != 1.0), 0.0, X)
        for store in STORES.values():
            check(power_sums(as_matrix(store(X))), X)


def test_some_rows(rng, route):
    X, rows = table(rng), np.delete(np.arange(N), [0, 5, 20])
    for store in STORES.values():
        check(power_sums(as_matrix(store(X)), rows), X[rows])


def test_constants_have_no_spread(rng, route):
    X = np.full((N, 3), 0.1) * [1, 3, 7e50]
    for store in STORES.values():
        np.testing.assert_array_equal(power_sums(as_matrix(store(X))).powers[2:], 0.0)
    X[:5] = 0.0
    for store in STORES.values():
        np.testing.assert_array_equal(power_sums(as_matrix(store(X)), np.arange(5, N)).powers[2:], 0.0)


def test_stored_zeros(rng, route):
    X = sparse.csc_array(table(rng))
    X.data[::3] = 0.0
    check(power_sums(as_matrix(X)), X.toarray())


def test_other_types(rng, route):
    for dtype in (np.float32, np.int64, np.uint8):
        X = (40 * rng.poisson(0.4, size=(N, 4))).astype(dtype)
        for store in STORES.values():
            check(power_sums(as_matrix(store(X))), X.astype(np.float64))


def test_threads(rng, route):
    X = rng.poisson(0.4, size=(N, 300)) * rng.normal(size=(N, 300))
    for store in STORES.values():
        one, two = (power_sums(as_matrix(store(X)), n_jobs=jobs) for jobs in (1, 2))
        np.testing.assert_array_equal(one.powers, two.powers)
        np.testing.assert_array_equal(one.mean, two.mean)


NAMES = ("mean", "powers", "scale", "zeros")


@pytest.fixture
def hostile_table(rng):
    """Skewed, large mean, constant, all zero, tiny, huge, and zero but for the last rows."""
    X = rng.gamma(1.0, size=(60, 8))
    X[:, 1] += 1e7
    X[:, 2], X[:, 3] = 0.1, 0.0
    X[:, 4] *= 1e-90
    X[:, 5] *= 1e90
    X[:50, 6] = 0.0
    X[50:, 6] *= 1e-90
    X[rng.random(60) < 0.7, 7] = 0.0
    return X


def test_sums_of_blocks_are_those_in_memory(hostile_table):
    array = da.from_array(hostile_table, chunks=((7, 13, 40), (5, 3)))
    thin = array.map_blocks(sparse.csr_array, dtype=float, meta=sparse.csr_array((0, 0)))
    for rows in (None, np.arange(3, 30, 2)):
        expected = power_sums(as_matrix(hostile_table), rows)
        for stored in (array, thin):
            with dask.config.set(scheduler="sync"):
                got = power_sums(DaskMatrix(stored), rows)
            for name in NAMES:
                found = getattr(got, name)
                np.testing.assert_allclose(found, getattr(expected, name), rtol=1e-10, atol=0, err_msg=name)
