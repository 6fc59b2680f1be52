"""Products and distances of all samples, whatever the storage, the number of blocks and of threads."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_similarity

from eigenselect.matrix import DaskMatrix, Matrix, as_matrix
from eigenselect.similarity import pairs
from eigenselect.similarity.pairs import Distances, cosine_matrix, gram_matrix, squared_distances


def on_dask(X):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    return DaskMatrix(da.from_array(X, chunks=(20, 31)).map_blocks(sparse.csr_array, dtype=X.dtype))


STORES = (np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array, on_dask)


@pytest.fixture(params=["one block", "many blocks"])
def blocks(request, monkeypatch):
    """Features at once, and in blocks of which threads share tiles."""
    if request.param == "many blocks":
        monkeypatch.setattr(pairs, "BLOCK_BYTES", 0)
        monkeypatch.setattr(pairs, "TILE_ROWS", 16)


@pytest.mark.parametrize("density", [0.02, 1.0])
@pytest.mark.parametrize("store", STORES)
def test_against_scipy(rng, blocks, store, density):
    X = rng.normal(size=(50, 90)) * (rng.random((50, 90)) < density)
    table = as_matrix(store(X))
    found, products = squared_distances(table), gram_matrix(table)
    np.testing.assert_allclose(found, cdist(X, X, "sqeuclidean"), rtol=1e-9, atol=1e-13)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found.diagonal(), 0)
    np.testing.assert_allclose(products, X @ X.T, atol=1e-12)
    np.testing.assert_array_equal(products, products.T)
    np.testing.assert_allclose(cosine_matrix(table), cosine_similarity(X), atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_panels_of_samples_that_are_not_held(rng, monkeypatch, blocks, metric):
    X = rng.normal(size=(50, 90)) + 3
    expected = squared_distances(X, metric=metric)
    monkeypatch.setattr(pairs, "FULL_GRAM_BYTES", 0)
    for store, rows in product((np.asarray, sparse.csr_array, on_dask), (slice(3, 9), np.array([41, 2]))):
        distances = Distances(as_matrix(store(X)), metric, 1)
        panel = distances(rows)
        panel[expected[rows] == 0] = 0
        np.testing.assert_allclose(panel, expected[rows], rtol=1e-11)


@pytest.mark.parametrize("store", STORES)
def test_near_copies_are_measured_by_their_differences(rng, store):
    X = 1e4 * rng.normal(size=(50, 5))
    X[7] = X[2] + [3e-6, 0, 0, 4e-6, 0]
    expected = ((X[7] - X[2]) ** 2).sum()  # of the numbers as they are stored
    assert squared_distances(as_matrix(store(X)))[2, 7] == pytest.approx(expected, rel=1e-12, abs=0)


def test_products_of_integers_and_floats(rng, blocks):
    for dtype in (np.float64, np.float32, np.int8, np.uint8, np.int64, bool):
        X = (rng.normal(size=(45, 1000)) * 100).astype(np.int16).astype(dtype)
        wide = X.astype(np.float64)
        np.testing.assert_allclose(gram_matrix(X, n_jobs=2), wide @ wide.T, rtol=1e-11, err_msg=str(dtype))


class Counting(Matrix):
    def __init__(self, raw):
        super().__init__(raw)
        self.in_memory, self.read = False, []

    def block(self, rows, columns):
        self.read.append((columns.start, columns.stop))
        return super().block(rows, columns)


def test_every_feature_of_a_file_is_read_once_in_order(rng, monkeypatch):
    monkeypatch.setattr(pairs, "BLOCK_BYTES", 0)
    X = Counting(rng.normal(size=(9, 1300)))
    gram_matrix(X, n_jobs=3)
    assert X.read == [(start, min(start + 64, 1300)) for start in range(0, 1300, 64)]
