"""Chunks of rows give the terms of the whole table, with whatever chunks and for every form."""

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import centred_chunks, loops_numpy, row_chunks
from eigenselect.criteria.centred_chunks import Chain, chained_sums
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.quadratic import (
    AbsoluteForm,
    ChebyshevForm,
    FactorForm,
    IdentityForm,
    KernelForm,
    PowerForm,
    feature_terms,
)
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.row_parts import GraphPart, reach
from eigenselect.matrix import DaskMatrix
from eigenselect.spectral import ChebyshevSeries, Heat, Power, chebyshev_series

N = 90


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


@pytest.fixture(scope="module")
def local():
    """A path with short cuts, and a sample that counts nowhere."""
    rng = np.random.default_rng(5)
    i, j = np.triu_indices(N, 1)
    joined = (j - i <= 2) & (i != 40) & (j != 40)
    S = np.zeros((N, N))
    S[i[joined], j[joined]] = rng.random(joined.sum()) + 0.1
    return SampleGraph(sparse.csr_array(S + S.T))


def criteria_on(local):
    """Graph and form by name."""
    classes = ClassMeans(np.arange(N) * 7 % 11 % 3, 3)
    components = classes.codes.astype(np.intp)
    equal = SampleGraph(local.affinity, mass=np.ones(N))
    vectors = local.spectrum(4).eigenvectors[:, 1:]
    return {
        "p = 1": (local, PowerForm(1)),
        "p = 2": (local, PowerForm(2)),
        "p = 3": (local, PowerForm(3)),
        "heat": (local, ChebyshevForm(chebyshev_series(Heat(), local.interval), Heat(), at_zero=1.0)),
        "absolute": (equal, AbsoluteForm()),
        "identity": (local, IdentityForm()),
        "factor": (local, FactorForm.of(local, vectors, np.array([1.0, 2.0, 0.5]), largest=2.0)),
        "classes": (SampleGraph(classes, components=components), PowerForm(1)),
        "heavy classes": (SampleGraph(classes, mass=np.full(N, 2.5), components=components), PowerForm(1)),
        "class kernel": (SampleGraph(classes, components=components), KernelForm(classes, -classes.diagonal(), 0.3)),
        "kernel": (equal, KernelForm(local.affinity, np.linspace(-1.0, 1.0, N), 0.3)),
    }


