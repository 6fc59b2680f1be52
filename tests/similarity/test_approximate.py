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

OPTIONS = {"metric": "euclidean", "random_state": None, "n_jobs": 1}


@pytest.fixture(scope="module")
def clusters():
    """Points in 50 dimensions, which are the harder the more dimensions have noise of their own."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 50)) + 2 * rng.normal(size=(10, 50))[np.arange(3000) % 10]


@pytest.fixture
def no_cells(monkeypatch):
    """As if too many cells had to be looked at."""
    monkeypatch.setattr(approximate, "MOST_COMPARED", 0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_most_neighbours_are_found_by_looking_at_part_of_the_cells(clusters, monkeypatch, metric):
    X = as_matrix(clusters * np.random.default_rng(1).uniform(0.1, 50, size=(3000, 1)) ** (metric == "cosine"))
    monkeypatch.setattr(approximate, "MOST_COMPARED", 1500)
    indices, squared, by = approximate_neighbors(X, 10, **OPTIONS | {"metric": metric})
    expected, distances = nearest_neighbors(X, 10, metric=metric)
    assert by == "cells"
    assert 0.95 <= recall(squared, distances) < 1.0
    complete = (indices == expected).all(axis=1)
    np.testing.assert_allclose(squared[complete], distances[complete], rtol=1e-9)
    assert (np.diff(indices, axis=1) > 0).all()


def test_they_are_the_same_on_any_number_of_threads_and_in_any_unit(clusters):
    found = approximate_neighbors(as_matrix(clusters), 10, **OPTIONS)
    for X, options in (
        (clusters, OPTIONS | {"n_jobs": 3}),
        (clusters * 2.0**200, OPTIONS | {"random_state": 0}),
    ):
        again = approximate_neighbors(as_matrix(X), 10, **options)
        np.testing.assert_array_equal(again.indices, found.indices)
    other = approximate_neighbors(as_matrix(clusters), 10, **OPTIONS | {"random_state": 1})
    assert (other.indices != found.indices).any()


@pytest.mark.slow
def test_the_real_index_finds_most_neighbours_and_the_same_again(clusters, no_cells):
    """One test, for the index is compiled anew in every process, which takes half a minute."""
    pytest.importorskip("pynndescent")
    X = as_matrix(clusters)
    indices, squared, by = approximate_neighbors(X, 10, **OPTIONS)
    assert by == "pynndescent"
    assert recall(squared, nearest_neighbors(X, 10)[1]) >= 0.95
    own = np.arange(len(clusters))[:, None]
    np.testing.assert_allclose(squared, ((clusters[own] - clusters[indices]) ** 2).sum(axis=2), rtol=1e-12)
    assert (indices != own).all()
    again = approximate_neighbors(as_matrix(clusters * 2.0**200), 10, **OPTIONS)
    np.testing.assert_array_equal(again.indices, indices)


def test_a_sparse_file_stays_sparse_and_its_size_is_told(tmp_path, monkeypatch, index):
    h5py = pytest.importorskip("h5py")
    X = sparse.random_array((150, 40), density=0.2, format="csr", rng=np.random.default_rng(0))
    with h5py.File(tmp_path / "X.h5", "w") as file:
        group = file.create_group("X")
        group.attrs.update({"encoding-type": "csr_matrix", "shape": X.shape})
        for name in ("data", "indices", "indptr"):
            group.create_dataset(name, data=getattr(X, name))
        index.kind.table, index.kind.finds = X.toarray(), 12
        monkeypatch.setattr(approximate, "MOST_COMPARED", 1e9)
        monkeypatch.setattr(approximate, "KEPT_BYTES", 0)
        monkeypatch.setattr("eigenselect.matrix.backed.band_bytes", lambda: 100)
        with pytest.warns(UserWarning, match="loaded from its file"):
            found = approximate_neighbors(as_matrix(group), 12, **OPTIONS)
    assert found.by == "pynndescent"  # cells would have made it dense


def test_without_the_index_the_extra_is_named(rng, monkeypatch, no_cells):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"install eigenselect\[ann\]"):
        approximate_neighbors(as_matrix(rng.normal(size=(20, 3))), 5, **OPTIONS)


@pytest.fixture
def index(monkeypatch, no_cells):
    """An index that finds as many true neighbours as its lists are long, up to a given number, and says how long."""
    lists = []

    class Index:
        finds, table = 0, None

        def __init__(self, table, n_neighbors, **options):
            lists.append(n_neighbors)
            table = np.asarray(table, dtype=float) if Index.table is None else Index.table
            exact = nearest_neighbors(as_matrix(table), 12)[0]
            farthest = np.argsort(-((table[:, None] - table) ** 2).sum(axis=2), axis=1)
            n_found = Index.finds * n_neighbors // approximate.FEWEST
            self.neighbor_graph = [np.hstack([exact[:, :n_found], farthest[:, : 12 - n_found]])]

    module = types.SimpleNamespace(NNDescent=Index)
    monkeypatch.setitem(sys.modules, "pynndescent", module)
    return types.SimpleNamespace(kind=Index, lists=lists)


@pytest.mark.parametrize("far", ["one sample", "one half"])
def test_cells_that_single_precision_cannot_tell_apart_are_given_up(rng, index, monkeypatch, far):
    """Beside a far sample, or in a cell that is far narrower than the table, products in float32 order nothing."""
    monkeypatch.setattr(approximate, "MOST_COMPARED", 1e9)
    index.kind.finds = 12
    X = rng.normal(size=(150, 6))
    if far == "one sample":
        X[70] = 1e9
    else:
        X[:75] *= 1e-6
    index.kind.table = X
    found = approximate_neighbors(as_matrix(X), 12, **OPTIONS)
    assert found.by == "pynndescent"
    np.testing.assert_array_equal(found.indices, nearest_neighbors(as_matrix(X), 12)[0])


def test_a_small_narrow_cluster_is_searched_exactly(rng):
    """Too small to lower the recall of all, and its own was nearly 0."""
    X = rng.normal(size=(1500, 10))
    X[:30] = 3 + 1e-6 * X[:30]
    found = approximate_neighbors(as_matrix(X), 5, **OPTIONS)
    assert found.by == "cells"
    np.testing.assert_array_equal(found.indices[:30], nearest_neighbors(as_matrix(X), 5)[0][:30])


@pytest.mark.parametrize(("finds", "searches"), [(12, 1), (6, 2), (3, 3)])
def test_longer_lists_are_searched_where_too_few_are_found(rng, index, finds, searches):
    index.kind.finds = finds
    X = as_matrix(rng.normal(size=(150, 6)))
    indices = approximate_neighbors(X, 12, **OPTIONS).indices
    assert index.lists == [approximate.FEWEST << search for search in range(searches)]
    np.testing.assert_array_equal(indices, nearest_neighbors(X, 12)[0])


def test_what_even_these_miss_is_said(rng, index):
    index.kind.finds = 1
    with pytest.warns(ApproximateNeighborsWarning, match="33% of the 12 neighbours"):
        approximate_neighbors(as_matrix(rng.normal(size=(150, 6))), 12, **OPTIONS)
    assert len(index.lists) == 3


class Returns:
    """A transformer that returns what it was given."""

    def __init__(self, graph):
        self.graph = graph

    def get_params(self, deep=True):
        return {"graph": self.graph}

    def fit_transform(self, X):
        return self.graph


@pytest.mark.parametrize(("mode", "store"), [("distance", np.asarray), ("connectivity", sparse.csr_array)])
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
        (np.zeros((60, 60)), r"60 × 60 .*ndarray of shape"),
        (sparse.csr_array((60, 5)), r"got a csr_array of shape \(60, 5\)"),
        (None, "got a NoneType"),
        (sparse.csr_array((60, 60)), "no neighbour of 60"),
    ],
)
def test_what_is_no_graph_of_neighbours_is_refused(rng, graph, says):
    with pytest.raises(ValueError, match=says):
        transformed_neighbors(as_matrix(rng.normal(size=(60, 4))), Returns(graph), 5, metric="euclidean", n_jobs=1)


@pytest.mark.parametrize("bad", [3, None, KNeighborsTransformer])
def test_what_is_no_transformer_is_refused(bad):
    with pytest.raises(TypeError, match="KNN: algorithm must"):
        check_transformer(bad)
