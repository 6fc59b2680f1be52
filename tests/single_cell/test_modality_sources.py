"""Modalities as sources of MSFS: the genes that follow the proteins are found, whatever the order of the cells."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect import MSFS
from eigenselect.exceptions import SourceWarning
from eigenselect.inference import Permutation
from eigenselect.multisource.sources import AuxiliaryData, SampleSimilarity
from eigenselect.single_cell.modality_sources import modality_sources, source_of
from single_cell.cells import modalities_keep_their_columns

anndata = pytest.importorskip("anndata")
mudata = pytest.importorskip("mudata")


@pytest.fixture
def mdata(rng):
    """60 cells in three groups that the proteins tell apart; of 12 genes the first three follow the groups."""
    groups = np.repeat(np.arange(3), 20)
    genes, proteins = rng.normal(size=(60, 12)), rng.normal(size=(60, 5)) + 1.5 * groups[:, None]
    genes[:, :3] += 2.0 * rng.permutation(3)[groups][:, None]
    names = [f"cell{i}" for i in range(60)]
    rna = anndata.AnnData(genes, {"obs_names": names}, {"var_names": [f"g{j}" for j in range(12)]})
    protein = anndata.AnnData(proteins, {"obs_names": names}, {"var_names": [f"p{j}" for j in range(5)]})
    with modalities_keep_their_columns():
        yield mudata.MuData({"rna": rna, "prot": protein[rng.permutation(60)].copy()})


def fitted(mdata, **settings):
    rna = mdata["rna"]
    selector = MSFS(3, sources=modality_sources(mdata, "rna"), **settings)
    return selector.fit(rna.X, sample_names=rna.obs_names)


def test_genes_that_follow_the_proteins(mdata):
    selector = fitted(mdata, significance=True)
    assert sorted(selector.get_support(indices=True)) == [0, 1, 2]
    assert (selector.qvalues_[:3] < 1e-5).all()  # draws of so few cells tell no more
    by_moments = fitted(mdata, significance=Permutation(precision=None))
    assert (by_moments.qvalues_[:3] < 1e-6).all()


def test_cells_are_matched_by_name(mdata):
    shuffled = fitted(mdata).native_scores_
    mdata.mod["prot"] = mdata["prot"][mdata["rna"].obs_names].copy()
    assert fitted(mdata).native_scores_ == pytest.approx(shuffled, rel=1e-12)


def test_a_recorded_graph_comes_first_then_principal_components(mdata, rng):
    protein = mdata["prot"]
    assert source_of(protein).Z is protein.X
    protein.obsm["X_pca"] = protein.X[:, :2]
    source = source_of(protein)
    assert isinstance(source, AuxiliaryData)
    assert source.Z.shape == (60, 2)
    graph = sparse.csr_matrix((protein.X[:, :1] > 1) @ (protein.X[:, :1] > 1).T, dtype=float)
    protein.obsp["near"], protein.uns["neighbors"] = graph, {"connectivities_key": "near"}
    source = source_of(protein)
    assert isinstance(source, SampleSimilarity)
    assert (source.matrix != graph).nnz == 0
    protein.uns["neighbors"] = {}  # as scanpy 1.6 and older leave it
    protein.obsp["connectivities"] = graph
    assert isinstance(source_of(protein), SampleSimilarity)


def test_cells_without_proteins_are_left_out(mdata):
    mdata.mod["prot"] = mdata["prot"][:50].copy()
    with pytest.warns(SourceWarning, match="10 of 60 samples are left out"):
        assert fitted(mdata).samples_.size == 50


def test_sentences(mdata):
    with pytest.raises(ValueError, match="'msfs' takes the other modalities of a MuData as sources, got AnnData"):
        modality_sources(mdata["rna"])
    with pytest.raises(ValueError, match="pp.x: no modality is named 'rn'; did you mean 'rna'?"):
        modality_sources(mdata, "rn", owner="pp.x")
    del mdata.mod["prot"]
    with pytest.raises(ValueError, match="'msfs' needs another modality than 'rna', got a MuData with none"):
        modality_sources(mdata, "rna")
