"""
Samples that are places
=======================

Sensors, shops or spots on a slide: coordinates say who is near whom, and they did not see the measurements. So every
measurement can be tested for a pattern in space, without AnnData.
"""

# %%
# 500 places in the unit square. Two of 40 measurements have a pattern: a slope, and a patch in the middle.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.similarity import KNN, FromTable

rng = np.random.default_rng(0)
places = rng.random((500, 2))
X = rng.normal(size=(500, 40))
X[:, 0] += 4 * places[:, 0]
X[:, 1] += 3 * (((places - 0.5) ** 2).sum(axis=1) < 0.04)

# %%
# Moran's I, Geary's C and the Laplacian score ask the same question in slightly different ways. All take the
# coordinates as a similarity.
neighbours = FromTable(places, KNN(n_neighbors=8, weight="binary"))
for method in (es.MoranI, es.GearyC, es.LaplacianScore):
    selector = method("fdr", similarity=neighbours, significance=True).fit(X)
    found = selector.get_support(indices=True).tolist()
    values = selector.native_scores_[[0, 1]]
    print(f"{method.__name__:<15} first two: {values[0]:.3f} {values[1]:.3f}   q ≤ 0.05: {found}")
    assert {0, 1} <= set(found)

# %%
# Shuffle the places, and the patterns are gone.
shuffled = FromTable(rng.permutation(places), KNN(n_neighbors=8, weight="binary"))
print(es.MoranI("fdr", similarity=shuffled, significance=True).fit(X).n_features_, "found with shuffled places")

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
moran = es.MoranI("fdr", similarity=neighbours, significance=True).fit(X)
for ax, column in zip(axes, (0, 1, 2), strict=True):
    drawn = ax.scatter(*places.T, c=X[:, column], cmap="cividis", s=14, vmin=-2, vmax=4)
    ax.set(title=f"I = {moran.native_scores_[column]:.2f}, q = {moran.qvalues_[column]:.1g}", xticks=[], yticks=[])
    ax.set(aspect="equal", xlabel=("slope", "patch", "noise")[column])
figure.colorbar(drawn, ax=axes, shrink=0.7)
plt.show()
