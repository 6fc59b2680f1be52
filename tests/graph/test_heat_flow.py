"""Heat over a graph is the exponential of its Laplacian, and no base graph is taken for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import expm

from eigenselect import MSFS, SPEC, LaplacianScore
from eigenselect.criteria.criterion import DEFLATED, SMALL, Criterion
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.graph import HeatFlow, SampleGraph
from eigenselect.multisource import SampleSimilarity, TargetData
from eigenselect.multisource.weights import combination_scale
from eigenselect.similarity import Diffusion


def test_diffusion_is_the_matrix_exponential(make_similarity, rng):
    S = make_similarity(16, blocks=2)
    graph = SampleGraph(sparse.csr_array(S)).diffuse(1.3)
    explicit = expm(-1.3 * (np.diag(S.sum(axis=1)) - S))
    np.testing.assert_allclose(graph.to_array(), explicit, atol=1e-12)
    np.testing.assert_allclose(explicit.sum(axis=1), graph.degrees)
    f = rng.normal(size=16)
    np.testing.assert_allclose(graph.similarity @ f, explicit @ f, atol=1e-12)
    assert graph.n_components == 2


beta_values = st.floats(1e-3, 50.0)


@given(beta_values, st.lists(st.floats(0, 1e3), min_size=2, max_size=20).map(sorted))
def test_frequencies_rise_from_0_to_1(beta, eigenvalues):
    frequencies = HeatFlow(beta).frequencies(np.array(eigenvalues))
    assert (np.diff(frequencies) >= 0).all()
    assert ((frequencies >= 0) & (frequencies <= 1)).all()
    assert HeatFlow(beta).frequencies(np.zeros(1))[0] == 0.0


@given(beta_values, st.floats(1e-290, 1e-12))
def test_small_frequencies_keep_their_digits(beta, eigenvalue):
    """1 - exp(-x) of an x below 1e-16 would be 0; it is x."""
    assert HeatFlow(beta).frequencies(np.array([eigenvalue]))[0] == pytest.approx(beta * eigenvalue, rel=1e-9, abs=0)


def test_the_similarity_is_the_exponential(make_similarity, as_kind, rng):
    S, F = make_similarity(12, blocks=2), rng.normal(size=(12, 3))
    L = np.diag(S.sum(axis=1)) - S
    for beta in (0.1, 1.0, 20.0):
        heat, operator = expm(-beta * L), HeatFlow(beta).similarity(SampleGraph(as_kind(S)))
        np.testing.assert_allclose(operator @ F, heat @ F, atol=1e-12)
        np.testing.assert_allclose(operator @ F[:, 0], heat @ F[:, 0], atol=1e-12)
        np.testing.assert_allclose(operator.T @ F, operator @ F)
        np.testing.assert_allclose(operator @ np.ones(12), 1.0)
        frequencies = HeatFlow(beta).frequencies(np.linalg.eigvalsh(L))
        np.testing.assert_allclose(frequencies, np.linalg.eigvalsh(np.eye(12) - heat), atol=1e-12)


TABLE = np.random.default_rng(0).normal(size=(40, 6))


@pytest.mark.parametrize("similarity", ["knn", "rbf", "cosine", "diffusion", "geodesic", Diffusion(0.1)])
def test_laplacian_score_is_phi2_on_every_similarity(similarity):
    X_positive = np.abs(TABLE)
    scores = LaplacianScore(similarity=similarity).fit(X_positive).native_scores_
    np.testing.assert_allclose(scores, SPEC(similarity=similarity).fit(X_positive).native_scores_, rtol=1e-9)


def test_laplacian_score_of_a_diffusion_is_that_of_its_matrix():
    graph = Diffusion().build(TABLE)
    expected = LaplacianScore().fit(TABLE, similarity_matrix=graph.to_array()).native_scores_
    selector = LaplacianScore(similarity="diffusion").fit(TABLE)
    np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-9)
    S, F = selector.quadratic_form(TABLE)
    np.testing.assert_allclose(np.einsum("ij,ik,kj->j", F, S, F), selector.scores_, rtol=1e-9)


def test_a_power_of_the_stored_laplacian_is_refused_for_a_diffusion():
    graph = SampleGraph(np.ones((4, 4)) - np.eye(4)).diffuse(1.0)
    with pytest.raises(ValueError, match="power_form"):
        Criterion(graph, DEFLATED, PowerForm(1), SMALL)


def test_a_diffusion_weighs_as_its_matrix_among_sources():
    graph = Diffusion().build(TABLE)
    given = SampleGraph(graph.to_array())
    assert combination_scale(graph) == pytest.approx(combination_scale(given))
    other = ("other", SampleSimilarity(np.exp(-np.abs(TABLE[:, :1] - TABLE[:, :1].T))))
    as_source = MSFS(sources=[("x", TargetData(similarity="diffusion")), other]).fit(TABLE)
    as_matrix = MSFS(sources=[("x", SampleSimilarity(graph.to_array())), other]).fit(TABLE)
    np.testing.assert_allclose(as_source.native_scores_, as_matrix.native_scores_, rtol=1e-9)
