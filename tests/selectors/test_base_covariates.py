"""`fit(X, covariates=C)`: every method scores what a regression leaves of the features."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline

import eigenselect as es
import rows
from eigenselect.criteria.methods import METHODS
from eigenselect.exceptions import UndefinedScoreWarning

Y = np.arange(60) % 3
#: scores that are compared with those of permuted residuals, which are no permuted features
AGAINST_CHANCE = {"multiscale": "tests/selectors/test_multiscale_spec.py"}


@pytest.fixture
def C(rng):
    return pd.DataFrame({"depth": rng.gamma(3.0, size=60), "batch": rng.choice(list("abc"), 60)})


@pytest.fixture
def X(rng, C):
    X = rng.poisson(1.5 + C["depth"].to_numpy()[:, None], size=(60, 6)).astype(float)
    return X + 3.0 * np.outer(C["batch"] == "a", np.arange(6) % 2) + np.outer(Y, [2, 0, 1, 0, 0, 0.5])


def residuals(X, C):
    D = np.column_stack([np.ones(60), C["depth"], *(C["batch"] == name for name in "ab")]).astype(float)
    return X - D @ np.linalg.lstsq(D, X, rcond=None)[0] + X.mean(axis=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", [row for row in METHODS if row.name not in AGAINST_CHANCE], ids=lambda row: row.name)
def test_every_method_scores_the_residuals(row, X, C):
    """Also in the graph that is made of them."""
    expected = rows.made(row).fit(residuals(X, C), Y)
    for table in (X, sparse.csr_array(X)):
        found = rows.made(row).fit(table, Y, covariates=C)
        np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-8, atol=1e-11)
    assert not np.allclose(found.native_scores_, rows.made(row).fit(X, Y).native_scores_, rtol=1e-3)


def test_a_given_graph_stays(X, C, make_similarity):
    S = make_similarity(60)
    found = es.LaplacianScore(2).fit(X, similarity_matrix=S, covariates=C)
    np.testing.assert_array_equal(found.graph_.to_array(), S)
    expected = es.LaplacianScore(2).fit(residuals(X, C), similarity_matrix=S)
    np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-10)


def test_covariates_that_say_nothing_change_nothing(X):
    found = es.SPEC(2).fit(X, covariates=np.full(60, 0.1))
    np.testing.assert_array_equal(found.native_scores_, es.SPEC(2).fit(X).native_scores_)
    assert not hasattr(found, "_covariate_basis")


def test_explained_features_have_no_score_and_are_counted(X, C):
    X[:, [1, 4]] = np.column_stack([C["depth"] * 2 + 1, np.full(60, 0.3)])
    with pytest.warns(UndefinedScoreWarning, match="2 of 6 features"):
        found = es.MoranI(2).fit(X, covariates=C)
    np.testing.assert_array_equal(np.isnan(found.scores_), np.isin(np.arange(6), [1, 4]))


def test_the_quadratic_form_is_that_of_the_residuals(X, C):
    selector = es.SPEC(2).fit(X, covariates=C)
    again = pickle.loads(pickle.dumps(selector))
    for S, F in (selector.quadratic_form(X), again.quadratic_form(sparse.csr_array(X))):
        np.testing.assert_allclose((F * (S @ F)).sum(axis=0), selector.scores_, rtol=1e-9)
    assert again.explain(X, 3).score == pytest.approx(selector.native_scores_[3], rel=1e-9)
    assert not hasattr(selector.fit(X), "_covariate_basis")


def test_bad_covariates_speak_as_the_method(X, C):
    with pytest.raises(ValueError, match="FisherScore: covariates must have"):
        es.FisherScore(2).fit(X, Y, covariates=C[:-1])
    with pytest.raises(ValueError, match="FisherScore: covariates of rank"):
        es.FisherScore(2).fit(X, Y, covariates=np.eye(60))


def test_pipelines_and_cross_validation_route_them(X, C):
    """Rows of the covariates follow those of X; a similarity_matrix that is sliced by rows only is refused."""
    with sklearn.config_context(enable_metadata_routing=True):
        selector = es.FisherScore(2).set_fit_request(covariates=True, similarity_matrix=False)
        model = make_pipeline(selector, LogisticRegression())
        model.fit(X, Y, covariates=C)
        expected = es.FisherScore(2).fit(X, Y, covariates=C)
        np.testing.assert_array_equal(model[0].native_scores_, expected.native_scores_)
        found = cross_validate(model, X, Y, cv=3, params={"covariates": C}, return_estimator=True, return_indices=True)
        train = found["indices"]["train"][0]
        part = es.FisherScore(2).fit(X[train], Y[train], covariates=C.iloc[train])
        np.testing.assert_array_equal(found["estimator"][0][0].native_scores_, part.native_scores_)
        sliced = make_pipeline(es.LaplacianScore(2).set_fit_request(similarity_matrix=True), LogisticRegression())
        with pytest.raises(ValueError, match="got 40 x 60"):
            cross_validate(sliced, X, Y, cv=3, params={"similarity_matrix": np.ones((60, 60))}, error_score="raise")
