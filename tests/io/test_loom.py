"""Loom files: layers, attributes as labels and names, graphs of cells, and matrices that are mostly 0."""

import re

import numpy as np
import pytest
from scipy import sparse
from tests.io.hdf5_files import CELLS, COUNTS, GENES, point_elsewhere, without_h5py, write_loom
from tests.io.tables import n_refused

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts

h5py = pytest.importorskip("h5py")


@pytest.fixture
def path(tmp_path):
    return write_loom(tmp_path / "t.loom")


def test_cells_are_rows_and_genes_are_columns(path):
    table = read_table(str(path))
    np.testing.assert_array_equal(table.X, COUNTS.astype(np.float32))
    assert (table.X.dtype, table.notes, table.graph) == (np.float32, (), None)
    assert (table.feature_names, table.sample_names.tolist()) == (tuple(GENES), CELLS)


@pytest.mark.parametrize(
    ("gene_names", "cell_names"), [("var_names", "obs_names"), ("gene_names", "cell_names"), ("Accession", "barcode")]
)
def test_names_of_other_programs(tmp_path, gene_names, cell_names):
    path = write_loom(tmp_path / "t.loom", gene_names=gene_names, cell_names=cell_names)
    table = read_table(str(path))
    assert (table.feature_names, table.sample_names.tolist()) == (tuple(GENES), CELLS)


def test_a_file_without_names_says_so(tmp_path):
    table = read_table(str(write_loom(tmp_path / "t.loom", gene_names="what", cell_names="who")))
    assert (table.feature_names[-1], table.sample_names) == ("x5", None)
    assert table.notes[0].startswith("no row attribute holds names of genes (Gene, var_names")


def test_labels_and_names_are_attributes_of_the_columns(path):
    table = read_table(str(path), label="Class", samples="Age", ignore=["G2"])
    assert table.label_text.tolist() == ["α", "b", "c"] * 3
    assert table.sample_names.tolist() == ["1", "", "3"] * 3
    np.testing.assert_array_equal(table.X, np.delete(COUNTS, 2, axis=1))


def test_a_layer_and_a_graph(path):
    table = read_table(str(path), parts=AnnotatedParts(layer="spliced", obsp="KNN"))
    np.testing.assert_array_equal(table.X, 2 * COUNTS)
    assert table.X.dtype == np.uint16
    one_way = np.diag(np.linspace(0.1, 0.8, 8), 1)
    np.testing.assert_array_equal(table.graph.toarray(), one_way + one_way.T)
    assert table.notes == ("the graph has directions: of 8 pairs of cells the larger weight is taken for both",)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.5, -0.5]])
def test_graphs_that_are_left_as_they_are(path, weights):
    """Those without directions, and those with weights that are no similarities, which selectors refuse."""
    with h5py.File(path, "r+") as file:
        del file["col_graphs/KNN"]
        file["col_graphs/KNN/a"], file["col_graphs/KNN/b"], file["col_graphs/KNN/w"] = [0, 1], [1, 0], weights
    table = read_table(str(path), parts=AnnotatedParts(obsp="KNN"))
    assert (table.graph[0, 1], table.graph[1, 0], table.notes) == (*weights, ())


def test_graphs_of_old_files(path):
    with h5py.File(path, "r+") as file:
        file.move("col_graphs", "col_edges")
    assert read_table(str(path), parts=AnnotatedParts(obsp="KNN")).graph.nnz == 16


