"""The solver on a working set, and the features that may exceed λ: none is ever ruled out."""

import numpy as np
import pytest
from scipy import sparse
from tests.multivariate.problems import objective, violation

from eigenselect.multivariate.active_set import ActiveSet, NewtonSystem, coordinate_descent, solve, tangent
from eigenselect.multivariate.centred_columns import CentredColumns
from eigenselect.multivariate.screening import ScreeningPool


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


def test_it_ends_where_only_rounding_is_left(rng):
    """A tolerance that no gradient can reach: λ is a thousandth of the correlations, and few steps are taken."""
    X, Y = rng.normal(size=(40, 6)), rng.normal(size=(40, 3))
    penalty = 1e-3 * float(np.linalg.norm(X.T @ Y, axis=1).max())
    found = solve(working_set(X, Y), penalty, np.zeros((6, 3)), 1e-16, 1000)
    assert found.iterations < 50
    assert violation(X, Y, found.W, penalty) < 1e-11 * penalty


def test_no_feature_outside_of_the_pool_exceeds(rng):
    X, R = rng.normal(size=(20, 4000)), rng.normal(size=(20, 5))
    columns = CentredColumns(X, center=False)
    pool = ScreeningPool(columns)
    penalty = columns.correlation_norms(R).max()
    for _ in range(20):
        R = R + 0.03 * rng.normal(size=R.shape)
        pool.correlate(R, penalty)
        outside = np.setdiff1d(np.arange(4000), pool.features)
        assert (columns.correlation_norms(R)[outside] <= penalty).all()
        assert outside.size > 0


def test_crossing_is_where_a_correlation_meets_lambda(rng):
    """||x_iᵀ(R + δṘ)|| = λ + δ at the crossing, and below λ + δ for all features above it."""
    X, R, slope = rng.normal(size=(20, 60)), rng.normal(size=(20, 3)), 0.1 * rng.normal(size=(20, 3))
    pool = ScreeningPool(CentredColumns(X, center=False))
    penalty = 1.2 * pool.columns.correlation_norms(R).max()
    found = pool.crossing(pool.correlate(R, penalty), slope, penalty)
    norms = pool.columns.correlation_norms(R + (found - penalty) * slope)
    assert 0 < found < penalty
    assert norms.max() == pytest.approx(found, rel=1e-9)


def test_columns_are_the_table(rng):
    X = rng.normal(size=(12, 30)) * (rng.random((12, 30)) < 0.5) + 3.0 * (np.arange(30) % 2)
    X[:, 1], X[:, 2] = 0.1, 0.0
    R = rng.normal(size=(12, 2))
    for center in (False, True):
        expected = X - X.mean(axis=0) if center else X
        expected[:, 1] *= not center
        for kind in (np.asarray, sparse.csr_array):
            columns = CentredColumns(kind(X), center=center)
            taken = columns.take(np.array([4, 1])) * columns.scale
            np.testing.assert_allclose(taken, expected[:, [4, 1]].T, atol=1e-10)
            np.testing.assert_allclose(columns.norms * columns.scale, np.linalg.norm(expected, axis=0), rtol=1e-10)
            assert not columns.norms[[1, 2] if center else [2]].any()
            norms = columns.correlation_norms(R) * columns.scale
            np.testing.assert_allclose(norms, np.linalg.norm(expected.T @ R, axis=1), rtol=1e-8, atol=1e-15)


def test_a_residual_orthogonal_but_for_rounding_has_no_correlation(rng):
    X = rng.normal(size=(30, 5)) + 50
    columns = CentredColumns(X, center=True)
    R = np.full((30, 1), 0.1)  # constant: orthogonal to every centred column
    norms = columns.correlation_norms(R)
    assert norms.max() > 0
    assert columns.largest_correlation(norms, R) == 0
    R[0] += 1e-3
    assert columns.largest_correlation(columns.correlation_norms(R), R) > 0
