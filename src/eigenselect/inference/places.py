r"""Where over the samples a score comes from: its quadratic form as a sum over samples, and over edges.

For the Laplacian form the sums are those of a local Geary indicator,

.. math:: g^\top L g = \sum_{i<j} S_{ij} (f_i - f_j)^2 = \sum_i \tfrac12 \sum_j S_{ij} (f_i - f_j)^2,

and no term is negative where S is not. Other forms :math:`\langle g, A g\rangle` have the terms
:math:`g_i (MAg)_i`, which may be of either sign; for whole powers of N the products are shared evenly between the two
sides, so that these have one sign, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.quadratic import AbsoluteForm, Form, PowerForm
from eigenselect.graph import ClassMeans, SampleGraph

#: edges that are listed; of a full kernel with more, the roughest are, and the others are one number
MOST_EDGES = 2_000_000
#: numbers of a dense similarity that are looked at together
BLOCK = 4_000_000

Cost = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class EdgeTerms:
    """A score as a sum over pairs of samples, the largest terms first.

    Attributes
    ----------
    first, second : ndarray of int
        Rows of X, the first of a pair being the smaller one.
    terms : ndarray of shape (n_edges,)
        They and ``rest`` sum to the score. Negative where a pair counts for less, as near hits do in ReliefF.
    rest : float
        The sum of edges that are not listed; 0.0 where all are.
    """

    first: IntArray
    second: IntArray
    terms: FloatArray
    rest: float = 0.0

    def scaled(self, factor: float, rows: IntArray) -> EdgeTerms:
        """Return the terms times a factor, by other row numbers."""
        return EdgeTerms(rows[self.first], rows[self.second], self.terms * factor, self.rest * factor)

    def to_frame(self) -> Any:
        """Return the listed edges as a data frame."""
        import pandas as pd

        return pd.DataFrame({"first": self.first, "second": self.second, "term": self.terms})


# -- over samples ------------------------------------------------------------------------------


def local_energy(graph: SampleGraph, values: FloatArray, cost: Cost = np.square) -> FloatArray:
    r"""Compute :math:`\tfrac12 \sum_j S_{ij}\,c(u_i - u_j)` of every sample, c the square or the magnitude.

    Of a class-label similarity it is :math:`(u_i - \bar u_{class})^2`, which has the same sum.

    >>> local_energy(SampleGraph(np.array([[0.0, 1], [1, 0]])), np.array([0.0, 3]))
    array([4.5, 4.5])
    """
    S = graph.affinity
    if isinstance(S, ClassMeans):
        return np.asarray(S.deviations(values[:, None])[:, 0] ** 2)
    if graph.is_sparse:
        row = np.repeat(np.arange(graph.n_samples), np.diff(S.indptr))
        terms = S.data * cost(values[row] - values[S.indices])
        return np.asarray(0.5 * np.bincount(row, weights=terms, minlength=graph.n_samples))
    if graph.is_implicit:  # only products are known
        products = S @ np.stack([values, values**2], axis=1)
        return np.asarray(0.5 * (graph.row_sums * values**2 - 2.0 * values * products[:, 0] + products[:, 1]))
    blocks = [_dense_terms(S, values, rows, cost).sum(axis=1) for rows in _row_blocks(graph.n_samples)]
    return np.asarray(0.5 * np.concatenate(blocks))


def sample_terms(form: Form, centred: FloatArray, graph: SampleGraph) -> FloatArray:
    """Split ⟨g, A g⟩ of a centred feature into one term per sample."""
    if isinstance(form, AbsoluteForm):
        return local_energy(graph, centred, np.abs)
    g = centred[:, None]
    if not isinstance(form, PowerForm):
        return np.asarray(centred * form.product(g, graph)[:, 0])
    for _ in range(form.exponent // 2):
        g = graph.walk(g)
    return local_energy(graph, g[:, 0]) if form.exponent % 2 else graph.mass * g[:, 0] ** 2


# -- over edges --------------------------------------------------------------------------------


def edge_terms(form: Any, centred: FloatArray, graph: SampleGraph) -> EdgeTerms | None:
    """List S_ij c(f_i - f_j) of every edge; None for forms that are no sums over edges, and where S is implicit."""
    absolute = isinstance(form, AbsoluteForm)
    if not absolute and form != PowerForm(1):
        return None
    return list_edges(graph, centred, np.abs if absolute else np.square)


def list_edges(
    graph: SampleGraph, values: FloatArray, cost: Cost = np.square, most: int | None = None
) -> EdgeTerms | None:
    """List S_ij c(u_i - u_j) of the edges of a graph, the largest magnitudes first; None where S is implicit.

    Those beyond the ``most`` largest (`MOST_EDGES` of a dense S, all of a sparse one) are one number.
    """
    if graph.is_implicit:
        return None
    if graph.is_sparse:
        return largest_differences(sparse.triu(graph.affinity, k=1, format="coo"), values, cost, most)
    found = _Largest(MOST_EDGES if most is None else most)
    for rows in _row_blocks(graph.n_samples):
        terms = _dense_terms(graph.affinity, values, rows, cost)
        first, second = np.nonzero(np.triu(graph.affinity[rows] != 0, k=rows.start + 1))
        found.add(first + rows.start, second, terms[first, second])
    return found.sorted()


def largest_differences(
    upper: sparse.coo_array, values: FloatArray, cost: Cost = np.square, most: int | None = None
) -> EdgeTerms:
    """Do the same for edges that are given as the upper half of S, once for many features."""
    found = _Largest(upper.nnz if most is None else most)
    found.add(upper.row, upper.col, upper.data * cost(values[upper.row] - values[upper.col]))
    return found.sorted()


class _Largest:
    """The ``most`` terms of largest magnitude of those that were added, and the sum of the others."""

    def __init__(self, most: int) -> None:
        self.most, self.rest = most, 0.0
        self.first, self.second, self.terms = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0)

    def add(self, *edges: Any) -> None:
        known = (self.first, self.second, self.terms)
        first, second, terms = (np.concatenate(pair) for pair in zip(known, edges, strict=True))
        if terms.size > self.most:
            order = np.argpartition(-np.abs(terms), self.most)
            stay = np.sort(order[: self.most])
            self.rest += float(terms[order[self.most :]].sum())
            first, second, terms = first[stay], second[stay], terms[stay]
        self.first, self.second, self.terms = first, second, terms

    def sorted(self) -> EdgeTerms:
        order = np.argsort(-np.abs(self.terms), kind="stable")
        first, second = (ends[order].astype(np.intp) for ends in (self.first, self.second))
        return EdgeTerms(first, second, self.terms[order], self.rest)


def _row_blocks(n_samples: int) -> list[slice]:
    return slices(n_samples, max(1, BLOCK // max(1, n_samples)))


def _dense_terms(S: FloatArray, values: FloatArray, rows: slice, cost: Cost) -> FloatArray:
    return np.asarray(S[rows] * cost(values[rows, None] - values))
