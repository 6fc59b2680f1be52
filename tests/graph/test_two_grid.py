"""Two grids and refined pairs: near the inverse, near the smallest eigenvectors, and no answer where a pair is lost."""

import numpy as np
import pytest
from scipy import linalg, sparse

from eigenselect.graph import SampleGraph, two_grid
from eigenselect.graph.aggregation_numba import aggregates
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


@pytest.mark.parametrize(("kind", "weighted"), [(normalised, False), (plain, True)])
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


@pytest.mark.parametrize("kind", [normalised, plain])
def test_start_vectors_are_near_the_smallest(kind):
    M, null = kind(points_in_a_plane(2000))
    block = TwoGrid.of(M, null, np.random.RandomState(0)).start(12, np.random.RandomState(0))
    assert block.shape[1] >= 12
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


def plane(rng, size=400, radius=0.09):
    points = rng.random((size, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    return sparse.csr_array(np.where((distances < radius) & (distances > 0), np.exp(-distances), 0.0))


def naive(S, strong):
    """The definition, sample by sample on a dense matrix."""
    S = S.toarray()
    largest = S.max(axis=1)
    is_strong = (S > 0) & (strong * np.minimum.outer(largest, largest) <= S)
    group, count = np.full(len(S), -1), 0
    for i in range(len(S)):
        if group[i] == -1 and (group[is_strong[i]] == -1).all():
            group[is_strong[i]] = group[i] = count
            count += 1
    first = group.copy()
    for i in np.flatnonzero(first == -1):
        candidates = np.flatnonzero((S[i] > 0) & (first != -1))
        group[i] = first[candidates[np.argmax(S[i, candidates])]]
    return group


@pytest.mark.parametrize("strong", [0.0, 0.95])
def test_it_follows_the_definition(rng, strong):
    S = plane(rng)
    np.testing.assert_array_equal(aggregates(S, strong), naive(S, strong))


def test_the_sign_and_the_diagonal_do_not_matter(rng):
    S = plane(rng)
    laplacian = sparse.csr_array(100 * sparse.eye_array(400) - S)
    np.testing.assert_array_equal(aggregates(laplacian, 0.5), aggregates(S, 0.5))
