"""Two selectors that the dissertation compares MRSF with and that are no spectral ones: mRMR and AROM-SVM.

Written from their definitions, for the tables of this folder. Both return the features from best to worst.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

HARD = 1e3  # C of AROM's machines, for a Gram matrix of mean diagonal 1: nearly a hard margin
ROUNDS = 50  # at most
SETTLED = 1e-3  # no scale moves more than this in a round, the largest being 1
GONE = 1e-6  # a scale this small, relative to the largest, is taken for 0


def three_levels(X: FloatArray) -> NDArray[np.int8]:
    """-1, 0 or 1: below, within, or above one standard deviation around the mean of the feature."""
    centred, spread = X - X.mean(axis=0), X.std(axis=0)
    return (centred > spread).astype(np.int8) - (centred < -spread).astype(np.int8)


class Information:
    """Mutual information, in nats, of a variable with every column of a table of three levels."""

    def __init__(self, levels: NDArray[np.int8]) -> None:
        n_samples = len(levels)
        counts = np.arange(n_samples + 1)
        self.terms = np.zeros(n_samples + 1)  # p log p for each possible count
        self.terms[1:] = counts[1:] / n_samples * np.log(counts[1:] / n_samples)
        self.indicators = [(levels == level).astype(np.float32) for level in (-1, 0, 1)]
        self.entropy = -sum(self.terms[part.sum(axis=0).astype(np.intp)] for part in self.indicators)

    def with_all(self, codes: NDArray[np.generic]) -> FloatArray:
        """H(codes) + H(column) - H(codes, column), for every column."""
        own, joint = 0.0, np.zeros(self.indicators[0].shape[1])
        for code in np.unique(codes):
            rows = (codes == code).astype(np.float32)
            own -= self.terms[int(rows.sum())]
            for part in self.indicators:
                joint -= self.terms[(rows @ part).astype(np.intp)]
        return np.asarray(own + self.entropy - joint)


def mrmr(X: FloatArray, y: NDArray[np.generic], n_features: int, *, quotient: bool = False) -> IndexArray:
    """Minimum redundancy, maximum relevance (Ding and Peng 2005; Peng, Long and Ding 2005), one feature at a time.

    The next feature has the largest I(f; y) - mean of I(f; g) over the chosen g ("MID"), or their quotient ("MIQ").
    Features are discretised into `three_levels`; of equally good ones the first is taken.
    """
    levels = three_levels(X)
    information = Information(levels)
    relevance = information.with_all(y)
    redundancy, chosen = np.zeros(X.shape[1]), [int(np.argmax(relevance))]
    while len(chosen) < min(n_features, X.shape[1]):
        redundancy += information.with_all(levels[:, chosen[-1]])
        mean = redundancy / len(chosen)
        merit = relevance / np.maximum(mean, 1e-12) if quotient else relevance - mean
        merit[chosen] = -np.inf
        chosen.append(int(np.argmax(merit)))
    return np.array(chosen, dtype=np.intp)


def arom_svm(X: FloatArray, y: NDArray[np.generic], n_features: int) -> IndexArray:
    """Return the best features of `arom_order`."""
    return arom_order(X, y)[0][:n_features]


def arom_order(
    X: FloatArray, y: NDArray[np.generic], *, cost: float = HARD, rounds: int = ROUNDS
) -> tuple[IndexArray, int]:
    """The zero-norm of a linear machine made small by multiplicative updates (Weston et al. 2003, l2-AROM).

    Train on the scaled features x * z, multiply z by the size of the weights, repeat: the scales of most features
    fall to 0. Several classes share one z: one machine for each class against the rest, and z is multiplied by the
    sum of |w| over them. A feature whose scale is gone is out; one that stays longer ranks higher, and among those
    that go in the same round (or never) the one of larger scale.

    Returns the features from best to worst, and how many are not out.
    """
    scales, alive = np.ones(X.shape[1]), np.arange(X.shape[1])
    gone: list[IndexArray] = []
    for _ in range(rounds):
        before, scales = scales, scales * weight_sizes(X[:, alive] * scales, y, cost)
        scales /= scales.max()
        settled = np.abs(scales - before).max() < SETTLED
        order = np.argsort(-scales, kind="stable")
        kept = order[scales[order] > GONE]
        gone.append(alive[order[kept.size :]])
        alive, scales = alive[kept], scales[kept]
        if settled:
            break
    return np.concatenate([alive, *gone[::-1]]), alive.size


def weight_sizes(Z: FloatArray, y: NDArray[np.generic], cost: float = HARD) -> FloatArray:
    """Σ |w| over the machines of each class against the rest (of one machine if there are two classes)."""
    gram = Z @ Z.T
    scale = float(np.trace(gram)) / len(gram)
    classes = np.unique(y)
    total = np.zeros(Z.shape[1])
    for label in classes[: 1 if classes.size == 2 else None]:
        machine = SVC(kernel="precomputed", C=cost).fit(gram / scale, y == label)
        total += np.abs(machine.dual_coef_[0] @ Z[machine.support_])
    return total
