"""Eigenpairs by LAPACK and scipy, and the one rule for equal eigenvalues.

Small matrices are solved by LAPACK. For large ones the smallest eigenpairs are the largest ones of the inverse, if the
graph is narrow enough for a small sparse factor, or of bI - M, with b the upper end of the spectrum; both by ARPACK
(`scipy.sparse.linalg.eigsh`). LAPACK or LOBPCG come last. Residuals ‖Mv - μv‖ are checked after each, and every solver
ends after a bounded number of products. Null vectors are known and projected out of every product.

The eigenvectors of equal eigenvalues are any basis of one space: which one a solver returns depends on the processor.
So nothing may depend on a part of them: a cut through equal eigenvalues takes the whole group (`end_of_group`), and
vectors that a user sees are turned into a basis that only the space decides (`with_fixed_bases`).

References
----------
Lehoucq, Sorensen and Yang, ARPACK Users' Guide, SIAM 1998; Knyazev, Toward the optimal preconditioned eigensolver,
SIAM J. Sci. Comput. 2001, doi:10.1137/S1064827500366124.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, lobpcg, splu
from sklearn.exceptions import ConvergenceWarning

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import Affinity, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import EqualEigenvaluesWarning

Pairs = tuple[FloatArray, FloatArray]
Product = Callable[[FloatArray], FloatArray]
Found = TypeVar("Found")

#: eigenvalues closer than this part of the largest possible magnitude are equal. Vectors of eigenvalues a gap g apart
#: are known up to about 1e-16/g: what is closer cannot be told apart to the digits that users see.
EQUAL = 1e-9
#: of entries with about the same magnitude the first decides a sign or a basis, not the one that rounding made largest
NEARLY = 0.99
#: eigenvalues beyond the requested ones that are first compared with the last of them
BEYOND = 4
#: of more pairs than `MANY_PAIRS`, a group with so many beyond the requested ones is not followed to its end
LARGEST_GROUP, MANY_PAIRS = 100, 6000
#: matrices up to this size are solved by LAPACK at once, those up to the second if ARPACK does not converge, and none
#: beyond the third: all pairs take n² numbers and n³ operations
DENSE_SIZE, DENSE_FALLBACK_SIZE, DENSE_LIMIT = 500, 6000, 15_000
#: neighbours in a narrow graph are at most about √(30 n) or 2500 apart in an order along the graph: beyond the first
#: a factor takes longer than ARPACK without it, beyond the second up to a minute and 1 GB. Measured with 10 neighbours:
#: √(5 n) in a plane, up to a million samples, √(15 n) in a flat box; √(76 n) for 20 000 samples in a cube
NARROW, WIDEST = 30.0, 2500.0
#: restarts of ARPACK, after which the next solver is tried
RESTARTS = 60
#: accuracy of a first search for a copy of an eigenvalue that ARPACK missed
LOOK = 1e-6
#: operations of LOBPCG, about half a minute, and the iterations that it has in any case
LAST_WORK, FEWEST_ITERATIONS = 3e10, 20
#: largest accepted ‖Mv - μv‖, relative to the width of the spectrum
RESIDUAL_TOLERANCE = 1e-8

# -- numpy and scipy: tests replace these three -------------------------------------------------

_dense_solver = linalg.eigh
_lanczos_solver = eigsh
_singular_solver = np.linalg.svd


def eigh(matrix: FloatArray, *, smallest: int | None = None) -> Pairs:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix: all, or the smallest ones."""
    with single_threaded_blas():
        values, vectors = _dense_solver(matrix, subset_by_index=None if smallest is None else [0, smallest - 1])
    return values, vectors


def eigvalsh(matrices: FloatArray) -> FloatArray:
    """Eigenvalues, ascending, of a symmetric matrix or of a stack of them."""
    with single_threaded_blas():
        return np.asarray(np.linalg.eigvalsh(matrices))


