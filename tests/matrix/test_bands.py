"""Some lines and values of a dataset in a file, in any order, from reads of bounded size."""

import pickle

import h5py
import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix.bands import StoredPart
from eigenselect.matrix.stored import DenseLines, stored

X = np.random.default_rng(5).poisson(0.5, size=(30, 20)).astype(float)
LINES = [None, np.array([4, 3, 29, 0, 0, 17]), np.arange(3, 11)]
VALUES = [None, np.array([19, 2, 5, 6, 7]), np.arange(4, 12)]


@pytest.fixture(params=["dense", "sparse"])
def source(request, tmp_path):
    file = h5py.File(tmp_path / "x", "w")
    if request.param == "dense":
        return stored(file.create_dataset("X", data=X, chunks=(7, 3), compression="gzip"), "X")
    group, held = file.create_group("X"), sparse.csr_matrix(X)
    group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", X.shape
    for name in ("data", "indices", "indptr"):
        group[name] = getattr(held, name)
    return stored(group, "X")


@pytest.fixture(params=[(10**6, 10**6), (900, 300), (1, 1)], ids=["at once", "bands", "one by one"])
def sizes(request, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.bands.band_bytes", lambda: request.param[0])
    monkeypatch.setattr("eigenselect.matrix.stored.read_bytes", lambda: request.param[1])
    return request.param


def dense(block):
    return block.toarray() if sparse.issparse(block) else np.asarray(block)


def chosen(lines, values):
    rows = X if lines is None else X[lines]
    return rows if values is None else rows[:, values]


@pytest.mark.parametrize("values", VALUES, ids=["all", "any", "run"])
@pytest.mark.parametrize("lines", LINES, ids=["all", "any", "run"])
def test_a_part_is_what_numpy_cuts_out(source, sizes, lines, values):
    part, expected = StoredPart(source, lines, values), chosen(lines, values)
    assert part.shape == expected.shape
    n_lines, n_values = part.shape
    for rows in (slice(None), slice(1, 4), np.array([3, 0, 3]), np.arange(n_lines) % 2 == 0):
        for columns in (slice(None), slice(2, 4), np.array([n_values - 1, 0]), np.arange(n_values) % 3 == 0):
            np.testing.assert_array_equal(part.take(rows, columns), expected[rows][:, columns])
    np.testing.assert_array_equal(dense(part.load()), expected)
    np.testing.assert_array_equal(
        part.part([1, 0], [2, 2, 1]).take(slice(None), slice(None)), expected[[1, 0]][:, [2, 2, 1]]
    )


@pytest.mark.parametrize("lines", LINES, ids=["all", "any", "run"])
def test_bands_and_blocks_are_all_of_it(source, sizes, lines):
    part, expected = StoredPart(source, lines), chosen(lines, None)
    for found, axis in ((part.bands(), 1), (part.line_bands(), 0)):
        slices, held = zip(*found, strict=True)
        assert [s.start for s in slices] == [0, *(s.stop for s in slices[:-1])]
        np.testing.assert_array_equal(np.concatenate([dense(band) for band in held], axis=axis), expected)
        assert lines is not None or (len(held) > 1) == (sizes[0] < 10**5)
    assert np.concatenate([dense(block) for _, block in part.blocks()]).sum() == expected.sum()


def test_no_choice_of_lines_or_values(source):
    nothing = np.array([], dtype=int)
    assert StoredPart(source, nothing).take(slice(None), slice(None)).shape == (0, 20)
    assert StoredPart(source, None, nothing).take(slice(None), slice(None)).shape == (30, 0)
    assert dense(StoredPart(source, nothing).load()).shape == (0, 20)


def test_bands_are_kept_and_few(source, monkeypatch):
    """Tiles that follow each other are cut from one band; two bands are in memory at most."""
    monkeypatch.setattr("eigenselect.matrix.bands.band_bytes", lambda: source.line_bytes().sum() // 4)
    reads = []
    monkeypatch.setattr(type(source), "read", _spy(type(source).read, reads))
    part = StoredPart(source)
    part.take(slice(None), slice(0, 2))
    passes = len(reads)
    part.take(slice(None), slice(1, 3))
    assert len(reads) == passes
    for start in range(0, 20, 2):
        part.take(slice(None), slice(start, start + 2))
        assert len(part._bands) <= 2
    assert len(reads) <= 12 * passes


def _spy(read, reads):
    def spied(self, lines, values):
        reads.append((lines, values))
        return read(self, lines, values)

    return spied


@pytest.mark.parametrize("band", [400, 2000])
def test_bands_are_small(source, monkeypatch, band):
    monkeypatch.setattr("eigenselect.matrix.bands.band_bytes", lambda: band)
    for _, held in StoredPart(source).bands():
        size = held.data.nbytes + held.indices.nbytes if sparse.issparse(held) else held.nbytes
        assert size <= band or held.shape[1] == 1


def test_bands_go_before_others_are_read(source, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.bands.band_bytes", lambda: source.line_bytes().sum() // 4)
    part, kept = StoredPart(source), []
    monkeypatch.setattr(StoredPart, "_gathered", _noting(StoredPart._gathered, kept))
    for _ in part.bands():
        pass
    assert set(kept) == {0}  # whoever looks at one band after the other may hold the last, and nobody else does
    kept.clear()
    for start in range(0, part.shape[1], 2):  # neighbouring tiles may need two
        part.take(slice(None), slice(start, start + 2))
    assert kept[:4] == [1, 1, 1, 1]


def _noting(gathered, kept):
    def noted(self, places):
        kept.append(len(self._bands))
        return gathered(self, places)

    return noted


def test_distant_lines_are_read_without_those_between(monkeypatch):
    source, reads = DenseLines(np.zeros((1000, 3)), "X"), []
    monkeypatch.setattr(DenseLines, "read", _spy(DenseLines.read, reads))
    StoredPart(source).take(np.array([990, 5, 8]), slice(None))
    assert [(lines.start, lines.stop) for lines, _ in reads] == [(5, 9), (990, 991)]


def test_other_processes_open_the_file_themselves(source):
    part = StoredPart(source, np.array([3, 1]))
    part.take(slice(None), slice(None))
    again = pickle.loads(pickle.dumps(part))
    assert again._bands == []
    np.testing.assert_array_equal(again.take(slice(None), slice(None)), X[[3, 1]])
