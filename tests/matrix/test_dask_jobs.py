"""Several jobs of one pass: a task for each chunk, arguments where they belong, and the first spoilt place."""

import numpy as np
import pytest

from eigenselect.matrix.dask_jobs import ChunkJob, Spoilt, over_jobs
from eigenselect.matrix.dask_passes import computed

da = pytest.importorskip("dask.array", reason="dask is not installed")

X = np.arange(60.0).reshape(10, 6)
ARRAY = da.from_array(X, chunks=((4, 1, 5), (2, 4)))


def total(table, rows, columns, factor=1.0):
    assert np.array_equal(table.raw, X[rows, columns])
    return factor * table.raw.sum()


def weighted(table, rows, columns, halo, of_rows, of_columns):
    return of_rows * (table.raw.sum(axis=0) + sum(part.sum(axis=0) for part in halo)) * of_columns


def test_all_jobs_of_a_chunk_are_one_task():
    halos = [np.array([9, 4]), np.array([], dtype=int), np.array([0])]
    by_row, by_column = [1.0, 10.0, 100.0], np.linspace(1, 2, 6)
    jobs = [ChunkJob(total, sum, (2.0,)), ChunkJob(weighted, sum, (), halos, by_row, by_column)]
    lazy = over_jobs(ARRAY, jobs)
    keys = {str(key) for part in lazy for key in dict(part.__dask_graph__()) if "_on_chunk" in str(key)}
    assert len(keys) == 6
    first, second = computed(lazy)
    assert first[0] + second[0] == 2 * X.sum()
    expected = X[:4].sum(axis=0) + X[9] + X[4] + 10 * X[4] + 100 * (X[5:].sum(axis=0) + X[0])
    np.testing.assert_allclose(np.r_[first[1], second[1]], expected * by_column, rtol=1e-14)


def test_the_first_spoilt_place_is_kept_and_no_other_job_sees_the_chunk():
    seen = []

    def look(table, rows, columns):
        return Spoilt(rows.start, columns.start) if rows.start >= 4 else 0

    jobs = [ChunkJob(look, sum), ChunkJob(lambda table, rows, columns: seen.append(rows.start), len)]
    assert computed(over_jobs(ARRAY, jobs)) == [Spoilt(4, 0), Spoilt(4, 2)]
    assert set(seen) == {0}
