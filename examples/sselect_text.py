"""Few labels on many documents: SSelect next to a method that sees only the labels and one that sees none.

Word counts of two newsgroups, of which 2, 6 or 10 posts are labelled. Fisher score gets the labelled posts only,
Laplacian score the unlabelled ones only, SSelect all of them. How good the chosen words are is measured with all
labels, by 1-nearest-neighbour accuracy. After Zhao and Liu (SDM 2007), Figure 3.

Uses ../shared/data/PCMAC.mat where it is there, else synthetic counts (and says so).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import io, sparse
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from eigenselect import FisherScore, LaplacianScore, SSelect
from eigenselect.selection import rank_features
from eigenselect.similarity import KNN
from figures import COLOURS, plt, save

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "PCMAC.mat"
LABELS = (2, 6, 10)
SIZES = (5, 10, 20, 30, 40, 50)
REPEATS = 5


def main() -> None:
    """Print and draw accuracy against the number of words, for each number of labels."""
    warnings.filterwarnings("ignore", category=UserWarning)  # words that are constant on a few posts
    X, y, source = documents()
    print(f"{source}: {X.shape[0]} posts, {X.shape[1]} words, {REPEATS} draws of labels")
    graph = KNN().build(X)
    figure, axes = plt.subplots(1, len(LABELS), figsize=(11, 3.8), sharey=True, layout="constrained")
    for axis, n_labels in zip(axes, LABELS, strict=True):
        curves = [accuracies(X, y, graph, n_labels, seed) for seed in range(REPEATS)]
        for name, style, colour in zip(curves[0], ("-", "--", ":"), COLOURS, strict=False):
            mean = np.mean([curve[name] for curve in curves], axis=0)
            axis.plot(SIZES, mean, style, color=colour, marker="o", ms=4, label=name)
            print(f"{n_labels:>3} labels, {name:<20} " + " ".join(f"{value:.3f}" for value in mean))
        axis.set(title=f"{n_labels} labelled posts", xlabel="words selected")
    axes[0].set_ylabel("1NN accuracy, 5-fold")
    axes[0].legend()
    save(figure, "sselect_text")


def documents() -> tuple[sparse.csr_array, NDArray[np.intp], str]:
    """Counts, classes, and where they are from."""
    if DATA.exists():
        content = io.loadmat(DATA)
        return (
            sparse.csr_array(content["X"], dtype=np.float64),
            np.unique(content["Y"], return_inverse=True)[1].ravel(),
            "PCMAC",
        )
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    rates = rng.gamma(0.3, 0.1, size=(2, 800))
    rates[1, 100:] = rates[0, 100:]  # only the first hundred words tell the classes apart
    return sparse.csr_array(rng.poisson(rates[y]).astype(np.float64)), y, "SYNTHETIC counts (no PCMAC.mat)"


def accuracies(
    X: sparse.csr_array, y: NDArray[np.intp], graph: object, n_labels: int, seed: int
) -> dict[str, list[float]]:
    """Accuracy of each method's top words, for one draw of labels."""
    rng = np.random.default_rng(seed)
    known = np.concatenate([rng.choice(np.flatnonzero(y == c), n_labels // 2, replace=False) for c in (0, 1)])
    partly = np.full(y.size, -1)
    partly[known] = y[known]
    unknown = np.flatnonzero(partly < 0)
    rankings = {
        "SSelect": SSelect().fit(X, partly, similarity_matrix=graph.affinity).ranking_,
        "Fisher, labelled": fisher_ranking(X[known], y[known]),
        "Laplacian, unlabelled": LaplacianScore().fit(X[unknown]).ranking_,
    }
    return {name: [accuracy(X, y, ranking <= size) for size in SIZES] for name, ranking in rankings.items()}


def fisher_ranking(X: sparse.csr_array, y: NDArray[np.intp]) -> NDArray[np.intp]:
    """Fisher's ranking; with one post per class nothing varies within, and only the difference of the two is left."""
    if y.size > 2:
        return FisherScore().fit(X, y).ranking_
    return rank_features(abs(X[[0]] - X[[1]]).toarray().ravel())


def accuracy(X: sparse.csr_array, y: NDArray[np.intp], selected: NDArray[np.bool_]) -> float:
    """1NN on the chosen words."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(cross_val_score(KNeighborsClassifier(1), X[:, selected].toarray(), y, cv=folds).mean())


if __name__ == "__main__":
    main()
