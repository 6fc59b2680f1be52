"""The first picture: the same samples in the two best and the two worst features, and the score curve.

Run by ``make picture``; needs the ``plot`` extra.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import eigenselect as es

COLOURS = np.array(["#0072b2", "#d55e00", "#009e73"])


def main() -> None:
    """Write docs/images/overview.png."""
    wine = load_wine()
    X = StandardScaler().fit_transform(wine.data)
    selector = es.LaplacianScore(4).fit(X)
    order = np.argsort(selector.ranking_)

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), width_ratios=[1, 1, 0.8], layout="constrained")
    _scatter(left, X, wine, order[:2], "the two best features")
    _scatter(middle, X, wine, order[-2:], "the two worst")
    _bars(right, selector.scores_[order], [wine.feature_names[j] for j in order], selector.n_features_)
    handles = [
        plt.Line2D([], [], marker="o", ls="", color=c, label=n) for c, n in zip(COLOURS, wine.target_names, strict=True)
    ]
    title = "cultivar (never shown to the method)"
    figure.legend(handles=handles, title=title, loc="outside lower left", ncols=3, frameon=False)
    target = Path(__file__).parent / "images" / "overview.png"
    figure.savefig(target, dpi=120)
    print(f"wrote {target}")


def _scatter(axes: Axes, X: np.ndarray, wine: object, pair: np.ndarray, title: str) -> None:
    axes.scatter(*X[:, pair].T, c=COLOURS[wine.target], s=22, alpha=0.8, linewidths=0)
    axes.set(xlabel=wine.feature_names[pair[0]], ylabel=wine.feature_names[pair[1]], title=title, xticks=[], yticks=[])


def _bars(axes: Axes, scores: np.ndarray, names: list[str], kept: int) -> None:
    y = np.arange(scores.size)
    axes.barh(y, scores, color=np.where(y < kept, "#56b4e9", "#cccccc"))
    axes.set(yticks=y, yticklabels=names, xlabel="score (1 - Laplacian score)", title=f"178 wines: keep {kept} of 13")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
