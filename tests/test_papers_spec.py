"""papers/spec.py: its methods against the library and against loops, one split, and claims that can fail."""

import importlib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from eigenselect import SPEC
from eigenselect.graph import SampleGraph
from eigenselect.similarity import Diffusion

PAPERS = Path(__file__).resolve().parents[1] / "papers"
pytestmark = pytest.mark.skipif(not PAPERS.is_dir(), reason="the source distribution has no papers/")


@pytest.fixture
def modules(monkeypatch):
    """The files of the script, by their names."""
    monkeypatch.syspath_prepend(PAPERS)
    return importlib.import_module


@pytest.fixture
def methods(modules):
    return modules("spec_methods")


@pytest.fixture
def trials(modules):
    return modules("spec_trials")


@pytest.fixture
def table(rng):
    """Two classes of which some columns know, of counts: many equal values."""
    y = np.repeat([3, 5], 20)
    X = rng.poisson(1.0, size=(40, 120)).astype(float)
    X[:, :10] += 2.0 * (y == 5)[:, None]
    X[:, 0] += 1
    return X, y


@pytest.mark.parametrize("weight", ["rbf", "binary"])
def test_the_formed_diffusion_is_that_of_the_library(methods, table, weight):
    expected = Diffusion(1.0, 10, weight).build(table[0]).to_array()
    np.testing.assert_allclose(methods.diffusion(table[0], weight).to_array(), expected, atol=1e-10)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_matrix])
def test_orders_are_those_of_the_selector(methods, table, stored):
    X, y = stored(table[0]), table[1]
    found = dict(methods.orders(X, y, methods.graphs(X, y)))
    assert set(found) == set(methods.all_methods())
    similarities = {"RBF": "knn", "DIJ length": "geodesic", "C": "class_labels"}
    for method in (m for m in found if m.graph in similarities and m.ranking in methods.PHI):
        options = {"spectral_function": method.power, "n_clusters": 2 if method.ranking == "phi3" else None}
        selector = SPEC(5, ranking=method.ranking, similarity=similarities[method.graph], **options)
        selector.fit(X, y) if method.graph == "C" else selector.fit(X)
        np.testing.assert_array_equal(found[method][:50], np.argsort(selector.ranking_)[:50])


def test_phi3_of_indicators_leaves_the_last_class_out(methods, table):
    X, y = table
    scores = methods.indicator_phi3(X, y)
    for column, score in zip(X.T, scores, strict=True):
        unit = column / np.linalg.norm(column)
        indicator = (y == 3) / np.sqrt(np.sum(y == 3))
        assert score == pytest.approx(2 * (unit @ indicator) ** 2)


def test_pair_entropy_is_a_sum_over_pairs(methods, rng):
    feature = rng.integers(0, 6, 25).astype(float)
    distances = [abs(a - b) for a, b in combinations(feature, 2)]
    total = 0.0
    for distance in distances:
        s = 0.5 ** (distance / np.mean(distances))
        total -= (s * np.log(s) + (1 - s) * np.log(1 - s)) if distance else 0.0
    assert methods.pair_entropy(feature) == pytest.approx(total)
    assert np.isnan(methods.pair_entropy(np.ones(7)))
    columns = np.column_stack([feature, feature[::-1] ** 2])
    dense, stored = methods.pair_entropies(columns), methods.pair_entropies(sparse.csr_matrix(columns))
    np.testing.assert_allclose(dense, stored)


def test_two_tight_groups_have_less_entropy_than_none(methods, rng):
    groups = np.repeat([0.0, 10.0], 20) + 0.1 * rng.normal(size=40)
    assert methods.pair_entropy(groups) < methods.pair_entropy(rng.uniform(size=40))


def test_nested_neighbours_are_those_of_each_size(trials, table):
    X, y = table
    train, test = np.arange(0, 40, 2), np.arange(1, 40, 2)
    found = trials.nested_one_nn(X[train], y[train], X[test], y[test])
    for size, accuracy in zip(trials.SIZES, found, strict=True):
        model = KNeighborsClassifier(1, algorithm="brute").fit(X[train, :size], y[train])
        distances, nearest = model.kneighbors(X[test, :size])
        gaps = ((X[test, None, :size] - X[None, train, :size]) ** 2).sum(axis=2)
        assert accuracy == np.mean(y[train][gaps.argmin(axis=1)] == y[test])
        np.testing.assert_allclose(distances[:, 0] ** 2, gaps.min(axis=1))


def test_power_sum_is_that_of_the_eigenvalues(trials, rng):
    S = rng.uniform(size=(9, 9))
    graph = SampleGraph(S + S.T)
    values = np.linalg.eigvalsh(graph.normalized_laplacian())
    assert trials.power_sum(graph) == pytest.approx((values**3).sum() / values.sum())


def test_a_split_measures_every_method(trials, methods, table):
    found = trials.one_split(*table, 2 / 3, 0)
    assert set(found["accuracy"]) == {method.key for method in methods.all_methods()}
    for curve in found["accuracy"].values():
        assert len(curve) == len(trials.SIZES)
        assert 0 <= min(curve) <= max(curve) <= 1
    assert all(found["same"].values())
    assert set(found["power sums"]) == {"RBF", "DIF RBF", "DIF binary", "DIJ length", "DIJ hops"}
    assert found["shape"] == [40, 120]
    assert found["largest class"] == 0.5
