r"""Where samples are drawn, and how far that plane tells classes apart, beside what it would for permuted labels.

The separation of classes is the leave-one-out accuracy of the nearest neighbour in the plane that is drawn,

.. math:: a(y) = \frac1n \sum_i \frac{1}{|\mathcal N_i|} \sum_{j \in \mathcal N_i} [y_i = y_j]

where :math:`\mathcal N_i` are the samples nearest to i (several where they lie at the same place, so that neither
rounding nor the order of the rows decides). Over all permutations of the labels its mean is

.. math:: \bar a = \sum_c \frac{n_c (n_c - 1)}{n (n - 1)}

whatever the picture is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect._typing import FloatArray, IntArray
from eigenselect.reporting.view_types import EmbeddingView, SeparationView
from eigenselect.reporting.views.drawn_graph import DrawnGraph, is_wide, participation
from eigenselect.reporting.views.groups import UNLABELLED, Groups

#: eigenvectors to choose from
SHOWN_EIGENVECTORS = 6
#: Permutations, and the part of them that an accuracy must be above to be more than chance: a page is one of many that
#: a user looks at, so one in a hundred of noise says so, not one in twenty. (The level was 95 % at first; it was raised
#: after a page of noise had said it.) At 99 %, "more than chance" is said of 18 of 2100 fresh tables of noise, 0.9 %,
#: and of at most 5 of 300 of one kind; seven kinds, counted by benchmarks/claims_on_noise.py.
PERMUTATIONS, LEVEL = 499, 0.99
#: distances that differ by this part of the picture's width are the same
SAME = 1e-7


def embedding_view(drawn: DrawnGraph, shown: IntArray) -> EmbeddingView | None:
    r"""Place samples in the first non-trivial eigenvectors, as :math:`p = D^{-1/2}\xi`.

    The two to draw first pass over an eigenvector that sets a handful of samples apart, because it would draw all
    others as one point. How many it sets apart is the participation of what is drawn,
    :math:`(\sum_i q_i^2)^2 / \sum_i q_i^4` with :math:`q = p - \bar p`. Where fewer than two are wide, the two widest
    are drawn. Those of equal eigenvalues, which any rotation of them would replace as well, are in a basis that does
    not depend on the solver, and are named under ``"equal"``; where they are too many for all to be known, none is
    drawn. None where there are not two.
    """
    axes = list(range(1, drawn.n_whole))[:SHOWN_EIGENVECTORS]
    if len(axes) < 2:
        return None
    points = drawn.coordinates[:, axes]
    lives_on = participation(points)
    return {
        "of": drawn.description,
        "n_drawn": int(drawn.rows.size),
        "n_apart": int(drawn.apart.size),
        "eigenvectors": [int(axis) + 1 for axis in axes],
        "eigenvalues": [float(drawn.spectrum.eigenvalues[axis]) for axis in axes],
        "equal": _equal_eigenvalues(drawn, axes),
        "lives_on": [round(float(count)) for count in lives_on],
        "axes": _first_axes(lives_on, len(points)),
        "coordinates": points[np.isin(drawn.rows, shown)].T.tolist(),
    }


def _equal_eigenvalues(drawn: DrawnGraph, axes: list[int]) -> list[list[int]]:
    """Return the numbers of the drawn eigenvectors that have equal eigenvalues, group by group."""
    groups = drawn.spectrum.groups
    members = {group: [axis + 1 for axis in axes if groups[axis] == group] for group in groups[axes].tolist()}
    return [numbers for numbers in members.values() if len(numbers) > 1]


def _first_axes(lives_on: FloatArray, n_samples: int) -> list[int]:
    """Return the first two places of eigenvectors that are wide, or else of the widest."""
    wide = np.flatnonzero(is_wide(lives_on, n_samples))
    if wide.size < 2:
        wide = np.sort(np.argsort(-np.round(lives_on), kind="stable")[:2])
    return [int(place) for place in wide[:2]]


def separation_view(
    drawn: DrawnGraph, embedding: EmbeddingView | None, groups: Groups, shown: IntArray, random_state: Any
) -> SeparationView | None:
    """Measure how far the plane that is drawn first tells classes apart; see `separation`.

    None without a plane, for clusters, which were made from the picture itself, and where the plane is a choice among
    equal eigenvalues.
    """
    if embedding is None or groups.kind == "cluster" or _is_choice_of_basis(drawn, embedding):
        return None
    axes = embedding["axes"]
    codes = np.where(np.array([*groups.names, ""], dtype=object)[groups.codes] == UNLABELLED, -1, groups.codes)
    points = np.array(embedding["coordinates"])[axes].T
    numbers = [embedding["eigenvectors"][axis] for axis in axes]
    return separation(points, codes[shown], groups.kind, numbers, random_state)


def _is_choice_of_basis(drawn: DrawnGraph, embedding: EmbeddingView) -> bool:
    """Tell whether a drawn eigenvalue has an eigenvector that is not drawn: any other mixture would do as well.

    The eigenvectors of 0 are no choice: they contrast one component with the larger ones.
    """
    groups = drawn.spectrum.groups
    axes = [embedding["eigenvectors"][axis] - 1 for axis in embedding["axes"]]
    others = np.delete(groups, [0, *axes])
    return bool(np.isin(groups[axes][groups[axes] > 0], others).any())


def separation(points: FloatArray, codes: IntArray, kind: str, axes: list[int], seed: Any) -> SeparationView | None:
    """Measure the accuracy of the nearest neighbour in a plane, and its mean and 99 % point for permuted labels.

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
    SeparationView or None
        None with fewer than three samples or two groups.
    """
    points, codes = points[codes >= 0], codes[codes >= 0]
    if codes.size < 3 or np.unique(codes).size < 2:
        return None
    nearest = nearest_samples(points)
    accuracy, rng = agreement(nearest, codes), np.random.default_rng(seed)
    permuted = [agreement(nearest, rng.permutation(codes)) for _ in range(PERMUTATIONS)]
    mean, high = mean_agreement(codes), float(np.quantile(permuted, LEVEL))
    return {
        "eigenvectors": axes,
        "accuracy": accuracy,
        "permuted": mean,
        "permuted_high": high,
        "beyond_chance": bool(accuracy > high),
        "sentence": _separation_sentence(axes, kind, accuracy, mean, high),
    }


def nearest_samples(points: FloatArray) -> sparse.coo_array:
    """Find for each sample (row) the others (columns) that are nearest, with weights that sum to 1."""
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    width = float(np.ptp(points, axis=0).max())
    near = distances <= distances.min(axis=1, keepdims=True) + SAME * width
    rows, columns = np.nonzero(near)
    return sparse.coo_array((1.0 / near.sum(axis=1)[rows], (rows, columns)), shape=near.shape)


def agreement(nearest: sparse.coo_array, codes: IntArray) -> float:
    """Return the share of samples whose nearest one is in the same group."""
    same = codes[nearest.row] == codes[nearest.col]
    return float(nearest.data[same].sum() / codes.size)


def mean_agreement(codes: IntArray) -> float:
    """Return the mean of `agreement` over all permutations of the codes.

    >>> mean_agreement(np.array([0, 0, 1, 1]))
    0.3333333333333333
    """
    counts = np.unique(codes, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (codes.size * (codes.size - 1)))


def _separation_sentence(axes: list[int], kind: str, accuracy: float, permuted: float, high: float) -> str:
    told = "more than chance" if accuracy > high else "no more than chance"
    return (
        f"In eigenvectors {axes[0]} and {axes[1]}, {accuracy:.0%} of the samples have their nearest neighbour in "
        f"their own {kind}; with permuted labels {permuted:.0%} have, and up to {high:.0%} "
        f"in {LEVEL:.0%} of the permutations: {told}."
    )
