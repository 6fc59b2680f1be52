"""Neighbours are those of brute force, ties go to the lower sample, whichever backend proposes them."""

import sys
import types
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer

from eigenselect import LaplacianScore
from eigenselect.exceptions import ApproximateNeighborsWarning
from eigenselect.matrix import DaskMatrix, as_matrix
from eigenselect.similarity import KNN, Diffusion, knn, neighbors, pairs, similarity_from_text
from eigenselect.similarity.neighbors import nearest_neighbors, smallest_per_row
from ugly_tables import TABLES


def brute_force(X, count, metric="euclidean"):
    """Distances from differences in twice the digits, and a stable sort."""
    X = np.asarray(X, dtype=np.longdouble)
    if metric == "cosine":
        X = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    squared = np.stack([((X - row) ** 2).sum(axis=1) for row in X]).astype(float)
    np.fill_diagonal(squared, np.inf)
    indices = smallest_per_row(squared, count)
    return indices, np.take_along_axis(squared, indices, axis=1)


def on_dask(X):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    return DaskMatrix(da.from_array(X, chunks=(40, 7)))


@pytest.fixture
def many(monkeypatch):
    """As if all distances were too many to be held."""
    monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("backend", ["held", "scikit-learn", "tree", "panels", "sparse", "dask"])
def test_neighbours_are_those_of_brute_force(rng, table, backend, monkeypatch):
    X = table(rng)
    if backend != "held":
        monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)
    monkeypatch.setattr(neighbors, "TREE_FEATURES", 20 if backend == "tree" else 0)
    monkeypatch.setattr(neighbors, "COPIED_BYTES", 0 if backend == "panels" else 2**30)
    store = {"sparse": sparse.csr_array, "dask": on_dask}.get(backend, np.asarray)
    indices, squared = nearest_neighbors(as_matrix(store(X)), 6, n_jobs=2)
    expected, distances = brute_force(X, 6)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-9)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array, on_dask])
@pytest.mark.parametrize("held", [True, False])
def test_neighbours_by_angle(rng, store, held, monkeypatch):
    if not held:
        monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)
    X = rng.normal(size=(150, 20)) * rng.uniform(0.1, 50, size=(150, 1))
    expected, distances = brute_force(X, 6, "cosine")
    indices, squared = nearest_neighbors(as_matrix(store(X)), 6, metric="cosine", n_jobs=1)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-9)
    X[3] = 0  # without a direction: as far from all
    indices, squared = nearest_neighbors(as_matrix(store(X)), 6, metric="cosine", n_jobs=1)
    np.testing.assert_array_equal(indices[3], [0, 1, 2, 4, 5, 6])
    np.testing.assert_array_equal(squared[3], 2.0)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("held", [True, False])
