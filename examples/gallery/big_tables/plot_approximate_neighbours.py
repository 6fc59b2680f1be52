"""
Approximate neighbours
======================

Exact neighbours of very many samples take long. An approximate search finds nearly all of them; what matters is whether
the ranking stays.
"""

# %%
# 5000 samples of four groups in 40 features; 15 of them tell the groups apart.
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr

import eigenselect as es
from eigenselect.similarity import KNN

rng = np.random.default_rng(0)
group = rng.integers(4, size=5000)
X = rng.normal(size=(5000, 40))
X[:, :15] += np.linspace(0.3, 1.2, 15) * rng.normal(size=(4, 15))[group]

# %%
# Three searches: exact, approximate, and exact in ten principal components, which is another graph.
searches = {
    "exact": KNN(n_neighbors=10, algorithm="exact"),
    "approximate": KNN(n_neighbors=10, algorithm="approximate", random_state=0),
    "ten components": KNN(n_neighbors=10, algorithm="exact", n_components=10),
}
graphs = {name: search.build(X) for name, search in searches.items()}
true = graphs["exact"].affinity > 0
for name, graph in graphs.items():
    share = (true.multiply(graph.affinity > 0)).nnz / true.nnz
    print(f"{name:<15} {share:.0%} of the exact neighbours")

# %%
# The ranking on each. The few neighbours that an approximate search misses hardly matter. Another space is another
# question: the strong features stay first, the weak ones change.
scores = {name: es.LaplacianScore().fit(X, similarity_matrix=graph.affinity).scores_ for name, graph in graphs.items()}
for name, values in scores.items():
    print(f"{name:<15} rank correlation with exact {spearmanr(values, scores['exact']).statistic:.3f}")
assert spearmanr(scores["approximate"], scores["exact"]).statistic > 0.98

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
for ax, name in zip(axes, ("approximate", "ten components"), strict=True):
    ax.scatter(scores["exact"][15:], scores[name][15:], s=22, color="0.65", label="noise")
    ax.scatter(scores["exact"][:15], scores[name][:15], s=30, label="tells the groups apart")
    ends = [min(scores["exact"]), max(scores["exact"])]
    ax.plot(ends, ends, color="0.5", lw=1, zorder=0)
    ax.set(xlabel="score on exact neighbours", title=name)
axes[0].set_ylabel("score on the other graph")
axes[0].legend()
plt.show()
