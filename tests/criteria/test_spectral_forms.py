"""Functions of N from eigenpairs, on sparse tables."""

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect.criteria import engine, spectral_forms
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.quadratic import ChebyshevForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.spectral import ChebyshevSeries, Custom, Power


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("few", [0, 100])
def test_phi3_of_sparse_columns_by_projection_and_by_tiles(graph, rng, kernels, store, few, monkeypatch):
    monkeypatch.setattr(spectral_forms, "FEW_VECTORS", few)
    X = rng.poisson(0.5, size=(30, 40)) * rng.normal(size=(30, 40))
    X[:, 0] += 9.0
    criterion = phi("phi3", graph, Power(1), 6)
    np.testing.assert_allclose(criterion.scores(store(X)).native, criterion.scores(X).native, rtol=1e-10)


@pytest.mark.parametrize("ranking", ["phi1", "phi2"])
@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
def test_means_of_sparse_columns_are_taken_off_the_projections(graph, rng, kernels, ranking, store):
    """γ(0) is not 0 and the basis holds the trivial vector, so a mean that is left in would count."""
    X = rng.poisson(0.7, size=(30, 6)) + 2.0 * (np.arange(6) % 2)
    found = phi(ranking, graph, Custom(np.exp)).scores(store(X)).native
    naively = naive.phi1 if ranking == "phi1" else naive.phi2
    np.testing.assert_allclose(found, [naively(graph.to_array(), f, np.exp) for f in X.T], rtol=1e-10)


@pytest.mark.parametrize("ordered", [np.inf, 0])
@pytest.mark.parametrize("n_terms", [2, 3, 4, 12])
def test_a_series_by_compiled_loops_is_the_same(make_similarity, rng, monkeypatch, ordered, n_terms):
    """Moments come in pairs, in any order of the samples; each series ends at one or the other of a pair."""
    monkeypatch.setattr(engine, "ORDERED_SAMPLES", ordered)
    S = make_similarity(30, blocks=2, isolated=2)[np.ix_(order := rng.permutation(30), order)]
    graph = SampleGraph(sparse.csr_array(S))
    series = ChebyshevSeries(rng.normal(size=n_terms), graph.interval, error=0.0, converged=True)
    form, X = ChebyshevForm(series, Power(1)), rng.poisson(0.5, size=(30, 9)) * 1.0
    found = {}
    for limit in (0, np.inf):
        monkeypatch.setattr(engine, "COMPILED_WORK", limit)
        found[limit] = feature_terms(sparse.csr_array(X), graph, form)
    np.testing.assert_allclose(found[0].quadratic, found[np.inf].quadratic, rtol=1e-10)
    np.testing.assert_array_equal(found[0].spread > 0, True)
