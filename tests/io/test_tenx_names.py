"""Files of names beside a matrix: which one belongs to it, and what its cells mean."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.tenx_names import CELL_FILES, FEATURE_FILES, Features, find_beside, read_cells, read_features

BESIDE = {
    "matrix.mtx": ("features.tsv", "barcodes.tsv"),
    "matrix.mtx.gz": ("genes.tsv.gz", "barcodes.tsv.gz"),
    "GSM1_matrix.mtx": ("GSM1_features.tsv.gz", "GSM1_barcodes.tsv.gz"),
    "counts.mtx": ("counts.genes.txt", "counts.barcodes.txt"),
    "other.MTX": ("genes.tsv", "barcodes.tsv"),
}


@pytest.mark.parametrize("matrix", BESIDE)
def test_names_beside_a_matrix(tmp_path, matrix):
    for name in (*BESIDE[matrix], "GSM2_genes.tsv", "matrix.h5"):
        (tmp_path / name).touch()
    found = [find_beside(tmp_path / matrix, what) for what in (FEATURE_FILES, CELL_FILES)]
    assert [path.name for path in found] == list(BESIDE[matrix])


def test_no_names_beside_a_matrix(tmp_path):
    (tmp_path / "GSM2_genes.tsv").touch()
    (tmp_path / "features.tsv").mkdir()
    assert find_beside(tmp_path / "GSM1_matrix.mtx", FEATURE_FILES) is None


@pytest.mark.parametrize(
    ("text", "names", "kinds"),
    [
        ("ENSG1\tTP53\nENSG2\t\n", ("TP53", "ENSG2"), ()),
        ("TP53\r\nNA\r\n", ("TP53", "NA"), ()),
        ("\ufeffENSG1\tTP53\tGene Expression\nA1\tCD3\tAntibody Capture\tmore", ("TP53", "CD3"), None),
        ("1\t007\tx\n2\t7\n", ("007", "7"), ()),
    ],
)
def test_features(tmp_path, text, names, kinds):
    (tmp_path / "f.tsv").write_bytes(text.encode())
    expected = ("Gene Expression", "Antibody Capture") if kinds is None else kinds
    assert read_features(tmp_path / "f.tsv") == Features(names, expected)


def test_cells_and_files_that_are_no_text(tmp_path):
    (tmp_path / "b.tsv").write_bytes(b"AAC-1\tx\nAAG-1\n")
    assert read_cells(tmp_path / "b.tsv") == ("AAC-1", "AAG-1")
    (tmp_path / "b.tsv").write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(InputError, match=r"b\.tsv: is not text in UTF-8"):
        read_cells(tmp_path / "b.tsv")


def test_only_genes_are_kept_and_only_if_there_are_some():
    X = sparse.csr_array(np.arange(6).reshape(2, 3))
    kept, names, notes = Features(("a", "b", "c"), ("Peaks", "Gene Expression", "Gene Expression")).genes_of(X)
    assert (sparse.issparse(kept), kept.toarray().tolist(), names) == (True, [[1, 2], [4, 5]], ("b", "c"))
    assert notes == ["1 feature of other kinds than 'Gene Expression' is left out ('Peaks')"]
    assert Features(("a", "b", "c"), ("Peaks",) * 3).genes_of(X) == (X, ("a", "b", "c"), [])
