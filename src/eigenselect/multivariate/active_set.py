"""Solve the L2,1 problem on few features: Newton's method, with block coordinate descent where rows come and go.

(README.md in this folder says why Newton, with times.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from eigenselect._typing import BoolArray, FloatArray, IntArray

#: a row of W that enters starts with this part of λ / ||x||²: small, yet far from rounding
FIRST_NORM = 1e-7
#: added to the diagonal of a system that copies of a feature make singular
RIDGE = 1e-13
#: violations below this part of the largest correlation of a feature with Y are rounding of the gradient
ROUNDING = 8 * np.finfo(np.float64).eps
#: a Newton system is kept for another step if the last one left less than this part of the KKT violation
FAST = 0.05
#: how often rows are set to 0 within one Newton step
MAX_RESTARTS = 10


@dataclass
class ActiveSet:
    r"""Hold the working set A and what :math:`\tfrac12\lVert Y - X_A W\rVert^2 + \lambda\lVert W\rVert_{2,1}` needs.

    Attributes
    ----------
    features : ndarray of int
        A.
    columns : ndarray of shape (n_active, n_samples)
        :math:`X_A^\top`.
    gram : ndarray of shape (n_active, n_active)
        :math:`X_A^\top X_A`.
    target : ndarray of shape (n_active, n_outputs)
        :math:`X_A^\top Y`.
    W : ndarray of shape (n_active, n_outputs)

    Examples
    --------
    >>> active = ActiveSet.empty(2, 1).with_features(np.array([7]), np.array([[3.0, 4]]), np.array([[1.0], [0]]))
    >>> active.features, active.gram, active.target
    (array([7]), array([[25.]]), array([[3.]]))
    """

    features: IntArray
    columns: FloatArray
    gram: FloatArray
    target: FloatArray
    W: FloatArray

    @classmethod
    def empty(cls, n_samples: int, n_outputs: int) -> ActiveSet:
        """Make a working set without features."""
        none = np.empty((0, n_outputs))
        return cls(np.empty(0, np.intp), np.empty((0, n_samples)), np.empty((0, 0)), none, none)

    def with_features(self, features: IntArray, columns: FloatArray, Y: FloatArray) -> ActiveSet:
        """Add features at the end, with rows of zeros."""
        cross, own = self.columns @ columns.T, columns @ columns.T
        return ActiveSet(
            np.concatenate([self.features, features]),
            np.vstack([self.columns, columns]),
            np.block([[self.gram, cross], [cross.T, own]]),
            np.vstack([self.target, columns @ Y]),
            np.vstack([self.W, np.zeros((features.size, Y.shape[1]))]),
        )

    def with_solution(self, W: FloatArray) -> ActiveSet:
        """Take W, and leave out the features whose rows are 0."""
        kept = W.any(axis=1)
        if kept.all():
            return replace(self, W=W)
        return ActiveSet(
            self.features[kept],
            self.columns[kept],
            self.gram[np.ix_(kept, kept)],
            self.target[kept],
            W[kept],
        )

    def residual(self, Y: FloatArray, W: FloatArray) -> FloatArray:
        """Compute Y - X_A W."""
        return np.asarray(Y - self.columns.T @ W)

    def started(self, penalty: float) -> FloatArray:
        """Give W with short rows in place of 0, in the direction in which they will grow: rows of 0 have no tangent."""
        zero = ~self.W.any(axis=1)
        W = self.W.copy()
        pull = self.target[zero] - self.gram[zero] @ self.W
        size = FIRST_NORM * penalty / np.diag(self.gram)[zero]
        W[zero] = pull * (size / _row_norms(pull))[:, None]
        return W

    def duality_gap(self, Y: FloatArray, R: FloatArray, penalty: float, highest: float) -> float:
        r"""Bound how far the objective at W is above its minimum, relative to the objective at 0.

        .. math::
            P(W) - D(\theta) = \tfrac12\lVert R \rVert^2 + \lambda\lVert W \rVert_{2,1} - \tfrac12\lVert Y \rVert^2
            + \tfrac12\lVert Y - \theta \rVert^2

        divided by :math:`\tfrac12\lVert Y \rVert^2`, where :math:`\theta` is R, shrunk until no correlation
        exceeds λ; ``highest`` is the largest one of features outside of A.
        """
        highest = max(highest, float(_row_norms(self.columns @ R).max(initial=0.0)))
        share = min(1.0, penalty / highest) if highest > 0 else 1.0
        total = 0.5 * float(np.vdot(Y, Y))
        primal = 0.5 * float(np.vdot(R, R)) + penalty * float(_row_norms(self.W).sum())
        away = Y - share * R
        return max((primal - total + 0.5 * float(np.vdot(away, away))) / total, 0.0) if total > 0 else 0.0


@dataclass
class Solution:
    """W on the working set at one λ, its KKT violation, and the last Newton system, which is near it."""

    W: FloatArray
    violation: float
    iterations: int
    system: NewtonSystem | None


def solve(
    active: ActiveSet,
    penalty: float,
    start: FloatArray,
    tolerance: float,
    max_iter: int,
    system: NewtonSystem | None = None,
    fallback: FloatArray | None = None,
) -> Solution:
    r"""Minimise on the working set until every row satisfies the KKT conditions to ``tolerance`` · λ, or to rounding.

    Away from 0 the objective is smooth, and its Hessian has a structure that makes Newton's step no dearer than
    an epoch of coordinate descent (see `NewtonSystem`). A row at 0 that violates its condition, or a step that does
    not help, is left to block coordinate descent, which always descends.

    Parameters
    ----------
    active : ActiveSet
    penalty : float
        λ.
    start : ndarray of shape (n_active, n_outputs)
    tolerance : float
    max_iter : int
        Newton steps and epochs of coordinate descent together.
    system : NewtonSystem, optional
        Of a point nearby: it is used as long as its steps converge fast enough.
    fallback : ndarray, optional
        Another start, where the first is far off.
    """
    point = _Point.at(active, start, penalty)
    if fallback is not None and point.violation > penalty:
        point = min(point, _Point.at(active, fallback, penalty), key=lambda candidate: candidate.objective)
    iterations = 0
    enough = max(tolerance * penalty, ROUNDING * float(_row_norms(active.target).max(initial=0.0)))
    while point.violation > enough and iterations < max_iter:
        iterations += 1
        better = None
        if point.W.any() and not point.has_row_to_enter(penalty * (1 + tolerance)):
            if system is None or not system.has_support_of(point.W):
                system = NewtonSystem(active.gram, point.W, penalty)
            better = _newton_step(active, point, system, penalty)
        slow = better is None or better.violation > FAST * point.violation
        if better is None and system is not None and system.penalty != penalty:
            better = point  # a system of another λ: the next iteration makes its own
        point = better or _Point.at(active, coordinate_descent(active, point.W, penalty), penalty)
        system = None if slow else system
    return Solution(point.W, point.violation, iterations, system)


def coordinate_descent(active: ActiveSet, W: FloatArray, penalty: float) -> FloatArray:
    r"""Run one epoch of block coordinate descent: set every row to its minimum given the others.

    .. math:: w_i = \left(1 - \lambda / \lVert p_i \rVert\right)_+ p_i / \lVert x_i \rVert^2, \quad
        p_i = x_i^\top (Y - \textstyle\sum_{j \ne i} x_j w_j)
    """
    W = W.copy()
    for i in range(active.features.size):
        own = active.gram[i, i]
        pull = active.target[i] - active.gram[i] @ W + own * W[i]
        length = np.sqrt(pull @ pull)
        W[i] = pull * ((1 - penalty / length) / own) if length > penalty else 0.0
    return W


def tangent(active: ActiveSet, W: FloatArray, penalty: float, system: NewtonSystem | None) -> FloatArray:
    r"""Compute the tangent :math:`dW/d\lambda`: the KKT conditions stay true where :math:`H\,dW = -U\,d\lambda`."""
    if system is None or not system.has_support_of(W):
        system = NewtonSystem(active.gram, W, penalty)
    return system.solve(-system.U)


class NewtonSystem:
    r"""Factorise the Hessian of the objective at the rows that are not 0.

    .. math::
        H = G \otimes I + \lambda\,\mathrm{blockdiag}_i\left(\frac{I - u_i u_i^\top}{\lVert w_i \rVert}\right)
          = D^{1/2}\left[(I + K) \otimes I - \mathrm{blockdiag}(u_i u_i^\top)\right]D^{1/2}

    where

    * :math:`G = X_A^\top X_A`, :math:`u_i = w_i / \lVert w_i \rVert`,
    * :math:`D = \mathrm{diag}(\lambda / \lVert w_i \rVert)` and :math:`K = D^{-1/2} G D^{-1/2}`.

    The matrix that is subtracted has rank one for each feature, so by Woodbury's identity a system of
    (features × outputs) unknowns is solved with two factorisations of (features × features).

    Parameters
    ----------
    gram : ndarray
        G of all rows, also those at 0.
    W : ndarray
    penalty : float
        λ.
    """

    def __init__(self, gram: FloatArray, W: FloatArray, penalty: float) -> None:
        self.penalty = penalty
        norms = _row_norms(W)
        self.support = norms > 0
        if not self.support.all():
            gram, W, norms = gram[np.ix_(self.support, self.support)], W[self.support], norms[self.support]
        self.U = W / norms[:, None]
        self.root = np.sqrt(norms / penalty)
        K = self.root[:, None] * gram * self.root
        diagonal = np.diag_indices(len(K))
        shifted = K.copy()
        shifted[diagonal] += 1.0
        self.B = _inverse(shifted)
        small = -self.B * (self.U @ self.U.T)
        # 1 - B_ii, without the cancellation where a row is short
        small[diagonal] = np.einsum("ij,ij->i", K, self.B)
        self.small = _factor(small)

    def has_support_of(self, W: FloatArray) -> bool:
        """Tell whether the same rows are 0."""
        return bool(np.array_equal(self.support, W.any(axis=1)))

    def solve(self, E: FloatArray) -> FloatArray:
        """Compute H⁻¹E, with rows of 0 where W has them."""
        scaled = self.root[:, None] * E
        along = np.einsum("ij,ij->i", self.U, self.B @ scaled)
        along = dpotrs(self.small, along, lower=1)[0]
        solution = self.root[:, None] * (self.B @ (scaled + along[:, None] * self.U))
        if self.support.all():
            return np.asarray(solution)
        padded = np.zeros((self.support.size, E.shape[1]))
        padded[self.support] = solution
        return padded


def _inverse(matrix: FloatArray) -> FloatArray:
    """Invert a symmetric matrix with eigenvalues of at least 1 (LAPACK directly: the matrices are small)."""
    lower = dpotri(dpotrf(matrix, lower=1, clean=1)[0], lower=1)[0]
    return np.asarray(lower + np.tril(lower, -1).T)


def _factor(matrix: FloatArray) -> FloatArray:
    """Factorise (Cholesky) a matrix that is positive semi-definite up to rounding, with the ridge that it needs."""
    ridge = RIDGE
    while True:
        matrix[np.diag_indices(len(matrix))] += ridge
        factor, failed = dpotrf(matrix, lower=1)
        if not failed:
            return np.asarray(factor)
        ridge *= 100.0


@dataclass
class _Point:
    """W with the negative gradient of the loss, the largest KKT violation of a row, and the objective less ½||Y||²."""

    W: FloatArray
    gradient: FloatArray
    violation: float
    objective: float

    @classmethod
    def at(cls, active: ActiveSet, W: FloatArray, penalty: float) -> _Point:
        gradient = active.target - active.gram @ W
        norms = _row_norms(W)
        zero = norms == 0
        away = _row_norms(gradient - penalty * (W / np.where(zero, 1.0, norms)[:, None]))
        violations = np.where(zero, np.maximum(away - penalty, 0.0), away)
        objective = penalty * norms.sum() - 0.5 * np.vdot(W, active.target + gradient)
        return cls(W, gradient, float(violations.max(initial=0.0)), float(objective))

    def is_worse_than(self, other: _Point) -> bool:
        """Tell whether the other has a lower objective, or the same up to rounding and is nearer to optimal."""
        gain, rounding = self.objective - other.objective, 1e-13 * abs(self.objective)
        return gain > rounding or (other.violation < 0.5 * self.violation and gain > -rounding)

    def has_row_to_enter(self, limit: float) -> bool:
        """Tell whether a row is at 0 although its correlation exceeds the limit."""
        at_zero = self.gradient[~self.W.any(axis=1)]
        return bool((_row_norms(at_zero) > limit).any())


def _newton_step(active: ActiveSet, point: _Point, system: NewtonSystem, penalty: float) -> _Point | None:
    """Take a Newton step, or a part of it; None if that does not improve the point.

    Rows that the step would take through 0 are set to 0 first, and the step is computed again without them. If that
    does not help either, the step ends where the first row reaches 0.
    """
    base = end = point
    for _ in range(MAX_RESTARTS):
        step, through_zero = _full_step(base, system, penalty)
        for share in (1.0,) if through_zero.any() else (1.0, 0.5, 0.125):
            candidate = _Point.at(active, stop_at_zero(base.W, base.W + share * step), penalty)
            if point.is_worse_than(candidate):
                return candidate
        if base is point:
            reach = _share_to_first_zero(point.W, step)
            end = _Point.at(active, stop_at_zero(point.W, point.W + reach * step), penalty)
        if not through_zero.any() or through_zero[system.support].all():
            break
        base = _Point.at(active, np.where(through_zero[:, None], 0.0, base.W), penalty)
        system = NewtonSystem(active.gram, base.W, penalty)
    return end if point.is_worse_than(end) else None


def _full_step(point: _Point, system: NewtonSystem, penalty: float) -> tuple[FloatArray, BoolArray]:
    """Compute Newton's step, and which rows it takes through 0."""
    W = point.W[system.support]
    step = system.solve(point.gradient[system.support] - penalty * (W / _row_norms(W)[:, None]))
    return step, np.einsum("ij,ij->i", point.W, point.W + step) < 0


def _share_to_first_zero(W: FloatArray, step: FloatArray) -> float:
    """Find the share of a step at which the first row reaches 0, at most 1."""
    along = np.einsum("ij,ij->i", W, step)
    turning = along < 0
    reach = np.einsum("ij,ij->i", W[turning], W[turning]) / -along[turning]
    return min(float(reach.min(initial=1.0)) * (1 + 1e-12), 1.0)


def stop_at_zero(W: FloatArray, moved: FloatArray) -> FloatArray:
    """Set rows to 0 that a step took through 0."""
    moved[np.einsum("ij,ij->i", W, moved) < 0] = 0.0
    return moved


def _row_norms(rows: FloatArray) -> FloatArray:
    """Compute the Euclidean norm of every row."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))
