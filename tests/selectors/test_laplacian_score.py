"""The Laplacian score is φ2 with the identity, and the formula of the literature."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from eigenselect import SPEC, LaplacianScore, laplacian_score
from eigenselect.similarity import KNN


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
@parametrize_with_checks(
    [
        LaplacianScore(),
        LaplacianScore(similarity="geodesic"),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_it_is_phi2_with_the_identity(X):
    laplacian, spec = LaplacianScore().fit(X), SPEC(ranking="phi2").fit(X)
    np.testing.assert_array_equal(laplacian.native_scores_, spec.native_scores_)
    np.testing.assert_array_equal(laplacian.ranking_, spec.ranking_)


def test_it_is_the_formula_of_the_literature(X):
    selector = LaplacianScore(similarity=KNN(7, bandwidth=2.0)).fit(X)
    S = selector.graph_.to_array()
    expected = [naive.laplacian_score(S, f) for f in X.T]
    np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-10)


def test_small_native_scores_are_good(X):
    selector = LaplacianScore(2).fit(X)
    assert selector.ranking_[np.argmin(selector.native_scores_)] == 1
    assert selector.ranking_[np.argmax(selector.scores_)] == 1
    assert set(selector.get_support(indices=True)) == {0, 7}


def test_a_huge_mean_changes_no_phi2(X):
    S = KNN().build(X).affinity
    expected = LaplacianScore().fit(X, similarity_matrix=S).native_scores_
    found = LaplacianScore().fit(X + 1e6, similarity_matrix=S).native_scores_
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_scores_are_the_estimators(X):
    np.testing.assert_array_equal(laplacian_score(X), LaplacianScore().fit(X).scores_)


def test_select_k_best_takes_the_function(X):
    chosen = SelectKBest(laplacian_score, k=2).fit(X, np.zeros(60)).get_support(indices=True)
    assert set(chosen) == {0, 7}
