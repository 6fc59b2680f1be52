"""
A first ranking
===============

Which measurements of a table say how its samples are grouped, if nobody has told the groups? The Laplacian score
asks of every feature whether samples that are near each other have similar values of it.
"""

# %%
# 178 Italian wines and 13 measurements of each, shipped with scikit-learn. Neighbours are found by distance, so every
# measurement is first put on one scale.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.apply(scale)
print(X.shape)

# %%
# :class:`~eigenselect.LaplacianScore` is a selector like those of scikit-learn: ``fit``, then ``transform``. The
# cultivar of the wine, ``y``, is not used.
selector = es.LaplacianScore(4).fit(X)
print(list(selector.get_feature_names_out()))
print(selector.transform(X).shape)

# %%
# ``scores_`` are larger for better features in every method of the library, ``ranking_`` is 1 for the best.
best_first = selector.ranking_.argsort()
for column in best_first[[0, 1, 2, 3, 4, -2, -1]]:
    print(f"{selector.ranking_[column]:>2}  {X.columns[column]:<30} {selector.scores_[column]:.3f}")

# %%
# Did it find what tells the cultivars apart? The labels were not used above, so they can judge. The best measurement
# separates the three cultivars, the last one does not.
best, last = X.columns[best_first[0]], X.columns[best_first[-1]]
fisher = es.FisherScore().fit(X, y)
print(f"Fisher score with the labels: {best} {fisher.native_scores_[best_first[0]]:.2f}, ", end="")
print(f"{last} {fisher.native_scores_[best_first[-1]]:.2f}")
assert fisher.native_scores_[best_first[0]] > 10 * fisher.native_scores_[best_first[-1]]

rng = np.random.default_rng(0)
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.6), sharey=True)
for ax, name, title in zip(axes, (best, last), ("the best", "the last"), strict=True):
    for kind, marker in zip(range(3), "o^s", strict=True):
        values = X.loc[y == kind, name]
        ax.scatter(values, kind + rng.uniform(-0.15, 0.15, len(values)), s=16, marker=marker, alpha=0.8)
    ax.set(title=f"{title}: {name}", xlabel="standard deviations from the mean")
axes[0].set(yticks=range(3), yticklabels=["cultivar 0", "cultivar 1", "cultivar 2"])
plt.show()

# %%
# Every ranking has a best feature, also one of noise. :func:`~eigenselect.plot.score_curve` draws the scores beside
# those of three tables in which every feature was shuffled by itself: what is above the grey band is more than that.
es.plot.score_curve(selector, X)
plt.show()
