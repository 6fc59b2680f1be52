"""Labels and covariates of another file: matched by name, in any order."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from eigenselect.exceptions import InputError
from eigenselect.io.companions import split_spec
from eigenselect.io.readers import read_table


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,a,b\ns1,1,2\ns2,3,5\ns3,4,4\n")
    return str(path)


@pytest.fixture
def other(tmp_path):
    def write(text, name="y.csv"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_a_file_and_its_columns(tmp_path):
    odd = tmp_path / "go:1.csv"
    odd.write_text("")
    assert split_spec(str(odd)) == (str(odd), None)
    assert split_spec(f"{odd}:GO:2") == (str(odd), "GO:2")
    assert split_spec("no.csv:type") == ("no.csv", "type")


def test_labels_in_any_order(tmp_path, data):
    other = tmp_path / "y.tsv"
    other.write_text("sample\ttype\tage\ns3\tu\t1\ns1\t007\t2\ns2\tNA\t3\n")
    table = read_table(data, samples="id", labels=f"{other}:type", covariates=f"{other}:age")
    assert (table.y[0], table.y[2], table.n_unlabelled) == ("007", "u", 1)
    assert table.label_text.tolist() == ["007", "NA", "u"]
    assert table.label_name == "type"
    assert table.covariates["age"].tolist() == [2, 3, 1]


def write_as(path, frame):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.set_index("sample").to_parquet(path)
    elif path.suffix == ".xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    elif path.suffix == ".npz":
        np.savez(path, **{name: frame[name].to_numpy(str) for name in frame})
    elif path.suffix == ".mat":
        savemat(path, {name: frame[name].to_numpy(object) for name in frame})
    else:
        anndata = pytest.importorskip("anndata")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            anndata.AnnData(np.ones((len(frame), 1)), obs=frame.set_index("sample")).write_h5ad(path)


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "npz", "h5ad"])
def test_any_format_says_what_is_known_of_samples(tmp_path, data, ending):
    frame = pd.DataFrame({"sample": ["s3", "s1", "s2"], "type": ["u", "v", "u"], "site": ["p", "q", "q"]})
    write_as(tmp_path / f"y.{ending}", frame)
    spec = str(tmp_path / f"y.{ending}")
    table = read_table(data, labels=f"{spec}:type", covariates=f"{spec}:site")
    assert table.y.tolist() == ["v", "u", "u"]
    assert table.covariates["site"].tolist() == ["q", "q", "p"]


class TestNames:
    def test_stand_in_whichever_column_fits(self, data, other):
        path = other("patient,type,barcode\np1,u,s2\np2,v,s1\np3,v,s3\n")
        table = read_table(data, labels=f"{path}:type")
        assert table.y.tolist() == ["v", "u", "v"]
        assert f"names of samples are taken from the column 'barcode' of {path}" in table.notes

    def test_the_column_of_the_labels_is_none(self, data, other):
        path = other("sample,again\ns1,s1\ns2,s2\ns3,s2\n")
        assert read_table(data, labels=f"{path}:again").y.tolist() == ["s1", "s2", "s2"]
        assert read_table(data, labels=path).y.tolist() == ["s1", "s2", "s2"]

    def test_the_column_that_fits_best_is_taken_and_never_the_one_that_is_asked_for(self, data, other):
        path = other("patient,friend,barcode\ns1,s2,s1\np2,s3,s2\np3,s1,s3\n")
        assert read_table(data, labels=f"{path}:friend").y.tolist() == ["s2", "s3", "s1"]

    def test_samples_may_be_found_by_an_id_that_is_no_name(self, tmp_path, other):
        (tmp_path / "x.csv").write_text("a,b,sample_id\n1,2,001\n3,5,002\n4,4,003\n")
        path = other("id,type\n003,u\n001,v\n002,w\n")
        table = read_table(str(tmp_path / "x.csv"), labels=path)
        assert table.y.tolist() == ["v", "w", "u"]
        assert f"samples are found in {path} by their column 'sample_id'" in table.notes

    def test_arrays_name_samples_too(self, tmp_path, other):
        np.savez(tmp_path / "x.npz", X=np.eye(3), sample_ids=["s1", "s2", "s3"], y=[1, 2, 3])
        assert read_table(str(tmp_path / "x.npz"), labels=other("s,t\ns2,u\ns1,v\ns3,v\n")).y.tolist() == [
            "v",
            "u",
            "v",
        ]

    def test_none_at_all(self, tmp_path, other):
        (tmp_path / "x.csv").write_text("a,b\n1,2\n3,5\n")
        with pytest.raises(
            InputError, match="no names of samples to find in .*; name their column .*, or save them beside"
        ):
            read_table(str(tmp_path / "x.csv"), labels=other("s,t\ns2,u\n"))

    def test_a_named_column_is_the_only_one(self, tmp_path, other):
        (tmp_path / "x.csv").write_text("a,b,sample_id,n\n1,2,1,p\n3,5,2,q\n4,4,3,r\n")
        with pytest.raises(InputError, match="none of the 3 samples"):
            read_table(str(tmp_path / "x.csv"), samples="n", labels=other("id,type\n3,u\n1,v\n2,w\n"))


class TestWhatDoesNotFit:
    def test_samples_without_labels_and_rows_without_samples_are_counted(self, data, other):
        path = other("id,t\ns1,u\nS2,v\ns3,v\ns4,v\n")
        table = read_table(data, labels=path)
        assert table.label_text.tolist() == ["u", "", "v"]
        assert table.n_unlabelled == 1
        assert table.notes[1:] == (
            f"1 of 3 samples has no label in {path} ('s2'), of which 1 differs by upper and lower case only "
            "('s2' and 'S2')",
            f"2 names of {path} are no samples of the table ('S2', 's4')",
        )

    def test_none_in_common(self, data, other):
        path = other("id,t\np1,u\np2,v\np3,w\np4,w\n")
        with pytest.raises(InputError) as error:
            read_table(data, labels=path)
        assert f"none of the 3 samples of {data} ('s1', 's2', 's3') is among its names ('p1', 'p2', 'p3', …);" in str(
            error.value
        )
        with pytest.raises(
            InputError, match=r"none of .*\), of which 3 differ by upper and lower case only \('s1' and 'S1'"
        ):
            read_table(data, labels=other("id,t\nS1,u\nS2,v\nS3,v\n"))

    def test_a_habit_that_keeps_names_apart_is_what_has_to_be_mended(self, data, other):
        with pytest.raises(InputError, match=r"case only \('s1' and 'S1'\); write them the same way in both files\.$"):
            read_table(data, labels=other("id,type\nS1,u\nS2,v\nS3,u\n"))

    @pytest.mark.parametrize("of", ["labels", "covariates"])
    def test_a_first_line_that_is_a_sample_is_no_header(self, data, other, of):
        """Else this sample would be the only one without a label."""
        with pytest.raises(InputError, match="first line names the sample 's1' of .* put a line such as sample,label"):
            read_table(data, **{of: other("s1,1\ns2,2\ns3,4\n")})

    def test_a_sample_may_be_called_as_the_column_of_names(self, tmp_path, other):
        (tmp_path / "z.csv").write_text("who,a\nid,1\ns2,3\n")
        assert read_table(str(tmp_path / "z.csv"), labels=other("id,type\nid,u\ns2,v\n")).y.tolist() == ["u", "v"]

    def test_samples_that_stand_twice(self, tmp_path, other):
        (tmp_path / "x.csv").write_text("id,a\ns1,1\ns1,3\ns2,4\n")
        with pytest.raises(
            InputError, match=r"1 name of samples stands more than once \('s1'\), so that their rows in"
        ):
            read_table(str(tmp_path / "x.csv"), samples="id", labels=other("id,t\ns1,u\ns2,v\n"))

    def test_rows_that_stand_twice_must_agree(self, data, other):
        assert read_table(data, labels=other("id,t\ns1,u\ns1,u\ns2,v\ns3,v\ns9,u\ns9,v\n")).y.tolist() == [
            "u",
            "v",
            "v",
        ]
        with pytest.raises(
            InputError, match=r"1 sample has several rows that do not agree in 't' \('s1'\); keep one row"
        ):
            read_table(data, labels=other("id,t\ns1,u\ns1,w\ns2,v\ns3,v\n"))

    def test_which_column_is_meant(self, data, other):
        path = other("id,t,q\ns1,u,1\ns2,v,1\ns3,v,2\n")
        with pytest.raises(
            InputError, match=r"has 2 columns beside the names of samples \('t', 'q'\); name the labels"
        ):
            read_table(data, labels=path)
        with pytest.raises(InputError, match="no column named 'T'; did you mean 't'"):
            read_table(data, labels=f"{path}:T")

    def test_a_file_that_says_nothing_of_samples(self, tmp_path, data):
        (tmp_path / "y.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 7\n2 1 5\n")
        with pytest.raises(InputError, match="holds no columns that describe samples"):
            read_table(data, labels=f"{tmp_path / 'y.mtx'}:t")

    def test_two_sources_of_labels(self, data):
        with pytest.raises(InputError, match="labels come from 'a' or from 'y.csv', not from both"):
            read_table(data, label="a", labels="y.csv")


class TestTransposed:
    LABELS = "sample,t\ns1,u\ns2,v\ns3,v\n"

    def test_columns_with_the_names_of_samples_must_be_turned(self, tmp_path, other):
        path = tmp_path / "x.csv"
        path.write_text("what,s1,s2,s3\np,1,2,3\nq,4,5,6\nr,7,8,8\n")
        labels = other(self.LABELS)
        with pytest.raises(InputError, match=r"x.csv: its columns have the names of samples in .*; use --transpose\."):
            read_table(str(path), labels=labels)
        table = read_table(str(path), labels=labels, transpose=True)
        assert (table.y.tolist(), table.X.shape) == (["u", "v", "v"], (3, 3))

    @pytest.mark.parametrize("of", ["labels", "covariates"])
    def test_so_must_those_of_genes_that_stand_twice(self, tmp_path, other, of):
        """Text that stands twice is no name, but text among numbers; the other file tells what it is."""
        path = tmp_path / "x.csv"
        path.write_text("what,s1,s2,s3\np,1,2,3\nq,4,5,6\np,7,8,8\n")
        with pytest.raises(InputError, match=r"x.csv: its columns have the names of samples in .*; use --transpose\."):
            read_table(str(path), **{of: other(self.LABELS)})
        with pytest.raises(InputError, match="1 of 4 columns is not numeric"):
            read_table(str(path), **{of: other("sample,t\nq1,u\nq2,v\n")})
        with pytest.raises(InputError, match="1 of 4 columns is not numeric"):
            read_table(str(path), **{of: str(tmp_path / "none.csv")})

    def test_rows_with_the_names_of_samples_must_not(self, data, other):
        with pytest.raises(
            InputError, match=r"x.csv: its rows have the names of samples in .*; leave out --transpose\."
        ):
            read_table(data, labels=other(self.LABELS), transpose=True)

    def test_labels_that_fit_the_rows_decide(self, tmp_path, other):
        """A table of genes, each of which is a sample, is none that must be turned."""
        path = tmp_path / "x.csv"
        path.write_text("gene,p,q\ns1,1,2\ns2,4,5\ns3,7,8\n")
        assert read_table(str(path), labels=other(self.LABELS)).y.tolist() == ["u", "v", "v"]


class TestCovariates:
    def test_numbers_are_numbers_and_text_is_categories(self, data, other):
        path = other("id,age,site,code\ns3,31,x,1\ns1,40.5,y,a\ns2,7,y,1\n")
        found = read_table(data, covariates=path).covariates
        assert found["age"].tolist() == [40.5, 7, 31]
        assert found["age"].dtype == np.float64
        assert found["site"].tolist() == ["y", "y", "x"]
        assert found["code"].tolist() == ["a", "1", "1"]
        assert list(read_table(data, covariates=f"{path}:site, age").covariates) == ["site", "age"]

    @pytest.mark.parametrize("cell", ['""', "NA", "n/a", '" "'])
    def test_missing_values_are_counted(self, data, other, cell):
        path = other(f"id,age,more\ns1,{cell},1\ns2,7,1\ns3,{cell},2\n")
        with pytest.raises(InputError, match=r"the covariate 'age' has no value for 2 samples \('s1', 's3'\); fill"):
            read_table(data, covariates=path)

    def test_a_sample_without_any(self, data, other):
        with pytest.raises(InputError, match=r"1 sample of .* has no covariates \('s2'\); add rows for them"):
            read_table(data, covariates=other("id,age\ns1,1\ns3,7\n"))

    def test_text_of_each_sample_explains_everything(self, data, other):
        with pytest.raises(InputError, match="the covariate 'name' has another text for each sample, such as 'Ann'"):
            read_table(data, covariates=other("id,name\ns1,Ann\ns2,Bob\ns3,Cem\n"))

    def test_rows_that_do_not_agree(self, data, other):
        with pytest.raises(InputError, match="several rows that do not agree in 'age'"):
            read_table(data, covariates=other("id,age\ns1,1\ns1,2\ns2,7\ns3,7\n"))

    @pytest.mark.parametrize(("column", "refused"), [("t", True), ("u", True), ("v", False)])
    def test_labels_are_none_by_any_name(self, data, other, column, refused):
        """The rest of every feature would be rounding, and its order noise."""
        path = other("id,t,u,v\ns1,x,0,1\ns2,y,1,1\ns3,x,0,2\n")
        if not refused:
            assert read_table(data, labels=f"{path}:t", covariates=f"{path}:{column}").covariates.shape == (3, 1)
            return
        with pytest.raises(
            InputError, match=f"the covariate '{column}' says the same of the samples as the labels 't'"
        ):
            read_table(data, labels=f"{path}:t", covariates=f"{path}:{column}")

    def test_notes_on_one_file_stand_once(self, data, other):
        path = other("id;t;v\ns1;x;1\ns2;y;1\ns3;x;2\n")
        table = read_table(data, labels=f"{path}:t", covariates=f"{path}:v")
        assert [note for note in table.notes if "between cells" in note] == [f"{path}: read with ';' between cells"]


def test_standard_input_is_one_table():
    with pytest.raises(InputError, match="standard input: can be read once, and is named for several tables"):
        read_table("-", labels="-:t")
