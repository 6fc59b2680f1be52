"""Scatter of classes is read where a table lies, or by tiles: the same numbers from any layout."""

import numpy as np
import pytest

from eigenselect.criteria import engine, quadratic
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import Matrix

N_SAMPLES, N_FEATURES = 90, 300


@pytest.fixture(params=["numpy", "compiled"])
def loops(request, monkeypatch):
    monkeypatch.setattr(engine, "COMPILED_WORK", 0.0 if request.param == "compiled" else np.inf)


@pytest.fixture
def graph(rng):
    return SampleGraph(ClassMeans(rng.permutation(np.arange(N_SAMPLES) % 4), 4), mass=np.ones(N_SAMPLES))


@pytest.fixture
def X(rng, graph):
    """Values that float32 holds, around means of all sizes; two columns that classes tell exactly, one constant."""
    X = rng.normal(size=(N_SAMPLES, N_FEATURES)) + 10.0 ** rng.uniform(-3, 4, N_FEATURES)
    X[:, 7], X[:, 8], X[:, 9] = graph.affinity.codes, -0.1 * graph.affinity.codes, 0.3
    return X.astype(np.float32).astype(np.float64)


def by_definition(X, codes):
    of_class = np.array([X[codes == code].mean(axis=0) for code in range(4)])
    return ((X - of_class[codes]) ** 2).sum(axis=0), ((X - X.mean(axis=0)) ** 2).sum(axis=0), X.mean(axis=0)


def test_terms_are_scatter_and_spread(loops, graph, X):
    terms = feature_terms(X, graph, PowerForm(1))
    for found, expected in zip(
        (terms.quadratic, terms.spread, terms.mean), by_definition(X, graph.affinity.codes), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(terms.quadratic[7:10], 0.0)
    assert terms.spread[9] == 0.0


def layouts(X, folder):
    wider = np.full((N_SAMPLES, N_FEATURES + 5), np.nan)
    wider[:, 2:-3] = X
    mapped = np.memmap(folder / "x", dtype=np.float32, mode="w+", shape=X.shape)
    mapped[...] = X
    return {
        "float32": X.astype(np.float32), "memory map": mapped, "columns first": np.asfortranarray(X),
        "some columns": wider[:, 2:-3], "other bytes": X.astype(">f8"),
    }  # fmt: skip


def test_any_layout_gives_the_same(loops, graph, X, tmp_path):
    expected = feature_terms(X, graph, PowerForm(1))
    for name, table in layouts(X, tmp_path).items():
        found = feature_terms(Matrix(table), graph, PowerForm(1))
        np.testing.assert_allclose(found.quadratic, expected.quadratic, rtol=1e-13, err_msg=name)
        np.testing.assert_allclose(found.spread, expected.spread, rtol=1e-13, err_msg=name)


def test_runs_do_not_change_a_bit(loops, graph, X, monkeypatch):
    """Nor do threads, nor what columns are beside a column."""
    expected = feature_terms(X, graph, PowerForm(1), n_jobs=1)
    monkeypatch.setattr(quadratic, "RUN_COLUMNS", 64)
    for columns, n_jobs in ((slice(None), 3), (slice(5, 212), 1)):
        found = feature_terms(np.ascontiguousarray(X[:, columns]), graph, PowerForm(1), n_jobs=n_jobs)
        np.testing.assert_array_equal(found.quadratic, expected.quadratic[columns])
        np.testing.assert_array_equal(found.spread, expected.spread[columns])


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_sizes_whose_squares_are_out_of_range(loops, graph, X, scale):
    expected = feature_terms(X, graph, PowerForm(1))
    found = feature_terms(X * (scale / 1e4), graph, PowerForm(1))
    ratios = [terms.quadratic / np.where(terms.spread > 0, terms.spread, 1.0) for terms in (found, expected)]
    np.testing.assert_allclose(*ratios, rtol=1e-9)
