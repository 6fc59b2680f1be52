"""P-values only on what the genes did not make: keys and records decide, noise is uniform, "split" rebuilds."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.inference import Permutation, Split
from eigenselect.similarity import KNN
from single_cell.cells import INFORMATIVE, SPATIAL, cells, found, heard, line_graph

anndata = pytest.importorskip("anndata")
#: what scanpy.pp.neighbors and scanpy.tl.leiden record
NEIGHBORS = {"n_neighbors": 15, "method": "umap", "random_state": 0, "metric": "euclidean"}
CLUSTERING = {"resolution": 1.0, "random_state": 0, "n_iterations": -1}
#: what versions of squidpy.gr.spatial_neighbors record
OLD_SQUIDPY = {"n_neighbors": 6, "coord_type": "generic", "radius": None, "transform": None}
NEW_SQUIDPY = {"n_neighbors": 6, "transform": None, "set_diag": False}


def is_tested(adata, **keys):
    return bool(found(adata, 3, **keys)["spectral_pval"].notna().all())


def test_records_and_names_of_graphs_decide():
    """The record comes first, then the name; without either the genes may have made the graph."""
    cases = [
        (NEIGHBORS, "mine", False),
        (NEIGHBORS | {"n_pcs": 0}, "mine", False),
        (NEIGHBORS | {"use_rep": "X"}, "mine", False),
        (NEIGHBORS | {"use_rep": "X_scvi"}, "mine", False),
        (NEIGHBORS | {"use_rep": "spatial"}, "mine", True),
        (NEIGHBORS | {"use_rep": "X_spatial"}, "mine", True),
        (NEIGHBORS | {"use_rep": "spatial_wide"}, "mine", False),  # 20 columns are no places
        (OLD_SQUIDPY, "mine", True),
        (NEW_SQUIDPY, "mine", True),
        ({"n_neighbors": 6}, "mine", False),
        ({"n_neighbors": 6}, "spatial_mine", True),
        (NEIGHBORS, "spatial_mine", False),
        (None, "spatial_mine", True),
        (None, "mine", False),
        (None, "non_spatial", False),
        (None, "spatial_pca_connectivities", False),
    ]
    for params, key, tested in cases:
        adata = cells()
        adata.obsm["spatial_wide"] = np.random.default_rng(0).normal(size=(60, 20))
        adata.obsp[key] = line_graph(60)
        if params is not None:
            adata.uns["record"] = {"connectivities_key": np.array([key]), "params": params}
            assert is_tested(adata, neighbors_key="record") is tested, (params, key)
        assert is_tested(adata, obsp=key) is tested, (params, key)


def test_places_are_told_from_embeddings_by_their_name_and_width():
    adata = cells()
    adata.obsm["X_spatial"] = np.random.default_rng(1).normal(size=(60, 3))
    adata.obsm["spatial_mine"] = np.random.default_rng(0).normal(size=(60, 20))
    adata.obsm["spatial_UMAP"] = adata.obsm["X_spatial"][:, :2]
    for key, tested in {
        "spatial": True, "X_spatial": True, "X_pca": False, "spatial_mine": False, "spatial_UMAP": False, "X": False
    }.items():  # fmt: skip
        assert is_tested(adata, use_rep=key) is tested, key


def test_records_of_old_files():
    adata = cells()
    for record in ({"params": {"n_neighbors": np.array([9])}}, {}):
        adata.uns["neighbors"] = record
        assert not is_tested(adata)
    del adata.uns["neighbors"]
    assert not is_tested(adata)  # a graph that nothing records


@pytest.mark.slow
def test_records_are_those_that_scanpy_writes():
    sc = pytest.importorskip("scanpy")
    adata = cells(40, 60)
    del adata.uns["neighbors"]
    sc.pp.pca(adata, n_comps=5)
    sc.pp.neighbors(adata, n_neighbors=8)
    sc.pp.neighbors(adata, n_neighbors=8, n_pcs=3, key_added="few")
    sc.pp.neighbors(adata, n_neighbors=8, use_rep="spatial", key_added="tissue")
    for key, tested in (("neighbors", False), ("few", False), ("tissue", True)):
        assert is_tested(adata, neighbors_key=key) is tested, key
    split = Split(n_repeats=1)
    fitted = es.LaplacianScore(
        similarity=KNN(7, bandwidth="self-tuning"), significance=Split(n_repeats=1, n_components=3)
    )
    table = found(adata, neighbors_key="few", significance=split)
    assert np.array_equal(table["spectral_pval"], fitted.fit(adata.X).pvalues_)


def test_scanpy_counts_a_cell_among_its_neighbours(rng):
    sc = pytest.importorskip("scanpy")
    adata = anndata.AnnData(rng.normal(size=(50, 4)).astype(np.float32))
    sc.pp.neighbors(adata, n_neighbors=15, use_rep="X", transformer="sklearn")
    theirs = adata.obsp["distances"]
    ours = KNN(14, bandwidth="self-tuning").build(adata.X).affinity
    assert np.array_equal((ours != 0).toarray(), ((theirs + theirs.T) != 0).toarray())


class TestLabels:
    """A clustering of the genes gives no p-values, under whatever name; a doubtful one gives them with a warning."""

    @pytest.fixture
    def adata(self):
        adata = cells()
        clusters = np.repeat(list("0123"), 15)
        adata.obs["leiden"] = pd.Categorical(clusters)
        adata.obs["coarse"] = np.where(np.isin(clusters, ["0", "1"]), "B", clusters)
        moved = adata.obs["coarse"].to_numpy(copy=True)
        moved[0] = "2"
        adata.obs["moved"] = moved
        adata.obs["leiden_old"] = list("01") * 30
        adata.obs["RNA_snn_res.0.8"] = list("01") * 30
        return adata

    def of(self, adata, key):
        """Whether labels were tested, and whether anything was said."""
        said = heard(adata, 3, label_key=key)
        assert len(said) <= 1
        return bool(adata.var["spectral_pval"].notna().all()), bool(said)

    def test_a_recorded_clustering_its_unions_and_its_near_copies(self, adata):
        adata.uns |= {"leiden": {"params": CLUSTERING}, "leiden_colors": ["#fff"], "donor": {"x": 1}}
        expected = {
            "leiden": (False, True), "coarse": (False, True), "type": (False, True), "moved": (True, True),
            "donor": (True, False),
        }  # fmt: skip
        assert {key: self.of(adata, key) for key in expected} == expected

    def test_without_a_record_names_are_doubted(self, adata):
        doubted = {key: self.of(adata, key) for key in ("leiden", "leiden_old", "RNA_snn_res.0.8", "coarse", "donor")}
        assert list(doubted.values()) == [(True, True)] * 3 + [(True, False)] * 2

    def test_a_clustering_of_places(self, adata):
        adata.uns["leiden"] = {"params": CLUSTERING | {"obsp": SPATIAL}}
        assert self.of(adata, "leiden")[0]
        adata.uns["leiden"] = {"params": CLUSTERING | {"neighbors_key": "neighbors"}}
        assert not self.of(adata, "leiden")[0]


class TestNoise:
    """Genes without relation to anything: p-values are uniform where they are given."""

    def uniform(self, table):
        p = table["spectral_pval"]
        assert stats.kstest(p, "uniform").pvalue > 1e-3
        assert 0.02 < (p < 0.05).mean() < 0.09
        assert not table["spectral"].any()

    @pytest.mark.parametrize(
        "keys",
        [{"obsp": SPATIAL}, {"use_rep": "spatial"}, {"label_key": "donor"}, {"obsp": SPATIAL, "batch_key": "donor"}],
    )
    def test_from_elsewhere(self, keys):
        self.uniform(found(cells(150, 500, seed=4, shift=0.0), **keys))

    def test_split_of_the_genes_own_neighbours(self):
        adata = cells(120, 500, seed=1, shift=0.0)
        adata.obsp["connectivities"] = KNN(4).build(adata.X.toarray()).affinity
        self.uniform(found(adata, significance=Split(n_repeats=1)))
        naive = found(adata, significance="given")["spectral_pval"]
        assert (naive < 0.05).mean() > 0.1  # what "auto" keeps from the user
        assert found(adata)["spectral_pval"].isna().all()


class TestSplit:
    """Neighbours are found again from the other genes, with the recorded parameters."""

    @pytest.mark.parametrize(
        ("params", "n_genes", "n_components", "metric"),
        [
            ({}, 60, 4, "euclidean"),  # as many as obsm["X_pca"] has
            ({"n_pcs": 3, "metric": "cosine"}, 60, 3, "cosine"),
            ({"use_rep": "X_pca"}, 40, 4, "euclidean"),
            ({"use_rep": "X"}, 60, "auto", "euclidean"),
            ({"n_pcs": 0}, 60, "auto", "euclidean"),
            ({}, 40, "auto", "euclidean"),  # scanpy takes so few genes as they are
        ],
    )
    def test_it_is_split_of_the_selector(self, params, n_genes, n_components, metric):
        adata = cells(m=n_genes)
        adata.uns["neighbors"]["params"] |= params
        fitted = es.LaplacianScore(
            similarity=KNN(4, bandwidth="self-tuning", metric=metric),
            significance=Split(n_repeats=2, n_components=n_components),
            random_state=3,
        ).fit(adata.X)
        table = found(adata, significance=Split(n_repeats=2), rng=3)
        assert np.array_equal(table["spectral_pval"], fitted.pvalues_)
        np.testing.assert_allclose(stats.norm.sf(table["spectral_zscore"]), fitted.pvalues_, atol=1e-12)

    def test_by_name_with_other_seeds_and_of_few_cells(self):
        adata = cells(m=60)
        table = found(adata, significance="split", rng=3)
        assert set(INFORMATIVE) <= set(table.index[table["spectral"]])
        own = es.LaplacianScore(significance=Split(n_components=4))
        assert found(adata, method=own)["spectral_pval"].notna().all()
        other = found(adata, significance="split", rng=np.random.default_rng(4))
        assert not np.array_equal(other["spectral_pval"], table["spectral_pval"])
        few = cells(12, 20)
        few.uns["neighbors"]["params"]["n_neighbors"] = 40  # more than there are cells
        assert found(few, significance=Split(n_repeats=1))["spectral_pval"].notna().all()

    @pytest.mark.parametrize(
        ("keys", "record", "said"),
        [
            ({"label_key": "type"}, {}, "label_key"),
            ({"obsp": "mine"}, {}, "obsp['mine']"),
            ({}, {"use_rep": "X_scvi"}, "obsm['X_scvi']"),
            ({}, {"metric": "correlation"}, "metric='correlation'"),
            ({"obsp": SPATIAL}, {}, "significance='given'"),
            ({"significance": "sure"}, {}, "'sure'"),
            ({"method": "mrsf"}, {}, "'mrsf' has no p-values"),
            ({"significance": "shadows", "method": ["moran", "geary"]}, {}, "'shadows'"),
            ({"significance": "shadows", "batch_key": "donor"}, {}, "'shadows'"),
        ],
    )
    def test_what_cannot_be_rebuilt_or_tested_is_refused(self, keys, record, said):
        adata = cells()
        adata.obsp["mine"] = line_graph(60)
        adata.uns["neighbors"]["params"] |= record
        with pytest.raises(ValueError, match="spectral_features: ") as refused:
            found(adata, **{"significance": "split", **keys})
        assert said in str(refused.value)

    def test_shadows_have_q_values_only(self):
        adata = cells(m=100)
        table = found(adata, significance="shadows")
        assert table["spectral_pval"].isna().all()
        assert table["spectral_qval"].between(0, 1).all()


class TestAuto:
    def test_neighbours_of_the_genes_are_said_once_with_the_number(self):
        adata = cells()
        (said,) = heard(adata)
        assert "significance='split'" in said
        assert "12 best" in said
        assert adata.var["spectral"].all()
        wide = cells(20, 2100)
        assert "2000 best" in heard(wide)[0]
        assert wide.var["spectral"].sum() == 2000
        assert wide.uns["spectral"]["params"]["significance"] == "none"
        for parameters in ({"use_rep": "X_scVI"}, {"n_pcs": 20, "metric": "correlation"}):
            adata.uns["neighbors"]["params"] |= parameters
            assert "pp.neighbors" in heard(adata, 3)[0]

    def test_the_warning_is_at_the_callers_line(self):
        with pytest.warns(UserWarning, match="split") as told:
            es.pp.spectral_features(cells())
        assert [one.filename for one in told if "split" in str(one.message)] == [__file__]

    def test_no_warning_where_the_user_decides(self):
        for significance in (Split(n_repeats=1), None, False):
            adata = cells()
            assert heard(adata, 3, significance=significance) == []
            assert adata.var["spectral_pval"].isna().all() == (significance in (None, False))
        for significance in ("given", True, Permutation(0.2)):
            assert heard(cells(), 3, significance=significance, obsp=SPATIAL) == []

    def test_claims_against_the_record(self):
        """True is refused on a graph that uns records as built from these genes; "given" warns."""
        with pytest.raises(ValueError, match="'split'"):
            es.pp.spectral_features(cells(), 3, significance=True)
        for claim in ({"significance": "given"}, {"significance": Permutation(0.2)},
                      {"method": es.LaplacianScore(significance="given")}):  # fmt: skip
            (said,) = heard(cells(), 3, **claim)
            assert "'split'" in said

    def test_methods_without_p_values(self):
        (said,) = heard(cells(), 3, method="mrsf", obsp=SPATIAL)
        assert "'mrsf' has no p-values" in said
        assert "split" not in said
