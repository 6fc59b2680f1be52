"""HDF5 files of 10x Genomics: the table that scanpy reads, genomes, kinds of features, and files of other programs."""

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from tests.io.hdf5_files import (
    CELLS,
    COUNTS,
    GENES,
    point_elsewhere,
    without_h5py,
    write_loom,
    write_mudata,
    write_version_2,
    write_version_3,
)
from tests.io.tables import n_refused

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

h5py = pytest.importorskip("h5py")


@pytest.fixture
def version_3(tmp_path):
    return write_version_3(tmp_path / "t.h5")


@pytest.fixture
def version_2(tmp_path):
    return write_version_2(tmp_path / "t.h5")


def check(table, columns, names):
    assert sparse.issparse(table.X)
    assert table.X.dtype == np.int32
    np.testing.assert_array_equal(table.X.toarray(), COUNTS[:, columns])
    assert (table.feature_names, table.sample_names.tolist()) == (tuple(names), CELLS)


def test_genes_of_all_genomes_are_read_and_it_is_said(version_3):
    table = read_table(str(version_3))
    check(table, slice(4), GENES[:4])
    assert table.notes == (
        "2 features of other kinds than 'Gene Expression' are left out ('Antibody Capture')",
        f"features of 2 genomes ('GRCh38', 'mm10') are read; name one as {version_3}:NAME",
    )


@pytest.mark.parametrize(("name", "columns"), [("GRCh38", [0, 1, 2]), ("mm10", [3]), ("Antibody Capture", [4, 5])])
def test_a_genome_or_a_kind_by_name(version_3, name, columns):
    table = read_table(f"{version_3}:{name}")
    check(table, columns, [GENES[j] for j in columns])
    assert table.notes == ()


def test_antibodies_are_left_out_of_a_genome(tmp_path):
    path = write_version_3(tmp_path / "t.h5", genomes=["GRCh38"] * 6)
    check(read_table(f"{path}:GRCh38"), slice(4), GENES[:4])


def test_version_2_has_a_matrix_for_each_genome(version_2):
    table = read_table(str(version_2))
    check(table, slice(3), ["hg19_0", "hg19_1", "hg19_2"])
    assert table.notes == (f"of 2 tables ('hg19', 'mm10') the first is read; name another as {version_2}:NAME",)
    other = read_table(f"{version_2}:mm10")
    check(other, slice(3, 6), ["mm10_0", "mm10_1", "mm10_2"])
    assert other.notes == ()


