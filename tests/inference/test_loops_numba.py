"""Compiled sums equal those of numpy."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference import loops_numba, loops_numpy
from eigenselect.inference.entries import Background, SparseEntries
from eigenselect.inference.power_sums import PowerSums

N = 40


@pytest.fixture(params=[1, 2], ids=["one form", "two forms"])
def entries(request, rng):
    given = []
    for _ in range(request.param):
        M = np.where(rng.random((N, N)) < 0.2, rng.normal(size=(N, N)), 0.0)
        given.append(sparse.csr_array(M + M.T))
    return SparseEntries.of(given, [1.0] * len(given))


@pytest.mark.parametrize("jobs", [1, 2])
def test_triangles(entries, jobs):
    args = entries.indptr, entries.indices, entries.data
    np.testing.assert_allclose(loops_numba.triangles(*args, jobs), loops_numpy.triangles(*args), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("jobs", [1, 2])
def test_cubes(entries, rng, jobs):
    V, q = rng.normal(size=(N, 3)), len(entries.mix)
    C = rng.normal(size=(q, 3, 3))
    rest = Background(V, C + np.swapaxes(C, 1, 2), np.arange(N) % 6, rng.normal(size=(q, 6)))
    np.testing.assert_allclose(loops_numba.cubes(entries, rest, jobs), loops_numpy.cubes(entries, rest), rtol=1e-10)


def test_column_sums(rng):
    X = sparse.random_array((N, 9), density=0.4, rng=rng, format="csc")
    X = sparse.csc_array(sparse.hstack([X, rng.normal(size=(N, 1)) + 1e3], format="csc"))
    first, second = PowerSums.empty(10, N), PowerSums.empty(10, N)
    for part in (slice(0, 4), slice(4, 10)):
        loops_numba.column_sums(X, N, part, first)
        loops_numpy.column_sums(X, N, part, second)
    for name in ("mean", "powers", "exponents", "zeros"):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), rtol=1e-9, atol=1e-16, err_msg=name)
