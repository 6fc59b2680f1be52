"""Rules of normalisation, and Moran's I and Geary's C as triples on any graph."""

import numpy as np
import pytest
from scipy import sparse

import naive
from eigenselect.criteria.autocorrelation import geary_criterion, moran_criterion
from eigenselect.criteria.criterion import DEFLATED, UNIT, AsItIs, Centred, UnitRange
from eigenselect.criteria.quadratic import FeatureTerms
from eigenselect.graph import SampleGraph
from eigenselect.similarity.labels import class_graph


def terms_of(F, M, mass):
    """The three numbers per feature, and q with the matrix M, both by plain formulas."""
    mean = mass @ F / mass.sum()
    G = np.sqrt(mass)[:, None] * (F - mean)
    return FeatureTerms(np.diag(G.T @ M @ G), (G**2).sum(axis=0), mean, mass.sum())


def with_trivial_vector(rng, xi, at_zero):
    """A symmetric matrix with the eigenvector ξ_1."""
    off = np.eye(xi.size) - np.outer(xi, xi)
    B = rng.normal(size=(xi.size, xi.size))
    return off @ (B + B.T) @ off + at_zero * np.outer(xi, xi)


def test_three_numbers_are_enough_for_unit_length(rng):
    """Scores from (q, spread, trivial) equal f̂ᵀMf̂ with f̂ formed, for a matrix M with ξ_1 as eigenvector."""
    d = rng.uniform(0.5, 2, size=12)
    M = with_trivial_vector(rng, np.sqrt(d) / np.linalg.norm(np.sqrt(d)), 0.7)
    F = rng.normal(size=(12, 4)) + 2
    for rule in (UNIT, DEFLATED):
        F_hat = rule.apply(F, SampleGraph(np.diag(d)))
        np.testing.assert_allclose(rule.value(terms_of(F, M, d), 0.7, ""), np.diag(F_hat.T @ M @ F_hat), rtol=1e-12)
        np.testing.assert_allclose(rule.length(terms_of(F, M, d)), (F_hat**2).sum(axis=0))


def test_unit_range_divides_by_the_range(rng):
    F = rng.normal(size=(12, 3)) * [1, 1e3, 1e-3]
    ranges = np.ptp(F, axis=0)
    rule, graph = UnitRange(ranges / 2), SampleGraph(np.eye(12), mass=np.ones(12), signed=True)
    np.testing.assert_allclose(np.ptp(rule.apply(F, graph), axis=0), 1)
    linear = terms_of(F, np.eye(12), np.ones(12))
    np.testing.assert_allclose(rule.value(linear, 0.0, ""), linear.quadratic / ranges, rtol=1e-12)


def test_deflated_features_are_orthogonal_to_the_trivial_vector(rng):
    d = rng.uniform(0.5, 2, size=12)
    F_hat = DEFLATED.apply(rng.normal(size=(12, 3)) + 1e8, SampleGraph(np.diag(d)))
    np.testing.assert_allclose(np.sqrt(d) @ F_hat, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(F_hat, axis=0), 1)


def check(criterion, formula, X, W, store):
    defined = [0, 1, 2, *range(4, 9)]
    found = criterion.scores(store(X)).native
    np.testing.assert_allclose(found[defined], [formula(W, X[:, j]) for j in defined], rtol=1e-9, atol=1e-10)
    assert np.isnan(found[3])


def test_moran_and_geary_are_one_where_all_degrees_are_equal(rng):
    """On a ring C = (n-1)/n · (1 - I)."""
    X = counts(rng)
    W = np.roll(np.eye(24), 1, axis=1) + np.roll(np.eye(24), -1, axis=1)
    moran, geary = (make(SampleGraph(W)).scores(X).native for make in (moran_criterion, geary_criterion))
    np.testing.assert_allclose(geary, 23 / 24 * (1 - moran), rtol=1e-9)


def test_features_as_they_are_need_no_mean(rng):
    """With Mξ_1 = 0 the mean of f does not count, so q of the centred feature is f̂ᵀMf̂."""
    ones = np.ones(12)
    M = with_trivial_vector(rng, ones / np.sqrt(12), 0.0)
    F = rng.normal(size=(12, 4)) * [1, 10, 0.1, 3] + 2
    for rule in (AsItIs(), AsItIs("unit"), Centred()):
        F_hat = rule.apply(F, SampleGraph(np.eye(12), mass=ones, signed=True))
        np.testing.assert_allclose(rule.value(terms_of(F, M, ones), 0.0, ""), np.diag(F_hat.T @ M @ F_hat), rtol=1e-10)
        squares = ((F_hat - F_hat.mean(axis=0)) ** 2).sum(axis=0)
        np.testing.assert_allclose(rule.length(terms_of(F, M, ones)) * np.ones(4), squares, rtol=1e-12)


def test_no_spread_no_score():
    """Silently: nothing is divided by a range of 0."""
    for rule in (UNIT, DEFLATED, AsItIs(), AsItIs("unit")):
        terms = FeatureTerms(np.zeros(2), np.array([0.0, 1.0]), np.array([1.0, 0.0]), 3.0)
        np.testing.assert_array_equal(np.isnan(rule.value(terms, 0.0, "")), [True, False], err_msg=str(rule))
    terms = FeatureTerms(np.array([0.0, 6.0]), np.array([0.0, 2.0]), np.zeros(2), 4.0)
    np.testing.assert_array_equal(UnitRange(np.array([0.0, 1.5])).value(terms, 0.0, "test"), [np.nan, 2.0])


def counts(rng):
    """Counts, mostly zeros; a feature with hardly any zero; one with a large mean; a constant one."""
    X = rng.poisson(0.4, size=(24, 9)).astype(float)
    X[:, 1] = rng.normal(size=24)
    X[:, 2] = rng.normal(size=24) + 1e6
    X[:, 3] = 0.1
    return X


def test_the_formula_on_any_storage(rng, make_similarity, as_kind, kernels):
    """With self-similarities and isolated samples, which count; on graphs that are never formed; in any unit."""
    X, S = counts(rng), make_similarity(isolated=2)
    S[np.arange(5), np.arange(5)] = 0.7
    diffusion = SampleGraph(sparse.csr_array(make_similarity())).diffuse(0.4)
    classes = class_graph(np.arange(24) % 3, ["a", "b", "c"])
    cases = [(graph, graph.to_array()) for graph in (SampleGraph(sparse.csr_array(S)), diffusion, classes)]
    cases += [(SampleGraph(np.ldexp(S, exponent)), S) for exponent in (0, -200, 200)]
    signed = SampleGraph(np.array([[0.0, -1], [-1, 0]]), mass=np.ones(2), signed=True)
    for make, formula in ((moran_criterion, naive.moran_i), (geary_criterion, naive.geary_c)):
        for graph, W in cases:
            check(make(graph), formula, X, W, as_kind)
        first = make(SampleGraph(S))  # a triple made of its own graph is the same
        np.testing.assert_array_equal(make(first.graph).scores(X).native, first.scores(X).native)
        for graph in (SampleGraph(sparse.csr_array((3, 3))), signed):
            with pytest.raises(ValueError, match="GearyC: .* positive sum"):
                make(graph, "GearyC")
