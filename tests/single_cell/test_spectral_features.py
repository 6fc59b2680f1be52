"""`pp.spectral_features`: what it writes is what the selectors find, and nothing else changes."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import eigenselect as es

anndata = pytest.importorskip("anndata")


def cells(n=60, m=12, seed=0, **parts):
    """Cells on a line, of which the first three genes follow the line."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(1.0, size=(n, m))
    X[:, :3] += 3.0 * (np.arange(n) < n // 2)[:, None]
    line = sparse.diags_array([np.ones(n - 1)] * 2 + [np.ones(n - 2)] * 2, offsets=[-1, 1, -2, 2], format="csr")
    obs = pd.DataFrame(
        {"type": np.where(np.arange(n) < n // 2, "B", "T"), "donor": np.array(["x", "y", "z"])[np.arange(n) % 3]}
    )
    obs.index = [f"cell{i}" for i in range(n)]
    var = pd.DataFrame(index=[f"gene{j}" for j in range(m)])
    adata = anndata.AnnData(
        sparse.csr_matrix(X), obs=obs, var=var, obsp={"spatial_connectivities": line.tocsr()}, **parts
    )
    adata.obsp["connectivities"] = adata.obsp["spatial_connectivities"].copy()
    adata.uns["neighbors"] = {
        "connectivities_key": "connectivities",
        "distances_key": "distances",
        "params": {"n_neighbors": 5, "method": "umap", "metric": "euclidean"},
    }
    adata.obsm["X_pca"] = rng.normal(size=(n, 4))
    return adata


def quiet(*args, **kwargs):
    """Call the verb where a warning is expected, and not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return es.pp.spectral_features(*args, **kwargs)


@pytest.mark.parametrize(
    ("method", "selector"),
    [
        ("laplacian", es.LaplacianScore()),
        ("moran", es.MoranI()),
        ("geary", es.GearyC()),
        ("spec-phi3", es.SPEC(ranking="phi3")),
    ],
)
def test_the_neighbours_graph_is_a_similarity_matrix(method, selector):
    adata = cells()
    fitted = selector.fit(adata.X, similarity_matrix=adata.obsp["connectivities"])
    with pytest.warns(UserWarning, match="significance='split'"):
        es.pp.spectral_features(adata, 4, method=method)
    assert np.array_equal(adata.var["spectral_score"], fitted.scores_)
    assert np.array_equal(adata.var["spectral_rank"], fitted.ranking_)
    assert adata.var["spectral"].to_numpy().nonzero()[0].tolist() == np.sort(np.argsort(fitted.ranking_)[:4]).tolist()
    assert adata.var[["spectral_pval", "spectral_qval"]].isna().all(axis=None)


def test_a_spatial_graph_is_tested_as_given():
    adata = cells()
    fitted = es.LaplacianScore(significance="given").fit(
        adata.X, similarity_matrix=adata.obsp["spatial_connectivities"]
    )
    es.pp.spectral_features(adata, obsp="spatial_connectivities")
    assert np.array_equal(adata.var["spectral_pval"], fitted.pvalues_)
    assert np.array_equal(adata.var["spectral_qval"], fitted.qvalues_)
    z = (fitted.null_mean_ - fitted.native_scores_) / fitted.null_sd_
    np.testing.assert_allclose(adata.var["spectral_zscore"], z)
    assert adata.var_names[adata.var["spectral"]].tolist() == ["gene0", "gene1", "gene2"]
