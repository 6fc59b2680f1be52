"""Labels and covariates of another file: matched by name, in any order."""

import numpy as np
import pandas as pd
import pytest
from tests.io.tables import refuses, save, save_frame

from eigenselect.io.companions import split_spec
from eigenselect.io.readers import read_table


@pytest.fixture
def data(tmp_path):
    return save(tmp_path, "id,a,b\ns1,1,2\ns2,3,5\ns3,4,4\n", "x.csv")


@pytest.fixture
def other(tmp_path):
    return lambda text, name="y.csv": save(tmp_path, text, name)


def test_a_file_and_its_columns(tmp_path):
    odd = save(tmp_path, "", "go:1.csv")
    assert split_spec(odd) == (odd, None)
    assert split_spec(f"{odd}:GO:2") == (odd, "GO:2")
    assert split_spec("no.csv:type") == ("no.csv", "type")


def test_labels_in_any_order(data, other):
    path = other("sample\ttype\tage\ns3\tu\t1\ns1\t007\t2\ns2\tNA\t3\n", "y.tsv")
    table = read_table(data, samples="id", labels=f"{path}:type", covariates=f"{path}:age")
    assert (table.y[0], table.y[2], table.n_unlabelled, table.label_name) == ("007", "u", 1, "type")
    assert table.label_text.tolist() == ["007", "NA", "u"]
    assert table.covariates["age"].tolist() == [2, 3, 1]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "npz", "h5ad"])
def test_any_format_says_what_is_known_of_samples(tmp_path, data, ending):
    frame = pd.DataFrame({"sample": ["s3", "s1", "s2"], "type": ["u", "v", "u"], "site": ["p", "q", "q"]})
    path = save_frame(tmp_path / f"y.{ending}", frame, index="sample")
    table = read_table(data, labels=f"{path}:type", covariates=f"{path}:site")
    assert table.y.tolist() == ["v", "u", "u"]
    assert table.covariates["site"].tolist() == ["q", "q", "p"]


#: the other file, the column of labels, the labels, and a word of a note
FOUND = [
    ("patient,type,barcode\np1,u,s2\np2,v,s1\np3,v,s3\n", ":type", "vuv", "'barcode'"),
    ("sample,again\ns1,s1\ns2,s2\ns3,s2\n", ":again", ["s1", "s2", "s2"], ""),
    ("sample,again\ns1,s1\ns2,s2\ns3,s2\n", "", ["s1", "s2", "s2"], ""),
    ("patient,friend,barcode\ns1,s2,s1\np2,s3,s2\np3,s1,s3\n", ":friend", ["s2", "s3", "s1"], ""),
    ("id,t\ns1,u\ns1,u\ns2,v\ns3,v\ns9,u\ns9,v\n", "", "uvv", "('s9')"),
    ("id,t\ns1,u\nS2,v\ns3,v\ns4,v\n", "", ["u", "", "v"], "('s2' and 'S2')"),
]


def test_names_stand_in_whichever_column_fits(data, other, tmp_path):
    for text, column, labels, word in FOUND:
        table = read_table(data, labels=other(text) + column)
        assert table.label_text.tolist() == list(labels), text
        assert word in " ".join(table.notes), (text, table.notes)
    by_id = save(tmp_path, "a,b,sample_id\n1,2,001\n3,5,002\n4,4,003\n", "z.csv")  # an id that is no name
    table = read_table(by_id, labels=other("id,type\n003,u\n001,v\n002,w\n"))
    assert table.y.tolist() == ["v", "w", "u"]
    assert any("'sample_id'" in note for note in table.notes)
    np.savez(tmp_path / "x.npz", X=np.eye(3), sample_ids=["s1", "s2", "s3"], y=[1, 2, 3])
    labels = other("s,t\ns2,u\ns1,v\ns3,v\n")
    assert read_table(str(tmp_path / "x.npz"), labels=labels).y.tolist() == ["v", "u", "v"]
    called = save(tmp_path, "who,a\nid,1\ns2,3\n", "z.csv")  # a sample may be called as the column of names
    assert read_table(called, labels=other("id,type\nid,u\ns2,v\n")).y.tolist() == ["u", "v"]


#: habits of programs that keep equal names apart
HABITS = [
    ("s1", '"""s1"""', "quotation marks"),
    ("S1", "s1", "case"),
    ("7", "007", "zeros"),
    ("X1.day", "1-day", "R makes"),
    ("a-b c", "a.b.c", "R makes"),
    ("ENSG00000141510", "ENSG00000141510.12", "number at the end"),
    ("ACGT-1", "ACGT", "number at the end"),
]


def test_habits_that_keep_names_apart_are_named(tmp_path, other):
    for name, as_called, word in HABITS:
        for one, two in ((name, as_called), (as_called, name)):
            path = save(tmp_path, f"id,a\n{one},1\nz,2\n", "z.csv")
            refuses(path, word, samples="id", labels=other(f"id,t\n{two},u\ny,v\n"))
    refuses(path, "is among its names", samples="id", labels=other("id,t\nalpha,u\nbeta,v\n"))


