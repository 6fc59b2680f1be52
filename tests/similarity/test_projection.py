"""Samples in few dimensions have the distances of principal components, or keep those of all features on average."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA

from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.matrix import as_matrix
from eigenselect.similarity import KNN, projection
from eigenselect.similarity.projection import project


@pytest.mark.parametrize(("weight", "store"), [("rbf", np.asarray), ("cosine", sparse.csr_array)])
def test_neighbours_and_weights_are_of_projected_samples(rng, weight, store):
    X = rng.normal(size=(60, 20))
    graph = KNN(5, weight, n_components=3).build(store(X))
    expected = KNN(5, weight).build(project(as_matrix(X), 3, "pca", None).to_array())
    np.testing.assert_allclose(graph.to_array(), expected.to_array(), atol=1e-12)
    assert graph.description["projected"] == "pca to 3 dimensions"
    assert "n_components" not in graph.description  # the graph's own


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
