"""
The trap of the same table
==========================

On a graph that was made of a table, every column of the table looks smooth, because it helped to decide who is near
whom. A test that does not know this calls noise significant. Two routes are honest: split and shadows.
"""

# %%
# Two tables: one of noise, and one in which 40 of 200 features follow three hidden groups.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.similarity import KNN

rng = np.random.default_rng(0)
noise = rng.normal(size=(150, 200))
groups = rng.integers(3, size=150)
signal = noise.copy()
signal[:, :40] += 1.0 * rng.normal(size=(3, 40))[groups]

# %%
# The library sees that the graph was made of the features, and refuses.
try:
    es.LaplacianScore(significance=True).fit(noise)
except ValueError as error:
    print(error)

# %%
# The trap, on purpose: ``"given"`` is the user's word that a matrix came from elsewhere. Here that is false.
tables = {"noise": noise, "40 of 200": signal}
trap = {
    name: es.LaplacianScore("fdr", significance="given").fit(table, similarity_matrix=KNN().build(table).affinity)
    for name, table in tables.items()
}
for name, selector in trap.items():
    print(f"{name:<9} graph of the same table, called given: {selector.n_features_} kept")
assert trap["noise"].n_features_ > 100

# %%
# ``"split"`` judges every feature on a graph of the others. ``"shadows"`` lets a shuffled copy of every feature take
# part, and asks whether the feature beats its copy; at a level of 0.05 it keeps at least twenty features or none.
honest = {}
for route in ("split", "shadows"):
    for name, table in tables.items():
        found = honest[route, name] = es.LaplacianScore("fdr", significance=route).fit(table)
        false = found.get_support()[40:].sum() if name != "noise" else found.n_features_
        print(f"{name:<9} {route:<8} {found.n_features_} kept, {false} of them noise")
assert honest["split", "noise"].n_features_ == honest["shadows", "noise"].n_features_ == 0

# %%
# P-values of noise should be spread evenly. Those of the trap are not; those of split are, but for a pile at 1, where
# it is careful.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
bins = np.linspace(0, 1, 21)
axes[0].hist(trap["noise"].pvalues_, bins, color="C1")
axes[0].set(title="graph of the same table", ylabel="features of noise")
axes[1].hist(honest["split", "noise"].pvalues_, bins)
axes[1].set(title="split: graph of the other features")
for ax in axes:
    ax.axhline(10, color="0.3", ls="--", lw=1)
    ax.set(xlabel="p-value", yscale="symlog", ylim=(0, 250))
    ax.set_yticks([0, 10, 100, 200], ["0", "10", "100", "200"])
axes[0].text(0.98, 11, "even", ha="right", va="bottom")
plt.show()
