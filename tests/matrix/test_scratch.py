"""Tables that lie by rows in a file are copied once by bands of columns, and read twice in all."""

import io
import pickle
import re
import sys
import tempfile
import warnings
from collections import Counter

import numpy as np
import pytest
from scipy import sparse

import backed
from eigenselect import FisherScore, LaplacianScore
from eigenselect.matrix import BackedMatrix
from eigenselect.matrix.bands import StoredPart
from eigenselect.matrix.scratch import ScratchArray, is_worth_splitting, split, temporary_folder
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


@pytest.mark.parametrize(
    ("held", "passes"),
    [(sparse.csr_array(X), ["check", "copy by columns", "columns"]), (sparse.csc_array(X), ["check", "columns"])],
)
def test_passes_are_told_on_a_terminal(monkeypatch, held, passes):
    terminal = io.StringIO()
    backed.as_if_large(monkeypatch, band=held.nnz * 12 // 9, read=held.nnz * 12 // 40)
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    selector = LaplacianScore(5, significance="given", verbose=True)
    monkeypatch.setattr("eigenselect.matrix.input.is_stored", lambda values: isinstance(values, Group))
    fitted(selector, Group(held, Counter()), similarity_matrix=ring(300))
    said = [line.split("\r")[-1] for line in terminal.getvalue().split("\n")]
    found = [re.fullmatch(r"\[LaplacianScore\] pass (\d) of (\d), (.*): 100% *", line) for line in said]
    ends = [match.groups() for match in found if match]  # a look at the first band alone does not end
    assert [what for _, _, what in ends][: len(passes)] == passes
    assert ends[0][:2] == ("1", str(len(passes) + 1))  # p-values, too
    assert [number for number, _, _ in ends] == sorted({number for number, _, _ in ends})


@pytest.fixture(params=["dense", "csr"])
def source(request, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: 4000)
    read = Counter()
    return stored(Counted(X, "X", read) if request.param == "dense" else Group(sparse.csr_array(X), read), "f: X")


def dense(held):
    return held.toarray() if sparse.issparse(held) else held


def test_columns_are_those_of_the_file(source, rng):
    bands = split(source)
    assert split(source) is bands  # made once
    assert bands.bounds.size > 4
    for columns in (np.arange(60), np.arange(7, 41), rng.permutation(60)[:20], np.array([59, 3]), np.array([0])):
        found = bands.take(columns)
        assert found.dtype == source.dtype
        np.testing.assert_array_equal(dense(found), X[:, columns])
    assert bands.bounds[0] == 0
    assert bands.bounds[-1] == 60


def test_parts_of_a_table_are_read_from_its_bands(source, rng, monkeypatch):
    """Some rows and columns of it, in any order, and bands of them."""
    monkeypatch.setattr("eigenselect.matrix.bands.band_bytes", lambda: 4000)
    split(source)
    lines, values = rng.permutation(300)[:120], rng.permutation(60)[:40]
    for rows, columns in ((None, None), (lines, None), (None, values), (lines, values)):
        expected = X[np.arange(300) if rows is None else rows][:, np.arange(60) if columns is None else columns]
        part = StoredPart(source, rows, columns)
        np.testing.assert_array_equal(dense(part.load()), expected)
        np.testing.assert_array_equal(part.take(slice(None), slice(5, 30)), expected[:, 5:30])
        found = list(part.bands())
        assert len(found) > 1
        np.testing.assert_array_equal(np.hstack([dense(held) for _, held in found]), expected)


def test_a_disk_without_room_is_said(source, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.scratch.SPARED", 2**70)
    with pytest.warns(UserWarning, match=r"^f: X is read again for every 0 MB of its columns, as .* has no room"):
        assert split(source) is None
    assert split(source) is None  # said once: a second warning would be an error


def test_a_disk_that_fills_meanwhile(source, monkeypatch):
    def full(self, start, values):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ScratchArray, "write", full)
    with pytest.warns(UserWarning, match="has no room for a copy by columns"):
        assert split(source) is None


def test_places_that_are_stored_twice_are_one_value():
    held = sparse.csr_array((np.arange(1.0, 5.0), [2, 2, 1, 2], [0, 2, 3, 4]), shape=(3, 3))
    bands = split(SparseLines(Group(held, Counter()), "f: X"))
    assert bands.take(np.arange(3)).toarray().tolist() == [[0, 0, 3], [0, 3, 0], [0, 0, 4]]


def test_columns_without_values(monkeypatch):
    """Bands, and rows of some of them, may have no values at all."""
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: 64)
    held = sparse.csr_array(np.diag([0.0, 0.0, 1.0, 0.0, 2.0] * 6))
    bands = split(SparseLines(Group(held, Counter()), "f: X"))
    assert bands.bounds.size > 2
    np.testing.assert_array_equal(bands.take(np.arange(30)).toarray(), held.toarray())
    assert split(SparseLines(Group(sparse.csr_array((4, 3)), Counter()), "f")).take(np.array([1])).nnz == 0


def test_other_processes_turn_it_themselves(tmp_path):
    import h5py

    with h5py.File(tmp_path / "x.h5", "w") as file:
        lines = DenseLines(file.create_dataset("X", data=X), "f: X")
        split(lines)
        assert "column_bands" not in vars(pickle.loads(pickle.dumps(lines)))


def test_which_files_are_worth_it(monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: X.nbytes // 10)
    read, size = Counter(), X.nbytes
    assert is_worth_splitting(stored(Group(sparse.csr_array(X), read), "f"), size, 2)
    assert not is_worth_splitting(stored(Group(sparse.csr_array(X), read), "f"), size // 5, 2)
    assert not is_worth_splitting(stored(Group(sparse.csc_array(X), read), "f"), size, 2)
    assert is_worth_splitting(stored(Counted(X, "X", read, chunks=(5, 60)), "f"), size, 2)
    assert not is_worth_splitting(stored(Counted(X, "X", read, chunks=(300, 3)), "f"), size, 2)
    assert not is_worth_splitting(stored(Counted(X, "X", read), "f"), size, 2)


def test_numbers_in_temporary_files(tmp_path, rng):
    values = rng.integers(100, size=28).astype(np.int16)
    there = ScratchArray(28, np.int16, str(tmp_path))
    for start in (12, 0, 20):  # in any order
        there.write(start, values[start : start + 12])
    np.testing.assert_array_equal(there[5:17], values[5:17])
    assert there[3:3].size == 0
    assert not list(tmp_path.iterdir())  # it has no name
    there._file.truncate(5)
    with pytest.raises(OSError, match="shorter than it was"):
        there[0:28]


def test_a_folder_that_is_named_is_taken(monkeypatch, tmp_path):
    monkeypatch.delenv("TMPDIR", raising=False)
    assert temporary_folder() in ("/var/tmp", tempfile.gettempdir())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert temporary_folder() == str(tmp_path)