def test_a_matrix_that_is_mostly_0_becomes_sparse_and_it_is_said(tmp_path, monkeypatch):
    thin = np.where(COUNTS.T > 1, COUNTS.T, 0) * 0.5
    monkeypatch.setattr("eigenselect.io.loom_parts.BLOCK", 1)  # a block for each row of chunks
    table = read_table(str(write_loom(tmp_path / "t.loom", thin)))
    assert sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), thin.T)
    share = np.count_nonzero(thin) / thin.size
    assert table.notes == (f"the matrix is kept sparse, as {share:.0%} of its values are not 0",)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"label": "class"}, "no column attribute named 'class'; did you mean 'Class'?"),
        ({"label": "UMAP"}, "'UMAP' has 2 dimensions, where one value each is needed."),
        ({"samples": "Gene"}, "no column attribute named 'Gene'; there are 4 column attributes ("),
        ({"parts": AnnotatedParts(layer="splicd")}, "no layer named 'splicd'; did you mean 'spliced'?"),
        ({"parts": AnnotatedParts(obsp="MKNN")}, "no graph of col_graphs named 'MKNN'; did you mean 'KNN'?"),
        ({"parts": AnnotatedParts(raw=True)}, "--raw is for h5ad and h5mu, and this is loom; leave it out."),
        ({"parts": AnnotatedParts(obsp="distances")}, "'distances' of obsp holds distances"),
    ],
)
def test_what_is_not_there(path, asked, message):
    with pytest.raises(InputError, match=rf"t\.loom: {re.escape(message)}"):
        read_table(str(path), **asked)


class TestDamaged:
    def test_variants_are_read_or_refused(self, path):
        assert n_refused(path, lambda name: read_table(name, label="Class"), 12) > 6

    @pytest.mark.parametrize(
        ("part", "values", "message"),
        [
            ("row_attrs/Gene", [b"one"], "is damaged, it has names of 1 genes for 6 rows of the matrix"),
            ("col_attrs/CellID", [b"one"], "1 name for 9 samples"),
            ("matrix", np.arange(6.0), "cannot be read as loom"),
            ("matrix", np.full((6, 9), b"x"), "cannot be read as loom"),
            ("row_attrs", 1, "cannot be read as loom"),
            ("col_graphs/KNN/a", np.full(8, 9), "is damaged, its sparse matrix has indices from 9 to 9 for 9 rows"),
            ("col_graphs/KNN/w", np.ones(3), "is damaged, its sparse matrix has 3 values for 8 indices"),
        ],
    )
    def test_parts_that_do_not_fit(self, path, part, values, message):
        with h5py.File(path, "r+") as file:
            del file[part]
            file[part] = values
        with pytest.raises(InputError, match=message):
            read_table(str(path), parts=AnnotatedParts(obsp="KNN"))


class TestHostile:
    @pytest.mark.parametrize(("part", "shape"), [("matrix", (10**6, 10**6)), ("row_attrs/Gene", (10**10,))])
    def test_arrays_that_are_only_claimed(self, path, part, shape):
        """A terabyte of zeros that was never written takes no place in the file, but years to look at."""
        with h5py.File(path, "r+") as file:
            kind = file[part].dtype
            del file[part]
            file.create_dataset(part, shape, kind, chunks=(1000,) * len(shape))
        with pytest.raises(InputError, match="cannot be read as loom, it is damaged"):
            read_table(str(path))

    @pytest.mark.parametrize("part", ["matrix", "row_attrs", "row_attrs/Gene", "col_attrs/Class"])
    def test_no_other_file_is_ever_read(self, path, part):
        point_elsewhere(path, part)
        with pytest.raises(InputError, match="points to data in another file, which is never followed"):
            read_table(str(path), label="Class")

    def test_a_missing_library(self, path, monkeypatch):
        without_h5py(monkeypatch, "loom_parts")
        with pytest.raises(InputError, match=re.escape("loom needs h5py; pip install 'eigenselect[io]'.")):
            read_table(str(path))


class TestCoordinates:
    """Attributes of the columns with several values each, as anndata writes ``obsm``."""

    def test_are_read(self, path):
        places = np.arange(18.0).reshape(9, 2)
        with h5py.File(path, "r+") as file:
            file["col_attrs/spatial"] = places
        np.testing.assert_array_equal(read_table(str(path), parts=AnnotatedParts(obsm="spatial")).places, places)

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("Class", "coordinates of obsm must be a matrix of real numbers with a row"),
            ("x", "no column attribute named"),
        ],
    )
    def test_what_does_not_go(self, path, name, says):
        with pytest.raises(InputError, match=says):
            read_table(str(path), parts=AnnotatedParts(obsm=name))
