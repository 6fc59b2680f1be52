"""Exact distances and products of all samples, however they are computed, and the middle of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_similarity

from eigenselect._floats import OutOfRangeError
from eigenselect.matrix import Matrix, as_matrix
from eigenselect.similarity import KNN, distances, gram, middle
from eigenselect.similarity.distances import (
    cosine_matrix,
    gram_matrix,
    squared_distances,
)
from eigenselect.similarity.gram import dense_gram
from eigenselect.similarity.middle import middle_two


@pytest.mark.parametrize("cheap", [True, False])
def test_sparse_float32_keeps_the_distances_of_near_copies(rng, monkeypatch, cheap):
    monkeypatch.setattr(distances, "SCATTERED_ADD_COST", 0.0 if cheap else np.inf)
    X = (rng.normal(size=(40, 60)) * (rng.random((40, 60)) < 0.2) * 100).astype(np.float32)
    X[1] = X[0]
    X[1, 0] += np.float32(1e-2)
    gap = abs(float(X[1, 0]) - float(X[0, 0]))
    S = KNN(3, bandwidth=gap).build(sparse.csr_array(X)).to_array()
    assert S[0, 1] == pytest.approx(np.exp(-0.5), rel=1e-5)


def test_against_scipy(rng, memory):
    for store, density in product((np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array), (0.02, 1.0)):
        X = rng.normal(size=(50, 90)) * (rng.random((50, 90)) < density)
        table, case = as_matrix(store(X)), f"{store} {density}"
        found, products = squared_distances(table), gram_matrix(table)
        np.testing.assert_allclose(found, cdist(X, X, "sqeuclidean"), rtol=1e-9, atol=1e-13, err_msg=case)
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_array_equal(found.diagonal(), 0)
        np.testing.assert_allclose(products, X @ X.T, atol=1e-12, err_msg=case)
        np.testing.assert_array_equal(products, products.T)
        np.testing.assert_allclose(cosine_matrix(table), cosine_similarity(X), atol=1e-12, err_msg=case)


def test_near_copies_are_measured_by_their_differences(rng):
    X = 1e4 * rng.normal(size=(20, 5))
    X[7] = X[2] + [3e-6, 0, 0, 4e-6, 0]
    expected = ((X[7] - X[2]) ** 2).sum()  # of the numbers as they are stored
    assert squared_distances(X)[2, 7] == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("exponent", [-700, 600])
def test_squares_that_are_no_numbers_are_refused_and_cosines_are_not(rng, exponent):
    X = np.abs(rng.normal(size=(10, 4)))
    huge = as_matrix(np.ldexp(X, exponent))
    for measure in (squared_distances, gram_matrix):
        with pytest.raises(OutOfRangeError, match="too large or"):
            measure(huge)
    np.testing.assert_allclose(cosine_matrix(huge), cosine_similarity(X), atol=1e-12)


def test_equal_samples_have_nothing_to_lose():
    np.testing.assert_array_equal(squared_distances(np.full((4, 2), 1e-250)), 0)
    np.testing.assert_array_equal(gram_matrix(np.zeros((3, 2))), 0)


@pytest.fixture(params=["parts of features", "tiles", "one block"])
def route(request, monkeypatch):
    if request.param != "one block":
        monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 0)  # blocks of 64 features
    if request.param == "tiles":
        monkeypatch.setattr(gram, "PARTS_BYTES", 0)
        monkeypatch.setattr(gram, "TILE_ROWS", 16)


def test_products_of_integers_and_floats(rng, route):
    for dtype, center in product((np.float64, np.float32, np.int8, np.uint8, np.int64, bool), (True, False)):
        X = (rng.normal(size=(45, 1000)) * 100).astype(np.int16).astype(dtype)
        wide = X.astype(np.float64)
        wide = wide - wide.mean(axis=0) if center else wide
        found = dense_gram(as_matrix(X), center=center, n_jobs=2)
        np.testing.assert_allclose(found, wide @ wide.T, rtol=1e-11, atol=1e-7, err_msg=f"{dtype} {center}")
        np.testing.assert_array_equal(found, found.T)
        np.testing.assert_array_equal(found, dense_gram(as_matrix(X), center=center, n_jobs=1))


class Counting(Matrix):
    def __init__(self, raw, in_memory):
        super().__init__(raw)
        self.in_memory, self.read = in_memory, []

    def block(self, rows, columns):
        self.read.append((columns.start, columns.stop))
        return super().block(rows, columns)


@pytest.mark.parametrize("in_memory", [True, False])
def test_every_feature_is_read_once_and_a_file_in_order(rng, monkeypatch, in_memory):
    monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 0)
    X = Counting(rng.normal(size=(9, 1300)), in_memory)
    dense_gram(X, center=True, n_jobs=3)
    read = X.read if not in_memory else sorted(X.read)
    assert read == [(start, min(start + 64, 1300)) for start in range(0, 1300, 64)]


NUMBERS = st.floats(0, allow_nan=False) | st.sampled_from([0.0, 5e-324, 1.0, 1.0 + 2**-52, 1.7e308, np.inf])


def of_parts(numbers):
    return lambda: iter(np.array_split(numbers, 3))


@settings(deadline=None, max_examples=30)
@given(hnp.arrays(float, st.integers(0, 40), elements=NUMBERS), st.sampled_from([0, 4, 2**18]))
def test_the_two_in_the_middle_of_those_that_count(numbers, few):
    """Without a copy of them; few are sorted rather than counted: none, a handful, all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(middle, "FEW", few)
        for lowest in (0.0, np.nextafter(0.0, 1.0)):
            counting = np.sort(numbers[(numbers >= lowest) & np.isfinite(numbers)])
            found = middle_two(of_parts(numbers), lowest, np.inf)
            ends = (counting.size - 1) // 2, counting.size // 2
            assert found == (tuple(counting[list(ends)]) if counting.size else None)
        last_digits = 1.0 + np.arange(51) % 7 * 2.0**-52
        assert middle_two(of_parts(last_digits), 0.0, np.inf) == (np.median(last_digits),) * 2
