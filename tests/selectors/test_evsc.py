"""EVSC: invariances, the paper's example, and what it refuses; its slopes are tests of sensitivity."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from eigenselect import EVSC
from eigenselect.exceptions import GraphWarning, KneeWarning, UndefinedScoreWarning, UnitsWarning
from eigenselect.similarity import KNN, RBF, Cosine, Linear

SIGMA = 1.7


def test_iris_as_in_the_paper():
    """Petal length before sepal length, with these two features alone and with all four."""
    X = load_iris().data
    two = EVSC(1).fit(X[:, [0, 2]])
    assert two.scores_[1] > 2 * two.scores_[0]
    every = EVSC(1).fit(X)
    assert every.ranking_[2] < every.ranking_[0]


def test_the_turning_point_chooses_the_number(rng):
    X = rng.normal(size=(60, 40)) * 0.1
    X[:, :5] += 3 * np.repeat(rng.normal(size=(6, 5)), 10, axis=0)
    with (
        pytest.warns(UnitsWarning, match="EVSC is nearly a"),
        pytest.warns(KneeWarning, match="EVSC: n_features_to_select='auto' keeps 5 features"),
    ):
        fitted = EVSC("auto").fit(X)
    np.testing.assert_array_equal(fitted.get_support(indices=True), np.arange(5))


class TestBadInput:
    @pytest.fixture
    def X(self, rng):
        return rng.random((20, 4))

    def test_constant_features_have_no_score(self, X):
        X[:, 1] = 5.0
        for similarity in (RBF(), Linear(), KNN(n_neighbors=10)):
            with pytest.warns(UndefinedScoreWarning, match="1 of 4"):
                fitted = EVSC(similarity=similarity).fit(X)
            assert np.isnan(fitted.scores_[1])
            assert fitted.ranking_[1] == 4

    @pytest.mark.parametrize(
        "similarity",
        [Cosine(), "diffusion", RBF(bandwidth="self-tuning"), KNN(n_neighbors=10, weight="binary"),
         KNN(n_neighbors=10, metric="cosine"), KNN(n_neighbors=10, bandwidth="self-tuning")],
    )  # fmt: skip
    def test_similarities_without_a_known_slope(self, X, similarity):
        with pytest.raises(ValueError, match="EVSC: similarity must be"):
            EVSC(similarity=similarity).fit(X)

    def test_negative_degrees_of_inner_products(self, X):
        with pytest.raises(ValueError, match=r"degree .* not positive"):
            EVSC(similarity="linear").fit(X - X.mean(axis=0))

    @pytest.mark.parametrize("bad", [0, -1, 2.5, "all", True])
    def test_no_number_of_eigenvalues(self, X, bad):
        with pytest.raises(ValueError, match="n_eigenvalues must be a"):
            EVSC(n_eigenvalues=bad).fit(X)

    def test_more_eigenvalues_than_samples(self, X):
        with pytest.raises(ValueError, match="most the 20 samples"):
            EVSC(n_eigenvalues=21).fit(X)

    def test_a_matrix_says_nothing_of_features(self, X):
        with pytest.raises(ValueError, match="similarity_matrix does not"):
            EVSC().fit(X, similarity_matrix=np.ones((20, 20)))

    def test_no_quadratic_form(self, X):
        with pytest.raises(ValueError, match="no single form"):
            EVSC().fit(X).quadratic_form()

    def test_disconnected_and_isolated_samples(self, rng):
        """Far groups: zeros of the spectrum do not move, and a group's score is its own."""
        X = rng.random((24, 3))
        X[12:] += 1e6
        similarity = RBF(bandwidth=SIGMA)
        with pytest.warns(GraphWarning, match="2 components"):
            together = EVSC(similarity=similarity).fit(X).scores_
        apart = sum(EVSC(similarity=similarity).fit(X[part]).scores_ for part in (slice(12), slice(12, 24)))
        np.testing.assert_allclose(together, apart, rtol=1e-6)
