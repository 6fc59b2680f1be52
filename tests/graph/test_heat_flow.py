"""Heat over a graph is the exponential of its Laplacian."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import expm

from eigenselect.graph import SampleGraph
from eigenselect.graph.heat_flow import HeatFlow


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


@pytest.mark.parametrize("beta", [0.1, 1.0, 20.0])
def test_the_similarity_is_the_exponential(make_similarity, as_kind, rng, beta):
    S = make_similarity(12, blocks=2)
    L = np.diag(S.sum(axis=1)) - S
    operator = HeatFlow(beta).similarity(SampleGraph(as_kind(S)))
    F = rng.normal(size=(12, 3))
    np.testing.assert_allclose(operator @ F, expm(-beta * L) @ F, atol=1e-12)
    np.testing.assert_allclose(operator @ F[:, 0], expm(-beta * L) @ F[:, 0], atol=1e-12)
    np.testing.assert_allclose(operator.T @ F, operator @ F)
    np.testing.assert_allclose(operator @ np.ones(12), 1.0)


def test_frequencies_are_the_eigenvalues_of_identity_minus_heat(make_similarity):
    S = make_similarity(10)
    L = np.diag(S.sum(axis=1)) - S
    expected = np.linalg.eigvalsh(np.eye(10) - expm(-0.7 * L))
    np.testing.assert_allclose(HeatFlow(0.7).frequencies(np.linalg.eigvalsh(L)), expected, atol=1e-12)
