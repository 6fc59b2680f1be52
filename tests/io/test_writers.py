"""Tables that are written can be read again, whatever their columns are called."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.io.tables import written

from eigenselect.cli.main import run
from eigenselect.exceptions import InputError
from eigenselect.io.files import write_whole
from eigenselect.io.labels import labels_of
from eigenselect.io.readers import read_table
from eigenselect.io.table import Table
from eigenselect.io.writers import (
    OWN_ARRAYS,
    as_csv,
    check_array_names,
    column_names,
    table_bytes,
)

X = np.arange(12.0).reshape(4, 3) ** 2


def table_of(texts, X=X, feature_names=("a", "b", "c")):
    text = np.array(texts, dtype=object)
    names = np.array(["s1", "s2", "01", "1"], dtype=object)
    return Table(X, feature_names, labels_of(text, "y", "t"), sample_names=names, label_text=text)


def written_and_read(table, path, **names):
    called = column_names(table, path.suffix[1:], **names)
    write_whole(str(path), table_bytes(table, path.suffix[1:], called), force=True)
    return read_table(str(path), samples=called.sample, label=called.label), called


@pytest.mark.parametrize("ending", ["csv", "tsv", "npz"])
@pytest.mark.parametrize(
    "texts",
    [
        ["u", "", "v", "u"],
        ["012", "12", "012", "12"],
        ["1", "", "2", "1"],
        ["1", "2", "2", "1"],
        ["1.50", "2", "3", "4"],
    ],
)
class TestRoundTrip:
    def test_labels_and_names(self, tmp_path, ending, texts):
        table, _ = written_and_read(table_of(texts), tmp_path / f"t.{ending}", samples="id", label="y")
        assert table.sample_names.tolist() == ["s1", "s2", "01", "1"]
        if ending != "npz" or "1.50" not in texts:  # there, measurements are numbers
            assert table.label_text.tolist() == texts
        assert table.n_unlabelled == texts.count("")
        np.testing.assert_array_equal(table.X, X)

    def test_sparse(self, tmp_path, ending, texts):
        table, _ = written_and_read(
            table_of(texts, sparse.csr_array(X)), tmp_path / f"t.{ending}", samples="id", label="y"
        )
        found = table.X.toarray() if ending == "npz" else table.X
        np.testing.assert_array_equal(found, X)


@given(st.lists(st.sampled_from(["sample", "label", "sample_", "y", "id", "z"]), min_size=3, max_size=3, unique=True))
def test_names_that_features_have_already(names):
    table = table_of(["u", "v", "u", "v"], feature_names=tuple(names))
    for given_names in ({"samples": None, "label": None}, {"samples": "id", "label": "y"}):
        called = column_names(table, "csv", **given_names)
        frame = pd.read_csv(io.BytesIO(table_bytes(table, "csv", called)))
        assert list(frame.columns) == [called.sample, called.label, *names]
        assert frame.columns.is_unique
        assert called.sample.rstrip("_") == (given_names["samples"] or "sample")


@pytest.mark.parametrize("name", ["file", "allow_pickle", "arr_0", "a/b", "x.npy", "naïve 🧬"])
def test_arrays_of_an_archive_may_have_any_other_name(tmp_path, name):
    table, _ = written_and_read(table_of(["u", "v", "", "v"]), tmp_path / "t.npz", samples="id", label=name)
    assert table.label_text.tolist() == ["u", "v", "", "v"]


@pytest.mark.parametrize("name", OWN_ARRAYS)
def test_names_of_the_archives_own_arrays_are_refused(name):
    with pytest.raises(InputError, match=rf"t.npz: an npz archive has an array '{name}' of its own.*rename the column"):
        check_array_names("t.npz", [None, name])


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


class TestLetters:
    @pytest.fixture
    def frame(self):
        return pd.DataFrame(LETTERS)

    @pytest.mark.parametrize(("source", "target"), [("csv", "csv"), ("tsv", "csv"), ("csv.xz", "tsv"), ("csv", "tsv")])
    def test_every_cell_is_written_as_it_stood(self, tmp_path, frame, source, target):
        path = tmp_path / f"t.{source}"
        frame.to_csv(path, index=False, sep="\t" if source == "tsv" else ",")
        expected = frame.to_csv(index=False, sep="\t" if target == "tsv" else ",")
        assert written(read_table(str(path)), target).decode() == expected

    def test_select_keeps_the_letters_of_the_columns_it_keeps(self, capsys, tmp_path, frame):
        frame.assign(y=list("uuvvv")).to_csv(tmp_path / "t.csv", index=False)
        for k in range(1, 6):
            words = ("select", tmp_path / "t.csv", "--label", "y", "-k", k, "-o", tmp_path / f"{k}.csv")
            assert run(list(map(str, words))) == 0, capsys.readouterr().err
            small = pd.read_csv(tmp_path / f"{k}.csv", dtype=str, keep_default_na=False)
            assert len(small.columns) == k + 1
            pd.testing.assert_frame_equal(small.drop(columns="y"), frame[list(small.columns[1:])])

    def test_of_standard_input(self, tmp_path, frame, monkeypatch):
        frame.to_csv(tmp_path / "t.csv", index=False)
        with open(tmp_path / "t.csv") as file:
            monkeypatch.setattr("sys.stdin", file)
            table = read_table("-")
        assert written(table).decode() == (tmp_path / "t.csv").read_text()


class TestWholeNumbersInAnArchive:
    def archived(self, tmp_path, text):
        (tmp_path / "t.csv").write_text(text)
        (tmp_path / "t.npz").write_bytes(written(read_table(str(tmp_path / "t.csv")), "npz"))
        return read_table(str(tmp_path / "t.npz")).X

    def test_are_whole_where_floating_point_numbers_would_be_others(self, tmp_path):
        X = self.archived(tmp_path, "a,b\n9007199254740993,1\n2,3\n")
        assert X.dtype == np.int64
        assert X.tolist() == [[2**53 + 1, 1], [2, 3]]

    def test_stay_numbers_where_nothing_is_lost(self, tmp_path):
        X = self.archived(tmp_path, "a,b\n9007199254740994,1\n2,3\n")
        assert X.dtype == np.float64
        assert X[0, 0] == 2**53 + 2

    @pytest.mark.parametrize("other", ["0.5", "99999999999999999999"])
    def test_are_refused_where_the_matrix_cannot_hold_them(self, tmp_path, other):
        with pytest.raises(InputError, match=r"'[ab]' holds whole numbers beyond 2\^53.*write \.csv"):
            self.archived(tmp_path, f"a,b\n9007199254740993,{other}\n2,3\n")

    def test_columns_that_were_made_here_stand_beside_them(self, tmp_path):
        """A text column has no letters once it is columns of 0 and 1; they were left out of the matrix in silence."""
        (tmp_path / "t.csv").write_text("t,a\nu,9007199254740993\nv,2\nu,3\n")
        table = read_table(str(tmp_path / "t.csv"), one_hot=True)
        (tmp_path / "t.npz").write_bytes(written(table, "npz"))
        found = read_table(str(tmp_path / "t.npz"))
        assert found.feature_names == ("t=u", "t=v", "a")
        assert found.X.tolist() == [[1, 0, 2**53 + 1], [0, 1, 2], [1, 0, 3]]

    @pytest.mark.parametrize("other", [[0.5, 2.0], [2.0, 3.0]])
    def test_floating_point_columns_of_parquet_stand_beside_them(self, tmp_path, other):
        pytest.importorskip("pyarrow")
        pd.DataFrame({"a": [2**53 + 1, 2], "b": other}).to_parquet(tmp_path / "t.parquet")
        table = read_table(str(tmp_path / "t.parquet"))
        if other[0] % 1:
            with pytest.raises(InputError, match=r"'a' holds whole numbers beyond 2\^53.*write \.csv"):
                written(table, "npz")
        else:
            (tmp_path / "t.npz").write_bytes(written(table, "npz"))
            assert read_table(str(tmp_path / "t.npz")).X.tolist() == [[2**53 + 1, 2], [2, 3]]
