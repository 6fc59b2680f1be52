"""λφ + (1 - λ)(1 - NMI): smoothness over all samples against agreement with a few labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from eigenselect.criteria.criterion import phi, rounding_of_sums
from eigenselect.graph import SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.semisupervised.criterion import SmoothAgreement
from eigenselect.semisupervised.label_agreement import PartialLabels
from eigenselect.semisupervised.regularization import RegularizationPath
from eigenselect.spectral import Power

ROWS, CODES = np.array([1, 4, 5, 9, 13, 16]), np.array([0, 1, 0, 1, 1, 0])


@pytest.fixture
def graph(make_similarity, as_kind):
    return SampleGraph(as_kind(make_similarity(18)))


@pytest.fixture
def X(rng):
    return rng.normal(size=(18, 6))


def agreement(graph, ranking="phi2", regularization=0.3, codes=CODES, search=None):
    smoothness = phi(ranking, graph, Power(1), 4)
    return SmoothAgreement(smoothness, Power(1), PartialLabels(ROWS, codes), 2, regularization, search)


def nmi(graph, X):
    """Of the sign of the centred features, 0 counting as +."""
    g = X - graph.degrees @ X / graph.volume
    return np.array([normalized_mutual_info_score(CODES, f >= 0, average_method="max") for f in g[ROWS].T])


@pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
def test_the_weighted_sum(graph, X, ranking):
    """φ3, of which large is good, enters as γ(2) - φ3."""
    roughness = phi(ranking, graph, Power(1), 4).scores(X).native
    roughness = 2.0 - roughness if ranking == "phi3" else roughness
    for weight in (0.0, 0.3, 1.0):
        for table in (X, sparse.csr_array(X)):
            found = agreement(graph, ranking, weight).scores(table)
            expected = weight * roughness + (1 - weight) * (1 - nmi(graph, X))
            np.testing.assert_allclose(found.native, expected, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(found.relevance, 1 - found.native)
            assert not found.larger_is_better
            assert found.attributes["regularization_"] == weight
    if ranking == "phi3":
        assert found.attributes["n_clusters_"] == found.attributes["eigenvalues_"].size == 4


def test_a_constant_feature_has_no_score_even_if_only_labels_count(graph, X):
    X[:, 2] = 0.1
    np.testing.assert_array_equal(np.isnan(agreement(graph, regularization=0.0).scores(X).native), np.arange(6) == 2)


def test_labels_of_one_class_agree_with_nothing(graph, X):
    for codes in (np.zeros(6, dtype=int), np.array([], dtype=int)):
        _, disagreement = agreement(graph, codes=codes).parts(as_matrix(X))
        np.testing.assert_array_equal(disagreement, 1)


def test_without_a_weight_the_smallest_cut_chooses_one(graph, X):
    """The search is given the table and the scores of any λ."""
    asked = []

    def search(table, scores_of):
        asked.append((table.shape, scores_of(0.2).native, scores_of(0.8).native))
        return RegularizationPath(np.array([0.2, 0.8]), np.array([0.5, 0.1]))

    found = agreement(graph, regularization=None, search=search).scores(X)
    (shape, *natives) = asked[0]
    assert shape == X.shape
    for weight, native in zip((0.2, 0.8), natives, strict=True):
        np.testing.assert_array_equal(native, agreement(graph, regularization=weight).scores(X).native)
    np.testing.assert_array_equal(found.native, natives[1])
    known = found.attributes["criterion_"]
    assert (known.regularization, known.search) == (0.8, None)
    np.testing.assert_array_equal(found.attributes["cut_values_"], [0.5, 0.1])
    np.testing.assert_array_equal(known.scores(X).native, found.native)


def test_rounding_is_that_of_the_sum_and_of_what_cancels_in_phi(make_similarity, X):
    graph = SampleGraph(make_similarity(18))  # a dense S has no differences
    for weight in (0.0, 1.0):
        criterion = agreement(graph, regularization=weight)
        found = criterion.scores(X)
        cancelling = weight * criterion.smoothness.form.cancellation(graph)
        np.testing.assert_allclose(found.rounding, rounding_of_sums(18) * (found.native + cancelling))
