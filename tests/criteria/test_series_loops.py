"""Chebyshev series on tiles against the recurrence with matrices, and what float32 may do to them."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm

from eigenselect.criteria import engine, series_loops
from eigenselect.criteria.quadratic import ChebyshevForm, feature_terms
from eigenselect.criteria.series_loops import (
    SeriesGraph,
    SeriesLoops,
    fill_tile,
    series_step,
    steps_in_double,
)
from eigenselect.graph import SampleGraph
from eigenselect.matrix.row_bands import row_band
from eigenselect.spectral import CAR, ChebyshevSeries, Heat, chebyshev_series

N = 40


@pytest.fixture(autouse=True)
def _float32_for_few_samples(monkeypatch):
    monkeypatch.setattr(series_loops, "SINGLE_SAMPLES", 0)


@pytest.fixture
def graph(make_similarity):
    """Rows of every length, self-loops, and samples without any edge."""
    S = make_similarity(N, isolated=3)
    return SampleGraph(sparse.csr_array(S + np.diag(S.any(axis=1) * (np.arange(N) % 3) * 0.5)))


def scaled(graph, interval):
    """P' as a dense matrix."""
    low, high = interval
    S = graph.to_array()
    P = graph.inverse_mass[:, None] * (np.diag(S.sum(axis=1)) - S)
    return (2.0 * P - (high + low) * np.eye(N)) / (high - low)


