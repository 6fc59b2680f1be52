"""Arrays and memory maps are taken as they are."""

import numpy as np
import pytest

from eigenselect.matrix import DenseMatrix, as_matrix


@pytest.fixture
def table(rng):
    return rng.normal(size=(30, 7)) * (rng.random((30, 7)) < 0.6)


def test_storage_is_not_copied(table):
    assert as_matrix(table).raw is table
    matrix = as_matrix(table)
    assert as_matrix(matrix) is matrix
    single = as_matrix(table.astype(np.float32))
    assert single.dtype == single.take_rows(np.arange(3)).dtype == np.float32


def test_a_memory_map_stays_one(tmp_path, table):
    np.save(tmp_path / "x.npy", table)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    matrix = as_matrix(mapped)
    assert np.shares_memory(matrix.raw, mapped)
    assert not matrix.raw.flags.writeable
    np.testing.assert_array_equal(matrix.take_columns(np.array([1])).to_array(), table[:, [1]])


def test_repr():
    assert repr(DenseMatrix(np.zeros((2, 3)))) == "DenseMatrix(2 samples × 3 features, float64)"
