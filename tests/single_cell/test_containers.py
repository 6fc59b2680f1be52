"""The verbs on MuData and SpatialData: keys of other modalities, cells matched by name, modalities as sources."""

import warnings

import numpy as np
import pandas as pd
import pytest

import eigenselect as es
from eigenselect.exceptions import GraphWarning, SourceWarning
from eigenselect.multisource import AuxiliaryData, SampleSimilarity
from single_cell.cells import INFORMATIVE, SPATIAL, cells, found, modalities_keep_their_columns, quiet

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")


@pytest.fixture
def both():
    """Genes without any graph; proteins of the same cells in another order, with neighbours and a clustering."""
    whole = cells()
    rna = anndata.AnnData(whole.X, whole.obs[[]], whole.var)
    protein = anndata.AnnData(np.random.default_rng(2).normal(size=(60, 4)), whole.obs.copy())
    protein.var_names = [f"protein{j}" for j in range(4)]
    protein.obsp["connectivities"] = whole.obsp["connectivities"].copy()
    protein.obsp["dense"] = whole.obsp["connectivities"].toarray()
    protein.uns["neighbors"] = whole.uns["neighbors"]
    protein.obsm["X_pca"] = whole.obsm["spatial"] + 0.0
    protein.uns["type"] = {"params": {"resolution": 1.0}}
    order = np.random.default_rng(3).permutation(60)
    with modalities_keep_their_columns():
        yield mudata.MuData({"rna": rna, "prot": protein[order].copy()}), whole


