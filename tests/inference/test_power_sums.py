"""Power sums of features in any storage and of any size."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import power_sums as module
from eigenselect.inference.power_sums import power_sums
from eigenselect.matrix import as_matrix

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
        unit = Fraction(2) ** int(sums.exponents[column])
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


@pytest.fixture(params=["numpy", "compiled"])
def route(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(module, "COMPILED_NONZEROS", 0)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("factor", [1.0, 1e-300, 1e300, 5e-324])
def test_against_rational_numbers(store, factor, rng, route):
    X = table(rng)
    X[:, 5] -= 1e6 * (factor != 1.0)
    X = factor * np.where(np.abs(X) < 1e-3 * (factor != 1.0), 0.0, X)
    check(power_sums(as_matrix(STORES[store](X))), X)


@pytest.mark.parametrize("store", STORES)
def test_some_rows(store, rng, route):
    X, rows = table(rng), np.delete(np.arange(N), [0, 5, 20])
    check(power_sums(as_matrix(STORES[store](X)), rows), X[rows])


def test_constants_have_no_spread(rng, route):
    X = np.full((N, 3), 0.1) * [1, 3, 7e50]
    for store in STORES.values():
        np.testing.assert_array_equal(power_sums(as_matrix(store(X))).powers[2:], 0.0)


def test_stored_zeros(rng, route):
    X = sparse.csc_array(table(rng))
    X.data[::3] = 0.0
    check(power_sums(as_matrix(X)), X.toarray())


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_other_types(dtype, rng, route):
    X = rng.poisson(1.0, size=(N, 4)).astype(dtype)
    for store in STORES.values():
        check(power_sums(as_matrix(store(X))), X.astype(np.float64))


def test_threads(rng, route):
    X = rng.poisson(0.4, size=(N, 300)) * rng.normal(size=(N, 300))
    for store in STORES.values():
        one, two = (power_sums(as_matrix(store(X)), n_jobs=jobs) for jobs in (1, 2))
        np.testing.assert_array_equal(one.powers, two.powers)
        np.testing.assert_array_equal(one.mean, two.mean)
