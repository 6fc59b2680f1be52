import numpy as np
import pytest

from eigenselect.criteria.normalization import DEFLATED, UNIT, FeatureTerms


def test_three_numbers_are_enough(rng):
    """Scores from (q, spread, trivial) equal f̂ᵀMf̂ with f̂ formed, for a matrix M with ξ_1 as eigenvector."""
    d = rng.uniform(0.5, 2, size=12)
    xi = np.sqrt(d) / np.linalg.norm(np.sqrt(d))
    B = rng.normal(size=(12, 12))
    B = (np.eye(12) - np.outer(xi, xi)) @ (B + B.T) @ (np.eye(12) - np.outer(xi, xi))
    M = B + 0.7 * np.outer(xi, xi)
    F = rng.normal(size=(12, 4)) + 2
    mean = d @ F / d.sum()
    G = np.sqrt(d)[:, None] * (F - mean)
    terms = FeatureTerms(np.diag(G.T @ M @ G), (G**2).sum(axis=0), mean, d.sum())
    for rule in (UNIT, DEFLATED):
        F_hat = rule.apply(F, d)
        np.testing.assert_allclose(rule.score(terms, 0.7), np.diag(F_hat.T @ M @ F_hat), rtol=1e-12)


@pytest.mark.parametrize("rule", [UNIT, DEFLATED])
def test_no_spread_no_score(rule):
    terms = FeatureTerms(np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]), 3.0)
    np.testing.assert_array_equal(np.isnan(rule.score(terms, 0.0)), [True, False])


def test_deflated_features_are_orthogonal_to_the_trivial_vector(rng):
    d = rng.uniform(0.5, 2, size=12)
    F_hat = DEFLATED.apply(rng.normal(size=(12, 3)) + 1e8, d)
    np.testing.assert_allclose(np.sqrt(d) @ F_hat, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(F_hat, axis=0), 1)
