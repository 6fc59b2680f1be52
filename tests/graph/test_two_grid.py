"""The approximate inverse is symmetric, positive, near the inverse, and knows the smallest eigenvectors about."""

import numpy as np
import pytest
from scipy import linalg, sparse

from eigenselect.graph import SampleGraph, two_grid
from eigenselect.graph.two_grid import TwoGrid


def points_in_a_plane(size, seed=3, *, weighted=True):
    """A 10-NN graph of random points."""
    from sklearn.neighbors import kneighbors_graph

    distances = kneighbors_graph(np.random.default_rng(seed).random((size, 2)), 10, mode="distance")
    weights = np.exp(-0.5 * (distances.data / np.median(distances.data)) ** 2)
    distances.data = weights if weighted else np.ones_like(weights)
    return sparse.csr_array(distances.maximum(distances.T))


def normalised(S):
    graph = SampleGraph(S)
    return sparse.csr_array(graph.normalized_laplacian()), np.sqrt(graph.degrees / graph.volume)


def plain(S):
    """The Laplacian itself: a diagonal of many sizes."""
    degrees = S.sum(axis=1)
    return sparse.csr_array(sparse.diags_array(degrees) - S), np.full(S.shape[0], S.shape[0] ** -0.5)


def as_matrix(inverse, size):
    return inverse(np.eye(size)).astype(np.float64)


@pytest.mark.parametrize("kind", [normalised, plain])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_symmetric_and_near_the_inverse(kind, weighted):
    """All eigenvalues of BM beside the null vector are near 1, so conjugate gradients take few steps."""
    M, null = kind(points_in_a_plane(600, weighted=weighted))
    B = as_matrix(TwoGrid.of(M, null, np.random.RandomState(0)), 600)
    np.testing.assert_allclose(B, B.T, atol=1e-5 * np.abs(B).max())
    values, vectors = np.linalg.eigh(M.toarray())
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    near_one = np.linalg.eigvalsh(root @ B @ root)[1:]
    assert near_one[0] > 0.35
    assert near_one[-1] < 1.1


def test_the_unit_of_the_matrix_does_not_matter():
    M, null = normalised(points_in_a_plane(600))
    inverses = [as_matrix(TwoGrid.of(M * unit, null, np.random.RandomState(0)), 600) * unit for unit in (1.0, 2.0**40)]
    np.testing.assert_allclose(inverses[0], inverses[1], rtol=1e-3, atol=1e-4 * np.abs(inverses[0]).max())


@pytest.mark.parametrize("kind", [normalised, plain])
def test_start_vectors_are_near_the_smallest(kind):
    M, null = kind(points_in_a_plane(3000))
    block = TwoGrid.of(M, null, np.random.RandomState(0)).start(12, np.random.RandomState(0))
    assert block.shape == (3000, 16)  # filled up
    expected = linalg.eigh(M.toarray(), subset_by_index=[0, 6])[1]
    space = np.linalg.qr(np.column_stack([null, block]))[0]
    assert np.linalg.norm(expected - space @ (space.T @ expected), axis=0).max() < 0.1


def test_start_vectors_hold_all_copies_of_a_repeated_eigenvalue():
    """A torus of 40 x 40 samples: its smallest eigenvalue is fourfold."""
    ring = np.roll(np.eye(40), 1, axis=1) + np.roll(np.eye(40), -1, axis=1)
    M, null = normalised(sparse.csr_array(sparse.kronsum(sparse.csr_array(ring), sparse.csr_array(ring))))
    block = TwoGrid.of(M, null, np.random.RandomState(0)).start(8, np.random.RandomState(0))
    expected = linalg.eigh(M.toarray(), subset_by_index=[1, 4])[1]
    space = np.linalg.qr(block)[0]
    assert np.linalg.norm(expected - space @ (space.T @ expected), axis=0).max() < 0.1


def test_what_it_cannot_do_is_said(monkeypatch):
    M, null = normalised(points_in_a_plane(600))
    empty_row = sparse.csr_array(M - sparse.diags_array(np.r_[M.diagonal()[0], np.zeros(599)]))
    assert TwoGrid.of(empty_row, null, np.random.RandomState(0)) is None
    monkeypatch.setattr(two_grid, "plan_factor", lambda matrix, **options: None)
    assert TwoGrid.of(M, null, np.random.RandomState(0)) is None
