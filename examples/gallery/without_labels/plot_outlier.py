"""
One sample that takes over
==========================

In a full kernel a sample that is unlike all others is similar only to itself. Features that vary in it alone then look
smooth. The library says so; a neighbour graph does not have the problem.
"""

# %%
# Forty-eight samples of two groups. Ten features tell the groups apart; ten others are large in the last sample, and
# are noise elsewhere.
import warnings

import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es

rng = np.random.default_rng(0)
group = np.repeat([0, 1], 24)
X = rng.normal(size=(48, 100))
X[:, :10] += 3 * group[:, None]
X[-1, 10:20] += 40

# %%
# A full RBF kernel: the ten best features are those of the last sample. The warning is caught here to show it.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    full = es.LaplacianScore(10, similarity="rbf").fit(X)
print("full kernel:", full.get_support(indices=True))
for warning in said:
    print(f"{warning.category.__name__}: {warning.message}")
assert set(full.get_support(indices=True)) == set(range(10, 20))

# %%
# In a graph of neighbours, the default, every sample has ten neighbours, the outlier too. It cannot stand alone.
neighbours = es.LaplacianScore(10).fit(X)
print("neighbours: ", neighbours.get_support(indices=True))
assert set(neighbours.get_support(indices=True)) == set(range(10))

# %%
# Where does the leading eigenvector of each graph live? In the full kernel on one sample, in the neighbour graph on the
# groups.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
for ax, selector, title in zip(axes, (full, neighbours), ("full RBF kernel", "neighbour graph"), strict=True):
    vector = selector.graph_.spectrum(2).nontrivial_vectors()[:, 0]
    vector = vector * np.sign(vector[-1])
    for number, marker in zip((0, 1), "o^", strict=True):
        inside = np.flatnonzero(group == number)
        ax.scatter(inside, vector[inside], marker=marker, s=22, label=f"group {number}")
    ax.set(title=title, xlabel="sample")
axes[0].set_ylabel("second eigenvector of the graph")
axes[0].legend(loc="center left")
axes[0].annotate("the outlier", (47, vector.max()), xytext=(47, 0.93), ha="right", va="center")
plt.show()
