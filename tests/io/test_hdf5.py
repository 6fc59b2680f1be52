"""HDF5 files of Cell Ranger, loompy, mudata and others: what they hold, what is damaged, and what is hostile."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from tests.io.hdf5_files import (
    CELLS,
    COUNTS,
    GENES,
    without_h5py,
    write_loom,
    write_mudata,
    write_version_2,
    write_version_3,
)
from tests.io.tables import dense, h5ad_bytes, n_refused, refuses, save, values

from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts

h5py = pytest.importorskip("h5py")


@pytest.fixture
def version_3(tmp_path):
    return write_version_3(tmp_path / "t.h5")


def replace_part(path, part, values=None, **how):
    """Put other values in the place of a part, or an array that only claims to have values."""
    with h5py.File(path, "r+") as file:
        kind = getattr(file[part], "dtype", None)
        del file[part]
        if values is None:
            file.create_dataset(part, dtype=kind, **how)
        else:
            file[part] = values


class TestProcess:
    """Another process reads a file first. A program that crashes or hangs stands for HDF5 in it."""

    @pytest.mark.parametrize("write", [write_version_3, write_loom, lambda path: h5ad_bytes(path, values())])
    @pytest.mark.parametrize("does", ["kill -SEGV $$", "exec sleep 600"])
    def test_what_hdf5_does_not_survive_is_damage(self, tmp_path, monkeypatch, write, does):
        path = tmp_path / ("t.h5" if write is write_version_3 else "t.loom" if write is write_loom else "t.h5ad")
        write(path)
        program = save(tmp_path, f"#!/bin/sh\n{does}\n", "program")
        (tmp_path / "program").chmod(0o755)
        monkeypatch.setattr("sys.executable", program)
        if "sleep" in does:
            monkeypatch.setattr("eigenselect.io.h5ad_parts.PATIENCE", 0.3)
        refuses(path, "damaged")

    def test_where_none_can_be_started_the_file_is_read(self, tmp_path, monkeypatch):
        h5ad_bytes(tmp_path / "t.h5ad", values())
        program = save(tmp_path, f"#!/bin/sh\ntouch {tmp_path}/started\n", "program")
        (tmp_path / "program").chmod(0o755)
        for executable, frozen in (("/nowhere/python", False), ("", False), (None, False), (program, True)):
            monkeypatch.setattr("sys.executable", executable)
            monkeypatch.setattr("sys.frozen", frozen, raising=False)
            np.testing.assert_array_equal(read_table(str(tmp_path / "t.h5ad"), label="y").X, values())
        assert not (tmp_path / "started").exists()  # a program with Python in it is not started

    def test_files_are_read_the_same(self, tmp_path, version_3):
        loom, mudata = write_loom(tmp_path / "t.loom"), write_mudata(tmp_path / "t.h5mu")
        assert [read_table(str(path)).X.shape for path in (version_3, loom, mudata)] == [(9, 4), (9, 6), (6, 6)]

    @pytest.mark.slow
    def test_damaged_variants_are_read_or_refused(self, tmp_path, version_3):
        loom, mudata = write_loom(tmp_path / "t.loom"), write_mudata(tmp_path / "t.h5mu")
        assert n_refused(version_3, read_table, 12) > 6
        assert n_refused(loom, lambda name: read_table(name, label="Class"), 12) > 6
        assert n_refused(mudata, lambda name: read_table(f"{name}:rna", label="batch"), 10) > 3


@pytest.mark.usefixtures("in_process")
class TestTenx:
    def check(self, table, columns, names):
        assert sparse.issparse(table.X)
        assert table.X.dtype == np.int32
        np.testing.assert_array_equal(table.X.toarray(), COUNTS[:, columns])
        assert (table.feature_names, table.sample_names.tolist()) == (tuple(names), CELLS)

    def test_genes_of_all_genomes_or_a_part_by_name(self, version_3):
        table = read_table(str(version_3))
        self.check(table, slice(4), GENES[:4])
        assert len(table.notes) == 2
        assert "('Antibody Capture')" in table.notes[0]
        assert "t.h5:NAME" in table.notes[1]
        for name, columns in (("GRCh38", [0, 1, 2]), ("mm10", [3]), ("Antibody Capture", [4, 5])):
            table = read_table(f"{version_3}:{name}")
            self.check(table, columns, [GENES[j] for j in columns])
            assert table.notes == ()
        write_version_3(version_3, genomes=["GRCh38"] * 6)
        self.check(read_table(f"{version_3}:GRCh38"), slice(4), GENES[:4])
        refuses(f"{version_3}:GRCh39", "did you mean 'GRCh38'?")
        refuses(version_3, "'y'", label="y")

    def test_version_2_has_a_matrix_for_each_genome(self, tmp_path):
        path = write_version_2(tmp_path / "t.h5")
        table, other = read_table(str(path)), read_table(f"{path}:mm10")
        self.check(table, slice(3), ["hg19_0", "hg19_1", "hg19_2"])
        assert "t.h5:NAME" in table.notes[0]
        self.check(other, slice(3, 6), ["mm10_0", "mm10_1", "mm10_2"])
        assert other.notes == ()
        refuses(f"{path}:hg18", "did you mean 'hg19'?")

    def test_ids_where_there_is_no_symbol(self, version_3):
        with h5py.File(version_3, "r+") as file:
            file["matrix/features/name"][1] = b""
            del file["matrix/features/feature_type"], file["matrix/features/genome"]
        table = read_table(str(version_3), ignore=["G0"])
        assert (table.feature_names, table.notes) == (("ENSG1", *GENES[2:]), ())

    def test_parts_that_do_not_fit(self, tmp_path):
        for part, parts, keyword in [
            ("shape", [6, 10], "6 x 10"),
            ("shape", [6], "9 cells"),
            ("barcodes", [b"one"], "1 cell"),
            ("features/id", [b"one"], "6 features"),
            ("features/genome", [b"one"], "1 of 6 features"),
            ("indptr", np.arange(9), "9 index pointers"),
        ]:
            path = write_version_3(tmp_path / "t.h5")
            replace_part(path, f"matrix/{part}", parts)
            refuses(path, keyword)
        for index in (6, -1, 2**40):
            path = write_version_3(tmp_path / "t.h5")
            with h5py.File(path, "r+") as file:
                file["matrix/indices"][4] = index
            refuses(path, "6 columns")

    def test_other_files_of_this_ending(self, tmp_path):
        path = tmp_path / "t.h5"
        for write, keyword in ((write_mudata, "--format h5mu"), (write_loom, "--format loom")):
            write(path)
            refuses(path, keyword)
        with h5py.File(path, "w") as file:
            file["barcode_idx"], file["umi"] = np.arange(3), np.arange(3)
        refuses(path, "filtered_feature_bc_matrix.h5")
        refuses(save(tmp_path, b"gene,cell\n1,2\n" * 99, "t.h5"), "damaged")


@pytest.mark.usefixtures("in_process")
class TestNamedArrays:
    """Any other HDF5 file is a table of named arrays."""

    @pytest.fixture
    def path(self, tmp_path):
        """A file with two tables, one of them sparse, names and labels."""
        held = sparse.csr_array(COUNTS)
        with h5py.File(tmp_path / "x.h5", "w") as file:
            file["day/counts"] = COUNTS.astype(np.int16)
            file["day/genes"] = GENES
            file["day/class"] = ["u", "v", "w"] * 3
            group = file.create_group("thin")
            group.attrs.update({"encoding-type": "csr_matrix", "shape": COUNTS.shape})
            for name in ("data", "indices", "indptr"):
                group[name] = getattr(held, name)
        return tmp_path / "x.h5"

    def test_a_table_is_named_by_its_path(self, path):
        table = read_table(f"{path}:day/counts", label="class")
        np.testing.assert_array_equal(table.X, COUNTS)
        assert (table.X.dtype, table.feature_names, table.y.tolist()) == (np.int16, tuple(GENES), ["u", "v", "w"] * 3)
        np.testing.assert_array_equal(read_table(f"{path}:thin").X.toarray(), COUNTS)
        np.testing.assert_array_equal(read_table(f"{path}:thin", transpose=True).X.toarray(), COUNTS.T)
        refuses(path, "('day/counts', 'thin')")
        refuses(f"{path}:dayy", "2 datasets")
        refuses(f"{path}:day/count", "did you mean 'day/counts'?")
        refuses(f"{path}:day", "'day' is no matrix")

    #: datasets of a file, and the one that is the table, or a word of the refusal
    HELD = (
        ({"matrix": np.eye(3), "class": [1, 2, 1]}, "matrix"),
        ({"X": np.eye(3), "Y": 2 * np.eye(3)}, "X"),
        ({"day/counts": np.eye(3), "note": ["text"], "other": np.ones(9)}, "day/counts"),
        ({"table": np.eye(3), "gone": h5py.SoftLink("/nothing"), "ring": h5py.SoftLink("/ring")}, "table"),
        ({"text": ["a", "b"]}, "no matrix"),
        ({"a": np.ones(3)}, "no matrix"),
        ({"table": np.eye(3), "group/own": h5py.SoftLink("/group")}, "more groups"),
    )

    def test_the_only_table_is_found(self, path):
        for held, table in self.HELD:
            with h5py.File(path, "w") as file:
                for name, part in held.items():
                    file[name] = part
            if table in held:
                np.testing.assert_array_equal(read_table(str(path)).X, held[table])
            else:
                refuses(path, table)
        refuses(f"{path}:group", "is no matrix")
        np.testing.assert_array_equal(read_table(f"{path}:table").X, np.eye(3))


#: how a file is written and read, and the parts that are looked at
FILES = {
    "t.h5": (write_version_3, {}, ["matrix", "matrix/data", "matrix/features/name"]),
    "t.loom": (write_loom, {"label": "Class"}, ["matrix", "row_attrs", "row_attrs/Gene", "col_attrs/Class"]),
    "t.h5mu": (
        write_mudata,
        {"label": "batch"},
        ["mod", "mod/rna", "mod/rna/X", "obs", "obs/batch", "obsmap/rna"],
    ),
}


@pytest.mark.usefixtures("in_process")
class TestHostile:
    @pytest.mark.parametrize("name", FILES)
    def test_no_other_file_is_ever_read(self, tmp_path, name):
        write, how, parts = FILES[name]
        sound = write(tmp_path / name).read_bytes()
        for part in parts:
            (tmp_path / name).write_bytes(sound)
            (tmp_path / f"other-{name}").write_bytes(sound)
            replace_part(tmp_path / name, part, h5py.ExternalLink(f"other-{name}", part))
            refuses(tmp_path / name, "never followed", **how)
        with h5py.File(tmp_path / "x.h5", "w") as file:
            file["X"] = h5py.ExternalLink(name, parts[0])
        refuses(tmp_path / "x.h5", "never followed")

    def test_arrays_that_are_only_claimed(self, tmp_path):
        """A terabyte of zeros that was never written takes no place in the file, but years to look at."""
        for write, part, shape in [
            (write_version_3, "matrix/data", (10**12,)),
            (write_version_3, "matrix/barcodes", (10**12,)),
            (write_version_3, "matrix/features/name", (10**12,)),
            (write_loom, "matrix", (10**6, 10**6)),
            (write_loom, "row_attrs/Gene", (10**10,)),
        ]:
            path = write(tmp_path / ("t.loom" if write is write_loom else "t.h5"))
            replace_part(path, part, shape=shape, chunks=(1000,) * len(shape))
            refuses(path, "damaged")
        with h5py.File(tmp_path / "y.h5", "w") as file:
            file.create_dataset("X", shape=(2**40, 2**20), dtype="f8", chunks=(1024, 64))
        refuses(tmp_path / "y.h5", "damaged")

    def test_zeros_that_are_stored_are_read(self, tmp_path):
        """Packed as well as zlib can, or never written but few."""
        with h5py.File(tmp_path / "y.h5", "w") as file:
            file.create_dataset("X", data=np.zeros((10**5, 20), "i1"), chunks=(10**4, 20), compression=9)
        assert (tmp_path / "y.h5").stat().st_size < 10**5
        assert read_table(str(tmp_path / "y.h5")).X.shape == (10**5, 20)
        with h5py.File(tmp_path / "y.h5", "w") as file:
            file.create_dataset("X", shape=(1000, 20), dtype="i1", chunks=(100, 20))
        assert not read_table(str(tmp_path / "y.h5")).X.any()

    def test_a_missing_library(self, tmp_path, monkeypatch):
        files = {"h5": write_version_3, "loom": write_loom, "h5mu": write_mudata}
        for ending, write in files.items():
            write(tmp_path / f"t.{ending}")
        for ending, module in (("h5", "tenx_h5_parts"), ("loom", "loom_parts"), ("h5mu", "h5mu_parts")):
            without_h5py(monkeypatch, module)
            refuses(tmp_path / f"t.{ending}", "pip install 'eigenselect[")


@pytest.mark.usefixtures("in_process")
class TestLoom:
    @pytest.fixture
    def path(self, tmp_path):
        return write_loom(tmp_path / "t.loom")

    def test_cells_are_rows_and_genes_are_columns(self, path):
        table = read_table(str(path))
        np.testing.assert_array_equal(table.X, COUNTS.astype(np.float32))
        assert (table.X.dtype, table.notes, table.graph) == (np.float32, (), None)
        assert (table.feature_names, table.sample_names.tolist()) == (tuple(GENES), CELLS)

    def test_names_of_other_programs(self, tmp_path):
        for genes, cells in (("var_names", "obs_names"), ("gene_names", "cell_names"), ("Accession", "barcode")):
            table = read_table(str(write_loom(tmp_path / "t.loom", gene_names=genes, cell_names=cells)))
            assert (table.feature_names, table.sample_names.tolist()) == (tuple(GENES), CELLS)
        table = read_table(str(write_loom(tmp_path / "t.loom", gene_names="what", cell_names="who")))
        assert (table.feature_names[-1], table.sample_names) == ("x5", None)
        assert "(Gene, var_names" in table.notes[0]

    def test_attributes_are_labels_names_and_coordinates(self, path):
        places = np.arange(18.0).reshape(9, 2)
        with h5py.File(path, "r+") as file:
            file["col_attrs/spatial"] = places
            file["col_attrs/note"] = np.array([b"a&#946;&#947;", b"AT&T", b"&#9999999;"] * 3)
            file["col_attrs/other"] = np.array(["&#945;", "b", "&amp;"] * 3, dtype=h5py.string_dtype())
        table = read_table(str(path), label="Class", samples="Age", ignore=["G2"], parts=AnnotatedParts(obsm="spatial"))
        assert table.label_text.tolist() == ["α", "b", "c"] * 3
        assert table.sample_names.tolist() == ["1", "", "3"] * 3
        np.testing.assert_array_equal(table.X, np.delete(COUNTS, 2, axis=1))
        np.testing.assert_array_equal(table.places, places)
        assert read_table(str(path), label="note").y.tolist() == ["aβγ", "AT&T", "&#9999999;"] * 3
        assert read_table(str(path), label="other").y.tolist() == ["&#945;", "b", "&amp;"] * 3  # UTF-8 needs none

    def test_a_layer_and_a_graph(self, path):
        table = read_table(str(path), parts=AnnotatedParts(layer="spliced", obsp="KNN"))
        np.testing.assert_array_equal(table.X, 2 * COUNTS)
        assert table.X.dtype == np.uint16
        one_way = np.diag(np.linspace(0.1, 0.8, 8), 1)
        np.testing.assert_array_equal(table.graph.toarray(), one_way + one_way.T)

    @pytest.mark.parametrize("block", [1, 150, 1 << 20])
    def test_a_matrix_that_is_mostly_0_becomes_sparse(self, tmp_path, monkeypatch, block):
        """All values in the first rows, so that blocks of rows differ."""
        monkeypatch.setattr("eigenselect.io.loom_parts.BLOCK", block)
        for n_values in (0, 1, 13, 14, 54):
            matrix = np.zeros(54)
            matrix[:n_values] = np.arange(1, n_values + 1)
            table = read_table(str(write_loom(tmp_path / "t.loom", matrix.reshape(6, 9))))
            np.testing.assert_array_equal(dense(table.X), matrix.reshape(6, 9).T)
            assert bool(table.notes) == sparse.issparse(table.X)
            assert sparse.issparse(table.X) == (n_values <= 13) or block < 1000

    def test_what_is_not_there(self, path):
        for how, keyword in [
            ({"label": "class"}, "did you mean 'Class'?"),
            ({"label": "UMAP"}, "2 dimensions"),
            ({"parts": AnnotatedParts(layer="splicd")}, "'spliced'?"),
            ({"parts": AnnotatedParts(obsp="MKNN")}, "'KNN'?"),
            ({"parts": AnnotatedParts(obsm="Class")}, "real numbers"),
        ]:
            refuses(path, keyword, **how)

    def test_parts_that_do_not_fit(self, tmp_path):
        for part, parts, keyword in [
            ("row_attrs/Gene", [b"one"], "1 genes for 6 rows"),
            ("col_attrs/CellID", [b"one"], "1 name for 9"),
            ("matrix", np.arange(6.0), "loom"),
            ("matrix", np.full((6, 9), b"x"), "loom"),
            ("row_attrs", 1, "loom"),
            ("col_graphs/KNN/a", np.full(8, 9), "9 rows"),
            ("col_graphs/KNN/w", np.ones(3), "3 values"),
        ]:
            path = write_loom(tmp_path / "t.loom")
            replace_part(path, part, parts)
            refuses(path, keyword, parts=AnnotatedParts(obsp="KNN"))


@pytest.mark.usefixtures("in_process")
class TestMuData:
    @pytest.fixture
    def path(self, tmp_path):
        return write_mudata(tmp_path / "t.h5mu")

    def test_the_first_modality_is_read_and_it_is_told(self, path):
        table = read_table(str(path))
        np.testing.assert_array_equal(table.X.toarray(), COUNTS[:6].astype(np.float32))
        assert (table.feature_names, table.sample_names.tolist()) == (tuple(GENES), CELLS[:6])
        assert "('rna', 'prot')" in table.notes[0]
        with h5py.File(path, "r+") as file:
            del file["mod"].attrs["mod-order"]
        assert read_table(str(path)).X.shape in ((6, 6), (7, 2))

    def test_a_modality_as_mudata_reads_it(self, path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = pytest.importorskip("mudata").read_h5mu(path)
        for name in ("rna", "prot"):
            table, data = read_table(f"{path}:{name}", label="batch"), theirs[name]
            np.testing.assert_array_equal(dense(table.X), dense(data.X))
            assert table.feature_names == tuple(data.var_names)
            assert table.sample_names.tolist() == list(data.obs_names)
            assert table.label_text.tolist() == theirs.obs.loc[data.obs_names, "batch"].tolist()
            assert table.notes == ()

    def test_labels_of_the_modality_and_of_all_cells(self, path):
        for label in ("type", "rna:type"):
            assert read_table(f"{path}:rna", label=label).label_text.tolist() == list("uvwuvw")
        table = read_table(f"{path}:prot", label="half", samples="batch")
        places = [CELLS.index(name[1:]) for name in table.sample_names]
        assert table.label_text.tolist() == ["True" if place % 2 == 0 else "" for place in places]
        assert table.n_unlabelled == sum(place % 2 for place in places)
        with h5py.File(path, "r+") as file:
            column = file["obsmap/prot"][:].reshape(-1, 1)  # as older versions of mudata wrote it
        replace_part(path, "obsmap/prot", column)
        assert read_table(f"{path}:prot", label="half").label_text.tolist() == table.label_text.tolist()

    def test_layers_graphs_and_raw(self, path):
        table = read_table(f"{path}:rna", parts=AnnotatedParts(layer="counts", obsp="connectivities"))
        np.testing.assert_array_equal(table.X, COUNTS[:6])
        np.testing.assert_array_equal(table.graph.toarray(), np.eye(6)[::-1])
        raw = read_table(f"{path}:rna", parts=AnnotatedParts(raw=True))
        np.testing.assert_array_equal(raw.X.toarray(), COUNTS[:6])

    def test_what_is_not_there(self, path):
        for name, how, keyword in [
            ("RNA", {}, "did you mean 'rna'?"),
            ("rna", {"label": "batches"}, "did you mean 'batch'?"),
            ("prot", {"parts": AnnotatedParts(raw=True)}, "leave out --raw"),
            ("rna", {"parts": AnnotatedParts(layer="count")}, "did you mean 'counts'?"),
            ("../rna", {}, "2 modalities"),
        ]:
            refuses(f"{path}:{name}", keyword, **how)

    def test_damage(self, path):
        """Of nine cells of all modalities, six are in this one."""
        for places in (np.arange(1, 10), np.arange(4), np.arange(9.0), np.arange(9) - 4, np.ones(9, int)):
            replace_part(path, "obsmap/rna", places)
            refuses(f"{path}:rna", "damaged", label="batch")
        replace_part(path, "mod/rna/var", np.arange(6))  # an old layout, which anndata would take for all modalities
        refuses(f"{path}:rna", "damaged")
        with h5py.File(path, "r+") as file:
            del file["mod/rna"], file["mod/prot"]
        refuses(path, "no modality")
        write_version_3(path)
        refuses(path, "damaged")
