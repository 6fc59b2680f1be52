"""Smallest eigenpairs of a symmetric matrix with known null vectors: several solvers, one check.

Each solver is tried in turn until the residuals ||Mv - μv|| are small: LAPACK for small matrices; Lanczos; Lanczos on
the inverse for long, thin graphs; Lanczos for more pairs than wanted; LAPACK again or a filtered subspace iteration.
Null vectors are known and never searched for: they are lifted above the spectrum, M + 2b·ZZᵀ with b its upper end, or
projected out of every product.

References
----------
Lehoucq, Sorensen and Yang, ARPACK Users' Guide, SIAM 1998; Zhou, Saad, Tiago and Chelikowsky, Self-consistent-field
calculations using Chebyshev-filtered subspace iteration, J. Comput. Phys. 2006, doi:10.1016/j.jcp.2006.03.017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, splu
from sklearn.exceptions import ConvergenceWarning

from eigenselect._eigen import EQUAL, Pairs, eigh, largest_by_lanczos
from eigenselect._typing import FloatArray
from eigenselect._warn import warn

Product = Callable[[FloatArray], FloatArray]
Solver = Callable[[Any, FloatArray, int, float, np.random.RandomState], Pairs | None]

#: matrices up to this size are solved by LAPACK at once
DENSE_SIZE = 300
#: matrices up to this size may be solved by LAPACK where Krylov methods fail
DENSE_FALLBACK_SIZE = 6000
#: bytes that the band of a factorised matrix may take
INVERSE_FACTOR_BYTES = 2**28
#: restarts before another solver has its turn
LANCZOS_RESTARTS = 60
#: eigenpairs that are searched for again after Lanczos, in case it missed copies of repeated ones
COPIES = 2
#: largest accepted ||Mv - μv||, relative to the width of the spectrum
RESIDUAL_TOLERANCE = 1e-8


def smallest_eigenpairs(
    matrix: Any, null: FloatArray, count: int, interval: tuple[float, float], start: np.random.RandomState
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
        Ascending. A `ConvergenceWarning` names the residual if no solver reached the tolerance.

    Examples
    --------
    >>> path = np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])  # the Laplacian of three samples in a row
    >>> ones = np.full((3, 1), 3**-0.5)
    >>> smallest_eigenpairs(path, ones, 2, (0.0, 4.0), np.random.RandomState(0))[0].round(6)
    array([1., 3.])
    """
    best: Pairs | None = None
    best_residual = np.inf
    for solver in _solvers(matrix, null.shape[1], count):
        pairs = solver(matrix, null, count, interval[1], start)
        if pairs is None:
            continue
        residual = _largest_residual(matrix, pairs) / (interval[1] - interval[0])
        if residual < best_residual:
            best, best_residual = pairs, residual
        if residual <= RESIDUAL_TOLERANCE:
            break
    if best is None:
        raise RuntimeError(f"No eigensolver found {count} eigenpairs of a graph with {matrix.shape[0]} samples.")
    if best_residual > RESIDUAL_TOLERANCE:
        warn(
            f"The {count} leading eigenpairs were found only up to a relative residual of {best_residual:.1e}.",
            ConvergenceWarning,
        )
    return best


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
    else:
        turned = (sparse.eye_array(size, format="csr") if sparse.issparse(matrix) else np.eye(size)) * reach - matrix
    _, vectors = smallest_eigenpairs(turned, np.zeros((size, 0)), count, (0.0, 2 * reach), start)
    values, vectors = _ascending(-np.einsum("ij,ij->j", vectors, matrix @ vectors), vectors)
    return -values, vectors


def _solvers(matrix: Any, n_null: int, count: int) -> list[Solver]:
    size = matrix.shape[0]
    if size <= DENSE_SIZE or count + n_null > size // 3:
        return [dense]
    last = dense if size <= DENSE_FALLBACK_SIZE else filtered_subspace
    return [lanczos, inverse_lanczos, generous_lanczos, last]


# -- solvers ---------------------------------------------------------------------------------


def dense(matrix: Any, null: FloatArray, count: int, top: float, start: np.random.RandomState) -> Pairs:
    """Solve M by LAPACK, with its null vectors lifted above the rest of the spectrum."""
    if sparse.issparse(matrix):
        full = matrix.toarray()
    else:
        full = matrix @ np.eye(matrix.shape[0]) if isinstance(matrix, LinearOperator) else matrix
    lifted = full + (2 * top) * (null @ null.T)
    return eigh((lifted + lifted.T) / 2, smallest=count)


def lanczos(matrix: Any, null: FloatArray, count: int, top: float, start: np.random.RandomState) -> Pairs | None:
    """Run restarted Lanczos on (top I - M), deflated."""
    vectors = _largest(_deflated(_reversed(matrix, top), null), matrix.shape[0], count, start)
    return _with_values(matrix, vectors)


