"""Parquet, feather and Arrow files: an index is names, numbers keep their digits, lengths are not believed."""

import io
import struct
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import n_refused, refuses, save, written

from eigenselect.io.readers import read_other_table, read_table

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.feather")

CLASSES = ["007", "07", ""] * 2
IDS = [f"0{i}" for i in range(6)]


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(6, 3)), columns=list("abc")).assign(y=CLASSES, id=IDS)


def write_blocks(new, n):
    def write(frame, path):
        table = pyarrow.Table.from_pandas(frame)
        with new(path, table.schema) as file:
            file.write_table(table, max_chunksize=n)

    return write


def write_polars(frame, path):
    pytest.importorskip("polars").from_pandas(frame).write_ipc(path, compression="zstd")


WRITERS = {
    "t.parquet": lambda frame, path: frame.to_parquet(path),
    "t.feather": lambda frame, path: frame.to_feather(path),
    "plain.feather": lambda frame, path: frame.to_feather(path, compression="uncompressed"),
    "t.arrow": write_blocks(pyarrow.ipc.new_file, 4),
    "stream.arrow": write_blocks(pyarrow.ipc.new_stream, 2),
    "t.ipc": write_polars,
}
#: one writer of each format that keeps the index of pandas
INDEXED = ["t.parquet", "t.arrow"]


@pytest.mark.parametrize("name", WRITERS)
def test_what_programs_write(frame, tmp_path, name):
    path = str(tmp_path / name)
    WRITERS[name](frame, path)
    table = read_table(path, label="y", samples="id")
    np.testing.assert_array_equal(table.X, frame[list("abc")].to_numpy())
    assert (table.feature_names, table.sample_names.tolist()) == (("a", "b", "c"), IDS)
    assert (table.label_text.tolist(), table.notes) == (CLASSES, ())


@pytest.mark.parametrize("name", INDEXED)
class TestIndex:
    def test_holds_names(self, frame, tmp_path, name):
        path = str(tmp_path / name)
        for called in (None, "patient"):
            WRITERS[name](frame.drop(columns="id").set_axis(pd.Index(IDS, name=called)), path)
            table = read_table(path, label="y")
            assert (table.sample_names.tolist(), table.feature_names) == (IDS, ("a", "b", "c"))
            assert len(table.notes) == (called is not None)
        assert "'patient'" in table.notes[0]
        named = read_table(path, label="y", samples="patient")
        assert (named.sample_names.tolist(), named.notes) == (IDS, ())
        ignored = read_table(path, label="y", ignore=["patient"])
        assert (ignored.sample_names, ignored.feature_names) == (None, ("a", "b", "c"))
        refuses(path, "'patient' is both", label="y", samples="patient", ignore=["a,patient"])

    def test_of_two_levels_or_of_counts(self, frame, tmp_path, name):
        path = str(tmp_path / name)
        levels = pd.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["group", "visit"])
        WRITERS[name](frame[list("abc")].set_axis(levels), path)
        assert read_table(path).sample_names[0] == "u/1"
        table = read_table(path, label="group")
        assert (table.y.tolist(), table.sample_names.tolist()) == (["u"] * 3 + ["v"] * 3, ["1", "2", "3"] * 2)
        WRITERS[name](frame[list("abc")], path)
        assert read_table(path).sample_names is None
        WRITERS[name](frame[["id", "a"]], path)  # the first column names the samples of another table
        assert read_other_table(path, names=True).sample_names.tolist() == IDS


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
class TestValues:
    def test_of_every_type(self, tmp_path, name):
        whole, cells = [2**53 + 1, -(2**62) - 1, 6], ["0.10", "12345678901234567.89", "-3.00"]
        frame = pd.DataFrame(
            {
                "whole": whole,
                "decimal": list(map(Decimal, cells)),
                "truth": [True, False, True],
                "single": np.array([0.1, 0.2, 0.3], dtype=np.float32),
                "holes": [0.5, None, 1.5],
                "class": pd.Categorical(["u", "v", "u"]),
                "code": list(map(Decimal, cells)),
            }
        )
        path = str(tmp_path / name)
        WRITERS[name](frame, path)
        table = read_table(path, label="class", ignore=["code"], impute=True)
        expected = frame[["whole", "decimal", "truth", "single"]].to_numpy(dtype=float)
        np.testing.assert_array_equal(table.X[:, :4], expected)
        assert (table.X[1, 4], table.y.tolist()) == (1.0, ["u", "v", "u"])
        lines = [line.split(",")[1:3] for line in written(table).decode().splitlines()[1:]]
        assert lines == [[str(number), cell] for number, cell in zip(whole, cells, strict=True)]
        assert read_table(path, label="code", ignore=["class"], impute=True).label_text.tolist() == cells
        WRITERS[name](frame.assign(y=[1, 2, 3])[["single", "y"]], path)
        assert read_table(path, label="y").y.tolist() == [1, 2, 3]

    def test_that_are_no_table(self, tmp_path, name):
        for frame, keyword in [
            (pd.DataFrame({"a": [[1], [2]], "b": [1.0, 2.0]}), "records ('a')"),
            (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "not numeric ('b')"),
            (pd.DataFrame({"a": [1]}), "2 samples, got 1"),
        ]:
            WRITERS[name](frame, str(tmp_path / name))
            refuses(tmp_path / name, keyword)


