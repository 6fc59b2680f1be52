"""The solution path of multi-output regression whose coefficients of a feature are zero together or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from eigenselect._eigen import svd
from eigenselect._parallel import single_threaded_blas
from eigenselect._warn import warn
from eigenselect.matrix.input import any_finite_size
from eigenselect.multivariate.centred_columns import CentredColumns, exponent_of
from eigenselect.multivariate.path_follower import LOWEST, Knot, Memory, PathFollower

#: a table with this many times as many samples as features is solved in the span of its features
TALL = 2
#: a target that differs from its mean by less than this part of its length is constant
CONSTANT = 1e-12

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


@dataclass(frozen=True)
class L21Path:
    r"""A solution path, from :math:`\lambda_{\max}` down to the wanted number of features.

    Its points are the knots: the λ's at which the next feature enters. At each of them W is zero but for the rows of
    the features that entered above (and have not left again).

    Attributes
    ----------
    alphas : ndarray of shape (n_knots,)
        λ's of the knots, strictly falling; the first is :math:`\max_i \lVert x_i^\top Y \rVert`, where W = 0.
    order : ndarray of int
        Features in the order in which they entered, each once, also those that left again. Features that enter at
        the same λ are in column order.
    entry_alphas : ndarray
        The λ at which each of them entered (for the last time, if it had left).
    active_sets : tuple of ndarray
        For each knot, the features whose rows are not zero, by entry.
    coefs : tuple of ndarray
        For each knot, these rows of W (n_active × n_outputs); only the last one if ``keep="last"`` was asked for, in
        which case the others are empty.
    gaps : ndarray
        For each knot, the duality gap that was reached, relative to :math:`\tfrac12\lVert Y\rVert^2`.
    selected : ndarray of int
        The wanted features, by entry: the last active set.
    n_features_in : int
    complete : bool
        Whether as many features entered as were wanted.
    """

    alphas: FloatArray
    order: IndexArray
    entry_alphas: FloatArray
    active_sets: tuple[IndexArray, ...]
    coefs: tuple[FloatArray, ...]
    gaps: FloatArray
    selected: IndexArray
    n_features_in: int
    complete: bool
    _state: _State = field(repr=False)

    def coef(self, knot: int = -1) -> sparse.csr_array:
        """W of one knot, n_features × n_outputs, as a sparse array."""
        rows, values = self.active_sets[knot], self.coefs[knot]
        n_outputs = values.shape[1]
        order = np.argsort(rows)
        counts = np.zeros(self.n_features_in + 1, dtype=np.intp)
        counts[rows + 1] = n_outputs
        columns = np.tile(np.arange(n_outputs), rows.size)
        shape = (self.n_features_in, n_outputs)
        return sparse.csr_array((values[order].ravel(), columns, np.cumsum(counts)), shape=shape)


@dataclass
class _State:
    """What a walk needs to go on, and to know that it is on the same problem."""

    knot: Knot
    memory: Memory
    entered: dict[int, float]
    fingerprint: tuple[Any, ...]


def l21_path(
    X: Any,
    Y: Any,
    n_features: int,
    *,
    center: bool = False,
    tol: float = 1e-6,
    max_iter: int = 200,
    copy_tolerance: float = 1e-5,
    keep: str = "all",
    start: L21Path | None = None,
    n_jobs: int | None = None,
    owner: str = "l21_path",
) -> L21Path:
    r"""Follow the solutions of an L2,1-regularised regression until exactly ``n_features`` features are in.

    .. math::
        W(\lambda) = \arg\min_W\; \tfrac12 \lVert Y - XW \rVert_F^2 + \lambda \sum_i \lVert w_i \rVert_2

    where

    * :math:`w_i` is the row of W that belongs to feature i: it is zero as a whole, or the feature is selected,
    * W is optimal if and only if :math:`x_i^\top(Y - XW) = \lambda w_i / \lVert w_i \rVert` for selected features and
      :math:`\lVert x_i^\top(Y - XW) \rVert \le \lambda` for all others.

    From each knot the path is followed along its tangent to the λ at which the next feature reaches the boundary;
    the problem is solved there on the features in play, all others are checked (most by a bound), and the step is
    corrected until the knot is found. A copy of a feature that is in play never enters.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features_in)
        Used as given unless ``center``; a sparse X is never made dense, and never copied as a whole if it is CSC.
    Y : array of shape (n_samples,) or (n_samples, n_outputs)
    n_features : int
        How many rows of W are to be non-zero; more than there are samples may be possible if there are several
        outputs.
    center : bool, default=False
        Subtract the means of the columns of X and Y first (implicitly, where X is sparse).
    tol : float, default=1e-6
        Largest duality gap, relative to :math:`\tfrac12\lVert Y \rVert^2`.
    max_iter : int, default=200
        Iterations of the solver for one λ; the path stops, with a warning, where they are not enough.
    copy_tolerance : float, default=1e-5
        A feature that differs from one that is in by at most this part of its length (up to sign) is a copy of it and
        never enters: whether it violates the optimality conditions by more than rounding is of no interest, and
        near-copies would come and go in turn.
    keep : {"all", "last"}, default="all"
        Of which knots the coefficients are kept: together they hold about n_features² · n_outputs / 2 numbers.
    start : L21Path, optional
        An earlier result for the same X and Y with fewer features, to go on from.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    owner : str, default="l21_path"
        Who messages speak as.

    Returns
    -------
    L21Path
        It ends at the last λ at which exactly ``n_features`` rows are non-zero: where the next feature would enter.
        If fewer can enter, a warning says how many did. (Where several features enter at one λ, no λ may have the
        wanted number; the first ones, in column order, are then selected, at that λ.)

    Notes
    -----
    Computed in double precision. The norm does not change if W is rotated on the right, so a Y of more columns than
    its rank is replaced by its principal components, and W rotated back. A dense table of many more samples than
    features is first written in the span of its features. The path ends at :math:`10^{-6} \lambda_{\max}`, where the
    target is fitted.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    Algorithm 2; Obozinski, Taskar and Jordan (2010), doi:10.1007/s11222-008-9111-x, for the path of this problem;
    Massias, Gramfort and Salmon (2018), arXiv:1802.07481, for screening by duality.

    Examples
    --------
    >>> X = np.array([[1.0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]])
    >>> path = l21_path(X, np.array([3.0, 1, 0, 0]), 2)
    >>> path.order, path.entry_alphas.round(3)
    (array([2, 0]), array([4. , 2.5]))
    """
    X, Y = _checked(X, Y, n_features, tol, max_iter, copy_tolerance, keep)
    with single_threaded_blas():
        problem = _Problem.of(X, Y, center, n_jobs, owner)
        walker = PathFollower(problem.columns, problem.Y, float(tol), int(max_iter), float(copy_tolerance))
        return _walked(problem, walker, int(n_features), keep, start)


@dataclass(frozen=True)
class _Problem:
    """The problem in moderate numbers and few outputs, and the way back."""

    columns: CentredColumns
    Y: FloatArray
    rotation: FloatArray
    exponent: int
    feature_exponent: int
    owner: str

    @classmethod
    def of(cls, X: Any, Y: FloatArray, center: bool, n_jobs: int | None, owner: str) -> _Problem:
        columns = CentredColumns(X, center=center, n_jobs=n_jobs)
        feature_exponent = columns.exponent
        exponent = exponent_of(float(np.abs(Y).max(initial=0.0)))
        target = np.ldexp(Y, -exponent)
        if center:
            target = _centred(target)
        if not sparse.issparse(X) and columns.n_samples > TALL * columns.n_features:
            columns, target = _in_the_span(columns, target, n_jobs)
            feature_exponent += columns.exponent
        reduced, rotation = _principal_outputs(target)
        return cls(columns, reduced, rotation, exponent, feature_exponent, owner)

    def coefficients(self, W: FloatArray) -> FloatArray:
        moved = self.exponent - self.feature_exponent
        return _in_range(W @ self.rotation.T, moved, f"{self.owner}: the coefficients are")

    def alpha(self, penalty: float) -> float:
        return float(_in_range(np.array(penalty), self.exponent + self.feature_exponent, f"{self.owner}: λ is"))

    @property
    def fingerprint(self) -> tuple[Any, ...]:
        """Equal for the same X and Y, and hardly ever for others."""
        sums = float(self.columns.lengths @ np.arange(1, self.columns.n_features + 1)), float(np.abs(self.Y).sum())
        return self.columns.n_samples, self.columns.n_features, self.feature_exponent, self.exponent, *sums


@dataclass
class _Record:
    """The path so far, in the units of the caller."""

    problem: _Problem
    keep: str
    alphas: list[float]
    active_sets: list[IndexArray]
    coefs: list[FloatArray]
    gaps: list[float]
    entered: dict[int, float]

    @classmethod
    def of(cls, problem: _Problem, keep: str, start: L21Path | None) -> _Record:
        if start is None:
            return cls(problem, keep, [], [], [], [], {})
        lists = list(start.alphas), list(start.active_sets), list(start.coefs), list(start.gaps)
        return cls(problem, keep, *lists, dict(start._state.entered))

    def add(self, knot: Knot) -> None:
        if self.keep == "last" and self.coefs:
            self.coefs[-1] = np.empty((0, self.coefs[-1].shape[1]))
        self.alphas.append(self.problem.alpha(knot.penalty))
        self.active_sets.append(knot.active.features)
        self.coefs.append(self.problem.coefficients(knot.active.W))
        self.gaps.append(knot.gap)

    def enter(self, features: IndexArray) -> None:
        """A feature that comes back is entered anew."""
        for feature in map(int, features):
            self.entered.pop(feature, None)
            self.entered[feature] = self.alphas[-1]

    def path(self, walker: PathFollower, knot: Knot, selected: IndexArray, wanted: int) -> L21Path:
        state = _State(knot, walker.memory(), dict(self.entered), self.problem.fingerprint)
        self.enter(selected[~np.isin(selected, list(self.entered))])
        return L21Path(
            np.array(self.alphas),
            np.array(list(self.entered), dtype=np.intp),
            np.array(list(self.entered.values())),
            tuple(self.active_sets),
            tuple(self.coefs),
            np.array(self.gaps),
            selected,
            self.problem.columns.n_features,
            selected.size == wanted,
            state,
        )


def _walked(problem: _Problem, walker: PathFollower, wanted: int, keep: str, start: L21Path | None) -> L21Path:
    """Knot by knot until the wanted number is in, no feature enters any more, or the solver gives up."""
    if start is not None and start._state.fingerprint != problem.fingerprint:
        raise ValueError("l21_path: start must be a path of the same X, Y and center, got one of others; leave it out.")
    if start is not None and start.selected.size > wanted:
        start = None
    record = _Record.of(problem, keep, start)
    if start is None:
        knot = walker.first()
        if walker.first_penalty <= 0:
            raise ValueError(
                f"{problem.owner}: no feature can enter, because all products of X and Y are 0 up to rounding; "
                "expected a Y that varies and is not orthogonal to X."
            )
        record.add(knot)
    else:
        knot = start._state.knot
        walker.resume(knot, start._state.memory)
    lowest = LOWEST * walker.first_penalty
    while True:
        missing = wanted - knot.active.size
        if knot.entering.size > missing or missing == 0:
            return record.path(walker, knot, np.concatenate([knot.active.features, knot.entering[:missing]]), wanted)
        if knot.stalled or knot.penalty <= lowest:
            _warn_incomplete(knot, wanted, walker, problem.owner)
            return record.path(walker, knot, knot.active.features, wanted)
        record.enter(knot.entering)
        knot = walker.next(knot, lowest)
        record.add(knot)


def _warn_incomplete(knot: Knot, wanted: int, walker: PathFollower, owner: str) -> None:
    entered = knot.active.size
    if knot.stalled:
        message = (
            f"{owner}: the solver stopped after max_iter={walker.max_iter} iterations at a relative duality gap of "
            f"{knot.gap:.1e} (tol={walker.tol:.1e}) with {entered} of {wanted} features; raise max_iter or tol."
        )
    else:
        message = (
            f"{owner}: only {entered} of the {wanted} features asked for can enter before the target is fitted; "
            f"{entered} are returned."
        )
    warn(message, ConvergenceWarning)


def _centred(Y: FloatArray) -> FloatArray:
    """Y less its means; 0 where a column is constant but for rounding, which would otherwise be explained."""
    centred = Y - Y.mean(axis=0)
    return np.where(np.linalg.norm(centred, axis=0) > CONSTANT * np.linalg.norm(Y, axis=0), centred, 0.0)


def _in_the_span(columns: CentredColumns, target: FloatArray, n_jobs: int | None) -> tuple[CentredColumns, FloatArray]:
    r"""The same problem with as many samples as there are features, and hence as few principal outputs.

    With :math:`X = QR`, :math:`\lVert Y - XW \rVert^2 = \lVert Q^\top Y - RW \rVert^2` and what no W can change.
    """
    rows = columns.take(np.arange(columns.n_features))
    rows[columns.lengths == 0] = 0.0
    Q, R = np.linalg.qr(rows.T)
    # of a target that is orthogonal to all features the rounding would be left, and look like one
    in_span = Q.T @ target if columns.highest_correlation(target) > 0 else np.zeros((len(R), target.shape[1]))
    return CentredColumns(np.ascontiguousarray(R), center=False, n_jobs=n_jobs), np.asarray(in_span)


def _in_range(values: FloatArray, exponent: int, what: str) -> FloatArray:
    """Values · 2^exponent, unless the largest of them would be infinite or 0."""
    with np.errstate(over="ignore"):
        moved = np.asarray(np.ldexp(values, exponent))
    if not np.isfinite(moved).all() or (values.any() and not moved.any()):
        size = exponent + exponent_of(float(np.abs(values).max()))
        raise ValueError(f"{what} about 2^{size}, beyond the range of floating point; scale X or Y by a power of two.")
    return moved


def _principal_outputs(Y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Y as YV·Vᵀ with as few columns as its rank; as it is if that saves nothing."""
    n_outputs = Y.shape[1]
    if n_outputs == 1 or not Y.any():
        return Y, np.eye(n_outputs)
    U, sizes, rotation = svd(Y)
    rank = int((sizes > sizes[0] * max(Y.shape) * np.finfo(np.float64).eps).sum())
    if rank == n_outputs:
        return Y, np.eye(n_outputs)
    return U[:, :rank] * sizes[:rank], rotation[:rank].T


