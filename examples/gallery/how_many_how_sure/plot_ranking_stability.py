"""
Would other samples give the same features?
===========================================

Fit again on parts of the samples, and count how often each feature is among the best. Those near 100 % can be named;
those near one half would be exchanged by the next study.
"""

# %%
# Thirty measurements of 569 tumours, without the diagnosis; forty times 80 % of the samples.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.sensitivity import ranking_stability

X = load_breast_cancer(as_frame=True).data.apply(scale)
stability = ranking_stability(es.LaplacianScore(8), X, n_repeats=40, random_state=0)
print(stability)
print(stability.to_frame().head(10).round(2).to_string(index=False))

# %%
# Beside what? Noise is stable to some degree, because parts of the samples share most of them. Shuffle every column by
# itself and look again; the overlap beyond chance is that of Kuncheva, 0 for selections at random.
rng = np.random.default_rng(0)
shuffled = X.apply(rng.permutation)
nothing = ranking_stability(es.LaplacianScore(8), shuffled, n_repeats=40, random_state=0)
print(f"overlap beyond chance: {stability.corrected_overlap:.2f}, of shuffled columns {nothing.corrected_overlap:.2f}")
assert stability.corrected_overlap > nothing.corrected_overlap + 0.2

# %%
# The range of the rank of each feature, 5 % to 95 % of the refits.
table = stability.to_frame().head(14).iloc[::-1]
figure, ax = plt.subplots(figsize=(7, 4.4))
ax.hlines(table["feature"], table["rank_5%"], table["rank_95%"], color="0.7", lw=6)
ax.scatter(table["median_rank"], table["feature"], zorder=3)
ax.axvline(8.5, color="C1", ls="--", lw=1.2)
ax.text(8.6, 0, "kept: the first 8", color="C1", va="center")
ax.set(xlabel="rank in 40 refits: median, and 5 % to 95 %")
plt.show()
