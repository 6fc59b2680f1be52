"""Loops over the rows of a sparse table against sums over all pairs of samples."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import sparse_loops
from eigenselect.matrix import row_bands as row_bands_module
from eigenselect.matrix.row_bands import row_bands

N = 14


@pytest.fixture
def S(make_similarity):
    """Weights of both signs, self-loops, and a sample without edges but with one to itself."""
    S = make_similarity(N) * np.where(np.add.outer(np.arange(N), np.arange(N)) % 3, 1.0, -0.5)
    S[6], S[:, 6] = 0.0, 0.0
    return S + np.diag(np.arange(N, dtype=float))


@pytest.fixture
def X(rng):
    X = np.where(rng.random((N, 6)) < 0.5, rng.integers(-3, 5, size=(N, 6)), 0).astype(np.float32)
    X[:, 3] = 0.0
    return X


@pytest.fixture(autouse=True, params=["as they are", "in order"])
def _few_samples_in_order(monkeypatch, request):
    monkeypatch.setattr(sparse_loops, "ORDERED_SAMPLES", 0 if request.param == "in order" else N + 2)


def summed(loop, n_sums, X, *arguments):
    [band] = row_bands(sparse.csr_array(X))
    over_edges = loop not in (sparse_loops.add_moments, sparse_loops.add_squares)
    return band.summed(loop, n_sums, 2, *arguments, room=over_edges)


def over_pairs(loop, X, S):
    [band], pairs = row_bands(sparse.csr_array(X)), sparse_loops.Pairs.of(sparse.csr_array(S))
    sums = (pairs.degrees, pairs.sizes)
    return band.in_order(pairs.order).summed(loop, 3, 2, *sums, of_blocks=pairs.lists, room=True)


@pytest.fixture(autouse=True)
def _blocks_of_several_rows(monkeypatch):
    monkeypatch.setattr(row_bands_module, "ROW_BLOCKS", 4)


def edges(S):
    return sparse_loops.Edges.of(sparse.csr_array(S))


def degrees_and_sizes(S):
    off = S - np.diag(np.diag(S))
    return off.sum(axis=1), np.abs(off).sum(axis=1)


def naive_sum(S, X, cost):
    lower = np.tril(S, -1)
    return sum(lower[i, j] * cost(X[i], X[j]) for i in range(N) for j in range(i))


def test_sums_without_the_diagonal(S):
    pairs, (sums, sizes) = sparse_loops.Pairs.of(sparse.csr_array(S)), degrees_and_sizes(S)
    np.testing.assert_allclose(edges(S).degrees, sums, atol=1e-14)
    np.testing.assert_allclose(pairs.degrees, sums[pairs.order], atol=1e-14)
    np.testing.assert_allclose(pairs.sizes, sizes[pairs.order])
    assert pairs.sizes[pairs.order == 6] == 0.0


def test_pairs_are_the_edges_to_earlier_samples(S):
    pairs = sparse_loops.Pairs.of(sparse.csr_array(S))
    blocks = [sparse.csr_array((w, j, begin), shape=(begin.size - 1, N)) for begin, j, w in pairs.lists]
    found = sparse.vstack(blocks).toarray()
    np.testing.assert_array_equal(found, np.tril(S[np.ix_(pairs.order, pairs.order)], -1))


@pytest.mark.parametrize("kind", ["squared", "absolute"])
def test_differences_along_edges(S, X, kind):
    degrees = degrees_and_sizes(S)
    size = np.square if kind == "squared" else np.abs
    loop = sparse_loops.add_products if kind == "squared" else sparse_loops.add_absolute
    X[6] = 1e30  # a sample without edges
    alone, gross, together = over_pairs(loop, X, S)
    live = np.delete(np.arange(N), 6)
    np.testing.assert_allclose(alone, degrees[0][live] @ size(X[live].astype(float)), atol=1e-12)
    np.testing.assert_allclose(gross, degrees[1][live] @ size(X[live].astype(float)))
    expected = naive_sum(S, X.astype(float), lambda f, g: size(f - g))
    np.testing.assert_allclose(alone - (2.0 if kind == "squared" else 1.0) * together, expected, atol=1e-12)


@pytest.mark.parametrize("loop", [sparse_loops.add_products, sparse_loops.add_absolute])
def test_a_sample_without_edges_may_hold_anything(S, X, loop):
    """Even what is no number: 0 times infinity would spoil the sums."""
    wild, plain = X.copy(), X.copy()
    wild[6], plain[6] = np.inf, 0.0
    np.testing.assert_array_equal(over_pairs(loop, wild, S), over_pairs(loop, plain, S))


def test_images(S, X):
    inverse = np.linspace(0.0, 1.0, N)  # the first sample does not count
    image = (np.diag(S.sum(axis=1)) - S) @ X
    found = summed(sparse_loops.add_images, 1, X, *edges(S), inverse)[0]
    np.testing.assert_allclose(found, inverse @ image**2, rtol=1e-12)
    assert found[3] == 0.0


def test_moments_and_squares_over_stored_values(X):
    mass = np.where(np.arange(N) == 2, 0.0, np.arange(1.0, N + 1))
    X[2] = 1e30  # a sample that does not count
    stored, mean = X != 0, np.linspace(-1, 1, 6)
    live = np.delete(np.arange(N), 2)
    sums = summed(sparse_loops.add_moments, 3, X, mass)
    powers = [mass[live] @ X[live].astype(float) ** power for power in (1, 2)]
    np.testing.assert_allclose(sums, [*powers, mass @ stored])
    squares = summed(sparse_loops.add_squares, 2, X, mass, mean)
    deviations = np.where(stored, X.astype(float) - mean, 0.0)[live]
    np.testing.assert_allclose(squares, [mass[live] @ deviations**2, mass @ stored])


def test_an_order_visits_neighbours_after_each_other(monkeypatch):
    """A path whose samples were shuffled: breadth first from an end, each sample follows its only earlier neighbour."""
    path = np.random.default_rng(3).permutation(N)
    start = int(np.flatnonzero(path == 0)[0])
    path = np.roll(path, -start)  # sample 0, where the search begins, is an end
    S = np.zeros((N + 1, N + 1))  # and a sample without edges
    S[path[1:], path[:-1]] = S[path[:-1], path[1:]] = 1.0
    monkeypatch.setattr(sparse_loops, "ORDERED_SAMPLES", 0)
    found = sparse_loops.Pairs.of(sparse.csr_array(S))
    np.testing.assert_array_equal(found.order, [*path, N])
    np.testing.assert_array_equal(edges(S).order, found.order)
    np.testing.assert_array_equal(np.concatenate([earlier for _, earlier, _ in found.lists]), np.arange(N - 1))


@pytest.mark.parametrize("loop", ["add_products", "add_images"])
@pytest.mark.parametrize("n_columns", [6, 4000])
def test_few_entries_in_many_columns_are_cleared_one_by_one(S, X, loop, n_columns):
    """Between the columns of X lie empty ones: what is left of one sample would show in the sums of the next."""
    wide, columns = np.zeros((N, n_columns), dtype=X.dtype), np.linspace(0, n_columns - 1, 6).astype(int)
    wide[:, columns] = X
    if loop == "add_images":
        found = summed(sparse_loops.add_images, 1, wide, *edges(S), np.ones(N))
    else:
        found = over_pairs(sparse_loops.add_products, wide, S)
    L = np.diag(S.sum(axis=1)) - S
    L, X = np.delete(np.delete(L, 6, 0), 6, 1), np.delete(X, 6, 0).astype(float)
    if loop == "add_images":
        np.testing.assert_allclose(found[0, columns], ((L @ X) ** 2).sum(axis=0), rtol=1e-12)
    else:
        energy = np.einsum("ic,ij,jc->c", X, L, X)
        np.testing.assert_allclose((found[0] - 2.0 * found[2])[columns], energy, rtol=1e-12, atol=1e-12)
    assert not np.delete(found, columns, axis=1).any()


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_are_each_edge_once(S, weighted, monkeypatch):
    """From the end that is visited later; weights are copied where they differ, and otherwise those of the graph."""
    monkeypatch.setattr(sparse_loops, "ORDERED_SAMPLES", 0)
    graph = sparse.csr_array(S if weighted else np.where(S, -0.5, 0.0))
    before = graph.copy()
    pairs = sparse_loops.Pairs.of(graph)
    found, row = np.zeros((N, N)), 0
    for begin, earlier, weights in pairs.lists:
        for first, last in pairwise(begin):
            assert (earlier[first:last] < row).all()
            found[row, earlier[first:last]] = weights[first:last]
            row += 1
    expected = before.toarray()[pairs.order][:, pairs.order]
    np.testing.assert_array_equal(found, np.tril(expected, -1))
    np.testing.assert_array_equal(graph.data, before.data)
