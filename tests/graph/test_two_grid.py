"""Two grids and refined pairs: near the inverse, near the smallest eigenvectors, and no answer where a pair is lost."""

import numpy as np
import pytest
from scipy import linalg, sparse

from eigenselect.graph import SampleGraph, two_grid, two_grid_numba
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


FIRST, GAIN, KEEP = np.float32(0.6), np.float32(0.8), np.float32(0.3)


@pytest.fixture
def entries_and_dense(rng):
    """Rows with 0 to 12 entries: whole groups of four and what is left of them."""
    dense = np.zeros((30, 30), dtype=np.float32)
    for i in range(30):
        dense[i, rng.permutation(30)[: i % 13]] = rng.normal(size=i % 13)
    matrix = sparse.csr_array(dense)
    return (matrix.indptr, matrix.indices, matrix.data), dense


def blocks(rng, count, columns=8):
    return [rng.normal(size=(30, columns)).astype(np.float32) for _ in range(count)]


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_subtract_product(rng, entries_and_dense):
    entries, dense = entries_and_dense
    for columns in (1, 8, 13):
        block, out = blocks(rng, 2, columns)
        expected = out - dense @ block
        two_grid_numba.subtract_product(*entries, block, out)
        close(out, expected)


def test_two_steps_and_the_last_two(rng, entries_and_dense):
    entries, dense = entries_and_dense
    right, left, step, other, out = blocks(rng, 5)
    scale = rng.random(30).astype(np.float32)
    two_grid_numba.smooth(*entries, right, FIRST, GAIN, KEEP, left, step)
    close(left, right - FIRST * dense @ right)
    close(step, GAIN * left + KEEP * right)
    two_grid_numba.smooth_last(*entries, right, FIRST, GAIN, KEEP, other, step, scale, out)
    two_steps = FIRST * right + GAIN * (right - FIRST * dense @ right) + KEEP * right
    close(out, scale[:, None] * (FIRST * other + step + two_steps))


def test_a_shifted_product_and_its_curvature(rng, entries_and_dense):
    entries, dense = entries_and_dense
    block, out = blocks(rng, 2)
    shifts, curvature = rng.random(8).astype(np.float32), np.full(8, np.nan)
    two_grid_numba.shifted_product(*entries, block, shifts, out, curvature)
    close(out, dense @ block - block * shifts)
    close(curvature, np.sum(block * out, axis=0))


def test_steps_of_conjugate_gradients(rng):
    direction, image, solution, left = blocks(rng, 4)
    lengths = rng.random(8).astype(np.float32)
    expected = solution + direction * lengths, left - image * lengths, left + direction * lengths
    two_grid_numba.turn(left, lengths, turned := direction.copy())
    close(turned, expected[2])
    two_grid_numba.advance(direction, image, lengths, solution, left)
    close(solution, expected[0])
    close(left, expected[1])


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
