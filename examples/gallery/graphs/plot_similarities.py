"""
What "alike" can mean
=====================

The sample graph is a part of every selector. The same features look smooth on one graph and rough on another: choose
the likeness that fits the samples.
"""

# %%
# A spiral of 300 points. One feature is the position along the spiral, one the height in the plane, one noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.similarity import KNN, RBF, Diffusion, FromTable, Geodesic

rng = np.random.default_rng(0)
along = np.sqrt(np.linspace(1, 16, 300)) * np.pi
places = along[:, None] * np.column_stack([np.cos(along), np.sin(along)]) + 0.2 * rng.normal(size=(300, 2))
X = np.column_stack([along, places[:, 1], rng.normal(size=300)])
names = ["along the spiral", "height", "noise"]

# %%
# Four similarities of the places. Scores on different graphs are not comparable; p-values, and the order of the
# features on one graph, are.
similarities = {
    "nearest neighbours": KNN(n_neighbors=10),
    "full RBF kernel": RBF(),
    "diffusion": Diffusion(beta=20.0, n_neighbors=10),
    "shortest paths": Geodesic(n_neighbors=10),
}
fitted = {}
for name, similarity in similarities.items():
    fitted[name] = es.LaplacianScore(similarity=FromTable(places, similarity), significance=True).fit(X)
    first = names[fitted[name].ranking_.argmin()]
    print(f"{name:<19} first: {first:<17} p of noise {fitted[name].pvalues_[2]:.2f}")
assert all((selector.pvalues_[2] > 0.01) for selector in fitted.values())
assert fitted["shortest paths"].ranking_[0] == 1
assert fitted["full RBF kernel"].ranking_[0] == 2

# %%
# Colour is how alike each point is to the one that is marked. The full kernel goes straight through the gaps; the
# others follow the spiral.
figure, axes = plt.subplots(1, 4, figsize=(11, 3.1))
start = 150
for ax, (name, selector) in zip(axes, fitted.items(), strict=True):
    row = selector.graph_.to_array()[start]
    row[start] = 0
    ax.scatter(*places.T, c=np.sqrt(row / row.max()), cmap="cividis", s=14)
    ax.scatter(*places[start], s=70, facecolors="none", edgecolors="C1", linewidths=2)
    ax.set(title=name, xticks=[], yticks=[], aspect="equal")
plt.show()
