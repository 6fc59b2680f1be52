"""Powers of the Laplacian as matrices, multiplied out or by products."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import laplacian_forms
from eigenselect.criteria.laplacian_forms import GraphLaplacian, laplacian_form, laplacian_power, series_form
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.criteria.structured import ImplicitForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.spectral import chebyshev_series


def expected(graph, power):
    root = np.sqrt(graph.mass)
    return root[:, None] * PowerForm(power).matrix(graph) * root


@pytest.fixture(params=["sparse", "dense", "classes", "operator", "own mass"])
def graph(request, make_similarity):
    S = make_similarity(14, isolated=1)
    if request.param == "classes":
        return SampleGraph(ClassMeans(np.arange(14) % 4, 4))
    if request.param == "operator":
        return SampleGraph(sparse.linalg.aslinearoperator(S))
    if request.param == "own mass":
        return SampleGraph(sparse.csr_array(S), mass=np.linspace(0.5, 2, 14), signed=True)
    return SampleGraph(S if request.param == "dense" else sparse.csr_array(S))


@pytest.mark.parametrize("power", [1, 2, 3, 4])
@pytest.mark.parametrize("limits", [(4_000_000, 2000), (4_000_000, 0), (0, 0)], ids=["dense", "sparse", "products"])
def test_powers(graph, power, limits, monkeypatch):
    monkeypatch.setattr(laplacian_forms, "MOST_ENTRIES", limits[0])
    monkeypatch.setattr(laplacian_forms, "FEW_SAMPLES", limits[1])
    form = laplacian_power(graph, power)
    np.testing.assert_allclose(form.to_array(), expected(graph, power), atol=1e-10)
    if graph.is_sparse and power > 1:
        assert isinstance(form, ImplicitForm) == (limits == (0, 0))


def test_many_classes_stay_in_closed_form():
    graph = SampleGraph(ClassMeans(np.arange(20_000) // 2, 10_000))
    for power in (1, 3):
        form = laplacian_power(graph, power)
        assert form.classes is not None
        assert form.E.nnz == 20_000
        assert form.V.shape[1] == 0


def test_laplacian_of_a_graph_with_a_spectral_map_is_the_stored_one(make_similarity):
    base = SampleGraph(sparse.csr_array(make_similarity(9)))
    np.testing.assert_array_equal(laplacian_form(base.diffuse(2.0)).to_array(), laplacian_form(base).to_array())


@pytest.mark.parametrize("loops", [False, True])
def test_the_form_of_a_sparse_graph_is_that_of_its_matrix(rng, make_similarity, loops):
    """Products, diagonal, entries and another order, with similarities of samples to themselves or without."""
    S = make_similarity(14) + (np.diag(rng.random(14)) if loops else 0.0)
    graph = SampleGraph(sparse.csr_array(S))
    form, L, F = laplacian_form(graph), np.diag(S.sum(axis=1)) - S, rng.normal(size=(14, 3))
    assert isinstance(form, GraphLaplacian)
    np.testing.assert_allclose(form @ F, L @ F, atol=1e-14)
    np.testing.assert_allclose(form @ F[:, 0], L @ F[:, 0], atol=1e-14)
    np.testing.assert_allclose(form.diagonal(), np.diag(L), atol=1e-15)
    diagonal, others, factor = form.split()
    off = factor * others.toarray()
    np.testing.assert_allclose(off - np.diag(np.diag(off)) + np.diag(diagonal), L, atol=1e-15)
    moved = form.moved(graph.nearby)
    order = graph.nearby.order
    np.testing.assert_allclose(moved.to_array(), L[order][:, order], atol=1e-15)
    assert "E" not in vars(form)  # nobody has asked for it
    np.testing.assert_array_equal(form.E.toarray(), graph.laplacian().toarray())
    np.testing.assert_allclose(form.projected(np.eye(14)[:, :1]).to_array()[1:, 1:], L[1:, 1:], atol=1e-14)
    np.testing.assert_allclose(form.restricted(np.arange(5)).to_array(), L[:5, :5], atol=1e-15)


@pytest.mark.parametrize("kind", [sparse.csr_array, np.asarray])
def test_series(make_similarity, kind):
    graph = SampleGraph(kind(make_similarity(14, isolated=1)))
    series = chebyshev_series(lambda mu: mu**2 + 0.5 * mu, graph.interval)
    found = series_form(graph, series).to_array()
    np.testing.assert_allclose(found, expected(graph, 2) + 0.5 * expected(graph, 1), atol=1e-9)
