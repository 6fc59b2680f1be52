r"""Homogeneous polynomials :math:`\sum_k c_k \alpha^{d-k} \beta^k`, by their coefficients along the first axis.

A scalar of :math:`T = \alpha A + \beta B` that is multilinear of degree d in T is such a polynomial: its coefficients
are computed once, it is evaluated per feature. One coefficient alone stands for a T without B. The other axes hold
vectors or matrices of polynomials.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import FloatArray

#: of one polynomial: an array, or matrices that are not stacked
Coefficients = FloatArray | list[FloatArray]


def times(first: FloatArray, second: FloatArray) -> FloatArray:
    """Multiply polynomials, elementwise along the other axes.

    >>> times(np.array([1.0, 2.0]), np.array([3.0, 5.0]))
    array([ 3., 11., 10.])
    """
    total = np.zeros((len(first) + len(second) - 1, *np.broadcast_shapes(first.shape[1:], second.shape[1:])))
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            total[i + j] += a * b
    return total


def dot(first: FloatArray, second: FloatArray) -> FloatArray:
    """Multiply polynomials of vectors or matrices and sum over all of their entries."""
    total = np.zeros(len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            total[i + j] += np.vdot(a, b)  # no products are held: there may be millions of samples
    return total


def row_dot(first: Coefficients, second: Coefficients) -> FloatArray:
    """Multiply polynomials of matrices and sum over their columns: one polynomial per row."""
    return _convolved(first, second, "ik,ik->i")


def matmul(first: FloatArray, second: FloatArray) -> FloatArray:
    """Multiply polynomials of matrices."""
    return _convolved(first, second, "ij,jk->ik")


def cube_differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Sum (W + R)³ - R³ = W (W² + 3WR + 3R²) over all entries, without the difference.

    >>> cube_differences(np.array([[1.0]]), np.array([[2.0]]))
    array([19.])
    """
    return dot(times(first, first) + 3.0 * times(first, second) + 3.0 * times(second, second), first)


def evaluate(coefficients: FloatArray, alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """Compute the values at some points (α, β).

    >>> evaluate(np.array([1.0, 2.0, 3.0]), np.array([1.0]), np.array([10.0]))
    array([321.])
    """
    total, power = np.zeros(np.shape(alpha)), np.ones(np.shape(alpha))
    for coefficient in coefficients:  # Horner's rule in α, of which each coefficient has a power of β; numpy's own
        total = total * alpha + coefficient * power  # powers took longer than all else that is done per feature
        power = power * beta
    return total


def by_degree(images: FloatArray) -> FloatArray:
    """Collect B_x v_y of all x and y as the polynomial of B v, of shape (2q - 1, n)."""
    q = len(images)
    total = np.zeros((2 * q - 1, images.shape[1]))
    for x in range(q):
        for y in range(q):
            total[x + y] += images[x, :, y]
    return total


def _convolved(first: Coefficients, second: Coefficients, product: str) -> FloatArray:
    total: list[Any] = [None] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            added = np.einsum(product, a, b, optimize=False)
            total[i + j] = added if total[i + j] is None else total[i + j] + added
    return np.stack(total)
