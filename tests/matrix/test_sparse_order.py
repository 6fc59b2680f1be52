"""Dense parts of a sparse table are laid out alike in every storage, so that sums over them have the same bits."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import as_matrix

STORAGES = [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csc_matrix]


@pytest.fixture
def table(rng):
    return np.where(rng.random((30, 7)) < 0.5, rng.normal(size=(30, 7)), 0.0)


@pytest.mark.parametrize("storage", STORAGES)
def test_dense_parts_are_in_c_order(table, storage):
    X = as_matrix(storage(table))
    assert X.to_array().flags.c_contiguous
    assert X.columns(np.array([4, 1, 2])).flags.c_contiguous
    np.testing.assert_array_equal(X.columns(np.array([4, 1, 2])), table[:, [4, 1, 2]])
