"""`pp.spectral_features`: what it writes is what the selectors find; what it says is said once."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

import eigenselect as es
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.inference import Split
from eigenselect.similarity import KNN, FromTable
from single_cell.cells import INFORMATIVE, cells, found, quiet

anndata = pytest.importorskip("anndata")
SPATIAL = "spatial_connectivities"


def heard(*args, **kwargs):
    """Call the verb and return what it said."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        es.pp.spectral_features(*args, **kwargs)
    return [str(one.message) for one in told]


class TestNumbers:
    @pytest.mark.parametrize(
        ("method", "selector"),
        [
            ("laplacian", es.LaplacianScore()),
            ("moran", es.MoranI()),
            ("geary", es.GearyC()),
            ("spec-phi3", es.SPEC(ranking="phi3")),
            (es.LaplacianScore(similarity="rbf"), es.LaplacianScore()),
        ],
    )
    def test_the_neighbours_graph_is_a_similarity_matrix(self, method, selector):
        adata = cells()
        fitted = selector.fit(adata.X, similarity_matrix=adata.obsp["connectivities"])
        with pytest.warns(UserWarning, match="significance='split'"):
            es.pp.spectral_features(adata, 4, method=method)
        assert np.array_equal(adata.var["spectral_score"], fitted.scores_)
        assert np.array_equal(adata.var["spectral_rank"], fitted.ranking_)
        assert np.array_equal(adata.var["spectral"], fitted.ranking_ <= 4)
        assert adata.var[["spectral_pval", "spectral_qval", "spectral_zscore"]].isna().all(axis=None)

    def test_a_spatial_graph_is_tested_as_given(self):
        adata = cells()
        fitted = es.LaplacianScore(significance="given").fit(adata.X, similarity_matrix=adata.obsp[SPATIAL])
        es.pp.spectral_features(adata, obsp=SPATIAL)
        assert np.array_equal(adata.var["spectral_pval"], fitted.pvalues_)
        assert np.array_equal(adata.var["spectral_qval"], fitted.qvalues_)
        z = (fitted.null_mean_ - fitted.native_scores_) / fitted.null_sd_
        np.testing.assert_allclose(adata.var["spectral_zscore"], z)
        assert adata.var_names[adata.var["spectral"]].tolist() == INFORMATIVE
        assert adata.var["spectral_n_expressed"].tolist() == [60] * 12
        assert np.array_equal(adata.var["spectral_nbatches"], adata.var["spectral"])

    def test_labels(self):
        adata = cells()
        fitted = es.LaplacianScore(similarity="class_labels", significance=True).fit(adata.X, adata.obs["type"])
        table = found(adata, label_key="type")
        assert np.array_equal(table["spectral_score"], fitted.scores_)
        assert np.array_equal(table["spectral_pval"], fitted.pvalues_)
        fisher = es.FisherScore(significance=True).fit(adata.X, adata.obs["type"])
        assert np.array_equal(found(adata, method="fisher", label_key="type")["spectral_score"], fisher.scores_)

    def test_coordinates_are_neighbours_as_scanpy_counts_them(self):
        adata = cells()
        recipe = KNN(14, bandwidth="self-tuning")
        fitted = es.LaplacianScore(similarity=FromTable(adata.obsm["spatial"], recipe), significance=True).fit(adata.X)
        table = found(adata, use_rep="spatial")
        assert np.array_equal(table["spectral_pval"], fitted.pvalues_)
        genes = es.LaplacianScore(similarity=recipe).fit(adata.X)
        assert np.array_equal(found(adata, use_rep="X")["spectral_score"], genes.scores_)

    def test_split_is_split_with_the_recorded_parameters(self):
        adata = cells(m=60)
        fitted = es.LaplacianScore(
            similarity=KNN(4, bandwidth="self-tuning"), significance=Split(n_components=4), random_state=3
        ).fit(adata.X)
        table = found(adata, significance="split", rng=3)
        assert np.array_equal(table["spectral_pval"], fitted.pvalues_)
        np.testing.assert_allclose(stats.norm.sf(table["spectral_zscore"]), fitted.pvalues_, atol=1e-12)
        assert set(INFORMATIVE) <= set(table.index[table["spectral"]])
        other = found(adata, significance="split", rng=np.random.default_rng(4))
        assert not np.array_equal(other["spectral_pval"], fitted.pvalues_)

    def test_several_methods(self):
        adata = cells()
        es.pp.spectral_features(adata, method=["laplacian", "moran"], obsp=SPATIAL)
        alone = {name: found(adata, method=name, obsp=SPATIAL) for name in ("laplacian", "moran")}
        for name, table in alone.items():
            assert np.array_equal(adata.varm["spectral"][name], table["spectral_score"])
        mean = pd.DataFrame({name: table["spectral_rank"] for name, table in alone.items()}).mean(axis=1)
        np.testing.assert_allclose(adata.var["spectral_score"], -mean)
        p = np.array([table["spectral_pval"] for table in alone.values()])
        cauchy = stats.cauchy.sf(np.tan(np.pi * (0.5 - p)).mean(axis=0))
        np.testing.assert_allclose(adata.var["spectral_pval"], np.minimum(1, 1.2 * cauchy), rtol=1e-6, atol=1e-15)
        q = stats.false_discovery_control(adata.var["spectral_pval"])
        np.testing.assert_allclose(adata.var["spectral_qval"], q)
        assert adata.uns["spectral"]["params"]["method"].tolist() == ["laplacian", "moran"]
        table = found(adata, method=["laplacian", "moran"], obsp=SPATIAL)
        assert np.array_equal(table["spectral_score_moran"], alone["moran"]["spectral_score"])

    def test_a_method_that_looks_at_no_graph_stands_beside_those_that_do(self):
        adata = cells()
        (said,) = heard(adata, method=["laplacian", "variance"], obsp=SPATIAL)
        assert "p-values are those of 'laplacian' alone, because the method 'variance' has no p-values" in said
        variance = adata.X.toarray().var(axis=0)
        assert adata.varm["spectral"]["variance"].corr(pd.Series(variance, adata.var_names)) == pytest.approx(1)
        assert np.array_equal(adata.var["spectral_pval"], found(adata, obsp=SPATIAL)["spectral_pval"])

    def test_batches_by_hand(self):
        adata = cells(90)
        table = found(adata, 3, obsp=SPATIAL, batch_key="donor")
        fits = []
        for donor in "xyz":
            part = adata[adata.obs["donor"] == donor].copy()
            fits.append(found(part, 3, obsp=SPATIAL))
        p = np.array([one["spectral_pval"] for one in fits])
        np.testing.assert_allclose(table["spectral_pval"], stats.combine_pvalues(p, axis=0).pvalue)
        np.testing.assert_allclose(table["spectral_qval"], stats.false_discovery_control(table["spectral_pval"]))
        np.testing.assert_allclose(table["spectral_score"], np.mean([one["spectral_score"] for one in fits], axis=0))
        chosen = np.array([one["spectral_rank"] <= 3 for one in fits])
        assert np.array_equal(table["spectral_nbatches"], chosen.sum(axis=0))
        assert table.index[table["spectral"]].tolist() == INFORMATIVE
        ranks = pd.DataFrame([one["spectral_rank"] for one in fits]).reset_index(drop=True)
        keys = pd.DataFrame({"n": -chosen.sum(axis=0), "median": ranks.where(chosen).median()})
        ordered = keys.iloc[np.argsort(table["spectral_rank"])]
        np.testing.assert_array_equal(ordered, keys.sort_values(["n", "median"]))

    def test_a_layer_raw_and_other_storage_of_the_same_numbers(self):
        adata = cells()
        expected = found(adata, obsp=SPATIAL)
        adata.raw = adata
        adata.layers["dense"], adata.layers["csc"] = adata.X.toarray(), sparse.csc_matrix(adata.X)
        adata.X = np.ones(adata.shape)
        for values in ({"layer": "dense"}, {"layer": "csc"}, {"use_raw": True}):
            table = found(adata, obsp=SPATIAL, **values)
            pd.testing.assert_frame_equal(table, expected, rtol=1e-10)
        part = adata[:, [7, 0, 2]].copy()
        table = found(part, obsp=SPATIAL, use_raw=True)
        np.testing.assert_allclose(table["spectral_score"], expected["spectral_score"].iloc[[7, 0, 2]], rtol=1e-10)

    def test_covariates(self):
        adata = cells()
        adata.obs["depth"] = np.random.default_rng(5).normal(size=60)
        columns = adata.obs[["depth", "donor"]]
        fitted = es.LaplacianScore(significance="given").fit(
            adata.X, similarity_matrix=adata.obsp[SPATIAL], covariates=columns
        )
        for covariates in (["depth", "donor"], columns):
            assert np.array_equal(found(adata, obsp=SPATIAL, covariates=covariates)["spectral_score"], fitted.scores_)
        one, same = (found(adata, obsp=SPATIAL, covariates=each) for each in ("depth", adata.obs["depth"].to_numpy()))
        pd.testing.assert_frame_equal(one, same)
        with pytest.raises(ValueError, match="covariates must have the samples of X in the same order"):
            found(adata, obsp=SPATIAL, covariates=adata.obs["depth"][::-1])
        with pytest.raises(ValueError, match="one row for each of 60 cells, got 3"):
            found(adata, obsp=SPATIAL, covariates=np.ones((3, 2)))

    def test_directed_neighbours_of_squidpy_are_their_symmetric_part(self):
        adata = cells()
        directed = sparse.csr_matrix(sparse.triu(adata.obsp[SPATIAL]))
        adata.obsp["tissue_connectivities"] = directed
        adata.uns["tissue_neighbors"] = {
            "connectivities_key": "tissue_connectivities", "params": {"n_neighbors": 2, "coord_type": "generic"}
        }  # fmt: skip
        expected = found(adata, obsp=SPATIAL)
        for keys in ({"obsp": "tissue_connectivities"}, {"neighbors_key": "tissue"}):
            table = found(adata, **keys)
            np.testing.assert_allclose(table["spectral_pval"], expected["spectral_pval"], rtol=1e-8)

    def test_constant_genes_have_no_score_and_are_not_chosen(self):
        adata = cells()
        adata.X[:, 5] = 0
        with pytest.warns(UndefinedScoreWarning, match="1 of 12 features"):
            es.pp.spectral_features(adata, 12, obsp=SPATIAL)
        row = adata.var.loc["gene5"]
        assert row[["spectral_score", "spectral_pval", "spectral_zscore"]].isna().all()
        assert (row["spectral_rank"], row["spectral_n_expressed"], row["spectral"]) == (12, 0, False)
        assert adata.var["spectral"].sum() == 11

    def test_results_do_not_depend_on_threads(self):
        adata = cells(200, 40)
        one, two = (found(adata, significance="split", n_jobs=jobs) for jobs in (1, 2))
        pd.testing.assert_frame_equal(one, two, check_exact=True)


