"""Parquet files that are written: types and digits of the columns that were read, or types that hold all values."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from eigenselect.exceptions import InputError  # noqa: E402
from eigenselect.io.parquet_write import write_parquet  # noqa: E402
from eigenselect.io.readers import read_table  # noqa: E402
from eigenselect.io.table import Table, imputed, scaled  # noqa: E402
from eigenselect.io.writers import ColumnNames, column_names  # noqa: E402

NAMES = ColumnNames("sample", "label")
#: a column of every kind of number
COLUMNS = {
    "tiny": pa.array([1, 2, 3], pa.int8()),
    "large": pa.array([2**63 - 1, -(2**63), 0], pa.int64()),
    "unsigned": pa.array([2**64 - 1, 0, 1], pa.uint64()),
    "float": pa.array([0.1, 2.5, -0.0], pa.float32()),
    "decimal": pa.array([Decimal("0.10"), Decimal("12345678901234567890.12"), Decimal("3.00")], pa.decimal128(25, 2)),
    "truth": pa.array([True, False, True]),
    "y": pa.array(["u", "v", None]).dictionary_encode(),
    "id": pa.array(["007", "07", "7"]),
}


@pytest.fixture
def path(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "s.parquet", compression="zstd")
    return str(tmp_path / "s.parquet")


@pytest.fixture
def target(tmp_path):
    return str(tmp_path / "t.parquet")


def write(table, target):
    names = column_names(table, "parquet", samples=table.samples_name, label=table.label_name)
    write_parquet(target, table, names)
    return pq.read_table(target)


def kept(table, names):
    columns = [table.feature_names.index(name) for name in names]
    return replace(table, X=table.X[:, columns], feature_names=tuple(names))


class TestColumnsOfAFile:
    def test_have_the_same_types_and_digits(self, path, target):
        names = ["tiny", "large", "unsigned", "decimal", "truth"]
        found = write(kept(read_table(path, label="y", samples="id"), names), target)
        assert found.equals(pq.read_table(path).select(["id", "y", *names]))
        assert pq.ParquetFile(target).metadata.row_group(0).column(0).compression == "ZSTD"

    @pytest.mark.parametrize("name", [None, "patient"])
    def test_keep_the_index_of_pandas(self, tmp_path, target, name):
        frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}, index=pd.Index(["p1", "p2"], name=name))
        frame.to_parquet(tmp_path / "i.parquet")
        write(kept(read_table(str(tmp_path / "i.parquet")), ["b"]), target)
        pd.testing.assert_frame_equal(pd.read_parquet(target), frame[["b"]])

    def test_values_that_changed_are_not_taken_from_the_file(self, path, target):
        table = kept(read_table(path, ignore=["y", "id"]), ["tiny", "float"])
        found = write(scaled(table, "minmax"), target)
        assert found["tiny"].to_pylist() == [0.0, 0.5, 1.0]
        assert found.schema.field("tiny").type == pa.float64()

    def test_filled_columns(self, tmp_path, target):
        pq.write_table(pa.table({"a": pa.array([1, None, 3, 5]), "b": [0.5, 1, 2, 3]}), tmp_path / "m.parquet")
        table = imputed(read_table_with_holes(tmp_path / "m.parquet"), "m.parquet")
        assert write(table, target)["a"].to_pylist() == [1, 3, 3, 5]

    def test_labels_of_another_file_come_along(self, path, target):
        table = read_table(path, samples="id", ignore=["y"])
        labels = np.array(["p", "", "q"], dtype=object)
        table = replace(kept(table, ["tiny"]), y=labels, label_text=labels, label_name="type")
        assert write(table, target).to_pydict() == {
            "type": ["p", None, "q"], "id": ["007", "07", "7"], "tiny": [1, 2, 3]
        }  # fmt: skip

    def test_labels_of_another_file_are_not_those_of_a_column_of_their_name(self, path, target):
        table = kept(read_table(path, ignore=["y", "id"]), ["tiny"])
        labels = np.array(["p", "q", "q"], dtype=object)
        table = replace(table, y=labels, label_text=labels, label_name="y")
        assert write(table, target).to_pydict() == {"y": ["p", "q", "q"], "tiny": [1, 2, 3]}

    def test_columns_that_were_made_of_text(self, path, target):
        table = read_table(path, ignore=["id"], one_hot=True)
        found = write(kept(table, ["tiny", "y=v"]), target)
        assert found.to_pydict() == {"tiny": [1, 2, 3], "y=v": [0.0, 1.0, 0.0]}
        assert found.schema.field("tiny").type == pa.int64()

    def test_a_file_that_changed(self, path, target):
        table = kept(read_table(path, ignore=["y", "id"]), ["tiny"])
        pq.write_table(pa.table({"tiny": [7, 8, 9]}), path)
        with pytest.raises(InputError, match="was changed while it was read"):
            write(table, target)


def read_table_with_holes(path):
    from eigenselect.io.column_roles import ColumnRoles
    from eigenselect.io.parquet import read_parquet

    return read_parquet(str(path), "m.parquet", ColumnRoles())


class TestOtherTables:
    def test_whole_numbers_of_text_are_whole(self, tmp_path, target):
        (tmp_path / "t.csv").write_text("a,b,c\n1,2,0.5\n9007199254740993,3.0,1\n")
        found = write(read_table(str(tmp_path / "t.csv")), target)
        assert found.to_pydict() == {"a": [1, 9007199254740993], "b": [2.0, 3.0], "c": [0.5, 1.0]}
        assert [str(kind) for kind in found.schema.types] == ["int64", "double", "double"]

    def test_whole_numbers_beyond_every_type(self, tmp_path, target):
        (tmp_path / "t.csv").write_text("a,b\n1,2\n9223372036854775809,3\n")
        with pytest.raises(InputError, match="'a' holds whole numbers beyond 2\\^63"):
            write(read_table(str(tmp_path / "t.csv")), target)

    def test_large_powers_of_two_are_floating_point_numbers(self, tmp_path, target):
        (tmp_path / "t.csv").write_text("a,b\n1,2\n18446744073709551616,3\n")
        assert write(read_table(str(tmp_path / "t.csv")), target)["a"].to_pylist() == [1.0, 2.0**64]

    @pytest.mark.parametrize("dtype", [np.float32, np.int16, np.bool_])
    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_matrix])
    def test_arrays_keep_their_type(self, target, dtype, kind):
        X = np.array([[0, 2], [3, 0], [0, 1]]).astype(dtype)
        found = write(Table(kind(X), ("a", "b")), target)
        np.testing.assert_array_equal(found.to_pandas().to_numpy(), X)
        assert found.to_pandas().dtypes.tolist() == [np.dtype(dtype)] * 2

    def test_names_and_labels(self, target):
        names = np.array(["s1", "s2"], dtype=object)
        table = Table(np.eye(2), ("a", "b"), np.array([1.0, np.nan]), (), names, np.array(["1", ""], dtype=object))
        found = write(table, target)
        assert found.select(["sample", "label"]).to_pydict() == {"sample": ["s1", "s2"], "label": ["1", None]}

    def test_features_of_equal_names(self, target):
        with pytest.raises(InputError, match="parquet holds one column of each name, but 'a' stands twice"):
            write_parquet(target, Table(np.eye(3), ("a", "b", "a")), NAMES)
