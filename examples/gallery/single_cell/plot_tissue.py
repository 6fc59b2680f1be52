"""
Genes that vary over a tissue
=============================

``gr.spatial_autocorr`` has the arguments and columns of squidpy's function, and p-values of permutations of the spots.
The slide is made here, so that the right answer is known.
"""

# %%
# 600 spots on a grid, 300 genes: ten are high in the left third, ten in a disc, 280 follow nothing.
import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.neighbors import kneighbors_graph

import eigenselect as es

rng = np.random.default_rng(0)
places = np.stack(np.meshgrid(np.arange(30.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
means = np.ones((600, 300))
means[places[:, 0] < 10, :10] = 2.5
means[((places - [20, 10]) ** 2).sum(axis=1) < 30, 10:20] = 3.0
names = [f"left{j}" if j < 10 else f"disc{j}" if j < 20 else f"noise{j}" for j in range(300)]
slide = anndata.AnnData(np.log1p(rng.poisson(means).astype(float)), var=pd.DataFrame(index=names))
slide.obsm["spatial"] = places
slide.obsp["spatial_connectivities"] = kneighbors_graph(places, 6)

# %%
# Moran's I of every gene, into ``.uns["moranI"]``, the most clustered first.
es.gr.spatial_autocorr(slide)
table = slide.uns["moranI"]
print(table[["I", "pval_norm", "pval_norm_fdr_bh"]].iloc[[0, 1, 18, 19, 20, 21]].map("{:.2g}".format).to_string())
found = table.index[table["pval_norm_fdr_bh"] <= 0.05]
print(len(found), "genes with q ≤ 0.05,", sum(name.startswith("noise") for name in found), "of them noise")
assert sum(not name.startswith("noise") for name in found) == 20

# %%
# The best of each kind on the tissue, and the best of 280 genes of noise. At q ≤ 0.05 one in twenty of the kept genes
# is expected to be such, as a mean over many slides.
best_noise = next(name for name in table.index if name.startswith("noise"))
best_disc = next(name for name in table.index if name.startswith("disc"))
figure, axes = plt.subplots(1, 3, figsize=(11, 3.2))
for ax, gene in zip(axes, (table.index[0], best_disc, best_noise), strict=True):
    es.pl.spatial(slide, gene, key="moranI", size=22, ax=ax, show=False)
plt.show()

# %%
# P-values of all genes against uniform ones: noise lies near the line, twenty genes far above it.
es.pl.qq(slide, "moranI", show=False)
plt.show()
