import numpy as np
import pytest

from eigenselect.criteria.normalization import DEFLATED, UNIT, AsItIs, Centred, FeatureTerms, UnitRange
from eigenselect.graph import SampleGraph

RULES = [UNIT, DEFLATED, AsItIs(), AsItIs("unit")]


def terms_of(F, M, mass):
    """The three numbers per feature, and q with the matrix M, both by plain formulas."""
    mean = mass @ F / mass.sum()
    G = np.sqrt(mass)[:, None] * (F - mean)
    return FeatureTerms(np.diag(G.T @ M @ G), (G**2).sum(axis=0), mean, mass.sum())


def with_trivial_vector(rng, xi, at_zero):
    """A symmetric matrix with the eigenvector ξ_1."""
    off = np.eye(xi.size) - np.outer(xi, xi)
    B = rng.normal(size=(xi.size, xi.size))
    return off @ (B + B.T) @ off + at_zero * np.outer(xi, xi)


def test_three_numbers_are_enough_for_unit_length(rng):
    """Scores from (q, spread, trivial) equal f̂ᵀMf̂ with f̂ formed, for a matrix M with ξ_1 as eigenvector."""
    d = rng.uniform(0.5, 2, size=12)
    M = with_trivial_vector(rng, np.sqrt(d) / np.linalg.norm(np.sqrt(d)), 0.7)
    F = rng.normal(size=(12, 4)) + 2
    for rule in (UNIT, DEFLATED):
        F_hat = rule.apply(F, SampleGraph(np.diag(d)))
        np.testing.assert_allclose(rule.value(terms_of(F, M, d), 0.7, ""), np.diag(F_hat.T @ M @ F_hat), rtol=1e-12)
        np.testing.assert_allclose(rule.length(terms_of(F, M, d)), (F_hat**2).sum(axis=0))


@pytest.mark.parametrize("rule", [AsItIs(), AsItIs("unit"), Centred()])
def test_features_as_they_are_need_no_mean(rng, rule):
    """With Mξ_1 = 0 the mean of f does not count, so q of the centred feature is f̂ᵀMf̂."""
    ones = np.ones(12)
    M = with_trivial_vector(rng, ones / np.sqrt(12), 0.0)
    F = rng.normal(size=(12, 4)) * [1, 10, 0.1, 3] + 2
    F_hat = rule.apply(F, SampleGraph(np.eye(12), mass=ones, signed=True))
    np.testing.assert_allclose(rule.value(terms_of(F, M, ones), 0.0, ""), np.diag(F_hat.T @ M @ F_hat), rtol=1e-10)
    squares = ((F_hat - F_hat.mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(rule.length(terms_of(F, M, ones)) * np.ones(4), squares, rtol=1e-12)


def test_unit_range_divides_by_the_range(rng):
    F = rng.normal(size=(12, 3)) * [1, 1e3, 1e-3]
    ranges = np.ptp(F, axis=0)
    rule, graph = UnitRange(ranges / 2), SampleGraph(np.eye(12), mass=np.ones(12), signed=True)
    np.testing.assert_allclose(np.ptp(rule.apply(F, graph), axis=0), 1)
    linear = terms_of(F, np.eye(12), np.ones(12))
    np.testing.assert_allclose(rule.value(linear, 0.0, ""), linear.quadratic / ranges, rtol=1e-12)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_no_spread_no_score(rule):
    terms = FeatureTerms(np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]), 3.0)
    np.testing.assert_array_equal(np.isnan(rule.value(terms, 0.0, "")), [True, False])


def test_deflated_features_are_orthogonal_to_the_trivial_vector(rng):
    d = rng.uniform(0.5, 2, size=12)
    F_hat = DEFLATED.apply(rng.normal(size=(12, 3)) + 1e8, SampleGraph(np.diag(d)))
    np.testing.assert_allclose(np.sqrt(d) @ F_hat, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(F_hat, axis=0), 1)


def test_a_feature_without_a_range_has_no_value():
    """Silently: nothing is divided by its range of 0."""
    terms = FeatureTerms(np.array([0.0, 6.0]), np.array([0.0, 2.0]), np.zeros(2), 4.0)
    np.testing.assert_array_equal(UnitRange(np.array([0.0, 1.5])).value(terms, 0.0, "test"), [np.nan, 2.0])