@pytest.fixture(scope="module")
def table():
    """Ordinary, large mean, constant, all zero, tiny and huge features; the sample that counts nowhere is huge."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(N, 8))
    X[rng.random((N, 8)) < 0.3] = 0.0
    X[:, 1] += 1e7
    X[:, 2], X[:, 3] = 0.1, 0.0
    X[:, 4] *= 1e-200
    X[:, 5] *= 1e180
    X[:, 6][rng.random(N) < 0.8] = 0.0
    X[40, 7] = 1e200
    return X


def chunked(X, chunks, kind):
    array = da.from_array(X, chunks=chunks)
    if kind == "dense":
        return DaskMatrix(array)
    return DaskMatrix(array.map_blocks(sparse.csr_array, dtype=X.dtype, meta=sparse.csr_array((0, 0), dtype=X.dtype)))


def assert_equal_terms(got, expected, case=""):
    for name in ("quadratic", "spread", "mean"):
        value, other = getattr(got, name), getattr(expected, name)
        np.testing.assert_allclose(value, other, rtol=1e-10, atol=1e-290, err_msg=f"{case} {name}")
        assert np.array_equal(value == 0, other == 0), f"{case} {name}"
    exponents = [0 if terms.exponent is None else terms.exponent for terms in (got, expected)]
    assert np.array_equal(*np.broadcast_arrays(*exponents))


def _unless_few_columns(column_terms):
    """Refuse to put the columns of the table together; features of large mean may be, and are taken out of it."""

    def few(table, graph, form):
        assert table.n_features < 8
        return column_terms(table, graph, form)

    return few


def test_class_means_that_are_far_apart_keep_the_digits_within(rng):
    """The feature has no mean to speak of, its classes have: 1e7 apart, with deviations of 1."""
    codes = np.arange(N) % 2
    graph = SampleGraph(ClassMeans(codes, 2), components=codes.astype(np.intp))
    X = rng.normal(size=(N, 3)) + 1e7 * (2 * codes[:, None] - 1)
    X[:, 2] = codes / 3  # a perfect one
    got, expected = (feature_terms(values, graph, PowerForm(1)) for values in (chunked(X, 7, "dense"), X))
    np.testing.assert_allclose(got.quadratic, expected.quadratic, rtol=1e-12)
    assert got.quadratic[2] == 0.0


def test_edges_that_lead_everywhere_ask_for_columns(rng, table):
    S = np.triu(rng.random((N, N)) * (rng.random((N, N)) < 0.1), 1)
    graph = SampleGraph(sparse.csr_array(S + S.T))
    X = chunked(table, (10, 8), "dense")
    for form in (PowerForm(1), PowerForm(2), KernelForm(graph.affinity, np.zeros(N))):
        assert row_chunks.row_terms(X, graph, form) is None
    assert_equal_terms(feature_terms(X, graph, PowerForm(1)), feature_terms(table, graph, PowerForm(1)))
    assert row_chunks.row_terms(X, graph, IdentityForm()) is not None
    assert row_chunks.row_terms(X, SampleGraph(graph.affinity.toarray()), PowerForm(1)) is None


def test_only_linked_chunks_meet_and_only_rows_at_the_ends_of_edges_move(local):
    """Every task is watched: a chunk of 15 rows sees at most the two rows of the next that its edges lead to."""
    X, seen = np.arange(float(N))[:, None] * np.ones(2), []

    def watched(chunk, halo, *rest):
        seen.append((chunk.raw[0, 0], [row for part in halo for row in part[:, 0]]))
        return original(chunk, halo, *rest)

    original = row_chunks._chunk_differences
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_chunks, "_chunk_differences", watched)
        row_chunks.row_terms(chunked(X, (15, 2), "dense"), local, PowerForm(1))
    assert sorted(seen) == [(first, [first + 15, first + 16]) for first in range(0, 75, 15)] + [(75.0, [])]


LONG = 60
BLOCKS = [slice(0, 20), slice(20, 35), slice(35, LONG)]


def path_graph():
    return SampleGraph(sparse.csr_array(np.diag(np.arange(1.0, LONG), 1) + np.diag(np.arange(1.0, LONG), -1)))


def series_of_degree(degree):
    coefficients = 1.0 / np.arange(1.0, degree + 2)
    return ChebyshevForm(ChebyshevSeries(coefficients, (0.0, 2.0), 0.0, True), Power(1))


CHAINS = [*map(PowerForm, (2, 3, 4, 5)), *map(series_of_degree, (1, 2, 3, 6, 7))]


@pytest.mark.parametrize("form", CHAINS, ids=str)
def test_parts_add_up_to_the_form_with_the_halo_that_it_needs(form, rng):
    path = path_graph()
    g = rng.normal(size=(LONG, 3))
    expected = form.evaluate(g.copy(), Engine(path, loops_numpy))
    sums = chained_sums(path, form, BLOCKS)

    def total(halos):
        parts = [Chain(GraphPart(path, rows, halo), form) for rows, halo in zip(BLOCKS, halos, strict=True)]
        local = [np.vstack([g[rows], g[halo]]) for rows, halo in zip(BLOCKS, halos, strict=True)]
        return sum(part.prepared(3)(tile) for part, tile in zip(parts, local, strict=True))

    np.testing.assert_allclose(total(sums.halos), expected, rtol=1e-12)
    hops = len(sums.halos[0])  # the first block of a path reaches a sample per edge
    narrower = [reach(path.affinity, rows, hops - 1) for rows in BLOCKS]
    assert not np.allclose(total(narrower), expected, rtol=1e-6)


def test_what_needs_whole_columns():
    """A dense similarity, a dense kernel, halos wider than the table."""
    path = path_graph()
    dense = SampleGraph(path.affinity.toarray())
    kernel = KernelForm(np.eye(LONG), np.zeros(LONG))
    cases = [(dense, PowerForm(2)), (path, kernel), (path, series_of_degree(60))]
    assert [chained_sums(graph, form, BLOCKS) for graph, form in cases] == [None] * 3


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_terms_are_those_in_memory(kind, local, table, monkeypatch):
    """The same bits by threads in any order."""
    monkeypatch.setattr(centred_chunks, "MOST_MOVED", np.inf)  # heat looks further than so few rows
    whole = row_chunks.column_terms
    for name, (graph, form) in criteria_on(local).items():
        monkeypatch.setattr(row_chunks, "column_terms", whole)
        expected = feature_terms(table if kind == "dense" else sparse.csr_array(table), graph, form)
        monkeypatch.setattr(row_chunks, "column_terms", _unless_few_columns(whole))
        found = feature_terms(chunked(table, ((30, 1, 59), (5, 3)), kind), graph, form)
        assert_equal_terms(found, expected, name)
        if name in ("p = 1", "classes"):
            with dask.config.set(scheduler="threads", num_workers=4):
                again = feature_terms(chunked(table, ((30, 1, 59), (5, 3)), kind), graph, form)
            np.testing.assert_array_equal(again.quadratic, found.quadratic)


def test_values_are_widened_before_anything_is_squared(local):
    cases = criteria_on(local)
    for dtype in ("float32", "int8", "uint16", "bool"):
        X = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 120, size=(N, 5)).astype(dtype)
        for name in ("p = 1", "p = 2", "classes", "class kernel"):
            got, expected = (feature_terms(values, *cases[name]) for values in (chunked(X, 20, "dense"), X * 1.0))
            assert_equal_terms(got, expected, f"{dtype} {name}")
