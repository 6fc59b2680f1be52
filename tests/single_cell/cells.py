"""Cells on a line with graphs, labels and donors, calls of `pp.spectral_features`, and a table with its results."""

import contextlib
import warnings

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

import eigenselect as es

#: genes that follow the line
INFORMATIVE = ["gene0", "gene1", "gene2"]
SPATIAL = "spatial_connectivities"

#: genes of `cells_with_scores`
GENES = 60
#: genes with a q-value below 0.05, best first; gene 7 has no score
FOUND = (11, 3, 29)


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


def heard(*args, **kwargs):
    """Call the verb and return its warnings as text."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        es.pp.spectral_features(*args, **kwargs)
    return [str(one.message) for one in told]


def cells_with_scores(rng, *, tested=True):
    """80 cells on a tissue with 60 genes, of which three are discoveries where any was tested."""
    X = rng.gamma(2.0, np.geomspace(0.1, 20, GENES), size=(80, GENES))
    X[:, 7] = 0.0
    scores = rng.uniform(-0.1, 0.1, size=GENES)
    scores[list(FOUND)] = (0.9, 0.7, 0.5)
    scores[7] = np.nan
    p = np.where(np.isnan(scores), np.nan, np.maximum(rng.uniform(0.1, 1, size=GENES), 0.01))
    p[list(FOUND)] = (1e-9, 1e-7, 1e-5)
    nothing = np.full(GENES, np.nan)
    var = pd.DataFrame(
        {
            "spectral_score": scores,
            "spectral_rank": np.argsort(np.argsort(-np.nan_to_num(scores, nan=-9.0), kind="stable")) + 1,
            "spectral_pval": p if tested else nothing,
            "spectral_qval": np.minimum(p * GENES, 1) if tested else nothing,
            "spectral": np.isin(np.arange(GENES), FOUND),
        },
        index=[f"gene{j}" for j in range(GENES)],
    )
    names = [f"cell{i}" for i in range(80)]
    adata = anndata.AnnData(X, pd.DataFrame(index=names), var)
    adata.obsm["spatial"], adata.obsm["X_umap"] = rng.uniform(size=(80, 2)), rng.normal(size=(80, 3))
    adata.uns["spectral"] = {"eigenselect": "0", "params": {"alpha": 0.05, "method": "laplacian"}}
    table = pd.DataFrame({"I": scores, "pval_norm": p, "var_norm": 0.1, "pval_norm_fdr_bh": np.minimum(p * GENES, 1)})
    adata.uns["moranI"] = table.set_axis(adata.var_names).sort_values("I", ascending=False)
    return adata
