"""
Few labels
==========

Labels cost money: an expert looks at a sample, a patient is followed for years. Often a handful of samples has one, and
hundreds have none. This tutorial chooses features from both, and asks what the labels and what the other samples gave.

You learn what counts as "no label", to use :class:`~eigenselect.SSelect`, to choose how much the labels weigh, and to
check it honestly.
"""

# %%
# The table
# ---------
# Samples are pictures of two handwritten digits: a 3 or an 8 at the left, and a 1 or a 7 at the right. So there are
# two groupings. What we want to know is the left digit. Pixels that hardly vary are left out, and 600 columns of
# noise stand beside them.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import eigenselect as es
from eigenselect.evaluation import subset_accuracies
from eigenselect.similarity import KNN

digits = load_digits()
rng = np.random.default_rng(0)


def pictures(first, second):
    """Return 300 pictures of either of two digits, and which it is."""
    rows = rng.choice(np.flatnonzero(np.isin(digits.target, [first, second])), 300)
    return digits.images[rows], (digits.target[rows] == second).astype(int)


left, wanted = pictures(3, 8)
right, other = pictures(1, 7)
images = np.concatenate([1.3 * left, right], axis=2)
varies = np.flatnonzero(images.reshape(300, -1).std(axis=0) > 1.5)
X = np.hstack([images.reshape(300, -1)[:, varies], rng.normal(scale=4, size=(300, 600))])
kinds = np.concatenate([np.where(varies % 16 < 8, "left", "right"), np.repeat("noise", 600)])
print({kind: int((kinds == kind).sum()) for kind in ("left", "right", "noise")})

figure, axes = plt.subplots(1, 5, figsize=(10, 1.5))
for ax, image in zip(axes, images, strict=False):
    ax.imshow(image, cmap="Greys")
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# What "no label" looks like
# --------------------------
# None, NaN and ``pd.NA`` are no label in any y. In numbers, -1 is one, too, where two other classes are there. We show
# three labels of each class, and keep the others for the check.


def draw_labels(seed, each=3):
    """Return labels of some samples of each class; -1 elsewhere."""
    rng = np.random.default_rng(seed)
    few = np.full(300, -1)
    for kind in (0, 1):
        few[rng.choice(np.flatnonzero(wanted == kind), each, replace=False)] = kind
    return few


few = draw_labels(0)
selector = es.SSelect(10, regularization=0.6).fit(X, few)
print(selector.n_labelled_, "labels of the classes", selector.classes_.tolist())

# %%
# Three ways to ten pixels
# ------------------------
# The Laplacian score sees all samples and no label. The Fisher score sees the six labelled samples only.
# :class:`~eigenselect.SSelect` sees all samples and six labels. λ = 0.6
# weighs structure and labels; the last section tries others. The graph of the samples is made once, and given.
S = KNN().build(X).affinity


def choose(few):
    """Return the chosen pixels of each method."""
    known = few >= 0
    used = np.flatnonzero(X[known].std(axis=0) > 0)  # some pixels are empty in all labelled samples
    fisher = es.FisherScore(10).fit(X[known][:, used], few[known])
    return {
        "Laplacian score, no label": es.LaplacianScore(10).fit(X, similarity_matrix=S).get_support(indices=True),
        "Fisher score, labelled only": used[fisher.get_support()],
        "SSelect, both": es.SSelect(10, regularization=0.6).fit(X, few, similarity_matrix=S).get_support(indices=True),
    }


chosen = choose(few)
for name, columns in chosen.items():
    print(f"{name:<28}", {kind: int((kinds[columns] == kind).sum()) for kind in ("left", "right", "noise")})

