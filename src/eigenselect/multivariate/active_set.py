"""The L2,1 problem on a few features: Newton's method, with block coordinate descent where rows come and go."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from eigenselect.multivariate.columns import row_lengths

FloatArray = NDArray[np.float64]

#: a row of W that enters is seeded at this part of λ / ||x||²: small, yet far from rounding
SEED = 1e-7
#: added to the diagonal of a system that copies of a feature make singular
RIDGE = 1e-13
#: shares of a Newton step that are tried before coordinates are swept instead
SHARES = (1.0, 0.5, 0.125)


@dataclass
class ActiveSet:
    r"""The features in play, and what :math:`\tfrac12\lVert Y - X_A W\rVert^2 + \lambda\lVert W\rVert_{2,1}` needs.

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
    """

    features: NDArray[np.intp]
    columns: FloatArray
    gram: FloatArray
    target: FloatArray
    W: FloatArray

    @classmethod
    def empty(cls, n_samples: int, n_outputs: int) -> ActiveSet:
        none = np.empty((0, n_outputs))
        return cls(np.empty(0, np.intp), np.empty((0, n_samples)), np.empty((0, 0)), none, none)

    @property
    def size(self) -> int:
        return int(self.features.size)

    def with_features(self, features: NDArray[np.intp], columns: FloatArray, Y: FloatArray) -> ActiveSet:
        """These features added at the end, with rows of zeros."""
        cross, own = self.columns @ columns.T, columns @ columns.T
        return ActiveSet(
            np.concatenate([self.features, features]),
            np.vstack([self.columns, columns]),
            np.block([[self.gram, cross], [cross.T, own]]),
            np.vstack([self.target, columns @ Y]),
            np.vstack([self.W, np.zeros((features.size, Y.shape[1]))]),
        )

    def without_zero_rows(self) -> ActiveSet:
        kept = self.W.any(axis=1)
        if kept.all():
            return self
        return ActiveSet(
            self.features[kept],
            self.columns[kept],
            self.gram[np.ix_(kept, kept)],
            self.target[kept],
            self.W[kept],
        )

    def at(self, W: FloatArray) -> ActiveSet:
        """The same features with other coefficients."""
        return replace(self, W=W)

    def residual(self, Y: FloatArray, W: FloatArray) -> FloatArray:
        """Y - X_A W."""
        return np.asarray(Y - self.columns.T @ W)


@dataclass
class Solution:
    """W on the active set at one λ, how far it is from optimal, and the factors of the last Newton system."""

    W: FloatArray
    error: float
    iterations: int


def solve(active: ActiveSet, penalty: float, start: FloatArray, tolerance: float, max_iter: int) -> Solution:
    r"""Minimise on the active set until the optimality conditions hold to ``tolerance`` · λ on every row.

    Away from 0 the objective is smooth, and its Hessian has a structure that makes Newton's step no dearer than
    an epoch of coordinate descent (see `NewtonSystem`). A row at 0 that should not be there, or a step that does
    not help, is left to sweeps of exact minimisations over one row at a time, which always descend.

    Parameters
    ----------
    active : ActiveSet
    penalty : float
        λ.
    start : ndarray of shape (n_active, n_outputs)
    tolerance : float
    max_iter : int
        Newton steps and sweeps together.
    """
    point = _Point.at(active, start, penalty)
    iterations = 0
    while point.error > tolerance * penalty and iterations < max_iter:
        iterations += 1
        better = None
        if not point.has_waiting_row(penalty * (1 + tolerance)):
            better = _after_newton_step(active, point, penalty)
        point = better or _Point.at(active, swept(active, point.W, penalty), penalty)
    return Solution(point.W, point.error, iterations)


def swept(active: ActiveSet, W: FloatArray, penalty: float) -> FloatArray:
    """One epoch of block coordinate descent: every row set to its minimum given the others."""
    W = W.copy()
    for i in range(active.size):
        own = active.gram[i, i]
        pull = active.target[i] - active.gram[i] @ W + own * W[i]
        length = np.sqrt(pull @ pull)
        W[i] = pull * ((1 - penalty / length) / own) if length > penalty else 0.0
    return W


class NewtonSystem:
    r"""The Hessian of the objective at rows that are not 0, factorised.

    .. math::
        H = G \otimes I + \lambda\,\mathrm{blockdiag}_i\left(\frac{I - u_i u_i^\top}{\lVert w_i \rVert}\right)
          = D^{1/2}\left[(I + K) \otimes I - \mathrm{blockdiag}(u_i u_i^\top)\right]D^{1/2}

    where

    * :math:`G = X_A^\top X_A`, :math:`u_i = w_i / \lVert w_i \rVert`,
    * :math:`D = \mathrm{diag}(\lambda / \lVert w_i \rVert)` and :math:`K = D^{-1/2} G D^{-1/2}`.

    The matrix that is subtracted has rank one for each feature, so by Woodbury's identity a system of
    (features × outputs) unknowns is solved with two factorisations of (features × features).
    """

    def __init__(self, gram: FloatArray, W: FloatArray, penalty: float) -> None:
        lengths = row_lengths(W)
        self.U = W / lengths[:, None]
        self.root = np.sqrt(lengths / penalty)
        K = self.root[:, None] * gram * self.root
        size = len(K)
        factor = cho_factor(K + np.eye(size), lower=True, overwrite_a=True, check_finite=False)
        self.B = cho_solve(factor, np.eye(size), overwrite_b=True, check_finite=False)
        small = -self.B * (self.U @ self.U.T)
        # 1 - B_ii, without the cancellation where a row is short
        small[np.diag_indices(size)] = np.einsum("ij,ij->i", K, self.B) + RIDGE
        self.small = cho_factor_or_ridge(small)

    def solve(self, E: FloatArray) -> FloatArray:
        """H⁻¹E."""
        scaled = self.root[:, None] * E
        along = np.einsum("ij,ij->i", self.U, self.B @ scaled)
        along = cho_solve(self.small, along, check_finite=False)
        return np.asarray(self.root[:, None] * (self.B @ (scaled + along[:, None] * self.U)))


def cho_factor_or_ridge(matrix: FloatArray) -> tuple[FloatArray, bool]:
    """A Cholesky factor of a matrix that is positive semi-definite up to rounding, by as small a ridge as it takes."""
    ridge = 0.0
    for _ in range(12):
        try:
            return cho_factor(matrix + ridge * np.eye(len(matrix)), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            ridge = max(10 * ridge, RIDGE)
    return cho_factor(np.eye(len(matrix)), lower=True)


def tangent(active: ActiveSet, W: FloatArray, penalty: float) -> FloatArray:
    r""":math:`dW/d\lambda` at a solution, where :math:`H\,dW = -U\,d\lambda`; rows of 0 stay."""
    slope = np.zeros_like(W)
    moving = W.any(axis=1)
    if moving.any():
        system = NewtonSystem(active.gram[np.ix_(moving, moving)], W[moving], penalty)
        slope[moving] = system.solve(-system.U)
    return slope


def seeded(active: ActiveSet, penalty: float) -> FloatArray:
    """W with rows of 0 moved by very little in the direction in which they will grow, so that they have a tangent."""
    zero = ~active.W.any(axis=1)
    W = active.W.copy()
    pull = active.target[zero] - active.gram[zero] @ active.W
    size = SEED * penalty / np.diag(active.gram)[zero]
    W[zero] = pull * (size / row_lengths(pull))[:, None]
    return W


@dataclass
class _Point:
    """W with the negative gradient of the loss, the largest violation of a row's optimality, and the objective.

    The objective is that of the problem less ½||Y||², which is the same for all W.
    """

    W: FloatArray
    gradient: FloatArray
    error: float
    objective: float

    @classmethod
    def at(cls, active: ActiveSet, W: FloatArray, penalty: float) -> _Point:
        gradient = active.target - active.gram @ W
        lengths = row_lengths(W)
        zero = lengths == 0
        away = row_lengths(gradient - penalty * (W / np.where(zero, 1.0, lengths)[:, None]))
        errors = np.where(zero, np.maximum(away - penalty, 0.0), away)
        objective = penalty * lengths.sum() - 0.5 * np.vdot(W, active.target + gradient)
        return cls(W, gradient, float(errors.max(initial=0.0)), float(objective))

    def has_waiting_row(self, limit: float) -> bool:
        """Whether a row at 0 should not be there."""
        waiting = self.gradient[~self.W.any(axis=1)]
        return bool((row_lengths(waiting) > limit).any())


def _after_newton_step(active: ActiveSet, point: _Point, penalty: float) -> _Point | None:
    """The point that a Newton step, or a share of it, leads to; None if that is no better."""
    moving = point.W.any(axis=1)
    if not moving.any():
        return None
    system = NewtonSystem(active.gram[np.ix_(moving, moving)], point.W[moving], penalty)
    downhill = point.gradient[moving] - penalty * system.U
    step = np.zeros_like(point.W)
    step[moving] = system.solve(downhill)
    promised = float(np.vdot(downhill, step[moving]))
    for share in SHARES:
        moved = without_flips(point.W, point.W + share * step)
        candidate = _Point.at(active, moved, penalty)
        gain = point.objective - candidate.objective
        rounding = 1e-13 * abs(point.objective)
        if gain > max(1e-3 * share * promised, rounding) or (candidate.error < 0.5 * point.error and gain > -rounding):
            return candidate
    return None


def without_flips(W: FloatArray, moved: FloatArray) -> FloatArray:
    """Rows that a step took through 0 stop there."""
    moved[np.einsum("ij,ij->i", W, moved) < 0] = 0.0
    return moved
