"""Damaged files of every format: a sentence of ours, never a crash, a hang, a library's words or a wrong shape."""

import gzip
import io
import random
import re
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from eigenselect.exceptions import InputError
from eigenselect.io.arrays import checked_coordinates, checked_sparse
from eigenselect.io.readers import read_table

#: words that belong to programmers
FOREIGN = re.compile(
    "numpy|scipy|pandas|h5py|hdf5|anndata|arrow|traceback|object at 0x|codec|tokeniz|c error|errno|dtype|zlib|thrift|"
    "ndarray|buffer|NoneType|unpack|_index",
    re.IGNORECASE,
)
NAMES = list("abcdef")
LABELS = np.array(list("uv") * 6)
SPARSE_LAYOUTS = ("csr", "csc", "coo")


def values():
    return np.random.default_rng(0).normal(size=(12, 6))


def thinned():
    return np.maximum(values(), 0)


def bytes_of(save, *args, **kwargs):
    buffer = io.BytesIO()
    save(buffer, *args, **kwargs)
    return buffer.getvalue()


def csv_bytes():
    return pd.DataFrame(values(), columns=NAMES).assign(y=LABELS).to_csv(index=False).encode()


def parquet_bytes(compression):
    pytest.importorskip("pyarrow")
    return bytes_of(pd.DataFrame(values(), columns=NAMES).assign(y=LABELS).to_parquet, compression=compression)


def h5ad_bytes(path, X):
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        obs = pd.DataFrame({"y": LABELS}, index=[f"c{i}" for i in range(12)])
        anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=NAMES)).write_h5ad(path)
    return path.read_bytes()


FILES = {
    "csv": csv_bytes,
    "csv.gz": lambda: gzip.compress(csv_bytes(), mtime=0),
    "dense.npz": lambda: bytes_of(np.savez, X=values(), y=LABELS, feature_names=NAMES),
    "packed.npz": lambda: bytes_of(np.savez_compressed, X=values(), y=LABELS, feature_names=NAMES),
    **{
        f"{layout}.npz": lambda layout=layout: bytes_of(
            sparse.save_npz, sparse.csr_matrix(thinned()).asformat(layout), compressed=False
        )
        for layout in SPARSE_LAYOUTS
    },
    "dense.mat": lambda: bytes_of(savemat, {"X": values(), "y": LABELS.astype(object)}),
    "packed.mat": lambda: bytes_of(savemat, {"X": values(), "y": LABELS.astype(object)}, do_compression=True),
    "sparse.mat": lambda: bytes_of(savemat, {"X": sparse.csc_matrix(thinned()), "y": LABELS}),
    "4.mat": lambda: bytes_of(savemat, {"X": values(), "y": np.arange(12.0)}, format="4"),
    "snappy.parquet": lambda: parquet_bytes("snappy"),
    "gzip.parquet": lambda: parquet_bytes("gzip"),
}


def flipped(content, rng, within=None):
    """Content with a few bytes changed, and sometimes without its end."""
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        damaged[rng.randrange(within or len(damaged))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
    return bytes(damaged[: rng.randrange(1, len(damaged))] if rng.random() < 0.1 else damaged)


def flipped_inside(content, rng):
    """A sound archive with one damaged array: what is checked last."""
    archive, target = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    victim = rng.choice(archive.namelist())
    with zipfile.ZipFile(target, "w") as other:
        for name in archive.namelist():
            array = archive.read(name)
            other.writestr(
                name, flipped(array, rng, min(len(array), rng.choice([128, 9999]))) if name == victim else array
            )
    return target.getvalue()


def reads_or_says_so(path, label):
    """Whether the table is read; if not, the sentence must be ours."""
    try:
        table = read_table(str(path), label=label)
    except InputError as error:
        said = str(error).removeprefix(str(path))
        assert said.isprintable()
        assert not FOREIGN.search(said), said
        assert len(said) < 1000
        return False
    X = table.X.toarray() if sparse.issparse(table.X) else np.asarray(table.X)
    assert np.isfinite(X).all()
    assert X.shape == (len(X), len(table.feature_names))
    return True


@pytest.mark.parametrize("name", FILES)
def test_flipped_bytes(tmp_path, name):
    content, rng = FILES[name](), random.Random(name)
    path = tmp_path / f"t.{name}"
    label = None if name.split(".")[0] in SPARSE_LAYOUTS else "y"
    path.write_bytes(content)
    assert reads_or_says_so(path, label)
    found = []
    for _ in range(60):
        inside = name.endswith(".npz") and rng.random() < 0.7
        path.write_bytes(flipped_inside(content, rng) if inside else flipped(content, rng))
        found.append(reads_or_says_so(path, label))
    assert not all(found)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_flipped_bytes_of_h5ad(tmp_path, kind):
    """Few, as each is read by a process of its own first: HDF5 itself crashes or hangs on one file in 400."""
    path = tmp_path / "t.h5ad"
    content, rng = h5ad_bytes(path, values() if kind == "dense" else sparse.csr_matrix(thinned())), random.Random(kind)
    assert reads_or_says_so(path, "y")
    for _ in range(6):
        path.write_bytes(flipped(content, rng))
        reads_or_says_so(path, "y")


def parts_of(layout):
    X = sparse.csr_array(thinned()).asformat(layout)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape), "layout": layout}


