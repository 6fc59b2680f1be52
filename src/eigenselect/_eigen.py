"""The one door to eigensolvers, and the one rule for equal eigenvalues.

The eigenvectors of equal eigenvalues are any basis of one space: which one a solver returns depends on the processor.
So nothing may depend on a part of them: a cut through equal eigenvalues takes the whole group (`end_of_group`), and
vectors that somebody looks at are turned into a basis that only the space decides (`fixed_basis`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from scipy import linalg
from scipy.sparse import linalg as sparse_linalg

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import EqualEigenvaluesWarning

Pairs = tuple[FloatArray, FloatArray]
Found = TypeVar("Found")

#: eigenvalues closer than this part of the largest possible magnitude are equal. Vectors of eigenvalues a gap g apart
#: are known up to about 1e-16/g: what is closer cannot be told apart to the digits that users see.
EQUAL = 1e-9
#: of entries with about the same magnitude the first decides a sign or a basis, not the one that rounding made largest
NEARLY = 0.99
#: eigenvalues beyond the wanted ones that are looked at first for being equal to the last
BEYOND = 4
#: of more pairs than `MANY_PAIRS`, a group that goes on for so many beyond the wanted ones is not followed to its end
LARGEST_GROUP, MANY_PAIRS = 100, 6000

# -- the door: the tests replace these three ---------------------------------------------------

_dense_solver = linalg.eigh
_lanczos_solver = sparse_linalg.eigsh
_singular_solver = np.linalg.svd


def eigh(matrix: FloatArray, *, smallest: int | None = None) -> Pairs:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix: all, or the smallest ones."""
    subset = None if smallest is None else [0, smallest - 1]
    with single_threaded_blas():
        values, vectors = _dense_solver(matrix, subset_by_index=subset)
    return values, vectors


def eigvalsh(matrices: FloatArray) -> FloatArray:
    """Eigenvalues, ascending, of a symmetric matrix or of a stack of them."""
    with single_threaded_blas():
        return np.asarray(np.linalg.eigvalsh(matrices))


def largest_by_lanczos(operator: Any, count: int, start: FloatArray, **options: Any) -> Pairs:
    """The ``count`` largest eigenvalues, ascending, of a symmetric operator, by restarted Lanczos.

    One start vector sees one vector of each repeated eigenvalue, and the others only through rounding: copies may be
    missing. `eigenselect.graph.eigensolver` looks for them.
    """
    with single_threaded_blas():
        values, vectors = _lanczos_solver(operator, k=count, which="LA", v0=start, **options)
    return values, vectors


def svd(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """U, the singular values and Vᵀ, as many as the shorter side has."""
    with single_threaded_blas():
        U, sizes, rotation = _singular_solver(matrix, full_matrices=False)
    return U, sizes, rotation


# -- the rule ----------------------------------------------------------------------------------


def group_numbers(values: FloatArray, reach: float) -> IntArray:
    """0, 0, 1, …: which sorted values are equal, neighbour by neighbour, up to `EQUAL` of ``reach``.

    >>> group_numbers(np.array([0.0, 0.5, 0.5 + 1e-12, 1.0]), reach=2.0)
    array([0, 1, 1, 2])
    """
    apart = np.abs(np.diff(values)) > EQUAL * reach
    return np.concatenate([np.zeros(min(1, len(values)), dtype=np.intp), np.cumsum(apart, dtype=np.intp)])


def end_of_group(groups: IntArray, count: int) -> int:
    """How many leading values there are with all those that equal the last of the first ``count``."""
    return int(np.searchsorted(groups, groups[count - 1], side="right"))


def with_whole_group(
    solve: Callable[[int], tuple[Found, IntArray]], count: int, most: int, *, at_least: int = 0
) -> tuple[Found, int]:
    """Ask for more pairs until the group of the last wanted one ends: what was found, and how many of it to take.

    Parameters
    ----------
    solve : callable
        From a number of pairs to them and their group numbers.
    count, most : int
        How many are wanted, and how many there are.
    at_least : int
        How many are known to be asked for without a loss.

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
    """Say that a number, such as ``"EVSC: n_eigenvalues=4"``, ended among equal eigenvalues and how many were taken."""
    warn(
        f"{what} ends among equal eigenvalues, whose vectors are any basis of one space; the {used} with all of these "
        "are used.",
        EqualEigenvaluesWarning,
    )


def fixed_basis(vectors: FloatArray) -> FloatArray:
    r"""The orthonormal basis that the space of orthonormal columns alone decides.

    With the projector :math:`P = VV^\top`: the first vector is :math:`P e_i`, scaled, of the sample i with the largest
    :math:`P_{ii}` (of nearly equal ones the first); then the same with what is left of P. Every vector is positive at
    its sample, so one vector alone gets its sign.
    """
    return np.asarray(vectors @ _turn(vectors))


def _turn(vectors: FloatArray) -> FloatArray:
    """The rotation of the columns into `fixed_basis`."""
    left = np.einsum("ij,ij->i", vectors, vectors)
    turn = np.zeros((vectors.shape[1],) * 2)
    for column in range(vectors.shape[1]):
        found = turn[:, :column]
        direction = vectors[np.argmax(left >= NEARLY * left.max())]
        direction = direction - found @ (found.T @ direction)
        turn[:, column] = direction / np.linalg.norm(direction)
        left = left - (vectors @ turn[:, column]) ** 2
    return turn


def fixed_signs(vectors: FloatArray) -> FloatArray:
    """The same columns, each positive at its largest entry; at the first one where several are nearly the largest."""
    squared = vectors**2
    peaks = np.argmax(squared >= NEARLY * squared.max(axis=0), axis=0)
    return vectors * np.where(vectors[peaks, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def with_fixed_bases(vectors: FloatArray, groups: IntArray, scales: FloatArray | None = None) -> FloatArray:
    """Columns of equal eigenvalues in `fixed_basis`, the others with `fixed_signs`; times scales that are nearly equal.

    The columns are turned after they are scaled, so that YYᵀ stays what it was.
    """
    scales = np.ones(groups.size) if scales is None else scales
    fixed = fixed_signs(vectors) * scales
    for group in np.flatnonzero(np.bincount(groups) > 1):
        own = np.flatnonzero(groups == group)
        fixed[:, own] = (vectors[:, own] * scales[own]) @ _turn(vectors[:, own])
    return fixed
