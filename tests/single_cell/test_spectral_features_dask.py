"""The verbs on an AnnData with a Dask array inside: the numbers of one in memory, and the array stays lazy."""

import warnings

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
    "batches": lambda adata: pp.spectral_features(adata, 3, batch_key="half", significance="given", inplace=False),
    "labels": lambda adata: pp.spectral_features(adata, 3, method="fisher", label_key="half", inplace=False),
    "places": lambda adata: pp.spectral_features(adata, 3, use_rep="spatial", significance=True, inplace=False),
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
    adata.obs["half"] = np.repeat(["a", "b"], N // 2)
    adata.obsm["spatial"] = np.column_stack([np.arange(N) / N, np.arange(N) % 5 / 5])
    adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 4}}
    return adata


@pytest.fixture(scope="module")
def lazy_cells(tmp_path_factory):
    """An AnnData of which anndata reads nothing before it is asked for: graphs are in Dask, too, and obs in xarray."""
    pytest.importorskip("xarray", reason="xarray is not installed")
    lazily = pytest.importorskip("anndata.experimental").read_lazy
    path = str(tmp_path_factory.mktemp("lazy") / "cells.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells(sparse.csr_matrix).write_zarr(path)
        return lazily(path)


@pytest.mark.parametrize("kind", [*KINDS, "lazy store"])
@pytest.mark.parametrize("verb", VERBS)
def test_numbers_are_those_in_memory(verb, kind, request):
    adata = request.getfixturevalue("lazy_cells") if kind == "lazy store" else cells(KINDS[kind])
    expected, found = VERBS[verb](cells(np.asarray)), VERBS[verb](adata)
    assert isinstance(adata.X, da.Array)
    assert list(found.columns) == list(expected.columns)
    assert list(found.index) == list(expected.index)
    for name in expected.select_dtypes("number"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, err_msg=name)
