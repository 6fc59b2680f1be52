r"""The largest eigenpairs of an operator where they stand apart: Lanczos without restarts, and a test for lost copies.

Of the inverse of a graph's matrix, a few tens of products give what is wanted and more: restarts would throw the rest
away. One start vector sees one vector of each repeated eigenvalue, so a second space is grown from a random vector
orthogonal to all that was found. If ξ is the largest Ritz value of k steps from a random direction of n-space, the
largest eigenvalue λ of a positive operator has

.. math:: P(\xi < (1-\epsilon)\lambda) \le 1.648 \sqrt n\, e^{-\sqrt\epsilon (2k-1)},

so a ξ well below the smallest wanted eigenvalue tells, after few steps, that none of its size is left.

References
----------
Kuczyński and Woźniakowski, Estimating the largest eigenvalue by the power and Lanczos algorithms with a random start,
SIAM J. Matrix Anal. Appl. 1992, doi:10.1137/0613066.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from eigenselect._eigen import Pairs, eigh
from eigenselect._typing import BoolArray, FloatArray, IntArray

Product = Callable[[FloatArray], FloatArray]

#: steps between two looks at what was found
STRIDE = 4
#: accuracy of what is returned, and of pairs beyond the wanted that are set aside before the search for copies
ACCURATE, NEAR = 1e-12, 1e-4
#: steps of the search for copies, and with which probability it may miss one
SEARCH_STEPS, RISK = 40, 1e-9
#: steps of the estimate of a spectrum's upper end
END_STEPS = 12


class Dominant(NamedTuple):
    """The largest pairs, ascending, and whether there is none beside them that is as large."""

    pairs: Pairs
    is_complete: bool


class _Ritz(NamedTuple):
    """Approximate eigenvalues, ascending, how far each is from one at most, and the vectors in rows.

    A closed space holds its own images: these are all eigenvalues that its start vector sees.
    """

    values: FloatArray
    errors: FloatArray
    vectors: Callable[[BoolArray], FloatArray]
    is_closed: bool


def dominant_pairs(product: Product, size: int, count: int, start: np.random.RandomState) -> Dominant | None:
    """Find the ``count`` largest eigenpairs of a positive operator; None if few steps do not reach them.

    Parameters
    ----------
    product : callable
        The symmetric operator without negative eigenvalues, applied to a vector.
    size, count : int
        Of vectors, and how many of them are wanted.
    start : RandomState
        For start vectors.

    Examples
    --------
    >>> scales = np.concatenate([np.full(390, 0.01), np.arange(1.0, 11.0)])
    >>> found = dominant_pairs(lambda f: scales * f, 400, 3, np.random.RandomState(0))
    >>> found.pairs[0].round(9), found.is_complete
    (array([ 8.,  9., 10.]), True)
    """
    most = min(3 * count + 40, size // 2)

    def has_converged(values: FloatArray, errors: FloatArray, steps: int) -> bool:
        return values.size >= count and bool((errors[-count:] <= ACCURATE * values[-count:]).all())

    found = _grow(product, np.asarray(start.normal(size=size)), np.empty((0, size)), most, has_converged)
    if not has_converged(found.values, found.errors, most):
        return None
    wanted = np.arange(found.values.size) >= found.values.size - count
    smallest = found.values[wanted][0]
    # What may itself be an unfinished copy of a wanted pair stays in the search.
    apart = (found.errors <= NEAR * found.values) & (found.values + 10 * found.errors < (1 - NEAR) * smallest)
    known = found.vectors(wanted | apart)
    is_complete = _none_left(product, known, float(smallest), start)
    return Dominant((found.values[wanted], known[-count:].T), is_complete)


def upper_end(product: Product, size: int, start: np.random.RandomState) -> float:
    """Estimate the largest eigenvalue of a symmetric operator from above: a Ritz value of few steps and its error.

    >>> 9 <= upper_end(lambda f: np.arange(10.0) * f, 10, np.random.RandomState(0)) < 9.5
    True
    """
    first = np.asarray(start.normal(size=size))
    found = _grow(product, first, np.empty((0, size)), min(END_STEPS, size), lambda values, errors, steps: False)
    return float(found.values[-1] + found.errors[-1])


def _none_left(product: Product, known: FloatArray, bound: float, start: np.random.RandomState) -> bool:
    """Tell whether the operator, without known vectors, has surely no eigenvalue that reaches a bound."""
    size = known.shape[1]
    margins = _margins(np.arange(1, SEARCH_STEPS + 1), size)

    def is_settled(values: FloatArray, errors: FloatArray, steps: int) -> bool:
        return bool(values[-1] < (1 - margins[steps - 1]) * bound or values[-1] >= (1 - margins[-1]) * bound)

    left = _grow(product, np.asarray(start.normal(size=size)), known, min(SEARCH_STEPS, size // 2), is_settled)
    margin = NEAR if left.is_closed else margins[left.values.size - 1]
    return bool(left.values[-1] < (1 - margin) * bound)


def random_steps(part: float, size: int, *, starts: int = 1) -> int:
    """Count the steps after which the bound above, with ε = ``part``, is `RISK`: each of several starts may tell.

    >>> random_steps(0.25, 10_000), random_steps(0.25, 10_000, starts=4)
    (27, 11)
    """
    return int(np.ceil((np.log(1.648 * np.sqrt(size)) - np.log(RISK) / starts) / (2 * np.sqrt(part)) + 0.5))


def _margins(steps: IntArray, size: int) -> FloatArray:
    """Return the ε of the bound above at which its probability is `RISK`, for each number of steps."""
    return np.asarray((np.log(1.648 * np.sqrt(size) / RISK) / (2 * steps - 1)) ** 2)


def _grow(
    product: Product,
    first: FloatArray,
    known: FloatArray,
    most: int,
    is_enough: Callable[[FloatArray, FloatArray, int], bool],
) -> _Ritz:
    """Grow a Krylov space orthogonal to known vectors, in rows, until its Ritz values are enough or steps run out."""
    basis = np.empty((most + 1, first.size))
    basis[0] = _orthogonal(first, known)
    basis[0] /= np.linalg.norm(basis[0])
    projected = np.zeros((most, most))
    for steps in range(1, most + 1):
        image = _orthogonal(product(basis[steps - 1]), known)
        projected[steps - 1, steps - 1] = image @ basis[steps - 1]
        image = _orthogonal(_orthogonal(image, basis[:steps]), basis[:steps])
        length = float(np.linalg.norm(image))
        is_closed = length <= 1e-14 * np.abs(projected).max()
        if is_closed or steps == most or steps % STRIDE == 0:
            values, rotation = eigh(projected[:steps, :steps])
            errors = length * np.abs(rotation[-1])
            if is_closed or is_enough(values, errors, steps):
                break
        if steps < most:
            projected[steps, steps - 1] = projected[steps - 1, steps] = length
            basis[steps] = image / length
    return _Ritz(values, errors, lambda chosen: rotation[:, chosen].T @ basis[: values.size], is_closed)


def _orthogonal(vector: FloatArray, rows: FloatArray) -> FloatArray:
    """Subtract from a vector its part in orthonormal rows."""
    return np.asarray(vector - (rows @ vector) @ rows)