class TestNoise:
    """Genes without relation to anything: p-values are uniform where they are given."""

    def uniform(self, table):
        p = table["spectral_pval"]
        assert stats.kstest(p, "uniform").pvalue > 1e-3
        assert 0.02 < (p < 0.05).mean() < 0.09
        assert not table["spectral"].any()

    @pytest.mark.parametrize("keys", [{"obsp": SPATIAL}, {"use_rep": "spatial"}, {"label_key": "donor"}])
    def test_from_elsewhere(self, keys):
        self.uniform(found(cells(150, 500, seed=4, shift=0.0), **keys))

    def test_batches(self):
        self.uniform(found(cells(150, 500, seed=4, shift=0.0), obsp=SPATIAL, batch_key="donor"))

    def test_split_of_the_genes_own_neighbours(self):
        adata = cells(120, 500, seed=1, shift=0.0)
        adata.obsp["connectivities"] = KNN(4).build(adata.X.toarray()).affinity
        self.uniform(found(adata, significance=Split(n_repeats=1)))
        naive = found(adata, significance="given")["spectral_pval"]
        assert (naive < 0.05).mean() > 0.1  # what "auto" keeps from the user
        assert found(adata)["spectral_pval"].isna().all()


class TestAuto:
    def test_neighbours_are_said_once_with_the_number(self):
        adata = cells()
        (said,) = heard(adata)
        assert "significance='split'" in said
        assert said.endswith("n_top_genes=None then takes the 12 best.")
        assert adata.var["spectral"].all()
        wide = cells(20, 2100)
        quiet(wide)
        assert wide.var["spectral"].sum() == 2000
        assert wide.uns["spectral"]["params"]["significance"] == "none"

    def test_the_warning_is_at_the_callers_line(self):
        with pytest.warns(UserWarning, match="split") as told:
            es.pp.spectral_features(cells())
        assert [one.filename for one in told if "split" in str(one.message)] == [__file__]

    @pytest.mark.parametrize("significance", ["given", "split", None])
    def test_who_decides_is_told_nothing(self, significance):
        es.pp.spectral_features(cells(), 3, significance=significance)

    def test_a_clustering_of_the_table(self):
        adata = cells()
        adata.obs["leiden"] = pd.Categorical(adata.obs["type"].map({"B": "0", "T": "1"}))
        (said,) = heard(adata, label_key="leiden")
        assert "obs['leiden'] is called like a clustering, though uns records none" in said
        assert adata.var["spectral_pval"].notna().all()
        adata.uns["leiden"] = {"params": {"resolution": 1.0, "random_state": 0, "n_iterations": -1}}
        for key in ("leiden", "type"):
            assert "NaN, because" in heard(adata, label_key=key)[0]
            assert adata.var["spectral_pval"].isna().all()
        assert heard(adata, label_key="donor") == []
        assert adata.var["spectral_pval"].notna().all()

    def test_methods_without_p_values(self):
        assert heard(cells(), 3, method="mrsf", obsp=SPATIAL) == [
            "spectral_features: p- and q-values are NaN, because the method 'mrsf' has no p-values."
        ]

    def test_shadows_have_q_values_only(self):
        adata = cells(m=100)
        quiet(adata, significance="shadows")
        assert adata.var["spectral_pval"].isna().all()
        assert adata.var["spectral_qval"].notna().all()
        with pytest.raises(ValueError, match="'shadows' gives q-values, which cannot be combined over batches or meth"):
            found(adata, significance="shadows", method=["moran", "geary"])


