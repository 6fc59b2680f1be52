"""SPEC: its three ranking functions, and any similarity and spectral function."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import MSFS, SPEC, SSelect, spec_score
from eigenselect.multisource import TargetData
from eigenselect.similarity import KNN, RBF, Linear


@pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
def test_features_that_follow_the_groups_come_first(X, ranking):
    X = (X - X.mean(axis=0)) / X.std(axis=0)  # φ1 rewards a large mean; equal ones make it comparable
    selector = SPEC(2, ranking=ranking, n_clusters=2).fit(X)
    assert set(selector.get_support(indices=True)) == {0, 7}


def test_phi3_is_large_for_good_features(X):
    selector = SPEC(2, ranking="phi3", n_clusters=2).fit(X)
    np.testing.assert_array_equal(selector.scores_, selector.native_scores_)
    assert selector.n_clusters_ == 2
    assert selector.eigenvalues_.shape == (2,)
    assert selector.eigenvalues_[0] == 0


def test_phi3_finds_its_number_of_clusters(rng):
    centres = np.repeat(np.eye(4) * 3, 15, axis=0)
    X = centres + rng.normal(size=(60, 4)) * 0.5
    selector = SPEC(ranking="phi3", similarity=RBF(1.0)).fit(X)
    assert selector.n_clusters_ == 4


def test_one_cluster_is_not_passed_over_in_silence(X):
    with pytest.warns(UserWarning, match="n_clusters=1.*score 0"):
        selector = SPEC(ranking="phi3", n_clusters=1).fit(X)
    np.testing.assert_array_equal(selector.scores_, 0)


def test_labels_may_define_the_graph(X):
    y = np.repeat(["healthy", "ill"], 30)
    selector = SPEC(2, similarity="class_labels").fit(X, y)
    between = np.array([(f[:30].mean() - f[30:].mean()) ** 2 * 15 for f in X.T])
    within = np.array([30 * (f[:30].var() + f[30:].var()) for f in X.T])
    np.testing.assert_allclose(selector.native_scores_, 1 / (1 + between / within), rtol=1e-10)


def test_a_precomputed_similarity_replaces_the_builder(X):
    S = RBF(1.3).build(X).to_array()
    expected = SPEC(similarity=RBF(1.3)).fit(X)
    for matrix in (S, sparse.csr_matrix(S), S.tolist(), pd.DataFrame(S)):
        found = SPEC(similarity="geodesic").fit(X, similarity_matrix=matrix)
        np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-12)


def test_scores_are_the_estimators(X):
    expected = SPEC(ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf").fit(X).scores_
    found = spec_score(X, ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf")
    np.testing.assert_array_equal(found, expected)


class TestBadInput:
    """One sentence: who, what was expected, what was got."""

    @pytest.mark.parametrize(
        ("parameters", "error", "says"),
        [
            ({"n_features_to_select": 9}, ValueError, "SPEC: n_features_to_select.*8 features.*9"),
            ({"n_features_to_select": "best"}, ValueError, "SPEC: n_features_to_select.*'best'"),
            ({"ranking": "phi4"}, ValueError, "SPEC: ranking.*'phi1'.*'phi4'"),
            ({"similarity": "nearest"}, ValueError, "similarity.*'knn'.*'nearest'"),
            ({"similarity": KNN(60)}, ValueError, "KNN: n_neighbors.*59.*60"),
            ({"similarity": RBF(-1)}, ValueError, "RBF: bandwidth.*-1"),
            ({"similarity": Linear()}, ValueError, "degree.*not positive"),
            ({"similarity": "class_labels"}, ValueError, "SPEC requires y to"),
            ({"spectral_function": "cube"}, ValueError, "spectral_function.*'cube'"),
            ({"ranking": "phi3", "n_clusters": 0}, ValueError, "SPEC: n_clusters.*positive.*0"),
            ({"ranking": "phi3", "n_clusters": 61}, ValueError, "SPEC: n_clusters.*60 samples.*61"),
            ({"n_jobs": 0}, ValueError, "n_jobs.*0"),
            ({"similarity": 5}, TypeError, "similarity.*int"),
        ],
    )
    def test_parameters(self, X, parameters, error, says):
        with pytest.raises(error, match=f"(?s){says}"):
            SPEC(**parameters).fit(X)

    def test_one_class(self, X):
        with pytest.raises(ValueError, match="at least 2 classes"):
            SPEC(similarity="class_labels").fit(X, np.zeros(60))


@pytest.mark.parametrize("selector", [SPEC(), SSelect(), MSFS(sources=[("x", TargetData())])])
@pytest.mark.parametrize("gamma", ["cube", -1, None, lambda r: r[:2]])
def test_bad_spectral_function_is_refused_by_the_selector(selector, gamma, X):
    with pytest.raises((TypeError, ValueError), match=f"^{type(selector).__name__}: spectral_function"):
        selector.set_params(spectral_function=gamma).fit(X, np.arange(60) % 2)


def test_an_error_of_the_users_own_function_is_left_as_it_is(X):
    def broken(r):
        raise ValueError("my own bug")

    with pytest.raises(ValueError, match="^my own bug$"):
        SPEC(spectral_function=broken).fit(X)