@pytest.mark.parametrize("version", [2, 3])
def test_the_same_as_scanpy(tmp_path, version):
    scanpy = pytest.importorskip("scanpy")
    if version == 3:
        path = write_version_3(tmp_path / "t.h5", genomes=["GRCh38"] * 6)
    else:
        path = write_version_2(tmp_path / "t.h5", genomes=["hg19"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = scanpy.read_10x_h5(path)
    table = read_table(str(path))
    np.testing.assert_array_equal(table.X.toarray(), theirs.X.toarray())
    assert (list(table.feature_names), table.sample_names.tolist()) == (list(theirs.var_names), list(theirs.obs_names))


def test_ids_where_there_is_no_symbol(version_3):
    with h5py.File(version_3, "r+") as file:
        file["matrix/features/name"][1] = b""
        del file["matrix/features/feature_type"], file["matrix/features/genome"]
    table = read_table(str(version_3), ignore=["G0"])
    assert (table.feature_names, table.notes) == (("ENSG1", *GENES[2:]), ())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t.h5:mm11", "no genome or feature type named 'mm11'; did you mean 'mm10'?"),
        ("t.h5", "has no column 'y', as the format has no place for labels"),
    ],
)
def test_what_is_not_there(version_3, name, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_table(str(version_3.with_name(name)), label="y" if name == "t.h5" else None)


def test_a_genome_that_version_2_does_not_have(version_2):
    with pytest.raises(InputError, match=r"t\.h5:hg18: no genome named 'hg18'; did you mean 'hg19'\?"):
        read_table(f"{version_2}:hg18")


def write_molecules(path):
    with h5py.File(path, "w") as file:
        file["barcode_idx"], file["umi"] = np.arange(3), np.arange(3)


@pytest.mark.parametrize(
    ("write", "hint"),
    [
        (write_mudata, "it looks like MuData, so name the format with --format h5mu"),
        (write_loom, "it looks like loom, so name the format with --format loom"),
        (write_molecules, "it lists molecules; take filtered_feature_bc_matrix.h5 of the same run"),
    ],
)
def test_other_files_of_this_ending(tmp_path, write, hint):
    write(tmp_path / "t.h5")
    with pytest.raises(InputError, match=rf"t\.h5: is HDF5, but holds no matrix of 10x Genomics .*; {hint}\."):
        read_table(str(tmp_path / "t.h5"))


def test_any_other_file_is_a_table_of_named_arrays(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["matrix"], file["class"] = np.eye(3), [1, 2, 1]
    table = read_table(str(tmp_path / "t.h5"), label="class")
    assert table.X.tolist() == np.eye(3).tolist()
    assert table.y.tolist() == [1, 2, 1]


class TestDamaged:
    def test_variants_are_read_or_refused(self, version_3):
        assert n_refused(version_3, read_table, 12) > 6

    def test_a_file_that_is_no_hdf5(self, tmp_path):
        (tmp_path / "t.h5").write_bytes(b"gene,cell\n1,2\n" * 99)
        with pytest.raises(InputError, match=r"t\.h5: cannot be read as h5, it is damaged or of anot"):
            read_table(str(tmp_path / "t.h5"))

    @pytest.mark.parametrize(
        ("part", "values", "message"),
        [
            ("shape", [6, 10], "names of 6 features and 9 cells for a matrix of 6 x 10"),
            ("shape", [6], "names of 6 features and 9 cells for a matrix of 6;"),
            ("barcodes", [b"one"], "names of 6 features and 1 cell for a matrix of 6 x 9"),
            ("features/id", [b"one"], "names of 6 features and 9 cells"),
            ("features/genome", [b"one"], "it says what 1 of 6 features are"),
            ("indptr", np.arange(9), "9 index pointers for 9 rows"),
        ],
    )
    def test_parts_that_do_not_fit(self, version_3, part, values, message):
        with h5py.File(version_3, "r+") as file:
            del file[f"matrix/{part}"]
            file[f"matrix/{part}"] = values
        with pytest.raises(InputError, match=f"is damaged, .*{message}"):
            read_table(str(version_3))

    @pytest.mark.parametrize("index", [6, -1, 2**40])
    def test_a_gene_that_is_not_there(self, version_3, index):
        with h5py.File(version_3, "r+") as file:
            file["matrix/indices"][4] = index
        with pytest.raises(InputError, match="is damaged, its sparse matrix has indices from .* for 6 columns"):
            read_table(str(version_3))


class TestHostile:
    @pytest.mark.parametrize("part", ["data", "barcodes", "features/name"])
    def test_arrays_that_are_only_claimed(self, version_3, part):
        """A terabyte of zeros that was never written takes no place in the file."""
        with h5py.File(version_3, "r+") as file:
            kind = file[f"matrix/{part}"].dtype
            del file[f"matrix/{part}"]
            file.create_dataset(f"matrix/{part}", (10**12,), kind, chunks=(10**6,))
        with pytest.raises(InputError, match="cannot be read as h5, it is damaged"):
            read_table(str(version_3))

    @pytest.mark.parametrize("part", ["matrix", "matrix/data", "matrix/features/name"])
    def test_no_other_file_is_ever_read(self, version_3, part):
        point_elsewhere(version_3, part)
        with pytest.raises(InputError, match="points to data in another file, which is never followed"):
            read_table(str(version_3))

    def test_a_missing_library(self, version_3, monkeypatch):
        without_h5py(monkeypatch, "tenx_h5_parts")
        with pytest.raises(InputError, match=re.escape("h5 needs h5py; pip install 'eigenselect[io]'.")):
            read_table(str(version_3))
