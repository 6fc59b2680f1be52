"""
Dask arrays, chunk by chunk
===========================

A Dask array is worked on where its chunks are, with threads or with a cluster: sums per feature come back, the table
never does. ``transform`` stays lazy.
"""

# %%
# 2000 samples with places and 60 features, in chunks of 250 samples. Samples are sorted by place, so that neighbours
# share chunks and little has to move.
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import kneighbors_graph

import eigenselect as es

rng = np.random.default_rng(0)
places = rng.random((2000, 2))
places = places[np.argsort(places[:, 0])]
values = rng.normal(size=(2000, 60))
values[:, :6] += np.sin(5 * places[:, :1]) * np.linspace(0.2, 1.0, 6)
X = da.from_array(values, chunks=(250, 60))
print(X.shape, X.numblocks)

# %%
# Scores and q-values of a chunked table are those of the table in memory.
S = kneighbors_graph(places, 10)
S = S.maximum(S.T)
selector = es.LaplacianScore("fdr", significance="given").fit(X, similarity_matrix=S)
in_memory = es.LaplacianScore("fdr", significance="given").fit(values, similarity_matrix=S)
assert np.allclose(selector.scores_, in_memory.scores_)
assert np.array_equal(selector.get_support(), in_memory.get_support())
print("q ≤ 0.05:", selector.get_support(indices=True))

# %%
# The chosen columns are a Dask array again; nothing was computed yet.
lazy = selector.transform(X)
print(type(lazy).__name__, lazy.shape, "chunks of", lazy.chunksize)

# %%
# A chunk with a missing value is named.
broken = X.copy()
broken[600, 3] = np.nan
try:
    es.LaplacianScore().fit(broken, similarity_matrix=S)
except ValueError as error:
    print(error)

figure, axes = plt.subplots(1, 2, figsize=(9.4, 3.8))
edges = S.tocoo()
axes[0].scatter(edges.row[::7], edges.col[::7], s=0.5, color="C0")
for border in range(250, 2000, 250):
    axes[0].axhline(border, color="0.8", lw=0.6)
    axes[0].axvline(border, color="0.8", lw=0.6)
axes[0].set(xlabel="sample", ylabel="sample", title="neighbours and chunks", xlim=(0, 2000), ylim=(2000, 0))
axes[1].bar(range(60), selector.scores_, color=np.where(selector.get_support(), "C0", "0.75"))
axes[1].set(xlabel="feature", ylabel="score", title="blue: q ≤ 0.05")
plt.show()
