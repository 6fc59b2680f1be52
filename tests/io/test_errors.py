"""Damaged files of every format: a sentence of ours, never a crash, a hang, a library's words or a wrong shape."""

import gzip
import io
import random
import re
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat
from tests.io.tables import LABELS, NAMES, SPARSE_LAYOUTS, dense, h5ad_bytes, refuses, save, thinned, values

from eigenselect.exceptions import InputError
from eigenselect.io.errors import damaged, reading_as
from eigenselect.io.readers import read_table

#: words that belong to programmers
FOREIGN = re.compile(
    "numpy|scipy|pandas|h5py|hdf5|anndata|arrow|traceback|object at 0x|codec|tokeniz|c error|errno|dtype|zlib|thrift|"
    "ndarray|buffer|NoneType|unpack|_index",
    re.IGNORECASE,
)


def bytes_of(save, *args, **kwargs):
    buffer = io.BytesIO()
    save(buffer, *args, **kwargs)
    return buffer.getvalue()


def csv_bytes():
    return pd.DataFrame(values(), columns=NAMES).assign(y=LABELS).to_csv(index=False).encode()


def parquet_bytes(compression):
    pytest.importorskip("pyarrow")
    return bytes_of(pd.DataFrame(values(), columns=NAMES).assign(y=LABELS).to_parquet, compression=compression)


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
    X = dense(table.X)
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
    for _ in range(40):
        inside = name.endswith(".npz") and rng.random() < 0.7
        path.write_bytes(flipped_inside(content, rng) if inside else flipped(content, rng))
        found.append(reads_or_says_so(path, label))
    assert not all(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_flipped_bytes_of_h5ad(tmp_path, kind):
    """Few, as each is read by a process of its own first: HDF5 itself crashes or hangs on one file in 400."""
    path = tmp_path / "t.h5ad"
    content, rng = h5ad_bytes(path, values() if kind == "dense" else sparse.csr_matrix(thinned())), random.Random(kind)
    assert reads_or_says_so(path, "y")
    for _ in range(6):
        path.write_bytes(flipped(content, rng))
        reads_or_says_so(path, "y")


def test_what_a_library_raises_is_ours_and_what_is_ours_passes():
    with pytest.raises(InputError, match="damaged"), reading_as("npz", "t.npz"):
        raise KeyError("zlib")
    for passes in (damaged("t.npz", "npz"), MemoryError()):
        with pytest.raises(type(passes)) as caught, reading_as("npz", "t.npz"):
            raise passes
        assert caught.value is passes


def test_near_names_are_offered(tmp_path):
    for names, wanted, keyword in [
        ("age,page", "Age", "did you mean 'age'?"),
        ("height,x", "heixht", "did you mean 'height'?"),
        ("a,b", "zzz", "2 columns ('a', 'b')"),
        (f"{'a' * 300},b", "A" * 300, "did you mean"),
        (f"{'a' * 299},b", "a" * 300, "2 columns"),  # very long names are not compared
    ]:
        refuses(save(tmp_path, f"{names}\n1,2\n3,4\n"), keyword, label=wanted)


def test_missing_libraries_are_named(tmp_path, monkeypatch):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    for module, ending in {"openpyxl": "xlsx", "pyarrow.ipc": "feather", "pyarrow.parquet": "parquet"}.items():
        pytest.importorskip(module)
        path = tmp_path / f"t.{ending}"
        getattr(frame, f"to_{ending}".replace("xlsx", "excel"))(path)
        monkeypatch.setitem(sys.modules, module, None)
        refuses(path, "eigenselect[io]")
