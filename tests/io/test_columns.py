"""What columns mean, in every format: features, labels, names of samples, ids and dates."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.io.tables import dense, refuses, save, save_frame, thinned, written

from eigenselect.exceptions import InputError
from eigenselect.io import FORMATS, readers
from eigenselect.io.labels import labels_of
from eigenselect.io.readers import read_other_table, read_table
from eigenselect.io.request import AnnotatedParts, TextFormat
from eigenselect.io.table import Table, scaled

CLASSES = ["007", "07", "", "007", "07", ""]
IDS = [f"0{i}" for i in range(6)]
PEOPLE = ["Ann", "Bob", "Cem", "Dee", "Eva", "Fay", "Gus", "Hal", "Ida", "Jan", "Kim", "Lee"]


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(6, 3)), columns=list("abc")).assign(y=CLASSES, id=IDS)


def write(frame, path):
    return save_frame(path, frame, ("a", "b", "c"))


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz", "mat", "h5ad"])
def test_labels_and_names_letter_by_letter(frame, tmp_path, ending):
    path, how = tmp_path / f"t.{ending}", {"label": "y", "samples": "id"}
    table = read_table(write(frame, path), **how)
    assert (table.label_text.tolist(), table.sample_names.tolist()) == (CLASSES, IDS)
    assert (table.n_unlabelled, table.feature_names, table.notes) == (2, ("a", "b", "c"), ())
    assert set(pd.Series(table.y).dropna()) == {"007", "07"}
    refuses(path, "did you mean 'id'?", label="y", samples="Id")
    marked = frame.assign(y=["u", "v", "nan"] * 2)
    table = read_table(write(marked, path), **how)
    assert pd.isna(table.y).tolist() == [False, False, True] * 2
    assert table.label_text.tolist() == ["u", "v", "nan"] * 2
    assert "--na-is-class" in table.notes[0]
    named = read_table(str(path), **how, na_is_class=True)
    assert (named.n_unlabelled, named.y.tolist(), named.notes) == (0, ["u", "v", "nan"] * 2, ())
    table = read_table(write(frame.assign(y=["1", "2", ""] * 2), path), **how)
    np.testing.assert_array_equal(table.y, [1, 2, np.nan] * 2)
    assert table.label_text.tolist() == ["1", "2", ""] * 2
    if ending == "h5ad":
        assert read_table(str(path)).sample_names[0] == "cell0"


def labels(tmp_path, texts, **how):
    rows = "".join(f'{i},"{text}"\n' for i, text in enumerate(texts))
    return read_table(save(tmp_path, f"a,y\n{rows}"), label="y", **how)


class TestLabels:
    #: labels, and what they are
    NUMBERS = (
        (["1", "2", "10", "-3"], [1, 2, 10, -3], "i"),
        (["1.0", "2.0"], [1, 2], "i"),
        (["1", "", "2"], [1, np.nan, 2], "f"),
        (["1.50", "2", ".25", "1e-3"], [1.5, 2, 0.25, 0.001], "f"),
        (["9007199254740992", "1"], [2.0**53, 1], "f"),
    )
    NAMES = ("007 07 7", "012 5", "1 1.0", "+1 1", "-0 0", "1e3 1000", "9007199254740993 9007199254740992", "inf 1.5")
    NAMES += ("1e999 1.5", "1_0 2", ". 1", "07.5 1.5", "a - 0 1")

    def test_are_numbers_or_names(self, tmp_path):
        for texts, expected, kind in self.NUMBERS:
            y = labels(tmp_path, texts).y
            assert y.dtype.kind == kind, texts
            np.testing.assert_array_equal(y, expected)
        for texts in map(str.split, self.NAMES):
            assert labels(tmp_path, texts).y.tolist() == texts

    @given(st.lists(st.text("0123456789.-+e", max_size=4), min_size=1))
    def test_that_differ_stay_different(self, texts):
        if not any(texts):
            return
        found = pd.Series(labels_of(np.array(texts, dtype=object), "y", "t.csv"))
        assert list(found.isna()) == [text == "" for text in texts]
        if not (found.dtype.kind == "f" and (found.dropna() % 1 != 0).any()):  # no measurements
            assert found.nunique() == len(set(texts) - {""})

    def test_marks_mean_that_there_is_none(self, tmp_path):
        for mark in ("NA", "N/A", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A", "?", " NA "):
            table = labels(tmp_path, ["a", mark, "b", "", mark])
            assert pd.isna(table.y).tolist() == [False, True, False, True, True], mark
            assert "--na-is-class" in table.notes[0], mark
        assert "--na-is-class" not in labels(tmp_path, ["1.5", "2", "2", "NA"]).notes[0]  # measurements
        assert "'NA', '?'" in labels(tmp_path, ["0", "1", "NA", "?", "1"]).notes[0]
        assert "'none', 'Na'" in labels(tmp_path, ["a", "none", "Na", "NA", "none"]).notes[1]
        for texts, keyword in [
            (["", ""], "no sample"),
            (["drug", "None", "drug"], "--na-is-class"),
            (["1", "NA", "?", "1"], "--na-is-class"),
            (["NA", "", "NA"], "no sample"),
        ]:
            with pytest.raises(InputError, match=keyword):
                labels(tmp_path, texts)


class TestFeatures:
    def test_text_is_no_feature_unless_asked(self, tmp_path):
        path = save(tmp_path, "a,colour\n1,red\n2,blue\n007,red\n")
        refuses(path, "'red' in 'colour'")
        table = read_table(path, one_hot=True)
        assert table.feature_names == ("a", "colour=blue", "colour=red")
        assert len(table.notes) == 1
        assert written(table).decode() == "a,colour=blue,colour=red\n1,0.0,1.0\n2,1.0,0.0\n007,0.0,1.0\n"
        path = save(tmp_path, "colour=red,colour\n1,red\n2,blue\n")
        made = read_table(path, one_hot=True, ignore=["colour=red"])
        assert written(made).decode() == "colour=blue,colour=red\n0.0,1.0\n1.0,0.0\n"  # not those of the ignored column
        refuses(path, "'colour=red'", one_hot=True)

    def test_a_column_has_one_role(self, tmp_path):
        path = save(tmp_path, "a,b\n1,2\n3,4\n")
        for roles in (
            {"label": "a", "samples": "a"},
            {"label": "a", "ignore": ["a"]},
            {"samples": "a", "ignore": ["b", "a"]},
        ):
            refuses(path, "'a' is both", **roles)
        refuses(path, "no column is left", samples="a", label="b")
        refuses(path, "no column named 'x'", ignore=["x"])

    def test_an_ignored_entry_is_a_name_or_several(self, tmp_path):
        path = save(tmp_path, '"a,b",c,d,e\n1,2,3,4\n5,6,7,8\n')
        assert read_table(path, ignore=["a,b", "c, d"]).feature_names == ("e",)

    def test_a_sample_in_the_place_of_names_is_told(self, tmp_path):
        text = "5.1\t3.5\t1.4\t0.2\tsetosa\n4.9\t3.0\t1.4\t0.2\tsetosa\n7.0\t3.6\t4.7\t1.4\tvirginica\n"
        for mark in ".,":
            notes = read_table(save(tmp_path, text.replace(".", mark), "t.tsv"), label="setosa").notes
            assert any(f"'5{mark}1', '3{mark}5'" in note for note in notes), notes

    def test_names_that_are_numbers_are_names(self, tmp_path):
        """Wavelengths, Entrez, counts from 0 and 1, and a word among them."""
        for names in ("400,402.5,410", "7157,672,675", "0,1,2", "1,2,3", "2,b,1"):
            table = read_table(save(tmp_path, f"{names}\n0.5,1,2.5\n1.5,,0.5\n2,3,1\n"), impute=True)
            assert table.feature_names == tuple(names.split(","))
            assert len(table.notes) == 1
            assert "median" in table.notes[0]

    def test_an_index_that_was_saved_twice_is_no_feature(self, tmp_path):
        for cells in ("0.5", '"1,234.5"'):
            rows = "".join(f"{i},{i},{cells},k{i % 2}\n" for i in range(12))
            table = read_table(save(tmp_path, f",Unnamed: 0,a,kind\n{rows}"), label="kind")
            assert table.feature_names == ("a",)
            assert table.sample_names.tolist() == [str(i) for i in range(12)]
            assert any("'Unnamed: 0-1'" in note for note in table.notes)
            rows = "".join(f"{i},{i},{i},{cells},k{i % 2}\n" for i in range(12))
            table = read_table(save(tmp_path, f",Unnamed: 0.1,Unnamed: 0,a,kind\n{rows}"), label="kind")
            assert table.feature_names == ("a",)

    def test_a_nameless_first_column_is_read_letter_by_letter(self, frame, tmp_path):
        frame[list("abc")].set_axis(IDS).to_csv(tmp_path / "t.csv")
        assert read_table(str(tmp_path / "t.csv")).sample_names.tolist() == IDS


def table_of(path, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)
    return str(path)


class TestIdentifiers:
    """Dates and ids are left out and named; measurements never are."""

    @pytest.fixture
    def numbers(self, rng):
        return {"a": rng.normal(size=12), "b": rng.normal(size=12)}

    def test_dates_are_left_out_however_they_are_written(self, tmp_path, numbers):
        for how in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d"):
            days = [(datetime.datetime(2020, 1, 25) + datetime.timedelta(days=i)).strftime(how) for i in range(12)]
            table = read_table(table_of(tmp_path / "t.csv", a=numbers["a"], visit=days, b=numbers["b"]))
            assert table.feature_names == ("a", "b"), how
            assert len(table.notes) == 1
            assert "dates ('visit')" in table.notes[0]
        pytest.importorskip("pyarrow")
        when = pd.date_range("2020-01-01", periods=12)
        pd.DataFrame({**numbers, "when": when, "day": when.date}).to_parquet(tmp_path / "t.parquet")
        table = read_table(str(tmp_path / "t.parquet"))
        assert (table.feature_names, len(table.notes)) == (("a", "b"), 1)

    def test_others_are_no_dates(self, tmp_path, numbers):
        for cell in ("31.31.2020", "2020-13-13", "1.2.3", "12:30", "1.2.2020 mg"):
            refuses(table_of(tmp_path / "t.csv", **numbers, day=["2020-01-01", *[cell] * 11]), "'day'")

    def test_text_that_tells_rows_apart(self, tmp_path, numbers):
        first = read_table(table_of(tmp_path / "t.csv", who=PEOPLE, **numbers))
        assert (first.sample_names.tolist(), first.samples_name) == (PEOPLE, "who")
        assert len(first.notes) == 1
        assert written(first).decode().startswith("sample,a,b\nAnn,")
        later = read_table(table_of(tmp_path / "t.csv", **numbers, who=PEOPLE))
        assert (later.feature_names, later.sample_names, later.ids["who"].tolist()) == (("a", "b"), None, PEOPLE)
        assert "ids ('who')" in later.notes[0]

    def test_one_number_or_an_equal_cell_and_it_is_none(self, tmp_path, numbers):
        for cell in ("<0.5", "12 mg", "1,5", "7%", "1 000", "", "Bob", "-3", "5 mg/l", "> 1e3"):
            cells = [cell, *PEOPLE[1:]]
            for columns in ({"who": cells, **numbers}, {**numbers, "who": cells}):
                refuses(table_of(tmp_path / "t.csv", **columns), "not numeric ('who')")

    def test_in_a_few_rows_any_text_differs(self, tmp_path):
        few = {"a": [1, 2], "hue": ["red", "blue"], "patient_id": ["x", "y"]}
        refuses(table_of(tmp_path / "t.csv", **few), "not numeric ('hue')")
        assert read_table(str(tmp_path / "t.csv"), ignore=["hue"]).feature_names == ("a",)

    def test_beside_text_that_is_refused_the_first_column_is_named_too(self, tmp_path, numbers):
        path = table_of(tmp_path / "t.csv", who=PEOPLE, **numbers, hue=["red", "blue"] * 6)
        refuses(path, "('who', 'hue')")
        table = read_table(path, one_hot=True)
        assert table.feature_names == ("a", "b", "hue=blue", "hue=red")
        assert table.sample_names.tolist() == PEOPLE

    def test_numbers_are_ids_by_name_and_values(self, tmp_path, numbers):
        squares = [7001 + i * i for i in range(12)]
        for name in ("id", "ID", "sample_id", "patient ID", "patientId", "barcode", "index", "Unnamed: 0"):
            for values in (range(12), range(1, 13), squares):
                table = read_table(table_of(tmp_path / "t.csv", **numbers, **{name: values}))
                assert table.feature_names == ("a", "b"), name
                assert len(table.notes) == 1
        for name in ("acid", "lipid", "COVID", "humid", "ideal", "indexed", "age", "row"):
            table = read_table(table_of(tmp_path / "t.csv", **numbers, **{name: range(12)}))
            assert (table.feature_names, table.notes) == (("a", "b", name), ())
        for values in ([0.5, *range(1, 12)], [3, 3, *range(10)], [0, 1] * 6):
            table = read_table(table_of(tmp_path / "t.csv", **numbers, sample_id=values))
            assert table.feature_names == ("a", "b", "sample_id"), values

    def test_few_ids_must_count_up(self, tmp_path):
        for values, is_id in (([1, 2, 3], True), ([0, 1, 2], True), ([5, 9, 7], False), ([1, 3, 2], False)):
            table = read_table(table_of(tmp_path / "t.csv", a=[0.5, 1, 1], id=values))
            assert (table.feature_names == ("a",)) == is_id, values

    def test_another_table_gives_each_column_its_place(self, tmp_path):
        path = table_of(tmp_path / "t.csv", who=PEOPLE, id=range(12), a=range(12))
        assert read_other_table(path, names=True).feature_names == ("id", "a")


class TestTables:
    """Tables that no method can rank are refused; filled and scaled ones keep what was written."""

    def test_only_filled_cells_are_changed(self, tmp_path):
        table = read_table(save(tmp_path, "a,b\n6,1\n,2\n7.50,\n6,inf\n"), impute=True)
        assert written(table).decode() == "a,b\n6,1\n6.0,2\n7.50,1.5\n6,1.5\n"
        text = "a,b\n1,1\n5,\n9007199254740993,2\n,5\n5,5\n"  # whole medians stay whole among whole numbers
        table = read_table(save(tmp_path, text), impute=True)
        assert written(table).decode() == "a,b\n1,1\n5,3.5\n9007199254740993,2\n5,5\n5,5\n"

    def test_scaled_features_have_numbers_of_their_own(self, tmp_path):
        table = scaled(read_table(save(tmp_path, "a,b\n1,1\n2,5\n")), "minmax")
        assert written(table).decode() == "a,b\n0.0,0.0\n1.0,1.0\n"

    @pytest.mark.parametrize(("how", "width"), [("standard", np.std), ("minmax", np.ptp)])
    def test_scaled_sparse_features_differ_as_dense_ones_do(self, how, width):
        """Zeros stay zeros; differences between samples are those of the dense table."""
        X = thinned()
        X[:, 2] = 0
        full, thin = (scaled(Table(kind(X), tuple("abcdef")), how).X for kind in (np.asarray, sparse.csr_array))
        assert thin.nnz == np.count_nonzero(X)
        np.testing.assert_allclose(np.diff(thin.toarray(), axis=0), np.diff(full, axis=0), atol=1e-12)
        np.testing.assert_allclose(np.delete(width(full, axis=0), 2), 1)

    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
    def test_what_no_method_can_rank(self, tmp_path, kind):
        holes = np.array([[1, np.nan], [np.inf, np.nan], [1, 2]])
        for change, keyword in [
            ({"X": kind(np.ones((1, 2)))}, "2 samples, got 1"),
            ({"y": np.arange(4)}, "4 labels for 3"),
            ({"sample_names": np.array(["u"])}, "1 name for 3"),
            ({"X": kind(holes)}, "'b' (2), 'a'"),
        ]:
            table = Table(**({"X": kind(np.ones((3, 2))), "feature_names": ("a", "b")} | change))
            refuses("t", keyword, table.check)


DUPLICATED = ("a", "b", "a", "c", "a-1", "a", "b")
X = np.array([[1, 2, 3, 0, 5, 11, 0], [0, 4, 0, 7, 0, 0, 1], [2, 0, 0, 0, 0, 1, 0.5]])


class TestDuplicates:
    """Features of equal names: one rule for all formats."""

    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
    def test_of_any_storage(self, tmp_path, kind):
        """Formats in which features have places of their own rank all of them."""
        parts = {"X": X}
        if kind is not np.asarray:
            held = kind(X)
            parts = {name: getattr(held, name) for name in ("data", "indices", "indptr", "shape", "format")}
        np.savez(tmp_path / "t.npz", **parts, feature_names=DUPLICATED)
        averaged = [X[:, [0, 2, 5]].mean(axis=1), X[:, [1, 6]].mean(axis=1), X[:, 3], X[:, 4]]
        expected = {
            "error": (DUPLICATED, X),
            "first": (("a", "b", "c", "a-1"), X[:, [0, 1, 3, 4]]),
            "suffix": (("a", "b", "a-2", "c", "a-1", "a-3", "b-1"), X),
            "mean": (("a", "b", "c", "a-1"), np.column_stack(averaged)),
        }
        for how, (names, values) in expected.items():
            table = read_table(str(tmp_path / "t.npz"), duplicates=how)
            assert table.feature_names == names
            assert sparse.issparse(table.X) == (kind is not np.asarray)
            assert getattr(table.X, "format", None) == getattr(kind(X), "format", None)
            np.testing.assert_array_equal(dense(table.X), values)
            assert len(table.notes) == 1
            assert "('a', 'b')" in table.notes[0]

    def test_means_of_whole_numbers_do_not_overflow(self, tmp_path):
        np.savez(tmp_path / "t.npz", X=np.array([[200, 100, 1]] * 2, dtype=np.uint8), feature_names=["a", "a", "b"])
        assert read_table(str(tmp_path / "t.npz"), duplicates="mean").X.tolist() == [[150, 1]] * 2
        np.savez(tmp_path / "t.npz", X=np.array([[np.nan, 1.0], [1, 2]]), feature_names=["a", "a"])
        refuses(tmp_path / "t.npz", "missing", duplicates="mean")

    @pytest.mark.parametrize("ending", ["csv", "xlsx"])
    def test_in_headers(self, tmp_path, ending):
        rows = [
            ["id", "y", "a", "b", "a"],
            ["s1", "u", 1, "2.0", 3],
            ["s2", "v", 4, "05", 60],
            ["s3", "u", 7, "8e0", 9],
        ]
        path = save_frame(tmp_path / f"t.{ending}", pd.DataFrame(rows[1:], columns=rows[0]))
        how = {"samples": "id", "label": "y"}
        refuses(path, "--duplicates first", **how)
        for rule, lines in {
            "first": ["sample,label,a,b", "s1,u,1,2.0", "s2,v,4,05", "s3,u,7,8e0"],
            "suffix": ["sample,label,a,b,a-1", "s1,u,1,2.0,3", "s2,v,4,05,60", "s3,u,7,8e0,9"],
            "mean": ["sample,label,a,b", "s1,u,2.0,2.0", "s2,v,32.0,05", "s3,u,8.0,8e0"],
        }.items():
            assert written(read_table(path, **how, duplicates=rule)).decode().splitlines() == lines
        assert read_table(path, **how, duplicates="suffix", ignore=["a"]).feature_names == ("b",)
        refuses(path, "'a' stands more than once", samples="id", label="a", duplicates="first")


def test_options_that_a_format_has_no_use_for(tmp_path):
    """Each option is refused by its name where it would do nothing."""
    path = save(tmp_path, "a,b\n1,2\n3,4\n", "t.any")
    text, annotated = {"csv", "tsv"}, {"h5ad", "h5mu", "loom", "zarr"}
    for option, how, formats in [
        ("--sep", {"text": TextFormat(separator=";")}, text),
        ("--decimal", {"text": TextFormat(decimal=",")}, text),
        ("--encoding", {"text": TextFormat(encoding="cp1252")}, text),
        ("--layer", {"parts": AnnotatedParts(layer="counts")}, annotated),
        ("--raw", {"parts": AnnotatedParts(raw=True)}, {"h5ad", "h5mu"}),
        ("--obsp", {"parts": AnnotatedParts(obsp="connectivities")}, annotated),
        ("--obsm", {"parts": AnnotatedParts(obsm="spatial")}, annotated),
    ]:
        for kind in set(FORMATS) - formats:
            refuses(path, f"{option} is for", file_format=kind, **how)


class TestNotes:
    def test_warnings_of_libraries_become_notes(self, frame, tmp_path, monkeypatch):
        def read(path, source, roles):
            warnings.warn("Names are\n not unique. Call something.", UserWarning, stacklevel=1)
            warnings.warn("Names are\n not unique. Call something.", UserWarning, stacklevel=1)
            warnings.warn("this will change", FutureWarning, stacklevel=1)
            return real(path, source, roles)

        real = readers._READERS["csv"]
        monkeypatch.setitem(readers._READERS, "csv", read)
        path = write(frame, tmp_path / "t.csv")
        assert read_table(path, label="y", samples="id").notes == ("Names are not unique",)
