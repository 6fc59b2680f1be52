"""Smallest eigenpairs of a symmetric matrix with known null vectors: several solvers, one check.

Small matrices are LAPACK's. For the others a ladder is made of what is known before anything is solved, the size, the
number of pairs and the entries that a factor would have (`eigenselect.graph.factorization`), and each solver on it is
tried until the residuals ||Mv - μv|| are small: for large graphs of points in few dimensions, whose factor grows faster
than they do, eigenvectors of groups of samples, refined (`eigenselect.graph.two_grid`, `eigenselect.graph.davidson`);
Lanczos and, for graphs with a small factor, Lanczos on the inverse, the cheaper one first; Lanczos for more pairs than
wanted; LAPACK again or a filtered subspace iteration. Every step ends after a number of products that depends on the
matrix alone, so nothing hangs and no result depends on the speed of the machine. Null vectors are known and never
searched for: they are lifted above the spectrum, M + 2b·ZZᵀ with b its upper end, or projected out of every product.

References
----------
Lehoucq, Sorensen and Yang, ARPACK Users' Guide, SIAM 1998; Zhou, Saad, Tiago and Chelikowsky, Self-consistent-field
calculations using Chebyshev-filtered subspace iteration, J. Comput. Phys. 2006, doi:10.1016/j.jcp.2006.03.017.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator
from sklearn.exceptions import ConvergenceWarning

from eigenselect._eigen import EQUAL, Pairs, eigh, largest_by_lanczos
from eigenselect._typing import FloatArray
from eigenselect._warn import warn
from eigenselect.graph.davidson import refined_pairs
from eigenselect.graph.factorization import Factor, FactorPlan, narrow_width, plan_factor
from eigenselect.graph.krylov import dominant_pairs
from eigenselect.graph.two_grid import TwoGrid

Interval = tuple[float, float]
Product = Callable[[FloatArray], FloatArray]
Solver = Callable[[Any, FloatArray, int, Interval, np.random.RandomState], Pairs | None]

#: matrices up to this size are solved by LAPACK at once
DENSE_SIZE = 300
#: matrices up to this size may be solved by LAPACK where Krylov methods fail
DENSE_FALLBACK_SIZE = 6000
#: beyond this size a third of all eigenpairs is more than memory and patience have: n² numbers, n³ operations
DENSE_LIMIT = 15_000
#: restarts before another solver has its turn
LANCZOS_RESTARTS = 60
#: the restarts that Lanczos takes where it succeeds, and the products with an inverse, in multiples of the basis; for
#: choosing between the two
USUAL_RESTARTS, INVERSE_PRODUCTS = 30, 2.5
#: graphs of at least this size and `narrow_width` are solved by two grids: there a factor takes longer. Points in a
#: plane are as wide from about 60 000 on, measured with 10 neighbours
TWO_GRID_SIZE, TWO_GRID_WIDTH = 20_000, 400.0
#: of more pairs than this, each costs two grids more than it costs a factor: 50 of 100 000 points in a plane took half
#: as long again, 13 took 0.8 of the time
TWO_GRID_PAIRS = 16
#: pairs beyond the wanted ones that are kept with them: a part of the wanted, but no fewer than some
BEYOND_PART, LEAST_BEYOND = 2 / 3, 8
#: operations that the last solver may take: about two minutes, but no fewer than some products
LAST_WORK = 1e11
LEAST_PRODUCTS = 2000
#: eigenpairs that are searched for again after Lanczos, in case it missed copies of repeated ones
COPIES = 2
#: accuracy of a first look for such copies, and how many vectors Lanczos keeps in it
LOOK, LOOK_BASIS = 1e-6, 24
#: largest accepted ||Mv - μv||, relative to the width of the spectrum
RESIDUAL_TOLERANCE = 1e-8


def smallest_eigenpairs(
    matrix: Any, null: FloatArray, count: int, interval: Interval, start: np.random.RandomState
) -> Pairs:
    """Find the ``count`` smallest eigenpairs orthogonal to the null vectors.

    Parameters
    ----------
    matrix : ndarray, csr_array or LinearOperator
        Symmetric.
    null : array of shape (n, c)
        Orthonormal eigenvectors of the eigenvalue 0 that are known and not wanted.
    count : int
    interval : (low, high)
        Holds all eigenvalues.
    start : RandomState
        For start vectors.

    Returns
    -------
    eigenvalues, eigenvectors
        Ascending. If no solver reached the tolerance within its budget, a `ConvergenceWarning` tells how many pairs
        did, and the residual of the others.

    Examples
    --------
    >>> path = np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])  # the Laplacian of three samples in a row
    >>> ones = np.full((3, 1), 3**-0.5)
    >>> smallest_eigenpairs(path, ones, 2, (0.0, 4.0), np.random.RandomState(0))[0].round(6)
    array([1., 3.])
    """
    best: Pairs | None = None
    residuals = np.full(count, np.inf)
    for solver in _solvers(matrix, null, count, interval):
        pairs = solver(matrix, null, count, interval, start)
        if pairs is None:
            continue
        found = _residuals(matrix, pairs) / (interval[1] - interval[0])
        if best is None or found.max() < residuals.max():
            best, residuals = pairs, found
        if found.max() <= RESIDUAL_TOLERANCE:
            break
    if best is None:
        raise RuntimeError(f"No eigensolver found {count} eigenpairs of a graph with {matrix.shape[0]} samples.")
    if residuals.max() > RESIDUAL_TOLERANCE:
        _tell_what_is_known(residuals)
    return best


def _tell_what_is_known(residuals: FloatArray) -> None:
    """Warn of pairs that did not converge, with how good they are."""
    warn(
        f"The {residuals.size} leading eigenpairs were found only up to a relative residual of {residuals.max():.1e} "
        f"({(residuals <= RESIDUAL_TOLERANCE).sum()} of them to {RESIDUAL_TOLERANCE:.0e}) within the budget of the "
        "solvers; ask for fewer (n_clusters), or for a graph of more neighbours.",
        ConvergenceWarning,
    )


def largest_eigenpairs(matrix: Any, count: int, start: np.random.RandomState) -> Pairs:
    """Find the ``count`` largest eigenpairs, descending, of a symmetric matrix, csr_array or operator.

    They are the smallest of rI - M, where r, the largest sum of magnitudes in a row (of an operator, which is taken to
    have no negative entries, of its entries), is no smaller than any eigenvalue.

    Parameters
    ----------
    matrix : ndarray, csr_array or LinearOperator
        M.
    count : int
    start : RandomState
        For start vectors.

    Returns
    -------
    eigenvalues, eigenvectors
    """
    size = matrix.shape[0]
    implicit = isinstance(matrix, LinearOperator)
    reach = float((matrix @ np.ones(size) if implicit else np.asarray(abs(matrix).sum(axis=1))).max())
    if implicit:
        turned: Any = LinearOperator(
            (size, size), matvec=_reversed(matrix, reach), matmat=_reversed(matrix, reach), dtype=np.float64
        )
    elif sparse.issparse(matrix):
        turned = sparse.eye_array(size, format="csr") * reach - matrix
    else:
        turned = np.negative(matrix)  # in place from here: all pairs of many samples take gigabytes
        turned[np.diag_indices(size)] += reach
    _, vectors = smallest_eigenpairs(turned, np.zeros((size, 0)), count, (0.0, 2 * reach), start)
    values, vectors = _ascending(-np.einsum("ij,ij->j", vectors, matrix @ vectors), vectors)
    return -values, vectors


def _solvers(matrix: Any, null: FloatArray, count: int, interval: Interval) -> list[Solver]:
    """List the solvers in the order in which they are tried: of Lanczos and its inverse the cheaper one first."""
    size = matrix.shape[0]
    if size <= DENSE_SIZE or count + null.shape[1] > size // 3:
        if size > DENSE_LIMIT:
            raise ValueError(
                f"{count} eigenpairs of a graph with {size} samples were asked for, more than a third of all, which "
                f"takes a dense matrix of {8 * size**2 / 1e9:.0f} GB; ask for fewer (n_clusters)."
            )
        return [dense]
    last = dense if size <= DENSE_FALLBACK_SIZE else filtered_subspace
    if count <= TWO_GRID_PAIRS and _prefers_two_grids(matrix, null, interval):
        return [two_grids, inverse_lanczos, lanczos, generous_lanczos, last]
    plan = plan_factor(matrix) if sparse.issparse(matrix) else None
    if plan is None:
        return [lanczos, generous_lanczos, last]
    inverse: Solver = partial(inverse_lanczos, plan=plan)
    first = [inverse, lanczos] if _prefers_inverse(matrix, count, plan) else [lanczos, inverse]
    return [*first, generous_lanczos, last]


def _prefers_two_grids(matrix: Any, null: FloatArray, interval: Interval) -> bool:
    """Tell whether a matrix is one of two grids, positive with one null vector without zeros, and large and wide."""
    if not sparse.issparse(matrix) or matrix.shape[0] < TWO_GRID_SIZE or interval[0] < 0:
        return False
    if null.shape[1] != 1 or not null.all():
        return False
    width = narrow_width(matrix)
    return width is not None and width >= TWO_GRID_WIDTH


def _prefers_inverse(matrix: Any, count: int, plan: FactorPlan) -> bool:
    """Compare the operations that Lanczos on M and on its inverse usually take."""
    basis = _basis_size(matrix.shape[0], count)
    step = 4 * matrix.shape[0] * basis  # to make a new vector orthogonal to those before
    plain = USUAL_RESTARTS * (basis - count) * (2 * matrix.nnz + step)
    return bool(plan.work + INVERSE_PRODUCTS * basis * (4 * plan.entries + step) < plain)


# -- solvers ---------------------------------------------------------------------------------


def dense(matrix: Any, null: FloatArray, count: int, interval: Interval, start: np.random.RandomState) -> Pairs:
    """Solve M by LAPACK, with its null vectors lifted above the rest of the spectrum."""
    if sparse.issparse(matrix):
        full = matrix.toarray()
    else:
        full = matrix @ np.eye(matrix.shape[0]) if isinstance(matrix, LinearOperator) else matrix
    lifted = full + (2 * interval[1]) * (null @ null.T)
    return eigh((lifted + lifted.T) / 2, smallest=count)


def lanczos(
    matrix: Any, null: FloatArray, count: int, interval: Interval, start: np.random.RandomState
) -> Pairs | None:
    """Run restarted Lanczos on (bI - M), deflated, with b the upper end of the interval."""
    vectors = _largest(_deflated(_reversed(matrix, interval[1]), null), matrix.shape[0], count, start)
    return _with_values(matrix, vectors)


def generous_lanczos(
    matrix: Any, null: FloatArray, count: int, interval: Interval, start: np.random.RandomState
) -> Pairs | None:
    """Run Lanczos for more pairs than wanted: where eigenvalues crowd at the wanted number, a gap comes later.

    Measured on the neighbour graph of 18 846 posts: 9 pairs alone did not converge in 60 restarts, took 21 s with
    a basis four times as wide, and 1.3 s as the first of 29.
    """
    more = min(count + max(20, count), matrix.shape[0] // 3)
    pairs = lanczos(matrix, null, more, interval, start)
    return None if pairs is None else (pairs[0][:count], pairs[1][:, :count])


def two_grids(
    matrix: Any, null: FloatArray, count: int, interval: Interval, start: np.random.RandomState
) -> Pairs | None:
    """Refine eigenvectors of groups of samples, with the inverse by two grids; None if that does not succeed.

    Samples are numbered so that neighbours are near in memory: of points in random order, a product with the matrix
    takes three times as long.
    """
    order = csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)
    nearby, nearby_null = sparse.csr_array(matrix[order][:, order]), null[order]
    inverse = TwoGrid.of(nearby, nearby_null[:, 0], start)
    if inverse is None:
        return None
    block = inverse.start(count + max(LEAST_BEYOND, int(BEYOND_PART * count)), start)
    found = refined_pairs(nearby, nearby_null, inverse, block, count, start)
    if found is None:
        return None
    vectors = np.empty_like(found[1])
    vectors[order] = found[1]
    return _with_values(matrix, vectors)


def inverse_lanczos(
    matrix: Any,
    null: FloatArray,
    count: int,
    interval: Interval,
    start: np.random.RandomState,
    *,
    plan: FactorPlan | None = None,
) -> Pairs | None:
    """Run Lanczos on (M + δI)⁻¹, which small eigenvalues dominate, where its factor is small; else return None.

    δ moves the lower end of the spectrum to just above 0, so that M + δI is positive definite.
    """
    if plan is None and sparse.issparse(matrix):
        plan = plan_factor(matrix)
    if plan is None:
        return None
    low, high = interval
    product = _deflated(Factor(matrix, 1e-8 * (high - low) - low, plan).solve, null)
    found = dominant_pairs(product, matrix.shape[0], count, start)
    if found is not None and found.is_complete:
        return _with_values(matrix, found.pairs[1])
    return _with_values(matrix, _largest(product, matrix.shape[0], count, start, found and found.pairs))


def filtered_subspace(
    matrix: Any, null: FloatArray, count: int, interval: Interval, start: np.random.RandomState
) -> Pairs:
    """Iterate a subspace, sharpened in each round by a Chebyshev polynomial that damps what is not wanted.

    The best that was found within a budget of products is returned, converged or not.
    """
    top = interval[1]
    product = _deflated(_reversed(matrix, top), null)
    block = np.linalg.qr(product(start.uniform(-1, 1, (matrix.shape[0], count + max(10, count // 2)))))[0]
    left = _last_products(matrix) // block.shape[1]
    while True:
        image = product(block)
        values, rotation = eigh(block.T @ image)
        block, image = block @ rotation, image @ rotation
        residual = np.linalg.norm((image - block * values)[:, -count:], axis=0).max()
        cut = min(max(values[0], 1e-3 * top), (1 - 1e-9) * top)
        degree = _degree(top / cut)
        left -= degree + 1
        if residual <= 0.1 * RESIDUAL_TOLERANCE * top or left < 0:
            return _ascending(top - values[-count:], block[:, -count:])
        block = np.linalg.qr(_damped(product, block, cut=cut, degree=degree))[0]


# -- their parts -----------------------------------------------------------------------------


def _deflated(product: Product, null: FloatArray) -> Product:
    """Restrict the operator to the complement of ``null``."""

    def restricted(vectors: FloatArray) -> FloatArray:
        image = product(vectors - null @ (null.T @ vectors))
        return np.asarray(image - null @ (null.T @ image))

    return restricted


def _reversed(matrix: Any, top: float) -> Product:
    """Return the operator top I - M: its largest eigenvalues are M's smallest."""
    return lambda vectors: top * vectors - matrix @ vectors