class TestChoice:
    def test_genes_that_are_kept_or_not_whatever_their_scores(self):
        adata = cells()
        table = found(adata, obsp=SPATIAL, must_keep=["gene9"], never=pd.Index(["gene0"]))
        assert table.index[table["spectral"]].tolist() == ["gene1", "gene2", "gene9"]
        table = found(adata, 4, obsp=SPATIAL, must_keep="gene9", never=["gene0"])
        assert table["spectral"].sum() == 4
        assert table["spectral"]["gene9"]
        assert not table["spectral"]["gene0"]
        assert found(adata, never=["gene0"])["spectral"].sum() == 11
        with pytest.raises(ValueError, match="must_keep must hold names of features .* got 'gen9'"):
            found(adata, must_keep=["gen9"])

    def test_more_genes_than_there_are(self):
        adata = cells()
        said = heard(adata, 99, obsp=SPATIAL)
        assert said == [
            "spectral_features: n_top_genes=99 is more than the 12 genes that may be chosen; all are taken."
        ]
        assert adata.var["spectral"].all()

    def test_subset_and_returned_frame(self):
        adata = cells()
        table = found(adata, 3, obsp=SPATIAL)
        assert list(adata.var) == []
        pd.testing.assert_frame_equal(found(adata, 3, obsp=SPATIAL, subset=True), table[table["spectral"]])
        assert quiet(adata, 3, obsp=SPATIAL, subset=True) is None
        assert adata.var_names.tolist() == INFORMATIVE
        pd.testing.assert_frame_equal(adata.var[list(table)], table[table["spectral"]])

    def test_flagged_genes_are_those_of_scanpys_pca(self):
        sc = pytest.importorskip("scanpy")
        adata = cells(80, 30)
        es.pp.spectral_features(adata, 6, obsp=SPATIAL, flag_as_highly_variable=True)
        assert np.array_equal(adata.var["highly_variable"], adata.var["spectral"])
        sc.pp.pca(adata, n_comps=3)
        loaded = np.abs(adata.varm["PCs"]).sum(axis=1) > 0
        assert np.array_equal(loaded, adata.var["spectral"])
        assert "highly_variable" not in found(adata, 6, obsp=SPATIAL)

    def test_keys_beside_one_another(self):
        adata = cells()
        quiet(adata, 3)
        quiet(adata, 5, obsp=SPATIAL, key_added="tissue")
        assert (adata.var["spectral"].sum(), adata.var["tissue"].sum()) == (3, 5)
        assert adata.uns["tissue"]["params"]["obsp"] == SPATIAL
        quiet(adata, 4)  # again
        assert adata.var["spectral"].sum() == 4
        adata.varm["PCs"] = np.ones((12, 2))
        with pytest.raises(ValueError, match=r"varm\['PCs'\] holds something else"):
            quiet(adata, key_added="PCs")

    def test_repeated_names_of_genes(self):
        adata = cells()
        adata.var_names = ["same"] * 12
        table = found(adata, 3, obsp=SPATIAL, method=["moran", "geary"])
        assert table.shape == (12, 10)
        assert table["spectral"].tolist()[:3] == [True] * 3


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"n_top_genes": 0}, ValueError, "n_top_genes must be a positive integer or None, got 0; None takes the genes"),
        ({"alpha": 2}, ValueError, "alpha of FDR must be a number between 0 and 1, got 2"),
        ({"layer": "counts"}, ValueError, "adata.layers has no 'counts'; there are 'empty'"),
        ({"layer": "empty"}, ValueError, r"adata.layers\['empty'\] is empty, every value is zero"),
        (
            {"obsp": SPATIAL, "label_key": "type"},
            ValueError,
            "expected at most one of neighbors_key, obsp, use_rep, lab",
        ),
        ({"obsp": SPATIAL, "significance": "split"}, ValueError, "spatial by its name; use significance='given'"),
        ({"label_key": "some"}, ValueError, "20 cells of 60 have no label in .* use method='sselect'"),
        ({"method": "variance", "obsp": SPATIAL}, ValueError, "looks at no graph and no labels; leave obsp='spatial"),
        ({"method": "msfs"}, ValueError, "'msfs' takes the other modalities of a MuData as sources, got AnnData"),
        ({"use_raw": True}, ValueError, "use_raw=True, but adata.raw is None"),
        ({"rng": "x"}, ValueError, "rng must be None, a whole number"),
        ({"batch_key": "cell"}, ValueError, r"no batch of obs\['cell'\] can be scored: 60 batches with one cell"),
        ({"modality": "rna"}, ValueError, "modality='rna' is for a MuData, got an AnnData"),
        ({"n_jobs": "all"}, ValueError, "n_jobs"),
    ],
)
def test_sentences(arguments, error, sentence):
    adata = cells()
    adata.layers["empty"] = sparse.csr_matrix(adata.shape)
    adata.obs["some"] = adata.obs["type"].where(np.arange(60) % 3 > 0)
    adata.obs["cell"] = adata.obs_names
    with pytest.raises(error, match=sentence):
        quiet(adata, **arguments)
    assert list(adata.var) == []


def test_labels_of_some_cells_stand_beside_the_neighbours():
    adata = cells()
    adata.obs["some"] = adata.obs["type"].where(np.arange(60) % 3 > 0)
    fitted = es.SSelect().fit(adata.X, adata.obs["some"], similarity_matrix=adata.obsp["connectivities"])
    table = found(adata, 3, method="sselect", label_key="some")
    assert np.array_equal(table["spectral_score"], fitted.scores_)


def test_raw_counts_and_skipped_batches_are_said():
    adata = cells()
    adata.layers["counts"] = np.random.default_rng(0).poisson(3.0, size=adata.shape)
    (said,) = heard(adata, obsp=SPATIAL, layer="counts")
    assert "adata.layers['counts'] holds raw counts" in said
    adata.obs["run"] = ["a"] * 40 + ["b"] * 19 + ["c"]
    assert heard(adata, obsp=SPATIAL, batch_key="run") == [
        "spectral_features: skipped of obs['run']: 1 batch with one cell ('c')."
    ]
    assert adata.var["spectral_nbatches"].tolist() == [1] * 3 + [0] * 9  # the first genes change within the first run
