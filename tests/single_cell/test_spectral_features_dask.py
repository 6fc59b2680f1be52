"""The verbs on an AnnData with a Dask array inside: the numbers of one in memory, and the array stays lazy."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect import gr, pp

anndata = pytest.importorskip("anndata", reason="anndata is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")

N, M = 60, 8
VERBS = {
    "spectral_features": lambda adata: pp.spectral_features(adata, 3, significance="given", inplace=False),
    "spatial_autocorr": lambda adata: gr.spatial_autocorr(adata, copy=True),
    "layer": lambda adata: gr.spatial_autocorr(adata, mode="geary", layer="logarithms", copy=True),
}
KINDS = {
    "rows": lambda X: da.from_array(X, chunks=(25, M)),
    "CSR": lambda X: da.from_array(X, chunks=(25, M)).map_blocks(sparse.csr_matrix),
}


def cells(kind):
    """Logarithms of counts of cells in a line, half of which have more of three genes."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(N, M))
    X[: N // 2, :3] += rng.poisson(3.0, size=(N // 2, 3))
    X = kind(np.log1p(X))
    adata = anndata.AnnData(X, layers={"logarithms": X})
    S = sum(np.eye(N, k=step) for step in (-2, -1, 1, 2))
    adata.obsp["connectivities"] = adata.obsp["spatial_connectivities"] = sparse.csr_matrix(S)
    adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 4}}
    return adata


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", VERBS)
def test_numbers_are_those_in_memory(verb, kind):
    expected, adata = VERBS[verb](cells(np.asarray)), cells(KINDS[kind])
    found = VERBS[verb](adata)
    assert isinstance(adata.X, da.Array)
    assert list(found.columns) == list(expected.columns)
    assert list(found.index) == list(expected.index)
    for name in expected.select_dtypes("number"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, err_msg=name)
