"""Variance: the baseline without a graph."""

import numpy as np
import pytest
from sklearn.feature_selection import VarianceThreshold

import eigenselect as es


def test_it_is_the_variance_of_the_population(rng, as_kind, kernels):
    X = rng.poisson(0.7, size=(50, 8)) * rng.uniform(0.1, 9, size=8)
    X[:, 2] = 0.0
    selector = es.Variance(3).fit(as_kind(X))
    np.testing.assert_allclose(selector.native_scores_, VarianceThreshold().fit(X).variances_, rtol=1e-12)
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(np.argsort(-X.var(axis=0))[:3]))


def test_a_large_mean_costs_no_digits(rng, as_kind):
    X = rng.normal(size=(40, 3)) + 2.0**30
    np.testing.assert_allclose(es.variance_score(as_kind(X)), (X - 2.0**30).var(axis=0), rtol=1e-12)


def test_a_constant_feature_has_a_variance_and_is_last(as_kind):
    """No warning, and exactly 0, also where the mean of equal values rounds."""
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0), np.zeros(7)])
    selector = es.Variance(1).fit(as_kind(X))
    np.testing.assert_array_equal(selector.scores_, [0.0, 4.0, 0.0])
    np.testing.assert_array_equal(selector.ranking_, [2, 1, 3])
    assert selector.n_ordered_ == 3


def test_a_graph_is_refused():
    with pytest.raises(ValueError, match="of samples; use MoranI"):
        es.Variance(1).fit(np.eye(3), similarity_matrix=np.ones((3, 3)))
