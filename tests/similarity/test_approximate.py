"""Neighbours that others find: measured again, completed where some are missing, refused where they are none."""

import sys
import types

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer

from eigenselect.exceptions import ApproximateNeighborsWarning
from eigenselect.matrix import as_matrix
from eigenselect.similarity import approximate
from eigenselect.similarity.approximate import approximate_neighbors, check_transformer, recall, transformed_neighbors
from eigenselect.similarity.neighbors import nearest_neighbors


def clusters():
    """Points in 50 dimensions, which are the harder the more dimensions have noise of their own."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 50)) + 2 * rng.normal(size=(10, 50))[np.arange(3000) % 10]


def test_most_neighbours_are_found_measured_exactly_and_the_same_again():
    """One test, for the index is compiled anew in every process, which takes half a minute."""
    pytest.importorskip("pynndescent")
    X, options = clusters(), {"metric": "euclidean", "n_jobs": 1}
    indices, squared = approximate_neighbors(as_matrix(X), 10, random_state=None, **options)
    assert recall(indices, nearest_neighbors(as_matrix(X), 10)[0]) >= 0.95
    own = np.arange(len(X))[:, None]
    np.testing.assert_allclose(squared, ((X[own] - X[indices]) ** 2).sum(axis=2), rtol=1e-12)
    assert (indices != own).all()
    assert (np.diff(indices, axis=1) > 0).all()
    again = approximate_neighbors(as_matrix(X * 2.0**200), 10, random_state=0, **options)
    np.testing.assert_array_equal(again[0], indices)
    scaled = as_matrix(X * np.random.default_rng(1).uniform(0.1, 50, size=(3000, 1)))
    by_angle = approximate_neighbors(scaled, 10, random_state=0, metric="cosine", n_jobs=1)[0]
    assert recall(by_angle, nearest_neighbors(scaled, 10, metric="cosine")[0]) >= 0.95


def test_without_the_index_the_extra_is_named(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"pip install eigenselect\[ann\]"):
        approximate_neighbors(as_matrix(rng.normal(size=(20, 3))), 5, metric="euclidean", random_state=0, n_jobs=1)


@pytest.fixture
def index(monkeypatch):
    """An index that finds as many true neighbours as its lists are long, up to a given number, and says how long."""
    lists = []

    class Index:
        finds = 0

        def __init__(self, table, n_neighbors, **options):
            lists.append(n_neighbors)
            exact = nearest_neighbors(as_matrix(np.asarray(table, dtype=float)), 12)[0]
            farthest = np.argsort(-((table[:, None] - table) ** 2).sum(axis=2), axis=1)
            n_found = Index.finds * n_neighbors // approximate.FEWEST
            self.neighbor_graph = [np.hstack([exact[:, :n_found], farthest[:, : 12 - n_found]])]

    module = types.SimpleNamespace(NNDescent=Index)
    monkeypatch.setitem(sys.modules, "pynndescent", module)
    return types.SimpleNamespace(kind=Index, lists=lists)


@pytest.mark.parametrize(("finds", "searches"), [(12, 1), (6, 2), (3, 3)])
def test_longer_lists_are_searched_where_too_few_are_found(rng, index, finds, searches):
    index.kind.finds = finds
    X = as_matrix(rng.normal(size=(150, 6)))
    indices, _ = approximate_neighbors(X, 12, metric="euclidean", random_state=0, n_jobs=1)
    assert index.lists == [approximate.FEWEST << search for search in range(searches)]
    np.testing.assert_array_equal(indices, nearest_neighbors(X, 12)[0])


def test_what_even_these_miss_is_said(rng, index):
    index.kind.finds = 1
    with pytest.warns(ApproximateNeighborsWarning, match="about 33% of the 12 neighbours, measured on 100 of 150"):
        approximate_neighbors(as_matrix(rng.normal(size=(150, 6))), 12, metric="euclidean", random_state=0, n_jobs=1)
    assert len(index.lists) == 3


class Returns:
    """A transformer that returns what it was given."""

    def __init__(self, graph):
        self.graph = graph

    def get_params(self, deep=True):
        return {"graph": self.graph}

    def fit_transform(self, X):
        return self.graph


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_transformer_decides_who_is_a_neighbour(rng, mode, store):
    """It counts samples among their own neighbours, returns one more than asked, and perhaps no distances."""
    X = as_matrix(store(rng.normal(size=(60, 4))))
    transformer = KNeighborsTransformer(n_neighbors=5, mode=mode)
    found = transformed_neighbors(X, transformer, 5, metric="euclidean", n_jobs=1)
    for mine, expected in zip(found, nearest_neighbors(X, 5), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-12)
    assert not hasattr(transformer, "n_features_in_")  # the user's object stays as it is


def test_samples_of_too_few_found_neighbours_are_searched_exactly(rng):
    X = as_matrix(rng.normal(size=(60, 4)))
    near = RadiusNeighborsTransformer(radius=1.0)
    found, _ = transformed_neighbors(X, near, 5, metric="euclidean", n_jobs=1)
    np.testing.assert_array_equal(found, nearest_neighbors(X, 5)[0])


@pytest.mark.parametrize(
    ("graph", "says"),
    [
        (np.zeros((60, 60)), r"sparse matrix of 60 × 60 distances, got a ndarray of shape \(60, 60\)"),
        (sparse.csr_array((60, 5)), r"got a csr_array of shape \(60, 5\)"),
        (None, "got a NoneType"),
        (sparse.csr_array((60, 60)), "found no neighbour of 60 samples"),
    ],
)
def test_what_is_no_graph_of_neighbours_is_refused(rng, graph, says):
    with pytest.raises(ValueError, match=says):
        transformed_neighbors(as_matrix(rng.normal(size=(60, 4))), Returns(graph), 5, metric="euclidean", n_jobs=1)


@pytest.mark.parametrize("bad", [3, None, KNeighborsTransformer])
def test_what_is_no_transformer_is_refused(bad):
    with pytest.raises(TypeError, match="KNN: algorithm must be 'auto', 'exact', 'approximate' or an object"):
        check_transformer(bad)
