"""zarr folders: plain arrays, sparse groups, stores of anndata; hostile ones."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")


@pytest.fixture(params=[2, 3])
def version(request):
    return request.param


@pytest.fixture
def X(rng):
    return rng.poisson(1.0, (6, 4)).astype(np.int16)


def folder(tmp_path, X, version):
    path = str(tmp_path / "x.zarr")
    root = zarr.open_group(path, mode="w", zarr_format=version)
    root.create_array("day/counts", data=X, chunks=(4, 3))
    root.create_array("day/class", data=np.array([1, 2] * 3))
    held = sparse.csc_array(X)
    group = root.create_group("thin", attributes={"encoding-type": "csc_matrix", "shape": list(X.shape)})
    for name in ("data", "indices", "indptr"):
        group.create_array(name, data=getattr(held, name))
    return path


def test_a_table_is_named_by_its_path(tmp_path, X, version):
    path = folder(tmp_path, X, version)
    table = read_table(f"{path}:day/counts", label="class")
    np.testing.assert_array_equal(table.X, X)
    assert table.X.dtype == X.dtype
    assert table.y.tolist() == [1, 2] * 3
    assert table.feature_names == ("x0", "x1", "x2", "x3")
    np.testing.assert_array_equal(read_table(f"{path}:thin").X.toarray(), X)
    np.testing.assert_array_equal(read_table(f"{path}:day/counts", transpose=True).X, X.T)
    with pytest.raises(InputError, match=r"holds 2 tables .* of which none is named; name an array"):
        read_table(path)
    with pytest.raises(InputError, match=r"no array named 'dayy'; there are 2 arrays \('day/counts', 'thin'\)"):
        read_table(f"{path}:dayy")


def test_a_folder_may_be_one_array(tmp_path, X, version):
    path = str(tmp_path / "plain")  # known by its metadata, not by its name
    zarr.create_array(path, data=X, zarr_format=version)
    np.testing.assert_array_equal(read_table(path).X, X)


@pytest.mark.filterwarnings("ignore:Writing zarr v2 data")
def test_a_store_of_anndata_has_names_and_labels(tmp_path, X):
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    obs = pd.DataFrame({"class": pd.Categorical(["u", "v", None] * 2)}, index=[f"s{i}" for i in range(6)])
    data = anndata.AnnData(X.astype(np.float32), obs=obs, var=pd.DataFrame(index=list("abcd")))
    data.layers["raw"] = sparse.csr_matrix(X)
    path = str(tmp_path / "cells.zarr")
    data.write_zarr(path)
    table = read_table(path, label="class")
    np.testing.assert_array_equal(table.X, X)
    assert table.feature_names == tuple("abcd")
    assert table.sample_names.tolist() == obs.index.tolist()
    assert table.label_text.tolist() == ["u", "v", ""] * 2
    np.testing.assert_array_equal(read_table(f"{path}:layers/raw").X.toarray(), X)
    layer = read_table(path, label="class", parts=AnnotatedParts(layer="raw"))
    np.testing.assert_array_equal(layer.X.toarray(), X)
    assert (layer.feature_names, layer.label_text.tolist()) == (tuple("abcd"), ["u", "v", ""] * 2)
    with pytest.raises(InputError, match="the layer 'raw' and 'X' are two matrices; name the folder alone"):
        read_table(f"{path}:X", parts=AnnotatedParts(layer="raw"))
    turned = read_table(path, transpose=True)
    np.testing.assert_array_equal(turned.X, X.T)
    assert turned.sample_names.tolist() == list("abcd")
    assert turned.feature_names == tuple(obs.index)
    with pytest.raises(InputError, match="no column of obs named 'clas'; did you mean 'class'"):
        read_table(path, label="clas")


@pytest.mark.parametrize("place", ["filters", "compressor"])
def test_codecs_that_unpickle_are_refused(tmp_path, X, place):
    path = tmp_path / "x.zarr"
    zarr.create_array(str(path), data=X, zarr_format=2)
    said = json.loads((path / ".zarray").read_text())
    said[place] = [{"id": "pickle"}] if place == "filters" else {"id": "pickle"}
    (path / ".zarray").write_text(json.dumps(said))
    with pytest.raises(InputError, match="stores an array by 'pickle', which is never used as it may run programs"):
        read_table(str(path))


def test_codecs_within_codecs_are_looked_at(tmp_path, X):
    path = tmp_path / "x.zarr"
    zarr.create_array(str(path), data=X, chunks=(2, 2), shards=(4, 4))
    table = read_table(str(path))
    np.testing.assert_array_equal(table.X, X)
    assert table.notes == ()  # a shard holds several chunks, and none is missing
    said = json.loads((path / "zarr.json").read_text())
    said["codecs"][0]["configuration"]["codecs"].append({"name": "numcodecs.pickle"})
    (path / "zarr.json").write_text(json.dumps(said))
    with pytest.raises(InputError, match=r"stores an array by 'numcodecs\.pickle'"):
        read_table(str(path))


def test_damage_and_claims_get_their_sentence(tmp_path, X, version):
    path = tmp_path / "x.zarr"
    zarr.create_array(str(path), data=X, zarr_format=version, chunks=(6, 4))
    metadata = path / ("zarr.json" if version == 3 else ".zarray")
    chunk = path / ("c/0/0" if version == 3 else "0.0")
    whole, said = chunk.read_bytes(), metadata.read_text()
    chunk.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"x\.zarr: cannot be read as zarr, it is damaged or of another kind\.$"):
        read_table(str(path))
    chunk.unlink()
    table = read_table(str(path))
    assert not table.X.any()
    assert table.notes[-1].endswith("is not stored, every value there counts as 0")
    chunk.write_bytes(whole)
    assert not read_table(str(path)).notes
    with pytest.raises(InputError, match="is one array, which has no part 'X'; name the folder alone"):
        read_table(f"{path}:X")
    huge = json.loads(said)
    huge["shape"] = [2**40, 2**20]
    metadata.write_text(json.dumps(huge))
    with pytest.raises(InputError, match="needs about .* of memory"):
        read_table(str(path))
    metadata.write_text("{")
    with pytest.raises(InputError, match="it is damaged"):
        read_table(str(path))
    metadata.unlink()
    with pytest.raises(InputError, match=r"x\.zarr: cannot be read as zarr"):
        read_table(str(path))


@pytest.mark.parametrize("kept", [0, 12, 16, 0.5, 0.99])
def test_what_blosc_would_read_behind_the_end_of_a_chunk_is_refused(tmp_path, rng, version, kept):
    """Its library believes the length in the chunk's head, and gives what it finds in memory for numbers."""
    path = tmp_path / "x.zarr"
    noise = rng.normal(size=(50, 4))
    packed = {2: {"compressors": numcodecs.Blosc()}, 3: {"compressors": zarr.codecs.BloscCodec()}}[version]
    zarr.create_array(str(path), data=noise, zarr_format=version, chunks=(25, 4), **packed)
    np.testing.assert_array_equal(read_table(str(path)).X, noise)
    chunk = path / ("c/1/0" if version == 3 else "1.0")
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[: kept if isinstance(kept, int) else int(kept * len(whole))])
    with pytest.raises(InputError, match="it is damaged"):
        read_table(str(path))


