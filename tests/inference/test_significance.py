"""Which graph allows which p-values, and what a fit with them leaves as it was."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectFdr, SelectFpr, SelectFwe
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import eigenselect as es
from eigenselect.exceptions import KneeWarning, UnitsWarning
from eigenselect.inference import Given, Permutation, Split, as_route
from eigenselect.selection import FDR
from eigenselect.similarity import KNN, RBF, FromTable

RNG = np.random.default_rng(0)
N, M, PLANTED = 80, 40, 8
Y = np.arange(N) % 3
X = RNG.normal(size=(N, M))


X[:, :PLANTED] += 1.5 * (Y[:, None] == 1)


OTHER = 3.0 * np.eye(3)[Y] + RNG.normal(size=(N, 3))
S = KNN(8).build(OTHER).affinity


def fits(significance, **options):
    """One fit per row that has p-values, on a graph that did not see the features."""
    yield es.FisherScore(significance=significance, **options).fit(X, Y)
    yield es.HSICScore(significance=significance, **options).fit(X, Y)
    for ranking in ("phi1", "phi2", "phi3"):
        yield es.SPEC(ranking=ranking, similarity="class_labels", significance=significance, **options).fit(X, Y)
    yield es.LaplacianScore(similarity=FromTable(OTHER), significance=significance, **options).fit(X)
    yield es.TraceRatio(level="feature", significance=significance, **options).fit(X, Y)


def test_scores_ranking_graph_and_support_stay_as_they_are():
    for plain, tested in zip(fits(None, n_features_to_select=5), fits(True, n_features_to_select=5), strict=True):
        for name in ("scores_", "native_scores_", "ranking_", "n_features_"):
            np.testing.assert_array_equal(getattr(plain, name), getattr(tested, name))
        np.testing.assert_array_equal(plain.get_support(), tested.get_support())
        np.testing.assert_array_equal(plain.graph_.to_array(), tested.graph_.to_array())
        assert not hasattr(plain, "pvalues_")
        assert not hasattr(plain, "qvalues_")


def test_planted_features_have_the_small_p_values():
    for selector in fits(True):
        p, q = selector.pvalues_, selector.qvalues_
        assert p[:PLANTED].max() < 1e-3 < 0.01 < np.median(p[PLANTED:])
        assert (q >= p).all()
        toward = 1 if np.corrcoef(selector.native_scores_, selector.scores_)[0, 1] > 0 else -1
        z = toward * (selector.native_scores_ - selector.null_mean_) / selector.null_sd_
        assert z[:PLANTED].min() > 3
        assert np.abs(z[PLANTED:].mean()) < 1


def test_a_refit_without_forgets_the_p_values():
    selector = es.FisherScore(significance=True).fit(X, Y)
    selector.set_params(significance=None).fit(X, Y)
    assert not hasattr(selector, "pvalues_")
    with pytest.raises(AttributeError, match="qvalues_.*set significance"):
        selector.qvalues_  # noqa: B018


def test_an_undefined_feature_has_no_p_value_and_is_never_kept():
    table = X.copy()
    table[:, 3] = 7.0
    with pytest.warns(es.exceptions.UndefinedScoreWarning):
        selector = es.FisherScore("fdr").fit(table, Y)
    assert np.isnan(selector.pvalues_[3])
    assert np.isnan(selector.qvalues_[3])
    assert not selector.get_support()[3]
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(selector.pvalues_)), [3])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: es.LaplacianScore(significance=True).fit(X), "'split' or 'shadows'"),
        (lambda: es.SPEC(similarity=lambda table: S.toarray(), significance=True).fit(X), "'split' or 'shadows'"),
        (lambda: es.LaplacianScore(significance="given").fit(X), "similarity_matrix, .*'split'"),
        (lambda: es.FisherScore(significance="given").fit(X, Y), "similarity_matrix, .* True"),
        (lambda: es.LaplacianScore(significance=True).fit(X, similarity_matrix=S), "significance='given'"),
        (lambda: es.FisherScore(significance="split").fit(X, Y), "significance=True.* labels"),
        (
            lambda: es.LaplacianScore(similarity=FromTable(OTHER), significance="shadows").fit(X),
            "significance=True.* table",
        ),
        (lambda: es.LaplacianScore(significance="split").fit(X, similarity_matrix=S), "significance='given'"),
        (lambda: es.TraceRatio(significance=True).fit(X, Y), "level='feature'.*StabilitySelector"),
        (lambda: es.FisherScore(significance="maybe").fit(X, Y), "True, 'given', 'split', 'shadows'"),
        (lambda: es.FisherScore(significance=Permutation).fit(X, Y), "None, True"),
        (lambda: es.FisherScore(significance=Permutation(2.0)).fit(X, Y), "precision"),
        (lambda: es.FisherScore(significance=Permutation(0)).fit(X, Y), "precision"),
        (lambda: es.FisherScore(significance=True).fit(X[:4], Y[:4] % 2), "5 samples"),
    ],
)
def test_what_would_not_be_honest_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_wide_first_component_of_a_split_is_no_finding(rng):
    """Graphs of a split are built from components, of which the first may be far wider than the others."""
    groups = np.outer(np.repeat([-1.0, 1.0], 20), np.ones(30))
    selector = es.LaplacianScore(significance=Split(n_repeats=1), similarity=KNN(25))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(rng.normal(size=(40, 30)) + 20 * groups)
    assert not [one for one in caught if issubclass(one.category, UnitsWarning)]


def test_given_is_the_word_of_the_user():
    given = es.LaplacianScore(significance="given").fit(X, similarity_matrix=S)
    elsewhere = es.LaplacianScore(similarity=FromTable(OTHER, KNN(8)), significance=True).fit(X)
    np.testing.assert_allclose(given.pvalues_, elsewhere.pvalues_, rtol=1e-12)
    kernel = RBF().build(OTHER).affinity
    assert es.HSICScore(target_kernel=kernel, significance="given").fit(X).pvalues_.min() < 1e-3


def test_objects_and_words_are_the_same():
    for word, part in ((True, Permutation()), ("given", Given())):
        assert type(as_route(word, "SPEC")) is type(part)
    assert as_route(None, "SPEC") is as_route(False, "SPEC") is None
    first = es.FisherScore(significance=True).fit(X, Y)
    second = clone(es.FisherScore(significance=Permutation())).fit(X, Y)
    np.testing.assert_array_equal(first.pvalues_, second.pvalues_)
    first.set_params(significance=Permutation()).set_params(significance__precision=0.2)


# -- how many ----------------------------------------------------------------------------------------


def test_fdr_of_labels_needs_no_more_words():
    implied = es.FisherScore("fdr").fit(X, Y)
    said = es.FisherScore(FDR(0.05), significance=True).fit(X, Y)
    np.testing.assert_array_equal(implied.get_support(), said.get_support())
    np.testing.assert_array_equal(implied.get_support(), implied.qvalues_ <= 0.05)
    assert implied.n_features_ == implied.get_support().sum() >= PLANTED


def test_fdr_without_a_way_to_p_values_is_refused():
    with pytest.raises(ValueError, match="significance"):
        es.LaplacianScore("fdr").fit(X)
    with pytest.raises(ValueError, match="significance"):
        es.LaplacianScore("fdr").fit(X, similarity_matrix=S)
    for selector in (es.MRSF("fdr"), es.ReliefF("fdr"), es.EVSC("fdr"), es.SSelect("fdr"), es.TraceRatio("fdr")):
        with pytest.raises(ValueError, match=r"LaplacianScore.*FisherScore.*StabilitySelector"):
            selector.fit(X, Y)


def test_auto_is_fdr_of_labels_and_of_nothing_else():
    for selector in (es.FisherScore("auto"), es.HSICScore("auto"), es.SPEC("auto", similarity="class_labels")):
        np.testing.assert_array_equal(selector.fit(X, Y).get_support(), selector.qvalues_ <= 0.05)
        assert selector.selection_rule.needs_significance
    spec = es.SPEC("auto", similarity="class_labels").fit(X, Y)
    for given in ({"similarity": "hit_miss"}, {"similarity": "knn"}, {"significance": False}):
        with pytest.warns(KneeWarning):
            assert not hasattr(clone(spec).set_params(**given).fit(X, Y), "qvalues_")
        with pytest.warns(KneeWarning):  # also after a fit that had them
            assert not spec.set_params(**given).fit(X, Y).selection_rule.needs_significance
    with pytest.warns(KneeWarning):
        es.FisherScore("auto").fit(X[:4], Y[:4] % 2)


def test_auto_is_fdr_where_significance_is_set():
    selector = es.FisherScore("auto", significance=True).fit(X, Y)
    np.testing.assert_array_equal(selector.get_support(), selector.qvalues_ <= 0.05)


def test_nothing_found_is_an_answer():
    noise = RNG.normal(size=(60, 30))
    selector = es.FisherScore(FDR(1e-6)).fit(noise, np.arange(60) % 2)
    assert not selector.get_support().any()
    assert selector.n_features_ == 0
    with pytest.warns(UserWarning, match="at_least=1"):
        assert selector.transform(noise).shape == (60, 0)


def test_grid_search_over_alpha():
    pipeline = make_pipeline(es.FisherScore(FDR(0.05)), KNeighborsClassifier(3))
    grid = GridSearchCV(pipeline, {"fisherscore__n_features_to_select__alpha": [1e-4, 0.05, 0.3]}, cv=3).fit(X, Y)
    chosen = grid.best_estimator_[0]
    alpha = grid.best_params_["fisherscore__n_features_to_select__alpha"]
    np.testing.assert_array_equal(chosen.get_support(), chosen.qvalues_ <= alpha)


@pytest.mark.parametrize("function", [es.fisher_score_pvalues, es.hsic_score_pvalues])
def test_scikit_learns_rules_take_the_score_functions(function):
    for select in (SelectFdr, SelectFpr, SelectFwe):
        pipeline = make_pipeline(select(function, alpha=0.01), KNeighborsClassifier(3)).fit(X, Y)
        support = pipeline[0].get_support()
        assert support[:PLANTED].all()
        assert support.sum() <= PLANTED + 3
    scores, pvalues = function(X, Y)
    assert scores.shape == pvalues.shape == (M,)
