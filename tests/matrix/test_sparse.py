"""Sparse tables stay sparse, and hold every value once."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import as_matrix


def test_entries_that_are_stored_twice_are_added_and_the_users_table_is_left_alone():
    twice = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert as_matrix(twice).raw.nnz == 1
    assert twice.nnz == 2


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_storage_is_not_copied_and_parts_stay_sparse(rng, kind):
    table = kind(rng.random((30, 7)) * (rng.random((30, 7)) < 0.3))
    matrix = as_matrix(table)
    assert matrix.raw is table
    assert matrix.divided(3).raw.format == table.format
    parts = (matrix.take_rows(np.arange(3)), matrix.take_columns(np.array([2, 0])), matrix.zeroed(np.arange(30) < 3))
    assert all(sparse.issparse(part.raw) for part in parts)


def test_single_precision_stays(rng):
    table = sparse.csr_array(rng.random((30, 7)).astype(np.float32))
    assert as_matrix(table).take_rows(np.arange(3)).dtype == np.float32
