"""
More than chance: q-values
==========================

Every ranking has a top ten, also one of noise. A false discovery rate says how many of the kept features are expected
to be there by chance.
"""

# %%
# Thirty measurements of 569 tumours, and 300 columns of noise. The diagnosis was made by other means than these
# measurements, so that p-values are honest.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import eigenselect as es
from eigenselect.selection import FDR

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(X), 300))
X = X.join(pd.DataFrame(noise).add_prefix("noise "))

# %%
# The rule :class:`~eigenselect.selection.FDR` keeps the features with q ≤ alpha; ``"fdr"`` is short for ``FDR()``, and
# 0.05. Other levels follow from the same q-values.
selector = es.FisherScore(FDR(alpha=0.05)).fit(X, y)
kept = selector.get_feature_names_out()
print(len(kept), "kept,", sum(name.startswith("noise") for name in kept), "of them noise")
for alpha in (0.01, 0.05, 0.2, 0.5):
    names = X.columns[selector.qvalues_ <= alpha]
    false = sum(name.startswith("noise") for name in names)
    print(f"alpha {alpha:>4}: {len(names):>2} kept, {false} of them noise")

# %%
# The measurements that were not kept are those that hardly differ between the diagnoses.
left = selector.qvalues_[:30] > 0.05
for name, q in zip(X.columns[:30][left], selector.qvalues_[:30][left], strict=True):
    print(f"{name:<26} q {q:.2f}")

# %%
# Shuffle the diagnoses, and nothing is left. That none is kept is an answer, too.
shuffled = np.random.default_rng(1).permutation(y)
print(es.FisherScore("fdr").fit(X, shuffled).n_features_, "kept with shuffled labels")

# %%
# Two pictures of the same. Left, effect against p-value. Right, the p-values of noise lie on the diagonal.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.6))
es.plot.volcano(selector, ax=axes[0])
es.plot.qq(selector, ax=axes[1])
plt.show()
