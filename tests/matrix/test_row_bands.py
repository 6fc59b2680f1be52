"""Bands of columns, row by row, hold every stored value once, whatever the storage."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import SparseMatrix
from eigenselect.matrix import row_bands as module
from eigenselect.matrix import sparse as sparse_module
from eigenselect.matrix.row_bands import dense_columns, row_bands


@pytest.fixture(params=["whole", "cut"])
def cut(request, monkeypatch):
    if request.param == "cut":
        monkeypatch.setattr(module, "BAND_COLUMNS", 3)
        monkeypatch.setattr(sparse_module, "BAND_COLUMNS", 3)
        monkeypatch.setattr(sparse_module, "TURNED_ENTRIES", 20)
    return request.param == "cut"


def table(rng):
    X = np.where(rng.random((12, 10)) < 0.3, rng.integers(1, 9, size=(12, 10)), 0)
    X[:, 4], X[5], X[:, 7] = 0, 0, 3  # an empty column, an empty row, a full column
    return X


def dense(X):
    """Put the bands together again."""
    found = np.zeros(X.shape)
    for band in row_bands(X):
        for i in range(X.shape[0]):
            entries = slice(band.begin[i], band.end[i])
            columns = band.indices[entries] - band.offset + band.columns.start
            assert ((band.columns.start <= columns) & (columns < band.columns.stop)).all()
            found[i, columns] += band.data[entries]
    return found


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_stored_value_is_in_one_band(rng, cut, store, index):
    X = store(table(rng).astype(np.float32))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    np.testing.assert_array_equal(dense(X), X.toarray())
    assert len(list(row_bands(X))) > 1 if cut else len(list(row_bands(X))) == 1


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32])
def test_values_keep_their_dtype(rng, cut, dtype):
    for store in (sparse.csr_array, sparse.csc_array):
        X = store(table(rng).astype(dtype))
        assert {band.data.dtype for band in row_bands(X)} == {np.dtype(dtype)}


def test_csr_is_not_copied(rng):
    X = sparse.csr_array(table(rng).astype(float))
    [band] = row_bands(X)
    assert band.data is X.data
    assert band.indices is X.indices


def test_blocks_are_combined_in_their_order_on_any_number_of_threads(rng, monkeypatch):
    monkeypatch.setattr(module, "ROW_BLOCKS", 5)
    [band] = row_bands(sparse.csr_array(table(rng).astype(float)))

    def note(begin, end, indices, data, offset, factor, start, stop, sums):
        sums += factor * np.arange(start, stop).sum()

    order = []

    def keep(total, part):
        order.append(part[0, 0])
        total += part

    one, four = (band.summed(note, 2, jobs, 0.1, combine=keep) for jobs in (1, 4))
    np.testing.assert_array_equal(one, four)
    assert one.shape == (2, 10)
    assert one[0, 0] == pytest.approx(0.1 * 66)
    assert order[:4] == order[4:] == pytest.approx([0.3, 1.2, 2.1, 3.0])


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_some_columns_are_looked_up(rng, index):
    X = sparse.csr_array(table(rng).astype(np.uint8))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    for columns in ([7, 0, 4], [9], list(range(10))):
        found = dense_columns(X, np.array(columns), n_jobs=2)
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, X.toarray()[:, columns])


def test_columns_of_a_large_table_are_the_same(rng, monkeypatch):
    """Also one that is asked for twice, which a lookup by column would leave out once."""
    X = table(rng).astype(float)
    monkeypatch.setattr(sparse_module, "COMPILED_ENTRIES", 0)
    for columns in ([7, 0], [3, 3]):
        np.testing.assert_array_equal(SparseMatrix(sparse.csr_array(X)).columns(np.array(columns)), X[:, columns])


def test_ends_of_few_rows_are_those_of_the_compiled_search(rng, monkeypatch):
    X = sparse.csr_array(table(rng).astype(float))
    begin, end = X.indptr[:-1].astype(np.int64), X.indptr[1:].astype(np.int64)
    for stop in range(12):
        found = module.ends_before(stop, X.indices, begin, end)
        np.testing.assert_array_equal(found - begin, np.count_nonzero(X.toarray()[:, :stop], axis=1))
        monkeypatch.setattr(module, "COMPILED_ROWS", 0)
        np.testing.assert_array_equal(found, module.ends_before(stop, X.indices, begin, end))
        monkeypatch.undo()
