"""
A set of features that should matter
====================================

A pathway, a panel of markers, a list from a paper: a set of features whose samples' likeness is believed. The other
features are ranked by whether they follow it.
"""

# %%
# Sixty samples. A pathway of eight genes goes up together in half of them; twelve further genes follow it, and a batch
# effect on 60 genes is stronger than both. 420 genes are noise.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import eigenselect as es
from eigenselect.multisource import FeatureSet, TargetData

rng = np.random.default_rng(0)
active, batch = rng.permutation(np.repeat([0, 1], 30)), rng.permutation(np.repeat([0, 1], 30))
kinds = np.repeat(["pathway", "follows", "batch", "noise"], [8, 12, 60, 420])
genes = pd.DataFrame(rng.normal(size=(60, 500)), columns=[f"{kind} {j}" for j, kind in enumerate(kinds)])
genes.loc[:, kinds == "pathway"] += 2.0 * active[:, None]
genes.loc[:, kinds == "follows"] += 1.2 * active[:, None]
genes.loc[:, kinds == "batch"] += 1.3 * batch[:, None]

# %%
# All genes together see the batch. :class:`~eigenselect.multisource.FeatureSet` makes the graph of the pathway alone.
# One of its members is not in the table; that is said in a warning and counted in ``notes_``, so the list is cut
# first here.
pathway = [name for name in ["pathway 0", "pathway 3", "pathway 5", "pathway 6", "not measured"] if name in genes]
by_all = es.MSFS(20, sources=[("all genes", TargetData())]).fit(genes)
by_set = es.MSFS(20, sources=[("pathway", FeatureSet(pathway))]).fit(genes)
counts = pd.DataFrame(
    {name: pd.Series(kinds[fit.get_support()]).value_counts() for name, fit in (("all", by_all), ("set", by_set))},
    index=["pathway", "follows", "batch", "noise"],
)
counts = counts.fillna(0).astype(int)
print(counts.to_string())
assert counts.loc["batch", "all"] >= 15
assert counts.loc["batch", "set"] <= 2

# %%
# The four genes of the set made the graph, so that they rank first whatever they are: a set of noise would do so,
# too. Do judge the *others*. Test them on a graph of the set, which did not see them.
others = genes.drop(columns=pathway)
tested = es.LaplacianScore("fdr", similarity=es.similarity.FromTable(genes[pathway]), significance=True).fit(others)
chosen = pd.Series(kinds[~genes.columns.isin(pathway)][tested.get_support()]).value_counts()
print("with q ≤ 0.05:", chosen.to_dict())

figure, ax = plt.subplots(figsize=(6.6, 3.4))
left = np.zeros(2)
for kind, colour in zip(counts.index, ("C2", "C0", "C1", "0.8"), strict=True):
    ax.barh(["graph of all genes", "graph of the set"], counts.loc[kind], left=left, color=colour, label=kind)
    left += counts.loc[kind].to_numpy()
ax.invert_yaxis()
ax.set(xlabel="the 20 best genes", xticks=range(0, 21, 5))
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.18), ncols=4)
plt.show()
