"""Power sums of parts make those of the whole."""

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from eigenselect.inference.pooled_sums import pooled
from eigenselect.inference.power_sums import power_sums
from eigenselect.matrix import DaskMatrix, as_matrix

NAMES = ("mean", "powers", "exponents", "zeros")


@pytest.fixture
def table(rng):
    """Skewed, large mean, constant, all zero, tiny, huge, and zero but for the last rows."""
    X = rng.gamma(1.0, size=(60, 8))
    X[:, 1] += 1e7
    X[:, 2], X[:, 3] = 0.1, 0.0
    X[:, 4] *= 1e-250
    X[:, 5] *= 1e250
    X[:50, 6] = 0.0
    X[50:, 6] *= 1e-300
    X[rng.random(60) < 0.7, 7] = 0.0
    return X


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("rows", [None, np.arange(3, 30, 2)], ids=["all rows", "some rows"])
def test_sums_are_those_in_memory(table, kind, rows):
    array = da.from_array(table, chunks=((7, 13, 40), (5, 3)))
    if kind == "sparse":
        array = array.map_blocks(sparse.csr_array, dtype=float, meta=sparse.csr_array((0, 0)))
    expected = power_sums(as_matrix(table), rows)
    with dask.config.set(scheduler="sync"):
        got = power_sums(DaskMatrix(array), rows)
    for name in NAMES:
        np.testing.assert_allclose(getattr(got, name), getattr(expected, name), rtol=1e-10, atol=0, err_msg=name)


def test_parts_in_any_number(table):
    for step in (1, 11, 59):
        parts = [power_sums(as_matrix(table[start : start + step, 6:])) for start in range(0, 60, step)]
        for name in NAMES:
            expected = getattr(power_sums(as_matrix(table[:, 6:])), name)
            np.testing.assert_allclose(getattr(pooled(parts), name), expected, rtol=1e-11, atol=1e-13, err_msg=name)
