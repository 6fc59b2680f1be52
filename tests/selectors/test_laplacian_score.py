"""The Laplacian score is φ2 with the identity, and the formula of the literature."""

import numpy as np

import naive
from eigenselect import SPEC, LaplacianScore
from eigenselect.similarity import KNN


def test_it_is_phi2_with_the_identity(X):
    laplacian, spec = LaplacianScore().fit(X), SPEC(ranking="phi2").fit(X)
    np.testing.assert_array_equal(laplacian.native_scores_, spec.native_scores_)
    np.testing.assert_array_equal(laplacian.ranking_, spec.ranking_)


def test_it_is_the_formula_of_the_literature(X):
    selector = LaplacianScore(similarity=KNN(7, bandwidth=2.0)).fit(X)
    S = selector.graph_.to_array()
    expected = [naive.laplacian_score(S, f) for f in X.T]
    np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-10)


def test_a_huge_mean_changes_no_phi2(X):
    S = KNN().build(X).affinity
    expected = LaplacianScore().fit(X, similarity_matrix=S).native_scores_
    found = LaplacianScore().fit(X + 1e6, similarity_matrix=S).native_scores_
    np.testing.assert_allclose(found, expected, rtol=1e-6)
