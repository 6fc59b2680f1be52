"""Follow the solution path of L2,1-regularised regression: all outputs use the same few features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from eigenselect._checks import choice, is_whole, share, whole
from eigenselect._parallel import effective_threads, single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.matrix import Matrix, read_input
from eigenselect.matrix.value_range import check_range
from eigenselect.multivariate.path_follower import LOWEST, Knot, PathFollower
from eigenselect.multivariate.problem import Problem


@dataclass(frozen=True, repr=False)
class L21Path:
    r"""Hold a solution path, from :math:`\lambda_{\max}` down to the wanted number of features.

    Its points are the knots: the λ's at which the next feature enters. At each of them W is zero but for the rows of
    the features that entered above (and have not left again).

    Attributes
    ----------
    alphas : ndarray of shape (n_knots,)
        The λ's of the knots, strictly falling; the first is :math:`\max_i \lVert x_i^\top Y \rVert`, where W = 0.
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
        Columns of X.
    complete : bool
        Whether as many features entered as were wanted.

    See Also
    --------
    l21_path : Follows the path.
    eigenselect.MRSF : Selects features by it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.multivariate import l21_path
    >>> path = l21_path(np.diag([3.0, 2, 1]), np.ones(3), 2)
    >>> path
    L21Path(2 of 3 features selected, 3 knots from λ = 3 to 1)
    >>> path.coef().toarray().round(3)
    array([[0.222],
           [0.25 ],
           [0.   ]])
    """

    alphas: FloatArray
    order: IntArray
    entry_alphas: FloatArray
    active_sets: tuple[IntArray, ...]
    coefs: tuple[FloatArray, ...]
    gaps: FloatArray
    selected: IntArray
    n_features_in: int
    complete: bool
    _state: _State

    def __repr__(self) -> str:
        """Say how many features, knots and which λ's."""
        chosen = f"{self.selected.size} of {self.n_features_in} features selected"
        ends = f"from λ = {self.alphas[0]:.4g} to {self.alphas[-1]:.4g}"
        return f"L21Path({chosen}, {len(self.alphas)} knots {ends})"

    def coef(self, knot: int = -1) -> sparse.csr_array:
        """Give W of one knot, n_features × n_outputs, as a sparse array.

        Parameters
        ----------
        knot : int, default=-1
            Place of the knot, the last one by default; of others the coefficients are there with ``keep="all"`` only.

        Returns
        -------
        csr_array of shape (n_features_in, n_outputs)
            Rows of features that are not active are empty.
        """
        rows, values = self.active_sets[knot], self.coefs[knot]
        n_outputs = values.shape[1]
        order = np.argsort(rows)
        counts = np.zeros(self.n_features_in + 1, dtype=np.intp)
        counts[rows + 1] = n_outputs
        columns = np.tile(np.arange(n_outputs), rows.size)
        shape = (self.n_features_in, n_outputs)
        return sparse.csr_array((values[order].ravel(), columns, np.cumsum(counts)), shape=shape)


@dataclass(frozen=True)
class _State:
    """What a later call needs to go on, and to know that it is on the same problem."""

    knot: Knot
    first_penalty: float
    copies: IntArray
    entered: dict[int, float]
    fingerprint: tuple[Any, ...]


