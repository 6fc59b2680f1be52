"""Which samples are drawn, one fit on half of them, and what is said when it fails."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from eigenselect import SPEC, FisherScore, LaplacianScore, TraceRatio
from eigenselect.exceptions import UnitsWarning
from eigenselect.sensitivity.halves import Half, Samples, fit_half, shared_pairs, warn_of_warnings
from eigenselect.sensitivity.resampling import complementary_halves
from eigenselect.similarity import KNN, RBF


def test_halves_are_disjoint_equal_in_size_and_share_the_classes():
    for sizes in ([10], [5, 4], [2, 2, 9], [3, 3, 3], [1, 6], [1, 1, 1, 4]):
        strata, rng = np.repeat(np.arange(len(sizes)), sizes), np.random.RandomState(3)
        n_samples, left_out = strata.size, set()
        for _ in range(60):
            first, second = complementary_halves(n_samples, strata, rng)
            assert first.size == second.size == n_samples // 2
            assert np.unique(np.concatenate([first, second])).size == 2 * (n_samples // 2)
            counts = np.array([np.bincount(strata[half], minlength=len(sizes)) for half in (first, second)])
            assert (np.abs(counts[0] - counts[1]) <= 1).all()
            assert (counts[:, np.array(sizes) >= 2] >= 1).all()
            left_out |= set(range(n_samples)) - set(first) - set(second)
        odd = {row for row in range(n_samples) if sizes[strata[row]] % 2}
        assert left_out == (odd if n_samples % 2 else set())


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1], [5, 4])])
def test_every_sample_is_as_often_in_one_half_as_in_the_other(strata):
    rng, counts = np.random.RandomState(0), np.zeros((2, 9))
    for _ in range(2000):
        for half, rows in enumerate(complementary_halves(9, strata, rng)):
            counts[half, rows] += 1
    expected = 2000 * 4 / 9 if strata is None else np.where(strata == 0, 2000 * 2 / 5, 2000 / 2)
    np.testing.assert_allclose(counts, np.broadcast_to(expected, (2, 9)), atol=5 * np.sqrt(500))


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 20))


def test_scores_on_shared_pairs_are_those_of_a_graph_made_anew(X):
    rows, kinds = np.arange(0, 30, 2), (np.asarray, sparse.csr_array, pd.DataFrame)
    recipes = (KNN(4), KNN(4, metric="cosine"), RBF(), RBF(2.0), RBF("self-tuning"), "linear", "cosine")
    for place, similarity in enumerate(recipes):
        table = kinds[place % 3](np.abs(X))
        shared = shared_pairs(SPEC(3, similarity=similarity), table, 50, "test")
        assert shared is not None
        one, other = (
            Samples(table, None, pairs=pairs).fitted(SPEC(3, similarity=similarity), rows) for pairs in (shared, None)
        )
        np.testing.assert_allclose(one.native_scores_, other.native_scores_, rtol=1e-12)
        np.testing.assert_allclose(one.graph_.to_array(), other.graph_.to_array(), rtol=1e-12, atol=1e-300)
        assert one.graph_.description["similarity"] == other.graph_.description["similarity"]


def test_nothing_is_shared_where_that_is_not_exact_or_no_gain(X):
    for estimator in (
        SelectKBest(),
        FisherScore(3),
        TraceRatio(3),
        make_pipeline(LaplacianScore(3)),
        LaplacianScore(3, similarity="diffusion"),
        LaplacianScore(3, similarity=lambda X: X @ X.T),
    ):
        assert shared_pairs(estimator, X, 50, "test") is None
    for table, n_pairs in ((X[:, :12], 50), (X, 2)):
        assert shared_pairs(LaplacianScore(3), table, n_pairs, "test") is None


def test_a_failure_says_which_half_and_why(X):
    y = np.repeat([0, 1], [28, 2])
    data = Samples(X, y)
    with pytest.raises(ValueError, match=r"pair 3 \(10 of 30 .*FisherScore: y"):
        fit_half(FisherScore(2), data, "test", 5, np.arange(10), 0)
    assert fit_half(FisherScore(2), data, "test", 5, np.arange(15, 30), 0).support.sum() == 2


def test_a_failure_keeps_its_kind(X, monkeypatch):
    """Only what is wrong with the data or parameters is put into words; the rest is nobody's half."""
    kinds = ((TypeError, TypeError), (np.linalg.LinAlgError, ValueError), (MemoryError, MemoryError))
    for error, raised in kinds:

        def fails(*_, error=error, **__):
            raise error("no")

        monkeypatch.setattr(FisherScore, "fit", fails)
        with pytest.raises(raised, match="no$") as caught:
            fit_half(FisherScore(2), Samples(X, np.arange(30) % 2), "test", 0, np.arange(10), 0)
        assert str(caught.value).startswith("test: FisherScore") == (error is not MemoryError)


def test_warnings_are_counted():
    support = np.ones(2, dtype=bool)
    fits = [Half(support, None), Half(support, (RuntimeWarning, "slow")), Half(support, (UserWarning, "odd"))]
    with pytest.warns(RuntimeWarning, match="2 of 3 fits.*slow"):
        warn_of_warnings(fits, "SPEC", "test")
    warn_of_warnings(fits[:1], "SPEC", "test")


def test_one_warning_about_units_for_all_halves(X):
    X = X * np.r_[1e6, np.ones(19)]
    with pytest.warns(UnitsWarning, match="LaplacianScore"):
        pairs = shared_pairs(LaplacianScore(3), X, 50, "test")
    Samples(X, None, pairs=pairs).fitted(LaplacianScore(3), np.arange(15))
    with pytest.warns(UnitsWarning, match="LaplacianScore"):
        Samples(X, None).fitted(LaplacianScore(3), np.arange(15))
