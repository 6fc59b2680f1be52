"""
Genes of blood cells, with q-values
===================================

One verb on an AnnData: which genes follow the neighbours of the cells? The neighbours were found with these very genes,
so that ``"split"`` finds them again without the genes that are judged.
"""

# %%
# 700 blood cells and 765 genes that ship with scanpy; ``raw`` holds logarithms of normalised counts.
import matplotlib.pyplot as plt
import scanpy as sc

import eigenselect as es
from eigenselect.inference import Split

adata = sc.datasets.pbmc68k_reduced().raw.to_adata()
print(adata.shape)

# %%
# Scores, ranks and q-values go into ``.var``, parameters into ``.uns``, as scanpy's own verbs do. ``"split"`` deals
# the genes into five parts, five times; once is enough to show it, and five times as fast.
es.pp.spectral_features(adata, significance=Split(n_repeats=1))
columns = ["spectral_score", "spectral_rank", "spectral_qval"]
print(adata.var.sort_values("spectral_rank")[columns].head(8).round(3).to_string())
print(f"{int(adata.var['spectral'].sum())} of {adata.n_vars} genes with q ≤ 0.05")

# %%
# That so many follow is no wonder: the table was cut to variable genes before. The order says more than the number.
# Known markers of blood cells stand high:
markers = ["LYZ", "CD79A", "NKG7", "CD3D"]
print(adata.var.loc[markers, "spectral_rank"].to_dict())
assert (adata.var.loc[markers, "spectral_rank"] < adata.n_vars / 2).all()

# %%
# The markers in the UMAP of the file, each with its rank and q-value.
es.pl.embedding(adata, color=markers, size=14, ncols=2, show=False)
plt.show()

# %%
# Every gene's score against its mean. Few of the rare genes have a small q-value: a handful of cells says little.
es.pl.score_mean(adata, show=False)
plt.show()
