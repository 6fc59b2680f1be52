"""
A similarity of your own
========================

Any function of the table that returns an n × n matrix is a similarity, and so is any matrix. Here samples are alike if
they were taken at the same time of day.
"""

# %%
# 240 samples over ten days. One feature has a daily rhythm, one a trend over the days, one is noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es

rng = np.random.default_rng(0)
hours = np.sort(rng.uniform(0, 240, size=240))
X = np.column_stack([np.cos(2 * np.pi * hours / 24), hours / 240, np.zeros(240)]) + 0.5 * rng.normal(size=(240, 3))
names = ["rhythm", "trend", "noise"]

# %%
# Two matrices of the same samples: near in time, and near in the time of day, where 23:00 and 1:00 are two hours apart.
gap = np.abs(hours[:, None] - hours)
in_the_day = np.minimum(gap % 24, 24 - gap % 24)
matrices = {"near in time": np.exp(-((gap / 12) ** 2)), "near in the day": np.exp(-((in_the_day / 2) ** 2))}

# %%
# ``similarity_matrix`` takes a dense or sparse matrix; ``"given"`` is our word that it was not made of the features.
pvalues = {}
for what, S in matrices.items():
    selector = es.SPEC(significance="given").fit(X, similarity_matrix=S)
    pvalues[what] = selector.pvalues_
    print(f"{what:<16}", {name: f"{p:.1e}" for name, p in zip(names, selector.pvalues_, strict=True)})
assert names[pvalues["near in time"].argmin()] == "trend"
assert names[pvalues["near in the day"].argmin()] == "rhythm"


# %%
# A function of the table works, too, and can be cloned, searched and put into pipelines. This one makes samples alike
# by their order in one column, so that its unit does not matter. It was made of the features: no p-values.
def by_rank_of_the_trend(X):
    """Return a kernel of the ranks of the second column."""
    ranks = X[:, 1].argsort().argsort()
    return np.exp(-(((ranks[:, None] - ranks) / 20) ** 2))


selector = es.SPEC(1, similarity=by_rank_of_the_trend).fit(X)
print("first:", names[selector.get_support(indices=True)[0]])

figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.4))
for ax, (what, S) in zip(axes, matrices.items(), strict=False):
    ax.imshow(S, cmap="cividis")
    ax.set(title=what, xlabel="sample", ylabel="sample")
axes[2].barh(np.arange(3) - 0.18, -np.log10(pvalues["near in time"]), height=0.35, label="near in time")
axes[2].barh(np.arange(3) + 0.18, -np.log10(pvalues["near in the day"]), height=0.35, label="near in the day")
axes[2].set(yticks=range(3), yticklabels=names, xlabel="-log10 p")
axes[2].invert_yaxis()
axes[2].legend(loc="lower right")
plt.show()