def _checked(
    X: Any, Y: Any, n_features: Any, tol: Any, max_iter: Any, copy_tolerance: Any, keep: Any
) -> tuple[Any, FloatArray]:
    """X and Y as finite numbers of matching shapes, and sane parameters."""
    with any_finite_size():
        X = check_array(X, accept_sparse=["csc", "csr"], dtype=[np.float64, np.float32], input_name="X")
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    Y = check_array(Y, dtype=np.float64, ensure_2d=False, input_name="Y")
    Y = Y[:, None] if Y.ndim == 1 else Y
    if len(Y) != X.shape[0]:
        raise ValueError(f"l21_path: Y must have one row for each of the {X.shape[0]} samples of X, got {len(Y)}.")
    if not _is_whole(n_features) or not 1 <= n_features <= X.shape[1]:
        raise ValueError(
            f"l21_path: n_features must be an integer between 1 and the {X.shape[1]} features of X, got {n_features!r}."
        )
    if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 < float(tol) < 1:
        raise ValueError(f"l21_path: tol must be a number between 0 and 1, got {tol!r}; 1e-6 is usual.")
    if not _is_whole(max_iter) or max_iter < 1:
        raise ValueError(f"l21_path: max_iter must be a positive integer, got {max_iter!r}.")
    if isinstance(copy_tolerance, bool) or not isinstance(copy_tolerance, Real) or not 0 <= float(copy_tolerance) < 1:
        raise ValueError(f"l21_path: copy_tolerance must be a number from 0 to below 1, got {copy_tolerance!r}.")
    if keep not in ("all", "last"):
        raise ValueError(f"l21_path: keep must be 'all' or 'last', got {keep!r}.")
    return X, Y


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