def test_links_are_not_followed(tmp_path, X):
    path = tmp_path / "x.zarr"
    zarr.create_array(str(path), data=X)
    (path / "c/0/more").symlink_to("/etc")
    with pytest.raises(InputError, match="holds a link, 'more', which is never followed"):
        read_table(str(path))
    with pytest.raises(InputError, match="is a file; zarr is the format of a folder"):
        read_table(str(path / "zarr.json"), file_format="zarr")


class TestPartsOfAnnData:
    """Graphs and coordinates of a store that anndata wrote are those of an h5ad file."""

    @pytest.fixture
    def store(self, tmp_path, X):
        anndata = pytest.importorskip("anndata")
        n = len(X)
        places = np.column_stack([np.arange(n), np.arange(n) % 3]).astype(float)
        line = sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1], format="csr")
        data = anndata.AnnData(np.asarray(X), obsm={"spatial": places, "sparse": sparse.csr_matrix(places)})
        data.obsm["frame"] = pd.DataFrame(places, index=data.obs_names, columns=["x", "y"])
        data.obsm["cube"] = np.zeros((n, 2, 2))
        data.obsp["line"] = line
        with warnings.catch_warnings(action="ignore"):  # which version of zarr is written
            data.write_zarr(tmp_path / "t.zarr")
        data.write_h5ad(tmp_path / "t.h5ad")
        return tmp_path

    @pytest.mark.parametrize("name", ["spatial", "sparse"])
    def test_the_same_as_of_h5ad(self, store, name):
        one, two = (read_table(str(store / f"t.{e}"), parts=AnnotatedParts(obsm=name)) for e in ("zarr", "h5ad"))
        dense = [p.toarray() if sparse.issparse(p) else p for p in (one.places, two.places)]
        np.testing.assert_array_equal(*dense)
        np.testing.assert_array_equal(one.coordinates["spatial"], two.coordinates["spatial"])
        one, two = (read_table(str(store / f"t.{e}"), parts=AnnotatedParts(obsp="line")) for e in ("zarr", "h5ad"))
        np.testing.assert_array_equal(one.graph.toarray(), two.graph.toarray())

    @pytest.mark.parametrize(
        ("parts", "how", "says"),
        [
            ({"obsm": "spatia"}, {}, "no entry of obsm named 'spatia'; did you mean 'spatial'?"),
            ({"obsm": "frame"}, {}, "'frame' of obsm is no array; store it as one"),
            ({"obsm": "cube"}, {}, "coordinates of obsm must be a matrix of real numbers"),
            ({"layer": "counts"}, {}, "no layer named 'counts'; there are none."),
            ({"obsp": "lin"}, {}, "no graph of obsp named 'lin'; did you mean 'line'?"),
            ({"obsp": "distances"}, {}, "use --obsp connectivities"),
            ({"obsm": "spatial"}, {"transpose": True}, "coordinates of obsm are of its rows, which are features"),
            ({"obsp": "line"}, {"transpose": True}, "a graph of obsp is one of its rows, which are features"),
        ],
    )
    def test_what_does_not_go(self, store, parts, how, says):
        with pytest.raises(InputError, match=re.escape(says)):
            read_table(str(store / "t.zarr"), parts=AnnotatedParts(**parts), **how)

    def test_a_store_of_another_kind_has_none(self, tmp_path, X, version):
        path = folder(tmp_path, X, version)
        for option in ("layer", "obsp", "obsm"):
            with pytest.raises(InputError, match=f"--{option} is for a store that anndata wrote, and this is none"):
                read_table(str(path), parts=AnnotatedParts(**{option: "spatial"}))