def test_names_that_stand_twice(tmp_path):
    table = pyarrow.table([pyarrow.array([1.0, 2.0])] * 2, names=["a", "a"])
    with pyarrow.ipc.new_file(str(tmp_path / "t.arrow"), table.schema) as file:
        file.write_table(table)
    refuses(tmp_path / "t.arrow", "('a')")


class TestHostile:
    def test_version_1(self, tmp_path):
        refuses(save(tmp_path, b"FEA1" + b"\0" * 100, "t.feather"), "version 1")

    @pytest.mark.parametrize("name", ["t.feather", "plain.feather", "stream.arrow"])
    def test_damaged_files_are_read_or_refused(self, frame, tmp_path, name):
        WRITERS[name](frame, str(tmp_path / name))
        assert n_refused(tmp_path / name, lambda path: read_table(path, label="y", samples="id"), 40) > 20

    def test_offsets_beyond_the_text_are_never_followed(self, tmp_path):
        """Arrow itself would read memory that is not its own."""
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "id": ["s1", "s2", "s3"]})
        frame.to_feather(tmp_path / "t.feather", compression="uncompressed")
        content = (tmp_path / "t.feather").read_bytes()
        offsets = next(bytes_ for width in ("i", "q") if (bytes_ := struct.pack(f"<4{width}", 0, 2, 4, 6)) in content)
        wrong = struct.pack(f"<4{'i' if len(offsets) == 16 else 'q'}", 0, 2, 2**30, 6)
        assert content.count(offsets) == 1
        refuses(save(tmp_path, content.replace(offsets, wrong), "t.feather"), "damaged", samples="id")

    def test_columns_that_claim_to_decompress_to_more_than_memory(self, tmp_path):
        pd.DataFrame({"a": np.zeros(1000)}).to_feather(tmp_path / "t.feather", compression="zstd")
        content = (tmp_path / "t.feather").read_bytes()
        length = struct.pack("<q", 8000)  # stands before the compressed bytes
        assert content.count(length) == 1
        refuses(save(tmp_path, content.replace(length, struct.pack("<q", 2**50)), "t.feather"), "")

    def test_more_than_memory(self, tmp_path, little):
        pd.DataFrame(np.zeros((10**5, 20)), columns=[f"x{j}" for j in range(20)]).to_parquet(tmp_path / "t.parquet")
        refuses(tmp_path / "t.parquet", "48.0 MB")
        table, sink = pyarrow.table({"a": np.zeros(1000)}), io.BytesIO()
        packed = pyarrow.ipc.IpcWriteOptions(compression="zstd")
        with pyarrow.ipc.new_stream(sink, table.schema, options=packed) as stream:
            for _ in range(1000):
                stream.write_table(table)
        refuses(save(tmp_path, sink.getvalue(), "t.arrow"), "20.0 MB are free")