#: what is done to the parts of a csr or csc matrix, and what is said of it
BROKEN = [
    (lambda p: p["indices"].__setitem__(3, 10**6), "indices from 0 to 1000000 for"),
    (lambda p: p["indices"].__setitem__(-1, -1), "indices from -1 to"),
    (lambda p: p["indptr"].__setitem__(0, 1), "index pointers that start at 1, not at 0"),
    (lambda p: p["indptr"].__setitem__(2, 10**6), "index pointers that decrease"),
    (lambda p: p["indptr"].__setitem__(-1, 10**6), "index pointers up to 1000000 for"),
    (lambda p: p.update(indptr=p["indptr"][:-1]), r"index pointers for \d+ (rows|columns)"),
    (lambda p: p.update(indptr=p["indptr"][:0]), "no index pointers"),
    (lambda p: p.update(indptr=p["indptr"].astype(float)), "index pointers that are not a row of whole numbers"),
    (lambda p: p.update(indices=p["indices"].astype(float)), "indices that are not a row of whole numbers"),
    (lambda p: p.update(indices=p["indices"][:-1]), r"\d+ values for \d+ indices"),
    (lambda p: p.update(indices=p["indices"].astype(np.uint64) - np.uint64(9)), "indices from -"),
    (lambda p: p.update(data=p["data"].astype(str)), "values that are not a row of real numbers"),
    (lambda p: p.update(data=p["data"] * 1j), "values that are not a row of real numbers"),
    (lambda p: p.update(shape=np.array([12, -6])), "the shape 12 x -6"),
    (lambda p: p.update(shape=np.array([12.5, 6])), "a shape that is not two whole numbers"),
    (lambda p: p.update(shape=np.array([12, 6, 1])), "a shape that is not two whole numbers"),
]


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize(("breaks", "says"), BROKEN, ids=[says for _, says in BROKEN])
def test_the_structure_of_a_sparse_matrix_is_checked(layout, breaks, says):
    parts = parts_of(layout)
    np.testing.assert_array_equal(checked_sparse(**parts, source="t").toarray(), thinned())
    breaks(parts)
    with pytest.raises(InputError, match=f"t: is damaged, its sparse matrix has .*{says}"):
        checked_sparse(**parts, source="t")


def test_pointers_whose_differences_overflow():
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    with pytest.raises(InputError, match="index pointers that decrease"):
        checked_sparse([1.0], [0], np.array([0, high, low, 1]), (3, 2), "csr", "t")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("index", [-1, 12])
def test_the_places_of_a_sparse_matrix_are_checked(axis, index):
    X = sparse.coo_array(thinned())
    places = [part.copy() for part in X.coords]
    np.testing.assert_array_equal(checked_coordinates(X.data, *places, X.shape, "t").toarray(), thinned())
    places[axis][2] = index
    with pytest.raises(InputError, match=f"indices from .* for {X.shape[axis]} {('rows', 'columns')[axis]}"):
        checked_coordinates(X.data, *places, X.shape, "t")


