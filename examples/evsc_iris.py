"""EVSC on iris: which of two features holds the graph together.

With sepal length and petal length the samples form a graph; leave one of the two out and look at what happens to its
leading eigenvectors. After Jiang and Ren (2011), Figure 1, with EVSC's own scores beside it.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from eigenselect import EVSC
from eigenselect.similarity import RBF
from figures import COLOURS, bare, plt, save

SEPAL_LENGTH, PETAL_LENGTH = 0, 2

Array = NDArray[np.float64]


def main() -> None:
    """Print EVSC's scores and draw the eigenvectors of the three graphs."""
    iris = load_iris()
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]
    pair = iris.data[:, [SEPAL_LENGTH, PETAL_LENGTH]]
    two, four = EVSC(1).fit(pair), EVSC(2).fit(iris.data)
    print(f"with two features:  sepal length {two.scores_[0]:.3f}, petal length {two.scores_[1]:.3f}")
    print(
        "with all four:      "
        + ", ".join(f"{name} {score:.3f}" for name, score in zip(names, four.scores_, strict=True))
    )
    whole = leading(pair)
    for columns, name in (([1], "petal length"), ([0], "sepal length")):
        print(
            f"leading eigenvectors from {name} alone share {agreement(whole, leading(pair[:, columns])):.0%} with both"
        )

    figure, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained")
    colours = np.array(COLOURS)[iris.target]
    axes[0, 0].scatter(*pair.T, c=colours, s=16)
    axes[0, 0].set(xlabel="sepal length (cm)", ylabel="petal length (cm)", title="iris in two features")
    draw(axes[0, 1], whole, colours, "graph of both: 2nd and 3rd eigenvector")
    draw(axes[1, 0], leading(pair[:, [1]]), colours, "of petal length alone: much the same")
    draw(axes[1, 1], leading(pair[:, [0]]), colours, "of sepal length alone: another graph")
    bars(axes[0, 2], two.scores_, ["sepal length", "petal length"], "EVSC, two features")
    bars(axes[1, 2], four.scores_, names, "EVSC, all four")
    handles = [
        plt.Line2D([], [], marker="o", ls="", color=c, label=n)
        for c, n in zip(COLOURS, iris.target_names, strict=False)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    save(figure, "evsc_iris")


def leading(X: Array) -> Array:
    """The second and third eigenvector of the normalised Laplacian."""
    return RBF().build(X).spectrum(3).nontrivial_vectors()


def agreement(first: Array, second: Array) -> float:
    """Mean squared cosine between two planes of eigenvectors: 1 for the same plane."""
    return float(np.linalg.norm(first.T @ second) ** 2 / first.shape[1])


def draw(axes: Axes, vectors: Array, colours: Array, title: str) -> None:
    """The samples in two eigenvectors."""
    axes.scatter(*vectors.T, c=colours, s=16)
    axes.set_title(title)
    bare(axes)


def bars(axes: Axes, scores: Array, names: list[str], title: str) -> None:
    """One bar per feature."""
    axes.barh(names, scores, color=[COLOURS[5] if score == scores.max() else "#cccccc" for score in scores])
    axes.invert_yaxis()
    axes.set(title=title, xlabel="Σ |∂λ/∂w|")


if __name__ == "__main__":
    main()
