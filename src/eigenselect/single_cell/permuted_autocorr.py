r"""P-values from random permutations of the cells, both sides of the graph together.

A permuted statistic is that of :math:`W_\pi = (w_{\pi(i)\pi(j)})`: cells change places and keep their values. Permuting
the rows of W alone, :math:`w_{\pi(i)j}`, is no permutation of the cells: the spread that it shows is that of another
statistic, about :math:`\sqrt 2` too small on a symmetric W.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import ndtr

from eigenselect._progress import Progress, tracked
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.criterion import Criterion, Scores
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix


@dataclass
class Tally:
    """What is kept of permuted statistics: counts and moments, not all n_perms × n_genes of them.

    Attributes
    ----------
    observed : ndarray of shape (n_genes,)
    margin : ndarray of shape (n_genes,)
        What rounding can do to a statistic: values that are nearer tie.
    centre : ndarray of shape (n_genes,)
        The first permutation: squares of differences to it keep their digits, and are 0 where all are alike.
    n_perms : int
    larger, smaller : ndarray of shape (n_genes,)
        Permutations with a statistic at least as large, and at least as small.
    total, squares : ndarray of shape (n_genes,)
        Sums of the differences to the centre, and of their squares.

    Examples
    --------
    >>> tally = Tally(np.array([2.0]), np.array([0.0]))
    >>> for value in (0.0, 1.0, 2.0):
    ...     tally.add(np.array([value]))
    >>> tally.pvalues(larger=True), tally.variance.round(3)
    (array([0.5]), array([0.667]))
    """

    observed: FloatArray
    margin: FloatArray

    def __post_init__(self) -> None:
        self.n_perms, self.centre = 0, np.zeros(self.observed.size)
        self.larger, self.smaller, self.total, self.squares = (np.zeros(self.observed.size) for _ in range(4))

    def add(self, permuted: FloatArray) -> None:
        """Count one permutation."""
        self.centre = self.centre if self.n_perms else permuted.copy()
        self.n_perms += 1
        self.larger += permuted >= self.observed - self.margin
        self.smaller += permuted <= self.observed + self.margin
        self.total += permuted - self.centre
        self.squares += (permuted - self.centre) ** 2

    def pvalues(self, *, larger: bool) -> FloatArray:
        """Return (k + 1) / (n_perms + 1), k permutations being at least as extreme: never 0; NaN where undefined."""
        found = ((self.larger if larger else self.smaller) + 1.0) / (self.n_perms + 1.0)
        return np.where(np.isnan(self.observed), np.nan, found)

    @property
    def mean(self) -> FloatArray:
        """Mean of the permuted statistics."""
        return self.centre + self.total / self.n_perms

    @property
    def variance(self) -> FloatArray:
        """Variance of the permuted statistics."""
        return np.maximum(self.squares / self.n_perms - (self.total / self.n_perms) ** 2, 0.0)

    def normal_pvalues(self, *, larger: bool) -> FloatArray:
        """Return the tail of a normal distribution with these moments; 1 where every permutation has one value."""
        sd, sign = np.sqrt(self.variance), 1.0 if larger else -1.0
        distance = sign * (self.observed - self.mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            tail = ndtr(-distance / sd)
        return np.where(np.isnan(self.observed), np.nan, np.where(sd > self.margin, tail, 1.0))


def permuted_statistics(
    make: Callable[[SampleGraph], Criterion],
    graph: SampleGraph,
    table: Matrix,
    scores: Scores,
    *,
    n_perms: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Tally:
    """Score every gene on graphs whose cells change places.

    Parameters
    ----------
    make : callable
        Makes the criterion of a graph.
    graph : SampleGraph
    table : Matrix
    scores : Scores
        What was observed.
    n_perms : int
    rng : Generator
        Draws one permutation after the other, so that the result does not depend on threads.
    n_jobs : int, optional
        Threads that share the genes.
    progress : callable, optional
        Called with (permutations done, permutations in all).
    """
    tally = Tally(scores.native, scores.rounding)
    for _ in tracked(range(n_perms), n_perms, progress):
        criterion = make(_permuted(graph, rng.permutation(graph.n_samples)))
        tally.add(criterion.scores(table, n_jobs=n_jobs).native)
    return tally


def _permuted(graph: SampleGraph, order: IntArray) -> SampleGraph:
    """Return the graph whose cell i is cell order[i] of this one."""
    S = graph.affinity
    return SampleGraph(S[order][:, order] if sparse.issparse(S) else S[np.ix_(order, order)], origin=graph.origin)
