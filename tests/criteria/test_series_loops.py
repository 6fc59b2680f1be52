"""One step of a Chebyshev series against the recurrence with matrices."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.series_loops import series_step
from eigenselect.graph import SampleGraph


@pytest.mark.parametrize("isolated", [0, 3])
def test_a_step_is_the_recurrence(make_similarity, rng, isolated):
    S = make_similarity(23, isolated=isolated)
    graph, interval = SampleGraph(sparse.csr_array(S)), (-0.5, 2.5)
    current, previous = rng.normal(size=(23, 5)), rng.normal(size=(23, 5))
    P = graph.inverse_mass[:, None] * (np.diag(S.sum(axis=1)) - S)
    expected = 2.0 * (2.0 * P - 2.0 * np.eye(23)) / 3.0 @ current - previous
    cross, square = series_step(graph, interval, 2.0, current, previous)
    np.testing.assert_allclose(previous, expected, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(cross, graph.mass @ (expected * current), rtol=1e-10)
    np.testing.assert_allclose(square, graph.mass @ expected**2, rtol=1e-12)
