"""
How much the labels count
=========================

SSelect weighs structure and labels by λ: 1 is structure alone, 0 is labels alone. Where the labels are few or partly
wrong, the middle is better than both ends.
"""

# %%
# 200 samples with two groupings: eight features know the one that is wanted, eight the other, and 184 none. Labels
# are of the first, and one in five of them is wrong.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es

amounts = np.round(np.linspace(0, 1, 11), 1)


def found(seed, n_labels):
    """Return how many of the eight wanted features are among the first eight, for each λ."""
    rng = np.random.default_rng(seed)
    other, wanted = rng.integers(2, size=200), rng.integers(2, size=200)
    X = rng.normal(size=(200, 200))
    X[:, :8] += 2.5 * other[:, None]
    X[:, 8:16] += 2.0 * wanted[:, None]
    y = np.full(200, -1)
    known = rng.choice(200, n_labels, replace=False)
    y[known] = np.where(rng.random(n_labels) < 0.2, 1 - wanted[known], wanted[known])
    return [int(es.SSelect(8, regularization=amount).fit(X, y).get_support()[8:16].sum()) for amount in amounts]


# %%
# Eight tables for each number of labels.
curves = {}
for n_labels in (10, 20, 60):
    curves[n_labels] = np.mean([found(seed, n_labels) for seed in range(8)], axis=0)
    print(f"{n_labels} labels:", *[f"{value:.1f}" for value in curves[n_labels]])
for curve in curves.values():
    assert curve.max() > max(curve[0], curve[-1])

# %%
# At λ = 1 the labels do not count: the other grouping is the stronger one, and takes all places. The more labels, the
# higher the maximum.
figure, ax = plt.subplots(figsize=(6.8, 4.2))
for (n_labels, curve), style in zip(curves.items(), ("o-", "s--", "^:"), strict=True):
    ax.plot(amounts, curve, style, label=f"{n_labels} labels")
ax.axhline(8 * 8 / 200, color="0.5", ls="--", lw=1)
ax.text(0.01, 0.45, "at random", color="0.4")
ax.set(xlabel="λ: labels alone at 0, structure alone at 1")
ax.set(ylabel="wanted features among the first 8", ylim=(0, 8.1))
ax.legend()
plt.show()
