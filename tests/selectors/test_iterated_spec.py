"""SPEC on the graph of its own selection: a fixed point, or a warning that says why there is none."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import eigenselect as es
from eigenselect.exceptions import EqualEigenvaluesWarning, GraphWarning
from eigenselect.selection import Threshold
from eigenselect.selectors import iterated_spec
from eigenselect.similarity import KNN


@pytest.fixture
def X(rng):
    """Two clusters in 10 of 500 features."""
    X = rng.normal(size=(60, 500))
    X[:30, :10] += 1.4
    return X


@pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
def test_the_graph_of_the_selected_features_selects_them(X, ranking, as_kind):
    selector = es.IteratedSPEC(5, ranking=ranking).fit(as_kind(X))
    assert selector.converged_
    chosen = selector.get_support(indices=True)
    np.testing.assert_array_equal(chosen, selector.history_[-1])
    np.testing.assert_array_equal(selector.history_[-1], selector.history_[-2])
    S = es.SPEC(5).fit(X[:, chosen]).graph_.to_array()
    once = es.SPEC(5, ranking=ranking).fit(X, similarity_matrix=S)
    np.testing.assert_allclose(selector.native_scores_, once.native_scores_, rtol=1e-9)
    np.testing.assert_array_equal(once.get_support(indices=True), chosen)


def test_it_finds_what_one_round_misses(X):
    """Where more features are selected than matter: among few, noise that was selected once stays."""
    once, selector = es.SPEC(40).fit(X), es.IteratedSPEC(40).fit(X)
    np.testing.assert_array_equal(selector.history_[0], once.get_support(indices=True))
    assert (once.ranking_[:10] <= 10).sum() <= 6
    assert (selector.ranking_[:10] <= 10).sum() >= 9
    assert selector.n_iter_ == len(selector.history_) - 1 >= 2


def test_all_features_are_a_fixed_point(X):
    selector = es.IteratedSPEC(1.0).fit(X[:, :20])
    assert (selector.converged_, selector.n_iter_) == (True, 1)
    np.testing.assert_array_equal(selector.native_scores_, es.SPEC(3).fit(X[:, :20]).native_scores_)


def test_a_given_graph_is_the_first_one(X, make_similarity):
    S = make_similarity(60)
    selector = es.IteratedSPEC(5).fit(X, similarity_matrix=S)
    once = es.SPEC(5).fit(X, similarity_matrix=S)
    np.testing.assert_array_equal(selector.history_[0], once.get_support(indices=True))


def test_too_few_rounds_are_told(X):
    with pytest.warns(ConvergenceWarning, match="40 .* raise max_iter"):
        selector = es.IteratedSPEC(40, max_iter=1).fit(X)
    assert (selector.converged_, selector.n_iter_) == (False, 1)


def test_circles_end(X, monkeypatch):
    """Selections that alternate are seen at once, however many rounds there might be."""
    rounds = iter([np.array([0, 1]), np.array([2, 3]), np.array([4, 5]), np.array([2, 3])])
    monkeypatch.setattr(iterated_spec.IteratedSPEC, "_selected", lambda self, table, graph: next(rounds))
    with pytest.warns(ConvergenceWarning, match="within 3 rounds: the"):
        selector = es.IteratedSPEC(2, max_iter=1000).fit(X)
    assert (selector.converged_, selector.n_iter_) == (False, 3)


def test_nothing_selected_is_an_end(X):
    with pytest.warns(ConvergenceWarning, match="nothing is selected any"):
        selector = es.IteratedSPEC(Threshold(2.0)).fit(X)
    assert (selector.n_features_, selector.n_iter_) == (0, 0)


def test_no_p_values(X):
    with pytest.raises(ValueError, match="the graph is made"):
        es.IteratedSPEC("fdr").fit(X)


def test_rounds_are_quiet(X):
    """All graphs fall apart into six parts, and every round cuts equal eigenvalues: both are said once, of the last."""
    X = X[:, :20] + 50 * np.repeat(np.arange(6.0), 10)[:, None]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        es.IteratedSPEC(5, similarity=KNN(5), ranking="phi3", n_clusters=3).fit(X)
    kinds = [warning.category for warning in caught]
    assert kinds.count(GraphWarning) == 1
    assert kinds.count(EqualEigenvaluesWarning) == 1


@pytest.mark.parametrize("bad", [0, 1.5, True])
def test_bad_rounds(X, bad):
    with pytest.raises(ValueError, match="IteratedSPEC: max_iter must be"):
        es.IteratedSPEC(5, max_iter=bad).fit(X)
