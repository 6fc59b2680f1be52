"""Moran's I and Geary's C as triples on any graph."""

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect.criteria.autocorrelation import Line, geary_criterion, moran_criterion
from eigenselect.graph import SampleGraph
from eigenselect.similarity.label import class_graph

PAIRS = [(moran_criterion, naive.moran_i), (geary_criterion, naive.geary_c)]


@pytest.fixture
def X(rng):
    """Counts, mostly zeros; a feature with hardly any zero; one with a large mean; a constant one."""
    X = rng.poisson(0.4, size=(24, 9)).astype(float)
    X[:, 1] = rng.normal(size=24)
    X[:, 2] = rng.normal(size=24) + 1e6
    X[:, 3] = 0.1
    return X


def check(criterion, formula, X, W, store):
    defined = [0, 1, 2, *range(4, 9)]
    found = criterion.scores(store(X)).native
    np.testing.assert_allclose(found[defined], [formula(W, X[:, j]) for j in defined], rtol=1e-9, atol=1e-10)
    assert np.isnan(found[3])


@pytest.mark.parametrize(("make", "formula"), PAIRS)
@pytest.mark.parametrize("dense_graph", [True, False])
def test_the_formula_on_any_storage(make, formula, dense_graph, X, make_similarity, as_kind, kernels):
    """With self-similarities and a sample that has no neighbour, which counts."""
    S = make_similarity(isolated=2)
    S[np.arange(5), np.arange(5)] = 0.7
    graph = SampleGraph(S if dense_graph else sparse.csr_array(S))
    check(make(graph), formula, X, S, as_kind)


@pytest.mark.parametrize(("make", "formula"), PAIRS)
@pytest.mark.parametrize("kind", ["diffusion", "classes"])
def test_the_formula_on_graphs_that_are_never_formed(make, formula, kind, X, make_similarity, as_kind, kernels):
    base = SampleGraph(sparse.csr_array(make_similarity()))
    graph = base.diffuse(0.4) if kind == "diffusion" else class_graph(np.arange(24) % 3, ["a", "b", "c"])
    check(make(graph), formula, X, graph.to_array(), as_kind)


@pytest.mark.parametrize(("make", "formula"), PAIRS)
def test_a_triple_made_of_its_own_graph_is_the_same(make, formula, X, make_similarity):
    first = make(SampleGraph(make_similarity(isolated=1)))
    np.testing.assert_array_equal(make(first.graph).scores(X).native, first.scores(X).native)


@pytest.mark.parametrize(("make", "formula"), PAIRS)
def test_weights_in_another_unit_make_no_difference(make, formula, X, make_similarity):
    S = make_similarity()
    expected = make(SampleGraph(S)).scores(X).native
    for exponent in (-300, 300):
        np.testing.assert_allclose(make(SampleGraph(np.ldexp(S, exponent))).scores(X).native, expected, rtol=1e-12)


@pytest.mark.parametrize(("make", "formula"), PAIRS)
def test_a_graph_without_weight_is_refused(make, formula):
    signed = SampleGraph(np.array([[0.0, -1], [-1, 0]]), mass=np.ones(2), signed=True)
    for graph in (SampleGraph(sparse.csr_array((3, 3))), signed):
        with pytest.raises(ValueError, match="GearyC: the similarities must have a positive sum, got"):
            make(graph, "GearyC")


def test_moran_and_geary_are_one_where_all_degrees_are_equal(X):
    """On a ring C = (n-1)/n · (1 - I)."""
    W = np.roll(np.eye(24), 1, axis=1) + np.roll(np.eye(24), -1, axis=1)
    moran, geary = (make(SampleGraph(W)).scores(X).native for make in (moran_criterion, geary_criterion))
    np.testing.assert_allclose(geary, 23 / 24 * (1 - moran), rtol=1e-9)


def test_a_line_is_exact():
    np.testing.assert_array_equal(Line(0.5, -0.25)(np.array([0.0, 2.0])), [0.5, 0.0])
