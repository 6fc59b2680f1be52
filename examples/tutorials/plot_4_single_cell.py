"""
Single cell and spatial
=======================

From an AnnData to genes with q-values: first genes that follow the neighbours of blood cells, then genes that vary over
a tissue. The verbs have the manners of scanpy and squidpy: results go into ``.var`` and ``.uns``, and nothing else is
touched.

You learn which p-values a graph of cells allows, what ``"split"`` does, how to use batches and covariates, and to read
the pictures of :mod:`eigenselect.pl`.
"""

# %%
# Blood cells
# -----------
# 700 cells, 765 genes, shipped with scanpy. ``raw`` holds logarithms of normalised counts, which is what the verb
# wants; the file comes with neighbours and a UMAP.
import tempfile
import warnings
from pathlib import Path

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scanpy as sc
from sklearn.neighbors import kneighbors_graph

import eigenselect as es
from eigenselect.inference import Split

cells = sc.datasets.pbmc68k_reduced().raw.to_adata()
print(cells.shape, list(cells.obsp), list(cells.obsm))

# %%
# A ranking, and why it has no p-values
# -------------------------------------
# The verb takes the neighbours of the file. It ranks, and leaves p-values empty, because these genes made the
# neighbours. The warning is caught here to be read.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    es.pp.spectral_features(cells, n_top_genes=100)
for warning in said:
    print(warning.message)
print(cells.var.sort_values("spectral_rank")["spectral_score"].head(6).round(3).to_dict())

# %%
# Does that matter? Add noise: every tenth gene, shuffled over the cells. Then find the neighbours anew, with the noise
# among the genes. (``scanpy.pp.neighbors`` writes such a graph and such a record; scikit-learn is faster to start.)
rng = np.random.default_rng(0)
values = cells.X.toarray()
shuffled = np.column_stack([rng.permutation(values[:, j]) for j in range(0, 765, 10)])
names = [*cells.var_names, *[f"shuffled{j}" for j in range(shuffled.shape[1])]]
wide = anndata.AnnData(np.hstack([values, shuffled]), obs=cells.obs.copy(), var=pd.DataFrame(index=names))
sc.pp.pca(wide, n_comps=30, random_state=0)
wide.obsp["connectivities"] = kneighbors_graph(wide.obsm["X_pca"], 15)
wide.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 15, "n_pcs": 30}}

# %%
# ``"split"`` deals the genes into five parts and judges each part on neighbours that the others make. The default
# repeats that five times; once is enough to show it.
es.pp.spectral_features(wide, significance=Split(n_repeats=1), key_added="split")
es.pp.spectral_features(wide, significance="given", key_added="wrong")  # our word, which is false here
is_noise = wide.var_names.str.startswith("shuffled")
for key in ("split", "wrong"):
    chosen = wide.var[key].to_numpy()
    print(f"{key}: {chosen.sum()} genes with q ≤ 0.05, {(chosen & is_noise).sum()} of {is_noise.sum()} shuffled ones")
assert (wide.var["split"].to_numpy() & is_noise).sum() < (wide.var["wrong"].to_numpy() & is_noise).sum()

# %%
# That most of the genes are significant is no wonder: the table was cut to variable genes before. Look at the order.
figure, axes = plt.subplots(1, 2, figsize=(12, 4.8))
es.pl.ranking(wide, "split", n_genes=20, ax=axes[0], show=False)
es.pl.score_mean(wide, "split", ax=axes[1], show=False)
plt.show()

# %%
# The best in the UMAP of the file.
es.pl.embedding(cells, color=["CST3", "CD79A", "NKG7", "CD3D"], size=12, show=False)
plt.show()

# %%
# What should not count
# ---------------------
# Dividing cells are alike. If that is not of interest, take it out: ``covariates`` names columns of ``.obs``.
plain = es.pp.spectral_features(cells, 100, significance=None, inplace=False)
without = es.pp.spectral_features(cells, 100, covariates=["S_score", "G2M_score"], significance=None, inplace=False)
moved = (without["spectral_rank"] - plain["spectral_rank"]).sort_values()
print("fell most without the cell cycle:", moved.index[-6:].tolist())
print("of the 100 best", int((plain["spectral"] & without["spectral"]).sum()), "stay")

# %%
# A tissue
# --------
# 400 spots, 200 genes; 15 are high at the left, 15 around two places. Places did not see the genes, so that p-values
# are honest as they are.
places = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
means = np.ones((400, 200))
means[places[:, 0] < 7, :15] = 2.5
around = ((places[:, None] - [[14, 5], [12, 15]]) ** 2).sum(axis=2).min(axis=1) < 9
means[around, 15:30] = 3.0
genes = [f"left{j}" if j < 15 else f"spot{j}" if j < 30 else f"noise{j}" for j in range(200)]
slide = anndata.AnnData(np.log1p(rng.poisson(means).astype(float)), var=pd.DataFrame(index=genes))
slide.obsm["spatial"] = places
slide.obsp["spatial_connectivities"] = kneighbors_graph(places, 6)
es.gr.spatial_autocorr(slide)
table = slide.uns["moranI"]
found = table.index[table["pval_norm_fdr_bh"] <= 0.05]
print(len(found), "genes with q ≤ 0.05,", sum(name.startswith("noise") for name in found), "of them noise")

# %%
# ``pp.spectral_features`` does the same with any method of the library, flags genes for ``scanpy.pp.pca``, and has the
# same evidence.
es.pp.spectral_features(slide, obsp="spatial_connectivities", flag_as_highly_variable=True)
print(int(slide.var["highly_variable"].sum()), "flagged by", slide.uns["spectral"]["rule"])
es.pl.spatial(slide, ["left0", "spot15", "noise30"], key="moranI", size=40, ncols=3, show=False)
# sphinx_gallery_thumbnail_number = 3
plt.show()

# %%
# P-values against uniform ones, the first picture to look at: at the left, where noise is, points follow the line if
# the test is right.
es.pl.qq(slide, "moranI", show=False)
plt.show()

# %%
# All of it is in the file
# ------------------------
file = Path(tempfile.mkdtemp()) / "slide.h5ad"
slide.write_h5ad(file)
again = anndata.read_h5ad(file)
assert np.array_equal(again.var["spectral_qval"], slide.var["spectral_qval"])
print([column for column in again.var.columns if column.startswith("spectral")])

# %%
# What can go wrong
# -----------------
# * *Raw counts.* Deep cells are alike in them; normalise and take logarithms. The verb warns of raw counts.
# * *Labels from clustering.* Cell types that were found with these genes make noise significant, and no program can see
#   it: ``significance=None`` is then the honest argument.
# * *Several slides or donors.* ``batch_key`` judges each alone
#   (:ref:`sphx_glr_auto_examples_single_cell_plot_batches.py`).
# * *q-values are about genes, not about types of cells.* Most genes of a table of two kinds of cells follow them.
#
# Where to go next
# ----------------
# :ref:`sphx_glr_auto_examples_single_cell_plot_proteins_judge_genes.py` for MuData, and
# :ref:`sphx_glr_tutorials_plot_5_big_tables.py` for tables that do not fit.
