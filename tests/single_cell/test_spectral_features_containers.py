"""`pp.spectral_features` of MuData and SpatialData: the graph of one modality, the genes of another."""

import warnings

import numpy as np
import pandas as pd
import pytest

import eigenselect as es
from eigenselect.exceptions import GraphWarning, SourceWarning
from eigenselect.single_cell.modality_sources import modality_sources
from single_cell.cells import INFORMATIVE, cells, found, modalities_keep_their_columns, quiet

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

    def test_its_own_neighbours_are_of_the_genes(self, both):
        mdata, whole = both
        mdata["rna"].obsp["connectivities"], mdata["rna"].uns["neighbors"] = (
            whole.obsp["connectivities"], whole.uns["neighbors"],
        )  # fmt: skip
        with pytest.warns(UserWarning, match="significance='split'"):
            es.pp.spectral_features(mdata, 3, modality="rna")
        assert mdata["rna"].var["spectral_pval"].isna().all()

    def test_split_is_not_for_another_modality(self, both):
        with pytest.raises(ValueError, match="is of another modality, 'prot'; use significance='given'"):
            quiet(both[0], modality="rna", neighbors_key="prot:neighbors", significance="split")

    def test_cells_that_the_other_modality_has_not(self, both):
        mdata, _ = both
        mdata.mod["prot"] = mdata["prot"][:50].copy()
        mdata.update()
        with pytest.raises(ValueError, match="10 cells of 60 are not in 'prot', which has 'connectivities'; keep the"):
            quiet(mdata, modality="rna", obsp="prot:connectivities")
        with pytest.raises(ValueError, match="10 cells of 60 have no label"):
            quiet(mdata, modality="rna", label_key="prot:type")

    def test_modalities_are_sources(self, both):
        mdata, _ = both
        es.pp.spectral_features(mdata, modality="rna", method="msfs")  # no warning: proteins did not see the genes
        rna = mdata["rna"]
        fitted = es.MSFS(sources=modality_sources(mdata, "rna"), significance="given").fit(
            rna.X, sample_names=rna.obs_names
        )
        assert np.array_equal(rna.var["spectral_score"], fitted.scores_)
        assert np.array_equal(rna.var["spectral_pval"], fitted.pvalues_)
        assert rna.var_names[rna.var["spectral"]].tolist() == INFORMATIVE

    @pytest.mark.filterwarnings("ignore:.*falls apart:eigenselect.exceptions.GraphWarning")
    def test_sources_of_some_cells(self, both):
        mdata, _ = both
        mdata.mod["prot"] = mdata["prot"][:50].copy()
        with pytest.warns(SourceWarning, match="10 of 60 samples are left out"):
            es.pp.spectral_features(mdata, modality="rna", method="msfs")

    def test_sources_in_batches(self, both):
        mdata, _ = both
        mdata["rna"].obs["run"] = np.repeat(["a", "b"], 30)
        table = quiet(mdata, 3, modality="rna", method="msfs", batch_key="run", inplace=False)
        assert table["spectral_nbatches"].max() == 2
        assert table["spectral_pval"].notna().all()


class Tables:
    def __init__(self, **tables):
        self.tables = tables


SpatialData = type("SpatialData", (Tables,), {"__module__": "spatialdata._core.spatialdata"})


def test_the_table_of_a_spatialdata():
    adata, other = cells(), cells(seed=1)
    sdata = SpatialData(table=adata, other=other)
    expected = found(cells(), obsp="spatial_connectivities")
    es.pp.spectral_features(sdata, obsp="spatial_connectivities", table_key="table")
    pd.testing.assert_frame_equal(adata.var, expected)
    assert list(other.var) == []
    es.pp.spectral_features(adata, obsp="spatial_connectivities", table_key="passed over")
    with pytest.raises(ValueError, match="expected table_key= with one of the names"):
        quiet(sdata)
