"""Why rankings pile up copies: which pixels of faces are chosen one by one, and which together.

Neighbouring pixels of a photograph are near-copies. A score for single features gives all of them the same rank, so the
best hundred pixels are a few blots; MRSF chooses pixels that explain the samples together, and scatters them. After
chapter 4 of Zhao (2010).

Uses ../shared/data/orlraws10P.mat (ten people, ten photographs each) where it is there, else the digits of scikit-learn
enlarged (and says so).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import io
from sklearn.datasets import load_digits

from eigenselect import MRSF, FisherScore, LaplacianScore
from eigenselect.evaluation import redundancy_rate
from figures import COLOURS, bare, plt, save

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "orlraws10P.mat"
KEPT = 100
SIZES = (5, 10, 20, 40, 70, 100)

Images = tuple[NDArray[np.float64], NDArray[np.intp], str]


def main() -> None:
    """Print and draw where the chosen pixels are, and how much they repeat each other."""
    pictures, y, source = images()
    X = pictures.reshape(len(pictures), -1)
    print(f"{source}: {X.shape[0]} pictures, {X.shape[1]} pixels; mean absolute correlation of the best")
    figure, axes = plt.subplots(1, 5, figsize=(14, 4.2), width_ratios=[1, 1, 1, 1, 1.5], layout="constrained")
    for axis, (name, ranking), colour in zip(axes, rankings(X, y).items(), COLOURS, strict=False):
        rates = [redundancy_rate(X[:, ranking <= size]) for size in SIZES]
        print(f"{name:<28} " + ", ".join(f"{size}: {rate:.2f}" for size, rate in zip(SIZES, rates, strict=True)))
        show_pixels(axis, pictures, ranking <= KEPT, colour)
        axis.set_title(f"{name}\nredundancy {rates[-1]:.2f}")
        axes[-1].plot(SIZES, rates, color=colour, marker="o", ms=4, label=name)
    axes[-1].set(xlabel="pixels chosen", ylabel="mean absolute correlation", ylim=(0, 1))
    axes[-1].legend(fontsize=8, loc="upper right", bbox_to_anchor=(1, 0.59))
    save(figure, "redundancy")


def images() -> Images:
    """Pictures, who or what is on them, and where they are from."""
    if DATA.exists():
        content = io.loadmat(DATA)
        faces = content["X"].astype(np.float64).reshape(-1, 92, 112).transpose(0, 2, 1)
        return faces, np.unique(content["Y"], return_inverse=True)[1].ravel(), "orlraws10P"
    digits = load_digits(n_class=5)
    enlarged = digits.images[:200].repeat(4, axis=1).repeat(4, axis=2)
    blurred = enlarged + np.random.default_rng(0).normal(scale=0.5, size=enlarged.shape)
    return blurred, digits.target[:200], "DIGITS, enlarged (no orlraws10P.mat)"


def rankings(X: NDArray[np.float64], y: NDArray[np.intp]) -> dict[str, NDArray[np.intp]]:
    """Without and with labels, one by one and together."""
    return {
        "Laplacian score": LaplacianScore(similarity="rbf").fit(X).ranking_,
        "MRSF, no labels": MRSF(KEPT).fit(X).ranking_,
        "Fisher score": FisherScore().fit(X, y).ranking_,
        "MRSF, labels": MRSF(KEPT, target="lda").fit(X, y).ranking_,
    }


def show_pixels(axis: plt.Axes, pictures: NDArray[np.float64], chosen: NDArray[np.bool_], colour: str) -> None:
    """The mean picture with the chosen pixels on it."""
    shape = pictures.shape[1:]
    axis.imshow(pictures.mean(axis=0), cmap="gray", alpha=0.55)
    rows, columns = np.unravel_index(np.flatnonzero(chosen), shape)
    axis.scatter(columns, rows, s=9, color=colour, marker="s", linewidths=0)
    bare(axis)


if __name__ == "__main__":
    main()
