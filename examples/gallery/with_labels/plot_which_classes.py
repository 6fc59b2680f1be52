"""
Which classes does a feature tell apart?
========================================

A Fisher score is one number for all classes. Its explanation says which classes it comes from: a feature may single out
one digit and mix up the other nine.
"""

# %%
# 1797 handwritten digits of 8 × 8 pixels.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import eigenselect as es

X, y = load_digits(return_X_y=True)
varies = X.std(axis=0) > 0
names = np.array([f"row {j // 8}, column {j % 8}" for j in range(64)])[varies]
selector = es.FisherScore(4).fit(X[:, varies], y)
print([str(name) for name in names[selector.ranking_.argsort()[:4]]])

# %%
# ``explain`` returns the score as sums. ``classes.pairs()`` has one entry per pair of classes: its share of all
# variation. The pairs add up to the part between classes, F / (1 + F).
best = selector.ranking_.argsort()[:2]
pairs = []
for column in best:
    why = selector.explain(X[:, varies], int(column))
    pairs.append(why.classes.pairs())
    first, second = np.unravel_index(pairs[-1].argmax(), (10, 10))
    print(f"{names[column]}: F = {why.score:.2f}, most between {min(first, second)} and {max(first, second)}")
    assert np.isclose(pairs[-1].sum() / 2, why.score / (1 + why.score))

# %%
# Each picture has its own story: light cells are pairs that the pixel tells apart.
figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.6), width_ratios=(1, 1.25, 1.25))
picture = np.zeros(64)
picture[varies] = selector.native_scores_
axes[0].imshow(picture.reshape(8, 8), cmap="cividis")
for column, place in zip(np.flatnonzero(varies)[best], ("1", "2"), strict=True):
    axes[0].text(column % 8, column // 8, place, ha="center", va="center", weight="bold")
axes[0].set(title="Fisher score of every pixel", xticks=[], yticks=[])
largest = max(matrix.max() for matrix in pairs)
for ax, matrix, place in zip(axes[1:], pairs, ("1", "2"), strict=True):
    mesh = ax.imshow(matrix, cmap="cividis", vmin=0, vmax=largest)
    ax.set(title=f"pixel {place}: pairs of digits", xticks=range(10), yticks=range(10))
figure.colorbar(mesh, ax=axes[1:], label="share of the variation", shrink=0.8)
plt.show()
