"""
A table without labels
======================

You have a table: samples in rows, measurements in columns, and nobody has said what the samples are. Which measurements
are worth keeping? This tutorial goes from the raw table to a short list, and asks at each step what noise would give.

You learn to put columns on one scale, to rank with :class:`~eigenselect.LaplacianScore`, to see whether there is
anything to find, to decide how many, to avoid copies with :class:`~eigenselect.MRSF`, and to say how
stable the list is.
"""

# %%
# The table
# ---------
# 569 tumours and 30 measurements of their cell nuclei, shipped with scikit-learn. We add twenty columns of noise, so
# that we can see what happens to columns that mean nothing. The diagnosis is put aside until the end.
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.evaluation import near_copies, redundancy_rate, subset_accuracies
from eigenselect.sensitivity import ranking_stability

raw, diagnosis = load_breast_cancer(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
raw = raw.join(pd.DataFrame(rng.normal(size=(len(raw), 20))).add_prefix("noise "))
print(raw.shape)
print(raw[["mean area", "mean radius", "mean smoothness"]].describe().loc[["mean", "std"]].round(3).to_string())

# %%
# First: one unit for all
# -----------------------
# Areas are hundreds, smoothness is a tenth. Samples are compared by distance, so that the column with the largest
# numbers would decide alone. The library says so; the warning is caught here to show it.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    es.LaplacianScore(5).fit(raw)
for warning in said:
    print(warning.message)

# %%
# After scaling every column has mean 0 and deviation 1, the noise too.
X = raw.apply(scale)

# %%
# Rank
# ----
# Each sample is joined to its ten nearest neighbours; a column is good if neighbours have similar values of it.
selector = es.LaplacianScore(8).fit(X)
ranking = pd.DataFrame({"rank": selector.ranking_, "score": selector.scores_}, index=X.columns).sort_values("rank")
print(ranking.head(8).round(3).to_string())
noise_ranks = ranking.loc[ranking.index.str.startswith("noise"), "rank"]
print(f"noise stands at ranks {noise_ranks.min()} to {noise_ranks.max()} of {len(X.columns)}")
assert noise_ranks.min() > 30

# %%
# Is there anything to find?
# --------------------------
# Look at the scores beside those of a table in which every column was shuffled by itself. Shuffled columns score above
# zero, because each helped to make the graph; what is above the grey band is more than that.
es.plot.score_curve(selector, X)
plt.show()

# %%
# Then look at the samples. The eigenvalues of the graph show whether they fall into clusters: the library names a
# number only where one gap stands out. Without a clear gap, structure may still be there, as a gradient.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2))
es.plot.spectrum(selector, X, ax=axes[0])
es.plot.embedding(selector, X, feature=ranking.index[0], ax=axes[1])
plt.show()

# %%
# How sure, and how many?
# -----------------------
# A p-value on this graph would be false: every column, noise too, helped to decide who is near whom. ``"split"``
# judges each column on a graph of the others. ``"fdr"`` keeps those with a false discovery rate of at most 0.05. It
# warns, which is caught here to be read: some tumours are large in nearly everything, and then every column follows
# the others.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    tested = es.LaplacianScore("fdr", significance="split").fit(X)
for warning in said:
    print(warning.message)
kept = tested.get_feature_names_out()
print(len(kept), "kept,", sum(name.startswith("noise") for name in kept), "of them noise")
print("measurements that were not kept:", [name for name in raw.columns[:30] if name not in kept])

# %%
# "More than chance" is a low bar for 569 samples: it says which columns follow the others at all, not how many are
# needed.
#
# Without copies
# --------------
# The best eight are nearly one thing: radius, perimeter and area of the same nucleus.
best = ranking.index[:8]
print(f"mean |correlation| of the best eight: {redundancy_rate(X[best]):.2f}")
together = es.MRSF(8).fit(X)
chosen = together.get_feature_names_out()
print(f"mean |correlation| of eight that were chosen together: {redundancy_rate(X[chosen]):.2f}")
print(list(chosen))
assert redundancy_rate(X[chosen]) < redundancy_rate(X[best]) - 0.2

# %%
# What do they stand for? A selection without copies hides them, and a copy may be cheaper to measure.
for found in near_copies(X, together.get_support()):
    if found.copies.size:
        print(f"{found.name} stands for {', '.join(X.columns[found.copies])}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(12, 5))
# sphinx_gallery_thumbnail_number = 3
es.plot.redundancy(selector, X, ax=axes[0])
es.plot.redundancy(together, X, ax=axes[1])
plt.show()

# %%
# Would other samples give the same list?
# ---------------------------------------
# Fit on 80 % of the samples, many times.
for name, method in (("Laplacian score", es.LaplacianScore(8)), ("MRSF", es.MRSF(8))):
    stability = ranking_stability(method, X, n_repeats=20, random_state=0)
    print(f"{name:<16} overlap beyond chance {stability.corrected_overlap:.2f}")
shuffled = X.apply(rng.permutation)
nothing = ranking_stability(es.LaplacianScore(8), shuffled, n_repeats=20, random_state=0)
print(f"{'shuffled columns':<16} overlap beyond chance {nothing.corrected_overlap:.2f}")

# %%
# The answer, now that we may look
# --------------------------------
# The diagnosis was not used. Does the nearest neighbour in the chosen columns know it? One part of the samples answers
# for the other; random measurements and the noise stand beside.
order = np.random.default_rng(1).permutation(len(X))
train, test = order[:300], order[300:]
names = list(X.columns)
subsets = {
    "all 50": np.arange(50),
    "best 8, Laplacian": [names.index(name) for name in best],
    "8 together, MRSF": [names.index(name) for name in chosen],
    "8 of noise": np.arange(30, 38),
}
drawn = [rng.choice(30, 8, replace=False) for _ in range(20)]
accuracies = dict(zip(subsets, subset_accuracies(subsets.values(), X, diagnosis, train, test), strict=True))
accuracies["8 random measurements"] = float(np.mean(subset_accuracies(drawn, X, diagnosis, train, test)))
for name, value in accuracies.items():
    print(f"{name:<22} {value:.2f}")
print(f"{'always the larger':<22} {max(np.mean(diagnosis), 1 - np.mean(diagnosis)):.2f}")

figure, ax = plt.subplots(figsize=(6.8, 3.4))
ax.barh(list(accuracies), list(accuracies.values()), color=["0.6", "C0", "C0", "0.8", "0.6"])
ax.axvline(np.mean(diagnosis), color="C1", ls="--", lw=1.2)
ax.invert_yaxis()
ax.set(xlabel="accuracy of the nearest neighbour (dashed: always the larger class)", xlim=(0.4, 1))
plt.show()

# %%
# Random measurements do nearly as well: most of the thirty know the diagnosis, and nearly all are related. What the
# choice gave is to leave the noise out, and to measure eight things in place of fifty.
#
# What can go wrong
# -----------------
# * *Units.* Scale first, in a pipeline if there are new samples to come.
# * *One sample.* A sample unlike all others can take a full kernel over; the default, neighbours, does not have that
#   problem (:ref:`sphx_glr_auto_examples_without_labels_plot_outlier.py`).
# * *Much noise.* If most columns are noise, so are the distances
#   (:ref:`sphx_glr_auto_examples_without_labels_plot_iterated_spec.py`).
# * *Another structure than yours.* The method follows what the samples show: batch, sex or depth, if these are
#   strongest. ``fit(X, covariates=...)`` takes out what should not count; a few labels say which structure is meant.
#
# Where to go next
# ----------------
# :ref:`sphx_glr_tutorials_plot_2_few_labels.py` if some samples have labels,
# :ref:`sphx_glr_auto_examples_reports_plot_report.py` for all of this on one page, and
# :ref:`sphx_glr_auto_examples_first_steps_plot_in_the_shell.py` for the command line.
