"""How similarities change with the weight of one feature, against central differences."""

import numpy as np
import pytest

from eigenselect.similarity.derivative import Products, SquaredDifferences

STEP = 1e-5


def rbf(X, sigma):
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * sigma**2))


def central_difference(similarity, X, feature):
    up, down = X.copy(), X.copy()
    up[:, feature] *= 1 + STEP
    down[:, feature] *= 1 - STEP
    return (similarity(up) - similarity(down)) / (2 * STEP)


@pytest.mark.parametrize("sigma", [0.7, 3.0])
def test_rbf_weights(rng, as_kind, sigma):
    """Neighbours stay neighbours: entries that are not there do not move."""
    X = rng.normal(size=(9, 3))
    mask = rng.random((9, 9)) < 0.5
    mask = mask | mask.T
    for feature in range(3):
        found = SquaredDifferences(sigma).matrix(as_kind(rbf(X, sigma) * mask), X[:, feature])
        expected = central_difference(lambda Z: rbf(Z, sigma) * mask, X, feature)
        np.testing.assert_allclose(found.toarray() if hasattr(found, "toarray") else found, expected, atol=1e-8)


def test_inner_products(rng):
    X = rng.normal(size=(7, 3))
    for feature in range(3):
        expected = central_difference(lambda Z: Z @ Z.T, X, feature)
        np.testing.assert_allclose(Products().matrix(X @ X.T, X[:, feature]), expected, atol=1e-8)


def test_features_of_any_size_are_divided_before_they_are_squared(rng):
    """1e200² would overflow; differences are about as large as the bandwidth."""
    x, S = rng.normal(size=5), np.full((5, 5), 0.5)
    found = SquaredDifferences(1e200).matrix(S, 1e200 * x)
    np.testing.assert_allclose(found, SquaredDifferences(1.0).matrix(S, x), rtol=1e-12)
