"""Tables that lie by rows in a file are turned once, and read twice in all."""

import pickle
import tempfile
import warnings
from collections import Counter

import numpy as np
import pytest
from scipy import sparse

import backed
from eigenselect import FisherScore, LaplacianScore
from eigenselect.matrix import BackedMatrix
from eigenselect.matrix.scratch import ScratchArray, is_worth_turning, temporary_folder, turned
from eigenselect.matrix.stored import DenseLines, SparseLines, stored

X, Y = backed.counts(300, 60)


class Counted:
    """An array that counts the bytes that were read of it, by name."""

    def __init__(self, values, name, read, chunks=None):
        self.values, self.title, self.read, self.chunks = values, name, read, chunks
        self.shape, self.dtype = values.shape, values.dtype

    def __getitem__(self, key):
        part = self.values[key]
        self.read[self.title] += part.nbytes
        return part


class Group(dict):
    """A sparse matrix in anndata's encoding, whose arrays count."""

    def __init__(self, held, read):
        super().__init__({name: Counted(getattr(held, name), name, read) for name in ("data", "indices", "indptr")})
        self.attrs = {"encoding-type": f"{held.format}_matrix", "shape": held.shape}


def ring(n):
    return sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()


def fitted(selector, table, **graph):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return selector.fit(table, Y, **graph)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_a_fit_with_p_values_reads_a_table_of_many_bands_twice(monkeypatch, kind, dtype):
    """Once to check it, or to count, and once to turn it; CSC is read in order, and so as often as it is looked at."""
    read, held = Counter(), kind(X.astype(dtype))
    table, selector = BackedMatrix.of(Group(held, read), "f"), LaplacianScore(5, significance="given", n_jobs=1)
    expected = fitted(selector, held, similarity_matrix=ring(300)).pvalues_
    size = held.nnz * (8 + 4)
    backed.as_if_large(monkeypatch, band=size // 9, read=size // 40)
    found = fitted(selector, table, similarity_matrix=ring(300)).pvalues_
    np.testing.assert_array_equal(found, expected)
    most = 2 if kind is sparse.csr_array else 5
    assert max(read[name] / getattr(held, name).nbytes for name in ("data", "indices")) <= most


def test_a_dense_file_in_wide_chunks_is_read_twice(monkeypatch):
    read = Counter()
    table = BackedMatrix.of(Counted(X, "X", read, chunks=(10, 60)), "f")
    expected = fitted(FisherScore(5), X).scores_
    backed.as_if_large(monkeypatch, band=X.nbytes // 9, read=X.nbytes // 40)
    np.testing.assert_array_equal(fitted(FisherScore(5), table).scores_, expected)
    assert read["X"] == 2 * X.nbytes


@pytest.fixture(params=["dense", "csr"])
def source(request, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: 4000)
    read = Counter()
    return stored(Counted(X, "X", read) if request.param == "dense" else Group(sparse.csr_array(X), read), "f: X")


def test_columns_are_those_of_the_file(source):
    columns = turned(source)
    assert turned(source) is columns  # made once
    assert (columns.axis, columns.shape, columns.dtype) == (1, (60, 300), source.dtype)
    found = columns.read(slice(0, 60), slice(0, 300))
    np.testing.assert_array_equal(found.toarray() if columns.is_sparse else found, X.T)


def test_a_disk_without_room_is_said(source, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.scratch.SPARED", 2**70)
    with pytest.warns(UserWarning, match=r"^f: X is read again for every 0 MB of its columns, as .* has no room"):
        assert turned(source) is None
    assert turned(source) is None  # said once: a second warning would be an error


def test_a_disk_that_fills_meanwhile(source, monkeypatch):
    def full(self, start, values):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ScratchArray, "write", full)
    with pytest.warns(UserWarning, match="has no room for a copy by columns"):
        assert turned(source) is None


def test_places_that_are_stored_twice_are_not_turned():
    held = sparse.csr_array((np.ones(4), [0, 0, 1, 2], [0, 2, 3, 4]), shape=(3, 3))
    assert turned(SparseLines(Group(held, Counter()), "f: X")) is None


def test_other_processes_turn_it_themselves(tmp_path):
    import h5py

    with h5py.File(tmp_path / "x.h5", "w") as file:
        lines = DenseLines(file.create_dataset("X", data=X), "f: X")
        turned(lines)
        assert "by_columns" not in vars(pickle.loads(pickle.dumps(lines)))


def test_which_files_are_worth_it(monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: X.nbytes // 10)
    read, size = Counter(), X.nbytes
    assert is_worth_turning(stored(Group(sparse.csr_array(X), read), "f"), size, 2)
    assert not is_worth_turning(stored(Group(sparse.csr_array(X), read), "f"), size // 5, 2)
    assert not is_worth_turning(stored(Group(sparse.csc_array(X), read), "f"), size, 2)
    assert is_worth_turning(stored(Counted(X, "X", read, chunks=(5, 60)), "f"), size, 2)
    assert not is_worth_turning(stored(Counted(X, "X", read, chunks=(300, 3)), "f"), size, 2)
    assert not is_worth_turning(stored(Counted(X, "X", read), "f"), size, 2)


def test_arrays_in_temporary_files(tmp_path, rng):
    values = rng.integers(100, size=(7, 4)).astype(np.int16)
    there = ScratchArray((7, 4), np.int16, str(tmp_path))
    for start in (12, 0, 20):  # in any order
        there.write(start, values.ravel()[start : start + 12])
    np.testing.assert_array_equal(there[2:5, 1:3], values[2:5, 1:3])
    np.testing.assert_array_equal(there[...], values)
    assert there[3:3, 0:2].shape == (0, 2)
    there._file.truncate(5)
    with pytest.raises(OSError, match="shorter than it was"):
        there[0:7, 0:4]


def test_a_folder_that_is_named_is_taken(monkeypatch, tmp_path):
    monkeypatch.delenv("TMPDIR", raising=False)
    assert temporary_folder() in ("/var/tmp", tempfile.gettempdir())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert temporary_folder() == str(tmp_path)