def l21_path(
    X: Any,
    Y: Any,
    n_features: int,
    *,
    center: bool = False,
    tol: float = 1e-6,
    max_iter: int = 1000,
    copy_tolerance: float = 1e-5,
    keep: str = "all",
    start: L21Path | None = None,
    strict_start: bool = True,
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

    Predict the next knot along the path's tangent, solve there on the working set, check all other features (most by
    safe screening), and correct the step until the knot is found. A copy of an active feature never enters.

    Parameters
    ----------
    X : array, data frame, sparse matrix or Matrix of shape (n_samples, n_features_in)
        Used as given unless ``center``; a sparse X is never made dense, and never copied as a whole if it is CSC. A
        Matrix holds numbers that are known to be finite.
    Y : array of shape (n_samples,) or (n_samples, n_outputs)
        Targets, one per column.
    n_features : int
        How many rows of W are to be non-zero; more than there are samples may be possible if there are several
        outputs.
    center : bool, default=False
        Subtract the means of the columns of X and Y first (implicitly, where X is sparse).
    tol : float, default=1e-6
        Largest duality gap, relative to :math:`\tfrac12\lVert Y \rVert^2`; below about 1e-12 rounding can be larger.
    max_iter : int, default=1000
        Iterations of the solver for one λ; the path stops, with a warning, where they are not enough.
    copy_tolerance : float, default=1e-5
        A feature that differs from an active one by at most this part of its norm (up to sign) is a copy of it and
        never enters, even where that violates its optimality condition: near-copies would come and go in turn.
    keep : {"all", "last"}, default="all"
        Of which knots the coefficients are kept: together they hold about n_features² · n_outputs / 2 numbers.
    start : L21Path, optional
        An earlier result for the same X, Y and ``center`` with fewer features, to go on from.
    strict_start : bool, default=True
        Refuse a start of other data; False ignores it, and follows the path from its beginning.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    owner : str, default="l21_path"
        Who messages speak as.

    Returns
    -------
    L21Path
        It ends at the last λ at which exactly ``n_features`` rows are non-zero: where the next feature would enter.
        If fewer can enter, a warning says how many did. Where several features enter at one λ, no λ may have the
        wanted number; the first ones, in column order, are then selected, at that λ.

    See Also
    --------
    eigenselect.MRSF : Selects by this path, with eigenvectors as targets.
    sklearn.linear_model.MultiTaskLasso : The same problem at one λ, which is n_samples times its ``alpha``.

    Notes
    -----
    Computed in double precision. The norm does not change if W is rotated on the right, so a Y of more columns than
    its rank is replaced by its principal components, and W rotated back. A dense table of many more samples than
    features is replaced by R of its QR decomposition. The path ends at :math:`10^{-6} \lambda_{\max}`, where the
    target is fitted.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    Algorithm 2; Obozinski, Taskar and Jordan (2010), doi:10.1007/s11222-008-9111-x, for the path of this problem;
    Ndiaye, Fercoq, Gramfort and Salmon (2017), JMLR 18(128), for safe screening.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.multivariate import l21_path
    >>> X = np.array([[1.0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]])
    >>> path = l21_path(X, np.array([3.0, 1, 0, 0]), 2)
    >>> path.order, path.entry_alphas.round(3)
    (array([2, 0]), array([4. , 2.5]))
    """
    X, Y = _checked(X, Y, n_features, tol, max_iter, copy_tolerance, keep, n_jobs)
    wanted = int(n_features)
    with single_threaded_blas():
        problem = Problem.of(X, Y, center, n_jobs)
        start = _usable(start, problem, wanted, strict_start)
        record = _Record.of(problem, keep, owner, start)
        follower = PathFollower(problem.columns, problem.Y, float(tol), int(max_iter), float(copy_tolerance))
        knot = _first_knot(follower, record, start)
        return _followed(follower, record, knot, wanted)


def _usable(start: L21Path | None, problem: Problem, wanted: int, strict: bool) -> L21Path | None:
    """Give the start if it is of the same problem, and not beyond the wanted number of features."""
    if start is None:
        return None
    same = start._state.fingerprint == problem.fingerprint
    if strict and not same:
        raise ValueError("l21_path: start must be a path of the same X, Y and center, got one of others; leave it out.")
    return start if same and start.selected.size <= wanted else None


@dataclass
class _Record:
    """The path so far, in the units of the caller."""

    problem: Problem
    keep: str
    owner: str
    alphas: list[float]
    active_sets: list[IntArray]
    coefs: list[FloatArray]
    gaps: list[float]
    entered: dict[int, float]

    @classmethod
    def of(cls, problem: Problem, keep: str, owner: str, start: L21Path | None) -> _Record:
        if start is None:
            return cls(problem, keep, owner, [], [], [], [], {})
        lists = list(start.alphas), list(start.active_sets), list(start.coefs), list(start.gaps)
        return cls(problem, keep, owner, *lists, dict(start._state.entered))

    def add(self, knot: Knot) -> None:
        if self.keep == "last" and self.coefs:
            self.coefs[-1] = np.empty((0, self.coefs[-1].shape[1]))
        W = knot.active.W @ self.problem.rotation.T
        self.alphas.append(self.problem.alpha_unit * knot.penalty)
        self.active_sets.append(knot.active.features)
        self.coefs.append(self.problem.coef_unit * W)
        self.gaps.append(knot.gap)

    def enter(self, features: IntArray) -> None:
        """Note at which λ features entered; one that comes back is entered anew."""
        for feature in map(int, features):
            self.entered.pop(feature, None)
            self.entered[feature] = self.alphas[-1]

    def path(self, follower: PathFollower, knot: Knot, selected: IntArray, wanted: int) -> L21Path:
        copies = np.flatnonzero(follower.pool.copies)
        state = _State(knot, follower.first_penalty, copies, dict(self.entered), self.problem.fingerprint)
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


def _first_knot(follower: PathFollower, record: _Record, start: L21Path | None) -> Knot:
    """Give the knot at λ_max, or the one at which an earlier path ended."""
    if start is not None:
        state = start._state
        follower.resume(state.knot, state.first_penalty, state.copies)
        return state.knot
    knot = follower.first()
    if follower.first_penalty <= 0:
        raise ValueError(
            f"{record.owner}: no feature can enter, because all products of X and Y are 0 up to rounding; "
            "expected a Y that varies and is not orthogonal to X."
        )
    record.add(knot)
    return knot


def _followed(follower: PathFollower, record: _Record, knot: Knot, wanted: int) -> L21Path:
    """Go from knot to knot until the wanted number is in, no feature enters any more, or the solver gives up."""
    lowest = LOWEST * follower.first_penalty
    while True:
        active = knot.active.features
        missing = wanted - active.size
        if knot.entering.size > missing or missing == 0:
            return record.path(follower, knot, np.concatenate([active, knot.entering[:missing]]), wanted)
        if knot.stalled or knot.penalty <= lowest:
            _warn_incomplete(knot, wanted, follower, record.owner)
            return record.path(follower, knot, active, wanted)
        record.enter(knot.entering)
        knot = follower.next(knot, lowest)
        record.add(knot)


def _warn_incomplete(knot: Knot, wanted: int, follower: PathFollower, owner: str) -> None:
    entered = knot.active.features.size
    if knot.stalled:
        message = (
            f"{owner}: the solver came no nearer than a relative duality gap of {knot.gap:.1e} "
            f"(tol={follower.tol:.1e}, max_iter={follower.max_iter}), with {entered} of {wanted} features; raise "
            "max_iter or tol."
        )
    else:
        message = (
            f"{owner}: only {entered} of the {wanted} features asked for can enter before the target is fitted; "
            f"{entered} are returned."
        )
    warn(message, ConvergenceWarning)


def _checked(
    X: Any, Y: Any, n_features: Any, tol: Any, max_iter: Any, copy_tolerance: Any, keep: Any, n_jobs: Any
) -> tuple[Matrix, FloatArray]:
    """Check the arguments; give X and Y as finite numbers of matching shapes."""
    matrix = X if isinstance(X, Matrix) else read_input(X, "l21_path", min_samples=1)
    Y = check_array(Y, dtype=np.float64, ensure_2d=False, input_name="Y")
    Y = Y[:, None] if Y.ndim == 1 else Y
    check_range(Matrix(Y), "l21_path", "Y")
    n_samples, most = matrix.shape
    if len(Y) != n_samples:
        raise ValueError(f"l21_path: Y must have one row for each of the {n_samples} samples of X, got {len(Y)}.")
    if not is_whole(n_features) or not 1 <= n_features <= most:
        raise ValueError(
            f"l21_path: n_features must be an integer between 1 and the {most} features of X, got {n_features!r}."
        )
    share(tol, "tol", "l21_path", zero=False, one=False, advice="1e-6 is usual")
    whole(max_iter, "max_iter", "l21_path")
    share(copy_tolerance, "copy_tolerance", "l21_path", one=False)
    choice(keep, "keep", "l21_path", ("all", "last"))
    effective_threads(n_jobs)  # which small tables never ask for
    return matrix, Y
