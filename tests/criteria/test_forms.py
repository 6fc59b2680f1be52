"""Each form is the quadratic form of the matrix that it shows: powers, kernels, functions of eigenvalues."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import naive
from eigenselect.criteria import forms as forms_module
from eigenselect.criteria import structured
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.forms import IdentityForm, KernelForm, PowerForm
from eigenselect.criteria.quadratic import ChebyshevForm, feature_terms
from eigenselect.criteria.structured import laplacian_power
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.spectral import ChebyshevSeries, Custom, Power, chebyshev_series


def power_of(graph, power):
    root = np.sqrt(graph.mass)
    return root[:, None] * PowerForm(power).matrix(graph) * root


def test_a_form_is_that_of_its_matrix(make_similarity, rng, kernels):
    S = make_similarity(20)
    by_degree, equal = SampleGraph(sparse.csr_array(S)), SampleGraph(sparse.csr_array(S)).weighing_equally()
    cases = [(by_degree, form) for form in (PowerForm(1), PowerForm(2), PowerForm(3), IdentityForm())]
    cases.append((equal, KernelForm(sparse.csr_array(S), rng.normal(size=20), factor=0.5)))
    X = rng.poisson(0.8, size=(20, 6)) * rng.normal(size=(20, 6))
    for (graph, form), store in product(cases, (np.asarray, sparse.csr_array)):
        g = np.sqrt(graph.mass)[:, None] * (X - np.average(X, axis=0, weights=graph.mass))
        expected = np.einsum("ij,ij->j", g, form.matrix(graph) @ g)
        found = feature_terms(store(X), graph, form).quadratic
        np.testing.assert_allclose(found, expected, rtol=1e-10, err_msg=f"{form} {store}")


def test_a_kernel_as_a_structured_form_takes_out_the_mean(make_similarity, rng):
    """No kernel is written out that was not: classes stay sums over classes, products stay products."""
    graph = SampleGraph(sparse.csr_array(make_similarity(20))).weighing_equally()
    X, S = rng.normal(3.0, size=(20, 4)), make_similarity(20)
    classes = ClassMeans(rng.permutation(np.arange(20) % 3), 3)
    for K in (S, sparse.csr_array(S), classes, aslinearoperator(S)):
        for diagonal in (np.zeros(20), rng.normal(size=20)):
            form = KernelForm(K, diagonal, factor=0.5)
            found, expected = form.structured(graph), form.quadratic(X - X.mean(axis=0), graph)
            np.testing.assert_allclose(found.quadratic(X), expected, rtol=1e-9)
            assert found.is_implicit == (not (sparse.issparse(K) or K is S or K is classes))


def graphs(S):
    n = len(S)
    yield "sparse", SampleGraph(sparse.csr_array(S))
    yield "dense", SampleGraph(S)
    yield "classes", SampleGraph(ClassMeans(np.arange(n) % 4, 4))
    yield "operator", SampleGraph(aslinearoperator(S))
    yield "own mass", SampleGraph(sparse.csr_array(S), mass=np.linspace(0.5, 2, n), signed=True)


@pytest.mark.parametrize("limits", [(4_000_000, 2000), (4_000_000, 0), (0, 0)], ids=["dense", "sparse", "products"])
def test_powers(make_similarity, limits, monkeypatch):
    monkeypatch.setattr(structured, "MOST_ENTRIES", limits[0])
    monkeypatch.setattr(structured, "FEW_SAMPLES", limits[1])
    for (name, graph), power in product(graphs(make_similarity(14, isolated=1)), (1, 2, 3, 4)):
        form = laplacian_power(graph, power)
        np.testing.assert_allclose(form.to_array(), power_of(graph, power), atol=1e-10, err_msg=f"{name} {power}")
        if graph.is_sparse and power > 1:
            assert form.is_implicit == (limits == (0, 0))


def test_series(make_similarity):
    for kind in (sparse.csr_array, np.asarray):
        graph = SampleGraph(kind(make_similarity(14, isolated=1)))
        series = chebyshev_series(lambda mu: mu**2 + 0.5 * mu, graph.interval)
        found = ChebyshevForm(series, Power(1)).structured(graph).to_array()
        np.testing.assert_allclose(found, power_of(graph, 2) + 0.5 * power_of(graph, 1), atol=1e-9)


def test_functions_of_eigenvalues_on_sparse_columns(make_similarity, rng, kernels, monkeypatch):
    """By projection and by tiles; γ(0) is not 0 and a basis holds the trivial vector, so a mean left in would count."""
    graph = SampleGraph(sparse.csr_array(make_similarity(30)))
    few = rng.poisson(0.5, size=(30, 40)) * rng.normal(size=(30, 40))
    few[:, 0] += 9.0
    leading, X = phi("phi3", graph, Power(1), 6), rng.poisson(0.7, size=(30, 6)) + 2.0 * (np.arange(6) % 2)
    for store in (sparse.csr_array, sparse.csc_array):
        for limit in (0, 100):
            monkeypatch.setattr(forms_module, "FEW_VECTORS", limit)
            np.testing.assert_allclose(leading.scores(store(few)).native, leading.scores(few).native, rtol=1e-10)
        for ranking, naively in (("phi1", naive.phi1), ("phi2", naive.phi2)):
            found = phi(ranking, graph, Custom(np.exp)).scores(store(X)).native
            np.testing.assert_allclose(found, [naively(graph.to_array(), f, np.exp) for f in X.T], rtol=1e-10)


def test_a_series_of_any_degree_is_that_of_its_matrix(make_similarity, rng, kernels):
    """Moments come in pairs; each series ends at one or the other of a pair."""
    graph = SampleGraph(sparse.csr_array(make_similarity(30, blocks=2, isolated=2)))
    X = rng.poisson(0.5, size=(30, 9)) * 1.0
    g = np.sqrt(graph.mass)[:, None] * (X - np.average(X, axis=0, weights=graph.mass))
    for n_terms in (2, 3, 4, 12):
        series = ChebyshevSeries(rng.normal(size=n_terms), graph.interval, error=0.0, converged=True)
        values = np.polynomial.chebyshev.chebval(np.linspace(-1, 1, 7), series.coefficients)
        form = ChebyshevForm(series, Power(1), at_zero=float(values[0]))
        for store in (np.asarray, sparse.csr_array):
            found = feature_terms(store(X), graph, form).quadratic
            np.testing.assert_allclose(found, np.einsum("ij,ij->j", g, form.matrix(graph) @ g), rtol=1e-10)


def test_the_matrix_of_a_series_is_that_of_the_eigensystem(make_similarity):
    graph, gamma = SampleGraph(sparse.csr_array(make_similarity(20, isolated=1))), Custom(np.exp)
    form = ChebyshevForm(chebyshev_series(gamma, graph.interval), gamma, at_zero=1.0)
    pairs = graph.full_eigensystem()
    expected = (pairs.eigenvectors * np.exp(pairs.eigenvalues)) @ pairs.eigenvectors.T
    np.testing.assert_allclose(form.matrix(graph), expected, atol=1e-10)
