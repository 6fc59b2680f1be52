"""
A number in place of classes
============================

Disease progression, a price, a temperature: HSIC and ReliefF take a numeric target as it is.
"""

# %%
# Diabetes: ten measurements of 442 patients, and how far the disease had gone a year later.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import eigenselect as es

X, y = load_diabetes(return_X_y=True, as_frame=True)

# %%
# The Fisher score needs classes, and says so.
try:
    es.FisherScore().fit(X, y)
except ValueError as error:
    print(error)

# %%
# :class:`~eigenselect.HSICScore` compares a kernel of y with each feature. The target is from outside the table, so
# that p-values are honest; ``"fdr"`` keeps features with a false discovery rate of at most 0.05.
hsic = es.HSICScore("fdr", significance=True).fit(X, y)
relieff = es.ReliefF().fit(X, y)
best_first = hsic.ranking_.argsort()
print("feature  HSIC      q        ReliefF rank")
for column in best_first:
    mark = "kept" if hsic.get_support()[column] else ""
    row = f"{hsic.scores_[column]:.4f}  {hsic.qvalues_[column]:.1e}  {relieff.ranking_[column]:>2}"
    print(f"{X.columns[column]:<8} {row}  {mark}")

# %%
# Does it mean something on noise? Add 200 columns of noise: at most about one in twenty of the kept ones should be
# such.
noise = np.random.default_rng(0).normal(size=(len(X), 200))
wide = es.HSICScore("fdr", significance=True).fit(np.hstack([X, noise]), y)
kept = wide.get_support(indices=True)
print(f"{(kept < 10).sum()} measurements and {(kept >= 10).sum()} columns of noise kept")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8))
shown = best_first[::-1]
axes[0].barh(X.columns[shown], hsic.scores_[shown], color=np.where(hsic.get_support()[shown], "C0", "0.75"))
axes[0].set(xlabel="HSIC score", title="blue: q ≤ 0.05")
best = X.columns[best_first[0]]
axes[1].scatter(X[best], y, s=10, alpha=0.6)
axes[1].set(xlabel=f"{best}, scaled", ylabel="disease progression", title=f"the best: {best}")
plt.show()
