"""Files of knowledge, good and bad."""

import numpy as np
import pytest

from eigenselect.exceptions import InputError
from eigenselect.multisource import read_annotations, read_auxiliary, read_gene_sets, read_interactions


@pytest.fixture
def write(tmp_path):
    def call(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return call


def test_gene_sets(write):
    path = write("sets.gmt", "P53\thttp://x\tTP53\tMDM2\tTP53\t\n\nMYC\tna\tMYC \n")
    assert read_gene_sets(path) == {"P53": ["TP53", "MDM2"], "MYC": ["MYC"]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A\tna\tX\nB only\n", "line 2 is no gene set"),
        ("A\tna\t\n", "line 1 is no gene set"),
        ("A\tna\tX\n\nA\tna\tY\n", "line 3 defines the set 'A' a second time"),
        ("\n", "holds no gene set"),
    ],
)
def test_bad_gene_sets(write, text, says):
    with pytest.raises(InputError, match=says):
        read_gene_sets(write("sets.gmt", text))


def test_interactions(write):
    assert read_interactions(write("a.txt", "# pathway\nA\tB\nB C 0.5  # strong\n")) == [("A", "B"), ("B", "C", 0.5)]
    assert read_interactions(write("a.csv", "A, B\nB,C,2\n")) == [("A", "B"), ("B", "C", 2.0)]
    assert read_interactions(write("a.sif", "A pp B C\nC pp D\n")) == [("A", "B"), ("A", "C"), ("C", "D")]


@pytest.mark.parametrize(
    ("text", "says"), [("A B\nA\n", "line 2"), ("A B x\n", "line 1"), ("# no\n", "no interaction")]
)
def test_bad_interactions(write, text, says):
    with pytest.raises(InputError, match=says):
        read_interactions(write("edges.txt", text))


def test_annotations_in_three_forms(write):
    expected = {("TP53", "apoptosis"), ("TP53", "cycle"), ("MYC", "cycle")}
    files = [
        write("go.gmt", "apoptosis\tna\tTP53\ncycle\tna\tTP53\tMYC\n"),
        write("pairs.csv", "gene,term\nTP53,apoptosis\nTP53,cycle\nMYC,cycle\nMYC,cycle\n"),
        write("table.tsv", "gene\tapoptosis\tcycle\nTP53\t1\t1\nMYC\t0\t1\n"),
    ]
    for path in files:
        matrix, features, terms = read_annotations(path)
        rows, columns = matrix.nonzero()
        assert {(features[i], terms[j]) for i, j in zip(rows, columns, strict=True)} == expected, path
        assert set(matrix.data) == {1.0}


def test_bad_annotations(write):
    with pytest.raises(InputError, match="the term 'b' has values"):
        read_annotations(write("t.csv", "gene,a,b\nX,1,yes\n"))
    with pytest.raises(InputError, match="needs a column of names"):
        read_annotations(write("t.csv", "gene\nX\n"))
    with pytest.raises(InputError, match="there is no such file"):
        read_annotations("/nowhere/at.csv")


def test_auxiliary_tables(write):
    table = read_auxiliary(write("m.csv", "sample,a,b\n7,1,2.5\np2,3,4\n"))
    assert list(table.index) == ["7", "p2"]
    np.testing.assert_array_equal(table.to_numpy(), [[1, 2.5], [3, 4]])
    assert read_auxiliary(write("n.tsv", "a\tb\n1\t2\n"), names=False).shape == (1, 2)
    with pytest.raises(
        InputError, match=r"1 missing or infinite value in 1 column, most in 'b' \(1\); fill them"
    ):
        read_auxiliary(write("bad.csv", "sample,a,b\np1,1,\n"))


def test_names_are_text_whatever_they_look_like(write):
    table = read_auxiliary(write("m.csv", "id,a\n007,1\nNA,2\nNone,3\n"))
    assert list(table.index) == ["007", "NA", "None"]
    matrix, genes, terms = read_annotations(write("p.csv", "gene,term\n1,101\n02,101\nNA,102\n"))
    assert (genes, terms) == (["1", "02", "NA"], ["101", "102"])
    np.testing.assert_array_equal(matrix.toarray(), [[1, 0], [1, 0], [0, 1]])
    _, genes, terms = read_annotations(write("one.csv", "gene,cycle\n7,1\n8,0\n"))  # a table of one term
    assert (genes, terms) == (["7", "8"], ["cycle"])
