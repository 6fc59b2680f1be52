"""
Which feature holds the graph together: EVSC
============================================

EVSC asks how much the eigenvalues of the sample graph change if a feature counts a little more. A feature with a large
answer shapes the graph; one with a small answer could be left out and the clusters would stay.
"""

# %%
# Iris: 150 flowers, four lengths in cm. EVSC is for features of one unit, as here.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

import eigenselect as es
from eigenselect.similarity import RBF

iris = load_iris()
names = [name.removesuffix(" (cm)") for name in iris.feature_names]
selector = es.EVSC(2).fit(iris.data)
for name, score in zip(names, selector.scores_, strict=True):
    print(f"{name:<13} {score:.3f}")

# %%
# Is that so? Leave one feature out and compare the two leading eigenvectors of the graph with those of all four: the
# mean squared cosine between the two planes is 1 if nothing changed.


def plane(X):
    """Return the second and third eigenvector of the normalised Laplacian."""
    return RBF().build(X).spectrum(3).nontrivial_vectors()


whole = plane(iris.data)
kept = [np.linalg.norm(whole.T @ plane(np.delete(iris.data, j, axis=1))) ** 2 / 2 for j in range(4)]
for name, share in zip(names, kept, strict=True):
    print(f"without {name:<13} {share:.3f} of the plane is left")
assert np.argmax(selector.scores_) == np.argmin(kept)

# %%
# The feature with the largest score is the one whose absence changes the eigenvectors most.
figure, axes = plt.subplots(1, 3, figsize=(10, 3.5))
axes[0].barh(names, selector.scores_)
axes[0].set(xlabel="EVSC, Σ |∂λ/∂w|", title="score")
axes[0].invert_yaxis()
for ax, X, title in (
    (axes[1], iris.data, "all four features"),
    (axes[2], np.delete(iris.data, np.argmax(selector.scores_), axis=1), "without the best"),
):
    vectors = plane(X)
    vectors = vectors * np.sign(vectors[0])  # an eigenvector has no sign of its own
    for kind, marker in zip(range(3), "o^s", strict=True):
        ax.scatter(*vectors[iris.target == kind].T, s=14, marker=marker, label=iris.target_names[kind])
    ax.set(title=title, xlabel="2nd eigenvector", ylabel="3rd", xticks=[], yticks=[])
axes[1].legend(fontsize=8)
plt.show()
