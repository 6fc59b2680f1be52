"""Compiled loops against numpy's one-liners, on tiles of awkward widths."""

import inspect

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import loops_numba, loops_numpy
from eigenselect.graph import ClassMeans, SampleGraph


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


@pytest.mark.parametrize("width", [1, 5, 17])
def test_center(graph, rng, width):
    tile = rng.normal(size=(30, width))
    compiled, plain = tile.copy(), tile.copy()
    mean_c, spread_c = loops_numba.center(compiled, 2, graph.degrees, graph.volume)
    mean_p, spread_p = loops_numpy.center(plain, 2, graph.degrees, graph.volume)
    np.testing.assert_allclose(compiled, plain, atol=1e-14)
    np.testing.assert_allclose(mean_c, mean_p, rtol=1e-12)
    np.testing.assert_allclose(spread_c, spread_p, rtol=1e-12)
    np.testing.assert_allclose(graph.degrees @ compiled, 0, atol=1e-12)


@pytest.mark.parametrize("width", [1, 5, 17])
def test_energy_is_the_laplacian_form(graph, rng, width):
    tile = rng.normal(size=(30, width))
    L = np.diag(graph.degrees) - graph.to_array()
    expected = np.diag(tile.T @ L @ tile)
    np.testing.assert_allclose(loops_numba.energy(graph.affinity, tile), expected, rtol=1e-12)
    np.testing.assert_allclose(loops_numpy.energy(graph.affinity, tile), expected, rtol=1e-12)


@pytest.mark.parametrize("width", [1, 5, 17])
def test_walk(graph, rng, width):
    tile = rng.normal(size=(30, width))
    expected = tile - (graph.to_array() @ tile) / graph.degrees[:, None]
    for loops in (loops_numba, loops_numpy):
        out = np.empty_like(tile)
        loops.walk(graph.affinity, graph.row_sums, graph.inverse_mass, tile, out)
        np.testing.assert_allclose(out, expected, atol=1e-13)


def test_inner(graph, rng):
    u, v = rng.normal(size=(2, 30, 4))
    expected = np.diag(u.T @ np.diag(graph.degrees) @ v)
    np.testing.assert_allclose(loops_numba.inner(graph.degrees, u, v), expected, rtol=1e-12)
    np.testing.assert_allclose(loops_numpy.inner(graph.degrees, u, v), expected, rtol=1e-12)


@pytest.mark.parametrize("width", [1, 5, 17])
def test_absolute_energy(graph, rng, width):
    tile = rng.normal(size=(30, width))
    expected = loops_numpy.absolute_energy(graph.affinity, tile)
    np.testing.assert_allclose(loops_numba.absolute_energy(graph.affinity, tile), expected, rtol=1e-12)


@pytest.mark.parametrize("n_neighbors", range(9))
def test_rows_of_any_number_of_edges(rng, n_neighbors):
    """Four edges are taken at a time: the rest of a row must not be lost."""
    S = np.zeros((10, 10))
    S[9, :n_neighbors] = S[:n_neighbors, 9] = rng.random(n_neighbors) + 0.5
    S[0, 9] = S[9, 0] = 1.0
    stored, tile = sparse.csr_array(S), rng.normal(size=(10, 3))
    for name in ("energy", "absolute_energy"):
        np.testing.assert_allclose(
            getattr(loops_numba, name)(stored, tile), getattr(loops_numpy, name)(stored, tile), rtol=1e-12
        )
    found, expected = np.empty_like(tile), np.empty_like(tile)
    for loops, out in ((loops_numba, found), (loops_numpy, expected)):
        loops.walk(stored, S.sum(axis=1), np.ones(10), tile, out)
    np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("width", [1, 5])
def test_class_energy(rng, width):
    classes = ClassMeans(rng.permutation(np.arange(30) % 4), 4)
    tile = rng.normal(size=(30, width)) + 1e6
    tile[:, 0] = classes.codes + 0.1
    found = loops_numba.class_energy(classes, tile)
    np.testing.assert_allclose(found, loops_numpy.class_energy(classes, tile), rtol=1e-9)
    assert found[0] == 0.0


def test_groups_end_at_the_last_bound(rng):
    """Whatever stands behind the arrays in memory is neither read nor written: here, a second group."""
    values, bounds, start = rng.normal(size=(8, 3)), np.array([0, 4, 8]), np.uint64(0)
    shift, means, scatter = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(3)
    one = (bounds[:2], shift[:1], np.empty(3), means[:1], scatter)
    loops_numba._moments(values, start, np.arange(8), np.ones(8), *one)
    np.testing.assert_allclose(means, [values[:4].mean(axis=0), np.zeros(3)], rtol=1e-12)
    np.testing.assert_allclose(scatter, 4 * values[:4].var(axis=0), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_class_scatter_of_some_columns(rng, dtype):
    """More rows of a class than are read at a time, classes of one member, a column that classes tell exactly."""
    classes = ClassMeans(rng.permutation(np.r_[0, 1, 1, np.arange(2, 203) % 3 + 2]), 5)
    X = (rng.normal(size=(204, 9)) + 1e3).astype(dtype)
    X[:, 4] = classes.codes + 0.1
    within, between, mean = loops_numba.class_scatter(classes, X, slice(3, 8))
    for found, expected in zip(
        (within, between, mean), loops_numpy.class_scatter(classes, X, slice(3, 8)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-11)
    tile = X[:, 3:8].astype(np.float64)
    np.testing.assert_allclose(mean, tile.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(within + between, ((tile - tile.mean(axis=0)) ** 2).sum(axis=0), rtol=1e-11)
    assert within[1] == 0.0


@pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
def test_sparse_class_scatter(rng, store):
    classes = ClassMeans(rng.permutation(np.arange(30) % 4), 4)
    X = rng.normal(size=(30, 8)) * (rng.random((30, 8)) < 0.4)
    X[:, 0], X[:, 1] = 0.0, classes.codes + 0.1
    X[classes.codes == 2, 2] = 0.3  # one value in a class without zeros
    pairs = zip(
        loops_numba.sparse_class_scatter(classes, store(X)),
        loops_numpy.sparse_class_scatter(classes, store(X)),
        strict=True,
    )
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
    assert loops_numba.sparse_class_scatter(classes, store(X))[0][1] == 0.0


def test_sparse_energy_of_some_columns(graph, rng):
    X = rng.normal(size=(30, 9)) * (rng.random((30, 9)) < 0.4)
    X[:, 3] = 0.0
    found = np.full(9, np.nan)
    loops_numba.sparse_energy(graph.affinity, sparse.csc_array(X), slice(2, 7), found)
    np.testing.assert_allclose(found[2:7], loops_numpy.energy(graph.affinity, X)[2:7], rtol=1e-12, atol=1e-15)
    assert np.isnan(np.delete(found, slice(2, 7))).all()
    stored = sparse.csc_array(X)
    stored.data[::3] = 0.0  # zeros among what is stored
    loops_numba.sparse_energy(graph.affinity, stored, slice(0, 9), found)
    np.testing.assert_allclose(found, loops_numpy.energy(graph.affinity, stored.toarray()), rtol=1e-12, atol=1e-15)


def test_both_have_the_same_functions():
    def public(module):
        return {
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
        }

    assert public(loops_numba) - public(loops_numpy) == {"sparse_energy"}  # only worth it compiled
    assert public(loops_numpy) <= public(loops_numba)
    for name in public(loops_numpy):
        assert inspect.signature(getattr(loops_numba, name)) == inspect.signature(getattr(loops_numpy, name))
