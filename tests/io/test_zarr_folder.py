"""zarr folders: plain arrays, sparse groups, stores of anndata; damaged and hostile ones."""

import json
import shutil
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.tables import dense, refuses

from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")

X = np.random.default_rng(0).poisson(1.0, (6, 4)).astype(np.int16)


@pytest.fixture(params=[2, 3])
def version(request):
    return request.param


def change_json(path, function):
    said = json.loads(path.read_text())
    function(said)
    path.write_text(json.dumps(said))


def test_a_table_is_named_by_its_path(tmp_path, version):
    path = str(tmp_path / "x.zarr")
    root = zarr.open_group(path, mode="w", zarr_format=version)
    root.create_array("day/counts", data=X, chunks=(4, 3))
    root.create_array("day/class", data=np.array([1, 2] * 3))
    held = sparse.csc_array(X)
    group = root.create_group("thin", attributes={"encoding-type": "csc_matrix", "shape": list(X.shape)})
    for name in ("data", "indices", "indptr"):
        group.create_array(name, data=getattr(held, name))
    table = read_table(f"{path}:day/counts", label="class")
    np.testing.assert_array_equal(table.X, X)
    assert (table.X.dtype, table.y.tolist(), table.feature_names[-1]) == (X.dtype, [1, 2] * 3, "x3")
    np.testing.assert_array_equal(read_table(f"{path}:thin").X.toarray(), X)
    np.testing.assert_array_equal(read_table(f"{path}:day/counts", transpose=True).X, X.T)
    refuses(path, "2 tables")
    refuses(f"{path}:dayy", "('day/counts', 'thin')")
    for option in ("layer", "obsp", "obsm"):  # which only stores of anndata have
        refuses(path, f"--{option}", parts=AnnotatedParts(**{option: "spatial"}))
    plain = str(tmp_path / "plain")  # known by its metadata, not by its name
    zarr.create_array(plain, data=X, zarr_format=version)
    np.testing.assert_array_equal(read_table(plain).X, X)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    anndata = pytest.importorskip("anndata")
    folder, n = tmp_path_factory.mktemp("store"), len(X)
    obs = pd.DataFrame({"class": pd.Categorical(["u", "v", None] * 2)}, index=[f"s{i}" for i in range(6)])
    data = anndata.AnnData(X.astype(np.float32), obs=obs, var=pd.DataFrame(index=list("abcd")))
    places = np.column_stack([np.arange(n), np.arange(n) % 3]).astype(float)
    data.layers["raw"] = sparse.csr_matrix(X)
    data.obsm["spatial"], data.obsm["sparse"] = places, sparse.csr_matrix(places)
    data.obsm["frame"] = pd.DataFrame(places, index=data.obs_names, columns=["x", "y"])
    data.obsm["cube"] = np.zeros((n, 2, 2))
    data.obsp["line"] = sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], format="csr")
    with warnings.catch_warnings(action="ignore"):  # which version of zarr is written
        data.write_zarr(folder / "t.zarr")
    data.write_h5ad(folder / "t.h5ad")
    return folder


class TestAnnData:
    """Parts of a store that anndata wrote are those of an h5ad file."""

    @pytest.mark.usefixtures("in_process")
    def test_the_same_as_of_h5ad(self, store):
        for named in ({}, {"layer": "raw"}, {"obsm": "spatial"}, {"obsm": "sparse"}, {"obsp": "line"}):
            how = {"label": "class", "parts": AnnotatedParts(**named)}
            one, two = (read_table(str(store / f"t.{ending}"), **how) for ending in ("zarr", "h5ad"))
            for a, b in ((one.X, two.X), (one.places, two.places), (one.graph, two.graph)):
                np.testing.assert_array_equal(dense(a), dense(b))
            assert (one.feature_names, one.sample_names.tolist()) == (tuple("abcd"), two.sample_names.tolist())
            assert one.label_text.tolist() == ["u", "v", ""] * 2
            np.testing.assert_array_equal(one.coordinates["spatial"], two.coordinates["spatial"])
        np.testing.assert_array_equal(read_table(f"{store}/t.zarr:layers/raw").X.toarray(), X)
        turned = read_table(str(store / "t.zarr"), transpose=True)
        np.testing.assert_array_equal(turned.X, X.T)
        assert (turned.sample_names.tolist(), turned.feature_names[0]) == (list("abcd"), "s0")

    def test_what_does_not_go(self, store):
        path = str(store / "t.zarr")
        for named, how, keyword in [
            ({"obsm": "frame"}, {}, "'frame'"),
            ({"obsm": "cube"}, {}, "real numbers"),
            ({"layer": "counts"}, {}, "'counts'"),
            ({"obsp": "lin"}, {}, "did you mean 'line'?"),
            ({"obsm": "spatial"}, {"transpose": True}, "rows"),
            ({"obsp": "line"}, {"transpose": True}, "rows"),
            ({}, {"label": "clas"}, "did you mean 'class'"),
        ]:
            refuses(path, keyword, parts=AnnotatedParts(**named), **how)
        refuses(f"{path}:X", "two matrices", parts=AnnotatedParts(layer="raw"))


