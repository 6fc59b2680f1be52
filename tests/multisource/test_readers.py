"""Files of knowledge, good and bad."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.multisource import read_annotations, read_auxiliary, read_gene_sets, read_interactions


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return to


def test_gene_sets(write):
    path = write("sets.gmt", "P53\thttp://x\tTP53\tMDM2\tTP53\t\n\nMYC\tna\tMYC \n")
    assert read_gene_sets(path) == {"P53": ["TP53", "MDM2"], "MYC": ["MYC"]}


def test_interactions(write):
    assert read_interactions(write("a.txt", "# pathway\nA\tB\nB C 0.5  # strong\n")) == [("A", "B"), ("B", "C", 0.5)]
    assert read_interactions(write("a.csv", "A, B\nB,C,2\n")) == [("A", "B"), ("B", "C", 2.0)]
    assert read_interactions(write("a.sif", "A pp B C\nC pp D\n")) == [("A", "B"), ("A", "C"), ("C", "D")]


def test_annotations_in_three_forms(write):
    expected = {("TP53", "apoptosis"), ("TP53", "cycle"), ("MYC", "cycle")}
    for path in (
        write("go.gmt", "apoptosis\tna\tTP53\ncycle\tna\tTP53\tMYC\n"),
        write("pairs.csv", "gene,term\nTP53,apoptosis\nTP53,cycle\nMYC,cycle\nMYC,cycle\n"),
        write("table.tsv", "gene\tapoptosis\tcycle\nTP53\t1\t1\nMYC\t0\t1\n"),
    ):
        matrix, features, terms = read_annotations(path)
        rows, columns = matrix.nonzero()
        assert {(features[i], terms[j]) for i, j in zip(rows, columns, strict=True)} == expected, path
        assert set(matrix.data) == {1.0}


def test_numbers_to_the_last_bit(write):
    cells = ["0.00000000000000001234", "000000000000000000012.5", "0.8444218515250481", "0.13436424411240122"]
    path = write("t.csv", "gene,a,b\n" + "".join(f"g{cell},{cell},1\n" for cell in cells))
    expected = [float(cell) for cell in cells]
    assert read_annotations(path)[0].toarray()[:, 0].tolist() == expected
    assert read_auxiliary(path)["a"].tolist() == expected


def test_auxiliary_tables(write):
    table = read_auxiliary(write("m.csv", "sample,a,b\n7,1,2.5\np2,3,4\n"))
    assert list(table.index) == ["7", "p2"]
    np.testing.assert_array_equal(table.to_numpy(), [[1, 2.5], [3, 4]])
    assert read_auxiliary(write("n.tsv", "a\tb\n1\t2\n"), names=False).shape == (1, 2)
    table = read_auxiliary(write("m.tsv", "\ta\tb\ns1\t1\t2\ns2\t3\t4\n"))
    assert (list(table.index), list(table.columns)) == (["s1", "s2"], ["a", "b"])


def test_names_are_text_whatever_they_look_like(write):
    table = read_auxiliary(write("m.csv", "id,a\n007,1\nNA,2\nNone,3\n"))
    assert list(table.index) == ["007", "NA", "None"]
    matrix, genes, terms = read_annotations(write("p.csv", "gene,term\n1,101\n02,101\nNA,102\n"))
    assert (genes, terms) == (["1", "02", "NA"], ["101", "102"])
    np.testing.assert_array_equal(matrix.toarray(), [[1, 0], [1, 0], [0, 1]])
    _, genes, terms = read_annotations(write("one.csv", "gene,cycle\n7,1\n8,0\n"))  # a table of one term
    assert (genes, terms) == (["7", "8"], ["cycle"])


#: reader, name of the file, what it holds, what is said of it
BAD = [
    (read_gene_sets, "s.gmt", "A\tna\tX\nB only\n", "line 2"),
    (read_gene_sets, "s.gmt", "A\tna\t\n", "line 1"),
    (read_gene_sets, "s.gmt", "A\tna\tX\n\nA\tna\tY\n", "line 3"),
    (read_gene_sets, "s.gmt", "\n", "no gene set"),
    (read_gene_sets, "s.gmt", "A\tna\tX\0Y\n", "NUL bytes"),
    (read_gene_sets, "s.gmt", "A\tna\tnaïve\n".encode("latin-1"), "UTF-8"),
    (read_interactions, "i.txt", "A B\nA\n", "line 2"),
    *((read_interactions, "i.txt", f"A B {cell}\n", "line 1") for cell in ("x", "inf", "nan", "1_0")),
    (read_interactions, "i.txt", "# no\n", "no interaction"),
    (read_interactions, "i.txt", "A\0 B\n", "NUL bytes"),
    *(
        (read_annotations, "t.csv", f"gene,a,b\nX,{cell},1\nY,1,1\n", "term 'a'")
        for cell in ("inf", "nan", "", "-1", "1e999", "True", "yes")
    ),
    (read_annotations, "t.csv", "gene\nX\n", "column of names"),
    (read_annotations, "t.csv", "cycle,death\nTP53,1,0\nMYC,1,1\n", "line 2 has 3"),
    (read_auxiliary, "m.csv", "sample,a,b\np1,1,\n", "'b' (1)"),
    (read_auxiliary, "m.tsv", "a\tb\ns1\t1\t2\ns2\t3\t4\n", "col.names = NA"),
    (read_auxiliary, "m.csv", "id,a\ns1,1\x002\ns2,3\n", "NUL bytes"),
    (read_auxiliary, "m.csv", "id,a,a\ns1,1,2\ns2,3,4\n", "('a')"),
    (read_auxiliary, "m.csv", "id;a\ns1;1\ns2;2\n", "';'"),
    (read_auxiliary, "m.csv", "id\ta\ns1\t1\ns2\t2\n", ".tsv"),
    (read_auxiliary, "m.csv", "id,a,b\ns1,1\ns2,2,3\n", "line 2 has 2"),
    (read_auxiliary, "m.csv", "id,a,b\ns1,1,2,\ns2,2,3,\n", "line end"),
    (read_auxiliary, "m.csv", "id,a\ns1,1e400\ns2,2\n", "'1e400' in 'a'"),
    (read_auxiliary, "m.csv", "id,a\ns1,x\ns2,2\n", "'x' in 'a'"),
    (read_auxiliary, "m.csv", "id\ns1\ns2\n", "first column"),
]


@pytest.mark.parametrize("reader", [read_gene_sets, read_interactions, read_annotations, read_auxiliary])
def test_bad_files(write, reader):
    """Other tables have no options of the command, so that none is advised."""
    for _, name, text, keyword in (case for case in BAD if case[0] is reader):
        with pytest.raises(InputError, match=re.escape(keyword)) as caught:
            reader(write(name, text))
        assert "--" not in str(caught.value), text
    with pytest.raises(InputError, match="no such file"):
        reader("/nowhere/at.csv")


@pytest.mark.parametrize("kind", ["csv.gz", "parquet", "index.parquet", "npz", "h5ad"])
def test_every_format_of_auxiliary_tables(tmp_path, kind):
    frame = pd.DataFrame({"a": [1.5, 2.0, 3.0], "b": [0.0, 4.0, 5.0]}, index=["01", "1", "NA"])
    path = tmp_path / f"m.{kind}"
    if kind.startswith("csv"):
        frame.to_csv(path, index_label="id")
    elif kind.endswith("parquet"):
        pytest.importorskip("pyarrow")
        (frame if "index" in kind else frame.reset_index(names="id")).to_parquet(path)
    elif kind == "h5ad":
        anndata = pytest.importorskip("anndata")
        anndata.AnnData(sparse.csr_matrix(frame), frame[[]], pd.DataFrame(index=list("ab"))).write_h5ad(path)
    else:
        names = {"feature_names": np.array(["a", "b"]), "sample": np.array(frame.index, str)}
        np.savez(path, X=frame, **names)
    pd.testing.assert_frame_equal(read_auxiliary(path), frame, check_index_type=False)


def test_compressed_knowledge(write):
    sets = write("s.gmt.gz", gzip.compress(b"A\tna\tX\n"))
    assert read_gene_sets(sets) == {"A": ["X"]}
    assert read_interactions(write("e.sif.gz", gzip.compress(b"X pp Y Z\n"))) == [("X", "Y"), ("X", "Z")]
    for path in (sets, write("p.tsv.gz", gzip.compress(b"gene\tterm\nX\tcycle\n"))):
        matrix, genes, _ = read_annotations(path)
        assert (matrix.toarray().tolist(), genes) == ([[1.0]], ["X"])
