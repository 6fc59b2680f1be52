"""Compiled loops against numpy's one-liners, on tiles of awkward widths."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import loops_numba, loops_numpy
from eigenselect.graph import SampleGraph


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