class TestMuData:
    @pytest.mark.parametrize(
        ("keys", "plain"),
        [
            ({"neighbors_key": "prot:neighbors"}, {"obsp": "connectivities"}),
            ({"obsp": "prot:connectivities"}, {"obsp": "connectivities"}),
            ({"obsp": "prot:dense"}, {"obsp": "connectivities"}),
            ({"label_key": "prot:type"}, {"label_key": "type"}),
            ({"use_rep": "prot:X_pca"}, {"use_rep": "spatial"}),
            (
                {"obsp": "prot:connectivities", "batch_key": "prot:donor"},
                {"obsp": "connectivities", "batch_key": "donor"},
            ),
        ],
    )
    def test_another_modality_did_not_see_the_genes(self, both, keys, plain):
        mdata, whole = both
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphWarning)  # donors take turns along the line; no other warning
            es.pp.spectral_features(mdata, modality="rna", **keys)
        expected = found(whole, significance="given", **plain)
        pd.testing.assert_frame_equal(mdata["rna"].var[list(expected)], expected, rtol=1e-9)
        assert set(INFORMATIVE) <= set(expected.index[expected["spectral"]])
        assert list(mdata["prot"].var) == []

    def test_own_keys_come_first_and_may_have_made_the_graph(self, both):
        mdata, whole = both
        rna = mdata["rna"]
        rna.obsp["connectivities"], rna.uns["neighbors"] = whole.obsp["connectivities"], whole.uns["neighbors"]
        for keys in ({}, {"obsp": "connectivities"}, {"obsp": "rna:connectivities"}):
            with pytest.warns(UserWarning, match="significance='split'"):
                es.pp.spectral_features(mdata, 3, modality="rna", **keys)
            assert rna.var["spectral_pval"].isna().all()
        rna.obs["prot:type"] = np.repeat(["u", "v"], 30)
        fitted = es.FisherScore().fit(rna.X, rna.obs["prot:type"])
        table = quiet(mdata, modality="rna", method="fisher", label_key="prot:type", inplace=False)
        assert np.array_equal(table["spectral_score"], fitted.scores_)

    def test_what_all_modalities_share(self, both):
        mdata, whole = both
        mdata.obs["joint"] = whole.obs["type"].reindex(mdata.obs_names)
        table = quiet(mdata, modality="rna", label_key="joint", inplace=False)
        assert np.array_equal(table["spectral_score"], found(whole, label_key="type")["spectral_score"])

    def test_cells_that_the_other_modality_has_not(self, both):
        mdata, _ = both
        mdata.mod["prot"] = mdata["prot"][:50].copy()
        mdata.update()
        with pytest.raises(ValueError, match="10 cells of 60"):
            quiet(mdata, modality="rna", obsp="prot:connectivities")
        with pytest.raises(ValueError, match="10 cells of 60"):
            quiet(mdata, modality="rna", label_key="prot:type", method="fisher")
        common = mdata[mdata["prot"].obs_names].copy()
        assert quiet(common, modality="rna", obsp="prot:connectivities", inplace=False)["spectral_pval"].notna().all()

    def test_modalities_are_sources_of_msfs(self, both):
        """A recorded graph comes first, then principal components, then the values."""
        mdata, _ = both
        rna, protein = mdata["rna"], mdata["prot"]
        names = protein.obs_names
        graph, components = protein.obsp["connectivities"], protein.obsm["X_pca"]
        sources = [SampleSimilarity(graph, sample_names=names), AuxiliaryData(components, sample_names=names),
                   AuxiliaryData(protein.X, sample_names=names)]  # fmt: skip
        steps = [lambda: None, lambda: (protein.uns.clear(), protein.obsp.clear()), lambda: protein.obsm.clear()]
        for source, step in zip(sources, steps, strict=True):
            step()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GraphWarning)
                es.pp.spectral_features(mdata, 3, modality="rna", method="msfs")
                asked = "given" if isinstance(source, SampleSimilarity) else True
                selector = es.MSFS(sources=[("prot", source)], significance=asked)
                fitted = selector.fit(rna.X, sample_names=rna.obs_names)
            assert np.array_equal(rna.var["spectral_score"], fitted.scores_)
            assert np.array_equal(rna.var["spectral_pval"], fitted.pvalues_)

    @pytest.mark.filterwarnings("ignore:.*falls apart:eigenselect.exceptions.GraphWarning")
    def test_sources_of_some_cells_and_in_batches(self, both):
        mdata, _ = both
        mdata["rna"].obs["run"] = np.repeat(["a", "b"], 30)
        table = quiet(mdata, 3, modality="rna", method="msfs", batch_key="run", inplace=False)
        assert table["spectral_nbatches"].max() == 2
        assert table["spectral_pval"].notna().all()
        mdata.mod["prot"] = mdata["prot"][:50].copy()
        with pytest.warns(SourceWarning, match="10 of 60"):
            es.pp.spectral_features(mdata, modality="rna", method="msfs")

    def test_bad_arguments(self, both):
        mdata, _ = both
        cases = [
            ({}, "'rna', 'prot'"),
            ({"modality": "RNA"}, "did you mean 'rna'"),
            ({"modality": "rna", "obsp": "prot:connectivitys"}, "did you mean 'prot:connectivities'"),
            ({"modality": "rna", "neighbors_key": "prot:neighbors", "significance": "split"}, "'prot'"),
        ]
        for arguments, said in cases:
            with pytest.raises(ValueError, match=said):
                quiet(mdata, **arguments)
        mdata["prot"].obs_names = ["same", "same", *mdata["prot"].obs_names[2:]]
        with pytest.raises(ValueError, match="'same'"):
            quiet(mdata, modality="rna", label_key="prot:type")
        del mdata.mod["prot"]
        with pytest.raises(ValueError, match="another modality"):
            quiet(mdata, modality="rna", method="msfs")

    def test_spatial_autocorrelation(self, both):
        mdata, whole = both
        es.gr.spatial_autocorr(mdata, "prot:connectivities", modality="rna")
        expected = es.gr.spatial_autocorr(whole, copy=True)
        pd.testing.assert_frame_equal(mdata["rna"].uns["moranI"], expected, rtol=1e-9)


class Tables:
    """What a SpatialData shows of its tables."""

    def __init__(self, **tables):
        self.tables = tables


SpatialData = type("SpatialData", (Tables,), {"__module__": "spatialdata._core.spatialdata"})


def test_the_table_of_a_spatialdata():
    adata, other = cells(), cells(seed=1)
    sdata = SpatialData(table=adata, other=other)
    expected = found(cells(), obsp=SPATIAL)
    es.pp.spectral_features(sdata, obsp=SPATIAL, table_key="table")
    pd.testing.assert_frame_equal(adata.var, expected)
    assert list(other.var) == []
    es.pp.spectral_features(SpatialData(only=adata), obsp=SPATIAL)
    es.pp.spectral_features(adata, obsp=SPATIAL, table_key="passed over")
    es.gr.spatial_autocorr(sdata, table_key="other")
    assert "moranI" in other.uns
    for arguments in ({}, {"table_key": "tabble"}):
        with pytest.raises(ValueError, match="table_key"):
            quiet(sdata, **arguments)
    with pytest.raises(TypeError, match="Tables"):
        quiet(Tables(table=adata))
