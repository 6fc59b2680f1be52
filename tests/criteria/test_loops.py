"""Inner loops, by numpy and compiled, against their formulas, on tiles of awkward widths."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import engine, loops_numba, loops_numpy
from eigenselect.graph import ClassMeans, SampleGraph


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


def test_groups_end_at_the_last_bound(rng):
    """Whatever stands behind the arrays in memory is neither read nor written: here, a second group."""
    values, bounds, start = rng.normal(size=(8, 3)), np.array([0, 4, 8]), np.uint64(0)
    shift, means, scatter = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(3)
    one = (bounds[:2], shift[:1], np.empty(3), means[:1], scatter)
    loops_numba._moments(values, start, np.arange(8), np.ones(8), *one)
    np.testing.assert_allclose(means, [values[:4].mean(axis=0), np.zeros(3)], rtol=1e-12)
    np.testing.assert_allclose(scatter, 4 * values[:4].var(axis=0), rtol=1e-12)


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


def over_pairs(S, f, cost):
    return sum(S[i, j] * cost(f[i] - f[j]) for i in range(len(f)) for j in range(i))


LOOPS = (loops_numpy, loops_numba)


def test_centring_leaves_nothing_of_a_constant_column(graph, rng):
    d = graph.degrees
    for loops, width in product(LOOPS, (1, 5, 17)):
        tile = rng.normal(size=(30, width))
        tile[:, -1] += 1e9
        tile[:, 0] = 0.1
        given = tile.copy()
        mean, spread = loops.center(tile, 3, d, d.sum())
        np.testing.assert_allclose(mean, d @ given / d.sum(), rtol=1e-12)
        np.testing.assert_allclose(given - tile, np.broadcast_to(mean, tile.shape), rtol=1e-9)
        np.testing.assert_allclose(spread, d @ tile**2, rtol=1e-12)
        np.testing.assert_array_equal(tile[:, 0], 0)
        assert spread[0] == 0.0


def test_energy_is_the_laplacian_form_and_a_sum_over_pairs(graph, rng):
    """A sample's similarity with itself adds nothing; more edges than a block holds, of very many columns."""
    S = graph.to_array()
    stored, L = sparse.csr_array(S + np.diag(np.arange(30.0))), np.diag(graph.degrees) - S
    for loops, width in product(LOOPS, (1, 5, 17)):
        tile = rng.normal(size=(30, width))
        found = loops.energy(stored, tile)
        np.testing.assert_allclose(found, np.diag(tile.T @ L @ tile), rtol=1e-12)
        np.testing.assert_allclose(found, [over_pairs(S, f, np.square) for f in tile.T])
        np.testing.assert_allclose(loops.absolute_energy(stored, tile), [over_pairs(S, f, np.abs) for f in tile.T])
        out, mass = np.empty_like(tile), np.arange(1.0, 31.0)
        loops.walk(graph.affinity, graph.row_sums, 1 / mass, tile, out)
        np.testing.assert_allclose(out, L @ tile / mass[:, None], atol=1e-13)
        np.testing.assert_allclose(loops.inner(mass, tile, out), mass @ (tile * out), rtol=1e-12, atol=1e-12)
    S, tile = np.ones((40, 40)), rng.normal(size=(40, 2**10))
    expected = np.einsum("ij,ij->j", tile, (np.diag(S.sum(axis=1)) - S) @ tile)
    np.testing.assert_allclose(loops_numpy.energy(sparse.csr_array(S), tile), expected, rtol=1e-10)


