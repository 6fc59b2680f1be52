"""Many Laplacian forms over the edges of one graph."""

import numpy as np

from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.sensitivity.edge_forms import EdgeForms, Edges


def test_every_form_is_a_laplacian_form_of_the_one_place(rng):
    """`EdgeForms` next to the quadratic form that all other criteria use."""
    X = rng.normal(size=(20, 7))
    graph = SampleGraph(np.full((20, 20), 0.5))
    factors = rng.normal(size=(3, 190))
    forms = EdgeForms(Edges.of(graph), lambda edges: factors * edges.similarity, 3)
    for form, factor in zip(forms.evaluate(X), factors, strict=True):
        W = np.zeros((20, 20))
        W[np.triu_indices(20, 1)] = factor * 0.5
        one = feature_terms(X, SampleGraph(W + W.T, mass=np.ones(len(X)), signed=True), PowerForm(1)).quadratic
        np.testing.assert_allclose(form, one, rtol=1e-11)
