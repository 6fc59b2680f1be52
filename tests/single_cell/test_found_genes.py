"""What verbs wrote is read back, whoever wrote it, and in the order that it says."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.matrix import Matrix
from eigenselect.single_cell.found_genes import found_genes, is_written
from single_cell.drawn import FOUND, GENES, cells_with_scores


@pytest.fixture
def adata(rng):
    return cells_with_scores(rng)


@pytest.mark.parametrize("key", ["spectral", "moranI"])
def test_genes_with_a_score_best_first(adata, key):
    found = found_genes(adata, key, "pl.x")
    assert tuple(found.names[found.order[:3]]) == tuple(f"gene{j}" for j in FOUND)
    assert found.order.size == GENES - 1
    assert "gene7" not in found.names[found.order]
    assert np.flatnonzero(found.discovered(0.05)).size == 3
    assert (np.diff(found.scores[found.order]) <= 0).all()


def test_small_is_good_of_gearys_c(adata):
    adata.uns["gearyC"] = pd.DataFrame({"C": [0.9, np.nan, 0.2], "pval_norm": 0.5}, index=["gene1", "gene7", "gene2"])
    found = found_genes(adata, "gearyC", "pl.x")
    assert list(found.names[found.order]) == ["gene2", "gene1"]
    assert found.has_pvalues
    assert not found.has_qvalues


def test_a_method_may_order_some_genes_only(adata):
    adata.var["spectral_rank"] = np.where(adata.var["spectral_rank"] <= 5, adata.var["spectral_rank"], np.nan)
    assert found_genes(adata, "spectral", "").order.size == 5


def test_evidence_is_told(adata):
    found = found_genes(adata, "spectral", "")
    assert found.evidence(FOUND[0]) == "rank 1 of 59, q = 6.00e-08"
    assert found.evidence(7) == "no score, no q-value"
    adata.var.loc["gene11", "spectral_qval"] = 0.0
    assert found_genes(adata, "spectral", "").evidence(FOUND[0]) == "rank 1 of 59, q < 1e-300"


def test_values_are_matched_by_name(adata, rng):
    found = found_genes(adata, "moranI", "pl.x")
    order = rng.permutation(GENES)
    table = Matrix(np.zeros((2, GENES)), feature_names=list(adata.var_names[order]))
    assert list(np.asarray(table.feature_names)[found.columns(table, "")]) == list(found.names)
    with pytest.raises(ValueError, match="pl.x: 59 of 60 genes of 'moranI' are not in these values .*use_raw=True"):
        found.columns(Matrix(np.zeros((2, 1)), feature_names=["gene3"]), "pl.x")
    with pytest.raises(ValueError, match=r"pl.x: names of genes repeat \('gene1'\)"):
        found.columns(Matrix(np.zeros((2, 2)), feature_names=["gene1", "gene1"]), "pl.x")


def test_repeated_names_are_no_matter_in_the_same_table(adata):
    adata.var_names = ["same"] * GENES
    found = found_genes(adata, "spectral", "")
    columns = found.columns(Matrix(np.zeros((2, GENES)), feature_names=list(adata.var_names)), "")
    assert columns.tolist() == list(range(GENES))


def test_nothing_was_written(adata):
    assert not is_written(adata, "other")
    with pytest.raises(ValueError, match="pl.x: nothing was written under 'other'; give key='spectral' or 'moranI'"):
        found_genes(adata, "other", "pl.x")
    adata.uns.clear()
    adata.var = adata.var[[]]
    with pytest.raises(ValueError, match="call eigenselect.pp.spectral_features or eigenselect.gr.spatial_autocorr"):
        found_genes(adata, "spectral", "pl.x")