def _largest(
    product: Product, size: int, count: int, start: np.random.RandomState, pairs: Pairs | None = None
) -> FloatArray | None:
    """Find eigenvectors of the largest eigenvalues by restarted Lanczos; None if it does not converge.

    ``pairs`` that were found before are only searched for copies.

    Lanczos may miss copies of a repeated eigenvalue (measured: 5 of the 12 of a torus of 8 x 8 x 8 samples), so what it
    found is deflated and it searches again, until nothing is left that is larger than the smallest found. Every search
    that goes on found at least one of the wanted ``count``.
    """
    pairs = pairs or _lanczos_pairs(product, size, count, start)
    for _ in range(count):
        if pairs is None or count + COPIES > size // 2:
            break
        values, vectors = pairs
        more = _copies(_deflated(product, vectors), size, values, start)
        # Where even few vectors do not converge, the rest of the spectrum is a crowd without a copy apart from it.
        if more is None or not (more[0] > values.min() + EQUAL * np.abs(values).max()).any():
            break
        values, vectors = np.concatenate([values, more[0]]), np.hstack([vectors, more[1]])
        order = np.argsort(values, kind="stable")[-count:]
        pairs = values[order], vectors[:, order]
    return None if pairs is None else pairs[1]


def _copies(product: Product, size: int, found: FloatArray, start: np.random.RandomState) -> Pairs | None:
    """Find the largest pairs that are left, accurately only if a first look says that they could be among the wanted.

    The next eigenvalues of a large graph are a crowd, in which twelve digits take many times as long as six.
    """
    rough = _lanczos_pairs(product, size, COPIES, start, tolerance=LOOK, basis=LOOK_BASIS)
    if rough is None or rough[0].max() < found.min() - LOOK * np.abs(found).max():
        return rough
    return _lanczos_pairs(product, size, COPIES, start)


