"""Feather files and those of Arrow: every way to write them, and lengths that a file only claims."""

import io
import re
import struct
import sys

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import n_refused, written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

pyarrow = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")

IDS = [f"0{i}" for i in range(6)]


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(6, 3)), columns=list("abc")).assign(y=["007", "07", ""] * 2, id=IDS)


def write_stream(frame, path):
    table = pyarrow.Table.from_pandas(frame)
    with pyarrow.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table, max_chunksize=2)


def write_file(frame, path):
    table = pyarrow.Table.from_pandas(frame)
    with pyarrow.ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=4)


def write_polars(frame, path):
    pytest.importorskip("polars").from_pandas(frame).write_ipc(path, compression="zstd")


WRITERS = {
    "t.feather": lambda frame, path: frame.to_feather(path),
    "plain.feather": lambda frame, path: frame.to_feather(path, compression="uncompressed"),
    "t.arrow": write_file,
    "stream.arrow": write_stream,
    "t.ipc": write_polars,
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_programs_write(frame, tmp_path, name):
    WRITERS[name](frame, str(tmp_path / name))
    table = read_table(str(tmp_path / name), label="y", samples="id")
    np.testing.assert_array_equal(table.X, frame[list("abc")].to_numpy())
    assert (table.feature_names, table.sample_names.tolist()) == (("a", "b", "c"), IDS)
    assert (table.label_text.tolist(), table.notes) == (["007", "07", ""] * 2, ())


def test_the_index_of_pandas_holds_names(frame, tmp_path):
    write_file(frame[list("abc")].set_axis(pd.Index(IDS, name="patient")), str(tmp_path / "t.arrow"))
    table = read_table(str(tmp_path / "t.arrow"))
    assert (table.sample_names.tolist(), table.feature_names) == (IDS, ("a", "b", "c"))
    assert table.notes == ("the index ('patient') is taken for names of samples",)


def test_the_same_as_pandas(tmp_path):
    """Whole numbers, truth, single precision, categories and missing values."""
    frame = pd.DataFrame(
        {
            "whole": [2**53 + 1, -7, 6],
            "truth": [True, False, True],
            "single": np.array([0.1, 0.2, 0.3], dtype=np.float32),
            "holes": [0.5, None, 1.5],
            "class": pd.Categorical(["u", "v", "u"]),
        }
    )
    frame.to_feather(tmp_path / "t.feather")
    theirs = pd.read_feather(tmp_path / "t.feather")
    table = read_table(str(tmp_path / "t.feather"), label="class", impute=True)
    np.testing.assert_array_equal(table.X[:, :3], theirs[["whole", "truth", "single"]].to_numpy(dtype=float))
    assert (table.X[1, 3], table.y.tolist()) == (1.0, theirs["class"].tolist())
    assert written(table).decode().splitlines()[1].split(",")[1] == str(2**53 + 1)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": [[1], [2]]}), r"1 column with lists or records \('a'\) cannot be a feature"),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), r"1 of 2 columns is not numeric \('b'\)"),
        (pd.DataFrame({"a": [1]}), "needs at least 2 samples, got 1"),
    ],
)
def test_tables_that_are_none(tmp_path, frame, message):
    frame.to_feather(tmp_path / "t.feather")
    with pytest.raises(InputError, match=message):
        read_table(str(tmp_path / "t.feather"))


def test_names_that_stand_twice(tmp_path):
    table = pyarrow.table([pyarrow.array([1.0, 2.0])] * 2, names=["a", "a"])
    with pyarrow.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as file:
        file.write_table(table)
    with pytest.raises(InputError, match=r"1 column name stands more than once \('a'\); make them unique"):
        read_table(str(tmp_path / "t.arrow"))


def test_version_1(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1" + b"\0" * 100)
    with pytest.raises(InputError, match=r"t\.feather: is feather of version 1; save it again with a newer"):
        read_table(str(tmp_path / "t.feather"))


@pytest.mark.parametrize("name", ["t.feather", "plain.feather", "stream.arrow"])
def test_damaged_files_are_read_or_refused(frame, tmp_path, name):
    WRITERS[name](frame, str(tmp_path / name))
    assert n_refused(tmp_path / name, lambda path: read_table(path, label="y", samples="id"), 40) > 20


def test_offsets_beyond_the_text_are_never_followed(tmp_path):
    """Arrow itself would read memory that is not its own."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "id": ["s1", "s2", "s3"]})
    frame.to_feather(tmp_path / "t.feather", compression="uncompressed")
    content = (tmp_path / "t.feather").read_bytes()
    offsets = next(bytes_ for width in ("i", "q") if (bytes_ := struct.pack(f"<4{width}", 0, 2, 4, 6)) in content)
    wrong = struct.pack(f"<4{'i' if len(offsets) == 16 else 'q'}", 0, 2, 2**30, 6)
    assert content.count(offsets) == 1
    (tmp_path / "t.feather").write_bytes(content.replace(offsets, wrong))
    with pytest.raises(InputError, match="cannot be read as feather, it is damaged"):
        read_table(str(tmp_path / "t.feather"), samples="id")


def test_columns_that_claim_to_decompress_to_more_than_memory(tmp_path):
    pd.DataFrame({"a": np.zeros(1000)}).to_feather(tmp_path / "t.feather", compression="zstd")
    content = (tmp_path / "t.feather").read_bytes()
    length = struct.pack("<q", 8000)  # stands before the compressed bytes
    assert content.count(length) == 1
    (tmp_path / "t.feather").write_bytes(content.replace(length, struct.pack("<q", 2**50)))
    with pytest.raises(InputError, match="needs more memory than|it is damaged"):
        read_table(str(tmp_path / "t.feather"))


def test_a_stream_of_more_batches_than_memory(tmp_path, little):
    table = pyarrow.table({"a": np.zeros(1000)})
    sink = io.BytesIO()
    with pyarrow.ipc.new_stream(sink, table.schema, options=pyarrow.ipc.IpcWriteOptions(compression="zstd")) as stream:
        for _ in range(1000):
            stream.write_table(table)
    (tmp_path / "t.arrow").write_bytes(sink.getvalue())
    with pytest.raises(InputError, match=r"reading it needs about 20\.0 MB of memory, 20\.0 MB are free"):
        read_table(str(tmp_path / "t.arrow"))


def test_a_missing_library(frame, tmp_path, monkeypatch):
    frame.to_feather(tmp_path / "t.feather")
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    with pytest.raises(InputError, match=re.escape("feather needs pyarrow; pip install 'eigenselect[io]'.")):
        read_table(str(tmp_path / "t.feather"))
