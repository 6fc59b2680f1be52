"""Cells on a line with graphs, labels and donors, for tests of `pp.spectral_features` and its parts."""

import contextlib
import warnings

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

import eigenselect as es

#: genes that follow the line
INFORMATIVE = ["gene0", "gene1", "gene2"]


def line_graph(n):
    """Every cell is tied to the next two on either side."""
    offsets = [-2, -1, 1, 2]
    return sparse.diags_array([np.ones(n - abs(k)) for k in offsets], offsets=offsets, format="csr")


def cells(n=60, m=12, seed=0, shift=3.0):
    """Cells on a line, of which the first three genes follow the line; its graph is spatial, and the neighbours', too.

    Donors take turns along the line, so that the graph has edges within each only where it is wide enough.
    """
    rng = np.random.default_rng(seed)
    X = rng.gamma(1.0, size=(n, m))
    X[:, :3] += shift * (np.arange(n) < n // 2)[:, None]
    obs = {"type": np.where(np.arange(n) < n // 2, "B", "T"), "donor": np.array(list("xyz"))[np.arange(n) // 5 % 3]}
    adata = anndata.AnnData(
        sparse.csr_matrix(X),
        pd.DataFrame(obs, index=[f"cell{i}" for i in range(n)]),
        pd.DataFrame(index=[f"gene{j}" for j in range(m)]),
        obsm={"X_pca": rng.normal(size=(n, 4)), "spatial": np.column_stack([np.arange(n), np.zeros(n)])},
    )
    adata.obsp["spatial_connectivities"], adata.obsp["connectivities"] = line_graph(n), line_graph(n)
    adata.uns["neighbors"] = {
        "connectivities_key": "connectivities",
        "distances_key": "distances",
        "params": {"n_neighbors": 5, "method": "umap", "metric": "euclidean"},
    }
    return adata


def modalities_keep_their_columns():
    """Return a context in which a MuData pulls no columns, as from mudata 0.4 on; before, every MuData warns of it."""
    import mudata

    return mudata.set_options(pull_on_update=False) if hasattr(mudata, "set_options") else contextlib.nullcontext()


def quiet(*args, **kwargs):
    """Call the verb where warnings are expected, and not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return es.pp.spectral_features(*args, **kwargs)


def round_trip(adata, path):
    """Write to a file, h5ad or zarr by its name, and read it again."""
    if path.suffix == ".h5ad":
        adata.write_h5ad(path)
        return anndata.read_h5ad(path)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Writing zarr v2")
        adata.write_zarr(path)
        return anndata.read_zarr(path)


def found(adata, *args, **kwargs):
    """Return the columns that the verb finds, without writing any, and without a word."""
    return quiet(adata, *args, inplace=False, **kwargs)
