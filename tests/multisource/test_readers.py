"""Files of knowledge, good and bad."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

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
    ("text", "says"),
    [
        ("A B\nA\n", "line 2"),
        ("A B x\n", "line 1"),
        ("A B inf\n", "line 1"),
        ("A B nan\n", "line 1"),
        ("A B 1_0\n", "line 1"),
        ("# no\n", "no interaction"),
    ],
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


def test_annotations_to_the_last_bit(write):
    cells = ["0.00000000000000001234", "000000000000000000012.5", "0.8444218515250481", "0.13436424411240122"]
    matrix, _, _ = read_annotations(write("t.csv", "gene,a,b\n" + "".join(f"g{cell},{cell},1\n" for cell in cells)))
    assert matrix.toarray()[:, 0].tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize("cell", ["inf", "nan", "", "-1", "1e999", "True"])
def test_weights_of_annotations_are_finite_numbers(write, cell):
    with pytest.raises(InputError, match="the term 'a' has values that are no numbers, negative, infinite or missing"):
        read_annotations(write("t.csv", f"gene,a,b\nX,{cell},1\nY,1,1\n"))


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
    with pytest.raises(InputError, match=r"1 missing or infinite value in 'b' \(1\); fill them"):
        read_auxiliary(write("bad.csv", "sample,a,b\np1,1,\n"))


def test_names_are_text_whatever_they_look_like(write):
    table = read_auxiliary(write("m.csv", "id,a\n007,1\nNA,2\nNone,3\n"))
    assert list(table.index) == ["007", "NA", "None"]
    matrix, genes, terms = read_annotations(write("p.csv", "gene,term\n1,101\n02,101\nNA,102\n"))
    assert (genes, terms) == (["1", "02", "NA"], ["101", "102"])
    np.testing.assert_array_equal(matrix.toarray(), [[1, 0], [1, 0], [0, 1]])
    _, genes, terms = read_annotations(write("one.csv", "gene,cycle\n7,1\n8,0\n"))  # a table of one term
    assert (genes, terms) == (["7", "8"], ["cycle"])


class TestOneReaderForAllTables:
    """What the reader of the ranked table refuses or takes, that of other tables does too."""

    def test_a_header_one_name_short_is_refused(self, write):
        """R's write.table leaves out the name of the names; the first measurement must not become names."""
        with pytest.raises(InputError, match=r"line 2 has 3 values where the header has 2 names.*col\.names = NA"):
            read_auxiliary(write("m.tsv", "a\tb\ns1\t1\t2\ns2\t3\t4\n"))
        table = read_auxiliary(write("m.tsv", "\ta\tb\ns1\t1\t2\ns2\t3\t4\n"))
        assert (list(table.index), list(table.columns)) == (["s1", "s2"], ["a", "b"])

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("id,a\ns1,1\x002\ns2,3\n", "holds NUL bytes"),
            ("id,a,a\ns1,1,2\ns2,3,4\n", r"1 column name stands more than once \('a'\)"),
            ("id;a\ns1;1\ns2;2\n", "it seems to be separated by ';'"),
            ("id\ta\ns1\t1\ns2\t2\n", r"separated by '\\t'; let its name end in \.tsv"),
            ("id,a,b\ns1,1\ns2,2,3\n", "line 2 has 2 values where the header has 3 names; was the file cut off"),
            ("id,a,b\ns1,1,2,\ns2,2,3,\n", "does the line end in a separator too many"),
            ("id,a\ns1,1e400\ns2,2\n", "'1e400' in 'a' is beyond"),
            (
                "id,a\ns1,x\ns2,2\n",
                r"1 of 1 column is not numeric \('a'\), such as 'x' in 'a'; names of samples belong",
            ),
            ("id\ns1\ns2\n", "no column is left to rank; names of samples belong in the first column"),
        ],
    )
    def test_tables_that_are_refused(self, write, text, says):
        with pytest.raises(InputError, match=says) as caught:
            read_auxiliary(write("m.csv", text))
        assert "--" not in str(caught.value)  # other tables have no options

    def test_numbers_to_the_last_bit(self, write):
        table = read_auxiliary(write("m.csv", "id,a\ns1,0.00000000000000001234\ns2,000000000000000000012.5\n"))
        assert table["a"].tolist() == [1.234e-17, 12.5]

    @pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "index.parquet", "npz", "mat", "h5ad"])
    def test_every_format(self, tmp_path, kind):
        frame = pd.DataFrame({"a": [1.5, 2.0, 3.0], "b": [0.0, 4.0, 5.0]}, index=["01", "1", "NA"])
        path = tmp_path / f"m.{kind}"
        if kind.startswith("csv"):
            frame.to_csv(path, index_label="id")
        elif kind.endswith("parquet"):
            pytest.importorskip("pyarrow")
            (frame if "index" in kind else frame.reset_index(names="id")).to_parquet(path)
        elif kind == "h5ad":
            pytest.importorskip("anndata").AnnData(
                sparse.csr_matrix(frame), frame[[]], pd.DataFrame(index=list("ab"))
            ).write_h5ad(path)
        else:
            arrays = {
                "X": frame.to_numpy(),
                "feature_names": np.array(["a", "b"]),
                "sample": np.array(frame.index, str),
            }
            np.savez(path, **arrays) if kind == "npz" else savemat(path, arrays)
        pd.testing.assert_frame_equal(read_auxiliary(path), frame, check_index_type=False)

    def test_archives_without_names(self, tmp_path):
        np.savez(tmp_path / "m.npz", X=np.eye(3))
        with pytest.raises(InputError, match="no array named 'sample'; there are none"):
            read_auxiliary(tmp_path / "m.npz")
        assert read_auxiliary(tmp_path / "m.npz", names=False).shape == (3, 3)

    def test_knowledge_of_features_is_read_with_the_same_care(self, write):
        with pytest.raises(InputError, match="holds NUL bytes"):
            read_gene_sets(write("s.gmt", "A\tna\tX\0Y\n"))
        with pytest.raises(InputError, match="holds NUL bytes"):
            read_interactions(write("i.txt", "A\0 B\n"))
        with pytest.raises(InputError, match=r"line 2 has 3 values where the header has 2 names"):
            read_annotations(write("t.csv", "cycle,death\nTP53,1,0\nMYC,1,1\n"))
        path = write("s.gmt", "")
        path.write_bytes("A\tna\tnaïve\n".encode("latin-1"))
        with pytest.raises(InputError, match="is not text in UTF-8; save it as UTF-8"):
            read_gene_sets(path)

    def test_compressed_knowledge(self, tmp_path):
        for name, text in (("s.gmt", "A\tna\tX\n"), ("e.sif", "X pp Y Z\n"), ("p.tsv", "gene\tterm\nX\tcycle\n")):
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        assert read_gene_sets(tmp_path / "s.gmt.gz") == {"A": ["X"]}
        assert read_interactions(tmp_path / "e.sif.gz") == [("X", "Y"), ("X", "Z")]
        for name in ("s.gmt.gz", "p.tsv.gz"):
            matrix, genes, _ = read_annotations(tmp_path / name)
            assert (matrix.toarray().tolist(), genes) == ([[1.0]], ["X"])
