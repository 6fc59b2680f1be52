"""Compiled loops over dense columns, and scores by one multiply-add an edge: as exact as differences."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import engine
from eigenselect.criteria.criterion import rounding_of_sums
from eigenselect.criteria.dense_loops import ROWS, Triangle, filled, form_of_tile, shifted
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.matrix import base as matrix_base


def laplacian(S):
    S = S - np.diag(np.diag(S))
    return np.diag(S.sum(axis=1)) - S


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr(engine, "COMPILED_WORK", 0)


def brute_force(S, mass, X):
    """Σ S_ij (f_i - f_j)², Σ m (f - μ)² and μ with more digits than the columns have."""
    X, S, mass = X.astype(np.longdouble), S.astype(np.longdouble), mass.astype(np.longdouble)
    energy = [(np.tril(S, -1) * np.subtract.outer(f, f) ** 2).sum() for f in X.T]
    mean = X[0] + mass @ (X - X[0]) / mass.sum()
    return energy, mass @ (X - mean) ** 2, mean


def columns(rng, n):
    """Noise, a constant, large means, an outlier among few values, steps, units, a smooth column, noise around it."""
    noise, place = rng.normal(size=n), np.arange(n) / n
    outlier, rare = noise.copy(), np.where(rng.random(n) < 0.05, rng.random(n), 0.0)
    outlier[0] = 1e10
    return np.column_stack([
        noise, np.full(n, 0.1), noise + 1e6, outlier, rare, np.repeat([0.3, 5.0], [n // 2, n - n // 2]),
        1e-80 * noise, 1e80 * noise, place, np.sin(4 * place), place + 0.01 * noise, place + 0.1 * noise,
    ])  # fmt: skip


def ring(n):
    """Every sample is joined to those within four steps, so that slow columns are smooth."""
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.where((apart > 0) & (np.minimum(apart, n - apart) <= 4), 1.0 / np.maximum(apart, 1), 0.0)


GRAPHS = {
    "ring": ring(90),
    "self loops": ring(90) + np.diag(np.arange(90.0)),
    "two parts": np.kron(np.eye(2), ring(45)),
    "signed": ring(90) * np.where(np.add.outer(np.arange(90), np.arange(90)) % 3 == 0, -1.0, 1.0),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_against_brute_force(rng, name):
    S, X = GRAPHS[name], columns(rng, 90)
    own = np.ones(90) if name == "signed" else None
    graph = SampleGraph(sparse.csr_array(S), mass=own, signed=name == "signed")
    energy, spread, mean = brute_force(S, graph.mass, X)
    terms = feature_terms(X, graph, PowerForm(1))
    # weights of both signs cancel whatever is done: then rounding is relative to their sizes
    rounding = 1e-14 * np.asarray(np.abs(S).sum(axis=1).max() * spread, float) if name == "signed" else 0.0
    assert (np.abs(terms.quadratic - np.asarray(energy, float)) <= 1e-12 * np.abs(terms.quadratic) + rounding).all()
    np.testing.assert_allclose(terms.spread, spread.astype(float), rtol=1e-12)
    assert (np.abs(terms.mean - mean) <= 1e-12 * (np.abs(mean) + terms.deviation)).all()
    assert terms.spread[1] == 0.0
    assert terms.mean[1] == 0.1
    if name == "two parts":
        assert terms.quadratic[5] == 0.0


def test_isolated_samples_may_hold_anything(rng):
    S, X = np.zeros((93, 93)), np.full((93, 12), 1.7e308)
    live = np.setdiff1d(np.arange(93), [0, 40, 92])
    S[np.ix_(live, live)], X[live] = ring(90), columns(rng, 90)
    X[0], X[40] = 1e200, -1.7e308
    found = feature_terms(X, SampleGraph(sparse.csr_array(S)), PowerForm(1))
    without = feature_terms(X[live], SampleGraph(sparse.csr_array(ring(90))), PowerForm(1))
    units = np.zeros(12, dtype=int) if found.exponent is None else found.exponent
    for part, power in (("quadratic", 2), ("spread", 2), ("mean", 1)):
        values = np.ldexp(getattr(found, part), power * units)
        np.testing.assert_allclose(values, getattr(without, part), rtol=1e-12, atol=1e-14)


def test_neither_tiles_nor_threads_nor_precision_change_a_bit(rng, monkeypatch):
    """The same columns alone, in tiles of other widths, in single precision where they lie, and by columns."""
    graph = SampleGraph(sparse.csr_array(ring(90)))
    X = np.tile(columns(rng, 90)[:, [0, 1, 4, 5, 8, 9, 10]].astype(np.float32), 11)
    expected = feature_terms(X, graph, PowerForm(1), n_jobs=1)
    np.testing.assert_array_equal(expected.quadratic, np.tile(expected.quadratic[:7], 11))
    monkeypatch.setattr(matrix_base, "TILE_COLUMNS", (1, 19))
    for other in (X, X.astype(np.float64), np.asfortranarray(X)):
        found = feature_terms(other, graph, PowerForm(1), n_jobs=3)
        for part in ("quadratic", "spread", "mean"):
            np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
    alone = [feature_terms(X[:, [c]], graph, PowerForm(1)).quadratic[0] for c in range(7)]
    np.testing.assert_array_equal(alone, expected.quadratic[:7])


@pytest.mark.parametrize("n_samples", [64, 700])
def test_columns_equal_up_to_unit_and_origin_tie(rng, n_samples):
    """Also where the energy is just above the part of its terms below which it is measured again."""
    graph = SampleGraph(sparse.csr_array(ring(n_samples)))
    slow = np.sin(2 * np.pi * np.arange(n_samples) / n_samples)[:, None]
    f = slow + rng.normal(size=(n_samples, 60)) * np.linspace(0.0, 0.6, 60)
    scores = []
    for copy in (f, 3.0 * f, -0.7 * f, f + 0.3, 1.1 * f - 5.0, f + 0.9, f - 1.35):
        terms = feature_terms(copy, graph, PowerForm(1))
        scores.append(terms.quadratic / terms.spread)
    assert (np.abs(np.array(scores) - scores[0]) <= rounding_of_sums(n_samples) * scores[0]).all()


def test_samples_that_hardly_count_may_be_far_off(rng):
    """They are among those that a first guess of the mean is made of; edges or only the mass make them count little."""
    factor = np.where((np.arange(90) % 5 == 0) & (np.arange(90) > 0), 1e-20, 1.0)
    X = columns(rng, 90)[:, :2] + 1.0
    X[factor < 1] += 1e8
    for S, mass in ((ring(90) * np.outer(factor, factor), None), (ring(90), factor)):
        graph = SampleGraph(sparse.csr_array(S), mass=mass)
        energy, spread, mean = brute_force(S, graph.mass, X)
        terms = feature_terms(X, graph, PowerForm(1))
        for found, expected in ((terms.quadratic, energy), (terms.spread, spread), (terms.mean, mean)):
            np.testing.assert_allclose(found, np.asarray(expected, float), rtol=1e-12)


def test_rows_of_any_number_of_edges(rng):
    """Four edges are taken at a time, the degree among them; self loops and signs must not matter."""
    for n_neighbors in range(10):
        S = np.diag(rng.random(10))
        S[9, :n_neighbors] = S[:n_neighbors, 9] = rng.normal(size=n_neighbors)
        tile, triangle = rng.normal(size=(10, 3)), Triangle.of(sparse.csr_array(S))
        expected = np.einsum("ij,ij->j", tile, laplacian(S) @ tile)
        np.testing.assert_allclose(form_of_tile(triangle, tile), expected, atol=1e-13, err_msg=str(n_neighbors))
        np.testing.assert_allclose(triangle.sizes, filled(np.abs(S - np.diag(np.diag(S))).sum(axis=1)), rtol=1e-14)


def test_entries_of_any_symmetric_matrix(rng):
    """In any order, with a diagonal, and two at one place; what is where does not depend on their values."""
    for n_entries in range(10):
        E = np.diag(rng.normal(size=10))
        E[9, :n_entries] = E[:n_entries, 9] = rng.normal(size=n_entries)
        rows, columns = (np.repeat(axis, 2) for axis in np.nonzero(E + np.eye(10)))
        order, tile = rng.permutation(rows.size), rng.normal(size=(10, 3))
        rows, columns = rows[order], columns[order]
        triangle = Triangle.of_entries(10, rows, columns, 0.5 * E[rows, columns])
        expected = np.einsum("ij,ij->j", tile, E @ tile)
        np.testing.assert_allclose(form_of_tile(triangle, tile), expected, atol=1e-13, err_msg=str(n_entries))
        np.testing.assert_allclose(triangle.sizes, filled(np.abs(E).sum(axis=1)), rtol=1e-14)
        other = Triangle.of_entries(10, rows, columns, np.zeros(rows.size))
        assert (other.starts == triangle.starts).all()
        assert (other.indices == triangle.indices).all()


def test_parts_of_rows_and_their_shifted_sums(make_similarity, rng):
    """Of any number of rows, each counts once."""
    n_samples = 2 * ROWS + 3
    S, tile = make_similarity(n_samples), rng.normal(size=(n_samples, 5))
    found = form_of_tile(Triangle.of(sparse.csr_array(S)), tile)
    np.testing.assert_allclose(found, np.einsum("ij,ij->j", tile, laplacian(S) @ tile), rtol=1e-12)
    for n_samples in range(1, 10):
        values, shift = rng.normal(size=(n_samples, 9)), rng.normal(size=4)
        mass, sizes = rng.random((2, n_samples))
        tile = np.full((n_samples, 4), np.nan)
        sums = shifted(values, slice(3, 7), shift, filled(mass), filled(sizes), tile)
        h = values[:, 3:7] - shift
        np.testing.assert_array_equal(tile, h)
        np.testing.assert_allclose(sums, [mass @ h, mass @ h**2, sizes @ h**2], rtol=1e-12, atol=1e-15)
