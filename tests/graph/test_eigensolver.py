"""Every solver alone, in turn, and on repeated eigenvalues."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator
from sklearn.exceptions import ConvergenceWarning

from eigenselect.graph import SampleGraph, eigensolver


@pytest.mark.parametrize("solver", ["lanczos", "inverse_lanczos", "generous_lanczos", "filtered_subspace", "dense"])
def test_every_solver_alone(solver, make_similarity, rng):
    S = make_similarity(320, density=0.02)
    graph = SampleGraph(sparse.csr_array(S))
    N = graph.normalized_laplacian()
    null = np.sqrt(graph.degrees / graph.volume)[:, None]
    values, vectors = getattr(eigensolver, solver)(N, null, 6, 2.0, np.random.RandomState(0))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(N.toarray())[1:7], atol=1e-9)
    np.testing.assert_allclose(null.T @ vectors, 0, atol=1e-8)


def test_the_next_solver_takes_over(make_similarity, monkeypatch):
    graph = SampleGraph(sparse.csr_array(make_similarity(320, density=0.02)))
    expected = graph.spectrum(6).eigenvalues
    calls = []
    for name in ("lanczos", "inverse_lanczos", "generous_lanczos"):
        monkeypatch.setattr(eigensolver, name, lambda *args, name=name: calls.append(name))
    np.testing.assert_allclose(graph.spectrum(6).eigenvalues, expected, atol=1e-10)
    assert calls == ["lanczos", "inverse_lanczos", "generous_lanczos"]


def test_a_poor_result_is_not_passed_on_in_silence(make_similarity, monkeypatch):
    graph = SampleGraph(sparse.csr_array(make_similarity(320, density=0.02)))

    def sloppy(matrix, null, count, top, start):
        values, vectors = eigensolver.dense(matrix, null, count, top, start)
        return values, vectors + 1e-4 * start.normal(size=vectors.shape)

    monkeypatch.setattr(eigensolver, "_solvers", lambda *args: [sloppy])
    with pytest.warns(ConvergenceWarning, match="relative residual of"):
        graph.spectrum(4)


def with_eigenvalues(values, rng):
    """A symmetric matrix with these eigenvalues, and its eigenvectors."""
    Q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    M = (Q * values) @ Q.T
    return (M + M.T) / 2, Q


def check(matrix, pairs, expected):
    values, vectors = pairs
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-9)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, aslinearoperator])
def test_smallest_pairs_with_copies_beside_known_null_vectors(rng, kind):
    values = np.array([0, 0, 0.3, 0.3, 0.3, 0.5, 0.5, 1.1, 1.7, 2.0])
    M, Q = with_eigenvalues(values, rng)
    start = np.random.RandomState(0)
    for count in (1, 2, 4, 8):
        pairs = eigensolver.smallest_eigenpairs(kind(M), Q[:, :2], count, (0.0, 2.0), start)
        check(M, pairs, values[2 : 2 + count])
        np.testing.assert_allclose(Q[:, :2].T @ pairs[1], 0, atol=1e-8)


@pytest.mark.parametrize("kind", [sparse.csr_array, aslinearoperator])
def test_a_ring_beyond_the_size_of_lapack(kind):
    """1 - cos(2πj/n), all but the first twice."""
    n = 360
    step = sparse.csr_array(np.roll(np.eye(n), 1, axis=1))
    M = sparse.csr_array(sparse.eye_array(n) - (step + step.T) / 2)
    expected = np.sort(1 - np.cos(2 * np.pi * np.arange(n) / n))
    null = np.full((n, 1), n**-0.5)
    pairs = eigensolver.smallest_eigenpairs(kind(M), null, 6, (0.0, 2.0), np.random.RandomState(0))
    check(M, pairs, expected[1:7])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, aslinearoperator])
def test_largest_pairs_descend(rng, kind):
    values = np.array([0.0, 0.2, 0.4, 0.9, 0.9, 1.5])
    M, _ = with_eigenvalues(values, rng)
    M = M - min(M.min(), 0.0) if kind is aslinearoperator else M  # of an operator, no entry may be negative
    check(M, eigensolver.largest_eigenpairs(kind(M), 4, np.random.RandomState(0)), np.linalg.eigvalsh(M)[::-1][:4])


def test_without_any_solver_it_says_so(monkeypatch):
    monkeypatch.setattr(eigensolver, "_solvers", lambda *args: [lambda *rest: None])
    with pytest.raises(RuntimeError, match="No eigensolver found 2 eigenpairs of a graph with 5 samples"):
        eigensolver.smallest_eigenpairs(np.eye(5), np.zeros((5, 0)), 2, (0.0, 2.0), np.random.RandomState(0))


def test_the_best_of_poor_results_is_taken(monkeypatch, rng):
    """A worse solver after a poor one does not replace its result."""
    M, _ = with_eigenvalues(np.arange(8.0), rng)

    def off_by(size):
        def solve(matrix, null, count, top, start):
            values, vectors = eigensolver.dense(matrix, null, count, top, start)
            return values + size, vectors

        return solve

    monkeypatch.setattr(eigensolver, "_solvers", lambda *args: [off_by(0.5), off_by(1e-4), off_by(0.1)])
    with pytest.warns(ConvergenceWarning, match=r"3 leading eigenpairs .* relative residual of 1\.\de-05"):
        values, _ = eigensolver.smallest_eigenpairs(M, np.zeros((8, 0)), 3, (0.0, 7.0), np.random.RandomState(0))
    np.testing.assert_allclose(values, np.arange(3) + 1e-4, atol=1e-9)