class TestHostile:
    def test_codecs_that_unpickle_are_refused(self, tmp_path):
        path = tmp_path / "x.zarr"
        for place, codec in (("filters", [{"id": "pickle"}]), ("compressor", {"id": "pickle"})):
            zarr.create_array(str(path), data=X, zarr_format=2)
            change_json(path / ".zarray", lambda said, place=place, codec=codec: said.__setitem__(place, codec))
            refuses(path, "'pickle'")
            shutil.rmtree(path)
        zarr.create_array(str(path), data=X, chunks=(2, 2), shards=(4, 4))
        table = read_table(str(path))
        np.testing.assert_array_equal(table.X, X)
        assert table.notes == ()  # a shard holds several chunks, and none is missing
        pickled = {"name": "numcodecs.pickle"}  # within another codec
        change_json(path / "zarr.json", lambda said: said["codecs"][0]["configuration"]["codecs"].append(pickled))
        refuses(path, "numcodecs.pickle")

    def test_damage_and_claims(self, tmp_path, version):
        path = tmp_path / "x.zarr"
        zarr.create_array(str(path), data=X, zarr_format=version, chunks=(6, 4))
        metadata = path / ("zarr.json" if version == 3 else ".zarray")
        chunk = path / ("c/0/0" if version == 3 else "0.0")
        whole = chunk.read_bytes()
        chunk.write_bytes(whole[: len(whole) // 2])
        refuses(path, "damaged")
        chunk.unlink()
        table = read_table(str(path))
        assert not table.X.any()
        assert "counts as 0" in table.notes[-1]
        chunk.write_bytes(whole)
        assert not read_table(str(path)).notes
        refuses(f"{path}:X", "one array")
        change_json(metadata, lambda said: said.update(shape=[2**40, 2**20]))
        refuses(path, "of memory")
        metadata.write_text("{")
        refuses(path, "damaged")
        metadata.unlink()
        refuses(path, "zarr")

    def test_what_blosc_would_read_behind_the_end_of_a_chunk_is_refused(self, tmp_path, rng, version):
        """Its library believes the length in the chunk's head, and gives what it finds in memory for numbers."""
        path, noise = tmp_path / "x.zarr", rng.normal(size=(50, 4))
        packed = {2: {"compressors": numcodecs.Blosc()}, 3: {"compressors": zarr.codecs.BloscCodec()}}[version]
        zarr.create_array(str(path), data=noise, zarr_format=version, chunks=(25, 4), **packed)
        np.testing.assert_array_equal(read_table(str(path)).X, noise)
        chunk = path / ("c/1/0" if version == 3 else "1.0")
        whole = chunk.read_bytes()
        for n in (0, 12, 16, len(whole) // 2, len(whole) - 1):
            chunk.write_bytes(whole[:n])
            refuses(path, "damaged")

    def test_links_are_not_followed(self, tmp_path):
        path = tmp_path / "x.zarr"
        zarr.create_array(str(path), data=X)
        (path / "c/0/more").symlink_to("/etc")
        refuses(path, "'more'")
        refuses(path / "zarr.json", "is a file", file_format="zarr")
