"""The Fisher score against its formula, and as φ2 of the class similarity."""

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect import SPEC, FisherScore, fisher_score
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.similarity import ClassLabels


def test_the_formula(labelled, kernels):
    X, y = labelled
    expected = [naive.fisher_score(f, y) for f in X.T]
    selector = FisherScore().fit(X, y)
    np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-8)
    np.testing.assert_allclose(fisher_score(X, y), expected, rtol=1e-8)


def test_it_is_one_over_phi2_minus_one(labelled):
    X, y = labelled
    phi2 = SPEC(similarity=ClassLabels()).fit(X, y).native_scores_
    np.testing.assert_allclose(FisherScore().fit(X, y).native_scores_, 1 / phi2 - 1, rtol=1e-8)


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
def test_sparse_columns(counts, store, kernels):
    X, y = counts
    found = FisherScore().fit(store(X), y).native_scores_
    np.testing.assert_allclose(found, FisherScore().fit(X, y).native_scores_, rtol=1e-10)


def test_a_perfect_feature_is_first_and_a_constant_one_last(labelled, as_kind, kernels):
    X, y = labelled
    X[:, 3] = 0.1 * np.unique(y, return_inverse=True)[1]
    X[:, 5] = 0.3
    with pytest.warns(UndefinedScoreWarning, match="1 of 7"):
        selector = FisherScore(1).fit(as_kind(X), y)
    assert selector.ranking_[3] == 1
    assert selector.ranking_[5] == 7
    assert selector.scores_[3] == pytest.approx(1.0)


def test_labels_beside_a_given_graph_are_counted(labelled):
    X, y = labelled
    similarity = np.ones((y.size, y.size))
    FisherScore().fit(X, y, similarity_matrix=similarity)
    FisherScore().fit(X, similarity_matrix=similarity)
    for wrong in (y[:5], np.append(y, 0)):
        with pytest.raises(ValueError, match=f"^FisherScore: y .* got {wrong.size}"):
            FisherScore().fit(X, wrong, similarity_matrix=similarity)


def test_the_explanation_shows_no_sums_of_another_score(labelled):
    X, y = labelled
    why = FisherScore().fit(X, y).explain(X, 0)
    assert why.scales is None
    assert [line.split()[0] for line in str(why).splitlines()[1:]] == ["classes"]


def test_a_large_mean_does_not_matter(labelled):
    X, y = labelled
    np.testing.assert_allclose(FisherScore().fit(X + 1e6, y).native_scores_, fisher_score(X, y), rtol=1e-6)
