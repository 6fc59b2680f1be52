"""Bounds of distances from products in any precision hold, and distances are measured exactly."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect._floats import OutOfRangeError
from eigenselect.matrix import as_matrix
from eigenselect.similarity.bounded_space import Space
from ugly_tables import TABLES


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("table", TABLES)
def test_no_distance_is_below_its_bound(rng, table, dtype):
    space = Space.of(as_matrix(table(rng)), "euclidean")
    scaled = space.scaled(dtype)
    bounds = space.lowered_norms(dtype) - 2 * scaled @ scaled.T
    X = np.asarray(space.X.raw, dtype=np.longdouble)
    exact = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    lowest = np.stack([space.lowest(np.full(150, row), bounds[row]) for row in range(150)])
    off_diagonal = ~np.eye(150, dtype=bool)
    assert (lowest <= exact)[off_diagonal].all()


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_measured_distances(rng, store):
    X = rng.normal(size=(40, 9)).astype(np.float32).astype(float)
    first, second = rng.integers(40, size=(2, 100))
    squared = Space.of(as_matrix(store(X)), "euclidean").measure(first, second)
    np.testing.assert_allclose(squared, ((X[first] - X[second]) ** 2).sum(axis=1), rtol=1e-13)
    cosine = Space.of(as_matrix(store(X)), "cosine").measure(first, second)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(cosine, ((unit[first] - unit[second]) ** 2).sum(axis=1), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("exponent", [-1000, 1000])
def test_squares_out_of_range_are_refused(rng, exponent):
    with pytest.raises(OutOfRangeError, match="squared distances"):
        Space.of(as_matrix(np.ldexp(rng.normal(size=(9, 3)), exponent)), "euclidean")
