"""Two figures of the docs: genes that follow a tissue, and genes that follow the neighbours' graph of cells.

Uses spatial_breast_layer2.npz and sc_pbmc68k_reduced.h5ad of ../shared/data where they are there, else a synthetic
slide (and says so).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

import eigenselect as es
from figures import plt, save

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SLIDE, CELLS = "spatial_breast_layer2.npz", "sc_pbmc68k_reduced.h5ad"


def main() -> None:
    """Draw both figures; without the data the first alone."""
    draw_tissue(breast() if (DATA / SLIDE).exists() else synthetic())
    if (DATA / CELLS).exists():
        draw_cells(DATA / CELLS)


def draw_tissue(adata: anndata.AnnData) -> None:
    """Draw the four best genes on the tissue, and what is known of all."""
    adata.obsp["spatial_connectivities"] = kneighbors_graph(adata.obsm["spatial"], 6)
    es.gr.spatial_autocorr(adata)
    found = adata.uns["moranI"]
    print(f"{int((found['pval_norm_fdr_bh'] <= 0.05).sum())} of {len(found)} genes vary over the tissue (q <= 0.05)")
    figure = plt.figure(figsize=(13, 8.2), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[0.8, 1])
    for ax, gene in zip(above.subplots(1, 4), found.index[:4], strict=True):
        es.pl.spatial(adata, gene, key="moranI", size=34, ax=ax, show=False)
    left, middle, right = below.subplots(1, 3)
    es.pl.ranking(adata, "moranI", n_genes=20, ax=middle, show=False)
    es.pl.qq(adata, "moranI", ax=right, show=False)
    es.pl.score_mean(adata, "moranI", ax=left, show=False)  # last: names are placed when the layout is known
    save(figure, "spatial_genes")


def draw_cells(file: Path) -> None:
    """Draw the best genes in the UMAP, and which of all follow neighbours that the other genes make."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file is of an old version of anndata
        cells = anndata.read_h5ad(file).raw.to_adata()
    es.pp.spectral_features(cells, significance="split")
    print(f"{int(cells.var['spectral'].sum())} of {cells.n_vars} genes follow the neighbours of the others (q <= 0.05)")
    figure = plt.figure(figsize=(13, 7.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[0.8, 1])
    for ax, gene in zip(above.subplots(1, 4), ("LYZ", "CD79A", "CD3D", "NKG7"), strict=True):
        es.pl.embedding(cells, color=gene, size=12, ax=ax, show=False)
    left, right = below.subplots(1, 2)
    es.pl.ranking(cells, n_genes=20, ax=right, show=False)
    es.pl.score_mean(cells, ax=left, show=False)
    save(figure, "single_cell_genes")


def breast() -> anndata.AnnData:
    """Read the slide; leave rare genes out and take logarithms of counts of equal sums."""
    with np.load(DATA / SLIDE) as file:
        shape = tuple(file["shape"])
        counts = sparse.csr_matrix((file["data"], file["indices"], file["indptr"]), shape=shape)
        names, places = file["feature_names"], file["coords"]
    frequent = counts.getnnz(axis=0) >= 25
    return slide(counts[:, frequent], names[frequent], places)


def synthetic() -> anndata.AnnData:
    """Draw counts on a grid of spots; the first 20 genes are higher in one half."""
    print("SYNTHETIC slide: 400 spots, 300 genes, of which 20 follow the tissue (no spatial_breast_layer2.npz)")
    places = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    means = np.full((400, 300), 1.0)
    means[places[:, 0] < 10, :20] = 3.0
    counts = sparse.csr_matrix(np.random.default_rng(0).poisson(means))
    return slide(counts, np.array([f"follows{j}" if j < 20 else f"noise{j}" for j in range(300)]), places)


def slide(counts: sparse.csr_matrix, names: np.ndarray, places: np.ndarray) -> anndata.AnnData:
    """Return logarithms of counts of equal sums, with names and places."""
    depth = np.asarray(counts.sum(axis=1)).ravel()
    equal = sparse.diags(np.median(depth) / depth) @ counts.astype(np.float64)
    cells = pd.DataFrame(index=[f"spot{i}" for i in range(counts.shape[0])])
    adata = anndata.AnnData(sparse.csr_matrix(equal).log1p(), obs=cells, var=pd.DataFrame(index=names))
    adata.obsm["spatial"] = places
    return adata


if __name__ == "__main__":
    main()
