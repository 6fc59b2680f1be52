"""The solver on a working set: Newton's system is the Hessian, and its solution satisfies the KKT conditions."""

import numpy as np
import pytest
from tests.multivariate.problems import objective, violation

from eigenselect.multivariate.active_set import (
    ActiveSet,
    NewtonSystem,
    coordinate_descent,
    solve,
    stop_at_zero,
    tangent,
)


def working_set(X, Y):
    return ActiveSet.empty(*Y.shape).with_features(np.arange(X.shape[1]), X.T.copy(), Y)


def test_newton_system_is_the_hessian(rng):
    """Against the Hessian by central differences of the gradient."""
    X, Y, penalty = rng.normal(size=(9, 4)), rng.normal(size=(9, 3)), 0.7
    W = rng.normal(size=(4, 3))

    def gradient(flat):
        V = flat.reshape(4, 3)
        return (X.T @ (X @ V - Y) + penalty * V / np.linalg.norm(V, axis=1)[:, None]).ravel()

    H = np.array([(gradient(W.ravel() + e) - gradient(W.ravel() - e)) / 2e-6 for e in 1e-6 * np.eye(12)]).T
    E = rng.normal(size=(4, 3))
    expected = np.linalg.solve(H, E.ravel()).reshape(4, 3)
    np.testing.assert_allclose(NewtonSystem(X.T @ X, W, penalty).solve(E), expected, rtol=1e-6)


def test_solver_agrees_with_coordinate_descent_alone(rng):
    X, Y = rng.normal(size=(15, 8)), rng.normal(size=(15, 3))
    active = working_set(X, Y)
    W = active.W
    for _ in range(3000):
        W = coordinate_descent(active, W, 5.0)
    found = solve(active, 5.0, active.W, 1e-10, 100)
    assert found.iterations < 30
    np.testing.assert_allclose(found.W, W, atol=1e-8)
    assert not W.any(axis=1).all()


def test_solution_satisfies_the_optimality_conditions(rng):
    X, Y = rng.normal(size=(15, 8)), rng.normal(size=(15, 3))
    found = solve(working_set(X, Y), 2.0, np.zeros((8, 3)), 1e-10, 100)
    assert violation(X, Y, found.W, 2.0) < 1e-8
    assert found.violation < 1e-8


def test_tangent_is_the_derivative_of_the_solution(rng):
    X, Y = rng.normal(size=(15, 4)), rng.normal(size=(15, 3))
    active, step = working_set(X, Y), 1e-4
    above, at, below = (solve(active, 1.0 + d, active.W, 1e-13, 100).W for d in (step, 0.0, -step))
    np.testing.assert_allclose(tangent(active, at, 1.0, None), (above - below) / (2 * step), rtol=1e-5, atol=1e-8)


def test_duality_gap_bounds_the_distance_to_the_minimum(rng):
    X, Y = rng.normal(size=(15, 8)), rng.normal(size=(15, 3))
    best = solve(working_set(X, Y), 2.0, np.zeros((8, 3)), 1e-12, 100).W
    for size in (0.0, 0.01, 0.3):
        W = best + size * rng.normal(size=best.shape)
        active = working_set(X, Y).with_solution(W)
        gap = active.duality_gap(Y, Y - X @ W, 2.0, 0.0) * 0.5 * np.sum(Y**2)
        away = objective(X, Y, W, 2.0) - objective(X, Y, best, 2.0)
        # with every feature in the set, the residual is shrunk until none exceeds λ
        if W.any(axis=1).all():
            assert gap >= away - 1e-9
        assert size > 0 or gap == pytest.approx(0.0, abs=1e-8)


def test_rows_of_zeros_leave_and_stop_at_zero(rng):
    X, Y = rng.normal(size=(15, 3)), rng.normal(size=(15, 2))
    kept = working_set(X, Y).with_solution(np.array([[1.0, 2], [0, 0], [3, 4]]))
    assert kept.features.tolist() == [0, 2]
    np.testing.assert_allclose(kept.gram, X[:, [0, 2]].T @ X[:, [0, 2]])
    moved = stop_at_zero(np.array([[1.0, 0], [1, 0]]), np.array([[-0.1, 5], [0.1, 5]]))
    np.testing.assert_array_equal(moved, [[0, 0], [0.1, 5]])


def test_it_ends_where_only_rounding_is_left(rng):
    """A tolerance that no gradient can reach: λ is a thousandth of the correlations, and few steps are taken."""
    X, Y = rng.normal(size=(40, 6)), rng.normal(size=(40, 3))
    penalty = 1e-3 * float(np.linalg.norm(X.T @ Y, axis=1).max())
    found = solve(working_set(X, Y), penalty, np.zeros((6, 3)), 1e-16, 1000)
    assert found.iterations < 50
    assert violation(X, Y, found.W, penalty) < 1e-11 * penalty
