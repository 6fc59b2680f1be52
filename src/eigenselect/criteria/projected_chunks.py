r"""Linear sums and weighted squares of centred features, over chunks of rows, in one pass.

Each chunk subtracts a mean of its own, c. When chunks are pooled, sums are moved to the common mean: with d the step,

.. math:: \sum_i v_i (f_i - c + d) = \sum_i v_i (f_i - c) + d \sum_i v_i, \qquad
          \sum_i a_i (f_i - c + d)^2 = \sum_i a_i (f_i - c)^2 + 2d \sum_i a_i (f_i - c) + d^2 \sum_i a_i .

Means of chunks are as near to each other as the feature's values are, so this costs no digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.criteria import loops_numpy
from eigenselect.criteria.forms import Form, KernelForm
from eigenselect.criteria.pooled_terms import PooledTerms
from eigenselect.criteria.spectral_forms import FEW_VECTORS, FactorForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import Matrix


@dataclass(frozen=True)
class Projections:
    """What is summed over the rows of a chunk: Vᵀg for few vectors, and Σ a_i g_i².

    Attributes
    ----------
    vectors : array or sparse matrix of shape (n_rows, k)
        V.
    weights : ndarray of shape (n_rows,)
        a, of either sign.
    """

    vectors: Any
    weights: FloatArray


@dataclass(frozen=True)
class PooledSums:
    """What some rows add to the terms of every feature, and to sums about their mean.

    Attributes
    ----------
    terms : PooledTerms
        Of one group.
    origin : ndarray of shape (n_features,)
        c.
    totals : ndarray of shape (k + 1,)
        Sums of the vectors, and of the weights of squares.
    linear : ndarray of shape (k + 1, n_features)
        Sums of the vectors, and of these weights, times f - c.
    squares : ndarray of shape (n_features,)
        Σ a_i (f_i - c)².

    Examples
    --------
    >>> counted = PooledTerms(np.ones(1), np.array([[2.0]]), np.array([[0.0]]), np.zeros(1))
    >>> one = PooledSums.of(Matrix(np.array([[2.0]])), counted, Projections(np.ones((1, 1)), np.ones(1)))
    >>> two = PooledSums.of(Matrix(np.array([[4.0]])), replace(counted, mean=np.array([[4.0]])),
    ...                     Projections(np.zeros((1, 1)), np.ones(1)))
    >>> both = one.plus(two)
    >>> both.linear[0], both.squares  # of the mean 3
    (array([-1.]), array([2.]))
    """

    terms: PooledTerms
    origin: FloatArray
    totals: FloatArray
    linear: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, chunk: Matrix, terms: PooledTerms, part: Projections) -> PooledSums:
        """Sum over the rows of a chunk, whose mean is that of its terms."""
        origin, transposed = terms.mean[0], part.vectors.T
        linear, squares = [], []
        with np.errstate(over="ignore", invalid="ignore"):
            for columns in chunk.tiles():
                tile = chunk.tile(columns)
                tile -= origin[columns]
                linear.append(np.vstack([transposed @ tile, part.weights @ tile]))
                squares.append(loops_numpy.inner(part.weights, tile, tile))
        totals = np.append(np.asarray(part.vectors.sum(axis=0)).ravel(), part.weights.sum())
        return cls(terms, origin, totals, np.hstack(linear), np.concatenate(squares))

    def plus(self, other: PooledSums) -> PooledSums:
        """Pool two parts about their common mean."""
        terms = self.terms.plus(other.terms)
        one, two = (part.about(terms.mean[0]) for part in (self, other))
        with np.errstate(over="ignore", invalid="ignore"):
            return PooledSums(
                terms, one.origin, one.totals + two.totals, one.linear + two.linear, one.squares + two.squares
            )

    def about(self, origin: FloatArray) -> PooledSums:
        """Return the sums about another value."""
        with np.errstate(over="ignore", invalid="ignore"):
            step = self.origin - origin
            squares = self.squares + step * (2.0 * self.linear[-1] + step * self.totals[-1])
            return replace(self, origin=origin, linear=self.linear + np.outer(self.totals, step), squares=squares)


@dataclass(frozen=True)
class ProjectedSums:
    """A form as a function of linear sums and squares.

    Attributes
    ----------
    parts : list of Projections
        One per chunk.
    finish : callable
        Makes the form of the linear sums, the squares and what was only summed.
    """

    parts: list[Projections]
    finish: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

    @property
    def finished(self) -> Callable[[PooledSums], PooledTerms]:
        """The function from what all chunks of some columns add up to, to their terms: workers call it."""
        return partial(_finished, self.finish)


def _finished(finish: Callable[..., FloatArray], sums: PooledSums) -> PooledTerms:
    with np.errstate(over="ignore", invalid="ignore"):
        return replace(sums.terms, quadratic=finish(sums.linear[:-1], sums.squares, sums.terms.quadratic))


def projected_sums(graph: SampleGraph, form: Form, chunks: Sequence[slice]) -> ProjectedSums | None:
    """Choose what is summed for few eigenvectors and for kernels of classes; None for other forms."""
    if isinstance(form, FactorForm) and form.weights.size <= FEW_VECTORS:
        zeros, values = np.zeros(graph.n_samples), form.weights
        parts = [Projections(form.basis[rows], zeros[rows]) for rows in chunks]
        return ProjectedSums(parts, lambda linear, squares, summed: values @ linear**2)
    if isinstance(form, KernelForm) and isinstance(form.kernel, ClassMeans):
        factor, shares = form.factor, 1.0 / form.kernel.sizes
        parts = [Projections(form.kernel.member[rows], form.diagonal[rows]) for rows in chunks]
        return ProjectedSums(parts, lambda linear, squares, summed: factor * (shares @ linear**2 + squares))
    return None
