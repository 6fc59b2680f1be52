"""
What a score measures
=====================

Samples are points, joined to their nearest neighbours. A feature is a colour for every point. It scores well if the
colour changes slowly along the lines: that is all that spectral feature selection asks.
"""

# %%
# Two half moons of points, and a graph that joins each point to its eight nearest neighbours.
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import make_moons

import eigenselect as es
from eigenselect.similarity import KNN, FromTable

places, moon = make_moons(200, noise=0.1, random_state=0)
rng = np.random.default_rng(0)
graph = KNN(n_neighbors=8).build(places)

# %%
# Four features. The first three follow the points, from coarse to fine; the last knows nothing of them.
features = {
    "which moon": moon.astype(float),
    "height": places[:, 1],
    "six waves": np.sin(6 * places[:, 0]),
    "noise": rng.normal(size=200),
}
X = np.column_stack(list(features.values()))

# %%
# The graph comes from the places, :class:`~eigenselect.similarity.FromTable`, not from the features that are judged. So
# a p-value means something: the share of all orders of the values that would look as smooth.
selector = es.LaplacianScore(similarity=FromTable(places, KNN(n_neighbors=8)), significance=True).fit(X)
for name, score, rough, p in zip(features, selector.scores_, selector.native_scores_, selector.pvalues_, strict=True):
    print(f"{name:<12} score {score:6.3f}   Laplacian score {rough:.3f}   p {p:.1e}")
assert (selector.pvalues_[:3] < 1e-6).all()
assert selector.pvalues_[3] > 0.05

# %%
# The Laplacian score sums the squared steps along the lines, relative to the spread of the feature: 0 if no line
# joins two colours, about 1 for values in any order. ``scores_`` is one minus that, so that larger is better.
figure, axes = plt.subplots(2, 2, figsize=(8.4, 5.4))
first, second = graph.affinity.nonzero()
lines = np.stack([places[first], places[second]], axis=1)
for ax, (name, values), rough in zip(axes.flat, features.items(), selector.native_scores_, strict=True):
    ax.add_collection(LineCollection(lines, colors="0.8", linewidths=0.7, zorder=0))
    ax.scatter(*places.T, c=values, cmap="cividis", s=20)
    ax.set(title=f"{name}: {rough:.2f}", xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)
figure.suptitle("Laplacian score (small is smooth)")
plt.show()
