"""A diffusion stores its base graph: nothing may take that for the similarity it stands for."""

import numpy as np
import pytest

from eigenselect import MSFS, SPEC, LaplacianScore
from eigenselect.criteria.criterion import SMALL, Criterion
from eigenselect.criteria.normalization import DEFLATED
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.graph import SampleGraph
from eigenselect.multisource import SampleSimilarity, TargetData
from eigenselect.multisource.weights import combination_scale
from eigenselect.similarity import Diffusion

X = np.random.default_rng(0).normal(size=(40, 6))


@pytest.mark.parametrize("similarity", ["knn", "rbf", "cosine", "diffusion", "geodesic", Diffusion(0.1)])
def test_laplacian_score_is_phi2_on_every_similarity(similarity):
    X_positive = np.abs(X)
    scores = LaplacianScore(similarity=similarity).fit(X_positive).native_scores_
    np.testing.assert_allclose(scores, SPEC(similarity=similarity).fit(X_positive).native_scores_, rtol=1e-9)


def test_laplacian_score_of_a_diffusion_is_that_of_its_matrix():
    graph = Diffusion().build(X)
    expected = LaplacianScore().fit(X, similarity_matrix=graph.to_array()).native_scores_
    selector = LaplacianScore(similarity="diffusion").fit(X)
    np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-9)
    S, F = selector.quadratic_form(X)
    np.testing.assert_allclose(np.einsum("ij,ik,kj->j", F, S, F), selector.scores_, rtol=1e-9)


def test_a_power_of_the_stored_laplacian_is_refused_for_a_diffusion():
    graph = SampleGraph(np.ones((4, 4)) - np.eye(4)).diffuse(1.0)
    with pytest.raises(ValueError, match="power_form"):
        Criterion(graph, DEFLATED, PowerForm(1), SMALL)


def test_a_diffusion_weighs_as_its_matrix_among_sources():
    graph = Diffusion().build(X)
    given = SampleGraph(graph.to_array())
    assert combination_scale(graph) == pytest.approx(combination_scale(given))
    other = ("other", SampleSimilarity(np.exp(-np.abs(X[:, :1] - X[:, :1].T))))
    as_source = MSFS(sources=[("x", TargetData(similarity="diffusion")), other]).fit(X)
    as_matrix = MSFS(sources=[("x", SampleSimilarity(graph.to_array())), other]).fit(X)
    np.testing.assert_allclose(as_source.native_scores_, as_matrix.native_scores_, rtol=1e-9)
