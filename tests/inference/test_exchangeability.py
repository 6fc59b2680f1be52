"""When samples differ in size or spread in most features, and when they do not."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import Normalizer

from eigenselect.exceptions import ExchangeabilityWarning
from eigenselect.inference.exchangeability import PROFILES, inequality, warn_if_not_exchangeable
from eigenselect.matrix import as_matrix
from noise import FAMILIES, features

SIZE, SPREAD = PROFILES


def planted(rng, n=200, m=400, informative=60):
    """Counts of which some features follow three classes."""
    mu = np.ones((3, m))
    mu[:, :informative] = rng.lognormal(sigma=0.9, size=(3, informative))
    X = np.log1p(rng.negative_binomial(1, 1 / (1 + mu[rng.integers(0, 3, n)])))
    return X / X.std(axis=0)


def counts(rng, n=200, m=600, sigma=0.5):
    """Counts of samples of unequal depth, and their totals."""
    X = rng.poisson(rng.lognormal(sigma=sigma, size=n)[:, None] * rng.lognormal(size=m)).astype(float)
    X = X[:, X.sum(axis=0) > 5]
    return X, X.sum(axis=1)


def residuals(X, covariate):
    basis = np.linalg.qr(np.column_stack([np.ones(len(X)), covariate]))[0]
    return X - basis @ (basis.T @ X)


def speaks(X):
    return any(inequality(as_matrix(X), each.measure).exceeds(each.tolerated) for each in PROFILES)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda each: each.name)
def test_mean_and_variance_are_those_of_all_permutations(profile, rng):
    """Three features of four samples, each permuted on its own: (4!)² tables, for one of them may stay."""
    X = rng.lognormal(size=(4, 3))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    U = profile.measure(Z)
    orders = [list(order) for order in itertools.permutations(range(4))]
    T = np.array([((U[:, 0] + U[a, 1] + U[b, 2]) ** 2).sum() for a in orders for b in orders])
    observed = (U.sum(axis=1) ** 2).sum()
    expected = (observed - T.mean()) / T.std()
    assert inequality(as_matrix(X), profile.measure).deviations == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda each: each.name)
def test_the_median_feature_is_asked(profile, rng):
    X = planted(rng, 30, 7, 3)
    U = profile.measure((X - X.mean(axis=0)) / X.std(axis=0))
    covariances = [U[:, j] @ np.delete(U, j, axis=1).mean(axis=1) / 30 for j in range(7)]
    found = inequality(as_matrix(X), profile.measure)
    assert found.common == pytest.approx(np.sqrt(max(0, np.median(covariances))), abs=1e-12)
    if np.mean(covariances) > 0:
        assert found.share == pytest.approx(np.median(covariances) / np.mean(covariances))


def test_noise_is_exchangeable(rng):
    """Far from the limit of 20 standard deviations, so that no other seed comes near it."""
    for family in FAMILIES:
        for shape in ((100, 50), (100, 600), (300, 200)):
            table = as_matrix(features(family, *shape, rng))
            assert max(inequality(table, each.measure).deviations for each in PROFILES) < 10, family
    warn_if_not_exchangeable(table, "SPEC")  # warnings are errors


def test_informative_features_are_no_unequal_samples(rng):
    assert not any(speaks(planted(rng, informative=informative)) for informative in (40, 80, 120))
    assert not speaks(load_digits().data)
    assert not speaks(load_wine().data)


def test_unequal_spread_is_told_until_samples_have_unit_length(rng):
    X = rng.normal(size=(150, 200)) * rng.lognormal(sigma=0.5, size=150)[:, None]
    assert inequality(as_matrix(X), SPREAD.measure).exceeds(SPREAD.tolerated)
    assert not inequality(as_matrix(X), SIZE.measure).exceeds(SIZE.tolerated)
    assert not speaks(Normalizer().fit_transform(X))


def test_unequal_depth_is_told_until_it_is_projected_out(rng):
    X, totals = counts(rng)
    assert inequality(as_matrix(np.log1p(X)), SIZE.measure).exceeds(SIZE.tolerated)
    normalised = np.log1p(X / totals[:, None] * np.median(totals))
    assert inequality(as_matrix(normalised), SIZE.measure).exceeds(SIZE.tolerated)
    assert not speaks(residuals(normalised, np.log(totals)))


def test_the_warning_names_samples_and_remedies(rng):
    X = np.log1p(counts(rng)[0])
    X[7] += 3 * X.std(axis=0)
    table = as_matrix(X, sample_names=[f"cell {place}" for place in range(len(X))])
    with pytest.warns(ExchangeabilityWarning, match=r"SPEC: .*size .*'cell 7'.*depth") as said:
        warn_if_not_exchangeable(table, "SPEC")
    assert len(said) == 1


@pytest.mark.parametrize("profile", PROFILES, ids=lambda each: each.name)
def test_storage_unit_and_constant_features_do_not_matter(profile, rng):
    X = rng.poisson(0.5, size=(40, 30)).astype(float)
    expected = inequality(as_matrix(X), profile.measure)
    wide = np.hstack([X, np.full((40, 2), 0.1), np.zeros((40, 1))])
    for other in (sparse.csr_array(X), wide, X * 1e90, X * rng.lognormal(size=30) * 1e-90):
        found = inequality(as_matrix(other), profile.measure)
        assert found.deviations == pytest.approx(expected.deviations)
        assert found.common == pytest.approx(expected.common, abs=1e-9)
        np.testing.assert_allclose(found.profile, expected.profile, atol=1e-12)


def test_tables_with_nothing_to_compare():
    for X in (np.ones((5, 3)), np.arange(5.0)[:, None], np.zeros((3, 2))):
        assert not speaks(X)