def svd(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """U, the singular values and Vᵀ, as many as the shorter side has."""
    with single_threaded_blas():
        U, sizes, rotation = _singular_solver(matrix, full_matrices=False)
    return U, sizes, rotation


def as_array(matrix: Affinity) -> FloatArray:
    """Return a matrix of any kind as a dense array."""
    if sparse.issparse(matrix):
        return np.asarray(matrix.toarray())
    return np.asarray(matrix @ np.eye(matrix.shape[0]) if isinstance(matrix, LinearOperator) else matrix)


# -- a few pairs of a large matrix -------------------------------------------------------------


def smallest_eigenpairs(
    matrix: Any, null: FloatArray, count: int, interval: tuple[float, float], start: np.random.RandomState
) -> Pairs:
    """Find the ``count`` smallest eigenpairs orthogonal to the null vectors.

    Parameters
    ----------
    matrix : ndarray, csr_array or LinearOperator
        M, symmetric.
    null : array of shape (n, c)
        Orthonormal eigenvectors of the eigenvalue 0 that are known.
    count : int
    interval : (low, high)
        Holds all eigenvalues.
    start : RandomState
        For start vectors.

    Returns
    -------
    eigenvalues, eigenvectors
        Ascending. If no solver reached the tolerance within its budget, a `ConvergenceWarning` says how many pairs did,
        and how large the residual of the others is.

    Examples
    --------
    >>> path = np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]])  # the Laplacian of three samples in a row
    >>> ones = np.full((3, 1), 3**-0.5)
    >>> smallest_eigenpairs(path, ones, 2, (0.0, 4.0), np.random.RandomState(0))[0].round(6)
    array([1., 3.])
    """
    best, errors = (np.empty(0), np.empty((0, 0))), np.full(count, np.inf)
    with single_threaded_blas():
        for vectors in _solutions(matrix, null, count, interval, start):
            image = matrix @ vectors
            values = np.einsum("ij,ij->j", vectors, image)
            residuals = np.linalg.norm(image - vectors * values, axis=0) / (interval[1] - interval[0])
            if residuals.max() < errors.max():
                order = np.argsort(values, kind="stable")
                best, errors = (values[order], vectors[:, order]), residuals
            if errors.max() <= RESIDUAL_TOLERANCE:
                return best
    warn(
        f"The {count} leading eigenpairs were found only up to a relative residual of {errors.max():.1e} "
        f"({(errors <= RESIDUAL_TOLERANCE).sum()} of them to {RESIDUAL_TOLERANCE:.0e}) within the budget of the "
        "solvers; ask for fewer (n_clusters), or for a graph of more neighbours.",
        ConvergenceWarning,
    )
    return best


def largest_eigenpairs(matrix: Any, count: int, start: np.random.RandomState) -> Pairs:
    """Find the ``count`` largest eigenpairs, descending, of a symmetric matrix, csr_array or operator.

    They are the smallest of -M, whose eigenvalues are within ±r, with r the largest sum of magnitudes in a row (of an
    operator, which is taken to have no negative entries, of its entries).
    """
    size = matrix.shape[0]
    sums = matrix @ np.ones(size) if isinstance(matrix, LinearOperator) else abs(matrix).sum(axis=1)
    reach = float(np.max(sums))
    values, vectors = smallest_eigenpairs(-matrix, np.zeros((size, 0)), count, (-reach, reach), start)
    return -values, vectors


def _solutions(
    matrix: Any, null: FloatArray, count: int, interval: tuple[float, float], start: np.random.RandomState
) -> Iterator[FloatArray]:
    """Yield orthonormal vectors for the smallest eigenpairs by one solver after the other."""
    size, (low, high) = matrix.shape[0], interval
    if size <= DENSE_SIZE or count + null.shape[1] > size // 3:
        if size > DENSE_LIMIT:
            raise ValueError(
                f"{count} eigenpairs of a graph with {size} samples were asked for, more than a third of all, which "
                f"takes a dense matrix of {8 * size**2 / 1e9:.0f} GB; ask for fewer (n_clusters)."
            )
        yield _by_lapack(matrix, null, count, high)
        return
    if sparse.issparse(matrix) and _is_narrow(matrix):
        shift = 1e-8 * (high - low) - low  # positive definite, with all eigenvalues just above 0
        factor = splu(
            sparse.csc_array(matrix + shift * sparse.eye_array(size)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        yield from _by_lanczos(_deflated(factor.solve, null), size, count, start)
    upside_down = _deflated(lambda vectors: high * vectors - matrix @ vectors, null)
    yield from _by_lanczos(upside_down, size, count, start)
    # If eigenvalues crowd at the requested number, a gap comes later: of 18 846 posts 9 pairs did not converge, but 29
    more = min(count + max(20, count), size // 3)
    yield from (vectors[:, -count:] for vectors in _by_lanczos(upside_down, size, more, start))
    if size <= DENSE_FALLBACK_SIZE:
        yield _by_lapack(matrix, null, count, high)
    else:
        yield _by_blocks(matrix, null, count, high - low, start)


def _is_narrow(matrix: sparse.csr_array) -> bool:
    """Tell whether the graph of a matrix is like one of points on a line or in a plane, whose factor is small."""
    place = np.argsort(reverse_cuthill_mckee(matrix, symmetric_mode=True))
    row, column = matrix.tocoo().coords
    width = np.zeros(place.size)
    np.maximum.at(width, row, np.abs(place[row] - place[column]))
    return bool(np.sqrt(width @ width / place.size) <= min(np.sqrt(NARROW * place.size), WIDEST))


def _by_lapack(matrix: Any, null: FloatArray, count: int, high: float) -> FloatArray:
    """Solve M by LAPACK, with its null vectors lifted above the rest of the spectrum."""
    lifted = as_array(matrix) + 2 * high * (null @ null.T)
    return eigh((lifted + lifted.T) / 2, smallest=count)[1]


def _by_lanczos(product: Product, size: int, count: int, start: np.random.RandomState) -> Iterator[FloatArray]:
    """Yield eigenvectors of the largest eigenvalues of an operator, unless ARPACK does not converge.

    One start vector sees one vector of each repeated eigenvalue, the others only through rounding (of a torus of
    8 x 8 x 8 samples 5 of 12 were missing). So what was found is projected out, and ARPACK searches again until nothing
    is left above the smallest of them: for one vector, and roughly at first, since the next eigenvalues are a crowd, in
    which two of them, or twelve digits, take many times as long.
    """
    found = _arpack(product, size, count, start)
    if found is None:
        return
    values, vectors = found
    for _ in range(count):
        scale, rest = np.abs(values).max(), _deflated(product, vectors)
        copy = _arpack(rest, size, 1, start, tolerance=LOOK)
        if copy is not None and copy[0][0] > values.min() - LOOK * scale:
            copy = _arpack(rest, size, 1, start)
        # If even one vector does not converge, the rest of the spectrum is a crowd without a copy apart from it
        if copy is None or copy[0][0] <= values.min() + EQUAL * scale:
            break
        values, vectors = np.concatenate([values, copy[0]]), np.hstack([vectors, copy[1]])
        order = np.argsort(values, kind="stable")[-count:]
        values, vectors = values[order], vectors[:, order]
    yield vectors


def _arpack(
    product: Product, size: int, count: int, start: np.random.RandomState, *, tolerance: float = 1e-12
) -> Pairs | None:
    """Find the largest eigenpairs of a symmetric operator by restarted Lanczos; None if it does not converge."""
    operator = LinearOperator((size, size), matvec=product, dtype=np.float64)
    options = {"ncv": min(size - 1, max(2 * count + 1, 40)), "tol": tolerance, "maxiter": RESTARTS}
    try:
        return _lanczos_solver(operator, k=count, which="LA", v0=start.uniform(-1, 1, size), **options)
    except ArpackError:
        return None


def _by_blocks(matrix: Any, null: FloatArray, count: int, width: float, start: np.random.RandomState) -> FloatArray:
    """Improve a random block by LOBPCG as long as its budget lasts, converged or not."""
    block = start.normal(size=(matrix.shape[0], count + max(5, count // 5)))
    work = 20.0 * block.size * block.shape[1] + 2 * getattr(matrix, "nnz", matrix.shape[0]) * block.shape[1]
    options = {"tol": 0.1 * RESIDUAL_TOLERANCE * width, "maxiter": max(FEWEST_ITERATIONS, int(LAST_WORK / work))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the residuals are checked later
        _, vectors = lobpcg(matrix, block, Y=null if null.size else None, largest=False, **options)
    return np.asarray(vectors[:, :count])


def _deflated(product: Product, null: FloatArray) -> Product:
    """Restrict an operator to the complement of orthonormal vectors."""

    def restricted(vectors: FloatArray) -> FloatArray:
        image = product(vectors - null @ (null.T @ vectors))
        return np.asarray(image - null @ (null.T @ image))

    return restricted


# -- equal eigenvalues -------------------------------------------------------------------------


def group_numbers(values: FloatArray, reach: float) -> IntArray:
    """0, 0, 1, …: which sorted values are equal, neighbour by neighbour, up to `EQUAL` of ``reach``.

    >>> group_numbers(np.array([0.0, 0.5, 0.5 + 1e-12, 1.0]), reach=2.0)
    array([0, 1, 1, 2])
    """
    apart = np.abs(np.diff(values)) > EQUAL * reach
    return np.concatenate([np.zeros(min(1, len(values)), dtype=np.intp), np.cumsum(apart, dtype=np.intp)])


def end_of_group(groups: IntArray, count: int) -> int:
    """Count the first ``count`` values and all that equal the last of them."""
    return int(np.searchsorted(groups, groups[count - 1], side="right"))


def with_whole_group(
    solve: Callable[[int], tuple[Found, IntArray]], count: int, most: int, *, at_least: int = 0
) -> tuple[Found, int]:
    """Solve for more pairs until the group of the last requested one ends; return them, and how many of them to take.

    Parameters
    ----------
    solve : callable
        From a number of pairs to them and their group numbers.
    count, most : int
        How many are requested, and how many there are.
    at_least : int
        How many can be solved for without a loss.

    Raises
    ------
    ValueError
        If the group is larger than a large graph allows: of a star, all eigenvalues but two are equal.
    """
    asked = max(count, at_least) + BEYOND
    while True:
        found, groups = solve(min(asked, most))
        end = end_of_group(groups, count)
        if end < min(asked, most) or asked >= most:
            return found, end
        beyond = end - max(count, at_least)
        if most > MANY_PAIRS and beyond >= LARGEST_GROUP:
            raise ValueError(
                f"The first {count} eigenvalues end among equal ones, of which there are more than {beyond}: their "
                f"vectors are any basis of one space, and all of the {most} are too many to find; ask for fewer, "
                "before the equal ones begin, or take another graph."
            )
        asked *= 2


def tell_whole_group(what: str, used: int) -> None:
    """Warn that a number, such as ``"EVSC: n_eigenvalues=4"``, ended among equal eigenvalues; say how many are used."""
    warn(
        f"{what} ends among equal eigenvalues, whose vectors are any basis of one space; the {used} with all of these "
        "are used.",
        EqualEigenvaluesWarning,
    )


def with_fixed_bases(vectors: FloatArray, groups: IntArray, scales: FloatArray | None = None) -> FloatArray:
    """Turn orthonormal columns of equal eigenvalues into a basis that only their space decides; fix the other signs.

    The columns are turned after they are multiplied by ``scales``, so that YYᵀ stays what it was.
    """
    scales = np.ones(groups.size) if scales is None else scales
    squared = vectors**2
    peaks = np.argmax(squared >= NEARLY * squared.max(axis=0), axis=0)
    fixed = vectors * np.where(vectors[peaks, np.arange(groups.size)] < 0, -scales, scales)
    for group in np.flatnonzero(np.bincount(groups) > 1):
        own = np.flatnonzero(groups == group)
        fixed[:, own] = (vectors[:, own] * scales[own]) @ _rotation(vectors[:, own])
    return fixed


def _rotation(vectors: FloatArray) -> FloatArray:
    r"""Find the rotation of orthonormal columns into the basis that their space decides.

    With the projector :math:`P = VV^\top`: the first vector is :math:`P e_i`, scaled, of the sample i with the largest
    :math:`P_{ii}` (of nearly equal ones the first); then the same with what is left of P.
    """
    left = np.einsum("ij,ij->i", vectors, vectors)
    turn = np.zeros((vectors.shape[1],) * 2)
    for column in range(vectors.shape[1]):
        before = turn[:, :column]
        direction = vectors[np.argmax(left >= NEARLY * left.max())]
        direction = direction - before @ (before.T @ direction)
        turn[:, column] = direction / np.linalg.norm(direction)
        left = left - (vectors @ turn[:, column]) ** 2
    return turn
