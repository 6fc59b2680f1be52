"""Tables that are written are read again: numbers, letters, types and names; whole or not at all."""

import io
import os
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.io.annotated import rich
from tests.io.annotated import written as saved_h5ad
from tests.io.tables import dense, refuses, save, save_h5ad, written

from eigenselect.io import table_files
from eigenselect.io.labels import labels_of
from eigenselect.io.readers import read_table
from eigenselect.io.table import Table, scaled
from eigenselect.io.table_files import check_can_write, text_for_output, write_table
from eigenselect.io.writers import OWN_ARRAYS, as_csv, check_array_names, column_names, table_bytes

FORMATS = ["csv", "tsv", "parquet", "npz", "h5ad"]
X = np.arange(12.0).reshape(4, 3) ** 2


def needed(ending):
    """Skip where a package is missing."""
    for package in {"parquet": ["pyarrow"], "h5ad": ["anndata"]}.get(ending, []):
        pytest.importorskip(package)


def write(table, path, **how):
    ending = str(path).rsplit(".", 1)[1]
    names = column_names(table, ending, samples=table.samples_name, label=table.label_name)
    return write_table(str(path), table, ending, names, **how)


def table_of(texts, X=X, feature_names=("TP53", "größe", "c"), label="type"):
    text, names = np.array(list(texts), dtype=object), np.array(["s1", "s2", "01", "1"], dtype=object)
    y = labels_of(text, "y", "t")
    return Table(X, feature_names, y, (), names, text, label_name=label, samples_name="id")


def kept(table, names):
    """Keep some features of a table, as a selection does."""
    columns = [table.feature_names.index(name) for name in names]
    origin = table.origin.taken(table.feature_names, columns) if table.origin else None
    return replace(table, X=table.X[:, columns], feature_names=tuple(names), origin=origin)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("ending", FORMATS)
class TestEveryFormat:
    def test_what_was_written_is_read_again(self, tmp_path, ending):
        needed(ending)
        path, stays_sparse = tmp_path / f"t.{ending}", ending in ("npz", "h5ad")
        how = {"label": "type", "samples": None if ending == "h5ad" else "id"}
        for texts in ("u,,v,u", "012,12,012,12", "1,,2,1", "1,2,2,1", "1.50,2,3,4"):
            for kind in (np.asarray, sparse.csr_array):
                table = table_of(texts.split(","), kind(X))
                notes = write(table, path, force=True)
                found = read_table(str(path), **how)
                np.testing.assert_array_equal(dense(found.X), X)
                assert (found.feature_names, found.sample_names.tolist()) == (
                    table.feature_names,
                    ["s1", "s2", "01", "1"],
                )
                assert found.n_unlabelled == texts.split(",").count("")
                if "1.50" not in texts or ending in ("csv", "tsv"):  # elsewhere, measurements are numbers
                    assert found.label_text.tolist() == texts.split(",")
                assert sparse.issparse(found.X) == (stays_sparse and sparse.issparse(table.X))
                assert len(notes) == (sparse.issparse(table.X) and not stays_sparse)

    def test_a_failure_leaves_the_old_file_and_nothing_else(self, tmp_path, monkeypatch, ending):
        def half(target, *rest):
            with open(target, "wb") as file:
                file.write(b"half")
            raise OSError(28, "No space left on device")

        monkeypatch.setitem(table_files._WRITERS, ending, half)
        target = tmp_path / f"t.{ending}"
        target.write_text("old")
        with pytest.raises(OSError, match="nothing was changed"):
            write(table_of("uvuv"), target, force=True)
        assert (target.read_text(), os.listdir(tmp_path)) == ("old", [target.name])

    def test_no_file_is_replaced_without_force(self, tmp_path, ending):
        needed(ending)
        target = save(tmp_path, "old", f"t.{ending}")
        refuses(target, "--force", lambda path: write(table_of("uvuv"), path))
        assert (tmp_path / f"t.{ending}").read_bytes() == b"old"
        write(table_of("uvuv"), target, force=True)
        assert (tmp_path / f"t.{ending}").read_bytes() != b"old"

    def test_what_a_format_cannot_hold_is_refused_early(self, tmp_path, monkeypatch, ending):
        for label, formats in (("X", ["npz"]), ("a/b", ["h5ad"])):
            if ending in formats:
                refuses("t", f"'{label}'", lambda path, label=label: check_can_write(path, ending, label=label))
            else:
                check_can_write("t", ending, label=label)
        if ending in ("parquet", "h5ad"):
            monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
            refuses("t", "pip install 'eigenselect[", lambda path: check_can_write(path, ending))


