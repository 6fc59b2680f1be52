"""From knot to knot: the λ's at which the next feature enters, found by following the path's tangent."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eigenselect.multivariate.active_set import ActiveSet, NewtonSystem, seeded, solve, without_flips
from eigenselect.multivariate.centred_columns import CentredColumns, row_lengths
from eigenselect.multivariate.screening import ScreeningPool

FloatArray = NDArray[np.float64]

#: a knot is found when the next feature's correlation equals λ up to this part of it
KNOT_TOLERANCE = 4e-7
#: optimality of the rows in play, relative to λ
ROW_TOLERANCE = 1e-7
#: columns that differ by this part of their length are the same but for rounding
ROUNDING = 1e-13
#: the path ends at this part of the first λ: what is left of the target is rounding
LOWEST = 1e-6
#: a step goes down to this part of λ at most; a feature that the pool does not know may enter before
LONGEST_STEP = 0.5
#: solves on the way to one knot, normally 2 or 3
MAX_ROUNDS = 40


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
    gap : float
        Relative duality gap.
    stalled : bool
        The solver gave up before it was as exact as asked.
    """

    penalty: float
    active: ActiveSet
    entering: NDArray[np.intp]
    gap: float
    stalled: bool = False


@dataclass(frozen=True)
class Memory:
    """What a walk learnt on its way: its first λ, and who is a copy of a feature that entered."""

    first_penalty: float
    copies: NDArray[np.intp]


