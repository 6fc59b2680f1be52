"""Index arithmetic beyond 2^31 stored values, with files of holes in place of memory.

The entries of a small table stand behind 2^31 others, which nobody wrote and nobody reads: ``indptr`` begins there.
"""

import os

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.engine import Engine
from eigenselect.criteria.sparse_sums import sparse_means
from eigenselect.graph import SampleGraph
from eigenselect.inference.power_sums import PowerSums
from eigenselect.inference.row_power_sums import row_power_sums
from eigenselect.matrix.cuts import cut_by_size
from eigenselect.matrix.row_bands import copied_runs, ends_before, row_bands
from eigenselect.matrix.scratch import SparseBands
from eigenselect.matrix.sparse import SparseMatrix, cut_by_entries
from eigenselect.matrix.stored import SparseLines

FAR = 2**31 + 5


def far_array(folder, values):
    """The values from `FAR` on, in a file of holes that is mapped into memory."""
    path = folder / f"{len(os.listdir(folder))}.raw"
    with path.open("wb") as file:
        file.truncate((FAR + values.size) * values.itemsize)
    found = np.memmap(path, values.dtype, "r+")
    found[FAR:] = values
    return np.asarray(found)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A small table, and the same one with its entries far away."""
    folder, rng = tmp_path_factory.mktemp("far"), np.random.default_rng(0)
    near = {kind: sparse.random_array((40, 9), density=0.2, format=kind, rng=1) for kind in ("csr", "csc")}
    far = {}
    for kind, held in near.items():
        held.sort_indices()
        moved = type(held)(held.shape)
        moved.data, moved.indices = far_array(folder, held.data), far_array(folder, held.indices)
        moved.indptr = held.indptr.astype(np.int64) + FAR
        moved.has_canonical_format = True
        far[kind] = moved
    return near, far, rng


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_rows_are_found_behind_two_billion_others(tables, kind):
    near, far, _ = tables
    for mine, others in zip(row_bands(near[kind]), row_bands(far[kind]), strict=True):
        for i in range(40):
            (a, b), (c, d) = (mine.begin[i], mine.end[i]), (others.begin[i], others.end[i])
            np.testing.assert_array_equal(mine.indices[a:b] - mine.offset, others.indices[c:d] - others.offset)
            np.testing.assert_array_equal(mine.data[a:b], others.data[c:d])


def test_ends_and_runs_are_found_there(tables):
    near, far, _ = tables
    begin, end = far["csr"].indptr[:-1], far["csr"].indptr[1:]
    found = ends_before(4, far["csr"].indices, begin, end)
    expected = ends_before(4, near["csr"].indices, *(part.astype(np.int64) - FAR for part in (begin, end)))
    np.testing.assert_array_equal(found - FAR, expected)
    runs = copied_runs(far["csr"].data, found, end)
    np.testing.assert_array_equal(runs, near["csr"][:, 4:].data)


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sums_over_columns_do_not_change(tables, kind):
    near, far, _ = tables
    graph = SampleGraph(sparse.csr_array(sparse.diags_array([np.ones(39), np.ones(39)], offsets=[-1, 1])))
    engine = Engine.for_work(graph, 10**9)
    found = []
    for held in (near[kind], far[kind]):
        table, sums = SparseMatrix(held), PowerSums.empty(9, 40)
        row_power_sums(table, np.ones(40, dtype=bool), sums, 1)
        found.append([sums.powers, sparse_means(table, engine, 1)])
    for mine, others in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, others)


def test_sizes_are_added_in_64_bits():
    counts = np.full(6, 2**30, dtype=np.int32)  # their sum is negative in 32 bits
    assert [part.stop for part in cut_by_entries(counts)] == [1, 2, 3, 4, 5, 6]
    assert [part.stop for part in cut_by_size(counts, 2**31)] == [2, 4, 6]


class Far:
    """A stored array of which only the end was written."""

    def __init__(self, values, before):
        self.values, self.before, self.dtype = values, before, values.dtype
        self.shape = (before + values.size,)

    def __getitem__(self, part):
        assert part.start >= self.before
        return self.values[part.start - self.before : part.stop - self.before]


class Group(dict):
    """A sparse matrix in anndata's encoding, behind a first row that holds many values."""

    def __init__(self, held, before, *, first_row=True):
        indptr = np.concatenate([[0] * first_row, held.indptr.astype(np.int64) + before]).astype(np.int64)
        super().__init__(data=Far(held.data, before), indices=Far(held.indices, before), indptr=indptr)
        self.attrs = {"encoding-type": "csr_matrix", "shape": (indptr.size - 1, held.shape[1])}


def test_a_file_is_read_behind_two_billion_values(tables):
    near, _, _ = tables
    lines = SparseLines(Group(near["csr"], FAR), "f: X")
    found = lines.read(slice(1, 41), slice(0, 9))
    np.testing.assert_array_equal(found.toarray(), near["csr"].toarray())
    assert found.indices.dtype == found.indptr.dtype == np.int32  # of a part of it
    assert lines.line_bytes()[0] == FAR * lines.entry_bytes


def test_bands_are_written_behind_two_billion_values(tables, tmp_path, monkeypatch):
    near, _, _ = tables
    held = near["csr"]
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: 12 * 20)
    lines = SparseLines(Group(held, 0, first_row=False), "f: X")
    claimed = np.bincount(held.indices, minlength=9)
    claimed[0] += FAR
    lines.learn_counts(claimed)
    bands = SparseBands(lines, str(tmp_path))
    assert bands._starts[1] > 2**31
    np.testing.assert_array_equal(bands.take(np.arange(9)).toarray(), held.toarray())
