"""One fit on half of the samples: what it is given, and what is said when it fails."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from eigenselect import SPEC, FisherScore, LaplacianScore, TraceRatio
from eigenselect.exceptions import UnitsWarning
from eigenselect.sensitivity.halves import Half, Samples, fit_half, name_at_last_step, shared_pairs, warn_of_warnings
from eigenselect.similarity import KNN, RBF


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 20))


@pytest.mark.parametrize(
    "similarity", [KNN(4), KNN(4, metric="cosine"), RBF(), RBF(2.0), RBF("self-tuning"), "linear", "cosine"], ids=str
)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_scores_on_shared_pairs_are_those_of_a_graph_made_anew(X, similarity, convert):
    table, rows = convert(np.abs(X)), np.arange(0, 30, 2)
    selector = SPEC(3, similarity=similarity)
    shared = shared_pairs(selector, table, 50, "test")
    assert shared is not None
    fits = [Samples(table, None, pairs=pairs).fitted(SPEC(3, similarity=similarity), rows) for pairs in (shared, None)]
    np.testing.assert_allclose(fits[0].native_scores_, fits[1].native_scores_, rtol=1e-12)
    np.testing.assert_allclose(fits[0].graph_.to_array(), fits[1].graph_.to_array(), rtol=1e-12, atol=1e-300)
    assert fits[0].graph_.description.keys() == fits[1].graph_.description.keys()
    assert fits[0].graph_.description["similarity"] == fits[1].graph_.description["similarity"]


@pytest.mark.parametrize(
    ("estimator", "columns", "n_pairs"),
    [
        (SelectKBest(), 20, 50),
        (FisherScore(3), 20, 50),
        (TraceRatio(3), 20, 50),
        (make_pipeline(LaplacianScore(3)), 20, 50),
        (LaplacianScore(3, similarity="diffusion"), 20, 50),
        (LaplacianScore(3, similarity=lambda X: X @ X.T), 20, 50),
        (LaplacianScore(3), 12, 50),
        (LaplacianScore(3), 20, 2),
    ],
)
def test_nothing_is_shared_where_that_is_not_exact_or_no_gain(X, estimator, columns, n_pairs):
    assert shared_pairs(estimator, X[:, :columns], n_pairs, "test") is None


def test_nothing_is_shared_where_squares_are_out_of_range(X):
    assert shared_pairs(LaplacianScore(3), X, 50, "test") is not None
    assert shared_pairs(LaplacianScore(3), X * 1e200, 50, "test") is None


def test_the_name_of_a_parameter_at_the_last_step():
    assert name_at_last_step(SPEC(), "S") == "S"
    assert name_at_last_step(make_pipeline(make_pipeline(SPEC())), "S") == "pipeline__spec__S"


def test_a_failure_says_which_half_and_why(X):
    y = np.repeat([0, 1], [28, 2])
    data = Samples(X, y)
    message = r"test: FisherScore cannot be fitted on the second half of pair 3 \(10 of 30 samples\): FisherScore: y"
    with pytest.raises(ValueError, match=message):
        fit_half(FisherScore(2), data, "test", 5, np.arange(10), 0)
    assert fit_half(FisherScore(2), data, "test", 5, np.arange(15, 30), 0).support.sum() == 2


@pytest.mark.parametrize(
    ("error", "raised"), [(TypeError, TypeError), (np.linalg.LinAlgError, ValueError), (MemoryError, MemoryError)]
)
def test_a_failure_keeps_its_kind(X, error, raised, monkeypatch):
    """Only what is wrong with the data or parameters is put into words; the rest is nobody's half."""

    def fails(*_, **__):
        raise error("no")

    monkeypatch.setattr(FisherScore, "fit", fails)
    with pytest.raises(raised, match="no$") as caught:
        fit_half(FisherScore(2), Samples(X, np.arange(30) % 2), "test", 0, np.arange(10), 0)
    assert str(caught.value).startswith("test: FisherScore") == (error is not MemoryError)


def test_warnings_are_counted():
    support = np.ones(2, dtype=bool)
    fits = [Half(support, None), Half(support, (RuntimeWarning, "slow")), Half(support, (UserWarning, "odd"))]
    with pytest.warns(RuntimeWarning, match="test: 2 of 3 fits of SPEC warned, the first: slow"):
        warn_of_warnings(fits, "SPEC", "test")
    warn_of_warnings(fits[:1], "SPEC", "test")


def test_one_warning_about_units_for_all_halves(X):
    X = X * np.r_[1e6, np.ones(19)]
    with pytest.warns(UnitsWarning, match="LaplacianScore"):
        pairs = shared_pairs(LaplacianScore(3), X, 50, "test")
    Samples(X, None, pairs=pairs).fitted(LaplacianScore(3), np.arange(15))
    with pytest.warns(UnitsWarning, match="LaplacianScore"):
        Samples(X, None).fitted(LaplacianScore(3), np.arange(15))