# %%
# Without labels, both groupings count: nothing is wrong with the method, it was not told which is wanted. With six
# labels alone, some columns of noise fit them, and are not in the picture.
figure, axes = plt.subplots(1, 3, figsize=(10.5, 2.3))
# sphinx_gallery_thumbnail_number = 3
for ax, (name, columns) in zip(axes, chosen.items(), strict=True):
    ax.imshow(images.mean(axis=0), cmap="Greys", alpha=0.6)
    pixels = varies[columns[columns < varies.size]]
    ax.scatter(pixels % 16, pixels // 16, s=45, marker="s")
    ax.set(title=name, xticks=[], yticks=[])
plt.show()

# %%
# Check it honestly
# -----------------
# How good are ten pixels? Ask the nearest neighbour in them, among half of the samples with all their labels, for the
# left digit of the other half. The choice saw six of these labels and no more. One draw of labels may be lucky: take
# twelve, and random pixels beside.
order = rng.permutation(300)
train, test = order[:150], order[150:]
results = {}
for seed in range(12):
    chosen = choose(draw_labels(seed))
    for name, value in zip(chosen, subset_accuracies(chosen.values(), X, wanted, train, test), strict=True):
        results.setdefault(name, []).append(value)
drawn = [rng.choice(varies.size, 10, replace=False) for _ in range(12)]
results["ten random pixels"] = subset_accuracies(drawn, X, wanted, train, test)
for name, values in results.items():
    print(f"{name:<28} {np.mean(values):.3f} ± {np.std(values):.3f}")
assert np.argmax([np.mean(values) for values in results.values()]) == 2

figure, ax = plt.subplots(figsize=(7.6, 3.6))
for place, values in enumerate(results.values()):
    ax.scatter(values, place + rng.uniform(-0.15, 0.15, len(values)), s=26, alpha=0.8)
    ax.plot([np.mean(values)] * 2, [place - 0.3, place + 0.3], color=f"C{place}", lw=3)
ax.set(yticks=range(4), yticklabels=list(results), xlabel="accuracy of the nearest neighbour; the line is the mean")
ax.invert_yaxis()
plt.show()

# %%
# How much the labels weigh, and how many
# ---------------------------------------
# ``regularization`` is λ: at 1 the structure counts alone, at 0 the labels. Few labels leave many pixels that fit them
# alike, and structure chooses among these.
amounts = np.round(np.linspace(0, 1, 6), 1)
curves = {}
for each in (3, 10):
    trials = []
    for seed in range(6):
        few = draw_labels(seed, each)
        fits = [es.SSelect(10, regularization=float(a)).fit(X, few, similarity_matrix=S) for a in amounts]
        trials.append(subset_accuracies([fit.get_support() for fit in fits], X, wanted, train, test))
    curves[2 * each] = np.mean(trials, axis=0)
    print(f"{2 * each:>2} labels:", *[f"λ {a:g}: {v:.2f}" for a, v in zip(amounts, curves[2 * each], strict=True)])

figure, ax = plt.subplots(figsize=(6.6, 3.8))
for (number, values), style in zip(curves.items(), ("s--", "o-"), strict=True):
    ax.plot(amounts, values, style, label=f"{number} labels")
ax.axhline(np.mean(results["ten random pixels"]), color="0.5", ls="--", lw=1)
ax.text(0.0, np.mean(results["ten random pixels"]) + 0.004, "random pixels", color="0.4")
ax.set(xlabel="λ: labels alone at 0, structure alone at 1", ylabel="accuracy, mean of six draws")
ax.legend()
plt.show()

# %%
# What can go wrong
# -----------------
# * *Labels that are not a fair draw.* If an expert labels only the clear cases, the labels describe these.
# * *-1 as a class.* With -1 and 1 alone, -1 is a class, and a warning says so; use None or NaN for "not known".
# * *Too much trust in the structure.* If the samples show another grouping more clearly than the wanted one, a large λ
#   follows that.
# * *No p-values.* The null distribution of this sum is not known. :class:`~eigenselect.StabilitySelector` bounds the
#   false selections of any selector, where there are enough labels for halves.
#
# Where to go next
# ----------------
# :ref:`sphx_glr_tutorials_plot_3_genes_with_knowledge.py`, if more than labels is known;
# :ref:`sphx_glr_auto_examples_few_labels_plot_how_much_to_trust.py`, where some labels are wrong;
# :ref:`sphx_glr_auto_examples_how_many_how_sure_plot_stability_selection.py`, for false selections.