def test_sparse_tables_that_do_not_fit_into_memory(little, tmp_path):
    wide = Table(sparse.csr_array((5000, 5000)), tuple(f"f{j}" for j in range(5000)))
    for ending in ("csv", "tsv", "parquet"):
        refuses(tmp_path / f"t.{ending}", "400.0 MB", lambda path: write(wide, path))
    names = column_names(wide, "csv", samples=None, label=None)
    refuses("-", "standard output", lambda path: text_for_output(wide, names))
    assert os.listdir(tmp_path) == []


def test_text_for_output_is_what_a_csv_holds(tmp_path):
    write(table_of("uvuv"), tmp_path / "t.csv")
    names = column_names(table_of("uvuv"), "csv", samples="id", label="type")
    assert text_for_output(table_of("uvuv"), names) == (tmp_path / "t.csv").read_text(encoding="utf-8")


class TestNames:
    @given(
        st.lists(st.sampled_from(["sample", "label", "sample_", "y", "id", "z"]), min_size=3, max_size=3, unique=True)
    )
    def test_that_features_have_already(self, names):
        table = table_of("uvuv", feature_names=tuple(names))
        for given_names in ({"samples": None, "label": None}, {"samples": "id", "label": "y"}):
            called = column_names(table, "csv", **given_names)
            frame = pd.read_csv(io.BytesIO(table_bytes(table, "csv", called)))
            assert list(frame.columns) == [called.sample, called.label, *names]
            assert frame.columns.is_unique
            assert called.sample.rstrip("_") == (given_names["samples"] or "sample")

    def test_of_arrays_in_an_archive(self, tmp_path):
        path = tmp_path / "t.npz"
        for name in ("file", "allow_pickle", "arr_0", "a/b", "x.npy", "naïve 🧬"):
            write(table_of(["u", "v", "", "v"], label=name), path, force=True)
            assert read_table(str(path), label=name, samples="id").label_text.tolist() == ["u", "v", "", "v"]
        path.unlink()
        for name in OWN_ARRAYS:
            refuses("t.npz", f"'{name}'", lambda path, name=name: check_array_names(path, [None, name]))
        refuses(path, "'X'", lambda path: write(table_of("uvuv", label="X"), path))
        assert os.listdir(tmp_path) == []


def test_rows_with_different_keys_become_one_table():
    rows = [{"a": 1, "b": float("nan")}, {"a": 2, "c": "x,y"}]
    assert as_csv(rows) == 'a,b,c\n1,,\n2,,"x,y"\n'
    assert as_csv(rows, "\t") == "a\tb\tc\n1\t\t\n2\t\tx,y\n"


LETTERS = {
    "a": ["6", "6.0", "6.50", "+7", "007"],
    "b": ["9007199254740993", "18446744073709551617", "-9223372036854775809", "1", "2"],
    "c": ["1e3", "1E3", ".5", "5.", "0.1000000000000000055511151231257827"],
    "d": ["True", "False", "True", "True", "False"],
    "e": ["1", "2", "3", "4", "5"],
}


def test_every_cell_is_written_as_it_stood(tmp_path, monkeypatch):
    frame, marks = pd.DataFrame(LETTERS), {"tsv": "\t"}
    for source, target in (("csv", "csv"), ("tsv", "csv"), ("csv.xz", "tsv"), ("csv", "tsv")):
        path = tmp_path / f"t.{source}"
        frame.to_csv(path, index=False, sep=marks.get(source, ","))
        expected = frame.to_csv(index=False, sep=marks.get(target, ","))
        table = read_table(str(path))
        assert written(table, target).decode() == expected
        for names in (["e"], ["c", "a"], ["d", "b"]):
            expected = frame[names].to_csv(index=False, sep=marks.get(target, ","))
            assert written(kept(table, names), target).decode() == expected


