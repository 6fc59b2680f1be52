"""
Genes that follow the cells in every batch
==========================================

Two donors, and a batch effect on many genes. On all cells together these genes look best. With ``batch_key`` every
donor is scored alone, and genes are kept that several donors agree on.
"""

# %%
# Three types of cells, two donors. Genes 0 to 29 differ between types, 30 to 89 between donors, 90 to 239 in nothing.
import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.neighbors import kneighbors_graph

import eigenselect as es

rng = np.random.default_rng(0)
kind, donor = np.tile([0, 1, 2], 100), np.repeat([0, 1], 150)
means = np.full((300, 240), 1.0)
for number in range(3):
    means[np.ix_(kind == number, range(10 * number, 10 * number + 10))] = 2.5
means[np.ix_(donor == 1, range(30, 90))] = 2.5
names = [f"type{j}" if j < 30 else f"donor{j}" if j < 90 else f"noise{j}" for j in range(240)]
cells = pd.DataFrame({"donor": np.array(["a", "b"])[donor]}, index=[f"cell{i}" for i in range(300)])
adata = anndata.AnnData(np.log1p(rng.poisson(means).astype(float)), cells, pd.DataFrame(index=names))
adata.obsp["connectivities"] = kneighbors_graph(PCA(10, random_state=0).fit_transform(adata.X), 15)

# %%
# Thirty genes, both ways. No p-values are asked for: the neighbours were found with these genes.
together = es.pp.spectral_features(adata, 30, significance=None, inplace=False)
by_donor = es.pp.spectral_features(adata, 30, batch_key="donor", significance=None, inplace=False)
counts = pd.DataFrame(
    {
        what: table.index[table["spectral"]].str.extract(r"([a-z]+)")[0].value_counts()
        for what, table in (("all cells", together), ("by donor", by_donor))
    },
    index=["type", "donor", "noise"],
)
counts = counts.fillna(0).astype(int)
print(counts.to_string())
assert counts.loc["type", "by donor"] > counts.loc["type", "all cells"]

# %%
# ``spectral_nbatches`` says how many donors would choose the gene.
print(by_donor.groupby("spectral_nbatches").size().to_dict())

figure, ax = plt.subplots(figsize=(6.8, 4.2))
for name, marker, colour in (("noise", ".", "0.7"), ("donor", "s", "C1"), ("type", "o", "C0")):
    rows = together.index.str.startswith(name)
    ranks = together.loc[rows, "spectral_rank"], by_donor.loc[rows, "spectral_rank"]
    ax.scatter(*ranks, s=22, marker=marker, color=colour, label=f"{name} genes" if name != "noise" else "noise")
ax.axhspan(0.5, 30.5, color="0.93", zorder=0)
ax.set(xlabel="rank on all cells", ylabel="rank by donor (shaded: kept)")
ax.invert_xaxis()
ax.invert_yaxis()
ax.legend(loc="upper left", bbox_to_anchor=(0, 0.85))
plt.show()
