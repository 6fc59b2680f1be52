"""Tables that are written can be read again, whatever their columns are called."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

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
