"""Edges are the pairs that lists of neighbours name, each once, and their matrix is symmetric."""

import numpy as np
import pytest

from eigenselect.similarity.edges import Edges


@pytest.fixture
def lists(rng):
    """Some neighbours of each of 12 samples, with distances that tell which list they are from."""
    others = [np.delete(np.arange(12), i) for i in range(12)]
    indices = np.array([np.sort(rng.choice(other, 3, replace=False)) for other in others])
    return indices, rng.random((12, 3))


def test_each_pair_is_there_once_with_the_distance_of_the_lower_sample(lists):
    edges = Edges(*lists)
    expected = {}
    for i, (row, distances) in enumerate(zip(*lists, strict=True)):
        for j, distance in zip(row, distances, strict=True):
            expected.setdefault((min(i, j), max(i, j)), distance)  # lower samples come first
    found = dict(zip(zip(edges.first, edges.second, strict=True), edges.squared, strict=True))
    assert found == expected
    assert edges.first.size == len(expected)


def test_the_matrix_has_each_weight_twice_and_stores_no_zeros(lists, rng):
    edges = Edges(*lists)
    weights = rng.random(edges.first.size)
    weights[4] = 0.0
    expected = np.zeros((12, 12))
    expected[edges.first, edges.second] = expected[edges.second, edges.first] = weights
    for _ in range(2):  # making it once leaves the edges as they were
        matrix = edges.matrix(weights)
        np.testing.assert_array_equal(matrix.toarray(), expected)
        assert matrix.nnz == 2 * (weights.size - 1)
        np.testing.assert_array_equal(matrix.indices, np.nonzero(expected)[1])  # sorted, each once
    assert edges.matrix(weights + 1.0).nnz == 2 * weights.size
