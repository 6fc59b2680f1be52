"""Large tables in memory: variances, rows of sparse tables and index arithmetic beyond 2^31 stored values."""

import os

import numpy as np
import pytest
from scipy import sparse

from eigenselect import FisherScore, LaplacianScore, Variance
from eigenselect.criteria.kernels import column_sums
from eigenselect.inference.power_sums import PowerSums
from eigenselect.inference.row_power_sums import row_power_sums
from eigenselect.matrix import BackedMatrix, as_matrix
from eigenselect.matrix.row_bands import row_bands
from eigenselect.matrix.sparse import SparseMatrix


def ring(n):
    return sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()


@pytest.mark.parametrize("large", [False, True])
def test_variances_are_numpys(rng, monkeypatch, large):
    """Of any number of rows, far from zero, and where the first value is far from the others."""
    if large:
        monkeypatch.setattr("eigenselect.matrix.base.COMPILED_VALUES", 0)
        monkeypatch.setattr("eigenselect.matrix.column_loops.RUN_COLUMNS", 7)
    monkeypatch.setattr("eigenselect.matrix.base.BLOCK_BYTES", 8 * 30 * 7)
    for n_samples in (2, 3, 4, 5, 6, 7, 50, 101):
        for dtype in (np.float32, np.float64):
            X = rng.normal(size=(n_samples, 30)).astype(dtype) + np.arange(30, dtype=dtype) * 100
            X[0, 1] = 1e6
            expected = X.astype(np.float64).var(axis=0)
            for n_jobs in (1, 2):
                found = Variance(n_jobs=n_jobs).fit(X).native_scores_
                np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=f"{n_samples} {dtype}")
    for exponent in (-400, 400):
        X = rng.normal(size=(40, 9))
        found, expected = as_matrix(np.ldexp(X, exponent)).column_variances(n_jobs=2), X.var(axis=0)
        np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-12)
    constant = np.hstack([np.full((37, 1), 0.1), rng.normal(size=(37, 9))])
    assert as_matrix(constant).column_variances()[0] == 0


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
def test_bands_of_columns_and_compiled_lookups_change_no_score(rng, monkeypatch):
    """With an empty column, an empty row and a full column, in indices of 32 and 64 bits."""
    X = np.where(rng.random((12, 10)) < 0.3, rng.integers(1, 9, size=(12, 10)), 0)
    X[:, 4], X[5], X[:, 7] = 0, 0, rng.integers(1, 9, size=12)
    y, selector = np.arange(12) % 2, LaplacianScore(3, significance="given", n_jobs=2)
    expected = selector.fit(X.astype(float), similarity_matrix=ring(12))
    scores, pvalues = expected.native_scores_, expected.pvalues_
    chosen = FisherScore(3).fit(X, y).transform(X)
    small = {
        "row_bands": {"BAND_COLUMNS": 3, "COMPILED_ROWS": 0, "ROW_BLOCKS": 5},
        "sparse": {"BAND_COLUMNS": 3, "TURNED_ENTRIES": 20, "COMPILED_ENTRIES": 0},
    }
    for module, limits in small.items():
        for name, value in limits.items():
            monkeypatch.setattr(f"eigenselect.matrix.{module}.{name}", value)
    for store in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        for dtype in (np.int8, np.uint16, np.float32):
            for index in (np.int32, np.int64):
                table = store(X.astype(dtype))
                table.indices, table.indptr = table.indices.astype(index), table.indptr.astype(index)
                found = selector.fit(table, similarity_matrix=ring(12))
                np.testing.assert_allclose(found.native_scores_, scores, rtol=1e-10)
                np.testing.assert_allclose(found.pvalues_, pvalues, rtol=1e-8)
                taken = FisherScore(3).fit(table, y).transform(table)
                assert taken.dtype == dtype
                np.testing.assert_array_equal(taken.toarray(), chosen)
    for columns in ([7, 0], [3, 3], [9]):
        np.testing.assert_array_equal(as_matrix(sparse.csr_array(X)).columns(np.array(columns)), X[:, columns])


#: entries of a small table stand behind so many others, which nobody wrote and nobody reads: ``indptr`` begins there
FAR = 2**31 + 5


def far_array(folder, values):
    """The values from `FAR` on, in a file of holes that is mapped into memory."""
    path = folder / f"{len(os.listdir(folder))}.raw"
    with path.open("wb") as file:
        file.truncate((FAR + values.size) * values.itemsize)
    found = np.memmap(path, values.dtype, "r+")
    found[FAR:] = values
    return np.asarray(found)


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sums_behind_two_billion_values_do_not_change(tmp_path, kind):
    near = sparse.random_array((40, 9), density=0.2, format=kind, rng=1)
    near.sort_indices()
    far = type(near)(near.shape)
    far.data, far.indices = far_array(tmp_path, near.data), far_array(tmp_path, near.indices)
    far.indptr = near.indptr.astype(np.int64) + FAR
    far.has_canonical_format = True
    found = []
    for held in (near, far):
        table, sums = SparseMatrix(held), PowerSums.empty(9, 40)
        row_power_sums(table, np.ones(40, dtype=bool), sums, 1)
        entries = [band.data[band.begin[i] : band.end[i]] for band in row_bands(held) for i in range(40)]
        found.append([sums.powers, column_sums(held, np.ones(40), 1), np.concatenate(entries)])
    for mine, others in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, others)


class FarArray:
    """A stored array of which only the end was written."""

    def __init__(self, values):
        self.values, self.shape, self.dtype = values, (FAR + values.size,), values.dtype

    def __getitem__(self, part):
        assert part.start >= FAR
        return self.values[part.start - FAR : part.stop - FAR]


class Group(dict):
    """A sparse matrix in anndata's encoding, behind a first row that holds many values."""

    def __init__(self, held):
        indptr = np.concatenate([[0], held.indptr.astype(np.int64) + FAR])
        super().__init__(data=FarArray(held.data), indices=FarArray(held.indices), indptr=indptr)
        self.attrs = {"encoding-type": "csr_matrix", "shape": (indptr.size - 1, held.shape[1])}


def test_a_file_is_read_behind_two_billion_values():
    held = sparse.random_array((40, 9), density=0.2, format="csr", rng=1)
    table = BackedMatrix.of(Group(held), "f: X")
    assert table.n_stored == FAR + held.nnz
    np.testing.assert_array_equal(table.block(np.arange(1, 41), slice(None)), held.toarray())
    np.testing.assert_array_equal(table.take_rows(np.arange(1, 41)).to_array(), held.toarray())
