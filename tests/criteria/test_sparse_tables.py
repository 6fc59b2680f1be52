"""Sums over the non-zeros of a sparse table are those over all samples and all pairs of them."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import forms, quadratic
from eigenselect.criteria.quadratic import AbsoluteForm, IdentityForm, KernelForm, PowerForm, center, feature_terms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.matrix import sparse as sparse_module

N = 30


def ugly(rng):
    """Empty, one non-zero, full, constant, large, outliers, duplicates, a smooth column, counts, almost constant."""
    X = np.zeros((N, 12))
    X[4, 1], X[:, 2], X[:, 3] = 2.5, rng.normal(size=N), 7.0
    X[::4, 4] = rng.normal(size=X[::4, 4].size) * 1e-90
    X[:, 5] = rng.normal(size=N) + 1e6
    X[[1, 5, 9], 6] = [1e-9, -1e9, 3.0]
    X[:, 7] = X[:, 8] = rng.poisson(0.4, size=N)
    X[: N // 3, 9] = 0.1
    X[:, 10] = rng.poisson(0.2, size=N)
    X[: N // 3, 11] = 1.0 + 1e-6 * rng.normal(size=N // 3)
    return X


def signed(S):
    return S * np.where(np.add.outer(np.arange(N), np.arange(N)) % 3, 1.0, -0.5)


@pytest.fixture(params=["as they are", "in order"])
def visits(request, monkeypatch):
    for module in (forms, quadratic):
        monkeypatch.setattr(module, "ORDERED_SAMPLES", 0 if request.param == "in order" else 10**9)


def cases(make_similarity, rng, isolated):
    """A graph, with self-similarities and without edges for some samples, and a form."""
    S = make_similarity(N, blocks=3) + np.diag(np.arange(N, dtype=float))
    S[isolated], S[:, isolated] = 0.0, 0.0
    graph = SampleGraph(sparse.csr_array(S))
    yield from ((graph, form) for form in (PowerForm(1), PowerForm(2), PowerForm(3), IdentityForm()))
    other = SampleGraph(sparse.csr_array(signed(S)), mass=np.ones(N), signed=True)
    yield from ((other, form) for form in (PowerForm(1), AbsoluteForm()))
    yield other, KernelForm(other.affinity, rng.normal(size=N), factor=0.5)
    yield SampleGraph(ClassMeans(np.arange(N) % 4, 4), mass=np.ones(N)), PowerForm(1)


@pytest.mark.parametrize("isolated", [[], [0, 1], [11, 12], [0, 15, 29]], ids=str)
def test_every_storage_has_the_terms_of_dense_tiles(make_similarity, rng, isolated, visits, monkeypatch):
    for graph, form in cases(make_similarity, rng, isolated):
        X = ugly(rng)
        if graph.isolated.any():
            X[isolated] = 1e50  # what does not count may hold anything
        monkeypatch.setattr(quadratic, "COMPILED_WORK", np.inf)
        expected = feature_terms(X, graph, form, n_jobs=1)
        monkeypatch.setattr(quadratic, "COMPILED_WORK", 0)
        for store in (np.asarray, sparse.csr_array, sparse.csc_array):
            found = feature_terms(store(X), graph, form)
            rounding = 1e-13 * form.cancellation(graph) * expected.spread
            if isinstance(form, AbsoluteForm):
                rounding = 1e-13 * form.cancellation(graph) * np.abs(X).max(axis=0)
            assert (np.abs(found.quadratic - expected.quadratic) <= 1e-12 * np.abs(expected.quadratic) + rounding).all()
            np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12, err_msg=str(form))
            np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-11, atol=1e-100, err_msg=str(form))
            assert found.quadratic[7] == pytest.approx(found.quadratic[8], rel=1e-14)


def test_sums_over_pairs(make_similarity, rng, kernels):
    S, X = signed(make_similarity(N)), ugly(rng)
    graph = SampleGraph(sparse.csr_array(S), mass=np.ones(N), signed=True)
    for form, cost in ((PowerForm(1), np.square), (AbsoluteForm(), np.abs)):
        expected = [sum(S[i, j] * cost(f[i] - f[j]) for i in range(N) for j in range(i)) for f in X.T]
        for store in (np.asarray, sparse.csr_array, sparse.csc_array):
            found = feature_terms(store(X), graph, form).quadratic
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


def test_a_smooth_column_keeps_its_digits(rng, kernels):
    """Two groups joined by one edge of weight 1e-20: the indicator of one of them has that energy, and no other."""
    S = rng.random((20, 20)) + 0.1
    S = S + S.T
    S[:8, 8:] = S[8:, :8] = 0.0
    S[0, 10] = S[10, 0] = 1e-20
    f = np.repeat([0.3, 0.0], [8, 12])
    for store in (np.asarray, sparse.csr_array, sparse.csc_array):
        found = feature_terms(store(f[:, None]), SampleGraph(sparse.csr_array(S)), PowerForm(1))
        assert found.quadratic[0] == pytest.approx(0.09e-20, rel=1e-12)


def test_classes_without_spread_have_no_scatter(rng, kernels):
    classes = ClassMeans(rng.permutation(np.arange(N) % 4), 4)
    X = rng.normal(size=(N, 3)) * (rng.random((N, 3)) < 0.4)
    X[:, 0] = classes.codes + 0.1
    for store in (np.asarray, sparse.csr_array, sparse.csc_array):
        found = feature_terms(store(X), SampleGraph(classes, mass=np.ones(N)), PowerForm(1)).quadratic
        assert found[0] == 0.0
        np.testing.assert_allclose(found[1:], classes.energy(X)[1:], rtol=1e-12)


def test_counts_are_read_as_they_are(make_similarity, rng, monkeypatch):
    graph = SampleGraph(sparse.csr_array(make_similarity(N)))
    for dtype in ("int64", "float32", "bool", "uint8", "uint64"):
        compiled = dtype in ("int64", "float32")  # loops are compiled for each dtype
        monkeypatch.setattr(quadratic, "COMPILED_WORK", 0 if compiled else np.inf)
        X = (rng.poisson(0.3, size=(N, 5)) * 60).clip(0, 120).astype(dtype)
        X[:, 4] = 120
        expected = feature_terms(X.astype(float), graph, PowerForm(1))
        found = feature_terms(sparse.csr_array(X), graph, PowerForm(1))
        np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12, atol=1e-12, err_msg=dtype)
        np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12, atol=1e-12, err_msg=dtype)


def test_counts_of_a_large_table_are_not_widened(make_similarity, rng, monkeypatch):
    """Also if a difference of integers, or its square, leaves their type: such columns are smooth, or full."""
    monkeypatch.setattr(sparse_module, "COMPILED_ENTRIES", 0)
    monkeypatch.setattr(quadratic, "COMPILED_WORK", 0)
    graph = SampleGraph(sparse.csr_array(make_similarity(N, blocks=2)))
    X = rng.poisson(0.3, size=(N, 5)).astype(np.int32)
    X[:15, 3], X[:, 4] = 2_000_000_000 + np.arange(15) % 2, rng.integers(-(2**31), 2**31 - 1, size=N)
    table = as_matrix(sparse.csr_array(X))
    assert next(iter(table.bands()))[1] is table
    found, expected = (feature_terms(values, graph, PowerForm(1)) for values in (table, X.astype(float)))
    np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-12)
    np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-12)


class TestCentring:
    def test_leaves_nothing_of_a_constant_column(self, rng, kernels):
        graph = SampleGraph(sparse.csr_array((N, N)), mass=rng.random(N) + 0.5)
        terms = feature_terms(np.full((N, 2), 0.1), graph, IdentityForm())
        np.testing.assert_array_equal(terms.spread, 0.0)
        np.testing.assert_allclose(terms.mean, 0.1, rtol=1e-15)

    def test_a_far_value_of_a_light_sample_takes_no_digits_of_others(self, rng, kernels):
        mass, values = np.append(1e-20, np.ones(N)), np.append(1e8, np.round(rng.normal(size=N), 6))[:, None]
        others = values[1:, 0]
        mean, spread = center(values.copy(), SampleGraph(sparse.csr_array((N + 1, N + 1)), mass=mass))
        np.testing.assert_allclose(mean, others.mean(), rtol=1e-10)
        np.testing.assert_allclose(spread, 1e-20 * 1e16 + np.square(others - others.mean()).sum(), rtol=1e-13)
