"""Every solver alone, in turn, and on repeated eigenvalues: residuals, all copies, bounded effort."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.exceptions import ConvergenceWarning

from eigenselect.graph import SampleGraph, eigensolver, krylov
from eigenselect.graph.krylov import dominant_pairs


def strip(length, width):
    """Samples on a grid, linked along both sides, with weights that make every eigenvalue simple."""
    path = [sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]) for n in (length, width)]
    S = sparse.kron(path[0], sparse.eye_array(width)) + 0.7 * sparse.kron(sparse.eye_array(length), path[1])
    return sparse.csr_array(S)


def points_in_a_plane(size, seed=3):
    """A 10-NN graph of random points, with weights."""
    from sklearn.neighbors import kneighbors_graph

    distances = kneighbors_graph(np.random.default_rng(seed).random((size, 2)), 10, mode="distance")
    distances.data = np.exp(-0.5 * (distances.data / np.median(distances.data)) ** 2)
    return sparse.csr_array(distances.maximum(distances.T))


@pytest.mark.parametrize("solver", ["lanczos", "inverse_lanczos", "generous_lanczos", "filtered_subspace", "dense"])
def test_every_solver_alone(solver):
    graph = SampleGraph(strip(40, 8))
    N = graph.normalized_laplacian()
    null = np.sqrt(graph.degrees / graph.volume)[:, None]
    values, vectors = getattr(eigensolver, solver)(N, null, 6, (0.0, 2.0), np.random.RandomState(0))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(N.toarray())[1:7], atol=1e-9)
    np.testing.assert_allclose(N @ vectors, vectors * values, atol=1e-7)
    np.testing.assert_allclose(null.T @ vectors, 0, atol=1e-8)


def test_the_next_solver_takes_over(monkeypatch):
    graph = SampleGraph(strip(40, 8))
    expected = graph.spectrum(6).eigenvalues
    calls = []
    for name in ("lanczos", "inverse_lanczos", "generous_lanczos"):
        monkeypatch.setattr(eigensolver, name, lambda *args, name=name, **options: calls.append(name))
    np.testing.assert_allclose(graph.spectrum(6).eigenvalues, expected, atol=1e-10)
    assert calls == ["inverse_lanczos", "lanczos", "generous_lanczos"]


def test_a_poor_result_is_not_passed_on_in_silence(make_similarity, monkeypatch):
    graph = SampleGraph(sparse.csr_array(make_similarity(320, density=0.02)))

    def sloppy(matrix, null, count, interval, start):
        values, vectors = eigensolver.dense(matrix, null, count, interval, start)
        return values, vectors + 1e-4 * start.normal(size=vectors.shape)

    monkeypatch.setattr(eigensolver, "_solvers", lambda *args: [sloppy])
    with pytest.warns(ConvergenceWarning, match="residual .*0 of them"):
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
    with pytest.raises(RuntimeError, match="2 eigenpairs .*5 samples"):
        eigensolver.smallest_eigenpairs(np.eye(5), np.zeros((5, 0)), 2, (0.0, 2.0), np.random.RandomState(0))


def test_the_best_of_poor_results_is_taken(monkeypatch, rng):
    """A worse solver after a poor one does not replace its result."""
    M, _ = with_eigenvalues(np.arange(8.0), rng)

    def off_by(size):
        def solve(matrix, null, count, interval, start):
            values, vectors = eigensolver.dense(matrix, null, count, interval, start)
            return values + size, vectors

        return solve

    monkeypatch.setattr(eigensolver, "_solvers", lambda *args: [off_by(0.5), off_by(1e-4), off_by(0.1)])
    with pytest.warns(ConvergenceWarning, match=r"3 leading .*residual of 1\.\de-05"):
        values, _ = eigensolver.smallest_eigenpairs(M, np.zeros((8, 0)), 3, (0.0, 7.0), np.random.RandomState(0))
    np.testing.assert_allclose(values, np.arange(3) + 1e-4, atol=1e-9)


@pytest.mark.parametrize("shift", [0.0, -0.3, -1.2])
def test_the_inverse_finds_negative_eigenvalues_first(shift):
    """(M + δI)⁻¹ is positive definite wherever the spectrum begins."""
    M = sparse.csr_array(SampleGraph(strip(40, 8)).normalized_laplacian() + shift * sparse.eye_array(320))
    null, interval = np.zeros((320, 0)), (min(shift, 0.0), 2.0 + shift)
    values, _ = eigensolver.inverse_lanczos(M, null, 4, interval, np.random.RandomState(0))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M.toarray())[:4], atol=1e-9)


def test_lanczos_that_does_not_converge_has_no_answer(monkeypatch, rng):
    """Whether it runs out of restarts or cannot even begin."""
    values, start = np.linspace(1.0, 1.001, 400), np.random.RandomState(0)
    monkeypatch.setattr(eigensolver, "LANCZOS_RESTARTS", 1)
    assert eigensolver._lanczos_pairs(lambda x: values * x.ravel(), 400, 3, start) is None
    assert eigensolver._lanczos_pairs(lambda x: np.zeros(400), 400, 3, start) is None


def test_a_subspace_of_equal_eigenvalues_at_the_end_of_the_interval():
    """Nothing is to be damped there; the cut stays below the end, in any unit."""
    for top in (0.5, 2.0):
        nothing, none = sparse.csr_array((50, 50)), np.zeros((50, 0))
        values, vectors = eigensolver.filtered_subspace(nothing, none, 3, (0.0, top), np.random.RandomState(0))
        np.testing.assert_allclose(values, 0.0, atol=1e-12)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def test_a_subspace_starts_in_every_direction():
    """Of four equal eigenvalues a constant start holds one direction, and products never leave that."""
    matrix = sparse.diags_array(np.r_[np.ones(60), np.full(4, 0.5)], format="csr")
    values, _ = eigensolver.filtered_subspace(matrix, np.zeros((64, 0)), 4, (0.0, 2.0), np.random.RandomState(0))
    np.testing.assert_allclose(values, 0.5, atol=1e-9)


class TestOrderOfSolvers:
    """What is known before anything is solved decides."""

    def names(self, S, count=6, interval=(0.0, 2.0)):
        null = np.full((S.shape[0], 1), S.shape[0] ** -0.5)
        solvers = eigensolver._solvers(SampleGraph(S).normalized_laplacian(), null, count, interval)
        return [getattr(solver, "func", solver).__name__ for solver in solvers]

    def test_samples_in_a_strip_are_factorised_first(self):
        assert self.names(strip(300, 9))[0] == "inverse_lanczos"

    def test_a_random_graph_is_not_factorised(self, make_similarity):
        assert "inverse_lanczos" not in self.names(sparse.csr_array(make_similarity(320, density=0.02)))

    def test_lapack_ends_the_ladder_of_few_samples_only(self, monkeypatch):
        assert self.names(strip(40, 8))[-1] == "dense"
        monkeypatch.setattr(eigensolver, "DENSE_FALLBACK_SIZE", 319)
        assert self.names(strip(40, 8))[-1] == "filtered_subspace"

    def test_too_many_pairs_of_too_many_samples(self, monkeypatch):
        monkeypatch.setattr(eigensolver, "DENSE_LIMIT", 319)
        with pytest.raises(ValueError, match="150 eigenpairs .*320 samples .* GB"):
            self.names(strip(40, 8), 150)


class TestBudgets:
    def test_the_last_solver_ends_with_what_it_has(self, monkeypatch):
        monkeypatch.setattr(eigensolver, "LAST_WORK", 0.0)
        monkeypatch.setattr(eigensolver, "LEAST_PRODUCTS", 400)
        N = SampleGraph(strip(200, 3)).normalized_laplacian()
        graph = SampleGraph(strip(200, 3))
        null, made = np.sqrt(graph.degrees / graph.volume)[:, None], []

        def product(vectors):
            made.append(vectors.size // 600)
            return N @ vectors

        operator = LinearOperator((600, 600), matvec=product, matmat=product, dtype=np.float64)
        monkeypatch.setattr(eigensolver, "_solvers", lambda *args: [eigensolver.filtered_subspace])
        with pytest.warns(ConvergenceWarning, match="6 leading .*budget"):
            _, vectors = eigensolver.smallest_eigenpairs(operator, null, 6, (0.0, 2.0), np.random.RandomState(0))
        assert sum(made) <= 400 + 4 * 16
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-9)

    def test_copies_are_searched_for_at_most_as_often_as_there_are_pairs(self, monkeypatch):
        """Even where a solver claims to find better vectors again and again."""
        searches = []

        def endless(product, size, found, start):
            searches.append(found.size)
            return np.full(2, found.max() + 1), np.linalg.qr(start.normal(size=(size, 2)))[0]

        monkeypatch.setattr(eigensolver, "_copies", endless)
        eigensolver._largest(lambda v: np.arange(50.0) * v, 50, 3, np.random.RandomState(0))
        assert len(searches) == 3


class TestTwoGrids:
    """The whole way of large graphs, on small ones, against LAPACK."""

    @pytest.fixture(autouse=True)
    def small_graphs_too(self, monkeypatch):
        self.answers = []
        found = eigensolver.two_grids

        def watched(*args):
            self.answers.append(found(*args))
            return self.answers[-1]

        watched.__name__ = "two_grids"
        monkeypatch.setattr(eigensolver, "two_grids", watched)
        monkeypatch.setattr(eigensolver, "TWO_GRID_SIZE", 1000)
        monkeypatch.setattr(eigensolver, "TWO_GRID_WIDTH", 5.0)

    def check(self, S, count=8):
        """Eigenvalues, residuals, orthogonality; and that two grids gave them."""
        graph = SampleGraph(S)
        found = graph.spectrum(count)
        N = graph.normalized_laplacian()
        expected = np.linalg.eigvalsh(N.toarray()[~graph.isolated][:, ~graph.isolated])[:count]
        np.testing.assert_allclose(found.eigenvalues, expected, atol=1e-13)
        vectors = found.eigenvectors
        np.testing.assert_allclose(N @ vectors, vectors * found.eigenvalues, atol=1e-11)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-12)
        return found

    def test_the_order_of_samples_does_not_matter(self, rng):
        S, order = points_in_a_plane(1300), rng.permutation(1300)
        one, other = self.check(S).eigenvectors, self.check(S[order][:, order]).eigenvectors
        np.testing.assert_allclose(np.abs(one[order]), np.abs(other), atol=1e-10)
        assert all(answer is not None for answer in self.answers)

    def test_repeated_eigenvalues_of_a_square(self):
        """Every count cuts somewhere else, through pairs of equal eigenvalues or between them."""
        path = sparse.diags_array([np.ones(32)] * 2, offsets=[-1, 1])
        for count in (5, 6, 7):
            self.check(sparse.csr_array(sparse.kronsum(path, path)), count)
        assert all(answer is not None for answer in self.answers)

    @pytest.mark.slow
    def test_components_and_isolated_samples(self):
        """Two large parts, a small one, and samples without neighbours."""
        parts = [points_in_a_plane(1200), points_in_a_plane(1100, seed=5), points_in_a_plane(40)]
        self.check(sparse.csr_array(sparse.block_diag([*parts, sparse.csr_array((3, 3))])))
        assert len(self.answers) == 2
        assert all(answer is not None for answer in self.answers)

    @pytest.mark.parametrize("weak", [1e-3, 1e-300])
    def test_weights_of_all_sizes(self, weak):
        """A plane that falls apart but for weak links: whoever answers, it is right."""
        S = points_in_a_plane(1200)
        side = np.arange(1200) % 3 == 0
        links = S.tocoo()
        crossing = side[links.coords[0]] != side[links.coords[1]]
        links.data = np.where(crossing, weak * links.data, links.data)
        S = sparse.csr_array(links)
        graph = SampleGraph(S)
        expected = np.linalg.eigvalsh(graph.normalized_laplacian().toarray())[:6]
        np.testing.assert_allclose(graph.spectrum(6).eigenvalues, np.maximum(expected, 0.0), atol=1e-12)

    def test_what_it_cannot_solve_is_solved_by_the_next(self, monkeypatch):
        monkeypatch.setattr(eigensolver.TwoGrid, "of", lambda *args: None)
        self.check(points_in_a_plane(1200))
        monkeypatch.undo()

    def test_mass_of_one_s_own(self):
        """M^-1/2 L M^-1/2 with any masses: another diagonal and another null vector."""
        S = points_in_a_plane(1200)
        mass = np.random.default_rng(1).uniform(0.1, 10, 1200)
        L = np.diag(S.sum(axis=1)) - S.toarray()
        M = L / np.sqrt(np.outer(mass, mass))
        null = np.sqrt(mass / mass.sum())[:, None]
        top = 2 * float((S.sum(axis=1) / mass).max())
        start = np.random.RandomState(0)
        values, vectors = eigensolver.smallest_eigenpairs(sparse.csr_array(M), null, 6, (0.0, top), start)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(M)[1:7], atol=1e-12 * top)
        np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-10 * top)
        assert self.answers[0] is not None


def operator_with(values, rng):
    """A product with a symmetric matrix that has these eigenvalues."""
    Q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return lambda vector: Q @ (values * (Q.T @ vector))


DECAY = 1.0 / np.arange(1.0, 401) ** 2  # as of the inverse of a chain


def test_simple_eigenvalues_are_found_and_known_to_be_all(rng):
    product = operator_with(DECAY, rng)
    (values, vectors), is_complete = dominant_pairs(product, 400, 6, np.random.RandomState(0))
    np.testing.assert_allclose(values, DECAY[5::-1], rtol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)
    images = np.column_stack([product(vector) for vector in vectors.T])
    np.testing.assert_allclose(images, vectors * values, atol=1e-11)
    assert is_complete


@pytest.mark.parametrize("repeated", [0, 5])
def test_it_is_complete_only_with_all_copies(rng, repeated):
    values = np.insert(DECAY, repeated, np.full(3, DECAY[repeated]))  # rounding shows some of them, seldom all
    (found, _), is_complete = dominant_pairs(operator_with(values, rng), 403, 6, np.random.RandomState(0))
    assert np.allclose(found, values[5::-1], rtol=1e-9) or not is_complete


def test_a_crowd_is_left_to_others(rng):
    assert dominant_pairs(operator_with(1.0 + 0.001 * np.arange(400), rng), 400, 6, np.random.RandomState(0)) is None


def test_a_space_that_closes_before_all_are_found_is_left_to_others(rng):
    values = np.repeat([1.0, 2.0, 3.0], 100)  # three distinct ones: no more is seen from one vector
    assert dominant_pairs(operator_with(values, rng), 300, 6, np.random.RandomState(0)) is None
    found = dominant_pairs(operator_with(values, rng), 300, 3, np.random.RandomState(0))
    np.testing.assert_allclose(found.pairs[0], [1.0, 2.0, 3.0])
    assert not found.is_complete


def test_the_margin_is_the_bound_solved_for_its_probability():
    steps, size = np.array([20, 30]), 1000
    risk = 1.648 * np.sqrt(size) * np.exp(-np.sqrt(krylov._margins(steps, size)) * (2 * steps - 1))
    np.testing.assert_allclose(risk, krylov.RISK)
