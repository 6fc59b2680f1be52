"""Eigenpairs: every solver against LAPACK, all copies of equal ones, bounded effort, whole groups, fixed bases."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.exceptions import ConvergenceWarning

from another_basis import random_rotation
from eigenselect.graph import SampleGraph, eigensolver


def strip(length, width):
    """Samples on a grid, linked along both sides, with weights that make every eigenvalue simple."""
    path = [sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]) for n in (length, width)]
    S = sparse.kron(path[0], sparse.eye_array(width)) + 0.7 * sparse.kron(sparse.eye_array(length), path[1])
    return sparse.csr_array(S)


def with_eigenvalues(values, rng):
    """A symmetric matrix with these eigenvalues, and its eigenvectors."""
    Q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    M = (Q * values) @ Q.T
    return (M + M.T) / 2, Q


def smallest(matrix, null, count, interval=(0.0, 2.0)):
    return eigensolver.smallest_eigenpairs(matrix, null, count, interval, np.random.RandomState(0))


def check(matrix, pairs, expected, atol=1e-9):
    values, vectors = pairs
    np.testing.assert_allclose(values, expected, atol=atol)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-9)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-7)


@pytest.fixture(params=["LAPACK", "inverse", "Lanczos", "more by Lanczos", "LAPACK last", "LOBPCG"])
def solver(request, monkeypatch):
    """Only one of the solvers succeeds."""
    arpack, tries = eigensolver._arpack, []

    def second_only(*args, **options):
        tries.append(args)
        return arpack(*args, **options) if len(tries) > 1 else None

    refuse = {"more by Lanczos": second_only, "LAPACK last": lambda *args, **options: None}
    refuse["LOBPCG"] = refuse["LAPACK last"]
    monkeypatch.setattr(eigensolver, "_arpack", refuse.get(request.param, arpack))
    monkeypatch.setattr(eigensolver, "_is_narrow", lambda matrix: request.param == "inverse")
    monkeypatch.setattr(eigensolver, "DENSE_SIZE", 10_000 if request.param == "LAPACK" else 0)
    monkeypatch.setattr(eigensolver, "DENSE_FALLBACK_SIZE", 10_000 if request.param == "LAPACK last" else 0)
    return request.param


@pytest.mark.parametrize("shift", [0.0, -0.3, -1.2])
def test_every_solver_alone_is_lapack(solver, shift):
    """Also with negative eigenvalues, of which the inverse is positive definite after its shift."""
    graph = SampleGraph(strip(40, 8))
    M = sparse.csr_array(graph.normalized_laplacian() + shift * sparse.eye_array(320))
    null = np.sqrt(graph.degrees / graph.volume)[:, None] if shift == 0.0 else np.zeros((320, 0))
    first = null.shape[1]
    expected = np.linalg.eigvalsh(M.toarray())[first : first + 6]
    pairs = smallest(M, null, 6, (shift, 2.0 + shift))
    check(M, pairs, expected)
    np.testing.assert_allclose(null.T @ pairs[1], 0, atol=1e-8)


def test_no_solver_misses_a_copy(solver, rng):
    values = np.concatenate([[0, 0], np.full(5, 0.3), np.full(3, 0.5), np.linspace(1.0, 2.0, 190)])
    M, Q = with_eigenvalues(values, rng)
    for count in (1, 4, 8):
        check(M, smallest(sparse.csr_array(M), Q[:, :2], count), values[2 : 2 + count])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, aslinearoperator])
def test_every_storage(rng, kind, monkeypatch):
    values = np.concatenate([[0.0], np.full(3, 0.2), np.linspace(0.4, 2.0, 96)])
    M, Q = with_eigenvalues(values, rng)
    for size in (500, 0):
        monkeypatch.setattr(eigensolver, "DENSE_SIZE", size)
        check(M, smallest(kind(M), Q[:, :1], 6), values[1:7])
        positive = M - min(M.min(), 0.0)  # of an operator, no entry may be negative
        pairs = eigensolver.largest_eigenpairs(kind(positive), 4, np.random.RandomState(0))
        check(positive, pairs, np.linalg.eigvalsh(positive)[::-1][:4], atol=1e-7)


@pytest.mark.parametrize("low", [0.0, -3.0])
def test_largest_pairs_of_matrices_with_negative_entries(rng, low):
    values = np.linspace(low, 1.0, 40)
    M, _ = with_eigenvalues(values, rng)
    for kind in (np.asarray, sparse.csr_array):
        check(M, eigensolver.largest_eigenpairs(kind(M), 4, np.random.RandomState(0)), values[::-1][:4])


def test_points_in_a_plane_are_narrow_and_others_are_not(rng):
    def graph(points):
        distances = ((points[:, None] - points) ** 2).sum(axis=2)
        near = distances <= np.partition(distances, 10, axis=1)[:, 10:11]
        return sparse.csr_array((near | near.T).astype(float))

    assert eigensolver._is_narrow(strip(300, 9))
    assert eigensolver._is_narrow(graph(rng.random((1000, 2))))
    assert not eigensolver._is_narrow(graph(rng.random((1000, 8))))


def test_the_best_of_poor_results_is_taken(monkeypatch, rng):
    """A worse solver after a poor one does not replace its result, and a warning names its residual."""
    M, Q = with_eigenvalues(np.arange(8.0), rng)
    other = np.linalg.qr(Q[:, :3] + 1e-5 * rng.normal(size=(8, 3)))[0]
    monkeypatch.setattr(eigensolver, "_solutions", lambda *args: [Q[:, 2:5] + Q[:, :3], other, Q[:, 1:4] + Q[:, 4:7]])
    with pytest.warns(ConvergenceWarning, match=r"3 leading .*residual of \d\.\de-0[56] \(0 of them"):
        values, _ = smallest(M, np.zeros((8, 0)), 3, (0.0, 7.0))
    np.testing.assert_allclose(values, np.arange(3), atol=1e-4)


def test_a_third_of_all_pairs_of_too_many_samples_is_refused(monkeypatch):
    monkeypatch.setattr(eigensolver, "DENSE_LIMIT", 319)
    monkeypatch.setattr(eigensolver, "DENSE_SIZE", 0)
    with pytest.raises(ValueError, match="150 eigenpairs .*320 samples .* GB"):
        SampleGraph(strip(40, 8)).spectrum(151)


class TestBudgets:
    @pytest.fixture(autouse=True)
    def _small(self, monkeypatch):
        monkeypatch.setattr(eigensolver, "DENSE_FALLBACK_SIZE", 0)
        monkeypatch.setattr(eigensolver, "_is_narrow", lambda matrix: False)

    def test_every_solver_ends_with_what_it_has(self, monkeypatch):
        """A long path has no gap that a few products could see."""
        monkeypatch.setattr(eigensolver, "RESTARTS", 2)
        monkeypatch.setattr(eigensolver, "LAST_WORK", 0.0)
        graph, products = SampleGraph(strip(3000, 1)), []
        N, null = graph.normalized_laplacian(), np.sqrt(graph.degrees / graph.volume)[:, None]

        def product(vectors):
            products.append(vectors.size // 3000)
            return N @ vectors

        counted = LinearOperator((3000, 3000), matvec=product, matmat=product, dtype=np.float64)
        with pytest.warns(ConvergenceWarning, match="6 leading .*budget"):
            _, vectors = smallest(counted, null, 6)
        assert sum(products) < 1000
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-9)
        np.testing.assert_allclose(null.T @ vectors, 0, atol=1e-8)

    def test_a_crowd_at_the_requested_number(self, rng):
        """9 pairs alone do not converge before so many that differ by 1e-5; the first 9 of 29 do."""
        values = np.concatenate([np.linspace(0.01, 0.09, 8), 0.2 + 1e-5 * np.arange(20), np.linspace(0.5, 2, 572)])
        M, _ = with_eigenvalues(values, rng)
        check(M, smallest(sparse.csr_array(M), np.zeros((600, 0)), 9), values[:9])

    def test_copies_are_searched_for_at_most_as_often_as_there_are_pairs(self, monkeypatch):
        """Even if a solver claims to find better vectors again and again."""
        arpack, searches = eigensolver._arpack, []

        def endless(product, size, count, start, **options):
            if count == 3:
                return arpack(product, size, count, start)
            searches.append(count)
            return np.full(1, 100.0), np.linalg.qr(start.normal(size=(size, 1)))[0]

        monkeypatch.setattr(eigensolver, "_arpack", endless)
        assert len(list(eigensolver._by_lanczos(lambda v: np.arange(50.0) * v, 50, 3, np.random.RandomState(0)))) == 1
        assert len(searches) == 2 * 3


class TestGroups:
    def test_chains_are_one_group(self):
        values = np.array([0.0, 1.0, 1 + 1e-9, 1 + 2e-9, 1 + 3e-9, 1.1])
        np.testing.assert_array_equal(eigensolver.group_numbers(values, 2.0), [0, 1, 1, 1, 1, 2])
        np.testing.assert_array_equal(eigensolver.group_numbers(values[::-1], 2.0), [0, 1, 1, 1, 1, 2])

    def test_equality_follows_the_unit(self):
        values = np.array([0.0, 1e-12, 1e-3])
        np.testing.assert_array_equal(eigensolver.group_numbers(values, 1.0), [0, 0, 1])
        np.testing.assert_array_equal(eigensolver.group_numbers(values * 1e20, 1e20), [0, 0, 1])
        np.testing.assert_array_equal(eigensolver.group_numbers(values, 1e-5), [0, 1, 2])
        assert eigensolver.group_numbers(np.empty(0), 1.0).size == 0

    def test_the_end_of_a_group(self):
        groups = np.array([0, 1, 1, 1, 2, 2])
        assert [eigensolver.end_of_group(groups, count) for count in range(1, 7)] == [1, 4, 4, 4, 6, 6]

    @pytest.mark.parametrize("size", [1, 5, 6, 40, 99])
    def test_as_many_are_asked_for_as_the_group_needs(self, size):
        """99 values, of which those after the first are equal up to ``size``."""
        groups = np.concatenate([[0], np.ones(size - 1, dtype=int), np.arange(2, 101 - size)])
        asked = []

        def solve(count):
            asked.append(count)
            return groups[:count], groups[:count]

        found, end = eigensolver.with_whole_group(solve, min(2, size), 99)
        assert end == size
        assert (found[:end] == groups[:end]).all()
        assert max(asked) <= max(6, 2 * size)

    def test_a_group_without_an_end_is_not_followed(self):
        """Of a star all eigenvalues but two are equal; a large one would take all its eigenvectors."""
        asked = []

        def solve(count):
            asked.append(count)
            return None, np.minimum(np.arange(count), 1)

        with pytest.raises(ValueError, match=r"first 5 .* more than 1\d\d: .* 100000"):
            eigensolver.with_whole_group(solve, 5, 100_000)
        assert max(asked) < 300
        assert eigensolver.with_whole_group(solve, 5, 5000)[1] == 5000


def one_basis(vectors):
    return eigensolver.with_fixed_bases(vectors, np.zeros(vectors.shape[1], dtype=int))


class TestFixedBases:
    def test_the_space_decides_an_orthonormal_basis(self, rng):
        for n, count in ((12, 1), (12, 2), (12, 5), (12, 12), (300, 299)):
            V = np.linalg.qr(rng.normal(size=(n, count)))[0]
            fixed = one_basis(V)
            np.testing.assert_allclose(fixed @ fixed.T, V @ V.T, atol=1e-12)
            np.testing.assert_allclose(fixed.T @ fixed, np.eye(count), atol=1e-12)
            for _ in range(5 if n == 12 else 0):
                np.testing.assert_allclose(one_basis(V @ random_rotation(rng, count)), fixed, atol=1e-12)

    def test_samples_that_are_alike_go_by_their_number(self, rng):
        """The waves on a ring, in which no sample is special: the first vector is highest at the first sample."""
        angle = 2 * np.pi * np.arange(16) / 16
        waves = np.column_stack([np.cos(angle), np.sin(angle)]) / np.sqrt(8)
        for _ in range(20):
            noise = 1e-13 * rng.normal(size=(16, 2))
            fixed = one_basis(waves @ random_rotation(rng, 2) + noise)
            np.testing.assert_allclose(fixed[:, 0], waves[:, 0], atol=1e-11)
            np.testing.assert_allclose(np.abs(fixed[:, 1]), np.abs(waves[:, 1]), atol=1e-11)
            assert fixed[4, 1] > 0

    def test_a_vector_of_opposite_peaks_is_positive_at_the_first(self, rng):
        vector = np.array([[0.1], [-0.7], [0.7], [-0.1]])
        for sign in (1, -1):
            for noise in rng.normal(size=(10, 4, 1)):
                assert one_basis(sign * vector + 1e-14 * noise)[1, 0] > 0

    def test_scales_are_kept_where_vectors_are_turned(self, rng):
        """YYᵀ stays the same to the last digits, also if eigenvalues are only nearly equal."""
        V, groups = np.linalg.qr(rng.normal(size=(9, 4)))[0], np.array([0, 1, 1, 1])
        scales = np.sqrt([2.0, 1.0, 1 + 1e-9, 1 + 2e-9])
        Y = eigensolver.with_fixed_bases(V, groups, scales)
        np.testing.assert_allclose(Y @ Y.T, (V * scales**2) @ V.T, atol=1e-14)
