"""
The best subset, not the best features
======================================

The trace ratio is a score of a whole subset: scatter between classes over scatter within, each summed over the subset.
The best subset need not be that of the best single scores, and it is found exactly.
"""

# %%
# All features as measured, in units of their own (``scale=None``): the sums then weigh features by their spread.
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

import eigenselect as es

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.drop(columns="proline")  # its numbers are a hundred times as large, and would be all of every sum

# %%
# Three ways to three features: subset, single scores, and by looking at all 220 subsets.
subset = es.TraceRatio(3, scale=None).fit(X, y)
single = es.FisherScore(3).fit(X, y)


def scatters(values):
    """Return the scatter between and within classes of every column."""
    means = np.array([values[y == kind].mean(axis=0) for kind in range(3)])
    within = sum(((values[y == kind] - means[kind]) ** 2).sum(axis=0) for kind in range(3))
    return ((values - values.mean(axis=0)) ** 2).sum(axis=0) - within, within


between, within = scatters(X.to_numpy())
ratios = {columns: between[list(columns)].sum() / within[list(columns)].sum() for columns in combinations(range(12), 3)}
best = max(ratios, key=ratios.get)
chosen = {"trace ratio": subset.get_support(indices=True), "single Fisher scores": single.get_support(indices=True)}
for name, columns in chosen.items():
    print(f"{name:<21} {ratios[tuple(columns)]:.3f}  {', '.join(X.columns[columns])}")
print(f"{'best of all ' + str(len(ratios)):<21} {ratios[best]:.3f}")
assert tuple(chosen["trace ratio"]) == best
assert ratios[tuple(chosen["single Fisher scores"])] < ratios[best]

# %%
# The default, ``scale="auto"``, puts features at unit deviation first. Then scatter between and within sum to the same
# for all, and both ways agree.
same = es.TraceRatio(3).fit(X, y)
assert np.array_equal(same.get_support(), single.get_support())

figure, ax = plt.subplots(figsize=(7, 3.6))
ax.hist(list(ratios.values()), bins=40, color="0.8", label="all subsets of three")
ax.axvline(ratios[best], color="C0", lw=2, label="trace ratio")
ax.axvline(ratios[tuple(chosen["single Fisher scores"])], color="C1", lw=2, ls="--", label="three best Fisher scores")
ax.set(xlabel="scatter between over scatter within", ylabel="subsets")
ax.legend()
plt.show()
