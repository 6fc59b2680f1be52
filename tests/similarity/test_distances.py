"""Exact distances, however they are computed."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_similarity

from eigenselect._floats import OutOfRangeError
from eigenselect.matrix import as_matrix
from eigenselect.similarity import KNN, distances
from eigenselect.similarity.distances import (
    cosine_matrix,
    gram_matrix,
    squared_distances,
)


@pytest.mark.parametrize("cheap", [True, False])
def test_sparse_float32_keeps_the_distances_of_near_copies(rng, monkeypatch, cheap):
    monkeypatch.setattr(distances, "SCATTERED_ADD_COST", 0.0 if cheap else np.inf)
    X = (rng.normal(size=(40, 60)) * (rng.random((40, 60)) < 0.2) * 100).astype(np.float32)
    X[1] = X[0]
    X[1, 0] += np.float32(1e-2)
    gap = abs(float(X[1, 0]) - float(X[0, 0]))
    S = KNN(3, bandwidth=gap).build(sparse.csr_array(X)).to_array()
    assert S[0, 1] == pytest.approx(np.exp(-0.5), rel=1e-5)


def matrix_of(X, store):
    return as_matrix(store(X))


STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("density", [0.02, 1.0])
class TestAgainstScipy:
    @pytest.fixture
    def X(self, rng, density):
        return rng.normal(size=(50, 90)) * (rng.random((50, 90)) < density)

    def test_squared_distances(self, X, store):
        found = squared_distances(matrix_of(X, store))
        np.testing.assert_allclose(found, cdist(X, X, "sqeuclidean"), rtol=1e-9, atol=1e-13)
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_array_equal(found.diagonal(), 0)

    def test_inner_products(self, X, store):
        found = gram_matrix(matrix_of(X, store))
        np.testing.assert_allclose(found, X @ X.T, atol=1e-12)
        np.testing.assert_array_equal(found, found.T)

    def test_cosines(self, X, store):
        found = cosine_matrix(matrix_of(X, store))
        np.testing.assert_allclose(found, cosine_similarity(X), atol=1e-12)


def test_near_copies_are_measured_by_their_differences(rng):
    X = 1e4 * rng.normal(size=(20, 5))
    X[7] = X[2] + [3e-6, 0, 0, 4e-6, 0]
    expected = ((X[7] - X[2]) ** 2).sum()  # of the numbers as they are stored
    assert squared_distances(X)[2, 7] == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("n_samples", [1, 100, 10_000, 10_000_000])
def test_panels_cover_every_row_once(n_samples):
    panels = distances.row_panels(n_samples)
    assert (panels[0].start, panels[-1].stop) == (0, n_samples)
    assert all(before.stop == after.start for before, after in pairwise(panels))


@pytest.mark.parametrize("exponent", [-700, 600])
def test_squares_that_are_no_numbers_are_refused_and_cosines_are_not(rng, exponent):
    X = np.abs(rng.normal(size=(10, 4)))
    huge = as_matrix(np.ldexp(X, exponent))
    for measure in (squared_distances, gram_matrix):
        with pytest.raises(OutOfRangeError, match="too large or too small"):
            measure(huge)
    np.testing.assert_allclose(cosine_matrix(huge), cosine_similarity(X), atol=1e-12)


def test_equal_samples_have_nothing_to_lose():
    np.testing.assert_array_equal(squared_distances(np.full((4, 2), 1e-250)), 0)
    np.testing.assert_array_equal(gram_matrix(np.zeros((3, 2))), 0)
