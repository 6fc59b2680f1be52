"""Neighbours of points, found with a tree in blocks, are those of brute force."""

import numpy as np
import pytest

from eigenselect.matrix import as_matrix
from eigenselect.similarity import tree
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.tree import tree_neighbors


@pytest.fixture
def blocks(monkeypatch):
    """Several blocks, of which the last is short."""
    monkeypatch.setattr(tree, "BLOCK_POINTS", 64)


@pytest.mark.parametrize("levels", [1, 2, 4, 1000])
def test_a_tree_settles_ties_as_brute_force_does(rng, blocks, levels):
    """With few levels, a point has more copies and ties than the tree is asked for."""
    X = as_matrix(rng.integers(0, levels, size=(150, 3)).astype(float))
    (indices, squared), (expected, distances) = tree_neighbors(X, 6, 2), nearest_neighbors(X, 6)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-12)


def test_few_points_are_all_neighbours(rng, blocks):
    indices, squared = tree_neighbors(as_matrix(rng.normal(size=(5, 2))), 4, 1)
    np.testing.assert_array_equal(indices, [[j for j in range(5) if j != i] for i in range(5)])
    assert np.isfinite(squared).all()


def test_many_dimensions_zeros_and_angles_are_not_for_a_tree(rng, monkeypatch):
    monkeypatch.setattr(tree, "TREE_SAMPLES", 10)
    points = as_matrix(rng.normal(size=(20, 3)))
    assert tree.suits_tree(points, "euclidean")
    assert not tree.suits_tree(points, "cosine")
    assert not tree.suits_tree(as_matrix(rng.normal(size=(20, 13))), "euclidean")
