"""AnnData files: columns of obs, layers, raw, graphs and coordinates; old versions; damage, claims and links."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.annotated import of_records
from tests.io.annotated import written as saved_h5ad
from tests.io.tables import dense, refuses

from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts
from eigenselect.io.table import scaled

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(2.0, size=(6, 4))
MORE = np.hstack([COUNTS, COUNTS]) + 0.5
PLACES = RNG.normal(size=(6, 5))
RECORDS = np.arange(6.0).reshape(2, 3)
SAMPLES = [f"ENSG{i:011}" for i in range(6)]  # which are no reason for doubt in an annotated table
GRAPH = sparse.csr_matrix(np.eye(6)[::-1])
#: a column of obs of every kind, and its labels
COLUMNS = {
    "text": (["u", "v", "u", "007"], ["u", "v", "u", "007"]),
    "category": (pd.Categorical(["u", None, "v", "u"]), ["u", "", "v", "u"]),
    "numbers as categories": (pd.Categorical([3, 1, 3, 1]), ["3", "1", "3", "1"]),
    "whole": (np.array([3, 1, 2, 1]), ["3", "1", "2", "1"]),
    "holes": (pd.array([3, None, 2, 1], dtype="Int64"), ["3", "", "2", "1"]),
    "truth": (pd.array([True, None, False, True], dtype="boolean"), ["True", "", "False", "True"]),
    "measured": (np.array([0.5, np.nan, 2.0, 1.0]), ["0.5", "", "2.0", "1.0"]),
}


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """X, counts in a layer, more genes in raw, three graphs and coordinates."""
    obs = pd.DataFrame({name: values for name, (values, _) in COLUMNS.items()})
    obs = pd.concat([obs, obs[:2]]).set_axis(pd.Index(SAMPLES, name="cell"))
    var = pd.DataFrame(index=["g0", "g1", "g2", "g3"])
    layers = {"counts": sparse.csr_matrix(COUNTS), "columns": sparse.csc_matrix(COUNTS), "scaled": COUNTS}
    data = anndata.AnnData(np.log1p(COUNTS), obs, var, layers=layers)
    data.raw = anndata.AnnData(MORE, obs, pd.DataFrame(index=[f"r{j}" for j in range(8)]))
    data.obsp["connectivities"], data.obsp["dense"], data.obsp["spatial_distances"] = GRAPH, GRAPH.toarray(), GRAPH
    data.obsm["X_umap"], data.obsm["X_pca"], data.obsm["X_scvi"] = PLACES[:, :2], PLACES, PLACES
    data.obsm["X_tsne"] = pd.DataFrame(PLACES[:, :2], index=obs.index, columns=["0", "1"])
    path = tmp_path_factory.mktemp("h5ad") / "t.h5ad"
    saved_h5ad(path, data)
    return path.read_bytes()


@pytest.fixture
def change(content, tmp_path):
    """Write the file again, let a function change it, and return its path."""

    def change(function=None):
        (tmp_path / "t.h5ad").write_bytes(content)
        if function:
            with h5py.File(tmp_path / "t.h5ad", "r+") as file:
                function(file)
        return tmp_path / "t.h5ad"

    return change


def parts(**named):
    return {"parts": AnnotatedParts(**named)}


def old(file):
    """Mark a file as one of a version that only anndata knows."""
    file["obs"].create_dataset("old", data=np.arange(6.0)).attrs["categories"] = 1
    file["obs"].attrs["column-order"] = np.array([*file["obs"].attrs["column-order"], "old"], dtype=object)


def put(name, values, after=lambda file: None):
    def function(file):
        after(file)
        del file[name]
        if values is not None:
            file[name] = values

    return function


def claim(name, shape, kind="f8", **how):
    def function(file):
        del file[name]
        file.create_dataset(name, shape, h5py.string_dtype() if kind == "text" else kind, **{"chunks": True} | how)

    return function


def test_a_file_as_another_process_finds_it(change):
    table = read_table(str(change()), label="category", **parts(layer="counts", obsp="dense"))
    np.testing.assert_array_equal(table.X.toarray(), COUNTS)
    np.testing.assert_array_equal(table.graph, GRAPH.toarray())


@pytest.mark.usefixtures("in_process")
class TestParts:
    def test_columns_of_obs(self, change):
        path = str(change())
        for name, (_, labels) in COLUMNS.items():
            table = read_table(path, label=name)
            assert table.label_text.tolist() == [*labels, *labels[:2]], name
            assert table.sample_names.tolist() == SAMPLES
        assert read_table(path, samples="cell", label="whole").sample_names.tolist() == SAMPLES
        refuses(path, "7 columns of obs", label="zzz")

    def test_the_matrix_that_was_named(self, change):
        path = str(change())
        for named, expected, names in [
            ({}, np.log1p(COUNTS), "g"),
            ({"layer": "counts"}, COUNTS, "g"),
            ({"layer": "columns"}, COUNTS, "g"),
            ({"layer": "scaled"}, COUNTS, "g"),
            ({"raw": True}, MORE, "r"),
        ]:
            table = read_table(path, **parts(**named))
            assert sparse.issparse(table.X) == (named.get("layer") in ("counts", "columns"))
            assert (table.X.dtype, table.graph, table.notes) == (expected.dtype, None, ())
            np.testing.assert_array_equal(dense(table.X), expected)
            assert table.feature_names == tuple(f"{names}{j}" for j in range(expected.shape[1]))
        no_matrix = str(change(put("X", None)))
        np.testing.assert_array_equal(read_table(no_matrix, **parts(layer="scaled")).X, COUNTS)
        refuses(no_matrix, "no matrix X")

    def test_graphs_and_coordinates(self, change):
        path = str(change())
        for name in ("connectivities", "dense"):
            graph = read_table(path, **parts(obsp=name)).context()["similarity_matrix"]
            np.testing.assert_array_equal(dense(graph), GRAPH.toarray())
        np.testing.assert_array_equal(read_table(path, **parts(obsm="X_pca")).places, PLACES)
        table = scaled(read_table(path, label="text", ignore=["g0"]), "standard")
        assert table.feature_names == ("g1", "g2", "g3")
        assert table.coordinates.keys() == {"X_umap", "X_pca"}  # two columns each, for pictures
        for places in table.coordinates.values():
            np.testing.assert_array_equal(places, PLACES[:, :2])

    def test_files_of_old_versions_are_left_to_anndata(self, change, tmp_path):
        path = str(change(old))
        table = read_table(path, label="text", **parts(layer="counts", obsp="connectivities"))
        np.testing.assert_array_equal(table.X.toarray(), COUNTS)
        np.testing.assert_array_equal(table.graph.toarray(), GRAPH.toarray())
        np.testing.assert_array_equal(table.coordinates["X_umap"], PLACES[:, :2])
        assert read_table(path, **parts(raw=True)).feature_names == tuple(f"r{j}" for j in range(8))
        table = read_table(of_records(tmp_path / "r.h5ad", RECORDS), label="y")
        np.testing.assert_array_equal(table.X, RECORDS)
        assert (table.feature_names, table.sample_names.tolist()) == (("g1", "g2", "g3"), ["a", "b"])
        assert table.label_text.tolist() == ["1", "2"]

    def test_an_old_version_without_anndata_names_the_extra(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "anndata", None)
        refuses(of_records(tmp_path / "t.h5ad", RECORDS), "eigenselect[anndata]")

    def test_links_within_the_file_are_followed(self, change):
        def within(file):
            file.move("X", "Y")
            file["X"] = h5py.SoftLink("/Y")
            file["obs/again"] = file["obs"]

        for also in (lambda file: None, old):
            path = change(lambda file, also=also: (within(file), also(file)))
            np.testing.assert_array_equal(read_table(str(path)).X, np.log1p(COUNTS))


@pytest.mark.usefixtures("in_process")
class TestRefused:
    @pytest.mark.parametrize("version", [None, old])
    def test_parts_that_are_not_there(self, change, version):
        path = change(version)
        for named, keyword in [
            ({"layer": "count"}, "did you mean 'counts'?"),
            ({"layer": "zzz"}, "3 layers"),
            ({"layer": "counts/data"}, "no layer named"),
            ({"layer": "../X"}, "no layer named"),
            ({"obsp": "connectivity"}, "did you mean 'connectivities'?"),
            ({"obsp": "zzz"}, "3 graphs"),
            ({"obsp": "spatial_distances"}, "--obsp spatial_connectivities"),
            ({"layer": "counts", "raw": True}, "--layer and --raw"),
        ]:
            refuses(path, keyword, **parts(**named))
        refuses(change(put("raw", None, version or (lambda file: None))), "leave out --raw", **parts(raw=True))

    #: a change of the file, the parts that are read, and a word of the refusal
    DAMAGE = (
        (put("X", np.ones((6, 2))), {}, "6 observations"),
        (put("layers/scaled", np.ones((6, 5))), {"layer": "scaled"}, "'scaled'"),
        (put("raw/X", np.ones((6, 5))), {"raw": True}, "raw.X"),
        (put("obsp/dense", np.ones((6, 5))), {"obsp": "dense"}, "6 observations"),
        (lambda file: file["layers/counts"].attrs.update(shape=(6, 3)), {"layer": "counts"}, ""),
        (lambda file: file["layers/columns"].attrs.update(shape=(6, 5)), {"layer": "columns"}, ""),
        (lambda file: file["layers/counts/indices"].__setitem__(0, 10**6), {"layer": "counts"}, "indices"),
        (lambda file: file["layers/counts/indptr"].__setitem__(4, 10**6), {"layer": "counts"}, "index pointers"),
        (lambda file: file["layers/columns/indices"].__setitem__(0, 10**6), {"layer": "columns"}, "indices"),
        (lambda file: file["layers/columns/indptr"].__setitem__(2, 10**6), {"layer": "columns"}, "index pointers"),
        (lambda file: file["obsp/connectivities/indices"].__setitem__(0, 9), {"obsp": "connectivities"}, "indices"),
        (lambda file: file["obs/category/codes"].__setitem__(1, 7), {}, "damaged"),
        # a file of some kB that claims 8 GB: zeros that were never written would fill the memory
        (claim("X", (6, 2**28)), {}, "damaged"),
        (claim("var/_index", (2**30,), "text"), {}, "damaged"),
        (claim("obs/category/categories", (2**30,), "text"), {}, "damaged"),
    )

    def test_damage_and_claims(self, change):
        for harm, named, keyword in self.DAMAGE:
            refuses(change(harm), keyword, label="category", **parts(**named))

    #: changes of coordinates, which are never a reason to refuse a table
    PLANES = (
        lambda file: put("obsm", np.zeros(6, dtype=[("X_umap", "f8", 2)]))(file),
        put("obsm/X_umap", h5py.SoftLink("/obsm/nowhere")),
        put("obsm/X_umap", h5py.SoftLink("/obsm/X_umap")),
        put("obsm/X_umap", h5py.ExternalLink("/etc/passwd", "/X")),
        put("obsm/X_umap", np.full((6, 2), "here", dtype=object)),
        claim("obsm/X_umap", (10**12, 2), chunks=(1024, 2)),
        claim("obsm/X_umap", (6, 2), "S100000000", chunks=(1, 1)),
        claim("obsm/X_umap", (6, 10**8), "f4", chunks=(6, 10**8), compression="gzip"),
    )

    def test_coordinates_that_cannot_be_read_are_left_out(self, change, tmp_path):
        def broken(file):
            del file["obsm/X_umap"]
            node = file.create_dataset("obsm/X_umap", data=PLACES[:, :2], chunks=(6, 2), compression="gzip")
            node.id.write_direct_chunk((0, 0), b"no gzip at all")

        for harm in (*self.PLANES, broken):
            table = read_table(str(change(harm)))
            np.testing.assert_array_equal(table.X, np.log1p(COUNTS))
            assert "X_umap" not in table.coordinates
            assert ("X_pca" in table.coordinates) == (harm is not self.PLANES[0])


@pytest.mark.usefixtures("in_process")
class TestOtherFiles:
    """A file of someone else may point to any file of ours."""

    @staticmethod
    def by_link(file, name, other):
        del file[name]
        file[name] = h5py.ExternalLink(other, name)

    @staticmethod
    def by_soft_link(file, name, other):
        file["elsewhere"] = h5py.ExternalLink(other, "/")
        del file[name]
        file[name] = h5py.SoftLink(f"/elsewhere/{name}")

    @staticmethod
    def by_storage(file, name, other):
        del file[name]
        file.create_dataset(name, COUNTS.shape, "f8", external=[(other, 0, COUNTS.nbytes)])

    @staticmethod
    def by_layout(file, name, other):
        del file[name]
        layout = h5py.VirtualLayout(COUNTS.shape, "f8")
        layout[:] = h5py.VirtualSource(other, name, COUNTS.shape)
        file.create_virtual_dataset(name, layout)

    @pytest.mark.parametrize("version", [None, old])
    def test_are_never_read(self, change, content, tmp_path, version):
        (tmp_path / "other.h5ad").write_bytes(content)
        named = {"layers/counts": {"layer": "counts"}, "layers": {"layer": "counts"}, "obsp/dense": {"obsp": "dense"}}
        named |= {"obsp": {"obsp": "dense"}, "raw": {"raw": True}, "raw/var": {"raw": True}}
        ways = [(how, "X") for how in (self.by_storage, self.by_layout)]
        ways += [(self.by_soft_link, name) for name in ("X", "obs", "obs/text")]
        ways += [(self.by_link, name) for name in ("X", "obs", "var", "obs/category/codes", *named)]
        for how, name in ways:

            def point(file, how=how, name=name):
                if version and name != "obs":
                    version(file)
                how(file, name, str(tmp_path / "other.h5ad"))

            label = "category" if "category" in name else "text"
            refuses(change(point), "never followed", label=label, **parts(**named.get(name, {})))
