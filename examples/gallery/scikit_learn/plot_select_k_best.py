"""
Our scores in scikit-learn's selectors
======================================

SelectKBest, SelectFdr and SelectPercentile take any function of X and y. The library's scores are there as such
functions, with p-values where these are honest.
"""

# %%
# Wine, with twenty columns of noise.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Patch
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectFdr, SelectKBest, f_classif, mutual_info_classif

import eigenselect as es

X, y = load_wine(return_X_y=True, as_frame=True)
X = X.join(pd.DataFrame(np.random.default_rng(0).normal(size=(len(X), 20))).add_prefix("noise "))

# %%
# A score function in place of ``f_classif``; the fitted object is scikit-learn's own.
by_fisher = SelectKBest(es.fisher_score, k=5).fit(X, y)
by_anova = SelectKBest(f_classif, k=5).fit(X, y)
print(list(by_fisher.get_feature_names_out()))
assert list(by_fisher.get_feature_names_out()) == list(by_anova.get_feature_names_out())

# %%
# The Fisher score orders features as the F test does: one is a multiple of the other, here (178 - 3) / (3 - 1).
ratio = f_classif(X, y)[0] / es.FisherScore().fit(X, y).native_scores_
assert np.allclose(ratio, (178 - 3) / (3 - 1))

# %%
# With p-values: those of a permutation test, which does not ask for bell-shaped features.
kept = SelectFdr(es.fisher_score_pvalues, alpha=0.05).fit(X, y).get_feature_names_out()
print(len(kept), "kept,", sum(name.startswith("noise") for name in kept), "of them noise")

# %%
# HSIC and mutual information ask for any dependence, not only for different means.
scores = {
    "Fisher score": es.fisher_score(X, y),
    "HSIC": es.hsic_score(X, y),
    "mutual information": mutual_info_classif(X, y, random_state=0),
}
for name, values in scores.items():
    first = np.argsort(values)[::-1][:13]
    print(f"{name:<19} {(first < 13).sum()} of 13 measurements among the first 13")

figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
for ax, (name, values) in zip(axes, scores.items(), strict=True):
    order = np.argsort(values)[::-1]
    relative = values[order] / values.max()
    ax.bar(range(33), relative, color=np.where(order < 13, "C0", "C1"))
    ax.set(title=name, xlabel="features, best first", xticks=[])
axes[0].set_ylabel("score, relative to the best")
axes[0].legend(handles=[Patch(color="C0", label="measurements"), Patch(color="C1", label="noise")])
plt.show()
