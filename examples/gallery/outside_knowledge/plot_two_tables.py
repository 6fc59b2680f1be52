"""
The same samples in another table
=================================

A small wide table says little about which samples are alike. Another measurement of the same samples may say it better,
and it did not see the features that are judged, so that p-values are honest.
"""

# %%
# Forty patients, 500 genes of which 10 follow a hidden group, and 20 proteins that follow it more clearly. Rows are
# matched by name; the proteins come in another order.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import eigenselect as es
from eigenselect.multisource import AuxiliaryData, TargetData

rng = np.random.default_rng(0)
patients = [f"patient {i}" for i in range(40)]
group = np.repeat([0, 1], 20)
names = [f"follows {j}" if j < 10 else f"noise {j}" for j in range(500)]
genes = pd.DataFrame(rng.normal(size=(40, 500)), patients, names)
genes.iloc[:, :10] += 1.5 * group[:, None]
proteins = pd.DataFrame(rng.normal(size=(40, 20)) + 1.2 * group[:, None], patients)
proteins = proteins.sample(frac=1, random_state=0)

# %%
# :class:`~eigenselect.MSFS` ranks the genes on a graph of the patients. The graph comes from the genes themselves, from
# the proteins, or from both with equal weights. How many of the ten are among the first ten?
sources = {
    "genes alone": [("genes", TargetData())],
    "proteins": [("proteins", AuxiliaryData(proteins))],
    "both, equal weights": [("genes", TargetData()), ("proteins", AuxiliaryData(proteins))],
}
fitted = {name: es.MSFS(10, sources=each).fit(genes) for name, each in sources.items()}
found = {name: int(selector.get_support()[:10].sum()) for name, selector in fitted.items()}
print(found)
assert found["proteins"] > found["genes alone"]

# %%
# On the graph of the proteins alone there are q-values. Of the genes with q ≤ 0.05 one in twenty is expected to be
# noise: that is a mean over many tables, no promise for this one.
tested = es.MSFS("fdr", sources=sources["proteins"], significance=True).fit(genes)
kept = tested.get_feature_names_out()
print(len(kept), "genes with q ≤ 0.05,", sum(name.startswith("noise") for name in kept), "of them noise")

# %%
# On a graph that the genes made there are none, and the library says why.
try:
    es.MSFS(sources=sources["genes alone"], significance=True).fit(genes)
except ValueError as error:
    print(error)

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for ax, (name, selector) in zip(axes, fitted.items(), strict=True):
    order = selector.scores_.argsort()[::-1]
    informative = order < 10
    ranks = np.arange(1, 501)
    ax.scatter(ranks[~informative], selector.scores_[order][~informative], s=8, color="0.7", label="noise")
    ax.scatter(ranks[informative], selector.scores_[order][informative], s=30, label="follows the group")
    ax.set(title=f"{name}: {found[name]} of 10", xlabel="rank", xscale="log")
axes[0].set_ylabel("score")
axes[0].legend()
plt.show()
