"""Neighbours of points, found with a tree in blocks, are those of brute force."""

import numpy as np
import pytest

from eigenselect.matrix import as_matrix
from eigenselect.similarity import tree
from eigenselect.similarity.neighbors import nearest_neighbors
from eigenselect.similarity.tree import tree_neighbors


@pytest.fixture
def blocks(monkeypatch):
    """Several blocks, of which the last is short, and several questions to the tree in each."""
    monkeypatch.setattr(tree, "BLOCK_POINTS", 64)
    monkeypatch.setattr(tree, "BLOCK_NEIGHBORS", 200)


@pytest.mark.parametrize("n_features", [1, 3, 10])
@pytest.mark.parametrize("levels", [1, 2, 4, 1000])
def test_a_tree_settles_ties_as_brute_force_does(rng, blocks, levels, n_features):
    """With few levels, a point has more copies and ties than the tree is asked for at first."""
    X = as_matrix(rng.integers(0, levels, size=(150, n_features)).astype(float))
    (indices, squared), (expected, distances) = tree_neighbors(X, 6, 2), nearest_neighbors(X, 6)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(squared, distances, rtol=1e-12, atol=1e-9)


def test_a_point_with_all_others_around_it_is_asked_for_until_no_more_can_tie(blocks):
    """40 points at the same distance: the neighbours of the middle are those with the lowest numbers."""
    angles = np.arange(40) * np.pi / 20
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    indices, _ = tree_neighbors(as_matrix(np.vstack([circle, [[0.0, 0.0]]])), 3, 1)
    np.testing.assert_array_equal(indices[-1], [0, 1, 2])


def test_copies_of_few_points_make_a_small_tree(rng, monkeypatch):
    """Each of 200 000 points ties with 25 000 others; looking at all of them would take hours."""
    asked = []
    real = tree.nearest_of
    monkeypatch.setattr(tree, "nearest_of", lambda *found: asked.append(found[0].size) or real(*found))
    X = rng.integers(0, 2, size=(200_000, 3)).astype(float)
    indices, squared = tree_neighbors(as_matrix(X), 5, 1)
    assert sum(asked) <= 1000
    np.testing.assert_array_equal(squared, np.zeros_like(squared))
    first = np.flatnonzero((X[-1] == X).all(axis=1))[:5]
    np.testing.assert_array_equal(indices[-1], first)


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
