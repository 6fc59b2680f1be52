"""
Proteins say who is near, genes are judged
==========================================

In a MuData the graph of one modality can judge the features of another. Neighbours by proteins did not see the genes,
so that q-values are honest without further work.
"""

# %%
# 300 cells of three types. Six proteins tell the types apart; of 200 genes, 30 follow them.
import warnings

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.neighbors import kneighbors_graph

import eigenselect as es

rng = np.random.default_rng(0)
kind = np.repeat([0, 1, 2], 100)
cells = pd.DataFrame(index=[f"cell{i}" for i in range(300)])
means = np.full((300, 200), 1.0)
for number in range(3):
    means[np.ix_(kind == number, range(10 * number, 10 * number + 10))] = 2.0
genes = [f"marker{j}" if j < 30 else f"noise{j}" for j in range(200)]
rna = anndata.AnnData(np.log1p(rng.poisson(means).astype(float)), cells.copy(), pd.DataFrame(index=genes))
values = 2.5 * np.repeat(np.eye(3), 2, axis=1)[kind] + rng.normal(size=(300, 6))
protein = anndata.AnnData(values, cells.copy(), pd.DataFrame(index=[f"CD{j}" for j in range(6)]))
protein.obsp["connectivities"] = kneighbors_graph(values, 10)

# %%
# ``modality`` names the genes, ``obsp`` the graph of the other modality.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # mudata's, about options of its own
    import mudata

    both = mudata.MuData({"rna": rna, "protein": protein})
es.pp.spectral_features(both, modality="rna", obsp="protein:connectivities")
found = both["rna"].var
chosen = found.index[found["spectral"]]
print(len(chosen), "genes with q ≤ 0.05,", sum(name.startswith("noise") for name in chosen), "of them noise")
assert sum(name.startswith("marker") for name in chosen) >= 25

# %%
# P-values of the 170 genes of noise are spread evenly, as they should be.
noise = found.index.str.startswith("noise")
print(f"p ≤ 0.05 in {np.mean(found.loc[noise, 'spectral_pval'] <= 0.05):.1%} of the noise")
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
bins = np.linspace(0, 1, 11)
axes[0].hist(found.loc[~noise, "spectral_pval"], bins)
axes[0].set(title="30 genes that follow the types", xlabel="p-value", ylabel="genes")
axes[1].hist(found.loc[noise, "spectral_pval"], bins, color="0.7")
axes[1].axhline(17, color="C1", ls="--", lw=1.2)
axes[1].set(title="170 genes of noise", xlabel="p-value")
plt.show()
