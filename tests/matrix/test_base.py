"""One door for X: every storage of the same numbers answers every question alike."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from eigenselect.matrix import Matrix, SparseMatrix, as_matrix

STORAGES = {
    "dense": np.asarray,
    "fortran": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
}


@pytest.fixture
def table(rng):
    return rng.normal(size=(30, 7)) * 10.0 ** rng.uniform(-3, 3, 7) * (rng.random((30, 7)) < 0.6)


@pytest.fixture(params=STORAGES)
def matrix(request, table):
    return as_matrix(STORAGES[request.param](table))


def test_parts_are_those_of_the_array(matrix, table):
    assert matrix.shape == (matrix.n_samples, matrix.n_features) == table.shape
    assert matrix.is_sparse == isinstance(matrix, SparseMatrix)
    rows, columns = np.array([3, 1, 8]), np.array([5, 0])
    np.testing.assert_array_equal(matrix.to_array(), table)
    np.testing.assert_array_equal(matrix.take_rows(rows).to_array(), table[rows])
    np.testing.assert_array_equal(matrix.take_rows(table[:, 0] > 0).to_array(), table[table[:, 0] > 0])
    np.testing.assert_array_equal(matrix.take_columns(columns).to_array(), table[:, columns])
    np.testing.assert_array_equal(matrix.columns(columns), table[:, columns])
    np.testing.assert_array_equal(matrix.block(slice(2, 9), slice(1, 4)), table[2:9, 1:4])
    np.testing.assert_array_equal(np.vstack(list(matrix.row_blocks())), table)


def test_tiles_cover_the_columns_in_double_precision(rng):
    X = rng.normal(size=(20, 1000)).astype(np.float32)
    for matrix in map(as_matrix, (X, sparse.csr_array(X))):
        tiles = [matrix.tile(columns) for columns in matrix.tiles()]
        assert len(tiles) >= 8
        assert all(tile.dtype == np.float64 and tile.flags.c_contiguous for tile in tiles)
        np.testing.assert_array_equal(np.hstack(tiles), X)
        out = np.empty((20, 64))
        assert matrix.tile(slice(64, 128), out) is out
        np.testing.assert_array_equal(out, X[:, 64:128])


def test_sizes_are_those_of_the_array(matrix, table):
    low, high = matrix.column_extremes()
    np.testing.assert_array_equal(low, table.min(axis=0))
    np.testing.assert_array_equal(high, table.max(axis=0))
    np.testing.assert_array_equal(matrix.column_exponents(), np.frexp(np.abs(table).max(axis=0))[1])
    np.testing.assert_array_equal(matrix.row_exponents(), np.frexp(np.abs(table).max(axis=1))[1])
    assert matrix.exponent() == np.frexp(np.abs(table).max())[1]
    assert as_matrix(0 * table).exponent() == 0
    assert matrix.is_finite()
    table[3, 2] = np.inf
    assert not as_matrix(table).is_finite()
    assert not as_matrix(sparse.csc_array(table)).is_finite()


def test_other_units_change_no_digit(matrix, table):
    exponents = np.arange(7) * 100 - 300
    np.testing.assert_array_equal(matrix.divided(exponents).to_array(), np.ldexp(table, -exponents))
    np.testing.assert_array_equal(matrix.divided(40).to_array(), np.ldexp(table, -40))
    rows = np.arange(30) - 15
    np.testing.assert_array_equal(matrix.divided_rows(rows).to_array(), np.ldexp(table, -rows[:, None]))
    np.testing.assert_array_equal(matrix.to_array(), table)


def test_samples_that_count_nowhere_become_zeros(matrix, table):
    unused = np.arange(30) % 7 == 0
    np.testing.assert_array_equal(matrix.zeroed(unused).to_array(), np.where(unused[:, None], 0.0, table))
    assert matrix.zeroed(np.zeros(30, dtype=bool)) is matrix


class TestVariances:
    @pytest.mark.parametrize("exponent", [-520, 0, 500])
    def test_up_to_a_power_of_two_they_are_numpys(self, matrix, table, exponent):
        found, expected = matrix.divided(-exponent).column_variances(), table.var(axis=0)
        np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-12)

    def test_blocks_of_rows_and_large_means_change_nothing(self, rng, monkeypatch):
        X = rng.normal(size=(50, 3))
        monkeypatch.setattr("eigenselect.matrix.base.BLOCK_BYTES", 8 * 3 * 7)
        for moved in (X.astype(np.float32), X + 1e9, X):
            found = as_matrix(moved).column_variances()
            np.testing.assert_allclose(found / found.sum(), X.var(axis=0) / X.var(axis=0).sum(), rtol=1e-5)


def test_names_follow_rows_and_columns(table):
    frame = pd.DataFrame(table, index=[f"s{i}" for i in range(30)], columns=list("abcdefg"))
    matrix = as_matrix(frame)
    assert (matrix.feature_label(1), matrix.sample_label(2)) == ("'b'", "'s2'")
    part = matrix.take_columns(np.array([6, 2])).take_rows(np.array([4, 9]))
    assert (part.feature_label(1), part.sample_label(0)) == ("'c'", "'s4'")
    assert matrix.divided(1).feature_label(0) == "'a'"


def test_what_has_no_names_is_called_by_its_place(table):
    matrix = as_matrix(pd.DataFrame(table))
    assert (matrix.feature_label(1), matrix.sample_label(2)) == ("column 1", "row 2")
    assert as_matrix(pl.DataFrame({"a": [1.0]})).feature_label(0) == "'a'"
    assert as_matrix(matrix, feature_names=list("ab")).feature_label(1) == "column 1"  # names of another table
    assert as_matrix(matrix, sample_names=range(30)).sample_label(2) == "2"


def test_lists_of_names_are_cut(table):
    matrix = as_matrix(table, feature_names=list("abcdefg"))
    assert matrix.list_features([0, 1, 2, 3]) == "'a', 'b', 'c', 'd'"
    assert matrix.list_features(np.arange(7)) == "'a', 'b', 'c' and 4 more"
    assert matrix.list_samples([3]) == "row 3"


def test_pairs_of_rows(matrix, table):
    first, second = np.array([0, 3, 7, 7]), np.array([1, 3, 2, 9])
    np.testing.assert_allclose(matrix.pair_products(first, second), (table[first] * table[second]).sum(axis=1))
    expected = ((table[first] - table[second]) ** 2).sum(axis=1)
    np.testing.assert_allclose(matrix.pair_distances(first, second), expected, rtol=1e-12)
    if matrix.is_sparse:
        np.testing.assert_array_equal(matrix.column_counts(), (table != 0).sum(axis=0))


def test_names_can_be_given_later(table):
    matrix = as_matrix(table).named(sample_names=[f"s{i}" for i in range(30)])
    assert (matrix.sample_label(3), matrix.feature_label(3)) == ("'s3'", "column 3")
    assert matrix.raw is table


def test_arrays_are_not_copied(table):
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
    assert repr(Matrix(np.zeros((2, 3)))) == "Matrix(2 samples × 3 features, float64)"


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_products_with_few_vectors(rng, monkeypatch, store):
    monkeypatch.setattr("eigenselect.matrix.base.BLOCK_BYTES", 2**9)
    X = rng.normal(size=(30, 20)) * (rng.random((30, 20)) < 0.4)
    right, left = rng.normal(size=(20, 3)), rng.normal(size=(30, 2))
    table = as_matrix(store(X))
    np.testing.assert_allclose(table.times(right), X @ right, atol=1e-13)
    np.testing.assert_allclose(table.transposed_times(left), X.T @ left, atol=1e-13)


def test_only_rows_of_floats_are_read_where_they_lie(rng):
    X = rng.normal(size=(5, 6))
    for dtype in (np.float64, np.float32):
        assert np.shares_memory(Matrix(raw := X.astype(dtype)).rows_of_floats(), raw)
    for raw in (X.T, X[:, 1:], X.astype(int), X.astype(">f4"), X.astype(np.float16)):
        assert Matrix(raw).rows_of_floats() is None
    assert SparseMatrix(sparse.csr_array(X)).rows_of_floats() is None
