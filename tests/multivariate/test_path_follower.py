"""The follower finds every knot: each test is the case that one of its guards is there for."""

from typing import ClassVar

import numpy as np
import pytest
from tests.multivariate.problems import almost_planar, problem, worst_violation

from eigenselect.multivariate import l21_path
from eigenselect.multivariate.centred_columns import CentredColumns
from eigenselect.multivariate.path_follower import PathFollower


class Spy(PathFollower):
    """A follower that keeps the knots it found, and itself."""

    made: ClassVar[list] = []

    def __init__(self, *args):
        super().__init__(*args)
        self.knots = []
        Spy.made.append(self)

    def next(self, knot, lowest):
        self.knots.append(super().next(knot, lowest))
        return self.knots[-1]


@pytest.fixture
def followers(monkeypatch):
    monkeypatch.setattr("eigenselect.multivariate.path.PathFollower", Spy)
    monkeypatch.setattr(Spy, "made", [])
    return Spy.made


def test_a_step_that_went_too_far_comes_back_along_the_tangent(followers):
    """Features far apart in length: halving the interval instead takes twice as many solutions."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, Y = rng.normal(size=(25, 60)) * 10 ** rng.uniform(-1, 1, size=60), rng.normal(size=(25, 4))
        l21_path(X, Y, 10)
    solves, knots = (sum(counts) for counts in zip(*((w.solves, len(w.knots)) for w in followers), strict=True))
    assert solves <= 2.6 * knots


@pytest.mark.parametrize("seed", [10, 42])
@pytest.mark.filterwarnings("ignore:l21_path. only:sklearn.exceptions.ConvergenceWarning")
def test_what_an_inexact_solution_showed_is_forgotten(followers, seed, monkeypatch):
    """Else the path ends between two equal λ's, at a knot that no feature enters at."""
    monkeypatch.setattr("eigenselect.multivariate.screening.POOL_LEAST", 8)
    X, Y, wanted = almost_planar(seed)
    path = l21_path(X, Y, wanted)
    assert worst_violation(X, Y, path) < 1e-6
    assert all(knot.entering.size for knot in followers[0].knots[:-1])


@pytest.mark.parametrize("center", [False, True])
def test_copies_that_differ_by_rounding_never_enter_the_exact_path(center):
    X, Y = problem(23)
    copies = np.hstack([X, X / 3 * 3, -(X * 0.1) * 10])
    assert (copies[:, :80] != copies[:, 80:160]).any()
    path = l21_path(copies, Y, 12, center=center, copy_tolerance=0.0)
    np.testing.assert_array_equal(path.order, l21_path(X, Y, 12, center=center).order)


def test_a_guess_far_off_is_given_up_for_the_last_solution(monkeypatch):
    """Sweeps from there would not come back within max_iter."""
    monkeypatch.setattr("eigenselect.multivariate.screening.POOL_LEAST", 3)
    X, Y, wanted = almost_planar(122)
    path = l21_path(X, Y, wanted)
    assert path.complete
    assert worst_violation(X, Y, path) < 1e-6


def test_the_first_knot_is_lambda_max():
    X, Y = problem(1)
    follower = PathFollower(CentredColumns(X, center=False), Y, 1e-6, 200, 0.0)
    knot = follower.first()
    assert knot.penalty * follower.columns.scale == pytest.approx(np.linalg.norm(X.T @ Y, axis=1).max(), rel=1e-12)
    assert knot.active.features.size == 0
    assert knot.entering.tolist() == [np.linalg.norm(X.T @ Y, axis=1).argmax()]


def test_a_resumed_follower_finds_the_same_next_knot():
    X, Y = problem(2)
    columns = CentredColumns(X, center=False)
    first = PathFollower(columns, Y, 1e-6, 200, 0.0)
    knot = first.next(first.first(), 0.0)
    again = PathFollower(columns, Y, 1e-6, 200, 0.0)
    again.resume(knot, first.first_penalty, np.flatnonzero(first.pool.copies))
    one, other = first.next(knot, 0.0), again.next(knot, 0.0)
    assert other.penalty == pytest.approx(one.penalty, rel=1e-9)
    np.testing.assert_array_equal(other.entering, one.entering)


def test_who_leaves_competes_again():
    """Also if the pool was filled anew while the feature was active, and does not know it."""
    X, Y = problem(22)
    follower = PathFollower(CentredColumns(X, center=False, n_jobs=1), Y, 1e-6, 200, 1e-5)
    knot, pool, five = follower.first(), follower.pool, np.array([5])
    pool.excluded[5] = True
    pool.fill(Y, knot.penalty, follower.columns.correlation_norms(Y))
    assert 5 not in pool.features
    pool.leave(five, follower.columns.take(five))
    assert not pool.excluded[5]
    assert 5 in pool.features
