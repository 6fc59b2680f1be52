"""Sums over non-zeros and their edges equal those of the dense route."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import engine
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.quadratic import AbsoluteForm, IdentityForm, PowerForm, feature_terms
from eigenselect.criteria.sparse_sums import sparse_means
from eigenselect.graph import SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.matrix import sparse as sparse_module
from eigenselect.spectral import Power


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


class TestSparseColumns:
    """The route that visits only non-zeros, where it could go wrong."""

    @pytest.fixture(autouse=True)
    def compiled(self, monkeypatch):
        monkeypatch.setattr(engine, "COMPILED_WORK", 0)

    @pytest.fixture
    def X(self, rng):
        X = np.zeros((30, 7))
        X[4, 1] = 2.5  # a single non-zero
        X[:, 2] = rng.normal(size=30)  # no zeros at all
        X[:, 3] = 7.0  # constant
        X[3:28, 4] = rng.normal(size=25)  # most of the volume
        X[[1, 5, 9], 5] = [1e-9, -1e9, 3.0]
        X[:5, 6] = 1.0
        return X

    def test_means(self, graph, X, rng):
        X[:, 0] = 60.0 + rng.normal(size=30)  # a sum of many samples
        table = as_matrix(sparse.csr_array(X))
        for compiled in (True, False):
            with engine.loops_chosen(compiled):
                found = sparse_means(table, engine.Engine.for_work(graph, 7), None)
            np.testing.assert_allclose(found, X.mean(axis=0), rtol=1e-9)

    @pytest.mark.parametrize("blocks", [1, 3])
    def test_equals_the_dense_route(self, make_similarity, X, blocks):
        graph = SampleGraph(sparse.csr_array(make_similarity(30, blocks=blocks, isolated=2)))
        terms = feature_terms(sparse.csc_array(X), graph, PowerForm(1))
        dense = feature_terms(X, graph, PowerForm(1))
        np.testing.assert_allclose(terms.quadratic, dense.quadratic, rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(terms.spread, dense.spread, rtol=1e-10)
        np.testing.assert_allclose(terms.mean, dense.mean, rtol=1e-10)
        assert terms.spread[0] == 0
        assert terms.spread[3] == 0

    def test_explicit_zeros_and_self_loops(self, make_similarity, X):
        S = make_similarity(30) + np.diag(np.arange(30.0))
        graph = SampleGraph(sparse.csr_array(S))
        stored = sparse.csc_array(X)
        stored.data[::3] = 0.0
        np.testing.assert_allclose(
            feature_terms(stored, graph, PowerForm(1)).quadratic,
            feature_terms(stored.toarray(), graph, PowerForm(1)).quadratic,
            rtol=1e-12,
        )

    def test_large_mean_in_a_full_sparse_column(self, graph, rng):
        f = rng.normal(size=(30, 1))
        phi2 = phi("phi2", graph, Power(1))
        shifted = phi2.scores(sparse.csc_array(f + 1e6)).native
        np.testing.assert_allclose(shifted, phi2.scores(f).native, rtol=1e-6)


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


class TestForms:
    """Every form that has a route over non-zeros, in every storage, against dense tiles."""

    @pytest.fixture(autouse=True)
    def compiled(self, monkeypatch):
        monkeypatch.setattr(engine, "COMPILED_WORK", 0)

    @pytest.mark.parametrize("name", FORMS)
    @pytest.mark.parametrize("isolated", [[], [0, 1], [11, 12], [29], [0, 15, 29]])
    def test_csr_csc_and_dense_agree(self, make_similarity, rng, name, isolated):
        S = make_similarity(30, blocks=3)
        S[isolated], S[:, isolated] = 0.0, 0.0
        graph, form, X = SampleGraph(sparse.csr_array(S)), FORMS[name], ugly(rng)
        X[isolated] = 1e150
        expected = feature_terms(X, graph, form, n_jobs=1)
        for store in (sparse.csr_array, sparse.csc_array):
            found, many = (feature_terms(store(X), graph, form, n_jobs=jobs) for jobs in (1, 3))
            rounding = 1e-15 * form.cancellation(graph) * expected.spread
            assert (np.abs(found.quadratic - expected.quadratic) <= 1e-12 * expected.quadratic + rounding).all()
            np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12)
            np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
            for part in ("quadratic", "spread", "mean"):
                np.testing.assert_array_equal(getattr(many, part), getattr(found, part))
            assert found.quadratic[7] == found.quadratic[8]

    @pytest.mark.parametrize("dtype", ["int64", "float32", "bool", "int8", "uint8", "int16", "int32", "uint64"])
    def test_counts_are_read_as_they_are(self, make_similarity, rng, dtype, monkeypatch):
        if dtype not in ("int64", "float32"):  # loops are compiled for each dtype: two are enough here
            monkeypatch.setattr(engine, "COMPILED_WORK", np.inf)
        graph = SampleGraph(sparse.csr_array(make_similarity(30)))
        X = (rng.poisson(0.3, size=(30, 5)) * 60).clip(0, 120).astype(dtype)
        X[:, 4] = 120
        for form in (PowerForm(1), PowerForm(2)):
            expected = feature_terms(X.astype(float), graph, form)
            found = feature_terms(sparse.csr_array(X), graph, form)
            np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12, atol=1e-12)

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

    @pytest.mark.parametrize("store", [sparse.csr_array, sparse.csc_array])
    def test_sums_of_absolute_differences(self, make_similarity, rng, store):
        S = make_similarity(30) * np.where(np.add.outer(np.arange(30), np.arange(30)) % 2, 1.0, -1.0)
        graph = SampleGraph(sparse.csr_array(S), mass=np.ones(30), signed=True)
        X = ugly(rng)
        expected = [sum(S[i, j] * abs(f[i] - f[j]) for i in range(30) for j in range(i)) for f in X.T]
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
