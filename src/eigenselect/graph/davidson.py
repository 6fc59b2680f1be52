r"""The smallest eigenpairs of a positive semidefinite matrix, from vectors near them and an approximate inverse.

A block of orthonormal vectors V, more than are wanted, has Ritz values θ and residuals R. Each round solves for every
wanted vector v, roughly, the equation of Jacobi and Davidson,

.. math:: \Pi (M - \theta I) \Pi\, c = -(Mv - \theta v), \qquad \Pi = I - QQ^\top,

with Q the null vectors and V, and takes the best vectors of the space of V and all c. The vectors beyond the wanted
ones keep M - θI positive there, so that conjugate gradients solve it, with the approximate inverse B as preconditioner.
A few of their steps gain three digits, in single precision; all that is kept from round to round is double. The norm of
BR is about the angle to the eigenvector, and tells when a round was the last.

That nothing is lost is tested by conjugate gradients, too. If there is an eigenvalue up to the last wanted one, λ,
beside those of V, then for τ > λ the matrix M - τI is not positive on the complement of Q: B½(M - τI)B½ has an
eigenvalue -h there, h about τ/λ - 1 or more. k steps from each of p random right-hand sides see nothing but positive
curvature with a probability of at most

.. math:: \bigl(1.648 \sqrt n\, e^{-\sqrt\epsilon (2k-1)}\bigr)^p, \qquad \epsilon = h/(1+h),

by the bound of `eigenselect.graph.krylov` for I - B½(M - τI)B½, whose eigenvalues are between 0 and 1 + h. (Its start
vectors are random in all directions alike; these are longer in directions of small eigenvalues, which helps.)

References
----------
Sleijpen and Van der Vorst, A Jacobi-Davidson iteration method for linear eigenvalue problems, SIAM J. Matrix Anal.
Appl. 1996, doi:10.1137/S0895479894270427.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenselect._eigen import Pairs, eigh
from eigenselect._typing import FloatArray
from eigenselect.graph.krylov import random_steps

Singles = NDArray[np.float32]
Preconditioner = Callable[[Singles], Singles]

#: angle to an eigenvector after which no round follows, and the largest one that is accepted where rounds gain no more:
#: vectors of eigenvalues a gap g apart are known up to about 1e-16/g
ACCURATE, ACCEPTED = 1e-12, 1e-10
#: steps of conjugate gradients in the first round, which is for all vectors, and in every other, for the wanted ones
FIRST_STEPS, STEPS = 3, 5
#: rounds, and the part of the error that a round may leave
ROUNDS, SLOWEST = 12, 0.3
#: how far, relative to the last wanted eigenvalue, the last one must be for the equations to be solved by few steps
APART = 1.2
#: right-hand sides of the search for lost pairs, and the most steps
SEARCHES, SEARCH_STEPS = 8, 20
#: largest angle of the vectors beyond the wanted ones, which must not be mixtures with a pair that is lost
ROUGH = 0.1
#: where τ is, from the last wanted eigenvalue (0) to the last approximate one beyond (1)
TAU = 2 / 3
#: eigenvalues that differ by less than this part are refined together
CLOSE = 0.01
#: directions in which corrections nearly depend on each other, relative to the squared length of the longest
DEPENDENT = 1e-6


def refined_pairs(
    matrix: Any,
    null: FloatArray,
    inverse: Preconditioner,
    block: FloatArray,
    count: int,
    start: np.random.RandomState,
) -> Pairs | None:
    """Refine vectors to the ``count`` smallest eigenpairs; None if that is slow, or if a pair may be lost.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        M, positive semidefinite.
    null : array of shape (n, c)
        Its null vectors, orthonormal.
    inverse : callable
        B, from residuals in columns to about M⁻¹ times them, in single precision.
    block : array of shape (n, p)
        Near the smallest eigenvectors; p is larger than ``count`` by a half or so.
    count : int
    start : RandomState
        For the search for lost pairs.

    Examples
    --------
    >>> from scipy import sparse
    >>> M = sparse.diags_array(np.arange(50.0), format="csr")
    >>> near = np.eye(50)[:, 1:6] + 0.01 * np.random.default_rng(0).normal(size=(50, 5))
    >>> null, weights = np.eye(50)[:, :1], np.float32(1 / np.arange(1, 51))[:, None]
    >>> refined_pairs(M, null, lambda r: weights * r, near, 2, np.random.RandomState(0))[0].round(9)
    array([1., 2.])
    """
    single = matrix.astype(np.float32)
    vectors = _orthonormal(block, null)
    values, rotation = eigh(vectors.T @ (matrix @ vectors))
    vectors, last = vectors @ rotation, np.inf
    for number in range(ROUNDS):
        if not (vectors.shape[1] > count and values[-1] > APART * values[count - 1]):
            return None
        residuals = matrix @ vectors - vectors * values
        known = np.hstack([null, vectors])
        gradients = _Gradients(single, inverse, known.astype(np.float32))
        active, steps = (values.size, FIRST_STEPS) if number == 0 else (_active(values, count), STEPS)
        shifts = np.minimum(values[:active], values[count - 1])
        found = gradients.solve(residuals[:, :active], shifts, steps, wanted=count)
        if not found.sizes.size:  # weights of nearly no size leave nothing to solve
            return None
        error = found.sizes[:count].max()
        is_slow = not error <= SLOWEST * last
        if error <= (ACCEPTED if is_slow else ACCURATE):
            others = gradients.solve(residuals[:, count:], values[count:], 0, wanted=0).sizes
            is_complete = others.max() <= ROUGH and _none_left(gradients, values[count - 1], values[-1], start)
            return (values[:count], _polished(vectors[:, :count])) if is_complete else None
        if is_slow:
            return None
        last = error
        values, vectors = _best(matrix, values, vectors, residuals, _orthonormal(found.solutions, known))
    return None


def _active(values: FloatArray, count: int) -> int:
    """Count the wanted pairs and those about equal to the last, filled up to what processors multiply together.

    A wanted vector mixes with one of an equal eigenvalue, so that must be as accurate.
    """
    from eigenselect.graph.two_grid_numba import WIDTH

    wanted = int(np.searchsorted(values, (1 + CLOSE) * values[count - 1], side="right"))
    return min(-(-wanted // WIDTH) * WIDTH, values.size)


class _Found(NamedTuple):
    """Solutions, about the lengths that they should have, and whether all that was met had positive curvature."""

    solutions: FloatArray
    sizes: FloatArray
    is_positive: bool


class _Gradients:
    """Conjugate gradients for (M - shift I) x = r on the complement of known vectors, every column by itself."""

    def __init__(self, matrix: Any, inverse: Preconditioner, known: Singles) -> None:
        self._entries, self._inverse, self._known = (matrix.indptr, matrix.indices, matrix.data), inverse, known
        self.size = len(known)

    def solve(self, right: FloatArray, shifts: FloatArray, steps: int, *, wanted: int) -> _Found:
        """Take some steps from 0, none if the wanted columns are done; one ends where its curvature is not positive."""
        from eigenselect.graph.two_grid_numba import advance, shifted_product, turn

        lengths = np.linalg.norm(right, axis=0)
        left = self._projected((right / np.where(lengths > 0, lengths, 1.0)).astype(np.float32))
        direction = self._projected(self._inverse(left))
        sizes = np.linalg.norm(direction, axis=0) * lengths
        if (sizes[:wanted] <= ACCURATE).all():
            steps = 0
        shifts, is_positive = shifts.astype(np.float32), True
        solution, image, gain = np.zeros_like(left), np.empty_like(left), _dots(left, direction)
        curvature = np.empty(left.shape[1])
        for step in range(steps):
            shifted_product(*self._entries, direction, shifts, image, curvature)
            is_positive &= not (curvature < 0).any()
            advance(direction, image, _ratio(gain, curvature), solution, left)
            if step < steps - 1:
                gradient = self._projected(self._inverse(left))
                last, gain = gain, _dots(left, gradient)
                turn(gradient, _ratio(gain, last), direction)
        return _Found(solution.astype(np.float64), sizes, is_positive)

    def _projected(self, block: Singles) -> Singles:
        return np.subtract(block, self._known @ (self._known.T @ block), out=block)


def _none_left(gradients: _Gradients, wanted: np.float64, beyond: np.float64, start: np.random.RandomState) -> bool:
    """Tell whether surely no eigenvalue up to the last wanted one is left, by curvatures at τ between."""
    excess = TAU * (beyond / wanted - 1)
    size = gradients.size
    steps = random_steps(excess / (1 + excess), size, starts=SEARCHES)
    if steps > SEARCH_STEPS:
        return False
    right = start.normal(size=(size, SEARCHES))
    return gradients.solve(right, np.full(SEARCHES, (1 + excess) * wanted), steps, wanted=SEARCHES).is_positive


def _best(
    matrix: Any, values: FloatArray, vectors: FloatArray, residuals: FloatArray, corrections: FloatArray
) -> Pairs:
    """Take as many Ritz pairs as before from the space of Ritz vectors and corrections, orthonormal."""
    size, between = values.size, residuals.T @ corrections
    small = np.block([[np.diag(values), between], [between.T, corrections.T @ (matrix @ corrections)]])
    values, rotation = eigh(small, smallest=size)
    return values, vectors @ rotation[:size] + corrections @ rotation[size:]


def _orthonormal(block: FloatArray, known: FloatArray) -> FloatArray:
    """Make columns orthonormal, and orthogonal to known ones; what depends on the others is left out."""
    block = block - known @ (known.T @ block)
    lengths = np.linalg.norm(block, axis=0)
    block = block[:, lengths > 0] / lengths[lengths > 0]
    if block.shape[1] == 0:
        return block
    values, rotation = eigh(block.T @ block)
    kept = values > DEPENDENT * values[-1]
    return np.asarray(block @ (rotation[:, kept] / np.sqrt(values[kept])))


def _polished(vectors: FloatArray) -> FloatArray:
    """Bring columns that are orthonormal up to ε up to ε²: a step of Newton for V(V'V)^-1/2."""
    return np.asarray(vectors @ (1.5 * np.eye(vectors.shape[1]) - 0.5 * (vectors.T @ vectors)))


def _dots(left: Singles, right: Singles) -> FloatArray:
    """Multiply columns with columns."""
    return np.einsum("ij,ij->j", left, right).astype(np.float64)


def _ratio(above: FloatArray, below: FloatArray) -> Singles:
    """Divide where the divisor is positive; 0 elsewhere."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0).astype(np.float32)
