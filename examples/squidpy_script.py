"""A script for scanpy and squidpy: counts of a tissue and of cells, neighbours, genes that follow them, a PCA of these.

It was written for squidpy. With ``import eigenselect as sq`` in place of ``import squidpy as sq`` it runs as it is, and
the p-values are those of permutations of the cells; docs/spatial.md says how they differ.

Uses spatial_breast_layer2.npz, sc_pbmc68k_reduced.h5ad and sc_10x_10k_mouse.npz of ../shared/data where they are there,
else a synthetic slide (and says so).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import scanpy as sc
import squidpy as sq
from scipy import sparse

import eigenselect as es

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def main() -> None:
    """Run both ways through what data there is."""
    if not DATA.exists():
        print("SYNTHETIC slide: 400 spots, 300 genes, of which 20 follow the tissue (no ../shared/data)")
        return of_tissue(synthetic())
    of_tissue(counts("spatial_breast_layer2.npz"))
    of_cells(log_normalised("sc_pbmc68k_reduced.h5ad"), "sc_pbmc68k_reduced")
    mouse = counts("sc_10x_10k_mouse.npz")
    sc.pp.subsample(mouse, n_obs=4000)  # from 4096 cells on, scanpy 1.11 fails with scikit-learn 1.9
    of_cells(preprocessed(mouse), "sc_10x_10k_mouse")
    return None


def of_tissue(adata: anndata.AnnData) -> None:
    """Find genes that vary over a tissue, and make a PCA of them."""
    adata = preprocessed(adata)
    sc.pp.pca(adata)
    sc.pp.neighbors(adata)
    sq.gr.spatial_neighbors(adata, coord_type="generic", n_neighs=6)
    sq.gr.spatial_autocorr(adata, mode="moran", genes=adata.var_names, n_perms=100, seed=0, show_progress_bar=False)
    moran = adata.uns["moranI"]
    found = [int((moran[column] <= 0.05).sum()) for column in ("pval_norm", "pval_sim", "pval_norm_fdr_bh")]
    print(f"{adata.n_obs} spots, {adata.n_vars} genes; best by Moran's I: {', '.join(moran.index[:5])}")
    print(f"  p <= 0.05: {found[0]} (pval_norm), {found[1]} (pval_sim); q <= 0.05: {found[2]}")
    es.pp.spectral_features(adata, obsp="spatial_connectivities", flag_as_highly_variable=True)
    say_components(adata, "q <= 0.05 on the spatial graph")


def of_cells(adata: anndata.AnnData, name: str) -> None:
    """Find genes that follow the neighbours' graph, and make a PCA of the best."""
    sc.pp.pca(adata)
    sc.pp.neighbors(adata)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the graph is made of these genes, so that there are no p-values
        es.pp.spectral_features(adata, n_top_genes=100, flag_as_highly_variable=True)
    best = adata.var.sort_values("spectral_rank").index[:5]
    print(f"{name}: {adata.n_obs} cells, {adata.n_vars} genes; best on the neighbours' graph: {', '.join(best)}")
    say_components(adata, "the best 100")


def say_components(adata: anndata.AnnData, which: str) -> None:
    """Compute a PCA of the flagged genes, and say how much of their variance two components hold."""
    sc.pp.pca(adata, mask_var="highly_variable")
    share = float(adata.uns["pca"]["variance_ratio"][:2].sum())
    print(f"  PCA of {int(adata.var['highly_variable'].sum())} genes ({which}): two components hold {share:.0%}")


def preprocessed(adata: anndata.AnnData) -> anndata.AnnData:
    """Leave rare genes out; return logarithms of counts of equal sums."""
    sc.pp.filter_genes(adata, min_cells=adata.n_obs // 10)
    sc.pp.normalize_total(adata)
    sc.pp.log1p(adata)
    return adata


def counts(name: str) -> anndata.AnnData:
    """Read sparse counts with names, and coordinates where there are any."""
    with np.load(DATA / name) as file:
        parts = (file["data"].astype(np.float32), file["indices"], file["indptr"])
        adata = anndata.AnnData(
            sparse.csr_matrix(parts, shape=tuple(file["shape"])),
            obs=pd.DataFrame(index=[f"cell{i}" for i in range(file["shape"][0])]),
            var=pd.DataFrame(index=file["feature_names"]),
        )
        if "coords" in file:
            adata.obsm["spatial"] = file["coords"]
    adata.var_names_make_unique()
    return adata


def log_normalised(name: str) -> anndata.AnnData:
    """Read a file whose raw part has logarithms of normalised counts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is of an old version of anndata
        adata = anndata.read_h5ad(DATA / name).raw.to_adata()
    return anndata.AnnData(adata.X, obs=adata.obs[[]], var=adata.var[[]])


def synthetic() -> anndata.AnnData:
    """Draw counts on a grid of spots; the first 20 genes are higher in one half."""
    rng = np.random.default_rng(0)
    places = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    means = np.full((400, 300), 1.0)
    means[places[:, 0] < 10, :20] = 3.0
    names = pd.DataFrame(index=[f"follows{j}" if j < 20 else f"noise{j}" for j in range(300)])
    adata = anndata.AnnData(
        sparse.csr_matrix(rng.poisson(means).astype(np.float32)),
        obs=pd.DataFrame(index=[f"spot{i}" for i in range(400)]),
        var=names,
    )
    adata.obsm["spatial"] = places
    return adata


if __name__ == "__main__":
    main()