def test_rows_that_are_nearly_parallel(rng, store, held, monkeypatch):
    """Multiples of a row tie, so the lower sample is the neighbour; angles of 1e-6 keep their digits."""
    if not held:
        monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)
    X = np.repeat(rng.normal(size=(40, 7)), 3, axis=0) * np.tile([1.0, 3.0, 0.7], 40)[:, None]
    indices, squared = nearest_neighbors(as_matrix(store(X)), 1, metric="cosine")
    np.testing.assert_array_equal(indices[:, 0], [3 * (i // 3) + (i % 3 == 0) for i in range(120)])
    assert not squared.any()
    X = np.repeat(X[::3], 3, axis=0) + 1e-6 * rng.normal(size=(120, 7))
    indices, squared = nearest_neighbors(as_matrix(store(X)), 2, metric="cosine")
    np.testing.assert_allclose(squared, brute_force(X, 2, "cosine")[1], rtol=1e-8)


def test_ties_of_numbers_that_are_not_whole_are_those_of_whole_numbers(rng, many):
    """Whatever the unit, and whether zeros are stored."""
    whole = np.hstack([rng.integers(0, 400, (200, 1)), rng.integers(0, 2, (200, 2)), np.zeros((200, 300))])
    expected = brute_force(whole, 7)[0]
    for unit in (*rng.uniform(0.01, 1.0, 5), 1e-90, 1e90):
        for store in (np.asarray, sparse.csr_array):
            np.testing.assert_array_equal(nearest_neighbors(as_matrix(store(whole * unit)), 7)[0], expected)


@pytest.mark.parametrize("levels", [1, 2, 40])
def test_a_tree_settles_more_ties_than_it_proposes_at_first(rng, many, levels):
    """Of equal samples it searches few, and the middle of a circle ties with all."""
    X = rng.integers(0, levels, size=(150, 2)).astype(float)
    np.testing.assert_array_equal(nearest_neighbors(as_matrix(X), 6)[0], brute_force(X, 6)[0])
    angles = np.arange(40) * np.pi / 20
    X = np.vstack([np.column_stack([np.cos(angles), np.sin(angles)]), [[0.0, 0.0]]])
    np.testing.assert_array_equal(nearest_neighbors(as_matrix(X), 3)[0][-1], [0, 1, 2])


def test_as_many_neighbours_as_there_are_others(rng, many):
    for n_features in (3, 20):
        indices, _ = nearest_neighbors(as_matrix(rng.normal(size=(12, n_features))), 11)
        np.testing.assert_array_equal(indices, [[j for j in range(12) if j != i] for i in range(12)])


def test_a_dask_array_stays_on_the_workers(rng, many, monkeypatch):
    X = rng.normal(size=(100, 20))
    expected = KNN(5).build(X).to_array()
    table = on_dask(X)
    for name in ("to_array", "_held", "block", "row_blocks"):
        monkeypatch.setattr(DaskMatrix, name, None)
    np.testing.assert_allclose(KNN(5).build(table).to_array(), expected, rtol=1e-10)


class TestTies:
    def test_they_go_to_the_lower_column(self, rng):
        values = rng.integers(0, 3, size=(200, 9)).astype(float)
        for count in range(1, 10):
            expected = np.sort(np.argsort(values, axis=1, kind="stable")[:, :count], axis=1)
            np.testing.assert_array_equal(smallest_per_row(values, count), expected)

    def test_distances_equal_up_to_rounding_tie_wherever_they_lie(self, rng):
        values = rng.uniform(0.5, 2.0, (400, 1)) * np.array([1.0 + 2e-12, 1.0, 1.0 - 2e-12, 0.2, 3.0])
        np.testing.assert_array_equal(smallest_per_row(values, 2), np.tile([0, 3], (400, 1)))
        np.testing.assert_array_equal(smallest_per_row(np.array([[1.0 + 1e-9, 1.0]]), 1), [[1]])


OPTIONS = {"metric": "euclidean", "random_state": None, "n_jobs": 1}


class TestApproximate:
    @pytest.fixture
    def index(self, monkeypatch):
        """An index that finds as many true neighbours as its lists are long, up to a given number."""
        lists = []

        class Index:
            finds, table = 0, None

            def __init__(self, table, n_neighbors, **options):
                lists.append(n_neighbors)
                table = np.asarray(table, dtype=float) if Index.table is None else Index.table
                exact = brute_force(table, 12)[0]
                farthest = np.argsort(-cdist(table, table), axis=1)
                n_found = Index.finds * n_neighbors // neighbors.FEWEST
                self.neighbor_graph = [np.hstack([exact[:, :n_found], farthest[:, : 12 - n_found]])]

        monkeypatch.setitem(sys.modules, "pynndescent", types.SimpleNamespace(NNDescent=Index))
        return types.SimpleNamespace(kind=Index, lists=lists)

    @pytest.mark.slow
    @pytest.mark.parametrize("metric", ["euclidean", "cosine"])
    def test_pynndescent_finds_most_neighbours_and_the_same_again(self, metric):
        pytest.importorskip("pynndescent")
        rng = np.random.default_rng(0)
        X = rng.normal(size=(3000, 50)) + 2 * rng.normal(size=(10, 50))[np.arange(3000) % 10]
        options = OPTIONS | {"metric": metric}
        indices, squared = neighbors.approximate_neighbors(as_matrix(X), 10, **options)
        limit = nearest_neighbors(as_matrix(X), 10, metric=metric)[1].max(axis=1, keepdims=True)
        assert np.mean(squared <= limit * (1 + 1e-9)) >= 0.95
        again = neighbors.approximate_neighbors(as_matrix(X * 2.0**200), 10, **options)
        np.testing.assert_array_equal(again[0], indices)

    @pytest.mark.parametrize(("finds", "searches"), [(12, 1), (6, 2), (3, 3)])
    def test_longer_lists_are_searched_where_too_few_are_found(self, rng, index, finds, searches):
        index.kind.finds = finds
        X = as_matrix(rng.normal(size=(150, 6)))
        indices, _ = neighbors.approximate_neighbors(X, 12, **OPTIONS)
        assert index.lists == [neighbors.FEWEST << search for search in range(searches)]
        np.testing.assert_array_equal(indices, nearest_neighbors(X, 12)[0])

    def test_a_low_recall_is_said(self, rng, index):
        index.kind.finds = 1
        with pytest.warns(ApproximateNeighborsWarning, match="33%"):
            neighbors.approximate_neighbors(as_matrix(rng.normal(size=(150, 6))), 12, **OPTIONS)

    def test_without_the_index_the_extra_is_named(self, rng, monkeypatch):
        monkeypatch.setitem(sys.modules, "pynndescent", None)
        with pytest.raises(ImportError, match=r"eigenselect\[ann\]"):
            neighbors.approximate_neighbors(as_matrix(rng.normal(size=(20, 3))), 5, **OPTIONS)


class TestChoiceOfTheSearch:
    @pytest.fixture
    def calls(self, monkeypatch):
        """Stands in for an approximate search that pays from 100 samples of 20 features on."""
        calls = []

        def approximate(X, n_neighbors, *, metric, random_state, n_jobs):
            calls.append(random_state)
            return nearest_neighbors(X, n_neighbors - 1, metric=metric)

        monkeypatch.setattr(neighbors, "approximate_neighbors", approximate)
        monkeypatch.setattr(knn, "find_spec", lambda name: True)
        monkeypatch.setattr(knn, "FEW_SAMPLES", 50)
        monkeypatch.setattr(knn, "LONG_SEARCH", 100**2 * 70.0)
        return calls

    def test_a_long_search_is_approximate_and_says_so(self, rng, calls):
        X = rng.normal(size=(100, 20))
        with pytest.warns(ApproximateNeighborsWarning, match="algorithm='exact'"):
            graph = KNN(5, random_state=3).build(X)
        assert graph.description["search"] == "approximate, by pynndescent"
        KNN(5, algorithm="approximate").build(X)  # without a warning, which would be an error
        KNN(5, algorithm="exact").build(X)
        assert calls == [3, None]

    def test_else_it_is_exact_without_a_word(self, rng, calls, monkeypatch):
        for X in (rng.normal(size=(99, 20)), rng.normal(size=(100, 19)), on_dask(rng.normal(size=(100, 20)))):
            assert "search" not in KNN(5).build(X).description
        monkeypatch.setattr(knn, "find_spec", lambda name: None)
        KNN(5).build(rng.normal(size=(100, 20)))
        with pytest.warns(ApproximateNeighborsWarning, match="49 samples"):
            KNN(5, algorithm="approximate").build(rng.normal(size=(49, 20)))
        assert calls == []

    def test_the_random_state_is_described_in_the_same_words_each_time(self):
        for state, said in ((np.int64(3), 3), (np.random.RandomState(3), "a RandomState")):
            assert KNN(random_state=state).describe()["random_state"] == said

    def test_the_command_and_nested_parameters_know_them(self, rng):
        similarity = similarity_from_text("knn:k=5,n_components=3,algorithm=exact,projection=random,random_state=1")
        expected = KNN(5, n_components=3, algorithm="exact", projection="random", random_state=1)
        assert similarity.get_params() == expected.get_params()
        selector = LaplacianScore(2, similarity=KNN(5)).set_params(similarity__n_components=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a graph in parts
            graph = selector.fit(rng.normal(size=(60, 20))).graph_
        assert graph.description["projected"] == "pca to 3 dimensions"

    def test_distances_of_all_samples_are_shared_only_by_graphs_from_them(self, rng):
        X = as_matrix(rng.normal(size=(20, 6)))
        assert KNN(3).pairs(X).shape == (20, 20)
        assert KNN(3, n_components=2).pairs(X) is None
        assert KNN(3, algorithm=KNeighborsTransformer()).pairs(X) is None
        assert KNN(3, n_components=2).weight_derivative(KNN(3, n_components=2).build(X)) is None

    def test_bad_parameters_are_named(self, rng):
        for parameters, error, says in (
            ({"algorithm": "fast"}, ValueError, "algorithm.*'fast'"),
            ({"algorithm": 3}, TypeError, "algorithm.*3"),
            ({"algorithm": KNeighborsTransformer}, TypeError, "algorithm"),
            ({"n_components": 4}, ValueError, "n_components.* 1 to 3, got 4"),
            ({"n_components": 0}, ValueError, "n_components.*0"),
            ({"n_components": 2, "projection": "umap"}, ValueError, "projection.*'umap'"),
        ):
            for kind in (KNN, Diffusion):
                with pytest.raises(error, match=f"KNN: {says}"):
                    kind(n_neighbors=2, **parameters).build(rng.normal(size=(20, 3)))


class Returns:
    """A transformer that returns what it was given."""

    def __init__(self, graph):
        self.graph = graph

    def get_params(self, deep=True):
        return {"graph": self.graph}

    def fit_transform(self, X):
        return self.graph


class TestTransformers:
    @pytest.mark.parametrize(("mode", "store"), [("distance", np.asarray), ("connectivity", sparse.csr_array)])
    def test_a_transformer_proposes(self, rng, mode, store):
        """It counts samples among their own neighbours, returns one more than asked, and perhaps no distances."""
        X = store(rng.normal(size=(60, 4)))
        transformer = KNeighborsTransformer(n_neighbors=8, mode=mode)
        graph = KNN(5, algorithm=transformer).build(X)
        np.testing.assert_allclose(graph.to_array(), KNN(5).build(X).to_array(), atol=1e-12)
        assert graph.description["search"] == graph.description["algorithm"] == "KNeighborsTransformer"
        assert not hasattr(transformer, "n_features_in_")  # the user's object stays as it is

    def test_short_lists_are_completed(self, rng):
        X = rng.normal(size=(60, 4))
        found = KNN(5, algorithm=RadiusNeighborsTransformer(radius=1.0)).build(X)
        np.testing.assert_allclose(found.to_array(), KNN(5).build(X).to_array(), atol=1e-12)
        found = KNN(5, algorithm=Returns(sparse.csr_array((60, 60)))).build(X)
        np.testing.assert_allclose(found.to_array(), KNN(5).build(X).to_array(), atol=1e-12)

    @pytest.mark.parametrize(
        ("graph", "says"),
        [
            (np.zeros((60, 60)), "60 × 60 .*ndarray of shape"),
            (sparse.csr_array((60, 5)), r"csr_array of shape \(60, 5\)"),
            (None, "NoneType"),
        ],
    )
    def test_results_without_neighbours_are_refused(self, rng, graph, says):
        with pytest.raises(ValueError, match=says):
            KNN(5, algorithm=Returns(graph)).build(rng.normal(size=(60, 4)))
