"""
Why this feature?
=================

A score is a sum, so that it explains itself: over scales, over samples and over pairs of neighbours. ``explain`` tells
at which scale a feature varies, and where it is rough.
"""

# %%
# The best and the last of 13 measurements of wine.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es

X = load_wine(as_frame=True).data.apply(scale)
selector = es.LaplacianScore(4).fit(X)
best, last = X.columns[selector.ranking_.argsort()[[0, -1]]]
why = {name: selector.explain(X, name) for name in (best, last)}
print(why[best])
print(why[last])

# %%
# Every table of terms sums to the score.
for name, found in why.items():
    assert np.isclose(found.samples.terms.sum(), found.score)
    assert np.isclose(found.edges.terms.sum(), found.score)
    assert np.isclose(found.scales.terms.sum(), found.score)
    print(f"{name}: score {found.score:.4f}, the ten roughest wines {np.sort(found.samples.terms)[-10:].sum():.4f}")

# %%
# Left: shares of the variation by eigenvalue, beside those of the same values shuffled over the wines. Small
# eigenvalues are differences between groups of wines, large ones between neighbours. Right: the roughest pairs of
# neighbours.
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
for (name, found), style in zip(why.items(), ("-", "--"), strict=True):
    table = found.scales.to_frame()
    axes[0].plot(table["eigenvalues"], table["shares"].cumsum(), style, lw=2, label=name)
axes[0].plot(table["eigenvalues"], table["expected"].cumsum(), color="0.6", lw=1, label=f"{name}, shuffled")
axes[0].set(xlabel="eigenvalue: groups at 0, neighbours at the right", ylabel="share of the variation up to here")
axes[0].set_ylim(0, 1.4)
axes[0].legend(loc="upper left")
for (name, found), marker in zip(why.items(), "o^", strict=True):
    axes[1].plot(np.sort(found.edges.terms)[::-1][:40], marker, ms=4, label=name)
axes[1].set(xlabel="pairs of neighbours, the roughest first", ylabel="part of the score", ylim=(0, None))
axes[1].legend()
plt.show()
