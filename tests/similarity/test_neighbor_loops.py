"""Each compiled loop against the same in numpy."""

import numpy as np
import pytest

from eigenselect.similarity import neighbor_loops


@pytest.mark.parametrize("n_columns", [5, 64, 150])
def test_the_lowest_bounds_of_several_blocks_are_kept(rng, n_columns):
    products, norms = rng.normal(size=(7, n_columns)).astype(np.float32), rng.random(n_columns).astype(np.float32)
    own = np.arange(7) % n_columns
    bounds, columns = np.full((7, 4), np.inf, dtype=np.float32), np.zeros((7, 4), dtype=np.int64)
    for start in range(0, n_columns, 70):
        part = slice(start, start + 70)
        block = np.ascontiguousarray(products[:, part])
        neighbor_loops.keep_lowest(block, norms[part], start, own, bounds, columns)
    expected = norms - products
    expected[np.arange(7), own] = np.inf
    np.testing.assert_array_equal(columns, np.argsort(expected, axis=1)[:, :4])
    np.testing.assert_array_equal(bounds, np.sort(expected, axis=1)[:, :4])


def test_distances_and_products_of_pairs(rng):
    X, first, second = rng.normal(size=(9, 20)), rng.integers(9, size=30), rng.integers(9, size=30)
    found = np.empty(30)
    neighbor_loops.distances_of_pairs(X, first, second, found)
    np.testing.assert_allclose(found, ((X[first] - X[second]) ** 2).sum(axis=1), rtol=1e-13)
    neighbor_loops.products_of_pairs(X, first, second, found)
    np.testing.assert_allclose(found, (X[first] * X[second]).sum(axis=1), rtol=1e-12, atol=1e-14)


def test_the_smallest_and_ties_to_the_lower_column(rng):
    values, columns = rng.integers(5, size=(6, 40)).astype(float), np.empty((6, 7), dtype=np.intp)
    noisy = values * rng.uniform(1.0 - 1e-12, 1.0 + 1e-12, values.shape)
    neighbor_loops.smallest_of_rows(noisy, 1e-11, np.empty(7), columns)
    np.testing.assert_array_equal(columns, np.sort(np.argsort(values, axis=1, kind="stable")[:, :7], axis=1))
