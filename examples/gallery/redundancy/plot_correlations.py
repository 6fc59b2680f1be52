"""
How redundant is a selection?
=============================

:func:`eigenselect.plot.redundancy` draws the correlations of the chosen features and outlines groups of near-copies, so
that one of each group can be taken.
"""

# %%
# The ten measurements of tumours with the best Fisher scores. Radius, perimeter and area of a nucleus are one thing
# measured three times.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.evaluation import redundancy_rate

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.apply(scale)
fisher = es.FisherScore(10).fit(X, y)
together = es.MRSF(10, target="lda").fit(X, y)
for name, selector in (("Fisher score", fisher), ("MRSF", together)):
    chosen = selector.get_feature_names_out()
    print(f"{name:<13} mean |correlation| {redundancy_rate(X[chosen]):.2f}")
    print("   ", ", ".join(chosen))
assert redundancy_rate(X[together.get_feature_names_out()]) < redundancy_rate(X[fisher.get_feature_names_out()])

# %%
# Ten by single scores: a large group of near-copies (correlations of 0.9 or more connect them).
es.plot.redundancy(fisher, X)
plt.show()

# %%
# Ten that were chosen together are still more related than independent columns would be, and two pairs are near-copies:
# the exact optimum may take two features that average out some of each other's noise.
print(f"mean |correlation| of independent columns, about {np.sqrt(2 / (np.pi * len(X))):.2f}")
es.plot.redundancy(together, X)
plt.show()
