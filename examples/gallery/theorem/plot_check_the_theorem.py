"""
Check the theorem yourself
==========================

Many methods, one formula: a score is f̂ᵀŜf̂, where Ŝ says how samples are alike and f̂ is the feature, made comparable.
Every such selector returns both matrices, so that nobody has to believe it.
"""

# %%
# Wine, with the cultivars for the methods that need labels.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es

X, y = load_wine(return_X_y=True)
X = scale(X)

# %%
# ``quadratic_form(X)`` gives Ŝ and F̂, one column per feature. The sum f̂ᵀŜf̂ is the score, to rounding, for every
# row of the table.
methods = {
    "SPEC, φ1": es.SPEC(ranking="phi1"),
    "SPEC, φ2": es.SPEC(ranking="phi2"),
    "SPEC, φ3": es.SPEC(ranking="phi3", n_clusters=3),
    "SPEC, φ2, heat": es.SPEC(spectral_function="heat"),
    "Laplacian score": es.LaplacianScore(),
    "Moran's I": es.MoranI(),
    "Geary's C": es.GearyC(),
    "Variance": es.Variance(),
    "HSIC": es.HSICScore(),
}
sums = {}
for name, method in methods.items():
    S_hat, F_hat = method.fit(X, y).quadratic_form(X)
    sums[name] = (F_hat * (S_hat @ F_hat)).sum(axis=0)
    print(f"{name:<16} the same to ten digits: {np.allclose(sums[name], method.scores_, rtol=0, atol=1e-10)}")
    assert np.allclose(sums[name], method.scores_, rtol=0, atol=1e-10)

# %%
# The Fisher score is the same form on the similarity "of one class", in another scale: F = s / (1 - s).
fisher = es.FisherScore().fit(X, y)
S_hat, F_hat = fisher.quadratic_form(X)
s = (F_hat * (S_hat @ F_hat)).sum(axis=0)
assert np.allclose(s / (1 - s), fisher.native_scores_)

# %%
# Where a method is more than one form, the library says so.
try:
    es.EVSC().fit(X).quadratic_form(X)
except (AttributeError, TypeError, ValueError, NotImplementedError) as error:
    print(error)

figure, axes = plt.subplots(1, 2, figsize=(9, 4))
spec = methods["Laplacian score"]
axes[0].scatter(sums["Laplacian score"], spec.scores_, label="Laplacian score")
axes[0].scatter(s, fisher.native_scores_ / (1 + fisher.native_scores_), marker="^", label="Fisher: F / (1 + F)")
axes[0].plot([0, 1], [0, 1], color="0.6", lw=1, zorder=0)
axes[0].set(xlabel="f̂ᵀŜf̂, computed here", ylabel="score, by the selector")
axes[0].legend()
order = np.argsort(y, kind="stable")
shown = np.asarray(spec.graph_.to_array())[np.ix_(order, order)]
axes[1].imshow(shown > 0, cmap="Blues")
axes[1].set(title="neighbours, by cultivar", xlabel="wine", ylabel="wine")
plt.show()
