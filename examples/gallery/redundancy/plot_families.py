"""
Five families of copies
=======================

Near-copies of a good feature have the same good score, so that a ranking fills up with one family. MRSF chooses
features together: what one explains, its copy cannot explain again.
"""

# %%
# Ninety samples of six classes. Five features tell the classes apart; each is there twenty times, with a little noise.
import matplotlib.pyplot as plt
import numpy as np

import eigenselect as es
from eigenselect.evaluation import near_copies, redundancy_rate

rng = np.random.default_rng(0)
y = np.arange(90) % 6
informative = 3 * rng.normal(size=(6, 5))[y] + rng.normal(size=(90, 5))
X = np.repeat(informative, 20, axis=1) + 0.01 * rng.normal(size=(90, 100))
family = np.repeat(np.arange(5), 20)

# %%
# Five features by four methods; redundancy is the mean absolute correlation of the chosen ones.
selectors = {
    "Laplacian score": es.LaplacianScore(5, similarity="rbf"),
    "Fisher score": es.FisherScore(5),
    "MRSF, no labels": es.MRSF(5),
    "MRSF, labels": es.MRSF(5, target="lda"),
}
chosen = {name: selector.fit(X, y).get_support(indices=True) for name, selector in selectors.items()}
for name, columns in chosen.items():
    families = sorted(set(family[columns].tolist()))
    print(f"{name:<16} families {families}, redundancy {redundancy_rate(X[:, columns]):.2f}")
assert len(set(family[chosen["Fisher score"]])) == 1
assert len(set(family[chosen["MRSF, labels"]])) == 5

# %%
# A selection without copies hides them, and one of them may be cheaper to measure.
# :func:`~eigenselect.evaluation.near_copies` lists what every chosen feature stands for.
for found in near_copies(X, chosen["MRSF, labels"]):
    print(f"feature {found.feature} stands for {found.copies.size} others")

# %%
figure, axes = plt.subplots(1, 4, figsize=(10.5, 3.1), sharey=True)
for ax, (name, columns) in zip(axes, chosen.items(), strict=True):
    mesh = ax.imshow(np.abs(np.corrcoef(X[:, columns].T)), vmin=0, vmax=1, cmap="cividis")
    ax.set(title=name, xticks=[], yticks=[])
figure.colorbar(mesh, ax=axes, label="|correlation|", shrink=0.8)
figure.supxlabel("the five chosen features")
plt.show()