def test_a_step_is_the_recurrence(graph, rng):
    interval = (-0.5, 2.5)
    for first in (True, False):
        current, previous = rng.normal(size=(N, 5)), rng.normal(size=(N, 5))
        image = scaled(graph, interval) @ current
        expected = image if first else 2.0 * image - previous
        norm = np.zeros(5) if first else None
        cross, square = series_step(SeriesGraph.of(graph, interval), current, previous, norm)
        if first:
            np.testing.assert_allclose(norm, graph.mass @ current**2, rtol=1e-12)
        np.testing.assert_allclose(previous, expected, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(cross, graph.mass @ (expected * current), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(square, graph.mass @ expected**2, rtol=1e-12)
    current, previous = rng.normal(size=(N, 5)), np.zeros((N, 5))  # half of the edges give the quadratic form
    lower = SeriesGraph.of(graph, interval, lower=True)
    edges = np.count_nonzero(np.tril(graph.to_array(), -1))
    assert edges < np.count_nonzero(lower.weights) <= edges + N
    expected = 2.0 * graph.mass @ (current * (scaled(graph, interval) @ current))
    np.testing.assert_allclose(2.0 * series_step(lower, current, previous)[0], expected, rtol=1e-11)


def test_a_series_is_the_sum_of_its_polynomials(graph, rng):
    """Each ends at one or the other of a pair of moments; in float32 from any step on, but only as exact as that is."""
    for n_terms, n_double in product((1, 2, 3, 4, 5, 9, 12), (1, 3, 99)):
        series = ChebyshevSeries(rng.normal(size=n_terms), graph.interval, error=0.0, converged=True)
        g = rng.normal(size=(N, 4))
        P, polynomials = scaled(graph, graph.interval), [g, scaled(graph, graph.interval) @ g]
        for _ in range(n_terms - 2):
            polynomials.append(2.0 * P @ polynomials[-1] - polynomials[-2])
        expected = sum(c * graph.mass @ (g * t) for c, t in zip(series.coefficients, polynomials, strict=False))
        norm = graph.mass @ g**2
        double, last = (SeriesGraph.of(graph, series.interval, lower=lower) for lower in (False, True))
        last = last.in_single() if n_terms // 2 > n_double else last
        loops = SeriesLoops(series.coefficients, double, double.in_single(), last, n_double)
        found = loops.evaluate(g.copy(), np.full_like(g, np.nan))
        within = 1e-5 if (n_terms - 1) // 2 + (n_terms % 2 == 0) > n_double else 1e-13
        np.testing.assert_array_less(np.abs(found - expected), within * n_terms * norm)


def test_steps_in_float32_follow_from_coefficients_rows_and_tolerance():
    heat = chebyshev_series(Heat(), (0.0, 2.0)).coefficients
    assert steps_in_double(heat, 28, 8.6e-12) == 3
    assert steps_in_double(heat, 28, 1e-14) > 3  # a smaller error is asked for
    assert steps_in_double(heat, 10**5, 8.6e-12) > 3  # sums of many terms
    assert steps_in_double(heat, 28, 0.0) == heat.size // 2
    slow = chebyshev_series(CAR(), (0.0, 2.0)).coefficients
    assert steps_in_double(slow, 28, 8.6e-12) > 10


@pytest.mark.parametrize("time", [0.3, 4.0])
def test_heat_is_the_exponential_of_the_matrix(graph, rng, time, monkeypatch):
    """As exact as float64, with late steps in float32: what the rule allows is far below its bound."""
    monkeypatch.setattr(engine, "COMPILED_WORK", 0)
    series = chebyshev_series(Heat(time), graph.interval)
    loops = SeriesLoops.of(graph, series)
    assert loops.n_double < series.coefficients.size // 2
    X = np.where(rng.random((N, 70)) < 0.2, rng.integers(1, 9, size=(N, 70)), 0).astype(np.float32)
    terms = feature_terms(sparse.csr_array(X), graph, ChebyshevForm(series, Heat(time)), n_jobs=2)
    P = (scaled(graph, (0.0, 2.0)) + np.eye(N)).astype(float)
    g = X - graph.mass @ X / graph.volume
    expected = graph.mass @ (g * (g - expm(-time * P) @ g))
    np.testing.assert_allclose(terms.quadratic, expected, rtol=1e-11)
    alone = feature_terms(sparse.csr_array(X[:, 65:66]), graph, ChebyshevForm(series, Heat(time)), n_jobs=1)
    np.testing.assert_array_equal(alone.quadratic, terms.quadratic[65:66])


def test_tiles_are_written_from_the_non_zeros(rng):
    X = np.where(rng.random((9, 7)) < 0.4, rng.integers(1, 9, size=(9, 7)), 0).astype(np.float32)
    place, mean = rng.permutation(9), rng.normal(size=7)
    for store in (sparse.csr_array, sparse.csc_array):
        begin, end, indices, data, offset = row_band(store(X), slice(1, 6)).entries
        for start, stop in ((0, 3), (3, 5)):  # one after the other: each begins where the one before has ended
            tile, here = np.full((9, stop - start), np.nan), slice(1 + start, 1 + stop)
            fill_tile(begin, end, indices, data, offset + start, place, mean[here], tile)
            np.testing.assert_array_equal(tile[place], X[:, here] - mean[here])


def heat_values(graph, X):
    """⟨g, γ(N) g⟩ / ⟨g, g⟩ of heat by compiled loops, some steps of them in float32."""
    terms = feature_terms(X, graph, ChebyshevForm(chebyshev_series(Heat(), graph.interval), Heat()))
    return terms.quadratic / terms.spread


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_values_beyond_the_range_of_float32_have_the_digits_of_others(graph, rng, store, monkeypatch):
    monkeypatch.setattr(engine, "COMPILED_WORK", 0)
    X = rng.normal(size=(N, 4)) * (rng.random((N, 4)) < 0.4)
    expected = heat_values(graph, store(X))
    assert np.isfinite(expected).all()
    for unit in (2.0**140, 2.0**-160):
        np.testing.assert_array_equal(heat_values(graph, store(X * unit)), expected)
    np.testing.assert_array_equal(heat_values(graph, store(X * [2.0**140, 1.0, 2.0**-160, 1.0])), expected)
    everywhere = X.copy()
    everywhere[graph.isolated] = 1e60
    np.testing.assert_allclose(heat_values(graph, store(everywhere)), expected, rtol=1e-13)
