"""The values of the genes of an AnnData, and covariates of its cells, by name or as they are given."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.single_cell.gene_values import (
    covariates_of,
    gene_values,
    name_of_values,
    names_of_covariates,
    refuse_missing,
)

anndata = pytest.importorskip("anndata")


@pytest.fixture
def adata(rng):
    adata = anndata.AnnData(rng.normal(size=(5, 4)), var={"var_names": list("abcd")})
    adata.layers["double"] = 2 * adata.X
    adata.obs["depth"], adata.obs["run"] = np.arange(5.0), pd.Categorical(list("xyxyx"))
    return adata


def test_values_and_their_names(adata):
    values = adata.X
    assert gene_values(adata, owner="pp").to_array().tolist() == values.tolist()
    assert gene_values(adata, layer="double", owner="pp").to_array().tolist() == (2 * values).tolist()
    assert name_of_values(None, use_raw=False) == "adata.X"
    assert name_of_values(None, use_raw=True) == "adata.raw"


def test_raw_has_the_genes_of_the_table_in_its_order(adata):
    values = adata.X.copy()
    adata.raw = adata
    adata.X = np.zeros((5, 4))
    assert gene_values(adata, use_raw=True, owner="pp").to_array().tolist() == values.tolist()
    part = adata[:, ["d", "a"]].copy()
    table = gene_values(part, use_raw=True, owner="pp")
    assert table.to_array().tolist() == values[:, [3, 0]].tolist()
    assert list(table.feature_names) == ["d", "a"]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_genes_with_missing_values_are_named(adata, storage, value):
    refuse_missing(gene_values(adata, owner="pp"), "adata.X", "pp")
    X = adata.X.copy()
    X[3, [1, 2]] = value
    adata.X = storage(X)
    with pytest.raises(ValueError, match=r"pp: adata.X holds NaN or infinity in 2 genes of 4 \('b', 'c'\); fill"):
        refuse_missing(gene_values(adata, owner="pp"), "adata.X", "pp")


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def test_genes_that_raw_has_not_once(adata):
    adata.raw = adata[:, :3].copy()
    with pytest.raises(ValueError, match=r"pp: use_raw=True needs every gene once in adata.raw, which 'd' is not"):
        gene_values(adata, use_raw=True, owner="pp")
    twice = anndata.AnnData(np.ones((5, 3)), var={"var_names": list("aab")})
    other = adata[:, ["b", "a"]].copy()
    other.raw = twice
    with pytest.raises(ValueError, match="needs every gene once"):
        gene_values(other, use_raw=True, owner="pp")


def test_covariates_by_name_are_columns_of_obs(adata):
    frame = covariates_of(adata, adata, ["run", "depth"], "pp")
    assert frame["depth"].tolist() == list(range(5))
    assert frame["run"].tolist() == list("xyxyx")
    assert list(covariates_of(adata, adata, "depth", "pp")) == ["depth"]
    assert covariates_of(adata, adata, None, "pp") is None
    with pytest.raises(ValueError, match="pp: no entry of .obs is named 'dept'; did you mean 'depth'"):
        covariates_of(adata, adata, ("dept",), "pp")


def test_covariates_as_they_are_given(adata):
    assert covariates_of(adata, adata, np.ones((5, 2)), "pp").shape == (5, 2)
    assert covariates_of(adata, adata, [1, 2, 3, 4, 5], "pp")[0].tolist() == [1, 2, 3, 4, 5]
    turned = covariates_of(adata, adata, adata.obs["depth"][::-1], "pp")
    assert turned.index.tolist() == adata.obs_names[::-1].tolist()  # kept, so that another order is noticed
    with pytest.raises(ValueError, match="pp: covariates must have one row for each of 5 cells, got 2"):
        covariates_of(adata, adata, [1.0, 2.0], "pp")


def test_names_are_told_from_values():
    assert names_of_covariates(("a", "b")) == ["a", "b"]
    for values in ([], ["a", 1], np.array(["a"]), None, pd.DataFrame({"a": [1]})):
        assert names_of_covariates(values) is None
