"""`pp.spectral_features` writes what the selectors compute; methods and batches combine by plain formulas."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

import eigenselect as es
from eigenselect.criteria.methods import METHODS, Command, Labels
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.similarity import KNN, FromTable
from single_cell.cells import INFORMATIVE, SPATIAL, cells, found, heard, quiet

anndata = pytest.importorskip("anndata")


def test_every_graph_reaches_the_selector():
    adata = cells()
    recipe = KNN(14, bandwidth="self-tuning")
    structures = {
        "neighbours": ({}, {}, {"similarity_matrix": adata.obsp["connectivities"]}),
        "obsp": ({"obsp": SPATIAL}, {}, {"similarity_matrix": adata.obsp[SPATIAL]}),
        "labels": ({"label_key": "type"}, {"similarity": "class_labels"}, {"y": adata.obs["type"]}),
        "places": ({"use_rep": "spatial"}, {"similarity": FromTable(adata.obsm["spatial"], recipe)}, {}),
        "genes": ({"use_rep": "X"}, {"similarity": recipe}, {}),
    }
    methods = {"laplacian": es.LaplacianScore(), "geary": es.GearyC(), "spec-phi3": es.SPEC(ranking="phi3")}
    for name, (keys, parameters, given) in structures.items():
        for method, selector in methods.items():
            fitted = selector.set_params(**{"similarity": "knn", **parameters}).fit(adata.X, **given)
            table = found(adata, 4, method=method, **keys)
            assert np.array_equal(table["spectral_score"], fitted.scores_), (name, method)
            assert np.array_equal(table["spectral_rank"], fitted.ranking_), (name, method)
            assert np.array_equal(table["spectral"], fitted.ranking_ <= 4), (name, method)


def test_every_method_of_the_command_has_its_scores_and_positive_z_where_p_is_small():
    """For every method, whether small or large values are good in its own scale."""
    adata = cells(45, 60, shift=2.0)
    del adata.obsm["X_pca"]
    for row in METHODS:
        if row.command is Command.PYTHON_ONLY or row.name == "msfs":
            continue
        needs_labels = row.labels in (Labels.NEEDED, Labels.SOME)
        keys = {"label_key": "type"} if needs_labels else {"obsp": SPATIAL}
        keys = {"use_rep": "X"} if row.name == "evsc" else {} if row.name == "variance" else keys
        given = {"y": adata.obs["type"]} if needs_labels else {}
        if row.similarities and row.labels is not Labels.NEEDED and row.name != "evsc":
            given["similarity_matrix"] = adata.obsp[SPATIAL]
        fitted = row.selector_class()(5, **row.parameters)
        tested = {"significance": "given"} if fitted.has_p_values else {}
        table = found(adata, 5, method=row.name, **keys, **tested)
        with np.errstate(all="ignore"):
            scores = fitted.fit(adata.X, **given).scores_
        np.testing.assert_allclose(table["spectral_score"], scores, rtol=1e-10, err_msg=row.name)
        if tested:
            known = table.dropna(subset=["spectral_pval"])
            rank = stats.spearmanr(known["spectral_zscore"], known["spectral_pval"]).statistic
            assert rank < -0.9, row.name
            assert known["spectral_zscore"]["gene0"] > 2, row.name
            q = stats.false_discovery_control(known["spectral_pval"])
            np.testing.assert_allclose(known["spectral_qval"], q, err_msg=row.name)


def test_a_spatial_graph_is_tested_as_given(rng):
    adata = cells()
    graph = {"similarity_matrix": adata.obsp[SPATIAL]}
    fitted = es.LaplacianScore(significance="given").fit(adata.X, **graph)
    es.pp.spectral_features(adata, obsp=SPATIAL)
    assert np.array_equal(adata.var["spectral_pval"], fitted.pvalues_)
    assert np.array_equal(adata.var["spectral_qval"], fitted.qvalues_)
    z = (fitted.null_mean_ - fitted.native_scores_) / fitted.null_sd_
    np.testing.assert_allclose(adata.var["spectral_zscore"], z)
    permuted = np.column_stack([rng.permutation(adata.X[:, [0]].toarray().ravel()) for _ in range(2000)])
    null = es.LaplacianScore().fit(permuted, **graph).scores_
    assert adata.var["spectral_zscore"].iloc[0] == pytest.approx(
        (fitted.scores_[0] - null.mean()) / null.std(), rel=0.1
    )
    assert adata.var_names[adata.var["spectral"]].tolist() == INFORMATIVE
    assert adata.var["spectral_n_expressed"].tolist() == [60] * 12
    assert np.array_equal(adata.var["spectral_nbatches"], adata.var["spectral"])


def test_selectors_of_the_user_are_copied_and_a_spectral_function_is_that_of_phi2():
    adata = cells()
    mine = es.MoranI(random_state=5, n_jobs=2)
    one, same = found(adata, obsp=SPATIAL, method=mine), found(adata, obsp=SPATIAL, method="moran", rng=5)
    pd.testing.assert_frame_equal(one, same)
    assert (hasattr(mine, "scores_"), mine.n_jobs) == (False, 2)
    plain, identity = (found(adata, obsp=SPATIAL, spectral_function=each) for each in (None, "identity"))
    assert np.array_equal(plain["spectral_rank"], identity["spectral_rank"])
    cubic = es.SPEC(ranking="phi2", spectral_function=3).fit(adata.X, similarity_matrix=adata.obsp[SPATIAL])
    assert np.array_equal(found(adata, obsp=SPATIAL, spectral_function=3)["spectral_score"], cubic.scores_)


def test_several_methods():
    adata = cells()
    es.pp.spectral_features(adata, method=["laplacian", "moran"], obsp=SPATIAL)
    alone = {name: found(adata, method=name, obsp=SPATIAL) for name in ("laplacian", "moran")}
    for name, table in alone.items():
        assert np.array_equal(adata.varm["spectral"][name], table["spectral_score"])
    mean = pd.DataFrame({name: table["spectral_rank"] for name, table in alone.items()}).mean(axis=1)
    np.testing.assert_allclose(adata.var["spectral_score"], -mean)
    assert np.array_equal(adata.var["spectral_rank"], mean.rank(method="first"))
    p = np.array([table["spectral_pval"] for table in alone.values()])
    cauchy = stats.cauchy.sf(np.tan(np.pi * (0.5 - p)).mean(axis=0))
    np.testing.assert_allclose(adata.var["spectral_pval"], np.minimum(1, 1.2 * cauchy), rtol=1e-6, atol=1e-15)
    q = stats.false_discovery_control(adata.var["spectral_pval"])
    np.testing.assert_allclose(adata.var["spectral_qval"], q)
    np.testing.assert_allclose(stats.norm.sf(adata.var["spectral_zscore"]), adata.var["spectral_pval"], atol=1e-12)
    assert adata.uns["spectral"]["params"]["method"].tolist() == ["laplacian", "moran"]
    table = found(adata, method=["laplacian", "moran"], obsp=SPATIAL)
    assert np.array_equal(table["spectral_score_moran"], alone["moran"]["spectral_score"])
    quiet(adata, obsp=SPATIAL)
    assert "spectral" not in adata.varm  # scores of the earlier call are gone


class TestBatches:
    def test_they_are_fits_on_their_own_cells_joined_by_scanpys_rule(self):
        """Rank by the number of batches that choose a gene, then by its median rank in these (seurat_v3_paper)."""
        adata = cells(90)
        adata.obs["depth"] = np.random.default_rng(5).normal(size=90)
        adata.X[(adata.obs["donor"] == "x").to_numpy(), 5] = 0.0
        adata.X[:, 6] = 0.0
        options = {"n_top_genes": 3, "obsp": SPATIAL, "covariates": "depth"}
        table = found(adata, batch_key="donor", **options)
        fits = [found(adata[adata.obs["donor"] == donor].copy(), **options) for donor in "xyz"]
        p = np.array([one["spectral_pval"] for one in fits])
        for gene in range(12):
            known = p[~np.isnan(p[:, gene]), gene]
            expected = stats.combine_pvalues(known).pvalue if known.size else np.nan
            assert table["spectral_pval"].iloc[gene] == pytest.approx(expected, nan_ok=True, rel=1e-9)
        tested = table.dropna(subset=["spectral_pval"])
        assert len(tested) == 11
        np.testing.assert_allclose(tested["spectral_qval"], stats.false_discovery_control(tested["spectral_pval"]))
        mean = pd.DataFrame([one["spectral_score"] for one in fits]).mean()
        np.testing.assert_allclose(table["spectral_score"], mean)
        chosen = np.array([one["spectral_rank"] <= 3 for one in fits])
        assert np.array_equal(table["spectral_nbatches"], chosen.sum(axis=0))
        assert table.index[table["spectral"]].tolist() == INFORMATIVE
        ranks = pd.DataFrame([one["spectral_rank"] for one in fits]).reset_index(drop=True)
        in_all = ranks.median()
        keys = pd.DataFrame({"n": -chosen.sum(axis=0), "median": ranks.where(chosen).median().fillna(in_all)})
        best_first = keys.iloc[np.argsort(table["spectral_rank"])].drop("gene6")
        np.testing.assert_array_equal(best_first, keys.drop("gene6").sort_values(["n", "median"]))
        assert table["spectral_rank"]["gene6"] == 12

    def test_several_methods_in_each_batch(self):
        adata = cells(90)
        both = found(adata, obsp=SPATIAL, method=["moran", "laplacian"], batch_key="donor")
        moran = found(adata, obsp=SPATIAL, method="moran", batch_key="donor")
        np.testing.assert_allclose(both["spectral_score_moran"], moran["spectral_score"])

    @pytest.mark.parametrize(
        ("runs", "keys", "said", "n_batches"),
        [
            ("a" * 40 + "b" * 19 + "c", {"obsp": SPATIAL}, "batch with one cell ('c')", 2),
            ("a" * 57 + "bbb", {"obsp": SPATIAL}, "fewer than 5 cells", 1),
            ("a" * 57 + "bbb", {"obsp": SPATIAL, "significance": None}, "", 2),
            ("a" * 30 + "b" * 28 + "--", {"obsp": SPATIAL}, "2 cells without a batch", 2),
            ("a" * 50 + "cabababbbb", {"obsp": "far"}, "no edge", 1),
            ("a" * 40 + "b" * 20, {"label_key": "type"}, "fewer than two labels ('b')", 1),
        ],
    )
    def test_batches_that_cannot_be_scored_are_skipped_with_one_warning(self, runs, keys, said, n_batches):
        adata = cells()
        adata.obs["run"] = pd.Series(list(runs), adata.obs_names).replace("-", np.nan).astype("category")
        adata.obs["run"] = adata.obs["run"].cat.add_categories("unused")
        far = np.zeros((60, 60))
        far[:50, :50] = 1.0
        adata.obsp["far"] = far - np.diag(np.diag(far))
        words = [each for each in heard(adata, 12, batch_key="run", **keys) if "skipped" in each]
        assert len(words) == bool(said)
        assert all(said in each for each in words)
        assert adata.var["spectral_nbatches"].max() == n_batches

    def test_the_same_warning_of_several_batches_is_one(self):
        adata = cells(90)
        adata.X[:, 5] = 0.0
        (said,) = (each for each in heard(adata, 3, obsp=SPATIAL, batch_key="donor") if "no score" in each)
        assert "1 of 12" in said
        assert "'x' and 2 others" in said


def test_a_layer_raw_and_other_storage_of_the_same_numbers():
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


def test_covariates():
    adata = cells()
    adata.obs["depth"] = np.random.default_rng(5).normal(size=60)
    columns = adata.obs[["depth", "donor"]]
    fitted = es.LaplacianScore(significance="given").fit(
        adata.X, similarity_matrix=adata.obsp[SPATIAL], covariates=columns
    )
    for covariates in (["depth", "donor"], columns):
        assert np.array_equal(found(adata, obsp=SPATIAL, covariates=covariates)["spectral_score"], fitted.scores_)
    one, *same = (
        found(adata, obsp=SPATIAL, covariates=each)
        for each in ("depth", adata.obs["depth"].to_numpy(), adata.obs["depth"].tolist())
    )
    for other in same:
        pd.testing.assert_frame_equal(one, other)
    with pytest.raises(ValueError, match="same order"):
        found(adata, obsp=SPATIAL, covariates=adata.obs["depth"][::-1])


def test_directed_neighbours_of_squidpy_are_their_symmetric_part():
    adata = cells()
    directed = sparse.csr_matrix(sparse.triu(adata.obsp[SPATIAL]))
    adata.obsp["tissue_connectivities"] = directed
    adata.uns["tissue_neighbors"] = {
        "connectivities_key": "tissue_connectivities", "params": {"n_neighbors": 2, "coord_type": "generic"}
    }  # fmt: skip
    expected = found(adata, obsp=SPATIAL)
    for keys in ({"obsp": "tissue_connectivities"}, {"neighbors_key": "tissue"}, {"neighbors_key": "tissue_neighbors"}):
        table = found(adata, **keys)
        np.testing.assert_allclose(table["spectral_pval"], expected["spectral_pval"], rtol=1e-8)


class TestRecommended:
    """Without a method: the one that is recommended for the labels, of the labelled cells."""

    def test_classes_numbers_and_graphs(self):
        adata = cells()
        adata.obs["age"] = np.linspace(0, 1, 60) ** 2
        adata.obs["day"] = pd.Categorical(np.repeat(range(20), 3))  # categories are classes
        for keys, name, selector in (
            ({"label_key": "type"}, "fisher", es.FisherScore()),
            ({"label_key": "day"}, "fisher", es.FisherScore()),
            ({"label_key": "age"}, "hsic", es.HSICScore()),
            ({"obsp": SPATIAL}, "laplacian", None),
            ({"label_key": "type", "spectral_function": 2}, "laplacian", None),
        ):
            es.pp.spectral_features(adata, 3, **keys)
            assert adata.uns["spectral"]["params"]["method"] == name
            if selector is not None:
                expected = selector.fit(adata.X, adata.obs[keys["label_key"]])
                np.testing.assert_allclose(adata.var["spectral_score"], expected.scores_, rtol=1e-9)

    @pytest.mark.parametrize("every", [3, 30])
    def test_cells_without_a_label_are_left_out_and_said(self, every):
        adata = cells()
        known = np.arange(60) % every == 0 if every == 3 else np.arange(60) % every > 0
        adata.obs["some"] = adata.obs["type"].where(known)
        adata.obs["depth"] = np.arange(60.0)
        with pytest.warns(UserWarning, match=f"{(~known).sum()} cells of 60.*sselect"):
            table = es.pp.spectral_features(adata, label_key="some", covariates="depth", inplace=False)
        expected = es.FisherScore(significance=True).fit(
            adata.X[known], adata.obs["some"][known], covariates=adata.obs["depth"][known]
        )
        np.testing.assert_allclose(table["spectral_pval"], expected.pvalues_, rtol=1e-9)

    def test_batches_of_labelled_cells(self):
        adata = cells()
        adata.obs["some"] = adata.obs["type"].where(np.arange(60) % 3 > 0)
        part = adata[adata.obs["some"].notna()].copy()
        with pytest.warns(UserWarning, match="sselect"):
            table = es.pp.spectral_features(adata, 3, label_key="some", batch_key="donor", inplace=False)
        expected = es.pp.spectral_features(part, 3, label_key="some", batch_key="donor", inplace=False)
        np.testing.assert_allclose(table["spectral_score"], expected["spectral_score"], rtol=1e-9)


def test_labels_of_some_cells_beside_the_neighbours():
    adata = cells()
    adata.obs["some"] = adata.obs["type"].where(np.arange(60) % 3 > 0)
    fitted = es.SSelect().fit(adata.X, adata.obs["some"], similarity_matrix=adata.obsp["connectivities"])
    table = found(adata, 3, method="sselect", label_key="some")
    assert np.array_equal(table["spectral_score"], fitted.scores_)


def test_constant_genes_have_no_score_and_are_not_chosen():
    adata = cells()
    adata.X[:, 5] = 0
    with pytest.warns(UndefinedScoreWarning, match="1 of 12"):
        es.pp.spectral_features(adata, 12, obsp=SPATIAL)
    row = adata.var.loc["gene5"]
    assert row[["spectral_score", "spectral_pval", "spectral_zscore"]].isna().all()
    assert (row["spectral_rank"], row["spectral_n_expressed"], row["spectral"]) == (12, 0, False)
    assert adata.var["spectral"].sum() == 11


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_values_below_zero_are_not_expression(kind):
    adata = cells()
    counts = found(adata, obsp=SPATIAL)["spectral_n_expressed"]
    assert counts.dtype == np.int64
    adata.X = kind(adata.X.toarray() - adata.X.toarray().mean(axis=0))
    centred = found(adata, obsp=SPATIAL)["spectral_n_expressed"]
    assert centred.isna().all()


def test_results_do_not_depend_on_threads():
    adata = cells(120, 30)
    one, two = (found(adata, significance="split", n_jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