class TestWholeNumbersInAnArchive:
    """They are whole where floating-point numbers would be others."""

    #: text of a csv file and the numbers of the archive, or None where no matrix can hold them
    TABLES = (
        ("a,b\n9007199254740993,1\n2,3\n", np.array([[2**53 + 1, 1], [2, 3]])),
        ("a,b\n9007199254740994,1\n2,3\n", np.array([[2.0**53 + 2, 1], [2, 3]])),
        ("a,b\n9007199254740993,0.5\n2,3\n", None),
        ("a,b\n9007199254740993,99999999999999999999\n2,3\n", None),
        ("t,a\nu,9007199254740993\nv,2\nu,3\n", np.array([[1, 0, 2**53 + 1], [0, 1, 2], [1, 0, 3]])),
    )

    def test_of_text(self, tmp_path):
        for text, expected in self.TABLES:
            table = read_table(save(tmp_path, text), one_hot=True)
            if expected is None:
                refuses("t.npz", "beyond 2^53", lambda _, table=table: written(table, "npz"))
            else:
                found = read_table(save(tmp_path, written(table, "npz"), "t.npz"))
                assert (found.X.dtype, found.X.tolist()) == (expected.dtype, expected.tolist())

    def test_of_parquet(self, tmp_path):
        pytest.importorskip("pyarrow")
        for other, expected in ([0.5, 2.0], None), ([2.0, 3.0], [[2**53 + 1, 2], [2, 3]]):
            pd.DataFrame({"a": [2**53 + 1, 2], "b": other}).to_parquet(tmp_path / "t.parquet")
            table = read_table(str(tmp_path / "t.parquet"))
            if expected is None:
                refuses("t.npz", "'a'", lambda _, table=table: written(table, "npz"))
            else:
                assert read_table(save(tmp_path, written(table, "npz"), "t.npz")).X.tolist() == expected


class TestParquet:
    """Types and digits of the columns that were read, or types that hold all values."""

    @pytest.fixture
    def pa(self):
        return pytest.importorskip("pyarrow")

    @pytest.fixture
    def path(self, pa, tmp_path):
        """A column of every kind of number."""
        numbers = [Decimal("0.10"), Decimal("12345678901234567890.12"), Decimal("3.00")]
        columns = {
            "tiny": pa.array([1, 2, 3], pa.int8()),
            "large": pa.array([2**63 - 1, -(2**63), 0], pa.int64()),
            "unsigned": pa.array([2**64 - 1, 0, 1], pa.uint64()),
            "float": pa.array([0.1, 2.5, -0.0], pa.float32()),
            "decimal": pa.array(numbers, pa.decimal128(25, 2)),
            "truth": pa.array([True, False, True]),
            "y": pa.array(["u", "v", None]).dictionary_encode(),
            "id": pa.array(["007", "07", "7"]),
        }
        pytest.importorskip("pyarrow.parquet").write_table(
            pa.table(columns), tmp_path / "s.parquet", compression="zstd"
        )
        return str(tmp_path / "s.parquet")

    @staticmethod
    def again(table, tmp_path):
        import pyarrow.parquet as pq

        write(table, tmp_path / "t.parquet", force=True)
        return pq.read_table(tmp_path / "t.parquet")

    def test_columns_of_a_file_keep_types_and_digits(self, path, tmp_path):
        import pyarrow.parquet as pq

        names = ["tiny", "large", "unsigned", "decimal", "truth"]
        found = self.again(kept(read_table(path, label="y", samples="id"), names), tmp_path)
        assert found.equals(pq.read_table(path).select(["id", "y", *names]))
        assert pq.ParquetFile(tmp_path / "t.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
        for name in (None, "patient"):  # the index of pandas
            frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}, index=pd.Index(["p1", "p2"], name=name))
            frame.to_parquet(tmp_path / "i.parquet")
            self.again(kept(read_table(str(tmp_path / "i.parquet")), ["b"]), tmp_path)
            pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "t.parquet"), frame[["b"]])

    def test_values_that_changed_are_not_taken_from_the_file(self, path, tmp_path):
        table = kept(read_table(path, ignore=["y", "id"]), ["tiny", "float"])
        found = self.again(scaled(table, "minmax"), tmp_path)
        assert (found["tiny"].to_pylist(), str(found.schema.field("tiny").type)) == ([0.0, 0.5, 1.0], "double")
        pd.DataFrame({"a": pd.array([1, None, 3, 5], dtype="Int64"), "b": [0.5, 1, 2, 3]}).to_parquet(
            tmp_path / "m.parquet"
        )
        table = read_table(str(tmp_path / "m.parquet"), impute=True)
        assert self.again(table, tmp_path)["a"].to_pylist() == [1, 3, 3, 5]
        made = self.again(kept(read_table(path, ignore=["id"], one_hot=True), ["tiny", "y=v"]), tmp_path)
        assert made.to_pydict() == {"tiny": [1, 2, 3], "y=v": [0.0, 1.0, 0.0]}

    def test_labels_of_another_file_come_along(self, path, tmp_path):
        """Also those of a name that a column of the file has."""
        for name, how in (("type", {"samples": "id", "ignore": ["y"]}), ("y", {"ignore": ["y", "id"]})):
            labels = np.array(["p", "", "q"], dtype=object)
            table = replace(kept(read_table(path, **how), ["tiny"]), y=labels, label_text=labels, label_name=name)
            expected = {name: ["p", None, "q"], "id": ["007", "07", "7"], "tiny": [1, 2, 3]}
            found = self.again(table, tmp_path).to_pydict()
            assert found == {key: cells for key, cells in expected.items() if key in found}
            assert ("id" in found) == ("samples" in how)

    def test_a_file_that_changed(self, path, tmp_path):
        table = kept(read_table(path, ignore=["y", "id"]), ["tiny"])
        pd.DataFrame({"tiny": [7, 8, 9]}).to_parquet(path)
        refuses(tmp_path / "t.parquet", "was changed", lambda target: write(table, target))

    def test_columns_of_text(self, tmp_path, pa):
        text = "a,b,c,d\n1,2,0.5,1\n9007199254740993,3.0,1,18446744073709551616\n"
        found = self.again(read_table(save(tmp_path, text)), tmp_path)
        assert found.to_pydict() == {"a": [1, 2**53 + 1], "b": [2.0, 3.0], "c": [0.5, 1.0], "d": [1.0, 2.0**64]}
        assert [str(kind) for kind in found.schema.types] == ["int64", "double", "double", "double"]
        table = read_table(save(tmp_path, "a,b\n1,2\n9223372036854775809,3\n"))
        refuses(tmp_path / "u.parquet", "'a'", lambda path: write(table, path))

    def test_arrays_keep_their_type(self, tmp_path, pa):
        for dtype in (np.float32, np.int16, np.bool_):
            for kind in (np.asarray, sparse.csr_array, sparse.csc_matrix):
                X = np.array([[0, 2], [3, 0], [0, 1]]).astype(dtype)
                found = self.again(Table(kind(X), ("a", "b")), tmp_path).to_pandas()
                np.testing.assert_array_equal(found.to_numpy(), X)
                assert found.dtypes.tolist() == [np.dtype(dtype)] * 2
        twice = Table(np.eye(3), ("a", "b", "a"))
        refuses(tmp_path / "u.parquet", "'a' stands twice", lambda path: write(twice, path))


