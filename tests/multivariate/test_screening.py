"""No feature that may exceed λ is ever ruled out, and copies of one that entered never compete."""

import numpy as np
import pytest

from eigenselect.multivariate.centred_columns import CentredColumns
from eigenselect.multivariate.screening import ScreeningPool, spectral_norm_bound


def test_more_features_than_the_pool_holds_may_exceed(rng, monkeypatch):
    monkeypatch.setattr("eigenselect.multivariate.screening.POOL_LEAST", 5)
    columns, R = CentredColumns(rng.normal(size=(20, 60)), center=False), rng.normal(size=(20, 3))
    lengths, pool = columns.correlation_norms(R), ScreeningPool(columns)
    penalty = np.sort(lengths)[30]
    pool.correlate(R, penalty)
    assert set(np.flatnonzero(lengths > penalty)) <= set(pool.features)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_features_outside_of_the_pool_come_in_at_their_own_penalty(rng, share, monkeypatch):
    """A residual that only shrinks leaves no slack in the bound: who is above λ comes in, who is below does not."""
    monkeypatch.setattr("eigenselect.multivariate.screening.POOL_LEAST", 5)
    columns, R = CentredColumns(rng.normal(size=(20, 60)), center=False), rng.normal(size=(20, 3))
    lengths, pool = columns.correlation_norms(R), ScreeningPool(columns)
    pool.correlate(R, lengths.max())
    inside = set(pool.features)
    outside = np.array(sorted(set(range(60)) - inside, key=lambda i: -lengths[i]))
    penalty = share * lengths[outside[:2]].mean()
    pool.correlate(share * R, penalty)
    assert set(pool.features) - inside == {outside[0]}


def test_bound_is_above_and_near_the_spectral_norm(rng):
    for shape in ((5, 3), (80, 60)):
        A = rng.normal(size=shape)
        assert np.linalg.norm(A, 2) <= spectral_norm_bound(A) <= 1.35 * np.linalg.norm(A, 2)
    assert spectral_norm_bound(np.zeros((3, 2))) == 0.0


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


@pytest.mark.parametrize(("copy_tolerance", "copies"), [(0.0, [4]), (0.01, [4, 5])])
def test_copies_of_a_feature_that_enters_are_excluded(rng, copy_tolerance, copies):
    X = rng.normal(size=(20, 6))
    X[:, 4], X[:, 5] = -X[:, 1], X[:, 1] + 0.001 * rng.normal(size=20)
    pool, R = ScreeningPool(CentredColumns(X, center=False), copy_tolerance), X[:, [1]]
    correlations = pool.correlate(R, 1.0)
    entered = pool.enter(correlations, 0.99 * correlations.highest if copy_tolerance else correlations.norms[1])
    assert entered[0] == 1
    assert set(copies) <= set(np.flatnonzero(pool.copies))
    assert (5 in np.flatnonzero(pool.copies)) == (copy_tolerance > 0)


def test_features_that_do_not_compete_have_norm_zero(rng):
    X = rng.normal(size=(20, 6))
    X[:, 2] = 0.0
    pool = ScreeningPool(CentredColumns(X, center=False))
    pool.excluded[4] = True
    correlations = pool.correlate(rng.normal(size=(20, 2)), 1.0)
    assert not {2, 4} & set(pool.features[correlations.norms > 0])
