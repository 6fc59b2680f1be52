"""
Alone or together
=================

The Fisher score judges each feature by itself. Two features that say nothing alone may say all together. ReliefF looks
at near samples in all features, and can see that.
"""

# %%
# 300 samples, 8 features. The class is "the signs of the first two differ": each of them has the same values in both
# classes. The third is shifted a little between the classes. The others are noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 8))
y = (X[:, 0] * X[:, 1] < 0).astype(int)
X[:, 2] += 0.9 * y

# %%
# Where do the first three stand, by three methods that use the labels?
selectors = {"Fisher score": es.FisherScore(3), "HSIC": es.HSICScore(3), "ReliefF": es.ReliefF(3)}
for name, selector in selectors.items():
    selector.fit(X, y)
    print(f"{name:<13} ranks of the first three features: {selector.ranking_[:3]}")
assert set(selectors["ReliefF"].get_support(indices=True)) == {0, 1, 2}
assert not {0, 1} <= set(selectors["Fisher score"].get_support(indices=True))

# %%
# The Fisher score can say how sure it is: only the third feature is more than chance, taken one by one. That the pair
# is not among them is no error: a test of single features answers another question.
sure = es.FisherScore("fdr", significance=True).fit(X, y)
print("q ≤ 0.05:", sure.get_support(indices=True))
assert sure.get_support(indices=True).tolist() == [2]

# %%
# ReliefF has no known null distribution. What would noise give? Fit it to shuffled labels.
shuffled = np.array([es.ReliefF().fit(X, rng.permutation(y)).scores_ for _ in range(50)])
limit = shuffled.max(axis=1)
print(f"best of 8 with shuffled labels: at most {limit.max():.3f} in 50 repeats")
print("ReliefF:", selectors["ReliefF"].scores_[:3].round(3))
assert (selectors["ReliefF"].scores_[:3] > limit.max()).all()

figure, axes = plt.subplots(1, 2, figsize=(9, 3.9))
for kind, marker in zip((0, 1), "o^", strict=True):
    axes[0].scatter(*X[y == kind, :2].T, s=16, marker=marker, label=f"class {kind}")
axes[0].set(xlabel="feature 0", ylabel="feature 1", title="nothing alone, all together")
axes[0].legend(loc="upper left", ncols=2)
axes[1].bar(range(8), selectors["ReliefF"].scores_, color=["C0"] * 3 + ["0.7"] * 5)
axes[1].axhspan(shuffled.min(), shuffled.max(), color="C1", alpha=0.2, lw=0, label="shuffled labels, 50 fits")
axes[1].set(xlabel="feature", ylabel="ReliefF score", title="the first three stand out")
axes[1].legend()
plt.show()
