"""Where graphs, coordinates and labels come from, as scanpy and squidpy record it."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.single_cell.provenance import (
    coordinates_provenance,
    graph_provenance,
    label_provenance,
    parameters_of,
    plain,
    record_of_graph,
    says_distances,
    told_labels,
)

#: what scanpy.pp.neighbors records
NEIGHBORS = {"n_neighbors": 15, "method": "umap", "random_state": 0, "metric": "euclidean"}
#: what versions of squidpy.gr.spatial_neighbors record
OLD_SQUIDPY = {"n_neighbors": 6, "coord_type": "generic", "radius": None, "transform": None}
NEW_SQUIDPY = {"n_neighbors": 6, "transform": None, "set_diag": False}


def recorded(params, key="mine"):
    return {"record": {"connectivities_key": key, "distances_key": "d", "params": params}}


@pytest.mark.parametrize(
    ("params", "key", "elsewhere", "why"),
    [
        (NEIGHBORS, "mine", False, "uns['record'] records obsp['mine'] as neighbours by principal components of genes"),
        (NEIGHBORS | {"n_pcs": 0}, "mine", False, "as neighbours by genes"),
        (NEIGHBORS | {"use_rep": "X"}, "mine", False, "as neighbours by genes"),
        (NEIGHBORS | {"use_rep": "X_scvi"}, "mine", False, "as neighbours by obsm['X_scvi']"),
        (NEIGHBORS | {"use_rep": "spatial"}, "mine", True, "uns['record'] records obsp['mine'] as spatial"),
        (NEIGHBORS | {"use_rep": "X_spatial"}, "mine", True, "as spatial"),
        (OLD_SQUIDPY, "mine", True, "as spatial"),
        (NEW_SQUIDPY, "mine", True, "as spatial"),
        ({"n_neighbors": 6}, "mine", False, "nothing says that obsp['mine'] was made of something else"),
        ({"n_neighbors": 6}, "spatial_mine", True, "obsp['spatial_mine'] is spatial by its name"),
        (NEIGHBORS, "spatial_mine", False, "as neighbours by principal components"),  # the record knows better
    ],
)
def test_graphs(params, key, elsewhere, why):
    found = graph_provenance(recorded(params, key), key, None)
    assert found.elsewhere is elsewhere
    assert why in found.why
    other = graph_provenance(recorded(params, key), key, "protein")
    assert other.elsewhere
    assert "another modality, 'protein'" in other.why


def test_names_tell_where_nothing_is_recorded():
    assert graph_provenance({}, "spatial_connectivities", None).elsewhere
    assert graph_provenance({}, "connectivities", None, "spatial").elsewhere
    assert not graph_provenance({}, "connectivities", None).elsewhere
    assert not graph_provenance({}, "non_spatial", None).elsewhere


def test_records_are_found_by_the_key_of_their_graph():
    uns = {"other": 3, "a": {"connectivities_key": "x"}, "b": {"connectivities_key": np.array(["y"])}}
    assert record_of_graph(uns, "y")[0] == "b"
    assert record_of_graph(uns, "z") == ("", {})
    old = {"neighbors": {"params": {"n_neighbors": np.array([10])}}}  # before scanpy 1.6
    assert record_of_graph(old, "connectivities")[0] == "neighbors"
    assert parameters_of(old["neighbors"]) == {"n_neighbors": 10}
    assert parameters_of(None) == parameters_of({"params": 3}) == {}


def test_values_of_old_files_are_plain():
    assert plain(np.array(["umap"])) == "umap"
    assert type(plain(np.int64(3))) is int
    several = np.arange(2)
    assert plain(several) is several


def test_coordinates():
    assert coordinates_provenance("spatial", None, 2).elsewhere
    assert coordinates_provenance("X_spatial", None, 3).elsewhere
    assert coordinates_provenance("X_pca", "protein", 30).elsewhere
    assert not coordinates_provenance("X_pca", None, 2).elsewhere


def test_more_columns_than_space_has_are_an_embedding_of_genes():
    """Noise in 20 such components has p ≤ 0.05 in three of four cases."""
    assert not coordinates_provenance("spatial_mine", None, 20).elsewhere
    assert not coordinates_provenance("spatial_UMAP", None, 2).elsewhere  # two dimensions are no places by that
    assert not graph_provenance({}, "spatial_pca_connectivities", None).elsewhere
    assert not graph_provenance({}, "near", None, "spatial_latent").elsewhere
    key, params = "spatial_mine", NEIGHBORS | {"use_rep": "spatial_mine"}
    assert graph_provenance(recorded(params), "mine", None, obsm={key: np.ones((9, 2))}).elsewhere
    assert not graph_provenance(recorded(params), "mine", None, obsm={key: np.ones((9, 20))}).elsewhere
    assert graph_provenance(recorded(params), "mine", None).elsewhere  # places that were left out since


def test_distances_are_told_by_their_name_or_by_a_record():
    assert says_distances({}, "spatial_distances") == "its name"
    assert says_distances({"other": 3, **recorded({})}, "d") == "uns['record']"
    assert says_distances(recorded({}), "mine") == ""


#: what scanpy.tl.leiden records
CLUSTERING = {"resolution": 1.0, "random_state": 0, "n_iterations": -1}


class TestLabels:
    obs = pd.DataFrame(
        {
            "leiden": pd.Categorical(list("00112233")),
            "coarse": pd.Categorical(["B", "B", "T", "T", "T", "T", None, None]),
            "donor": list("xyxyxyxy"),
            "one": list("aaaaaaaa"),
            "leiden_old": list("01010101"),
        }
    )

    def of(self, key, uns, modality=None):
        return label_provenance(uns, self.obs, key, modality)

    def test_a_recorded_clustering_and_unions_of_its_clusters(self):
        uns = {"leiden": {"params": CLUSTERING}, "leiden_colors": ["#fff"], "donor": {"x": 1}}
        assert "uns['leiden'] records obs['leiden'] as a clustering" in self.of("leiden", uns).why
        assert "every cluster of obs['leiden']" in self.of("coarse", uns).why
        assert [self.of(key, uns).elsewhere for key in self.obs] == [False, False, True, True, True]

    def test_without_a_record_nobody_knows(self):
        assert all(self.of(key, {}).elsewhere for key in self.obs)
        assert [bool(self.of(key, {}).doubt) for key in self.obs] == [True, False, False, False, True]

    def test_names_that_hold_that_of_a_clustering_are_doubted(self):
        obs = pd.DataFrame({key: list("abab") for key in ("my_leiden", "RNA_snn_res.0.8", "donor")})
        assert [bool(label_provenance({}, obs, key, None).doubt) for key in obs] == [True, True, False]

    def test_labels_that_clusters_nearly_tell_are_doubted(self):
        """A renamed clustering, one cell of 40 moved: noise is significant on it, but no record says so."""
        clusters = np.repeat(["0", "1", "2", "3"], 10)
        types = np.where(np.isin(clusters, ["0", "1"]), "B", clusters)
        types[0] = "2"
        obs = pd.DataFrame({"leiden": clusters, "type": types, "donor": np.tile(["x", "y"], 20)})
        found = label_provenance({"leiden": {"params": CLUSTERING}}, obs, "type", None)
        assert (found.elsewhere, found.doubt) == (
            True,
            "the clusters of obs['leiden'] tell nearly all labels of obs['type']",
        )
        assert not label_provenance({"leiden": {"params": CLUSTERING}}, obs, "donor", None).doubt

    def test_the_share_of_labels_that_clusters_tell(self):
        clusters = pd.Series(list("00001111"))
        assert told_labels(pd.Series(list("aaaabbbb")), clusters) == 1.0
        assert told_labels(pd.Series(list("aaabbbba")), clusters) == 0.5  # 2 of 8 wrong, where guessing has 4
        assert told_labels(pd.Series(list("aaaaaaaa")), clusters) == 0.0
        assert told_labels(pd.Series([None] * 8), clusters) == 0.0

    def test_a_clustering_of_places_is_none_of_the_genes(self):
        uns = {"leiden": {"params": CLUSTERING | {"obsp": "spatial_connectivities"}}}
        assert self.of("leiden", uns).elsewhere
        uns = {"leiden": {"params": CLUSTERING | {"neighbors_key": "neighbors"}}}
        assert not self.of("leiden", uns).elsewhere

    def test_another_modality(self):
        assert self.of("leiden", {"leiden": {"params": CLUSTERING}}, "protein").elsewhere


def test_records_are_those_that_scanpy_writes():
    sc, anndata = pytest.importorskip("scanpy"), pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(rng.normal(size=(40, 60)).astype(np.float32))
    adata.obsm["spatial"] = rng.random((40, 2))
    sc.pp.pca(adata, n_comps=5)
    sc.pp.neighbors(adata, n_neighbors=8)
    sc.pp.neighbors(adata, n_neighbors=8, n_pcs=3, key_added="few")
    sc.pp.neighbors(adata, n_neighbors=8, use_rep="spatial", key_added="tissue")
    for key, elsewhere in (("connectivities", False), ("few_connectivities", False), ("tissue_connectivities", True)):
        assert graph_provenance(adata.uns, key, None).elsewhere is elsewhere
    assert parameters_of(adata.uns["few"])["n_pcs"] == 3
