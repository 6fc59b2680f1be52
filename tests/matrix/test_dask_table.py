"""A table in chunks answers as the same table in memory does, and little of it comes to the client."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context

from eigenselect.matrix import DaskMatrix, Matrix, SparseMatrix, dask_table

da = pytest.importorskip("dask.array")

N, M = 37, 23
CHUNKS = {"rows": (10, M), "columns": (N, 5), "both": (10, 5)}
KINDS = {"dense": None, "csr_matrix": sparse.csr_matrix, "csc_array": sparse.csc_array}
PLACES = np.array([3, 1, 20])


def values(dtype=np.float64):
    rng = np.random.RandomState(0)
    return (10 * rng.randn(N, M) * (rng.rand(N, M) < 0.4)).astype(dtype)


@pytest.fixture(params=[(c, k, d) for c in CHUNKS for k in KINDS for d in ("float64", "float32", "int32")
                        if d == "float64" or c == "both"], ids=lambda case: "-".join(case))  # fmt: skip
def pair(request):
    """The same numbers in chunks and in memory."""
    chunks, kind, dtype = request.param
    X = values(dtype)
    array = da.from_array(X, chunks=CHUNKS[chunks])
    if KINDS[kind] is None:
        return DaskMatrix(array), Matrix(X)
    return DaskMatrix(array.map_blocks(KINDS[kind], dtype=X.dtype)), SparseMatrix(sparse.csr_array(X))


def test_values_names_and_sizes_are_those_in_memory(pair):
    ours, held = pair
    assert (ours.shape, ours.dtype, ours.is_sparse, ours.in_memory) == (held.shape, held.dtype, held.is_sparse, False)
    np.testing.assert_array_equal(ours.to_array(), held.to_array())
    np.testing.assert_array_equal(np.concatenate(list(ours.row_blocks(1))), 2 * held.to_array())
    np.testing.assert_array_equal(ours.column_extremes(), held.column_extremes())
    np.testing.assert_array_equal(ours.row_magnitudes(), held.row_magnitudes())
    np.testing.assert_array_equal(ours.column_counts(), held.column_counts())
    assert ours.n_stored == held.n_stored
    np.testing.assert_allclose(ours.column_variances(), held.column_variances(), rtol=1e-13)
    assert ours.same_values(held)
    assert held.same_values(ours)


def test_products_are_those_in_memory(pair):
    ours, held = pair
    rng = np.random.RandomState(1)
    right, left = rng.randn(M, 2), rng.randn(N, 2)
    np.testing.assert_allclose(ours.times(right), held.to_array() @ right, atol=1e-11)
    np.testing.assert_allclose(ours.transposed_times(left), held.to_array().T @ left, atol=1e-11)
    first, second = np.array([1, 5, 30]), np.array([30, 2, 6])
    np.testing.assert_allclose(ours.pair_products(first, second), held.pair_products(first, second))
    np.testing.assert_allclose(ours.pair_distances(first, second), held.pair_distances(first, second))


def test_other_units_are_lazy_and_exact(pair):
    ours, held = pair
    rng = np.random.RandomState(2)
    of_columns, of_rows, unused = rng.randint(-9, 9, M), rng.randint(-9, 9, N), rng.rand(N) < 0.3
    changed = ours.divided(of_columns).divided_rows(of_rows).zeroed(unused)
    assert isinstance(changed, DaskMatrix)
    expected = held.divided(of_columns).divided_rows(of_rows).zeroed(unused)
    np.testing.assert_array_equal(changed.to_array(), expected.to_array())
    assert (changed.is_sparse, changed.dtype) == (held.is_sparse, np.dtype(np.float64))
    assert ours.zeroed(np.zeros(N, dtype=bool)) is ours


def test_parts_are_those_in_memory(pair):
    ours, held = pair
    unused = np.arange(N) % 3 == 0
    np.testing.assert_array_equal(ours.take_columns(PLACES).to_array(), held.take_columns(PLACES).to_array())
    np.testing.assert_array_equal(ours.take_rows(unused).to_array(), held.take_rows(unused).to_array())
    np.testing.assert_array_equal(ours.block(slice(3, 12), PLACES), held.block(slice(3, 12), PLACES))
    bands = list(ours.bands())
    assert [columns.stop for columns, _ in bands][-1] == M
    np.testing.assert_array_equal(np.hstack([band.to_array() for _, band in bands]), held.to_array())


def width_and_sum(table, factor):
    return table.n_samples, table.n_features, table.is_sparse, factor * table.to_array().sum(axis=0)


def added(parts):
    return tuple(np.sum([part[3] for part in parts], axis=0) for _ in range(4))


def test_a_task_sees_all_rows_of_some_columns_or_all_columns_of_some_rows(pair):
    ours, held = pair
    total = held.to_array().sum(axis=0)
    found = ours.by_columns(width_and_sum, 2.0)
    assert {part[0] for _, part in found} == {N}
    assert all(part[1] == columns.stop - columns.start for columns, part in found)
    assert {part[2] for _, part in found} == {held.is_sparse}
    np.testing.assert_allclose(np.concatenate([part[3] for _, part in found]), 2 * total, atol=1e-9)
    found = ours.by_rows(width_and_sum, 3.0)
    assert [(rows, part[:2]) for rows, part in found] == [
        (rows, (rows.stop - rows.start, M)) for rows in ours.row_slices
    ]
    np.testing.assert_allclose(np.sum([part[3] for _, part in found], axis=0), 3 * total, atol=1e-9)
    ((rows, whole),) = ours.by_rows(width_and_sum, 3.0, combine=added)
    assert rows == slice(0, N)
    np.testing.assert_allclose(whole[3], 3 * total, atol=1e-9)


@pytest.fixture
def large():
    """A table that is too large to be in memory as a whole: a band has 64 kB."""
    with config_context(working_memory=0.1):
        X = np.random.RandomState(0).rand(200, 100)
        yield DaskMatrix(da.from_array(X, chunks=(50, -1)), feature_names=[f"f{j}" for j in range(100)]), X


def test_large_parts_stay_lazy_and_small_ones_come(large):
    table, X = large
    many, few, rows = np.arange(60)[::-1], np.array([7, 3]), np.arange(200) % 3 > 0
    assert isinstance(table.take_columns(many), DaskMatrix)
    assert table.take_columns(many).feature_label(0) == "'f59'"
    np.testing.assert_array_equal(table.take_columns(many).to_array(), X[:, many])
    assert isinstance(table.take_rows(rows), DaskMatrix)
    np.testing.assert_array_equal(table.take_rows(rows).to_array(), X[rows])
    assert type(table.take_columns(few)) is Matrix
    assert table.take_columns(few).feature_label(0) == "'f7'"
    thin = DaskMatrix(da.from_array(X * (X > 0.99), chunks=(50, -1)).map_blocks(sparse.csr_matrix))
    assert thin.is_finite()  # by which the sizes of columns are known
    assert type(thin.take_columns(many)) is SparseMatrix


def test_columns_that_are_asked_for_one_by_one_come_in_bands(large, monkeypatch):
    table, X = large
    fetches, fetched = [], dask_table._fetched
    monkeypatch.setattr(dask_table, "_fetched", lambda array: fetches.append(array.shape) or fetched(array))
    columns = [table.columns(slice(j, j + 1)) for j in range(100)]
    np.testing.assert_array_equal(np.hstack(columns), X)
    assert fetches == [(200, 40), (200, 40), (200, 20)]  # 64 kB, of which the last is what is left
    assert [part.stop for part in table.tiles()] == [40, 80, 100]


def test_a_large_table_is_not_gathered_for_who_needs_all_of_it(large):
    table, X = large
    sentence = r"^X must be in memory, got a Dask array of 1 MB: pairs are compared; give X.compute\(\) if it fits\.$"
    for gather in (table.out_of_file, table.loaded):
        with pytest.raises(ValueError, match=sentence):
            gather("pairs are compared")
    few = np.array([7, 3])
    held = DaskMatrix(table.raw[:, few], feature_names=["f7", "f3"]).out_of_file("any reason")
    np.testing.assert_array_equal(held.raw, X[:, few])
    assert held.feature_label(1) == "'f3'"
