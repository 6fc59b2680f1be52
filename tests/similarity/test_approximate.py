"""Neighbours that others find: measured again, completed where some are missing, refused where they are none."""

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer

from eigenselect.matrix import as_matrix
from eigenselect.similarity.approximate import approximate_neighbors, check_transformer, transformed_neighbors
from eigenselect.similarity.neighbors import nearest_neighbors


def clusters():
    """Points in 50 dimensions, which are the harder the more dimensions have noise of their own."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 50)) + 2 * rng.normal(size=(10, 50))[np.arange(3000) % 10]


def recall(found, expected):
    return np.mean([np.isin(mine, others).mean() for mine, others in zip(found, expected, strict=True)])


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
