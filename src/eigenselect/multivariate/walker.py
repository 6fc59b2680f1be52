"""From knot to knot: the λ's at which the next feature enters, found by following the path's tangent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eigenselect.multivariate.active_set import ActiveSet, seeded, solve, tangent, without_flips
from eigenselect.multivariate.columns import Columns, row_lengths
from eigenselect.multivariate.screening import Pool

FloatArray = NDArray[np.float64]

#: a knot is found when the next feature's correlation equals λ up to this part of it
KNOT_TOLERANCE = 2e-7
#: optimality of the rows in play, relative to λ
ROW_TOLERANCE = 1e-8
#: the path ends at this part of the first λ: what is left of the target is rounding
LOWEST = 1e-6
#: a step goes down to this part of λ at most; a feature that the pool does not know may enter before
LONGEST_STEP = 0.5
#: features that differ by less than this part of their length are copies
COPY = 1e-8
#: solves on the way to one knot, normally 2 or 3
MAX_ROUNDS = 60


@dataclass
class Knot:
    """A point of the path at which its set of features changes.

    Attributes
    ----------
    penalty : float
        λ.
    active : ActiveSet
        The rows of W that are not 0.
    entering : ndarray of int
        Features that enter below this λ.
    copies : ndarray of int
        Features that would, but equal one that is in play.
    gap : float
        Relative duality gap.
    stalled : bool
        The solver gave up before it was as exact as asked.
    """

    penalty: float
    active: ActiveSet
    entering: NDArray[np.intp]
    copies: NDArray[np.intp]
    gap: float
    stalled: bool = False


@dataclass
class Walker:
    """Walks down the path of one problem.

    Attributes
    ----------
    columns : Columns
    Y : ndarray of shape (n_samples, n_outputs)
    tol : float
        Relative duality gap that the solver must reach.
    max_iter : int
        Newton steps and sweeps for one λ.
    """

    columns: Columns
    Y: FloatArray
    tol: float
    max_iter: int
    out_of_play: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.pool = Pool(self.columns)
        self.out_of_play = self.columns.lengths == 0
        self.solves = self.iterations = 0

    def first(self) -> Knot:
        """λ_max, where W = 0 and the first feature enters."""
        lengths = self.columns.correlation_lengths(self.Y)
        penalty = float(lengths.max(initial=0.0))
        nothing = ActiveSet.empty(*self.Y.shape)
        return self._knot(penalty, nothing, np.flatnonzero(lengths >= penalty * (1 - KNOT_TOLERANCE)))

    def resume(self, knot: Knot, copies: NDArray[np.intp]) -> None:
        """Go on from a knot of an earlier walk, with the copies that it met."""
        self.out_of_play[knot.active.features] = True
        self.out_of_play[copies] = True

    def next(self, knot: Knot, lowest: float) -> Knot:
        """The next knot below, or the point at ``lowest`` if no feature enters before."""
        active = knot.active.with_features(knot.entering, self.columns.take(knot.entering), self.Y)
        self.out_of_play[active.features] = True
        at, W = knot.penalty, seeded(active, knot.penalty)
        R = active.residual(self.Y, W)
        high, low = knot.penalty, lowest
        for _ in range(MAX_ROUNDS):
            slope = tangent(active, W, at)
            ahead = self._crossing(R, -(active.columns.T @ slope), at)
            penalty = max(ahead, LONGEST_STEP * at, lowest)
            if not (low < penalty < high) and penalty != lowest:
                penalty = 0.5 * (low + high)
            W, error = self._solved(active, penalty, without_flips(W, W + (penalty - at) * slope))
            at, R = penalty, active.residual(self.Y, W)
            lengths = self._competitors(R, penalty)
            excess = float(lengths.max(initial=0.0)) - penalty
            near = abs(excess) <= KNOT_TOLERANCE * penalty
            if near or (penalty == lowest and excess < 0):
                break
            low, high = (penalty, high) if excess > 0 else (low, penalty)
        kept = active.at(W).without_zero_rows()
        if kept.size < active.size:
            self.out_of_play[active.features] = False
            self.out_of_play[kept.features] = True
            self.pool.forget()  # it does not know the features that left
        entering = self.pool.features[lengths >= penalty * (1 - KNOT_TOLERANCE)] if near else np.empty(0, np.intp)
        found = self._knot(penalty, kept, entering)
        found.stalled = found.gap > self.tol or not (near or penalty == lowest)
        return found

    def _solved(self, active: ActiveSet, penalty: float, start: FloatArray) -> tuple[FloatArray, float]:
        solution = solve(active, penalty, start, ROW_TOLERANCE, self.max_iter)
        self.solves += 1
        self.iterations += solution.iterations
        return solution.W, solution.error

    def _competitors(self, R: FloatArray, penalty: float) -> FloatArray:
        """||x_iᵀR|| of the pool, 0 for features that are in play or copies of such."""
        self._correlations = self.pool.correlations(R, penalty, self.out_of_play)
        lengths = row_lengths(self._correlations)
        lengths[self.out_of_play[self.pool.features]] = 0.0
        return lengths

    def _crossing(self, R: FloatArray, slope: FloatArray, penalty: float) -> float:
        r"""The largest λ below at which a feature of the pool reaches it, if residuals go on along ``slope``.

        :math:`\lVert x_i^\top (R + \delta \dot R) \rVert = \lambda + \delta` is a quadratic equation for each feature;
        where a feature is above λ already, the crossing is above.
        """
        c, s = self.pool.correlations(R, penalty, self.out_of_play), self.pool.rows @ slope
        a = np.einsum("ij,ij->i", s, s) - 1
        b = np.einsum("ij,ij->i", c, s) - penalty
        q = np.einsum("ij,ij->i", c, c) - penalty**2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = -(b + np.copysign(np.sqrt(np.maximum(b * b - a * q, 0.0)), b))
            roots = np.stack([t / a, q / t])
        roots[~np.isfinite(roots)] = -np.inf
        below = np.where(roots < 0, roots, -np.inf).max(axis=0)
        above = np.where(roots > 0, roots, np.inf).min(axis=0)
        step = np.where(q > 0, np.where(np.isfinite(above), above, 0.0), below)
        step[self.out_of_play[self.pool.features]] = -np.inf
        return penalty + max(float(step.max(initial=-np.inf)), -penalty)

    def _knot(self, penalty: float, active: ActiveSet, entering: NDArray[np.intp]) -> Knot:
        """Separates copies from features that enter, in column order."""
        fresh: list[int] = []
        copies: list[int] = []
        known = active.columns
        for feature in np.sort(entering):
            column = self.columns.take(np.array([feature]))
            if _is_copy(column[0], known):
                copies.append(int(feature))
            else:
                fresh.append(int(feature))
                known = np.vstack([known, column])
        self.out_of_play[copies] = True
        gap = self._gap(penalty, active)
        return Knot(penalty, active, np.array(fresh, np.intp), np.array(copies, np.intp), gap)

    def _gap(self, penalty: float, active: ActiveSet) -> float:
        r"""Duality gap relative to :math:`\tfrac12\lVert Y\rVert^2`, the objective at W = 0.

        The dual point is the residual, shrunk until no feature exceeds λ.
        """
        R = active.residual(self.Y, active.W)
        in_play = row_lengths(active.columns @ R)
        highest = max(float(in_play.max(initial=0.0)), float(self._competitors(R, penalty).max(initial=0.0)))
        share = min(1.0, penalty / highest) if highest > 0 else 1.0
        total = 0.5 * float(np.vdot(self.Y, self.Y))
        primal = 0.5 * float(np.vdot(R, R)) + penalty * float(row_lengths(active.W).sum())
        away = self.Y - share * R
        dual = total - 0.5 * float(np.vdot(away, away))
        return max((primal - dual) / total, 0.0) if total > 0 else 0.0


def _is_copy(column: FloatArray, others: FloatArray) -> bool:
    """Whether a column equals one of the others, up to sign and rounding."""
    if not len(others):
        return False
    along = others @ column
    nearest = int(np.argmax(np.abs(along)))
    difference = column - np.sign(along[nearest]) * others[nearest]
    return bool(np.linalg.norm(difference) <= COPY * np.linalg.norm(column))