@dataclass
class PathFollower:
    """Walks down the path of one problem.

    Attributes
    ----------
    columns : CentredColumns
    Y : ndarray of shape (n_samples, n_outputs)
    tol : float
        Relative duality gap that the solver must reach.
    max_iter : int
        Newton steps and sweeps for one λ.
    copy_tolerance : float
        Features that differ from one in play by less than this part of its length are copies of it, and never enter.
    """

    columns: CentredColumns
    Y: FloatArray
    tol: float
    max_iter: int
    copy_tolerance: float

    def __post_init__(self) -> None:
        self.pool = ScreeningPool(self.columns)
        self.in_play = np.zeros(self.columns.n_features, dtype=bool)
        self.is_copy = self.columns.lengths == 0  # nor can a column of zeros enter
        self.first_penalty = 0.0
        self.last_view: _View | None = None
        self.solves = self.iterations = 0

    def first(self) -> Knot:
        """λ_max, where W = 0 and the first feature enters; 0 if no feature has to do with Y but for rounding."""
        penalty = self.columns.highest_correlation(self.Y)
        self.first_penalty = penalty
        view = self._view(self.Y, penalty)
        return self._knot(view.highest, ActiveSet.empty(*self.Y.shape), view, enters=True)

    @property
    def out_of_play(self) -> NDArray[np.bool_]:
        """Features that do not compete for entry."""
        return self.in_play | self.is_copy

    def resume(self, knot: Knot, memory: Memory) -> None:
        """Go on from a knot of an earlier walk."""
        self.in_play[knot.active.features] = True
        self.is_copy[memory.copies] = True
        self.first_penalty = memory.first_penalty

    def memory(self) -> Memory:
        """What `resume` needs to know."""
        copies = np.flatnonzero(self.is_copy & (self.columns.lengths > 0))
        return Memory(self.first_penalty, copies)

    def next(self, knot: Knot, lowest: float) -> Knot:
        """The next knot below, or the point at ``lowest`` if no feature enters before."""
        columns = self.columns.take(knot.entering)
        active = knot.active.with_features(knot.entering, columns, self.Y)
        self.in_play[active.features] = True
        high, low = knot.penalty, lowest
        at, W = knot.penalty, seeded(active, knot.penalty)
        view = self._view_at(knot)
        system: NewtonSystem | None = None
        for _ in range(MAX_ROUNDS):
            near_by = system if system is not None and system.fits(W) else NewtonSystem(active.gram, W, at)
            slope = near_by.tangent()
            ahead = self._crossing(view, -(active.columns.T @ slope), at)
            penalty = max(ahead, LONGEST_STEP * at, lowest)
            if not low < penalty < high and penalty != lowest:
                penalty = 0.5 * (low + high)
            guess = without_flips(W, W + (penalty - at) * slope)
            W, system = self._solved(active, penalty, guess, W, system)
            at, view = penalty, self._view(active.residual(self.Y, W), penalty)
            excess = view.highest - penalty
            near = abs(excess) <= KNOT_TOLERANCE * penalty
            if near or (penalty == lowest and excess < 0):
                break
            low, high = (penalty, high) if excess > 0 else (low, penalty)
            if high - low <= KNOT_TOLERANCE * penalty:
                if excess > 0:  # it enters between two λ's that are the same
                    near = True
                    break
                low = lowest  # what was seen at low came from a solution that was not exact
        else:
            near = excess > 0  # near-copies that come and go: whoever exceeds λ here enters
        self.last_view = view
        return self._knot(at, self._kept(active, W), view, enters=near)

    def _kept(self, active: ActiveSet, W: FloatArray) -> ActiveSet:
        """The features whose rows are not 0; the others have left, and compete again."""
        left = ~W.any(axis=1)
        self.in_play[active.features[left]] = False
        self.pool.add(active.features[left], active.columns[left])
        return replace(active, W=W).without_zero_rows()

    def _solved(
        self, active: ActiveSet, penalty: float, start: FloatArray, fallback: FloatArray, system: NewtonSystem | None
    ) -> tuple[FloatArray, NewtonSystem | None]:
        solution = solve(active, penalty, start, ROW_TOLERANCE, self.max_iter, system, fallback)
        self.solves += 1
        self.iterations += solution.iterations
        return solution.W, solution.system

    def _view(self, R: FloatArray, penalty: float) -> _View:
        correlations = self.pool.correlations(R, penalty, self.out_of_play)
        lengths = row_lengths(correlations)
        lengths[self.out_of_play[self.pool.features]] = 0.0
        return _View(R, correlations, lengths)

    def _view_at(self, knot: Knot) -> _View:
        """What the pool saw at a knot, which is where the last step ended unless the pool has changed since."""
        last = self.last_view
        if last is None or len(last.lengths) != self.pool.features.size:
            return self._view(knot.active.residual(self.Y, knot.active.W), knot.penalty)
        return last

    def _crossing(self, view: _View, slope: FloatArray, penalty: float) -> float:
        r"""The largest λ below at which a feature of the pool reaches it, if residuals go on along ``slope``.

        :math:`\lVert x_i^\top (R + \delta \dot R) \rVert = \lambda + \delta` is a quadratic equation for each feature;
        where a feature is above λ already, the crossing is above.
        """
        c, s = view.correlations, self.pool.rows @ slope
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

    def _knot(self, penalty: float, active: ActiveSet, view: _View, *, enters: bool) -> Knot:
        """Features that reach λ enter, in column order, but for copies of each other."""
        fresh: list[int] = []
        tied = np.flatnonzero(view.lengths >= penalty * (1 - KNOT_TOLERANCE)) if enters else np.empty(0, np.intp)
        for place in tied[np.argsort(self.pool.features[tied])]:
            feature = int(self.pool.features[place])
            if not self.out_of_play[feature]:
                fresh.append(feature)
                self.in_play[feature] = True
                self._mark_copies(self.pool.rows[place : place + 1])
        gap = self._gap(penalty, active, view)
        return Knot(penalty, active, np.array(fresh, np.intp), gap, stalled=gap > self.tol)

    def _mark_copies(self, columns: FloatArray) -> None:
        """Those of the pool that equal a feature that enters."""
        for column in columns:
            length, tolerance = np.linalg.norm(column), max(self.copy_tolerance, ROUNDING)
            along = self.pool.rows @ column
            alike = np.flatnonzero(np.abs(along) >= (1 - 2 * tolerance) * length**2)
            distances = row_lengths(self.pool.rows[alike] - np.sign(along[alike])[:, None] * column)
            copies = self.pool.features[alike[distances <= tolerance * length]]
            self.is_copy[copies[~self.in_play[copies]]] = True

    def _gap(self, penalty: float, active: ActiveSet, view: _View) -> float:
        r"""Duality gap relative to :math:`\tfrac12\lVert Y\rVert^2`, the objective at W = 0.

        The dual point is the residual, shrunk until no feature exceeds λ.
        """
        R = view.R
        highest = max(view.highest, float(row_lengths(active.columns @ R).max(initial=0.0)))
        share = min(1.0, penalty / highest) if highest > 0 else 1.0
        total = 0.5 * float(np.vdot(self.Y, self.Y))
        primal = 0.5 * float(np.vdot(R, R)) + penalty * float(row_lengths(active.W).sum())
        away = self.Y - share * R
        return max((primal - total + 0.5 * float(np.vdot(away, away))) / total, 0.0) if total > 0 else 0.0


@dataclass
class _View:
    """A residual as the pool sees it: x_iᵀR, and their lengths, 0 for features in play."""

    R: FloatArray
    correlations: FloatArray
    lengths: FloatArray

    @property
    def highest(self) -> float:
        return float(self.lengths.max(initial=0.0))