def _lanczos_pairs(
    product: Product,
    size: int,
    count: int,
    start: np.random.RandomState,
    *,
    tolerance: float = 1e-12,
    basis: int | None = None,
) -> Pairs | None:
    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    ncv = min(basis or size, _basis_size(size, count))
    first = start.uniform(-1, 1, size)
    try:
        return largest_by_lanczos(operator, count, first, ncv=ncv, tol=tolerance, maxiter=LANCZOS_RESTARTS)
    except (ArpackNoConvergence, ArpackError):
        return None


def _basis_size(size: int, count: int) -> int:
    """Tell how many vectors Lanczos keeps between restarts."""
    return min(size - 1, max(2 * count + 1, 40))


def _last_products(matrix: Any) -> int:
    """Tell how many products with one vector the last solver may make; a product with an operator is taken as cheap."""
    stored = matrix.nnz if sparse.issparse(matrix) else getattr(matrix, "size", None)
    work = 2 * (stored or 0) + 100 * matrix.shape[0]
    return int(max(LEAST_PRODUCTS, LAST_WORK / work))


def _degree(ratio: float) -> int:
    """Choose the degree that makes what is ``ratio`` times above the cut grow by 1e12: no more than digits can hold."""
    return int(np.clip(28 / np.arccosh(2 * ratio - 1), 8, 500))


def _damped(product: Product, block: FloatArray, *, cut: float, degree: int) -> FloatArray:
    """T_degree of the operator scaled so that [0, cut] maps to [-1, 1]: what lies above cut grows."""
    previous, current = block, 2 * product(block) / cut - block
    for _ in range(degree - 1):
        previous, current = current, 2 * (2 * product(current) / cut - current) - previous
    return current


def _with_values(matrix: Any, vectors: FloatArray | None) -> Pairs | None:
    """Make pairs from vectors of unit length, by their Rayleigh quotients."""
    if vectors is None:
        return None
    return _ascending(np.einsum("ij,ij->j", vectors, matrix @ vectors), vectors)


def _ascending(values: FloatArray, vectors: FloatArray) -> Pairs:
    order = np.argsort(values, kind="stable")
    return values[order], vectors[:, order]


def _residuals(matrix: Any, pairs: Pairs) -> FloatArray:
    values, vectors = pairs
    return np.asarray(np.linalg.norm(matrix @ vectors - vectors * values, axis=0))
