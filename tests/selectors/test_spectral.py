"""Selectors on a sample graph: the graph is inspected, and f̂ᵀŜf̂ are the scores."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone

from eigenselect import MSFS, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, SSelect, TraceRatio
from eigenselect.exceptions import GraphWarning, UndefinedScoreWarning
from eigenselect.multisource import TargetData
from eigenselect.similarity import KNN, HitMiss


class TestQuadraticForm:
    def test_the_matrices_agree_on_what_is_undefined(self, selector, X):
        X[:, 2] = 4.0
        with pytest.warns(UndefinedScoreWarning):
            selector.fit(X)
        S_hat, F_hat = selector.quadratic_form(X)
        np.testing.assert_array_equal(np.isnan(np.einsum("ij,ij->j", F_hat, S_hat @ F_hat)), np.isnan(selector.scores_))

    def test_nothing_keeps_the_data(self, selector, X):
        selector.fit(X)
        held = [value for value in vars(selector).values() if getattr(value, "shape", None) == X.shape]
        assert held == []
        loaded = pickle.loads(pickle.dumps(selector))
        np.testing.assert_array_equal(loaded.transform(X), selector.transform(X))
        for fitted in (selector, loaded):
            with pytest.raises(ValueError, match="quadratic_form: X is missing.*give"):
                fitted.quadratic_form()
        np.testing.assert_array_equal(loaded.quadratic_form(X)[1], selector.quadratic_form(X)[1])

    def test_another_table_is_refused(self, selector, X):
        selector.fit(X)
        with pytest.raises(ValueError, match="60 samples of 8"):
            selector.quadratic_form(X[1:])


THEOREM = [
    SPEC(ranking="phi1", similarity=KNN(6)),
    SPEC(ranking="phi2", similarity=KNN(6)),
    SPEC(ranking="phi3", similarity=KNN(6), n_clusters=4),
    LaplacianScore(similarity=KNN(6)),
    FisherScore(),
    ReliefF(n_neighbors=4, difference="squared"),
    HSICScore(),
    HSICScore(scale=None),
    TraceRatio(3),
    TraceRatio(3, scale=None),
    TraceRatio(3, graphs="laplacian", similarity=KNN(6)),
    TraceRatio(3, level="feature"),
    SPEC(similarity=HitMiss(4), ranking="phi1"),
]


@pytest.mark.parametrize("selector", THEOREM, ids=str)
def test_the_theorem_orders_features_as_the_method_does(selector, labelled):
    X, y = labelled
    selector.fit(X, y)
    S_hat, F_hat = selector.quadratic_form(X)
    values = np.einsum("ij,ij->j", F_hat, S_hat @ F_hat)
    np.testing.assert_allclose(values, selector.scores_, rtol=1e-8, atol=1e-12)
    np.testing.assert_array_equal(rankdata(-values), rankdata(selector.ranking_))


class TestGraph:
    def test_isolated_samples_and_components_are_warned_about_once(self, selector, X):
        S = KNN(9).build(X[:50]).to_array()
        S = np.block([[S, np.zeros((50, 10))], [np.zeros((10, 60))]])
        S[50, 51] = S[51, 50] = 1.0
        with pytest.warns(GraphWarning, match="60 samples are isolated.*2") as caught:
            selector.fit(X, similarity_matrix=S)
        assert len(caught) == 1
        assert np.isfinite(selector.scores_).all()

    def test_duplicated_samples(self, selector, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphWarning)
            selector.fit(np.repeat(X, 3, axis=0))
        assert np.isfinite(selector.scores_).all()

    def test_similarity_matrices(self, selector, X):
        for matrix, says in (
            (np.eye(59), "60 x 60.*59 x 59"),
            (-np.ones((60, 60)), "non-negative"),
            (np.triu(np.ones((60, 60))), "symmetric"),
            (np.full((60, 60), np.nan), "finite"),
            (np.zeros((60, 60)), "no edges"),
        ):
            with pytest.raises(ValueError, match=f"{type(selector).__name__}: .*{says}"):
                clone(selector).fit(X, similarity_matrix=matrix)


@pytest.mark.parametrize(
    "selector",
    [
        SPEC(spectral_function=lambda r: np.exp(-r)),
        SPEC(ranking="phi3", spectral_function=lambda r: np.exp(-r)),
        SSelect(spectral_function=lambda r: np.exp(-r)),
        MSFS(sources=[("t", TargetData())], spectral_function=lambda r: np.exp(-r)),
    ],
    ids=["SPEC", "SPEC phi3", "SSelect", "MSFS"],
)
def test_a_decreasing_spectral_function_warns_once_at_the_callers_line(selector, X):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        selector.fit(X)
    ours = [warning for warning in said if "decreases somewhere" in str(warning.message)]
    assert len(ours) == 1
    assert ours[0].filename == __file__
    assert str(ours[0].message).startswith(type(selector).__name__)


@pytest.mark.parametrize("parameters", [{"significance": s} for s in (True, "split", "shadows")] + [{}])
def test_sources_made_of_the_features_have_no_route(parameters):
    rule = 2 if parameters else "fdr"
    with pytest.raises(ValueError, match="^MSFS: p-values need a"):
        MSFS(rule, sources=[("data", TargetData())], **parameters).fit(np.random.default_rng(0).normal(size=(20, 4)))
