"""Layers, raw and graphs of AnnData files: the matrix that was named, and no other."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.exceptions import InputError
from eigenselect.io.h5ad import read_h5ad
from eigenselect.io.request import AnnotatedParts, Request
from eigenselect.matrix.planes import PLANES

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(2.0, size=(6, 4))
GRAPH = sparse.csr_matrix(np.eye(6)[::-1])


@pytest.fixture(autouse=True)
def alone(request, monkeypatch):
    """Read in this process alone, as starting another takes longer than all the rest."""
    if "another_process" not in request.node.name:
        monkeypatch.setattr("eigenselect.io.h5ad_parts.outlives", lambda *_: True)


@pytest.fixture
def path(tmp_path):
    """X, counts in a layer, more genes in raw, and two graphs."""
    obs, var = pd.DataFrame(index=list("abcdef")), pd.DataFrame(index=["g0", "g1", "g2", "g3"])
    more = anndata.AnnData(np.hstack([COUNTS, COUNTS]) + 0.5, obs, pd.DataFrame(index=[f"r{j}" for j in range(8)]))
    data = anndata.AnnData(np.log1p(COUNTS), obs, var, layers={"counts": sparse.csr_matrix(COUNTS), "scaled": COUNTS})
    data.raw = more
    data.obsp["connectivities"] = GRAPH
    data.obsp["dense"] = GRAPH.toarray()
    data.obsp["spatial_distances"] = GRAPH
    data.write_h5ad(tmp_path / "t.h5ad")
    return str(tmp_path / "t.h5ad")


def read(path, **parts):
    return read_h5ad(path, "t.h5ad", Request(parts=AnnotatedParts(**parts)))


def old(path):
    """Make a file of a version that only anndata knows."""
    with h5py.File(path, "r+") as file:
        file["obs"].create_dataset("y", data=np.arange(6.0)).attrs["categories"] = 1
        file["obs"].attrs["column-order"] = np.array(["y"], dtype=object)
    return path


@pytest.mark.parametrize(
    ("parts", "expected", "names"),
    [
        ({}, np.log1p(COUNTS), "g"),
        ({"layer": "counts"}, COUNTS, "g"),
        ({"layer": "scaled"}, COUNTS, "g"),
        ({"raw": True}, np.hstack([COUNTS, COUNTS]) + 0.5, "r"),
    ],
)
def test_the_matrix_that_was_named(path, parts, expected, names):
    table = read(path, **parts)
    assert sparse.issparse(table.X) == (parts.get("layer") == "counts")
    found = table.X.toarray() if sparse.issparse(table.X) else table.X
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert table.feature_names == tuple(f"{names}{j}" for j in range(expected.shape[1]))
    assert table.graph is None


@pytest.mark.parametrize("name", ["connectivities", "dense"])
def test_a_graph(path, name):
    graph = read(path, obsp=name).context()["similarity_matrix"]
    np.testing.assert_array_equal(graph.toarray() if sparse.issparse(graph) else graph, GRAPH.toarray())


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"layer": "count"}, r"t\.h5ad: no layer named 'count'; did you mean 'counts'\?"),
        ({"layer": "zzz"}, r"t\.h5ad: no layer named 'zzz'; there are 2 layers \('counts', '.*'\)\."),
        ({"obsp": "connectivity"}, r"no graph of obsp named 'connectivity'; did you mean 'connectivities'\?"),
        (
            {"obsp": "zzz"},
            r"no graph of obsp named 'zzz'; there are 3 graphs of obsp \('connectivities', 'dense', ",
        ),
        ({"obsp": "spatial_distances"}, r"holds distances, .* use --obsp spatial_connectivities\."),
        ({"layer": "counts", "raw": True}, r"name one of --layer and --raw\."),
        ({"layer": "counts/data"}, r"no layer named 'counts/data'"),
        ({"layer": "../X"}, r"no layer named '\.\./X'"),
    ],
)
@pytest.mark.parametrize("version", [str, old])
def test_names_that_are_not_there(path, parts, says, version):
    with pytest.raises(InputError, match=says):
        read(version(path), **parts)


def test_an_old_version_is_left_to_anndata(path):
    table = read(old(path), layer="counts", obsp="connectivities")
    np.testing.assert_array_equal(table.X.toarray(), COUNTS)
    np.testing.assert_array_equal(table.graph.toarray(), GRAPH.toarray())
    assert read(path, raw=True).feature_names == tuple(f"r{j}" for j in range(8))


@pytest.mark.parametrize("version", [str, old])
def test_no_raw(path, version):
    with h5py.File(path, "r+") as file:
        del file["raw"]
    with pytest.raises(InputError, match=r"t\.h5ad: holds no raw; leave out --raw, or name a layer\."):
        read(version(path), raw=True)


def test_a_layer_is_read_where_there_is_no_matrix(path):
    with h5py.File(path, "r+") as file:
        del file["X"]
    np.testing.assert_array_equal(read(path, layer="scaled").X, COUNTS)
    with pytest.raises(InputError, match=r"holds no matrix X\."):
        read(path)


@pytest.mark.parametrize(
    ("place", "parts", "says"),
    [
        ("layers/scaled", {"layer": "scaled"}, "the layer 'scaled' must be a matrix of real numbers with a row for"),
        ("raw/X", {"raw": True}, r"raw\.X must be a matrix of real numbers"),
        ("obsp/dense", {"obsp": "dense"}, "with a row and a column for each of 6 observations"),
    ],
)
def test_a_part_of_another_shape(path, place, parts, says):
    with h5py.File(path, "r+") as file:
        del file[place]
        file[place] = np.ones((6, 5))
    with pytest.raises(InputError, match=says):
        read(path, **parts)


@pytest.mark.parametrize("place", ["layers/counts", "layers", "obsp/dense", "obsp", "raw", "raw/var"])
def test_no_other_file_is_ever_read(path, tmp_path, place):
    """A link to another file is refused by name, wherever it stands."""
    other = tmp_path / "other.h5ad"
    other.write_bytes((tmp_path / "t.h5ad").read_bytes())
    with h5py.File(path, "r+") as file:
        del file[place]
        file[place] = h5py.ExternalLink(str(other), place)
    parts = {"raw": True} if "raw" in place else {"obsp": "dense"} if "obsp" in place else {"layer": "counts"}
    with pytest.raises(InputError, match="points to data in another file, which is never followed"):
        read(path, **parts)


@pytest.mark.parametrize(("place", "parts"), [("layers/counts", {"layer": "counts"}), ("obsp/connectivities", {})])
def test_indices_that_lead_out_of_the_matrix(path, place, parts):
    with h5py.File(path, "r+") as file:
        file[place]["indices"][0] = 10**6
    with pytest.raises(InputError, match="is damaged, its sparse matrix has ind"):
        read(path, **(parts or {"obsp": "connectivities"}))


def test_another_process_reads_the_same_parts_first(path, monkeypatch):
    """It gets the names of the parts, and not only the file."""
    import subprocess

    from eigenselect.io.h5ad_parts import Wanted

    programs = []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda program, **how: programs.append(program) or real(program, **how))
    read(path, layer="counts", obsp="dense")
    ((_, _, program, *words),) = programs
    assert subprocess.run([programs[0][0], "-P", program, *words], check=True).returncode == 0
    assert Wanted(**json.loads(words[1])) == Wanted(layer="counts", graph="dense", planes=list(PLANES))
