"""Matrix Market files and folders of 10x Genomics: exact entries, which axis holds samples, names beside a matrix."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite
from tests.io.tables import dense, n_refused, refuses, save, thinned

from eigenselect.io.readers import read_table

HEAD = "%%MatrixMarket matrix coordinate {} general\n"
HARD = [0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0, 123456789.123456789]
COUNTS = np.random.default_rng(0).poisson(0.7, size=(5, 8))
GENES, CELLS = [f"G{j}" for j in range(5)], [f"AAC{i}-1" for i in range(8)]
LINES = [f"ENSG{j}\t{name}\tGene Expression" for j, name in enumerate(GENES)]


def market(folder, text, name="t.mtx"):
    return read_table(save(folder, text, name)).X


class TestMarket:
    def test_what_scipy_writes(self, tmp_path):
        for values in (thinned(), (9 * thinned()).astype(int), np.zeros((2, 3))):
            for layout in (sparse.csr_array, sparse.csc_array, np.asarray):
                mmwrite(tmp_path / "t.mtx", layout(values), precision=17)
                X = read_table(str(tmp_path / "t.mtx")).X
                assert X.dtype == values.dtype
                np.testing.assert_array_equal(dense(X), values)

    def test_every_number_is_the_one_of_python(self, tmp_path):
        entries = "".join(f"{i + 1} 1 {number!r}\n" for i, number in enumerate(HARD))
        X = market(tmp_path, HEAD.format("real") + f"{len(HARD)} 1 {len(HARD)}\n{entries}")
        assert dense(X).ravel().tolist() == HARD

    #: what stands behind "%%MatrixMarket matrix", and the table
    KINDS = (
        ("coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 7\n", [[5, 7], [7, 0]]),
        ("coordinate pattern general\n2 2 2\n1 1\n2 1\n", [[1, 0], [1, 0]]),
        ("coordinate integer general\n% a remark\n\n2 2 2\n1 2 3\n1 2 4\n", [[0, 7], [0, 0]]),  # one place twice
        ("COORDINATE Pattern General\r\n% one\r\n\r\n%two\r\n2 2 2\r\n1 2\r\n\r\n2\t1 \r\n", [[0, 1], [1, 0]]),
        ("array real symmetric\n2 2\n5\n7\n0.5\n", [[5, 7], [7, 0.5]]),
        ("array real general\n2 2\n1\n2\n3\n4.5\n", [[1, 3], [2, 4.5]]),
    )

    def test_kinds_of_matrices(self, tmp_path):
        for text, expected in self.KINDS:
            assert dense(market(tmp_path, f"%%MatrixMarket matrix {text}")).tolist() == expected, text

    #: field and lines of a matrix of 2 x 2 with 1 entry, and a word of the refusal
    BAD = (
        *(("integer", line, "whole number") for line in ("1 1 5.5", "1 1 5x", f"1 1 {'9' * 20}", "1 1 5 6", "1 1")),
        *(("real", line, "decimal point") for line in ("1 1 1,5", "1 1 1.2.3", "1 1 1e400", "1 1 nan")),
        ("real", "3 1 1", "2 rows"),
        ("real", "0 1 1", "-1 to -1"),
        ("real", "1 4294967297 1", "4294967296"),
        ("real", "1 1 1\n2 2 2", "2 lines"),
        ("real", "", "0 lines"),
    )
    HEADS = (
        ("gene,cell\n1,2\n", "first line"),
        (HEAD.format("complex") + "1 1 1\n1 1 1 2\n", "'complex general'"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", "skew-symmetric"),
        ("%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n", "1 x 2"),
        *((HEAD.format("real") + sizes, "3 whole numbers") for sizes in ("% no more", "2 2\n", "-2 2 1\n", "9" * 30)),
        (HEAD.format("real") + "\0\n", "NUL bytes"),
        (HEAD.format("real") + "9 9 99999999999999\n1 1 1\n", "memory"),
        (HEAD.format("real") + "99999999999999 9 1\n1 1 1\n", ""),
        (HEAD.format("real") + "99999999999 99999999999 1\n1 1 1\n", ""),
        ("%%MatrixMarket matrix array real general\n99999999999 99999999999\n1\n", "memory"),
    )

    def test_what_is_refused(self, tmp_path):
        for field, lines, keyword in self.BAD:
            refuses(save(tmp_path, HEAD.format(field) + f"2 2 1\n{lines}\n", "t.mtx"), keyword)
        for text, keyword in self.HEADS:
            refuses(save(tmp_path, text, "t.mtx"), keyword)

    def test_bombs(self, tmp_path, little):
        lines = HEAD.format("real") + "1 1 1\n" + "\n" * 30_000_000
        refuses(save(tmp_path, gzip.compress(lines.encode(), 1), "t.mtx.gz"), "decompresses to")
        folder = write(tmp_path / "run")
        save(folder, gzip.compress(b"A" * 50_000_000, 1), "barcodes.tsv.gz")
        refuses(folder, "barcodes.tsv.gz: decompresses to")


def write(folder, version=3, counts=COUNTS, lines=LINES, cells=CELLS, prefix=""):
    """Write a folder as Cell Ranger does: version 2 plain, version 3 compressed."""
    folder.mkdir(exist_ok=True, parents=True)
    mmwrite(folder / "matrix.mtx", sparse.coo_array(counts), field="integer")
    lines = lines if version == 3 else [line.rsplit("\t", 1)[0] for line in lines]
    files = {"matrix.mtx": (folder / "matrix.mtx").read_bytes()}
    files["features.tsv" if version == 3 else "genes.tsv"] = "".join(f"{line}\n" for line in lines).encode()
    files["barcodes.tsv"] = "".join(f"{cell}\n" for cell in cells).encode()
    (folder / "matrix.mtx").unlink()
    for name, content in files.items():
        packed = (f"{name}.gz", gzip.compress(content)) if version == 3 else (name, content)
        save(folder, packed[1], f"{prefix}{packed[0]}")
    return folder


class TestFolders:
    @pytest.mark.parametrize(("version", "prefix", "turned"), [(2, "", True), (2, "GSM1_", False), (3, "GSM1_", True)])
    def test_a_folder(self, tmp_path, version, prefix, turned):
        folder = write(tmp_path / "run", version, COUNTS.T if turned else COUNTS, prefix=prefix)
        table = read_table(str(folder))
        assert sparse.issparse(table.X)
        assert table.X.dtype.kind == "i"
        np.testing.assert_array_equal(table.X.toarray(), COUNTS.T)
        assert (table.feature_names, table.sample_names.tolist(), table.notes) == (tuple(GENES), CELLS, ())
        matrix = next(folder.glob("*matrix.mtx*"))
        np.testing.assert_array_equal(read_table(str(matrix)).X.toarray(), COUNTS.T)

    def test_a_square_matrix_has_genes_in_rows(self, tmp_path):
        table = read_table(str(write(tmp_path / "run", counts=COUNTS[:, :5], cells=CELLS[:5])))
        np.testing.assert_array_equal(table.X.toarray(), COUNTS[:, :5].T)

    def test_other_kinds_than_genes_are_left_out(self, tmp_path):
        lines = [*LINES[:4], "CD3\tCD3_TotalSeqB\tAntibody Capture"]
        table = read_table(str(write(tmp_path / "run", lines=lines)), ignore=["G1"])
        assert table.feature_names == ("G0", "G2", "G3")
        np.testing.assert_array_equal(table.X.toarray(), COUNTS[[0, 2, 3]].T)
        assert "('Antibody Capture')" in table.notes[0]
        peaks = [line.replace("Gene Expression", "Peaks") for line in LINES]
        assert read_table(str(write(tmp_path / "run", lines=peaks))).feature_names == tuple(GENES)

    @pytest.mark.parametrize(
        ("matrix", "features", "barcodes"),
        [
            ("counts.mtx", "counts.genes.txt", "counts.barcodes.txt"),
            ("other.MTX", "genes.tsv", "barcodes.tsv"),
            ("GSM1_matrix.mtx", "GSM1_features.tsv", "GSM1_barcodes.tsv"),
        ],
    )
    def test_names_beside_a_matrix(self, tmp_path, matrix, features, barcodes):
        """Symbols, or ids where there is none, letter by letter; files of other matrices are left alone."""
        mmwrite(tmp_path / "t.mtx", sparse.coo_array(COUNTS[:4]))
        (tmp_path / "t.mtx").rename(tmp_path / matrix)
        save(tmp_path, "\ufeffENSG1\tTP53\r\nENSG2\t\r\n1\t007\tx\r\n2\tNA\r\n", features)
        save(tmp_path, "".join(f"{cell}\tmore\n" for cell in CELLS), barcodes)
        save(tmp_path, "no\n", "GSM2_genes.tsv")
        table = read_table(str(tmp_path / matrix))
        np.testing.assert_array_equal(table.X.toarray(), COUNTS[:4].T)
        assert (table.feature_names, table.sample_names.tolist()) == (("TP53", "ENSG2", "007", "NA"), CELLS)

    def test_a_matrix_with_few_names_or_none(self, tmp_path):
        mmwrite(tmp_path / "GSM1_matrix.mtx", sparse.coo_array(COUNTS))
        save(tmp_path, "no\n", "GSM2_genes.tsv")
        table = read_table(str(tmp_path / "GSM1_matrix.mtx"))
        np.testing.assert_array_equal(table.X.toarray(), COUNTS)
        assert (table.feature_names[-1], table.sample_names) == ("x7", None)
        assert "--transpose" in table.notes[0]
        folder = write(tmp_path / "run", 2)
        (folder / "barcodes.tsv").unlink()  # one file of names is enough to turn a matrix
        table = read_table(str(folder / "matrix.mtx"))
        np.testing.assert_array_equal(table.X.toarray(), COUNTS.T)
        assert (table.feature_names, table.sample_names, table.notes) == (tuple(GENES), None, ())

    def test_what_does_not_fit_is_refused(self, tmp_path):
        for gone in ("features", "barcodes", "matrix"):
            next(write(tmp_path / gone).glob(f"{gone}*")).unlink()
            refuses(tmp_path / gone, f"{gone}.")
        for prefix in ("a_", "b_"):
            write(tmp_path / "two", prefix=prefix)
        refuses(tmp_path / "two", "2 matrices")
        for inner in ("outs/filtered_feature_bc_matrix", "filtered_gene_bc_matrices/hg19"):
            folder = tmp_path / inner.replace("/", "-")
            write(folder / inner)
            refuses(folder, f"{inner}'?")
        refuses(write(tmp_path / "head", cells=["barcode", *CELLS]), "header lines")
        refuses(write(tmp_path / "few", cells=CELLS[:3]), "3 in barcodes")
        run = write(tmp_path / "run", 2)
        refuses(run, "--labels FILE:COLUMN", label="y")
        refuses(run, "'y'", samples="y")
        refuses(run / "matrix.mtx", "is a file", file_format="10x")
        refuses(run, "is a directory", file_format="mtx")
        save(run, b"\xff\xfe\xfd", "barcodes.tsv")
        refuses(run, "barcodes.tsv: is not text")

    def test_damaged_files_are_read_or_refused(self, tmp_path):
        folder = write(tmp_path / "run")
        for path in sorted(folder.iterdir()):
            assert n_refused(path, lambda _: read_table(str(folder)), 20) > 8
