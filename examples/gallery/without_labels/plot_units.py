"""
One unit for all
================

Without labels, samples are compared by distance, and the feature with the largest numbers decides what is near. Change
the unit of one column and the ranking changes. Put all columns on one scale first, in a pipeline, and it does not.
"""

# %%
# Proline is measured in mg/l, hundreds to thousands; hue is about one.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es

X, y = load_wine(return_X_y=True, as_frame=True)
print(X[["proline", "hue"]].agg(["mean", "std"]).round(2))

# %%
# The table as it is: neighbours are wines with nearly the same proline, so proline follows the neighbours perfectly,
# and the library warns. Here the warning is caught to show it.
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    raw = es.LaplacianScore(4).fit(X)
print(*[warning.message for warning in said], sep="\n")
print("best:", X.columns[raw.ranking_ == 1].item(), f"{raw.scores_.max():.4f}")

# %%
# With a scaler in front the ranking does not depend on units: grams in place of milligrams change nothing.
in_grams = X.assign(proline=X["proline"] / 1000)
scaled = make_pipeline(StandardScaler(), es.LaplacianScore(4))
first = scaled.fit(X)[-1].ranking_.copy()
assert np.array_equal(first, scaled.fit(in_grams)[-1].ranking_)

# %%
# Which of the two rankings knows more of the cultivars? The Fisher score does, because it uses them, and does not
# depend on units.
fisher = es.FisherScore().fit(X, y)
rankings = {"as measured": raw.ranking_, "scaled": first}
agreement = {name: spearmanr(ranking, fisher.ranking_).statistic for name, ranking in rankings.items()}
for name, value in agreement.items():
    print(f"{name}: rank correlation with the Fisher score {value:.2f}")
assert agreement["scaled"] > agreement["as measured"]

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
for ax, (name, ranking) in zip(axes, rankings.items(), strict=True):
    ax.scatter(ranking, fisher.ranking_, s=40)
    for column, label in enumerate(X.columns):
        if label in ("proline", "hue", "flavanoids", "color_intensity"):
            ax.annotate(label, (ranking[column], fisher.ranking_[column]), xytext=(6, 4), textcoords="offset points")
    ax.set(title=f"{name}: correlation {agreement[name]:.2f}", xlabel="rank by Laplacian score", xlim=(0, 16))
axes[0].set(ylabel="rank by Fisher score")
plt.show()
