"""γ(N) of a graph with isolated samples, whichever route computes it."""

import numpy as np
import pytest

from eigenselect import SPEC
from eigenselect.criteria.quadratic import ChebyshevForm
from eigenselect.graph import SampleGraph
from eigenselect.spectral import Custom, chebyshev_series


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
@pytest.mark.parametrize("isolated", [0, 3, 7])
def test_gamma_of_an_isolated_sample_is_gamma_of_zero(isolated):
    rng = np.random.default_rng(0)
    X, S = rng.normal(size=(8, 3)), rng.random((8, 8))
    S = S + S.T
    S[isolated] = S[:, isolated] = 0.0
    selector = SPEC(spectral_function=np.exp).fit(X, similarity_matrix=S)
    A = np.eye(8) - selector.quadratic_form(X)[0]
    assert A[isolated, isolated] == pytest.approx(1.0)
    graph, gamma = SampleGraph(S), Custom(np.exp)
    series = ChebyshevForm(chebyshev_series(gamma, graph.interval), gamma)
    np.testing.assert_allclose(A, series.matrix(graph), atol=1e-12)
