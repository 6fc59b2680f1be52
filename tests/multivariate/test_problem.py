"""A problem with fewer rows and outputs has the solutions of the one that was given."""

import numpy as np
import pytest
from tests.multivariate.problems import problem, worst_violation

from eigenselect.multivariate import l21_path
from eigenselect.multivariate.problem import Problem


@pytest.mark.parametrize("center", [False, True])
def test_many_more_samples_than_features_and_outputs_than_either(center, monkeypatch):
    """Solved with R of X = QR: the same path, optimal for the table as it is."""
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(90, 12)) + 3, rng.normal(size=(90, 40))
    X[:, 4] = 2.0 if center else 0.0
    path = l21_path(X, Y, 8, center=center)
    shift = (X.mean(axis=0), Y.mean(axis=0)) if center else (0, 0)
    assert worst_violation(X - shift[0], Y - shift[1], path) < 1e-6
    assert 4 not in path.order
    monkeypatch.setattr("eigenselect.multivariate.problem.TALL", np.inf)
    whole = l21_path(X, Y, 8, center=center)
    np.testing.assert_array_equal(path.order, whole.order)
    np.testing.assert_allclose(path.alphas, whole.alphas, rtol=2e-6)


def test_outputs_of_low_rank_become_principal_ones(rng):
    X = rng.normal(size=(20, 30))
    Y = rng.normal(size=(20, 2)) @ rng.normal(size=(2, 7))
    reduced = Problem.of(X, Y, center=False, n_jobs=1)
    assert reduced.Y.shape == (20, 2)
    scale = 2.0 ** ((reduced.alpha_exponent + reduced.coef_exponent) / 2)
    np.testing.assert_allclose(scale * reduced.Y @ reduced.rotation.T, Y, atol=1e-12)


def test_fingerprints_tell_problems_apart():
    X, Y = problem(3)
    given = Problem.of(X, Y, center=False, n_jobs=1).fingerprint
    assert Problem.of(X.copy(), Y.copy(), center=False, n_jobs=2).fingerprint == given
    others = (X + 1, Y, False), (X, Y, True), (X, 2 * Y, False), (X[:, ::-1], Y, False), (X[:-1], Y[:-1], False)
    for other in others:
        assert Problem.of(other[0], other[1], center=other[2], n_jobs=1).fingerprint != given