def test_entries_at_one_place_are_added():
    X = checked_sparse([1.0, 2.0, 4.0], [1, 1, 0], [0, 3, 3], [2, 2], "csr", "t")
    assert X.nnz == 2
    np.testing.assert_array_equal(X.toarray(), [[4, 3], [0, 0]])


@pytest.mark.parametrize("layout", SPARSE_LAYOUTS)
def test_indices_out_of_range_do_not_crash_the_command(tmp_path, layout):
    """In a process of its own, as it did crash."""
    X = sparse.csr_matrix(thinned()).asformat(layout)
    where = X.col if layout == "coo" else X.indices
    where[1] = 2**30
    path = tmp_path / "t.npz"
    parts = {"row": X.row, "col": X.col} if layout == "coo" else {"indices": X.indices, "indptr": X.indptr}
    np.savez(path, data=X.data, shape=X.shape, format=np.array(layout.encode()), **parts)
    done = subprocess.run([sys.executable, "-m", "eigenselect", "rank", path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"eigenselect: error: .*: is damaged, its sparse matrix has indices from .*\n", done.stderr)


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_h5ad_with_indices_out_of_range(tmp_path, layout, part):
    h5ad_bytes(tmp_path / "t.h5ad", sparse.csr_matrix(thinned()).asformat(layout))
    import h5py

    with h5py.File(tmp_path / "t.h5ad", "r+") as file:
        file["X"][part][4] = 10**6
    with pytest.raises(InputError, match="is damaged, its sparse matrix has ind"):
        read_table(str(tmp_path / "t.h5ad"))


@pytest.mark.parametrize("layout", ["bsr", "dia"])
def test_other_kinds_of_sparse_matrices_are_named(tmp_path, layout):
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(thinned()).asformat(layout))
    with pytest.raises(InputError, match=f"of the kind '{layout}' that is not known or not whole; save it as csr"):
        read_table(str(tmp_path / "t.npz"))


class TestWhatHDF5DoesNotSurvive:
    """A program that crashes or hangs stands for HDF5: which bytes make it do so depends on its version."""

    @pytest.fixture
    def sound(self, tmp_path):
        h5ad_bytes(tmp_path / "t.h5ad", values())
        return tmp_path / "t.h5ad"

    @pytest.mark.parametrize("does", ["os.kill(os.getpid(), signal.SIGSEGV)", "time.sleep(600)"])
    def test_is_met_by_another_process_first(self, sound, tmp_path, monkeypatch, does):
        from eigenselect.io import h5ad_parts

        program = tmp_path / "reads.py"
        program.write_text(f"import os, signal, time\n{does}\n")
        monkeypatch.setattr(h5ad_parts, "__file__", str(program))
        monkeypatch.setattr(h5ad_parts, "PATIENCE", 0.5)
        with pytest.raises(InputError, match=r"t\.h5ad: cannot be read as h5ad, it is damaged or of another kind\."):
            read_table(str(sound), label="y")

    @pytest.mark.parametrize("executable", ["/nowhere/python", "", None])
    def test_a_process_that_cannot_be_started_is_done_without(self, sound, monkeypatch, executable):
        monkeypatch.setattr("sys.executable", executable)
        np.testing.assert_array_equal(read_table(str(sound), label="y").X, values())

    def test_another_program_with_python_in_it_is_not_started(self, sound, tmp_path, monkeypatch):
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
        program.chmod(0o755)
        monkeypatch.setattr("sys.executable", str(program))
        monkeypatch.setattr("sys.frozen", True, raising=False)
        np.testing.assert_array_equal(read_table(str(sound), label="y").X, values())
        assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("kind", ["<U0", "|V0", "|S0"])
def test_values_without_bytes_are_counted(tmp_path, kind):
    """An array of empty texts takes no bytes, however many there are; to look at each would take for ever."""
    header = io.BytesIO()
    claims = {"descr": kind, "fortran_order": False, "shape": (10**12,)}
    np.lib.format.write_array_header_1_0(header, claims)
    np.savez(tmp_path / "t.npz", X=np.eye(3))
    with zipfile.ZipFile(tmp_path / "t.npz", "a") as archive:
        archive.writestr("feature_names.npy", header.getvalue())
    with pytest.raises(InputError, match="cannot be read as npz, it is damaged"):
        read_table(str(tmp_path / "t.npz"))
