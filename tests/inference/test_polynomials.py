"""Products and values of homogeneous polynomials."""

import numpy as np
import pytest

from eigenselect.inference.polynomials import cube_differences, dot, evaluate, matmul, row_dot, times

ALPHA, BETA = np.array([1.0, 0.3, -2.0, 0.0]), np.array([0.0, 1.7, 0.5, 1.0])


def at(p, k):
    """The value of a polynomial of arrays at one point."""
    degree = len(p) - 1
    return sum(c * ALPHA[k] ** (degree - j) * BETA[k] ** j for j, c in enumerate(p))


@pytest.fixture(params=[1, 2], ids=["one form", "two forms"])
def pair(request, rng):
    q = request.param
    return rng.normal(size=(q, 5, 4)), rng.normal(size=(2 * q - 1, 5, 4))


def test_products_at_every_point(pair):
    first, second = pair
    for k in range(ALPHA.size):
        a, b = at(first, k), at(second, k)
        np.testing.assert_allclose(at(times(first, second), k), a * b)
        np.testing.assert_allclose(at(dot(first, second), k), np.sum(a * b))
        np.testing.assert_allclose(at(row_dot(first, second), k), np.sum(a * b, axis=1))
        np.testing.assert_allclose(at(matmul(first, np.swapaxes(second, 1, 2)), k), a @ b.T)


def test_one_number_for_all_entries(rng):
    first, second = rng.normal(size=(2, 5)), rng.normal(size=(2, 1))
    np.testing.assert_array_equal(times(first, second), times(first, np.repeat(second, 5, axis=1)))


def test_values(rng):
    p = rng.normal(size=4)
    np.testing.assert_allclose(evaluate(p, ALPHA, BETA), [at(p, k) for k in range(4)])


def test_cubes(rng):
    W, R = rng.normal(size=(2, 2, 6))
    for k in range(ALPHA.size):
        w, r = at(W, k), at(R, k)
        np.testing.assert_allclose(at(cube_differences(W, R), k), np.sum((w + r) ** 3 - r**3), atol=1e-12)