#: the table, options, the other file, and a word of the refusal
REFUSED = [
    (None, {}, "id,t\np1,u\np2,v\np3,w\np4,w\n", "none of the 3 samples"),
    (None, {}, "id,t\nS1,u\nS2,v\nS3,v\n", "3 differ"),
    (None, {}, "id,t\nS1,u\nS2,v\nS3,v\n", "both files"),
    (None, {}, "id,t\ns1,u\ns1,w\ns2,v\ns3,v\n", "agree in 't' ('s1')"),
    (None, {}, "id,t,q\ns1,u,1\ns2,v,1\ns3,v,2\n", "('t', 'q')"),
    (None, {}, "s1,1\ns2,2\ns3,4\n", "sample,label"),  # a first line that is a sample is no header
    ("a,b\n1,2\n3,5\n", {}, "s,t\ns2,u\n", "no names of samples"),
    ("a,b,sample_id,n\n1,2,1,p\n3,5,2,q\n4,4,3,r\n", {"samples": "n"}, "id,type\n3,u\n1,v\n2,w\n", "none of the 3"),
    ("id,a\ns1,1\ns1,3\ns2,4\n", {"samples": "id"}, "id,t\ns1,u\ns2,v\n", "('s1')"),
]


def test_what_does_not_fit(tmp_path, data, other):
    for text, how, labels, keyword in REFUSED:
        path = data if text is None else save(tmp_path, text, "z.csv")
        refuses(path, keyword, labels=other(labels), **how)
    path = other("id,t,q\ns1,u,1\ns2,v,1\ns3,v,2\n")
    refuses(data, "did you mean 't'", labels=f"{path}:T")
    refuses(data, "not from both", label="a", labels="y.csv")
    matrix = other("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 7\n2 1 5\n", "y.mtx")
    refuses(data, "describe samples", labels=f"{matrix}:t")
    refuses("-", "standard input", labels="-:t")
    refuses(data, "--label", labels="type")


class TestTransposed:
    LABELS = "sample,t\ns1,u\ns2,v\ns3,v\n"

    def test_columns_with_the_names_of_samples_must_be_turned(self, tmp_path, other):
        path = save(tmp_path, "what,s1,s2,s3\np,1,2,3\nq,4,5,6\nr,7,8,8\n", "z.csv")
        refuses(path, "use --transpose", labels=other(self.LABELS))
        table = read_table(path, labels=other(self.LABELS), transpose=True)
        assert (table.y.tolist(), table.X.shape) == (["u", "v", "v"], (3, 3))

    @pytest.mark.parametrize("of", ["labels", "covariates"])
    def test_so_must_those_of_genes_that_stand_twice(self, tmp_path, other, of):
        """Text that stands twice is no name, but text among numbers; the other file tells what it is."""
        path = save(tmp_path, "what,s1,s2,s3\np,1,2,3\nq,4,5,6\np,7,8,8\n", "z.csv")
        refuses(path, "use --transpose", **{of: other(self.LABELS)})
        for spec in (other("sample,t\nq1,u\nq2,v\n"), str(tmp_path / "none.csv")):
            refuses(path, "1 of 4 columns", **{of: spec})

    def test_rows_with_the_names_of_samples_must_not(self, data, other, tmp_path):
        refuses(data, "leave out --transpose", labels=other(self.LABELS), transpose=True)
        genes = save(tmp_path, "gene,p,q\ns1,1,2\ns2,4,5\ns3,7,8\n", "z.csv")  # each of which is a sample
        assert read_table(genes, labels=other(self.LABELS)).y.tolist() == ["u", "v", "v"]


class TestCovariates:
    def test_numbers_are_numbers_and_text_is_categories(self, data, other):
        path = other("id,age,site,code\ns3,31,x,1\ns1,40.5,y,a\ns2,7,y,1\n")
        found = read_table(data, covariates=path).covariates
        assert (found["age"].tolist(), found["age"].dtype) == ([40.5, 7, 31], np.float64)
        assert (found["site"].tolist(), found["code"].tolist()) == (["y", "y", "x"], ["a", "1", "1"])
        assert list(read_table(data, covariates=f"{path}:site, age").covariates) == ["site", "age"]

    def test_what_is_refused(self, data, other):
        for cell in ('""', "NA", "n/a", '" "'):
            path = other(f"id,age,more\ns1,{cell},1\ns2,7,1\ns3,{cell},2\n")
            refuses(data, "'age' has no value", covariates=path)
        for text, keyword in [
            ("id,age\ns1,1\ns3,7\n", "('s2')"),
            ("id,name\ns1,Ann\ns2,Bob\ns3,Cem\n", "'Ann'"),
            ("id,age\ns1,1\ns1,2\ns2,7\ns3,7\n", "agree in 'age'"),
            ("s1,1\ns2,2\ns3,4\n", "'s1'"),
        ]:
            refuses(data, keyword, covariates=other(text))

    def test_labels_are_none_by_any_name(self, data, other):
        """The rest of every feature would be rounding, and its order noise."""
        path = other("id;t;u;v\ns1;x;0;1\ns2;y;1;1\ns3;x;0;2\n")
        for column in "tu":
            refuses(data, f"'{column}'", labels=f"{path}:t", covariates=f"{path}:{column}")
        table = read_table(data, labels=f"{path}:t", covariates=f"{path}:v")
        assert table.covariates.shape == (3, 1)
        assert len([note for note in table.notes if "between cells" in note]) == 1  # notes on one file stand once
