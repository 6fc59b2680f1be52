"""Features in rows: the same table as with features in columns, and tables that seem to be so."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmwrite, savemat
from tests.io.annotated import rich
from tests.io.annotated import written as saved_h5ad
from tests.io.tables import written

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts
from eigenselect.io.table import Table
from eigenselect.io.transposed import doubts


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.integers(-99, 99, size=(6, 4)) / 8, index=[f"s{i}" for i in range(6)], columns=list("abcd"))


def saved(path, frame, label="gene"):
    """Write features in rows."""
    turned = frame.T.rename_axis(index=label)
    if path.suffix == ".parquet":
        turned.to_parquet(path)
    elif path.suffix == ".xlsx":
        pytest.importorskip("openpyxl")
        turned.to_excel(path)
    else:
        turned.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",")
    return str(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "xlsx"])
def test_a_table_and_its_transpose_are_the_same(tmp_path, frame, ending):
    table = read_table(saved(tmp_path / f"x.{ending}", frame), transpose=True)
    assert table.X.tobytes() == np.ascontiguousarray(frame).tobytes()
    assert table.feature_names == tuple("abcd")
    assert table.sample_names.tolist() == list(frame.index)


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["007", "1e5", ".5", "-0", "9007199254740993"]),
)


@st.composite
def sheets(draw):
    n, p = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    grid = [[draw(cells) for _ in range(p)] for _ in range(n)]
    classes = draw(st.none() | st.lists(st.sampled_from(["u", "007", "NA"]), min_size=n, max_size=n))
    return grid, classes


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(sheets())
def test_whatever_is_written_is_read_the_same_in_both_ways(tmp_path, sheet):
    """Numbers to the last digit, labels and kept cells letter by letter."""
    grid, classes = sheet
    frame = pd.DataFrame(grid, columns=[f"g{j}" for j in range(len(grid[0]))])
    if classes is not None:
        frame.insert(0, "class", classes)
    frame.insert(0, "name", [f"s{i}" for i in range(len(grid))])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.set_index("name").T.to_csv(tmp_path / "turned.csv", index_label="gene")
    label = None if classes is None else "class"
    one = read_table(str(tmp_path / "t.csv"), label=label, samples="name", na_is_class=True)
    other = read_table(str(tmp_path / "turned.csv"), label=label, transpose=True, na_is_class=True)
    assert np.array_equal(other.X, one.X)  # whose -0 may be 0
    assert other.feature_names == one.feature_names
    assert other.sample_names.tolist() == one.sample_names.tolist()
    assert np.array_equal(other.label_text, one.label_text)
    assert written(other) == written(one)


class TestColumnsThatAreNoSamples:
    TEXT = "Name,Description,Length,s1,s2,s3\nTP53,a protein,10,1.50,2,3\nMYC,,20,4,5,6\nEGFR,a kinase,30,7,8,10\n"

    @pytest.fixture
    def path(self, tmp_path):
        (tmp_path / "t.csv").write_text(self.TEXT)
        return str(tmp_path / "t.csv")

    def test_descriptions_and_places_are_left_out_and_it_is_said(self, path):
        table = read_table(path, transpose=True)
        assert table.sample_names.tolist() == ["s1", "s2", "s3"]
        assert table.X.tolist() == [[1.5, 4, 7], [2, 5, 8], [3, 6, 10]]
        assert table.notes == ("2 columns that describe features ('Description', 'Length') left out",)
        assert written(table).decode().splitlines()[1] == "s1,1.50,4,7"

    def test_samples_and_features_can_be_ignored(self, path):
        table = read_table(path, transpose=True, ignore=["Description,Length,s2", "MYC"])
        assert (table.sample_names.tolist(), table.feature_names) == (["s1", "s3"], ("TP53", "EGFR"))
        assert table.notes == ()
        with pytest.raises(InputError, match="no column named 'MYCC'; did you mean 'MYC'"):
            read_table(path, transpose=True, ignore=["MYCC"])

    def test_without_the_first_column_the_next_text_has_the_names(self, path, tmp_path):
        (tmp_path / "t.csv").write_text(self.TEXT.replace(",,", ",a factor,"))
        table = read_table(path, transpose=True, ignore=["Name"])
        assert table.feature_names == ("a protein", "a factor", "a kinase")

    def test_a_description_may_hold_a_number(self, path, tmp_path):
        (tmp_path / "t.csv").write_text("g,about,s1,s2\na,x,1,2\nb,7,3,4\nc,y,5,6\n")
        assert read_table(path, transpose=True).sample_names.tolist() == ["s1", "s2"]

    def test_a_column_without_values(self, path, tmp_path):
        (tmp_path / "t.csv").write_text("g,note,s1,s2\na,,1,2\nb,,3,4\n")
        assert read_table(path, transpose=True).sample_names.tolist() == ["s1", "s2"]

    def test_nothing_but_text(self, path, tmp_path):
        (tmp_path / "t.csv").write_text("g,note\na,x\nb,y\n")
        with pytest.raises(InputError, match="has no column of numbers beside the names of features"):
            read_table(path, transpose=True)


class TestRowsOfText:
    TEXT = "gene,s1,s2,s3\nclass,007,7,\nTP53,1.50,2,3\ngroup,x,y,x\nMYC,4,,6\n"

    @pytest.fixture
    def path(self, tmp_path):
        (tmp_path / "t.csv").write_text(self.TEXT)
        return str(tmp_path / "t.csv")

    def test_are_labels_letter_by_letter(self, path):
        table = read_table(path, transpose=True, label="class", ignore=["group"], impute=True)
        assert table.label_text.tolist() == ["007", "7", ""]
        assert table.X.tolist() == [[1.5, 4], [2, 5], [3, 6]]
        assert written(table).decode().splitlines()[1] == "s1,007,1.50,4"

    @pytest.mark.parametrize("mark", [";", "\t"])
    def test_stand_beside_numbers_with_decimal_commas(self, tmp_path, mark):
        """The row makes text of every column, in which 3,5 is a number still, and no sample is left out."""
        path = tmp_path / "german.csv"
        rows = ["gene,s1,s2", "class,a,b", "TP53,3|5,4|25", "MYC,1.234|5,0|5"]
        path.write_text("".join(row.replace(",", mark).replace("|", ",") + "\n" for row in rows))
        table = read_table(str(path), transpose=True, label="class")
        assert (table.y.tolist(), table.X.tolist()) == (["a", "b"], [[3.5, 1234.5], [4.25, 0.5]])
        assert table.notes[0].endswith("',' as decimal mark")

    def test_one_cell_of_text_among_decimal_commas_leaves_no_sample_out(self, tmp_path):
        path = tmp_path / "german.csv"
        path.write_text("gene;s1;s2\nTP53;3,5;4,25\nMYC;<0,5;1,5\nABL;3,5;1,5\n")
        with pytest.raises(InputError, match="1 of 3 columns is not numeric .*'<0,5' in 'MYC'"):
            read_table(str(path), transpose=True)

    def test_become_0_and_1_if_asked(self, path):
        table = read_table(path, transpose=True, label="class", one_hot=True, impute=True)
        assert table.feature_names == ("TP53", "group=x", "group=y", "MYC")

    def test_keep_their_letters_in_a_column_of_numbers_and_what_is_missing(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,s1,s2,s3\nkind,007,x,NA\nTP53,1,2,3\nMYC,1,2,4\n")
        table = read_table(str(tmp_path / "t.csv"), transpose=True, one_hot=True)
        assert table.feature_names == ("kind=007", "kind=x", "TP53", "MYC")
        assert table.X[:, :2].tolist() == [[1, 0], [0, 1], [0, 0]]

    def test_name_samples_if_asked(self, path):
        table = read_table(path, transpose=True, samples="group", ignore=["class"], impute=True)
        assert table.sample_names.tolist() == ["x", "y", "x"]

    def test_are_refused_otherwise(self, path):
        with pytest.raises(
            InputError, match=r"2 of 4 columns are not numeric|1 of 4 columns is not numeric \('group'\)"
        ):
            read_table(path, transpose=True)
        with pytest.raises(InputError, match="no row named 'clas'; did you mean 'class'"):
            read_table(path, transpose=True, label="clas")

    def test_one_bad_cell_is_shown(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,s1,s2\nTP53,1,2\nMYC,3,n.d.\nEGFR,1,2\n")
        with pytest.raises(InputError, match=r"1 of 3 columns is not numeric \('MYC'\), such as 'n.d.' in 'MYC'"):
            read_table(str(tmp_path / "t.csv"), transpose=True)

    def test_samples_stay_in_the_order_of_the_file(self, tmp_path):
        """A column of numbers behind one that a cell makes text of."""
        (tmp_path / "t.csv").write_text("gene,s1,s2,s3\nTP53,1,2,3\nkind,n.d.,5,6\nEGFR,7,8,9\n")
        table = read_table(str(tmp_path / "t.csv"), transpose=True, ignore=["kind"])
        assert table.sample_names.tolist() == ["s1", "s2", "s3"]
        assert table.X.tolist() == [[1, 7], [2, 8], [3, 9]]


class TestNames:
    def test_of_features_that_are_equal(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,s1,s2\na,1,2\nb,3.0,4\na,5,8\n")
        with pytest.raises(InputError, match=r"1 name of features stands more than once \('a'\).*--duplicates first"):
            read_table(str(tmp_path / "t.csv"), transpose=True)
        expected = {
            "first": "sample,a,b\ns1,1,3.0\ns2,2,4\n",
            "suffix": "sample,a,b,a-1\ns1,1,3.0,5\ns2,2,4,8\n",
            "mean": "sample,a,b\ns1,3.0,3.0\ns2,5.0,4\n",
        }
        for how, text in expected.items():
            assert written(read_table(str(tmp_path / "t.csv"), transpose=True, duplicates=how)).decode() == text

    def test_of_samples_that_are_equal_are_refused_always(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,s1,s1\na,1,2\nb,3,4\n")
        for how in ("error", "suffix"):
            with pytest.raises(InputError, match=r"\('s1'\); its columns are samples, which must be told apart"):
                read_table(str(tmp_path / "t.csv"), transpose=True, duplicates=how)

    def test_measurements_are_none(self, tmp_path):
        (tmp_path / "t.csv").write_text("s0,s1\n0.5,1\n1.5,2\n")
        with pytest.raises(InputError, match="needs their names in its first column, got numbers such as '0.5'"):
            read_table(str(tmp_path / "t.csv"), transpose=True)

    def test_whole_numbers_may_be(self, tmp_path):
        (tmp_path / "t.csv").write_text("entrez,s1,s2\n007157,1,2\n4609,3,4\n")
        assert read_table(str(tmp_path / "t.csv"), transpose=True).feature_names == ("007157", "4609")

    def test_a_number_beyond_the_largest(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,s1,s2\na,1,2\nb,1e400,4\n")
        with pytest.raises(InputError, match="the number '1e400' in 's1' is beyond"):
            read_table(str(tmp_path / "t.csv"), transpose=True)


class TestArrays:
    @pytest.mark.parametrize("ending", ["npz", "mat"])
    @pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array])
    def test_are_turned_with_names_and_labels_of_their_length(self, tmp_path, frame, ending, kind):
        if kind is not np.asarray and ending == "npz":
            X = sparse.csc_array(frame.to_numpy().T)
            parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape, "format": b"csc"}
        else:
            parts = {"X": kind(frame.to_numpy().T)}
        arrays = {**parts, "feature_names": np.array(list("abcd"), dtype=object), "y": np.arange(6) % 2}
        if ending == "npz":
            np.savez(tmp_path / "t.npz", **arrays | {"feature_names": list("abcd")})
        else:
            savemat(tmp_path / "t.mat", arrays)
        table = read_table(str(tmp_path / f"t.{ending}"), transpose=True, label="y")
        found = table.X.toarray() if sparse.issparse(table.X) else table.X
        np.testing.assert_array_equal(found, frame)
        assert table.feature_names == tuple("abcd")
        assert table.y.tolist() == [0, 1] * 3

    def test_a_matrix_without_names(self, tmp_path, frame):
        mmwrite(tmp_path / "t.mtx", sparse.coo_matrix(frame.to_numpy().T))
        table = read_table(str(tmp_path / "t.mtx"), transpose=True)
        np.testing.assert_array_equal(table.X.toarray(), frame)
        assert table.feature_names == ("x0", "x1", "x2", "x3")
        assert table.sample_names is None

    def test_files_that_say_which_are_genes_are_refused(self, tmp_path, frame):
        mmwrite(tmp_path / "matrix.mtx", sparse.coo_matrix(np.ones((2, 3))))
        (tmp_path / "features.tsv").write_text("g1\ta\ng2\tb\n")
        (tmp_path / "barcodes.tsv").write_text("c1\nc2\nc3\n")
        with pytest.raises(
            InputError, match="its files say which are genes, and these are the features; leave out --tran"
        ):
            read_table(str(tmp_path), transpose=True)

    def test_an_annotated_table(self, tmp_path, frame):
        data = rich()
        path = saved_h5ad(tmp_path / "t.h5ad", data)
        table = read_table(path, transpose=True)
        np.testing.assert_array_equal(table.X.toarray(), data.X.toarray().T)
        assert (table.feature_names, table.sample_names.tolist()) == (tuple(data.obs_names), list(data.var_names))
        assert table.origin is None  # nothing of the file can be copied
        with pytest.raises(InputError, match="labels of a transposed table come from another file"):
            read_table(path, transpose=True, label="class")
        with pytest.raises(InputError, match="is one of its rows, which are features"):
            read_table(path, transpose=True, parts=AnnotatedParts(obsp="connectivities"))


class TestDoubts:
    @pytest.mark.parametrize(
        "name", ["gene", "Gene Symbol", "gene_id", "ID_REF", "ensembl_gene_id", "symbol", "probe_id"]
    )
    def test_a_first_column_that_says_that_it_names_genes_is_refused(self, tmp_path, frame, name):
        path = saved(tmp_path / "t.csv", frame, label=name)
        with pytest.raises(InputError, match=rf"the first column '{name}' names genes.*use --transpose, or --samples"):
            read_table(path)
        assert read_table(path, samples=name).X.shape == (4, 6)
        assert read_table(path, transpose=True).X.shape == (6, 4)

    def test_ids_of_ensembl_say_it_too(self, tmp_path, rng):
        genes = [f"ENSG{i:011}.{i % 9}" for i in range(20)]
        frame = pd.DataFrame(rng.normal(size=(3, 20)), columns=genes)
        with pytest.raises(InputError, match="the first column 'what' names genes"):
            read_table(saved(tmp_path / "t.csv", frame, label="what"))
        (note,) = doubts(Table(np.ones((20, 3)), ("x", "y", "z"), sample_names=np.array(genes)), "t.csv")
        assert note.endswith("and 3 columns of numbers; if features stand in rows, use --transpose")

    @pytest.mark.parametrize("name", ["sample", "patient", "cell", "general", "generation", "id"])
    def test_other_names_do_not(self, tmp_path, frame, name):
        table = read_table(saved(tmp_path / "t.csv", frame, label=name))
        assert table.notes == (f"the first column {name!r} is taken for names of samples",)

    def test_far_more_rows_than_columns_are_noted(self):
        def notes(n, p, name="r{}"):
            names = np.array([name.format(i) for i in range(n)], dtype=object)
            return doubts(Table(np.ones((n, p)), tuple(f"x{j}" for j in range(p)), sample_names=names), "t")

        said = "1000 rows with names such as 'r0' and 99 columns of numbers; if features stand in rows, use --transpose"
        assert notes(1000, 99) == [said]
        assert notes(1000, 100) == []
        assert notes(999, 9) == []
        assert notes(1000, 9, "ACGTACGTACGTACGT-{}") == []  # barcodes of cells
        assert doubts(Table(np.ones((5000, 2)), ("a", "b")), "t") == []

    def test_symbols_that_stand_twice_are_no_names_and_the_hint_is_in_the_error(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,s1,s2\na,1,2\nb,3,4\na,5,6\nc,1,1\n")
        with pytest.raises(
            InputError, match=r"not numeric \('gene'\), such as 'a' in 'gene'; use --transpose if features"
        ):
            read_table(str(tmp_path / "t.csv"))
        (tmp_path / "t.csv").write_text("gene,s1\nclass,u\nb,3\na,5\nc,1\n")
        with pytest.raises(InputError, match="use --transpose if features"):
            read_table(str(tmp_path / "t.csv"))
