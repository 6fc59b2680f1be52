"""
Big tables
==========

A table of a million features, or of a million cells, stays where it is: sparse, in a file, or in chunks on a cluster.
The calls are those of the other pages. This tutorial goes through the storages with small sizes, and shows at each step
that the numbers are the same.

You learn to rank a sparse matrix, a memory map, a zarr array and a Dask array, to bound the memory, and to choose how
neighbours are found.
"""

# %%
# One table, four storages
# ------------------------
# 1500 cells with places and 800 genes, nine of ten entries zero. Eight genes are frequent in one half.
import tempfile
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
import sklearn
import zarr
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.neighbors import kneighbors_graph

import eigenselect as es
from eigenselect.similarity import KNN

rng = np.random.default_rng(0)
places = rng.random((1500, 2))
places = places[np.argsort(places[:, 0])]  # sorted by place: neighbours share a chunk
rates = np.full((1500, 800), 0.1)
rates[places[:, 0] < 0.5, :8] = 0.3
counts = rng.poisson(rates).astype(np.float32)
folder = Path(tempfile.mkdtemp())
np.save(folder / "counts.npy", counts)
stored = zarr.create_array(folder / "counts.zarr", shape=counts.shape, dtype=counts.dtype, chunks=(500, 200))
stored[:] = counts
storages = {
    "array": counts,
    "CSR": sparse.csr_array(counts),
    "memory map": np.load(folder / "counts.npy", mmap_mode="r"),
    "zarr": zarr.open_array(folder / "counts.zarr", mode="r"),
    "Dask": da.from_array(counts, chunks=(250, 800)),
}
print(f"dense {counts.nbytes / 1e6:.1f} MB, {np.mean(counts == 0):.0%} zeros")

# %%
# A graph from elsewhere, and one call
# ------------------------------------
# The graph is that of the places. It is sparse, with some ten numbers per cell, so that it stays small where the
# table does not. ``"given"`` is our word that the genes did not make it.
S = kneighbors_graph(places, 10)
S = S.maximum(S.T)
fitted = {}
for name, table in storages.items():
    fitted[name] = es.LaplacianScore("fdr", significance="given").fit(table, similarity_matrix=S)
    print(f"{name:<11} q ≤ 0.05: {fitted[name].get_support(indices=True)}")
for name, selector in fitted.items():
    assert np.allclose(selector.scores_, fitted["array"].scores_, atol=1e-6), name
    assert np.array_equal(selector.get_support(), fitted["array"].get_support()), name

# %%
# What comes back has the storage that went in: a sparse matrix, or a lazy array.
for name in ("CSR", "Dask"):
    small = fitted[name].transform(storages[name])
    print(f"{name:<5} {type(small).__name__} {small.shape}")

# %%
# How much memory
# ---------------
# ``working_memory`` of scikit-learn, in MB, bounds what of a file is in memory at a time. The result does not change.
with sklearn.config_context(working_memory=2):
    bounded = es.LaplacianScore("fdr", significance="given").fit(storages["zarr"], similarity_matrix=S)
assert np.array_equal(bounded.get_support(), fitted["zarr"].get_support())
print("2 MB at a time: the same genes")

# %%
# What sparse saves
# -----------------
# A CSR holds a value and a column number for every non-zero, 8 bytes with float32; scores and p-values go over these
# only. It pays below a density of one half, and single cells are far below.
densities = np.array([0.01, 0.03, 0.1, 0.3, 0.5])
sizes = []
for density in densities:
    part = sparse.random_array((1500, 800), density=density, rng=rng, dtype=np.float32).tocsr()
    sizes.append(part.data.nbytes + part.indices.nbytes + part.indptr.nbytes)
    print(f"density {density:>4}: {sizes[-1] / 1e6:5.2f} MB as CSR, {counts.nbytes / 1e6:.2f} MB dense")

figure, ax = plt.subplots(figsize=(6.4, 3.8))
ax.plot(densities, np.array(sizes) / 1e6, "o-", label="CSR")
ax.axhline(counts.nbytes / 1e6, color="C1", ls="--", label="dense, float32")
ax.axhline(2 * counts.nbytes / 1e6, color="0.6", ls=":", label="dense, float64")
ax.set(xlabel="share of entries that are not zero", ylabel="MB", title="1500 cells, 800 genes", ylim=(0, None))
ax.legend()
plt.show()

# %%
# Neighbours of many samples
# --------------------------
# Where the graph has to come from the table, all pairs are compared. Three ways out: fewer dimensions, an approximate
# search, or both. 5000 samples of five groups, 60 features:
group = rng.integers(5, size=5000)
X = rng.normal(size=(5000, 60))
X[:, :20] += 0.8 * rng.normal(size=(5, 20))[group]
searches = {
    "exact": KNN(algorithm="exact"),
    "approximate": KNN(algorithm="approximate", random_state=0),
    "exact, 10 components": KNN(algorithm="exact", n_components=10),
}
scores = {}
for name, search in searches.items():
    graph = search.build(X)
    scores[name] = es.LaplacianScore().fit(X, similarity_matrix=graph.affinity).scores_
    agreement = spearmanr(scores[name], scores["exact"]).statistic
    best = (np.argsort(scores[name])[::-1][:20] < 20).sum()
    print(f"{name:<21} {best} of 20 informative features first, rank correlation with exact {agreement:.2f}")

# %%
# An approximate search on so few samples saves nothing; it is the default from about 100 000 samples of 50 features on,
# and says so. ``graph.description["search"]`` tells who searched.
print(KNN(algorithm="approximate", random_state=0).build(X).description["search"])

# %%
# Chunks on a cluster
# -------------------
# With a ``dask.distributed.Client`` the same call runs on its workers: the graph is sent once, and sums per feature
# come back. Chunks should hold neighbours, as here, where cells are sorted by place. The share of edges inside
# chunks:
edges = S.tocoo()
chunk = np.arange(1500) // 250
shuffled = rng.permutation(1500)
inside = np.mean(chunk[edges.row] == chunk[edges.col])
mixed = np.mean(chunk[shuffled[edges.row]] == chunk[shuffled[edges.col]])
print(f"sorted by place {inside:.0%}, in any order {mixed:.0%}")

figure, axes = plt.subplots(1, 2, figsize=(8.6, 4.2), sharey=True)
for ax, order, title in ((axes[0], np.arange(1500), "sorted by place"), (axes[1], shuffled, "in any order")):
    ax.scatter(order[edges.row[::4]], order[edges.col[::4]], s=0.6)
    for border in range(250, 1500, 250):
        ax.axhline(border, color="0.8", lw=0.6)
        ax.axvline(border, color="0.8", lw=0.6)
    ax.set(title=title, xlabel="cell", xlim=(0, 1500), ylim=(1500, 0), aspect="equal")
axes[0].set_ylabel("cell")
plt.show()

# %%
# What can go wrong
# -----------------
# * *Full kernels.* RBF, linear and cosine similarities need 8 n² bytes. Where that is not free, the fit stops before it
#   starts.
# * *Missing values deep inside.* They are named with row, column and chunk.
# * *Methods that need every value many times.* ReliefF, MRSF and reports with refits refuse Dask arrays, and say what
#   to do.
# * *Files by rows.* A file whose chunks are whole rows is turned once, in a temporary copy; TMPDIR needs room for it.
#
# Where to go next
# ----------------
# :ref:`sphx_glr_auto_examples_big_tables_plot_sparse.py`, :ref:`sphx_glr_auto_examples_big_tables_plot_dask.py` and
# :ref:`sphx_glr_auto_examples_big_tables_plot_approximate_neighbours.py`.
