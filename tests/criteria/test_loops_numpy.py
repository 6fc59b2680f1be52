"""The inner loops by numpy against their formulas, written out."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import loops_numpy
from eigenselect.graph import ClassMeans


@pytest.fixture
def S(make_similarity):
    return make_similarity(14)


@pytest.fixture
def tile(rng):
    return rng.normal(size=(14, 4))


def over_pairs(S, f, cost):
    return sum(S[i, j] * cost(f[i] - f[j]) for i in range(len(f)) for j in range(i))


def test_energy_and_absolute_energy_are_sums_over_pairs(S, tile):
    stored = sparse.csr_array(S + np.diag(np.arange(14.0)))  # a sample's similarity with itself adds nothing
    np.testing.assert_allclose(loops_numpy.energy(stored, tile), [over_pairs(S, f, np.square) for f in tile.T])
    np.testing.assert_allclose(loops_numpy.absolute_energy(stored, tile), [over_pairs(S, f, np.abs) for f in tile.T])


def test_edges_are_taken_in_blocks(rng):
    """More edges than one block holds, of very many columns."""
    S, tile = np.ones((40, 40)), rng.normal(size=(40, 2**10))
    L = np.diag(S.sum(axis=1)) - S
    assert 40 * 39 / 2 > 2**19 / 2**10  # two blocks
    np.testing.assert_allclose(
        loops_numpy.energy(sparse.csr_array(S), tile), np.einsum("ij,ij->j", tile, L @ tile), rtol=1e-10
    )


def test_centring_leaves_nothing_of_a_constant_column(S, tile):
    tile[:, 1] = 0.1
    tile[:, 2] += 1e9
    given, d = tile.copy(), S.sum(axis=1)
    mean, spread = loops_numpy.center(tile, 3, d, d.sum())
    np.testing.assert_allclose(mean, d @ given / d.sum(), rtol=1e-12)
    np.testing.assert_allclose(given - tile, np.broadcast_to(mean, tile.shape), rtol=1e-9)
    np.testing.assert_allclose(spread, d @ tile**2, rtol=1e-12)
    np.testing.assert_array_equal(tile[:, 1], 0)
    assert spread[1] == 0.0


def test_inner_products_of_equal_columns_are_equal_to_the_last_bit(S, rng):
    """However many columns are beside them, which BLAS does not promise."""
    u = np.repeat(rng.normal(size=(14, 1)), 37, axis=1)
    found = loops_numpy.inner(S.sum(axis=1), u, u)
    assert np.unique(found).size == 1
    assert found[0] == loops_numpy.inner(S.sum(axis=1), u[:, :1], u[:, :1])[0]


def test_a_walk_is_the_laplacian_by_the_mass(S, tile):
    out, mass = np.empty_like(tile), np.arange(1.0, 15.0)
    loops_numpy.walk(sparse.csr_array(S), S.sum(axis=1), 1 / mass, tile, out)
    np.testing.assert_allclose(out, (np.diag(S.sum(axis=1)) - S) @ tile / mass[:, None], atol=1e-13)


def test_classes_are_asked_for_their_scatter(tile):
    classes = ClassMeans(np.arange(14) % 3, 3)
    np.testing.assert_array_equal(loops_numpy.class_energy(classes, tile), classes.energy(tile))
    X = sparse.csr_array(tile)
    for found, expected in zip(loops_numpy.sparse_class_scatter(classes, X), classes.sparse_scatter(X), strict=True):
        np.testing.assert_array_equal(found, expected)
