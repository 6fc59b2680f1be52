"""Who searches is as the parameters say, and it is said where they leave it open; projected samples."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsTransformer

from eigenselect import LaplacianScore
from eigenselect._floats import OutOfRangeError
from eigenselect.exceptions import ApproximateNeighborsWarning, EqualEigenvaluesWarning
from eigenselect.matrix import as_matrix
from eigenselect.similarity import KNN, Diffusion, projection, search, similarity_from_text
from eigenselect.similarity.approximate import Found
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.projection import project


@pytest.fixture
def index(monkeypatch):
    """Stands in for an approximate index: finds all neighbours but the last."""

    def approximate(X, n_neighbors, *, metric, random_state, n_jobs):
        calls.append(random_state)
        return Found(*nearest_neighbors(X, n_neighbors - 1, metric=metric), "somebody")

    calls = []
    monkeypatch.setattr(search, "approximate_neighbors", approximate)
    monkeypatch.setattr(search, "is_installed", lambda: True)
    monkeypatch.setattr(search, "FEW_SAMPLES", 50)
    monkeypatch.setattr(search, "LONG_SEARCH", 100**2 * 70.0)
    return calls


def test_a_long_search_is_approximate_and_says_so(rng, index):
    X = rng.normal(size=(100, 20))
    with pytest.warns(ApproximateNeighborsWarning, match="100 samples.*algorithm='exact'"):
        graph = KNN(5, random_state=3).build(X)
    assert index == [3]
    assert graph.description["search"] == "approximate, by somebody"


@pytest.mark.parametrize(
    ("X", "installed"), [((99, 20), True), ((100, 19), True), ((100, 20), False)], ids=["short", "narrow", "no index"]
)
def test_else_it_is_exact_without_a_word(rng, index, monkeypatch, X, installed):
    monkeypatch.setattr(search, "is_installed", lambda: installed)
    graph = KNN(5).build(rng.normal(size=X))
    assert index == []
    assert "search" not in graph.description


def test_a_dask_array_is_not_gathered_for_a_search_that_nobody_asked_for(rng, index):
    da = pytest.importorskip("dask.array")
    X = rng.normal(size=(100, 20))
    graph = KNN(5).build(da.from_array(X, chunks=(50, 20)))
    assert index == []
    np.testing.assert_allclose(graph.to_array(), KNN(5, algorithm="exact").build(X).to_array(), rtol=1e-10)


@pytest.mark.parametrize(
    ("state", "said"), [(np.int64(3), 3), (np.random.RandomState(3), "a RandomState")], ids=["integer", "generator"]
)
def test_a_description_tells_the_random_state_in_the_same_words_each_time(state, said):
    assert KNN(random_state=state).describe()["random_state"] == said


def test_who_asks_for_it_is_not_warned(rng, index):
    X = rng.normal(size=(100, 20))
    KNN(5, algorithm="approximate").build(X)
    KNN(5, algorithm="exact").build(X)
    assert len(index) == 1


def test_few_samples_are_searched_exactly_and_it_is_said(rng, index):
    with pytest.warns(ApproximateNeighborsWarning, match="49 samples"):
        KNN(5, algorithm="approximate").build(rng.normal(size=(49, 20)))
    assert index == []


def test_an_object_searches_and_is_named(rng):
    X = rng.normal(size=(60, 4))
    graph = KNN(5, algorithm=KNeighborsTransformer(n_neighbors=8)).build(X)
    np.testing.assert_allclose(graph.to_array(), KNN(5).build(X).to_array(), atol=1e-12)
    assert graph.description["search"] == graph.description["algorithm"] == "KNeighborsTransformer"


@pytest.mark.parametrize(("weight", "store"), [("rbf", np.asarray), ("cosine", sparse.csr_array)])
def test_neighbours_and_weights_are_of_projected_samples(rng, weight, store):
    X = rng.normal(size=(60, 20))
    graph = KNN(5, weight, n_components=3).build(store(X))
    expected = KNN(5, weight).build(project(as_matrix(X), 3, "pca", None).to_array())
    np.testing.assert_allclose(graph.to_array(), expected.to_array(), atol=1e-12)
    assert graph.description["projected"] == "pca to 3 dimensions"
    assert "n_components" not in graph.description  # the graph's own


def test_bad_parameters_are_named(rng):
    X = rng.normal(size=(20, 3))
    for parameters, error, says in (
        ({"algorithm": "fast"}, ValueError, "algorithm.*'approximate' or an object.*'fast'"),
        ({"algorithm": 3}, TypeError, "algorithm.*3"),
        ({"n_components": 4}, ValueError, "n_components.* 1 to 3, got 4"),
        ({"n_components": 0}, ValueError, "n_components.*0"),
        ({"n_components": 2, "projection": "umap"}, ValueError, "projection.*'pca' or 'random'.*'umap'"),
    ):
        for kind in (KNN, Diffusion):
            with pytest.raises(error, match=f"KNN: {says}"):
                kind(n_neighbors=2, **parameters).build(X)


def test_the_command_and_nested_parameters_know_them(rng):
    similarity = similarity_from_text("knn:k=5,n_components=3,algorithm=exact,projection=random,random_state=1")
    expected = KNN(5, n_components=3, algorithm="exact", projection="random", random_state=1)
    assert similarity.get_params() == expected.get_params()
    X = rng.normal(size=(60, 20))
    selector = LaplacianScore(2, similarity=KNN(5)).set_params(similarity__n_components=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a graph in parts
        assert selector.fit(X).graph_.description["projected"] == "pca to 3 dimensions"


def test_distances_of_all_samples_serve_only_who_is_made_of_them(rng):
    X = as_matrix(rng.normal(size=(20, 6)))
    assert KNN(3).pairs(X).shape == (20, 20)
    assert KNN(3, n_components=2).pairs(X) is None
    assert KNN(3, algorithm=KNeighborsTransformer()).pairs(X) is None
    assert KNN(3, n_components=2).weight_derivative(KNN(3, n_components=2).build(X)) is None


@pytest.fixture(params=["whole", "krylov"])
def way(request, monkeypatch):
    """A short side is decomposed as a whole, a long one in a Krylov space, here until that holds everything."""
    if request.param == "krylov":
        monkeypatch.setattr(projection, "WHOLE_SIDE", 0)
        monkeypatch.setattr(projection, "SETTLED", 1e-14)
        monkeypatch.setattr(projection, "MOST_BLOCKS", 50)
        monkeypatch.setattr(projection, "SPARE", 2)


def table(rng, shape):
    return rng.normal(size=shape) * (rng.random(shape) < 0.3) * np.linspace(1, 3, shape[1])


@pytest.mark.parametrize(
    ("shape", "store"), [((80, 30), np.asarray), ((30, 80), sparse.csr_array), ((80, 30), sparse.csc_array)]
)
def test_distances_are_those_of_principal_components(rng, way, shape, store):
    X = table(rng, shape) + 5 * (rng.random(shape) < 0.1)
    points = project(as_matrix(store(X)), 6, "pca", None).to_array()
    expected = PCA(6, svd_solver="full").fit_transform(X)
    np.testing.assert_allclose(pdist(points), pdist(expected), rtol=1e-7)


def test_a_sparse_table_is_not_made_dense(rng, monkeypatch):
    X = as_matrix(sparse.csr_array(table(rng, (80, 30))))
    for name in ("to_array", "row_blocks", "block", "tile"):
        monkeypatch.setattr(type(X), name, None)
    assert project(X, 4, "pca", None).shape == (80, 4)


def test_noise_that_never_settles_ends_after_some_blocks(rng, monkeypatch):
    monkeypatch.setattr(projection, "WHOLE_SIDE", 0)
    monkeypatch.setattr(projection, "MOST_BLOCKS", 4)
    monkeypatch.setattr(projection, "SETTLED", 0.0)
    X = rng.normal(size=(300, 200))
    points = project(as_matrix(X), 10, "pca", None).to_array()
    assert points.var(axis=0).sum() >= 0.95 * PCA(10, svd_solver="full").fit_transform(X).var(axis=0).sum()


def test_equal_variances_at_the_end_are_taken_together():
    X = np.vstack([np.eye(6), -np.eye(6)])
    with pytest.warns(EqualEigenvaluesWarning, match="KNN: n_components=2 .*the 6"):
        points = project(as_matrix(X), 2, "pca", None).to_array()
    np.testing.assert_allclose(pdist(points), pdist(X), rtol=1e-12)


def test_components_without_variance_are_left_out(rng, way):
    X = np.outer(rng.normal(size=40), rng.normal(size=20))
    points = project(as_matrix(X), 5, "pca", None)
    assert points.n_features == 1
    np.testing.assert_allclose(pdist(points.to_array()), pdist(X), rtol=1e-9)


def test_a_random_projection_keeps_squared_distances_on_average(rng):
    X = table(rng, (20, 300))
    squared = np.mean([pdist(project(as_matrix(X), 40, "random", seed).to_array()) ** 2 for seed in range(60)], axis=0)
    np.testing.assert_allclose(squared, pdist(X) ** 2, rtol=0.15)


@pytest.mark.parametrize(("kind", "exponent"), [("pca", -1000), ("random", 1000), ("pca", 1000)])
def test_squares_out_of_range_are_refused(rng, way, kind, exponent):
    with pytest.raises(OutOfRangeError, match="squared distances"):
        project(as_matrix(np.ldexp(rng.normal(size=(30, 25)), exponent)), 3, kind, None)
