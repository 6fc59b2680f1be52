"""Many Laplacian forms over the edges of one graph, also by large products, where these lose no digits."""

import numpy as np

from eigenselect import EVSC
from eigenselect._warn import unheard
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.sensitivity import edge_forms, eigenvalue_slopes, product_forms
from eigenselect.sensitivity.edge_forms import EdgeForms, Edges
from eigenselect.sensitivity.product_forms import ProductForms
from eigenselect.similarity import RBF


def forms_of(X, n_features=1, **options):
    """Both ways to the forms of one table."""
    with unheard():  # outliers are warned of, which is tested elsewhere
        criterion = EVSC(1, similarity=RBF(**options)).fit(X).criterion_
    return criterion._forms(n_features), criterion._edge_forms()


def test_products_and_edges_agree(rng, monkeypatch):
    """Also of similarities near zero: nearly all of S is its diagonal, which no slope sees."""
    for block in (1, 7, 256):
        monkeypatch.setattr(product_forms, "ROW_BLOCK", block)
        X = rng.normal(size=(23, 4))
        by_products, by_edges = forms_of(X)
        assert isinstance(by_products, ProductForms)
        found, expected = by_products.evaluate(X), by_edges.evaluate(X)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    by_products, by_edges = forms_of(30 * X, bandwidth=5.0)
    found, expected = (np.abs(forms.evaluate(30 * X)).sum(axis=0) for forms in (by_products, by_edges))
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_pairs_of_vectors_of_equal_eigenvalues(rng):
    """A simplex and its centre: an eigenvalue five times, with fifteen forms."""
    X = np.vstack([np.eye(6), np.zeros((1, 6))])
    by_products, by_edges = forms_of(X, bandwidth=1.0)
    assert (by_products.pairs.row != by_products.pairs.column).sum() >= 10
    tile = rng.normal(size=(7, 3))
    np.testing.assert_allclose(by_products.evaluate(tile), by_edges.evaluate(tile), atol=1e-12)


def test_features_that_lose_digits_are_summed_over_edges(rng, monkeypatch):
    """Two samples far from all others, alike to each other alone: 1e14 is subtracted from 1e14."""
    near = rng.normal(size=(20, 2))
    X = np.vstack([near, [[1e7, 0.3], [1e7 + 1, 0.1]]])
    by_products, by_edges = forms_of(X, bandwidth=1.0)
    summed = []
    whole = EdgeForms.evaluate
    monkeypatch.setattr(EdgeForms, "evaluate", lambda self, tile: (summed.append(tile.shape[1]), whole(self, tile))[1])
    tile = X - X.mean(axis=0)
    found = by_products.evaluate(tile)
    assert summed == [1]
    expected = whole(by_edges, tile)
    np.testing.assert_allclose(np.abs(found).sum(axis=0), np.abs(expected).sum(axis=0), rtol=1e-10)


def test_scores_are_the_same_either_way_and_on_any_number_of_threads(rng, monkeypatch):
    X = rng.normal(size=(30, 9)) + 1e3
    found = [EVSC(1, n_jobs=jobs).fit(X).scores_ for jobs in (1, 3)]
    np.testing.assert_array_equal(*found)
    monkeypatch.setattr(eigenvalue_slopes, "FEW_FEATURES", 0)
    np.testing.assert_allclose(EVSC(1).fit(X).scores_, found[0], rtol=1e-10)


def test_every_form_is_a_laplacian_form_of_the_one_place(rng, monkeypatch):
    """`EdgeForms` next to the quadratic form that all other criteria use, in blocks of edges of any size."""
    X = rng.normal(size=(20, 7))
    graph = SampleGraph(np.full((20, 20), 0.5))
    factors = rng.normal(size=(3, 190))
    edges = Edges.of(graph)
    place = {pair: k for k, pair in enumerate(zip(edges.first, edges.second, strict=True))}

    def weights(part):
        chosen = [place[pair] for pair in zip(part.first, part.second, strict=True)]
        return factors[:, chosen] * part.similarity

    for block, kept in ((1024, 2**28), (7, 0)):
        monkeypatch.setattr(edge_forms, "EDGE_BLOCK", block)
        monkeypatch.setattr(edge_forms, "KEPT_WEIGHT_BYTES", kept)
        for form, factor in zip(EdgeForms(edges, weights, 3).evaluate(X), factors, strict=True):
            W = np.zeros((20, 20))
            W[edges.first, edges.second] = factor * 0.5
            one = feature_terms(X, SampleGraph(W + W.T, mass=np.ones(len(X)), signed=True), PowerForm(1)).quadratic
            np.testing.assert_allclose(form, one, rtol=1e-11)
