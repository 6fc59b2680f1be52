"""
Sparse tables stay sparse
=========================

Word counts, single cells, clicks: most entries are zero. A sparse matrix goes in as it is, and scores and q-values come
from its non-zeros.
"""

# %%
# 3000 samples with places, 2000 features, one entry in fifty not zero. Five features are ten times as frequent in one
# corner.
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

import eigenselect as es

rng = np.random.default_rng(0)
places = rng.random((3000, 2))
chance = np.full((3000, 2000), 0.02)
chance[places.max(axis=1) < 0.4, :5] = 0.2
X = sparse.csr_array((rng.random(chance.shape) < chance).astype(np.float32))
print(f"{X.nnz} non-zeros; dense it would be {8 * X.shape[0] * X.shape[1] / 1e6:.0f} MB")

# %%
# The graph of the places is sparse, too. It did not see the features, so that p-values are honest.
S = kneighbors_graph(places, 10)
S = S.maximum(S.T)
selector = es.LaplacianScore("fdr", significance="given").fit(X, similarity_matrix=S)
found = selector.get_support(indices=True)
print("q ≤ 0.05:", found)
assert set(range(5)) <= set(found)

# %%
# The same numbers as of the dense table, and ``transform`` gives a sparse matrix again.
dense = es.LaplacianScore("fdr", significance="given").fit(X.toarray(), similarity_matrix=S)
assert np.allclose(dense.scores_, selector.scores_)
small = selector.transform(X)
print(type(small).__name__, small.shape, small.nnz)

# %%
# Scores of rare features scatter widely around zero; z, the distance from the mean of shuffled values in their own
# standard deviations, makes them comparable.
z = (selector.null_mean_ - selector.native_scores_) / selector.null_sd_
figure, axes = plt.subplots(1, 2, figsize=(9.4, 4), width_ratios=(1, 1.2))
inside = X[:, [0]].toarray().ravel() > 0
axes[0].scatter(*places[~inside].T, s=2, color="0.85")
axes[0].scatter(*places[inside].T, s=14)
axes[0].set(title="samples in which feature 0 is not zero", xticks=[], yticks=[], aspect="equal")
axes[1].hist(z[5:], 60, color="0.75", label="1995 features at random")
axes[1].plot(z[:5], np.full(5, 5), "v", ms=9, label="five that follow the places")
axes[1].set(xlabel="z: standard deviations from shuffled values", ylabel="features")
axes[1].legend()
plt.show()
