"""Pairs of chunks give the neighbours and products of the table in memory; only these come to the client."""

from itertools import product

import dask
import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.similarity import dask_pairs
from eigenselect.similarity.dask_pairs import chunk_gram, chunk_neighbors
from eigenselect.similarity.distances import gram_matrix, squared_distances
from eigenselect.similarity.neighbors import nearest_neighbors

da = pytest.importorskip("dask.array", reason="dask is not installed")

N, M = 60, 30
CHUNKS = {"rows": ((25, 1, 34), M), "columns": (N, 11), "both": (20, 13)}


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


@pytest.fixture(scope="module")
def values():
    """Whole numbers, whose distances tie, far from zero; copies, near copies, a multiple and a row of zeros."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(N, M)) + 100.0
    X[7] = X[50]
    X[8] = X[51] + 1e-7 * rng.normal(size=M)
    X[9], X[10] = 3.0 * X[40], 0.0
    return X


def test_ties_go_to_the_lower_sample_not_by_what_rounding_left_of_products(rng):
    """On a line of whole numbers each has two neighbours at the same distance; their mean is no whole number."""
    X = rng.permutation(np.append(np.arange(899.0), 3.3))[:, None]
    expected = np.argsort((X - X.T) ** 2 + np.diag(np.full(900, np.inf)), axis=1, kind="stable")[:, :3]
    found, _ = chunk_neighbors(DaskMatrix(da.from_array(X, chunks=(77, 1))), 3, "euclidean")
    np.testing.assert_array_equal(found, np.sort(expected, axis=1))


def chunked(values, chunks, kind):
    array = da.from_array(values, chunks=CHUNKS[chunks])
    return DaskMatrix(array if kind == "dense" else array.map_blocks(sparse.csr_array, dtype=values.dtype))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_neighbours_are_those_in_memory(metric, values):
    expected, squared = nearest_neighbors(Matrix(values), 5, metric=metric)
    for chunks, kind in product(CHUNKS, ("dense", "sparse")):
        found, measured = chunk_neighbors(chunked(values, chunks, kind), 5, metric)
        np.testing.assert_array_equal(found, expected, err_msg=f"{chunks} {kind}")
        np.testing.assert_allclose(measured, squared, rtol=1e-10, atol=1e-20)
    alike, distances = chunk_neighbors(DaskMatrix(da.ones((6, 3), chunks=(2, 3))), 2, metric)
    np.testing.assert_array_equal(alike, nearest_neighbors(Matrix(np.ones((6, 3))), 2, metric=metric)[0])
    assert not distances.any()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_long_chunks_are_compared_in_panels_of_bounded_size(metric, values, monkeypatch):
    """All distances of two chunks of 100 000 rows would take 80 GB on a worker."""
    sizes = []
    monkeypatch.setattr(dask_pairs, "PANEL_BYTES", 8 * 7 * 34)
    products = dask_pairs._products

    def compared(first, second, origin):
        sizes.append(first.n_samples * second.n_samples)
        return products(first, second, origin)

    monkeypatch.setattr(dask_pairs, "_products", compared)
    found, _ = chunk_neighbors(chunked(values, "rows", "dense"), 5, metric)
    np.testing.assert_array_equal(found, nearest_neighbors(Matrix(values), 5, metric=metric)[0])
    assert max(sizes) <= 7 * 34


@pytest.mark.parametrize("chunks", ["rows", "both"])
def test_products_and_distances_of_all_pairs(chunks, values):
    X = chunked(values, chunks, "sparse")
    centred = values - values.mean(axis=0)
    np.testing.assert_allclose(chunk_gram(X, center=True), centred @ centred.T, atol=1e-9)
    np.testing.assert_array_equal(gram_matrix(X), gram_matrix(X).T)
    np.testing.assert_allclose(gram_matrix(X), values @ values.T, rtol=1e-12)
    np.testing.assert_allclose(squared_distances(X), squared_distances(values), rtol=1e-10, atol=1e-20)
