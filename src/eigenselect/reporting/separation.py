r"""How far a picture tells classes apart, beside what it would for permuted labels.

The number is the leave-one-out accuracy of the nearest neighbour in the plane that is drawn,

.. math:: a(y) = \frac1n \sum_i \frac{1}{|\mathcal N_i|} \sum_{j \in \mathcal N_i} [y_i = y_j]

where :math:`\mathcal N_i` are the samples nearest to i (several where they lie at the same place, so that neither
rounding nor the order of the rows decides). Over all permutations of the labels its mean is

.. math:: \bar a = \sum_c \frac{n_c (n_c - 1)}{n (n - 1)}

whatever the picture is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Permutations, and the part of them that an accuracy must be above to be more than chance: a page is one of many that
#: a user looks at, so one in a hundred of noise says so, not one in twenty. (The level was 95 % at first; it was raised
#: after a page of noise had said it.) At 99 %, "more than chance" is said of 18 of 2100 fresh tables of noise, 0.9 %,
#: and of at most 5 of 300 of one kind; seven kinds, counted by benchmarks/claims_on_noise.py.
PERMUTATIONS, LEVEL = 499, 0.99
#: distances that differ by this part of the picture's width are the same
SAME = 1e-7


def separation_view(
    points: FloatArray, codes: IntArray, kind: str, axes: list[int], seed: Any
) -> dict[str, Any] | None:
    """Accuracy of the nearest neighbour in a plane, and its mean and 99 % point for permuted labels.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    codes : ndarray of int, shape (n,)
        Group of each sample; negative for those in none, which are left out.
    kind : str
        What a group is called: class, third.
    axes : list of int
        The numbers of the two eigenvectors.
    seed : int or Generator

    Returns
    -------
    dict or None
        None with fewer than three samples or two groups.
    """
    points, codes = points[codes >= 0], codes[codes >= 0]
    if codes.size < 3 or np.unique(codes).size < 2:
        return None
    nearest = nearest_samples(points)
    accuracy, rng = agreement(nearest, codes), np.random.default_rng(seed)
    permuted = [agreement(nearest, rng.permutation(codes)) for _ in range(PERMUTATIONS)]
    found: dict[str, Any] = {
        "eigenvectors": axes,
        "accuracy": accuracy,
        "permuted": mean_agreement(codes),
        "permuted_high": float(np.quantile(permuted, LEVEL)),
    }
    found["beyond_chance"] = bool(accuracy > found["permuted_high"])
    found["sentence"] = sentence_of(found, kind)
    return found


def nearest_samples(points: FloatArray) -> sparse.coo_array:
    """For each sample (row) the others (columns) that are nearest, with weights that sum to 1."""
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    width = float(np.ptp(points, axis=0).max())
    near = distances <= distances.min(axis=1, keepdims=True) + SAME * width
    rows, columns = np.nonzero(near)
    return sparse.coo_array((1.0 / near.sum(axis=1)[rows], (rows, columns)), shape=near.shape)


def agreement(nearest: sparse.coo_array, codes: IntArray) -> float:
    """Share of samples whose nearest one is in the same group."""
    same = codes[nearest.row] == codes[nearest.col]
    return float(nearest.data[same].sum() / codes.size)


def mean_agreement(codes: IntArray) -> float:
    """The mean of `agreement` over all permutations of the codes."""
    counts = np.unique(codes, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (codes.size * (codes.size - 1)))


def sentence_of(found: dict[str, Any], kind: str) -> str:
    """What the numbers say."""
    first, second = found["eigenvectors"]
    told = "more than chance" if found["beyond_chance"] else "no more than chance"
    return (
        f"In eigenvectors {first} and {second}, {found['accuracy']:.0%} of the samples have their nearest neighbour in "
        f"their own {kind}; with permuted labels {found['permuted']:.0%} have, and up to {found['permuted_high']:.0%} "
        f"in {LEVEL:.0%} of the permutations: {told}."
    )