def generous_lanczos(
    matrix: Any, null: FloatArray, count: int, top: float, start: np.random.RandomState
) -> Pairs | None:
    """Run Lanczos for more pairs than wanted: where eigenvalues crowd at the wanted number, a gap comes later.

    Measured on the neighbour graph of 18 846 posts: 9 pairs alone did not converge in 60 restarts, took 21 s with
    a basis four times as wide, and 1.3 s as the first of 29.
    """
    more = min(count + max(20, count), matrix.shape[0] // 3)
    pairs = lanczos(matrix, null, more, top, start)
    return None if pairs is None else (pairs[0][:count], pairs[1][:, :count])


def inverse_lanczos(
    matrix: Any, null: FloatArray, count: int, top: float, start: np.random.RandomState
) -> Pairs | None:
    """Run Lanczos on (M + δI)⁻¹, for long, thin graphs: there plain Lanczos crawls, and the factor is small."""
    if not sparse.issparse(matrix):
        return None
    order = sparse.csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)
    banded = matrix[order][:, order].tocoo()
    if 8 * matrix.shape[0] * int(np.abs(banded.row - banded.col).max(initial=0)) > INVERSE_FACTOR_BYTES:
        return None
    shift = sparse.eye_array(matrix.shape[0]) * (1e-8 * top)
    factor = splu(sparse.csc_array(banded + shift), permc_spec="NATURAL", options={"SymmetricMode": True})
    vectors = _largest(_deflated(factor.solve, null[order]), matrix.shape[0], count, start)
    return _with_values(matrix, None if vectors is None else vectors[np.argsort(order)])


def filtered_subspace(
    matrix: Any, null: FloatArray, count: int, top: float, start: np.random.RandomState, *, rounds: int = 200
) -> Pairs:
    """Iterate a subspace, sharpened in each round by a Chebyshev polynomial that damps what is not wanted."""
    product = _deflated(_reversed(matrix, top), null)
    block = np.linalg.qr(product(start.uniform(-1, 1, (matrix.shape[0], count + max(10, count // 2)))))[0]
    values = np.zeros(0)
    for _ in range(rounds):
        image = product(block)
        values, rotation = eigh(block.T @ image)
        block, image = block @ rotation, image @ rotation
        residual = np.linalg.norm((image - block * values)[:, -count:], axis=0).max()
        if residual <= 0.1 * RESIDUAL_TOLERANCE * top:
            break
        block = np.linalg.qr(_damped(product, block, cut=max(values[0], 1e-3 * top)))[0]
    return _ascending(top - values[-count:], block[:, -count:])


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


def _largest(product: Product, size: int, count: int, start: np.random.RandomState) -> FloatArray | None:
    """Find eigenvectors of the largest eigenvalues by restarted Lanczos; None if it does not converge.

    Lanczos may miss copies of a repeated eigenvalue (measured: 5 of the 12 of a torus of 8 x 8 x 8 samples), so what it
    found is deflated and it searches again, until nothing is left that is larger than the smallest found.
    """
    vectors = _lanczos_vectors(product, size, count, start)
    while vectors is not None and count + COPIES <= size // 2:
        values = _quotients(product, vectors)
        more = _lanczos_vectors(_deflated(product, vectors), size, COPIES, start)
        # Where even few vectors do not converge, the rest of the spectrum is a crowd without a copy apart from it.
        missed = _quotients(product, more) if more is not None else np.empty(0)
        if more is None or not (missed > values.min() + EQUAL * np.abs(values).max()).any():
            break
        order = np.argsort(np.concatenate([values, missed]), kind="stable")[-count:]
        vectors = np.hstack([vectors, more])[:, order]
    return vectors


def _lanczos_vectors(product: Product, size: int, count: int, start: np.random.RandomState) -> FloatArray | None:
    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    ncv = min(size - 1, max(2 * count + 1, 40))
    first = start.uniform(-1, 1, size)
    try:
        return largest_by_lanczos(operator, count, first, ncv=ncv, tol=1e-12, maxiter=LANCZOS_RESTARTS)[1]
    except (ArpackNoConvergence, ArpackError):
        return None


def _quotients(product: Product, vectors: FloatArray) -> FloatArray:
    """Compute Rayleigh quotients of unit vectors, one by one, for an operator may take no blocks."""
    return np.array([vector @ product(vector) for vector in vectors.T])


def _damped(product: Product, block: FloatArray, *, cut: float, degree: int = 24) -> FloatArray:
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


def _largest_residual(matrix: Any, pairs: Pairs) -> float:
    values, vectors = pairs
    return float(np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max())