@pytest.mark.usefixtures("in_process")
class TestCopies:
    """From h5ad to h5ad the file itself is copied."""

    @pytest.fixture
    def path(self, tmp_path):
        pytest.importorskip("anndata")
        return saved_h5ad(tmp_path / "s.h5ad", rich())

    def again(self, table, tmp_path):
        import anndata

        notes = write(table, tmp_path / "t.h5ad", force=True)
        return notes, anndata.read_h5ad(tmp_path / "t.h5ad")

    def test_of_equal_names_each_has_its_place(self, tmp_path):
        """The name of the second one alone would find the first; means are not what the file holds."""
        path = save_h5ad(tmp_path / "s.h5ad", np.arange(6.0).reshape(2, 3), var=pd.DataFrame(index=["a", "b", "a"]))
        for how, column, name, values in (
            ("suffix", 2, "a", [2.0, 5.0]),
            ("first", 0, "a", [0.0, 3.0]),
            ("mean", 0, "a", [1.0, 4.0]),
        ):
            table = read_table(path, duplicates=how)
            origin = table.origin.taken(table.feature_names, [column])
            names = (table.feature_names[column],)
            _, found = self.again(replace(table, X=table.X[:, [column]], feature_names=names, origin=origin), tmp_path)
            assert (found.X.ravel().tolist(), found.var_names.tolist()) == (values, [name]), how

    def test_a_file_that_changed(self, path, tmp_path):
        table = kept(read_table(path), ["g0"])
        saved_h5ad(path, rich(seed=1))
        refuses(tmp_path / "t.h5ad", "was changed", lambda target: write(table, target))
        assert not (tmp_path / "t.h5ad").exists()
