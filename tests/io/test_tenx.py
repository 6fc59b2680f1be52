"""Folders of 10x Genomics and single matrices: which axis holds the samples, and what is missing."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

from damage import Damage
from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

COUNTS = np.random.default_rng(0).poisson(0.7, size=(5, 8))
GENES, CELLS = [f"G{j}" for j in range(5)], [f"AAC{i}-1" for i in range(8)]
LINES = [f"ENSG{j}\t{name}\tGene Expression" for j, name in enumerate(GENES)]


def write(folder, version=3, counts=COUNTS, lines=LINES, cells=CELLS, prefix=""):
    """Write a folder as Cell Ranger does: version 2 plain, version 3 compressed."""
    folder.mkdir(exist_ok=True)
    mmwrite(folder / "matrix.mtx", sparse.coo_array(counts), field="integer")
    lines = lines if version == 3 else [line.rsplit("\t", 1)[0] for line in lines]
    features = "features.tsv" if version == 3 else "genes.tsv"
    files = {"matrix.mtx": (folder / "matrix.mtx").read_bytes()}
    files |= {features: "".join(f"{line}\n" for line in lines).encode()}
    files |= {"barcodes.tsv": "".join(f"{cell}\n" for cell in cells).encode()}
    (folder / "matrix.mtx").unlink()
    for name, content in files.items():
        packed = (f"{name}.gz", gzip.compress(content)) if version == 3 else (name, content)
        (folder / f"{prefix}{packed[0]}").write_bytes(packed[1])
    return folder


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("prefix", ["", "GSM1_"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_folder(tmp_path, version, prefix, turned):
    folder = write(tmp_path / "run", version, COUNTS.T if turned else COUNTS, prefix=prefix)
    table = read_table(str(folder))
    assert sparse.issparse(table.X)
    assert table.X.dtype.kind == "i"
    np.testing.assert_array_equal(table.X.toarray(), COUNTS.T)
    assert (table.feature_names, table.sample_names.tolist(), table.notes) == (tuple(GENES), CELLS, ())
    matrix = next(folder.glob("*matrix.mtx*"))
    np.testing.assert_array_equal(read_table(str(matrix)).X.toarray(), COUNTS.T)


def test_a_square_matrix_has_genes_in_rows(tmp_path):
    table = read_table(str(write(tmp_path / "run", counts=COUNTS[:, :5], cells=CELLS[:5])))
    np.testing.assert_array_equal(table.X.toarray(), COUNTS[:, :5].T)


def test_antibodies_are_left_out_and_features_ignored(tmp_path):
    lines = [*LINES[:4], "CD3\tCD3_TotalSeqB\tAntibody Capture"]
    table = read_table(str(write(tmp_path / "run", lines=lines)), ignore=["G1"])
    assert table.feature_names == ("G0", "G2", "G3")
    np.testing.assert_array_equal(table.X.toarray(), COUNTS[[0, 2, 3]].T)
    assert table.notes == ("1 feature of other kinds than 'Gene Expression' is left out ('Antibody Capture')",)


def test_a_matrix_alone_has_samples_in_rows_and_says_so(tmp_path):
    mmwrite(tmp_path / "t.mtx", sparse.coo_array(COUNTS))
    table = read_table(str(tmp_path / "t.mtx"))
    np.testing.assert_array_equal(table.X.toarray(), COUNTS)
    assert (table.feature_names[-1], table.sample_names) == ("x7", None)
    assert table.notes == ("the rows are taken for samples, as no files with names stand beside it; see --transpose",)


def test_one_file_of_names_is_enough_to_turn_a_matrix(tmp_path):
    folder = write(tmp_path / "run", 2)
    (folder / "barcodes.tsv").unlink()
    table = read_table(str(folder / "matrix.mtx"))
    np.testing.assert_array_equal(table.X.toarray(), COUNTS.T)
    assert (table.feature_names, table.sample_names, table.notes) == (tuple(GENES), None, ())


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("features", r"run: there is no features\.tsv \(nor \.gz\) beside matrix\.mtx\.gz; a 10x folder has all three"),
        ("barcodes", r"run: there is no barcodes\.tsv \(nor \.gz\) beside matrix\.mtx\.gz"),
        ("matrix", r"run: is a directory without matrix\.mtx or matrix\.mtx\.gz; name a file, or a 10x folder\."),
    ],
)
def test_a_missing_file(tmp_path, gone, message):
    next(write(tmp_path / "run").glob(f"{gone}*")).unlink()
    with pytest.raises(InputError, match=message):
        read_table(str(tmp_path / "run"))


def test_two_matrices_in_a_folder(tmp_path):
    write(tmp_path / "run", prefix="a_")
    write(tmp_path / "run", prefix="b_")
    with pytest.raises(InputError, match=r"holds 2 matrices \('a_matrix\.mtx\.gz', 'b_matrix\.mtx\.gz'\); name one"):
        read_table(str(tmp_path / "run"))


@pytest.mark.parametrize("inner", ["outs/filtered_feature_bc_matrix", "filtered_gene_bc_matrices/hg19"])
def test_the_folder_within_is_offered(tmp_path, inner):
    (tmp_path / "run" / inner).parent.mkdir(parents=True)
    write(tmp_path / "run" / inner)
    with pytest.raises(InputError, match=rf"did you mean '.*{inner}'\?"):
        read_table(str(tmp_path / "run"))


@pytest.mark.parametrize(
    ("cells", "hint"),
    [(["barcode", *CELLS], "take out their header lines, if they"), (CELLS[:3], "take the files of one run")],
)
def test_names_that_do_not_fit(tmp_path, cells, hint):
    with pytest.raises(
        InputError, match=rf"matrix of 5 x 8: there are 5 in .* and {len(cells)} in barcodes.tsv.gz; {hint}"
    ):
        read_table(str(write(tmp_path / "run", cells=cells)))


@pytest.mark.parametrize("asked", [{"label": "y"}, {"samples": "y"}])
def test_labels_are_in_a_second_file(tmp_path, asked):
    with pytest.raises(InputError, match=r"has no column 'y'.*--labels FILE:COLUMN"):
        read_table(str(write(tmp_path / "run")), **asked)


def test_a_file_is_no_folder(tmp_path):
    write(tmp_path / "run", 2)
    with pytest.raises(InputError, match="is a file; 10x is the format of a folder"):
        read_table(str(tmp_path / "run" / "matrix.mtx"), file_format="10x")
    with pytest.raises(InputError, match="is a directory; name a file"):
        read_table(str(tmp_path / "run"), file_format="mtx")


def test_damaged_files_are_read_or_refused(tmp_path):
    folder, rng = write(tmp_path / "run"), np.random.default_rng(1)
    sound = {path: path.read_bytes() for path in folder.iterdir()}
    refused = 0
    for _ in range(60):
        for path, content in sound.items():
            path.write_bytes(Damage(rng).of("t.npz", content) if rng.random() < 0.5 else content)
        try:
            read_table(str(folder))
        except InputError:
            refused += 1
    assert refused > 30


@pytest.mark.parametrize("version", [2, 3])
def test_the_same_as_scanpy(tmp_path, version):
    scanpy = pytest.importorskip("scanpy")
    folder = write(tmp_path / "run", version)
    theirs, table = scanpy.read_10x_mtx(folder), read_table(str(folder))
    np.testing.assert_array_equal(table.X.toarray(), theirs.X.toarray())
    assert (list(table.feature_names), table.sample_names.tolist()) == (list(theirs.var_names), list(theirs.obs_names))


def test_bytes_of_a_bomb_beside_the_matrix(tmp_path, little):
    """The names decompress to more than there is memory for."""
    folder = write(tmp_path / "run")
    (folder / "barcodes.tsv.gz").write_bytes(gzip.compress(b"A" * 50_000_000, 1))
    with pytest.raises(InputError, match=r"barcodes\.tsv\.gz: decompresses to .* or more"):
        read_table(str(folder))