def test_rows_of_any_number_of_edges(rng):
    """Four edges are taken at a time: the rest of a row must not be lost."""
    for n_neighbors in range(9):
        S = np.zeros((10, 10))
        S[9, :n_neighbors] = S[:n_neighbors, 9] = rng.random(n_neighbors) + 0.5
        S[0, 9] = S[9, 0] = 1.0
        stored, tile, found = sparse.csr_array(S), rng.normal(size=(10, 3)), np.empty((10, 3))
        for name in ("energy", "absolute_energy"):
            compiled, plain = (getattr(loops, name)(stored, tile) for loops in LOOPS)
            np.testing.assert_allclose(compiled, plain, rtol=1e-12, err_msg=f"{name} {n_neighbors}")
        loops_numba.walk(stored, S.sum(axis=1), np.ones(10), tile, found)
        np.testing.assert_allclose(found, (np.diag(S.sum(axis=1)) - S) @ tile, atol=1e-13)


def test_class_energy(rng):
    for loops, width in product(LOOPS, (1, 5)):
        classes = ClassMeans(rng.permutation(np.arange(30) % 4), 4)
        tile = rng.normal(size=(30, width)) + 1e6
        tile[:, 0] = classes.codes + 0.1
        found = loops.class_energy(classes, tile)
        expected = sum(
            ((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in (tile[classes.codes == c] for c in range(4))
        )
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-20)
        assert found[0] == 0.0


def test_class_scatter_of_some_columns(rng):
    """More rows of a class than are read at a time, classes of one member, a column that classes tell exactly."""
    classes = ClassMeans(rng.permutation(np.r_[0, 1, 1, np.arange(2, 203) % 3 + 2]), 5)
    for dtype in (np.float64, np.float32):
        X = (rng.normal(size=(204, 9)) + 1e3).astype(dtype)
        X[:, 4] = classes.codes + 0.1
        within, between, mean = loops_numba.class_scatter(classes, X, slice(3, 8))
        plain = loops_numpy.class_scatter(classes, X, slice(3, 8))
        for found, expected in zip((within, between, mean), plain, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11)
        tile = X[:, 3:8].astype(np.float64)
        np.testing.assert_allclose(mean, tile.mean(axis=0), rtol=1e-13)
        np.testing.assert_allclose(within + between, ((tile - tile.mean(axis=0)) ** 2).sum(axis=0), rtol=1e-11)
        assert within[1] == 0.0


def test_sparse_class_scatter(rng):
    classes = ClassMeans(rng.permutation(np.arange(30) % 4), 4)
    X = rng.normal(size=(30, 8)) * (rng.random((30, 8)) < 0.4)
    X[:, 0], X[:, 1] = 0.0, classes.codes + 0.1
    X[classes.codes == 2, 2] = 0.3  # one value in a class without zeros
    for store in (sparse.csr_array, sparse.csc_array):
        compiled, plain = (loops.sparse_class_scatter(classes, store(X)) for loops in LOOPS)
        for found, expected in zip(compiled, plain, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)
        assert compiled[0][1] == 0.0


def test_work_that_is_done_several_times_is_worth_compiled_loops_earlier(monkeypatch):
    graph = SampleGraph(np.ones((30, 30)))
    monkeypatch.setattr(engine, "COMPILED_WORK", 4 * (4 * 30 * 7))
    for times, compiled in ((1, False), (3, False), (4, True)):
        with engine.repeated(times):
            assert engine.Engine.for_work(graph, 7).is_compiled == compiled
        assert not engine.Engine.for_work(graph, 7).is_compiled


def test_a_far_value_of_a_light_sample_takes_no_digits_of_others(rng):
    mass, values = np.append(1e-20, np.ones(30)), np.append(1e8, np.round(rng.normal(size=30), 6))[:, None]
    others = values[1:, 0]
    for compiled in (False, True):
        with engine.loops_chosen(compiled):
            tools = engine.Engine.for_work(SampleGraph(sparse.csr_array((31, 31)), mass=mass), 1)
        mean, spread = tools.center(values.copy())
        np.testing.assert_allclose(mean, others.mean(), rtol=1e-10)
        np.testing.assert_allclose(spread, 1e-20 * 1e16 + np.square(others - others.mean()).sum(), rtol=1e-13)
