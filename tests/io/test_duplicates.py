"""Features of equal names: one rule for all formats."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.duplicates import settled, told_apart, unique_names
from eigenselect.io.origin import Origin
from eigenselect.io.readers import read_table
from eigenselect.io.table import Table

NAMES = ("a", "b", "a", "c", "a-1", "a", "b")
X = np.array([[1, 2, 3, 0, 5, 11, 0], [0, 4, 0, 7, 0, 0, 1], [2, 0, 0, 0, 0, 1, 0.5]])
KINDS = [np.asarray, sparse.csr_array, sparse.csc_array]


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def test_names_become_unique_and_stay_in_place():
    assert unique_names(["a", "a", "a"]) == ["a", "a-1", "a-2"]
    assert unique_names(["a-1", "a", "a"]) == ["a-1", "a", "a-2"]
    assert unique_names(list("abc")) == list("abc")


@given(st.lists(st.sampled_from(["a", "a-1", "a-1-1", "b", "b-2"])))
def test_unique_names_keep_the_first_of_each(names):
    unique = unique_names(names)
    assert len(set(unique)) == len(names)
    for name in set(names):
        assert unique[names.index(name)] == name
    assert all(new == old or new.startswith(f"{old}-") for new, old in zip(unique, names, strict=True))


@given(st.lists(st.sampled_from(["a", "a-1", "b"]), min_size=1), st.sampled_from(["first", "suffix", "mean"]))
def test_names_told_apart_lead_back_to_those_of_the_file(names, how):
    unique, repeated = told_apart(names, "t", how)
    assert [repeated.get(name, name) for name in unique] == names
    assert set(repeated.values()) == {name for name in names if names.count(name) > 1}


@pytest.mark.parametrize("kind", KINDS)
class TestOfAnyStorage:
    def settled(self, kind, how):
        table = settled(Table(kind(X), NAMES), how)
        assert sparse.issparse(table.X) == (kind is not np.asarray)
        assert getattr(table.X, "format", None) == getattr(kind(X), "format", None)
        return table

    def test_the_first(self, kind):
        table = self.settled(kind, "first")
        assert table.feature_names == ("a", "b", "c", "a-1")
        np.testing.assert_array_equal(dense(table.X), X[:, [0, 1, 3, 4]])
        assert table.notes == ("2 names of features stand more than once ('a', 'b'); 3 later ones left out",)

    def test_a_suffix(self, kind):
        table = self.settled(kind, "suffix")
        assert table.feature_names == ("a", "b", "a-2", "c", "a-1", "a-3", "b-1")
        np.testing.assert_array_equal(dense(table.X), X)
        assert table.notes[0].endswith("('a', 'b'); -1, -2, … is added to 3 later ones")

    def test_the_mean(self, kind):
        table = self.settled(kind, "mean")
        assert table.feature_names == ("a", "b", "c", "a-1")
        expected = [X[:, [0, 2, 5]].mean(axis=1), X[:, [1, 6]].mean(axis=1), X[:, 3], X[:, 4]]
        np.testing.assert_array_equal(dense(table.X), np.column_stack(expected))
        assert table.X.dtype == np.float64
        assert table.notes[0].endswith("('a', 'b'); the mean of their 5 features is taken")

    def test_a_note_alone(self, kind):
        table = self.settled(kind, "error")
        assert table.feature_names == NAMES
        assert table.notes == ("2 names of features stand more than once ('a', 'b')",)


def test_means_of_whole_numbers_do_not_overflow_and_missing_ones_stay_missing():
    small = Table(np.array([[200, 100, 1]], dtype=np.uint8), ("a", "a", "b"))
    assert settled(small, "mean").X.tolist() == [[150, 1]]
    holes = Table(np.array([[np.nan, 1.0]]), ("a", "a"))
    assert np.isnan(settled(holes, "mean").X).all()


def write_csv(path):
    path.write_text("id,y,a,b,a\ns1,u,1,2.0,3\ns2,v,4,05,60\ns3,u,7,8e0,9\n")


def write_xlsx(path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["id", "y", "a", "b", "a"],
        ["s1", "u", 1, "2.0", 3],
        ["s2", "v", 4, "05", 60],
        ["s3", "u", 7, "8e0", 9],
    ):
        book.active.append(row)
    book.save(path)


@pytest.mark.parametrize("write", [write_csv, write_xlsx])
class TestInHeaders:
    @pytest.fixture
    def read(self, write, tmp_path):
        path = tmp_path / f"t.{write.__name__.removeprefix('write_')}"
        write(path)
        return lambda how, **more: read_table(str(path), **{"samples": "id", "label": "y"} | more, duplicates=how)

    def test_are_refused_unless_said(self, read):
        with pytest.raises(
            InputError, match=r"1 column name stands more than once \('a'\).*--duplicates first, suffix"
        ):
            read("error")

    @pytest.mark.parametrize(
        ("how", "lines"),
        [
            ("first", ["sample,label,a,b", "s1,u,1,2.0", "s2,v,4,05", "s3,u,7,8e0"]),
            ("suffix", ["sample,label,a,b,a-1", "s1,u,1,2.0,3", "s2,v,4,05,60", "s3,u,7,8e0,9"]),
            ("mean", ["sample,label,a,b", "s1,u,2.0,2.0", "s2,v,32.0,05", "s3,u,8.0,8e0"]),
        ],
    )
    def test_kept_columns_keep_their_letters(self, read, how, lines):
        assert written(read(how)).decode().splitlines() == lines

    def test_ignored_ones_are_all_ignored(self, read):
        assert read("suffix", ignore=["a"]).feature_names == ("b",)

    def test_a_label_must_be_one_column(self, read):
        with pytest.raises(
            InputError, match="the column 'a' stands more than once, so that --label may mean any of them"
        ):
            read("first", label="a")


def test_where_features_have_places_nothing_is_refused(tmp_path):
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = anndata.AnnData(sparse.csr_matrix(X), var=pd.DataFrame(index=list(NAMES)))
        data.write_h5ad(tmp_path / "t.h5ad")
    np.savez(tmp_path / "t.npz", X=X, feature_names=NAMES)
    for ending in ("h5ad", "npz"):
        assert read_table(str(tmp_path / f"t.{ending}")).feature_names == NAMES
        table = read_table(str(tmp_path / f"t.{ending}"), duplicates="mean")
        np.testing.assert_array_equal(dense(table.X)[:, 0], X[:, [0, 2, 5]].mean(axis=1))


@pytest.mark.parametrize(("how", "as_stored"), [("first", True), ("suffix", True), ("mean", False)])
def test_means_are_not_what_the_file_holds(tmp_path, how, as_stored):
    """Else `select` would take the values of the first feature from the file in the place of the mean."""
    path = tmp_path / "x.h5ad"
    path.touch()
    assert settled(Table(X, NAMES, origin=Origin(str(path), "h5ad")), how).origin.as_stored == as_stored
