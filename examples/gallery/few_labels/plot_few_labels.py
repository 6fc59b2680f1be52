"""
Six labels and two hundred samples
==================================

Samples may be grouped in more than one way: by tissue, by batch, by sex. Without labels nobody can say which grouping
is meant; with a handful of labels alone, some noise fits them as well. SSelect uses both: all samples for the
structure, few labels to say which.
"""

# %%
# 200 samples with two independent groupings. Eight features know the first, eight know the second, 184 know nothing.
# The labels, of six samples, are of the second; -1 means "not known".
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es

rng = np.random.default_rng(0)
other, wanted = rng.integers(2, size=200), rng.integers(2, size=200)
X = rng.normal(size=(200, 200))
X[:, :8] += 3.0 * other[:, None]
X[:, 8:16] += 2.5 * wanted[:, None]


def draw_labels(seed):
    """Return the labels of three samples of each class; -1 for all others."""
    rng = np.random.default_rng(seed)
    y = np.full(200, -1)
    for kind in (0, 1):
        y[rng.choice(np.flatnonzero(wanted == kind), 3, replace=False)] = kind
    return y


# %%
# Which eight features does each method put first? The Laplacian score sees all samples and no label, the Fisher score
# the six labelled samples only, :class:`~eigenselect.SSelect` all samples and six labels. Ten draws of the labels.
# How much the structure weighs beside the labels is ``regularization``; the next example looks at it.
rows = []
for seed in range(10):
    y = draw_labels(seed)
    known = y >= 0
    chosen = {
        "Laplacian score, no labels": es.LaplacianScore(8).fit(X),
        "Fisher score, 6 samples": es.FisherScore(8).fit(X[known], y[known]),
        "SSelect, both": es.SSelect(8, regularization=0.6).fit(X, y),
    }
    rows.append([selector.get_support()[8:16].sum() for selector in chosen.values()])
counts = np.array(rows)
for name, values in zip(chosen, counts.T, strict=True):
    print(f"{name:<27} {values.mean():.1f} of 8 wanted features   {values.tolist()}")
print(f"{'at random':<27} {8 * 8 / 200:.1f}")
assert (counts[:, 2].mean() > counts[:, :2].mean(axis=0)).all()

# %%
# One draw in detail: with the labels, the second group of features moves up.
figure, axes = plt.subplots(1, 2, figsize=(9.6, 4), sharex=True, sharey=True)
parts = {"other grouping": slice(0, 8), "wanted": slice(8, 16), "noise": slice(16, None)}
for ax, name in zip(axes, ("Laplacian score, no labels", "SSelect, both"), strict=True):
    for place, part in enumerate(parts.values()):
        ranks = chosen[name].ranking_[part]
        ax.scatter(ranks, np.full(ranks.size, place), marker="|", s=400, color=("C1", "C0", "0.6")[place])
    ax.axvspan(0.5, 8.5, color="0.92", zorder=0)
    ax.set(title=name, xlabel="rank (the first eight are shaded)", xscale="log", ylim=(-0.6, 2.6))
axes[0].set_xticks([1, 8, 50, 200], ["1", "8", "50", "200"])
axes[0].set_yticks(range(3), list(parts))
plt.show()
