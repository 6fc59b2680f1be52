"""Graphs, coordinates and labels are found where scanpy and squidpy keep them."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.single_cell.sample_graphs import NO_NEIGHBORS, structure_of

anndata = pytest.importorskip("anndata")


@pytest.fixture
def adata(rng):
    adata = anndata.AnnData(rng.normal(size=(6, 4)), obs={"obs_names": list("abcdef"), "type": list("uuvvww")})
    for key, weight in (("connectivities", 1.0), ("few_connectivities", 2.0), ("tissue_connectivities", 3.0)):
        adata.obsp[key] = sparse.csr_matrix(weight * (np.ones((6, 6)) - np.eye(6)))
    adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 4, "method": "umap"}}
    adata.uns["few"] = {"connectivities_key": "few_connectivities", "params": {"n_neighbors": 3, "method": "umap"}}
    adata.uns["tissue_neighbors"] = {
        "connectivities_key": "tissue_connectivities", "params": {"n_neighbors": 6, "coord_type": "grid"},
    }  # fmt: skip
    adata.obsm["X_pca"] = rng.normal(size=(6, 2))
    return adata


def structure(adata, **keys):
    return structure_of(adata, adata, owner="pp", **keys)


def weight(found):
    """The one weight of all edges of a graph of the fixture."""
    return (found.graph.toarray() if sparse.issparse(found.graph) else found.graph).max()


@pytest.mark.parametrize(
    ("keys", "expected", "elsewhere"),
    [
        ({}, 1, False),
        ({"neighbors_key": "neighbors"}, 1, False),
        ({"neighbors_key": "few"}, 2, False),
        ({"neighbors_key": "tissue"}, 3, True),  # squidpy's key_added
        ({"neighbors_key": "tissue_neighbors"}, 3, True),
        ({"obsp": "few_connectivities"}, 2, False),
        ({"obsp": "tissue_connectivities"}, 3, True),
    ],
)
def test_graphs(adata, keys, expected, elsewhere):
    found = structure(adata, **keys)
    assert weight(found) == expected
    assert found.provenance.elsewhere is elsewhere
    assert found.keys.items() >= keys.items()
    assert found.parameters["n_neighbors"] == {1: 4, 2: 3, 3: 6}[expected]


def test_records_of_old_files(adata):
    adata.uns["neighbors"] = {"params": {"n_neighbors": np.array([9])}}
    assert weight(structure(adata)) == 1
    assert structure(adata).parameters == {"n_neighbors": 9}
    del adata.uns["neighbors"]
    assert weight(structure(adata)) == 1  # a graph that nothing records
    assert structure(adata).parameters == {}


def test_scanpys_own_sentence(adata):
    scanpy = pytest.importorskip("scanpy")
    bare = anndata.AnnData(adata.X)
    with pytest.raises(ValueError, match="pp.neighbors") as theirs:
        scanpy.tl.diffmap(bare)
    assert str(theirs.value) == NO_NEIGHBORS
    with pytest.raises(ValueError, match="`pp.neighbors` first") as ours:
        structure(bare)
    assert str(theirs.value) in str(ours.value)
    del adata.obsp["connectivities"]  # recorded, and not there
    with pytest.raises(ValueError, match="You need to run `pp.neighbors` first"):
        structure(adata)


def test_a_graph_with_directions_counts_by_its_symmetric_part(adata, rng):
    directed = sparse.csr_matrix(rng.random((6, 6)) * (rng.random((6, 6)) < 0.5))
    adata.obsp["spatial_connectivities"] = directed
    for kind in (sparse.csr_matrix, np.asarray):
        adata.obsp["spatial_connectivities"] = kind(directed.toarray())
        found = structure(adata, obsp="spatial_connectivities").graph
        dense = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(dense, (directed + directed.T).toarray() / 2)
    given = adata.obsp["spatial_connectivities"]
    assert np.array_equal(given, directed.toarray())  # and stays as it is


def test_parts(adata):
    rows = np.array([4, 1, 2])
    graph = np.arange(36.0).reshape(6, 6)
    adata.obsp["spatial"] = graph + graph.T
    part = structure(adata, obsp="spatial").take(rows)
    assert part.graph.tolist() == (graph + graph.T)[np.ix_(rows, rows)].tolist()
    assert structure(adata, use_rep="X_pca").take(rows).coordinates.tolist() == adata.obsm["X_pca"][rows].tolist()
    assert structure(adata, label_key="type").take(rows).labels.tolist() == ["w", "u", "v"]


@pytest.mark.parametrize("kind", ["array", "sparse", "frame"])
def test_coordinates_of_any_kind(adata, kind):
    values = adata.obsm["X_pca"]
    made = {"array": lambda: values, "sparse": lambda: sparse.csr_matrix(values), "frame": lambda: adata.obs.assign(
        x=values[:, 0], y=values[:, 1])[["x", "y"]]}[kind]()  # fmt: skip
    adata.obsm["X_mine"] = made
    found = structure(adata, use_rep="X_mine")
    rows = found.take(np.array([2, 0])).coordinates
    assert (rows.toarray() if sparse.issparse(rows) else rows).tolist() == values[[2, 0]].tolist()
    assert found.parameters == {"n_neighbors": 15, "use_rep": "X_mine"}
    assert not found.of_genes


def test_the_genes_themselves(adata):
    found = structure(adata, use_rep="X")
    assert found.of_genes
    assert found.coordinates is None
    assert not found.provenance.elsewhere


@pytest.mark.parametrize(
    ("keys", "error", "sentence"),
    [
        ({"obsp": "x", "label_key": "type"}, ValueError, "pp: expected at most one of .*, got obsp='x' and label_key="),
        ({"obsp": 3}, TypeError, "pp: obsp must be the name of a key, got int"),
        ({"obsp": "konnectivities"}, ValueError, "no entry of .obsp is named 'konnectivities'; did you mean 'connecti"),
        ({"neighbors_key": "fw"}, ValueError, "no entry of .uns is named 'fw'; did you mean 'few'"),
        ({"label_key": "typ"}, ValueError, "no entry of .obs is named 'typ'; did you mean 'type'"),
        ({"use_rep": "X_umap"}, ValueError, "no entry of .obsm is named 'X_umap'"),
        ({"obsp": "distances"}, ValueError, "holds distances by its name"),
        ({"obsp": "far"}, ValueError, r"holds distances by uns\['record'\]"),
        ({"obsp": "negative"}, ValueError, r"pp: obsp\['negative'\] must hold non-negative similarities"),
        ({"obsp": "missing"}, ValueError, r"pp: obsp\['missing'\] must be finite"),
        ({"neighbors_key": "empty"}, ValueError, r"uns\['empty'\] records no graph of neighbours"),
    ],
)
def test_sentences(adata, keys, error, sentence):
    adata.obsp["distances"], adata.obsp["far"] = np.ones((6, 6)), np.ones((6, 6))
    adata.uns["record"] = {"distances_key": "far"}
    adata.obsp["negative"], adata.obsp["missing"] = -np.ones((6, 6)), np.full((6, 6), np.nan)
    adata.uns["empty"] = {}
    with pytest.raises(error, match=sentence):
        structure(adata, **keys)
