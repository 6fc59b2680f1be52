"""Chunks of a Dask array give the terms of the whole table, with whatever chunks and for every way to compute them."""

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.quadratic import AbsoluteForm, IdentityForm, KernelForm, PowerForm, feature_terms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import DaskMatrix

N = 90
CHUNKS = [((30, 1, 59), (5, 3)), (7, -1), (-1, 3)]


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def graphs_and_forms():
    """A path with short cuts, and a sample that counts nowhere; classes, of which few chunks have all."""
    rng = np.random.default_rng(5)
    i, j = np.triu_indices(N, 1)
    joined = (j - i <= 2) & (i != 40) & (j != 40)
    S = np.zeros((N, N))
    S[i[joined], j[joined]] = rng.random(joined.sum()) + 0.1
    local = SampleGraph(sparse.csr_array(S + S.T))
    classes = ClassMeans(np.arange(N) * 7 % 11 % 3, 3)
    components = classes.codes.astype(np.intp)
    equal = SampleGraph(local.affinity, mass=np.ones(N))
    return {
        "p = 1": (local, PowerForm(1)),
        "p = 2": (local, PowerForm(2)),
        "absolute": (equal, AbsoluteForm()),
        "identity": (local, IdentityForm()),
        "kernel": (equal, KernelForm(local.affinity, np.linspace(-1.0, 1.0, N), 0.3)),
        "classes": (SampleGraph(classes, components=components), PowerForm(1)),
        "heavy classes": (SampleGraph(classes, mass=np.full(N, 2.5), components=components), PowerForm(1)),
    }


def chunked(X, chunks, kind=np.asarray):
    array = da.from_array(X, chunks=chunks)
    meta = np.empty((0, 0), dtype=X.dtype)
    return DaskMatrix(array.map_blocks(kind, dtype=X.dtype, meta=meta if kind is np.asarray else kind(meta)))


def assert_equal_terms(found, expected, case):
    for name in ("quadratic", "spread", "mean"):
        value, other = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(value, other, rtol=1e-10, atol=1e-290, err_msg=f"{case} {name}")
        assert np.array_equal(value == 0, other == 0), f"{case} {name}"


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_terms_are_those_in_memory(kind, rng):
    """Of ordinary, constant and zero features, of many zeros, of a large mean, and of values near the ends of range."""
    X = rng.normal(size=(N, 8))
    X[rng.random((N, 8)) < 0.3] = 0.0
    X[:, 1] += 1e7
    X[:, 2], X[:, 3] = 0.1, 0.0
    X[:, 4] *= 1e-80
    X[:, 5] *= 1e80
    X[:, 6][rng.random(N) < 0.8] = 0.0
    for name, (graph, form) in graphs_and_forms().items():
        expected = feature_terms(X, graph, form)
        for chunks in CHUNKS:
            assert_equal_terms(feature_terms(chunked(X, chunks, kind), graph, form), expected, name)


def test_class_means_that_are_far_apart_keep_the_digits_within(rng):
    """Deviations of 1 in classes whose means are 1e7 apart, or 1e9 from zero, in chunks of few samples of each."""
    codes = np.arange(N) % 2
    graph = SampleGraph(ClassMeans(codes, 2), components=codes.astype(np.intp))
    X = rng.normal(size=(N, 4)) + 1e7 * (2 * codes[:, None] - 1)
    X[:, 2] = codes / 3  # a perfect one
    X[:, 3] += 1e9
    got, expected = (feature_terms(values, graph, PowerForm(1)) for values in (chunked(X, 7), X))
    np.testing.assert_allclose(got.quadratic, expected.quadratic, rtol=1e-12)
    assert got.quadratic[2] == 0.0


def test_values_are_widened_before_anything_is_squared():
    for dtype in ("float32", "int8", "uint16", "bool"):
        X = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 120, size=(N, 5)).astype(dtype)
        for name, (graph, form) in graphs_and_forms().items():
            got, expected = (feature_terms(values, graph, form) for values in (chunked(X, 20), X * 1.0))
            assert_equal_terms(got, expected, f"{dtype} {name}")


def test_variances_keep_their_digits_beside_a_large_mean(rng):
    X = np.array([0.0, 1e9, -1e12]) + rng.normal(size=(N, 3))
    for kind in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(chunked(X, 7, kind).column_variances(), (X - X[0]).var(axis=0), rtol=1e-11)
