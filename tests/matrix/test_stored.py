"""Lines of datasets in files: HDF5 and zarr, dense and sparse, sound and damaged."""

import h5py
import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix.stored import DenseLines, SparseLines, is_stored, stored

X = np.arange(35.0).reshape(7, 5) * (np.arange(35).reshape(7, 5) % 3 == 0)


def written(path, *, kind="csr", encoding="now", dtype=float, **damage):
    """A group of HDF5 as anndata writes it now, or did long ago; ``damage`` replaces parts of it."""
    matrix = (sparse.csr_matrix if kind == "csr" else sparse.csc_matrix)(X.astype(dtype))
    group = h5py.File(path, "w").create_group("X")
    keys = ("encoding-type", "shape") if encoding == "now" else ("h5sparse_format", "h5sparse_shape")
    group.attrs[keys[0]] = f"{kind}_matrix" if encoding == "now" else kind
    group.attrs[keys[1]] = damage.get("shape", X.shape)
    for name in ("data", "indices", "indptr"):
        group[name] = damage.get(name, getattr(matrix, name))
    return group


@pytest.mark.parametrize("encoding", ["now", "old"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_sparse_lines(tmp_path, kind, encoding):
    lines = stored(written(tmp_path / "x", kind=kind, encoding=encoding), "X")
    expected = X if kind == "csr" else X.T
    assert (lines.axis, lines.shape, lines.is_sparse) == (int(kind == "csc"), expected.shape, True)
    np.testing.assert_array_equal(lines.read(slice(1, 4), slice(1, 5)).toarray(), expected[1:4, 1:5])
    entries = lines.entry_bytes
    np.testing.assert_array_equal(lines.line_bytes(), (expected != 0).sum(axis=1) * entries)
    np.testing.assert_array_equal(lines.value_bytes(), (expected != 0).sum(axis=0) * entries)


def test_dense_lines(tmp_path):
    lines = stored(h5py.File(tmp_path / "x", "w").create_dataset("X", data=X), "X")
    assert isinstance(lines, DenseLines)
    np.testing.assert_array_equal(lines.read(slice(1, 4), slice(1, 3)), X[1:4, 1:3])
    assert lines.line_bytes().tolist() == [40] * 7
    assert lines.value_bytes().tolist() == [56] * 5


@pytest.mark.parametrize(
    ("dtype", "given"), [("float32", "float32"), ("int16", "int16"), ("bool", "bool"), ("uint64", "uint64")]
)
def test_numbers_keep_their_type(tmp_path, dtype, given):
    for lines in (
        stored(written(tmp_path / "s", dtype=dtype), "X"),
        stored(h5py.File(tmp_path / "d", "w").create_dataset("X", data=X.astype(dtype)), "X"),
    ):
        assert lines.dtype == lines.read(slice(0, 2), slice(0, 5)).dtype == given


@pytest.mark.parametrize("most", [1, 40, 100, 10**6])
def test_steps_cover_all_lines_and_are_small(tmp_path, monkeypatch, most):
    monkeypatch.setattr("eigenselect.matrix.stored.read_bytes", lambda: most)
    for lines in (stored(written(tmp_path / "s"), "X"), DenseLines(X, "X")):
        steps = lines.steps()
        assert np.concatenate([np.arange(s.start, s.stop) for s in steps]).tolist() == list(range(7))
        sizes = lines.line_bytes()
        assert all(sizes[s].sum() <= most or np.count_nonzero(sizes[s]) == 1 for s in steps)


def test_duplicates_are_one_value(tmp_path):
    group = written(tmp_path / "x", data=[1.0, 2.0, 4.0], indices=[3, 3, 0], indptr=[0, 3, 3, 3, 3, 3, 3, 3])
    assert SparseLines(group, "X").read(slice(0, 1), slice(0, 5)).toarray().tolist() == [[4.0, 0, 0, 3.0, 0]]


def test_a_sum_that_a_short_type_does_not_hold(tmp_path):
    """int8 holds 100 and 27, but not 128: it would be -128 where a block is cut out."""
    parts = {"indices": [3, 3, 0], "indptr": [0, 3, 3, 3, 3, 3, 3, 3]}
    fitting = SparseLines(written(tmp_path / "x", data=np.array([100, 27, 4], dtype=np.int8), **parts), "X")
    read = fitting.read(slice(0, 1), slice(0, 5))
    assert (read.toarray().tolist(), read.dtype) == ([[4, 0, 0, 127, 0]], np.int8)
    beyond = SparseLines(written(tmp_path / "y", data=np.array([100, 28, 4], dtype=np.int8), **parts), "X")
    with pytest.raises(
        ValueError, match=r"^X names places of its matrix several times, and their sum does not fit int8"
    ):
        beyond.read(slice(0, 1), slice(0, 5))


def test_entries_of_a_row_in_any_order_keep_their_type(tmp_path):
    parts = {"data": np.array([7, 4], dtype=np.int8), "indices": [3, 0], "indptr": [0, 2, 2, 2, 2, 2, 2, 2]}
    read = SparseLines(written(tmp_path / "x", **parts), "X").read(slice(0, 1), slice(0, 5))
    assert (read.toarray().tolist(), read.dtype) == ([[4, 0, 0, 7, 0]], np.int8)


@pytest.mark.parametrize("shape", [[7, 5, 2], "abc", [-7, 5], 7, [7.0, 5.5]], ids=str)
def test_a_shape_that_cannot_be(tmp_path, shape):
    with pytest.raises(ValueError, match="^X is damaged: its shape must be two whole numbers, got "):
        SparseLines(written(tmp_path / "x", shape=shape), "X")


@pytest.mark.parametrize("shape", [[7, 10**14], [10**14, 5]], ids=str)
def test_a_shape_beyond_memory(tmp_path, shape):
    """A small file may claim any number of features, of which nothing is allocated."""
    with pytest.raises(MemoryError, match="^X: its .* samples and .* features need .* see whether the file claims"):
        SparseLines(written(tmp_path / "x", shape=shape), "X")


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_indices_with_fractions(tmp_path, name):
    held = sparse.csr_matrix(X)
    lines = SparseLines(written(tmp_path / "x", **{name: getattr(held, name) + 0.4}), "X")
    with pytest.raises(ValueError, match=f"^X is damaged: its {name} are float64, not integers; write the file again"):
        lines.read(slice(0, 7), slice(0, 5))


@pytest.mark.parametrize(
    "damage",
    [
        {"indices": np.full(12, 5)},
        {"indices": np.full(12, -1)},
        {"indptr": [0, 2, 4, 6, 8, 10, 12, 99]},
        {"indptr": [0, 4, 2, 6, 8, 10, 11, 12]},
        {"indptr": [1, 2, 4, 6, 8, 10, 11, 12]},
        {"indptr": [0, 12]},
        {"data": np.ones(3)},
    ],
    ids=str,
)
def test_damaged_indices(tmp_path, damage):
    lines = SparseLines(written(tmp_path / "x", **damage), "SPEC: adata.X")
    with pytest.raises(ValueError, match=r"^SPEC: adata.X is damaged: its indices do not fit its shape; write the"):
        [lines.read(step, slice(0, 5)) for step in lines.steps()]


def test_sizes_of_damaged_columns(tmp_path):
    lines = SparseLines(written(tmp_path / "x", indices=np.full(12, 5)), "SPEC: adata.X")
    with pytest.raises(ValueError, match="damaged"):
        lines.value_bytes()


def test_a_chunk_that_cannot_be_read(tmp_path):
    path = tmp_path / "x"
    with h5py.File(path, "w") as file:
        noise = np.random.default_rng(0).random((60, 60))
        made = file.create_dataset("X", data=noise, chunks=(60, 60), compression="gzip")
        place = made.id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 100 : place + 400] = b"\0" * 300
    path.write_bytes(content)
    lines = DenseLines(h5py.File(path, "r")["X"], "SPEC: adata.X")
    with pytest.raises(ValueError, match=r"^SPEC: adata.X cannot be read from its file \(.*\); is it damaged, or"):
        lines.read(slice(0, 60), slice(0, 60))


def test_what_is_no_table(tmp_path):
    file = h5py.File(tmp_path / "x", "w")
    with pytest.raises(
        ValueError, match="^X is a group that holds no sparse matrix in anndata's encoding; choose a dataset"
    ):
        stored(file.create_group("g"), "X")
    with pytest.raises(ValueError, match=r"^X must have samples in rows and features in columns, got shape \(3,\)"):
        stored(file.create_dataset("v", data=np.ones(3)), "X")
    with pytest.raises(ValueError, match="^X must hold numbers, got object"):
        stored(file.create_dataset("t", data=np.array([["a"]], dtype=h5py.string_dtype())), "X")


def test_which_things_are_in_files(tmp_path):
    file = h5py.File(tmp_path / "x", "w")
    assert is_stored(file.create_group("g"))
    assert is_stored(file.create_dataset("d", data=X))
    assert not any(map(is_stored, (X, sparse.csr_matrix(X), None)))


def test_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(tmp_path / "x.zarr"), mode="w")
    group["d"] = X
    assert is_stored(group["d"])
    np.testing.assert_array_equal(stored(group["d"], "X").read(slice(2, 4), slice(0, 3)), X[2:4, :3])
    held = sparse.csr_matrix(X)
    part = group.create_group("s")
    for name in ("data", "indices", "indptr"):
        part[name] = getattr(held, name)
    part.attrs.update({"encoding-type": "csr_matrix", "shape": list(X.shape)})
    np.testing.assert_array_equal(stored(part, "X").read(slice(2, 7), slice(0, 5)).toarray(), X[2:7])
