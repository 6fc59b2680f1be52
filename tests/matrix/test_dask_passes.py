import numpy as np
import pytest
from sklearn import config_context

from eigenselect.matrix.dask_passes import column_blocks, combined, computed, over_columns, sent, stacked

da = pytest.importorskip("dask.array", reason="dask is not installed")
delayed = pytest.importorskip("dask").delayed


def test_columns_are_cut_where_the_chunks_are_and_where_memory_ends():
    by_column = da.zeros((1000, 12), chunks=(1000, 5))
    assert column_blocks(by_column) == [slice(0, 5), slice(5, 10), slice(10, 12)]
    with config_context(working_memory=4 * 3 * 8000 / 2**20):  # three columns of 1000 doubles
        assert column_blocks(by_column) == [slice(0, 3), slice(3, 5), slice(5, 8), slice(8, 10), slice(10, 12)]
    by_row = da.zeros((1000, 1000), chunks=(100, 1000))
    assert [block.stop - block.start for block in column_blocks(by_row)] == 8 * [125]
    assert column_blocks(da.zeros((10, 20), chunks=(5, 20))) == [slice(0, 20)]  # narrow ones stay together


def identity_of(table, shared):
    return id(shared)


def test_what_tasks_share_is_one_task_of_the_graph():
    shared = object()
    lazy = over_columns(da.zeros((4, 6), chunks=(2, 2)), identity_of, (shared,))
    assert set(computed(part for _, part in lazy)) == {id(shared)}
    keys = [key for _, part in lazy for key in dict(part.__dask_graph__()) if "eigenselect-object" in str(key)]
    assert len(set(keys)) == 1
    assert len(keys) == 3


def test_results_are_combined_a_few_at_a_time():
    widest = []

    def add(parts):
        widest.append(len(parts))
        return sum(parts)

    (total,) = computed([combined([sent(number) for number in range(100)], add)])
    assert total == 4950
    assert max(widest) <= 8


def test_chunks_of_several_kinds_are_put_together():
    from scipy import sparse

    dense, few = np.arange(4.0).reshape(2, 2), sparse.csr_matrix(np.eye(2, dtype=np.float32))
    np.testing.assert_array_equal(stacked([dense, few], 1).toarray(), np.hstack([dense, np.eye(2)]))
    np.testing.assert_array_equal(stacked([few, dense], 0).toarray(), np.vstack([np.eye(2), dense]))
    assert stacked([dense.astype(np.float32), dense.astype(np.int8)], 0).dtype == np.float32


def missing():
    raise ModuleNotFoundError("No module named 'eigenselect.matrix'")


def test_an_import_that_fails_elsewhere_is_told_and_other_errors_are_kept():
    with pytest.raises(ImportError, match=r"^The Dask cluster cannot import eigenselect as it is here \(No module"):
        computed([delayed(missing)()])
    with pytest.raises(ZeroDivisionError):
        computed([delayed(divmod)(1, 0)])
