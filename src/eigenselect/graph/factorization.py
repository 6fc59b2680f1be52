r"""Factorise a sparse symmetric matrix where that is cheap, and know before whether it is.

The factor of a graph's matrix is small if few samples cut the graph in halves, and again its halves: samples on a line,
in the plane or on a surface. It is nearly full for neighbours in many dimensions, and there even the search for a good
order takes minutes. So three looks are taken, each dearer than the one before: at the levels of a breadth-first search
(`level_width`), of the whole and of some places in it; at the order by minimum degree; at the count of entries that
follows from it. Only then is anything factorised. What is compared are numbers of operations, never seconds: the same
graph takes the same way on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import spilu, splu

from eigenselect._typing import FloatArray, IntArray

#: entries that a triangular factor may have; both together take 24 bytes for each
MOST_ENTRIES = 2**26
#: multiplications that a factorisation may take: about two minutes
MOST_WORK = 1e11
#: a factor has about this many times the squared width of the graph's levels (measured: 5 to 7 for 3 to 6 dimensions)
ENTRIES_OF_WIDTH = 6.0
#: beyond this part of all samples in a level the graph is like a random one: no order helps, and finding one is slow
WIDE = 0.2
#: matrices up to this size have a small factor in any case; their work is bounded from the widths, without compilation
SMALL_SIZE = 2000
#: samples around each of some places whose levels are looked at, and how many places
BALL_SIZE, N_BALLS = 2000, 8
#: for SuperLU: order rows as columns, pivots are on the diagonal
SYMMETRIC = {"SymmetricMode": True}


@dataclass(frozen=True)
class FactorPlan:
    """An order of the samples and what a factorisation in it costs.

    Attributes
    ----------
    order : ndarray of int
    entries : float
        Of one triangular factor; an upper bound for small matrices.
    work : float
        Multiplications of the factorisation.
    """

    order: IntArray
    entries: float
    work: float


def plan_factor(matrix: sparse.csr_array, *, wide_up_to: int = 0) -> FactorPlan | None:
    """Find an order in which the factor of a symmetric matrix is small; None if there seems to be none.

    Matrices up to the size ``wide_up_to`` may be wide: of a small one no factor is large.

    Examples
    --------
    >>> chain = sparse.diags_array([np.ones(999), np.ones(1000), np.ones(999)], offsets=[-1, 0, 1], format="csr")
    >>> plan_factor(chain).entries < 5000
    True
    """
    size = matrix.shape[0]
    width = narrow_width(matrix) if size > wide_up_to else 0.0
    if width is None or ENTRIES_OF_WIDTH * width**2 > MOST_ENTRIES:
        return None
    matrix = _pattern(matrix)
    if wide_up_to < size <= SMALL_SIZE:
        entries = min(size**2 / 2, 2 * size * (width + 1))
        return FactorPlan(_by_minimum_degree(matrix), entries, entries**2 / size)
    from eigenselect.graph.fill_numba import column_counts

    order = _by_minimum_degree(matrix)
    counts = column_counts(matrix, order, MOST_ENTRIES)
    if counts is None or (work := float(np.sum(counts.astype(np.float64) ** 2))) > MOST_WORK:
        return None
    return FactorPlan(order, float(counts.sum()), work)


class Factor:
    """The inverse of M + shift I, applied; the order is undone.

    Examples
    --------
    >>> M = sparse.csr_array(np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 2]]))
    >>> M @ Factor(M, 0.0, FactorPlan(np.array([0, 2, 1]), 5.0, 5.0)).solve(np.array([1.0, 2, 3]))
    array([1., 2., 3.])
    """

    def __init__(self, matrix: sparse.csr_array, shift: float, plan: FactorPlan) -> None:
        ordered = matrix[plan.order][:, plan.order] + shift * sparse.eye_array(matrix.shape[0])
        self._factor = splu(sparse.csc_array(ordered), permc_spec="NATURAL", diag_pivot_thresh=0.0, options=SYMMETRIC)
        self._order = plan.order

    def solve(self, vector: FloatArray) -> FloatArray:
        """Return (M + shift I)⁻¹ v."""
        solution = np.empty_like(vector)
        solution[self._order] = self._factor.solve(vector[self._order])
        return solution


def narrow_width(matrix: sparse.csr_array) -> float | None:
    """Compute the `level_width` of a symmetric matrix; None if it, or a place in it, is as wide as a random graph.

    >>> chain = sparse.diags_array([np.ones(99), np.ones(99)], offsets=[-1, 1], format="csr")
    >>> narrow_width(chain), narrow_width(sparse.csr_array(np.ones((9, 9))))
    (1.0, None)
    """
    matrix = _pattern(matrix)
    width = level_width(matrix)
    if width > WIDE * matrix.shape[0]:
        return None
    balls = _balls(matrix) if matrix.shape[0] > SMALL_SIZE else []
    return None if any(level_width(ball) > WIDE * ball.shape[0] for ball in balls) else width


def _pattern(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return ones where entries are stored."""
    return sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def level_width(matrix: sparse.csr_array) -> float:
    """Compute the mean over all samples of how many are as far as they from an end of the graph, in steps.

    Every component has an end of its own: the sample farthest from its first one. Entries must not be negative.

    >>> level_width(sparse.csr_array(np.ones((4, 4))))  # one sample, then all the others
    2.5
    """
    components = csgraph.connected_components(matrix, directed=False)[1]
    _, first = np.unique(components, return_index=True)
    steps = _steps_from(matrix, first)
    by_steps = np.lexsort((steps, components))
    last = by_steps[np.flatnonzero(np.diff(components[by_steps], append=-1))]
    steps = _steps_from(matrix, last)
    _, sizes = np.unique(components * (steps.max() + 1.0) + steps, return_counts=True)
    return float(np.sum(sizes.astype(np.float64) ** 2) / matrix.shape[0])


def _steps_from(matrix: sparse.csr_array, sources: IntArray) -> FloatArray:
    """Count the steps from the nearest source to every sample."""
    return np.asarray(csgraph.dijkstra(matrix, directed=True, indices=sources, unweighted=True, min_only=True))


def _balls(matrix: sparse.csr_array) -> list[sparse.csr_array]:
    """Cut out the samples nearest, in steps, to some that are spread over all numbers."""
    centres = np.linspace(0, matrix.shape[0] - 1, N_BALLS).astype(np.intp)
    nearest = (csgraph.breadth_first_order(matrix, centre, return_predecessors=False) for centre in centres)
    return [matrix[ball[:BALL_SIZE]][:, ball[:BALL_SIZE]] for ball in nearest]


def _by_minimum_degree(matrix: sparse.csr_array) -> IntArray:
    """Order samples by minimum degree, as `splu` does before it factorises.

    It does not give the order away without a factorisation, so it gets the pattern with numbers of which an incomplete
    factorisation keeps nothing but the diagonal.
    """
    pattern = sparse.csc_array(1e-9 * abs(matrix) + sparse.eye_array(matrix.shape[0]))
    factor = spilu(
        pattern, permc_spec="MMD_AT_PLUS_A", drop_tol=0.5, fill_factor=1, diag_pivot_thresh=0.0, options=SYMMETRIC
    )
    return np.argsort(factor.perm_c)
