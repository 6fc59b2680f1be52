"""Sums over the rows of a sparse table equal those over all pairs of samples and those of the dense route."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import engine, sparse_loops
from eigenselect.criteria.quadratic import AbsoluteForm, IdentityForm, PowerForm, feature_terms
from eigenselect.criteria.sparse_sums import sparse_means
from eigenselect.graph import SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.matrix import row_bands as row_bands_module
from eigenselect.matrix import sparse as sparse_module
from eigenselect.matrix.row_bands import row_bands

N = 14


def summed(loop, n_sums, X, *arguments):
    [band] = row_bands(sparse.csr_array(X))
    over_edges = loop not in (sparse_loops.add_moments, sparse_loops.add_squares)
    return band.summed(loop, n_sums, 2, *arguments, room=over_edges)


def over_pairs(loop, X, S):
    [band], pairs = row_bands(sparse.csr_array(X)), sparse_loops.Pairs.of(sparse.csr_array(S))
    sums = (pairs.degrees, pairs.sizes)
    return band.in_order(pairs.order).summed(loop, 3, 2, *sums, of_blocks=pairs.lists, room=True)


def edges_of(S):
    return sparse_loops.Edges.of(sparse.csr_array(S))


def degrees_and_sizes(S):
    off = S - np.diag(np.diag(S))
    return off.sum(axis=1), np.abs(off).sum(axis=1)


def naive_sum(S, X, cost):
    lower = np.tril(S, -1)
    return sum(lower[i, j] * cost(X[i], X[j]) for i in range(N) for j in range(i))


@pytest.mark.usefixtures("compiled")
class TestSparseColumns:
    """The route that visits only non-zeros, where it could go wrong."""

    def test_means(self, make_similarity, rng):
        X, graph = ugly(rng), SampleGraph(sparse.csr_array(make_similarity(30)))
        X[:, 0] = 60.0 + rng.normal(size=30)  # a sum of many samples
        table = as_matrix(sparse.csr_array(X))
        for compiled in (True, False):
            with engine.loops_chosen(compiled):
                found = sparse_means(table, engine.Engine.for_work(graph, 12), None)
            np.testing.assert_allclose(found, X.mean(axis=0), rtol=1e-9, atol=1e-180)

    def test_explicit_zeros_and_self_loops(self, make_similarity, rng):
        X, S = ugly(rng)[:, [1, 2, 3, 7, 9]], make_similarity(30) + np.diag(np.arange(30.0))
        graph = SampleGraph(sparse.csr_array(S))
        stored = sparse.csc_array(X)
        stored.data[::3] = 0.0
        np.testing.assert_allclose(
            feature_terms(stored, graph, PowerForm(1)).quadratic,
            feature_terms(stored.toarray(), graph, PowerForm(1)).quadratic,
            rtol=1e-12,
        )


FORMS = {"r": PowerForm(1), "r^2": PowerForm(2), "r^3": PowerForm(3), "identity": IdentityForm()}


def ugly(rng, n=30):
    """Empty, one non-zero, full, constant, ugly scales, duplicates, a smooth column, counts."""
    X = np.zeros((n, 12))
    X[4, 1], X[:, 2], X[:, 3] = 2.5, rng.normal(size=n), 7.0
    X[::4, 4] = rng.normal(size=X[::4, 4].size) * 1e-170
    X[::4, 5] = rng.normal(size=X[::4, 5].size) * 1e170
    X[[1, 5, 9], 6] = [1e-9, -1e9, 3.0]
    X[:, 7] = X[:, 8] = rng.poisson(0.4, size=n)
    X[: n // 3, 9] = 0.1
    X[:, 10] = rng.poisson(0.2, size=n)
    X[: n // 3, 11] = 1.0 + 1e-6 * rng.normal(size=n // 3)
    return X


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.setattr(engine, "COMPILED_WORK", 0)


@pytest.fixture(params=["as they are", "in order"])
def S(make_similarity, monkeypatch, request):
    """Weights of both signs, self-loops, and a sample without edges but with one to itself; blocks of several rows."""
    monkeypatch.setattr(sparse_loops, "ORDERED_SAMPLES", 0 if request.param == "in order" else N + 2)
    monkeypatch.setattr(row_bands_module, "ROW_BLOCKS", 4)
    S = make_similarity(N) * np.where(np.add.outer(np.arange(N), np.arange(N)) % 3, 1.0, -0.5)
    S[6], S[:, 6] = 0.0, 0.0
    return S + np.diag(np.arange(N, dtype=float))


@pytest.fixture
def X(rng):
    X = np.where(rng.random((N, 6)) < 0.5, rng.integers(-3, 5, size=(N, 6)), 0).astype(np.float32)
    X[:, 3] = 0.0
    return X


class TestLoops:
    def test_pairs_are_each_edge_once(self, S):
        """From the end that is visited later, with sums without the diagonal; equal weights are not copied."""
        for weights in (S, np.where(S, -0.5, 0.0)):
            graph = sparse.csr_array(weights)
            before, (degrees, sizes) = graph.copy(), degrees_and_sizes(weights)
            pairs = sparse_loops.Pairs.of(graph)
            found, row = np.zeros((N, N)), 0
            for begin, earlier, values in pairs.lists:
                for first, last in pairwise(begin):
                    assert (earlier[first:last] < row).all()
                    found[row, earlier[first:last]] = values[first:last]
                    row += 1
            np.testing.assert_array_equal(found, np.tril(weights[np.ix_(pairs.order, pairs.order)], -1))
            np.testing.assert_allclose(pairs.degrees, degrees[pairs.order], atol=1e-14)
            np.testing.assert_allclose(pairs.sizes, sizes[pairs.order])
            np.testing.assert_allclose(edges_of(weights).degrees, degrees, atol=1e-14)
            assert pairs.sizes[pairs.order == 6] == 0.0
            np.testing.assert_array_equal(graph.data, before.data)

    def test_differences_along_edges(self, S, X):
        """A sample without edges may hold what is no number: 0 times infinity would spoil the sums."""
        degrees, live = degrees_and_sizes(S), np.delete(np.arange(N), 6)
        for loop, size, factor in (
            (sparse_loops.add_products, np.square, 2.0),
            (sparse_loops.add_absolute, np.abs, 1.0),
        ):
            X[6] = 1e30
            alone, gross, together = over_pairs(loop, X, S)
            np.testing.assert_allclose(alone, degrees[0][live] @ size(X[live].astype(float)), atol=1e-12)
            np.testing.assert_allclose(gross, degrees[1][live] @ size(X[live].astype(float)))
            expected = naive_sum(S, X.astype(float), lambda f, g, size=size: size(f - g))
            np.testing.assert_allclose(alone - factor * together, expected, atol=1e-12)
            X[6] = np.inf
            np.testing.assert_array_equal(over_pairs(loop, X, S), [alone, gross, together])

    def test_moments_and_squares_over_stored_values(self, X):
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

    def test_few_entries_in_many_columns_are_cleared_one_by_one(self, S, X):
        """Between the columns of X lie empty ones: what is left of one sample would show in the sums of the next."""
        inverse = np.linspace(0.0, 1.0, N)  # the first sample does not count
        L = np.diag(S.sum(axis=1)) - S
        energy, images = np.einsum("ic,ij,jc->c", X, L, X.astype(float)), inverse @ (L @ X) ** 2
        for n_columns in (6, 4000):
            wide, columns = np.zeros((N, n_columns), dtype=X.dtype), np.linspace(0, n_columns - 1, 6).astype(int)
            wide[:, columns] = X
            found = summed(sparse_loops.add_images, 1, wide, *edges_of(S), inverse)
            np.testing.assert_allclose(found[0, columns], images, rtol=1e-12)
            assert not np.delete(found, columns, axis=1).any()
            found = over_pairs(sparse_loops.add_products, wide, S)
            np.testing.assert_allclose((found[0] - 2.0 * found[2])[columns], energy, rtol=1e-12, atol=1e-12)
            assert not np.delete(found, columns, axis=1).any()


@pytest.mark.usefixtures("compiled")
class TestForms:
    """Every form that has a route over non-zeros, in every storage, against dense tiles."""

    @pytest.mark.parametrize("name", FORMS)
    def test_csr_csc_and_dense_agree(self, make_similarity, rng, name):
        for isolated in ([], [0, 1], [11, 12], [29], [0, 15, 29]):
            S = make_similarity(30, blocks=3)
            S[isolated], S[:, isolated] = 0.0, 0.0
            graph, form, X = SampleGraph(sparse.csr_array(S)), FORMS[name], ugly(rng)
            X[isolated] = 1e150
            expected = feature_terms(X, graph, form, n_jobs=1)
            for store in (sparse.csr_array, sparse.csc_array):
                found, many = (feature_terms(store(X), graph, form, n_jobs=jobs) for jobs in (1, 3))
                rounding = 1e-15 * form.cancellation(graph) * expected.spread
                assert (np.abs(found.quadratic - expected.quadratic) <= 1e-12 * expected.quadratic + rounding).all()
                np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12, err_msg=str(isolated))
                np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12, err_msg=str(isolated))
                for part in ("quadratic", "spread", "mean"):
                    np.testing.assert_array_equal(getattr(many, part), getattr(found, part))
                assert found.quadratic[7] == found.quadratic[8]
                assert found.spread[0] == found.spread[3] == 0 or isolated

    def test_counts_are_read_as_they_are(self, make_similarity, rng, monkeypatch):
        graph = SampleGraph(sparse.csr_array(make_similarity(30)))
        for dtype in ("int64", "float32", "bool", "int8", "uint8", "int16", "int32", "uint64"):
            if dtype == "bool":  # loops are compiled for each dtype: two are enough here
                monkeypatch.setattr(engine, "COMPILED_WORK", np.inf)
            X = (rng.poisson(0.3, size=(30, 5)) * 60).clip(0, 120).astype(dtype)
            X[:, 4] = 120
            for form in (PowerForm(1), PowerForm(2)):
                expected = feature_terms(X.astype(float), graph, form)
                found = feature_terms(sparse.csr_array(X), graph, form)
                np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12, atol=1e-12, err_msg=dtype)
                np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12, atol=1e-12, err_msg=dtype)

    def test_counts_of_a_large_table_are_not_widened(self, make_similarity, rng, monkeypatch):
        """Also where a difference of integers, or its square, leaves their type: such columns are smooth, or full."""
        monkeypatch.setattr(sparse_module, "COMPILED_ENTRIES", 0)
        graph = SampleGraph(sparse.csr_array(make_similarity(30, blocks=2)))
        X = rng.poisson(0.3, size=(30, 5)).astype(np.int32)
        X[:15, 3], X[:, 4] = 2_000_000_000 + np.arange(15) % 2, rng.integers(-(2**31), 2**31 - 1, size=30)
        table = as_matrix(sparse.csr_array(X))
        assert next(iter(table.bands()))[1] is table
        found, expected = (feature_terms(values, graph, PowerForm(1)) for values in (table, X.astype(float)))
        np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12)
        np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12)

    def test_sums_of_absolute_differences(self, make_similarity, rng):
        S = make_similarity(30) * np.where(np.add.outer(np.arange(30), np.arange(30)) % 2, 1.0, -1.0)
        graph, X = SampleGraph(sparse.csr_array(S), mass=np.ones(30), signed=True), ugly(rng)
        expected = [sum(S[i, j] * abs(f[i] - f[j]) for i in range(30) for j in range(i)) for f in X.T]
        for store in (sparse.csr_array, sparse.csc_array):
            found = feature_terms(store(X), graph, AbsoluteForm())
            values = np.ldexp(found.quadratic, np.broadcast_to(found.exponent, found.quadratic.shape))
            np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-14)

    def test_a_smooth_column_keeps_its_digits(self, rng):
        """Two groups joined by one edge of weight 1e-20: the indicator of one of them has that energy, and no other."""
        S = rng.random((20, 20)) + 0.1
        S = S + S.T
        S[:8, 8:] = S[8:, :8] = 0.0
        S[0, 10] = S[10, 0] = 1e-20
        f = np.repeat([0.3, 0.0], [8, 12])
        for store in (sparse.csr_array, sparse.csc_array):
            found = feature_terms(store(f[:, None]), SampleGraph(sparse.csr_array(S)), PowerForm(1))
            assert found.quadratic[0] == pytest.approx(0.09e-20, rel=1e-12)
