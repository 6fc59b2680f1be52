"""Homotopy: follow the path from knot to knot, the λ's at which the next feature enters, along its tangent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.multivariate.active_set import ActiveSet, solve, stop_at_zero, tangent
from eigenselect.multivariate.centred_columns import CentredColumns
from eigenselect.multivariate.screening import Correlations, ScreeningPool

#: a knot is found when the next feature's correlation equals λ up to this part of it
KNOT_TOLERANCE = 4e-7
#: KKT violation of the rows of the working set, relative to λ
ROW_TOLERANCE = 1e-7
#: a relative duality gap that both keep: a correlation that exceeds λ by a part of it adds at most that part to the gap
USUAL_TOL = 1e-6
#: the least part of both that a smaller gap asks for; below, rounding decides
FINEST = 1e-6
#: the path ends at this part of the first λ: what is left of the target is rounding
LOWEST = 1e-6
#: a step goes down to this part of λ at most; a feature outside of the pool may enter before
LONGEST_STEP = 0.5
#: solutions on the way to one knot, normally 2 or 3
MAX_ROUNDS = 40


@dataclass
class Knot:
    """A point of the path at which its active set changes.

    Attributes
    ----------
    penalty : float
        λ.
    active : ActiveSet
        The rows of W that are not 0.
    entering : ndarray of int
        Features that enter below this λ.
    gap : float
        Relative duality gap.
    stalled : bool
        The solver gave up before it was as exact as asked.
    """

    penalty: float
    active: ActiveSet
    entering: IntArray
    gap: float
    stalled: bool = False


class PathFollower:
    r"""Follow the path of one problem downwards: predict the next knot along the tangent, correct by solving there.

    The next knot is the largest λ below at which :math:`\max_{i \notin A} \lVert x_i^\top (Y - XW(\lambda)) \rVert`
    is λ, where A is the active set.

    Parameters
    ----------
    columns : CentredColumns
    Y : ndarray of shape (n_samples, n_outputs)
    tol : float
        Relative duality gap that the solver must reach.
    max_iter : int
        Newton steps and epochs of coordinate descent for one λ.
    copy_tolerance : float
        See `ScreeningPool`.

    Attributes
    ----------
    pool : ScreeningPool
        The features that may enter.
    first_penalty : float
        λ of the first knot.
    solves : int
        Problems solved so far.

    References
    ----------
    Osborne, Presnell and Turlach (2000), doi:10.1093/imanum/20.3.389; Yuan and Lin (2006),
    doi:10.1111/j.1467-9868.2005.00532.x; Park and Hastie (2007), doi:10.1111/j.1467-9868.2007.00607.x.

    Examples
    --------
    >>> follower = PathFollower(CentredColumns(np.eye(2), center=False), np.array([[3.0], [2]]), 1e-6, 200, 0.0)
    >>> first = follower.first()
    >>> first.penalty, first.entering, round(follower.next(first, 1e-6).penalty, 5)
    (3.0, array([0]), 2.0)
    """

    def __init__(
        self, columns: CentredColumns, Y: FloatArray, tol: float, max_iter: int, copy_tolerance: float
    ) -> None:
        self.columns, self.Y, self.tol, self.max_iter = columns, Y, tol, max_iter
        part = max(FINEST, min(1.0, tol / USUAL_TOL))
        self._knot_tolerance, self._row_tolerance = part * KNOT_TOLERANCE, part * ROW_TOLERANCE
        self.pool = ScreeningPool(columns, copy_tolerance)
        self.first_penalty = 0.0
        self.solves = 0
        self._last: Correlations | None = None

    def first(self) -> Knot:
        """Find λ_max, where W = 0 and the first feature enters; 0 if X and Y are orthogonal but for rounding."""
        norms = self.columns.correlation_norms(self.Y)
        self.first_penalty = self.columns.largest_correlation(norms, self.Y)
        self.pool.fill(self.Y, self.first_penalty, norms)
        self._last = correlations = self.pool.multiply(self.Y)
        return self._knot(correlations.highest, ActiveSet.empty(*self.Y.shape), correlations, enters=True)

    def resume(self, knot: Knot, first_penalty: float, copies: IntArray) -> None:
        """Go on from a knot that was found earlier, with the copies (of `ScreeningPool`) known by then."""
        self.first_penalty = first_penalty
        self.pool.excluded[knot.active.features] = self.pool.excluded[knot.entering] = True
        self.pool.exclude_copies(copies)

    def next(self, knot: Knot, lowest: float) -> Knot:
        """Find the next knot below, or the point at ``lowest`` if no feature enters before."""
        penalty, active, W, correlations, enters = self._locate(knot, self._correlations_at(knot), lowest)
        self._last = correlations
        left = ~W.any(axis=1)
        self.pool.leave(active.features[left], active.columns[left])
        return self._knot(penalty, active.with_solution(W), correlations, enters=enters)

    def _locate(
        self, knot: Knot, correlations: Correlations, lowest: float
    ) -> tuple[float, ActiveSet, FloatArray, Correlations, bool]:
        """Find λ of the next knot, in a bracket that shrinks: with W and correlations there, and whether one enters."""
        active = knot.active.with_features(knot.entering, self.columns.take(knot.entering), self.Y)
        at, W, system = knot.penalty, active.started(knot.penalty), None
        low, high = lowest, at
        for _ in range(MAX_ROUNDS):
            slope = tangent(active, W, at, system)
            ahead = self.pool.crossing(correlations, -(active.columns.T @ slope), at)
            penalty = max(ahead, LONGEST_STEP * at, lowest)
            if not low < penalty < high and penalty != lowest:
                penalty = 0.5 * (low + high)
            predicted = stop_at_zero(W, W + (penalty - at) * slope)
            solution = solve(active, penalty, predicted, self._row_tolerance, self.max_iter, system, fallback=W)
            self.solves += 1
            at, W, system = penalty, solution.W, solution.system
            correlations = self.pool.correlate(active.residual(self.Y, W), penalty)
            excess = correlations.highest - penalty
            if abs(excess) <= self._knot_tolerance * penalty or (penalty == lowest and excess < 0):
                return penalty, active, W, correlations, abs(excess) <= self._knot_tolerance * penalty
            low, high = (penalty, high) if excess > 0 else (low, penalty)
            if high - low <= self._knot_tolerance * penalty:
                if excess > 0:  # it enters between two λ's that are the same
                    return penalty, active, W, correlations, True
                low = lowest  # what was seen at low came from a solution that was not exact
        return at, active, W, correlations, excess > 0  # near-copies that come and go: whoever exceeds λ here enters

    def _correlations_at(self, knot: Knot) -> Correlations:
        """Take the correlations of the last step, which ended at the knot, unless the pool has changed since."""
        last = self._last
        if last is None or len(last.norms) != self.pool.features.size:
            return self.pool.correlate(knot.active.residual(self.Y, knot.active.W), knot.penalty)
        return last

    def _knot(self, penalty: float, active: ActiveSet, correlations: Correlations, *, enters: bool) -> Knot:
        gap = active.duality_gap(self.Y, correlations.R, penalty, correlations.highest)
        threshold = penalty * (1 - self._knot_tolerance) if enters else np.inf
        return Knot(penalty, active, self.pool.enter(correlations, threshold), gap, stalled=gap > self.tol)
