"""Many Laplacian forms over the edges of one graph."""

import numpy as np
import pytest

from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.sensitivity import edge_forms
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


class TestEdges:
    def test_every_pair_once_without_the_diagonal(self, make_similarity, as_kind):
        S = make_similarity(9) + np.diag(np.arange(9.0))
        edges = Edges.of(SampleGraph(as_kind(S)))
        assert (edges.first < edges.second).all()
        found = np.zeros((9, 9))
        found[edges.first, edges.second] = edges.similarity
        np.testing.assert_array_equal(found, np.triu(S, 1))

    def test_blocks_are_parts(self, make_similarity):
        edges = Edges.of(SampleGraph(make_similarity(9)))
        part = edges.block(slice(3, 7))
        np.testing.assert_array_equal(part.similarity, edges.similarity[3:7])
        np.testing.assert_array_equal(part.first, edges.first[3:7])
        np.testing.assert_array_equal(part.second, edges.second[3:7])


@pytest.mark.parametrize("kept", [0, 2**28])
@pytest.mark.parametrize("block", [1, 7, 1024])
def test_blocks_of_edges_add_up_and_weights_are_made_once_if_they_fit(make_similarity, rng, monkeypatch, kept, block):
    monkeypatch.setattr(edge_forms, "EDGE_BLOCK", block)
    monkeypatch.setattr(edge_forms, "KEPT_WEIGHT_BYTES", kept)
    edges = Edges.of(SampleGraph(make_similarity(10)))
    tile, made = rng.normal(size=(10, 4)), []

    def weights(part):
        made.append(part.first.size)
        return np.stack([part.similarity, -(part.similarity**2)])

    forms = EdgeForms(edges, weights, 2)
    squares = (tile[edges.first] - tile[edges.second]) ** 2
    expected = np.stack([edges.similarity, -(edges.similarity**2)]) @ squares
    for _ in range(2):
        np.testing.assert_allclose(forms.evaluate(tile), expected, rtol=1e-12)
    assert sum(made) == edges.first.size * (1 if kept else 2)
    assert max(made) <= block
