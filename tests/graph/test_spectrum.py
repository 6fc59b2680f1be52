"""Leading eigenpairs: right, deterministic, in whole groups, and found where plain Lanczos gives up."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from eigenselect.graph import SampleGraph, eigengap
from eigenselect.graph import spectrum as spectrum_module
from eigenselect.graph.spectrum import COPIES, largest_gap
from eigenselect.reporting.views.spectrum import judge_gap
from eigenselect.similarity import ClassLabels


def blocks(parts):
    """A sparse array of blocks along the diagonal; scipy 1.18 asks that they are sparse arrays, too."""
    return sparse.block_diag([sparse.coo_array(part) for part in parts], format="csr")


def cliques(count, size=5):
    return blocks([np.ones((size, size)) - np.eye(size)] * count)


def path(n):
    return sparse.diags_array([np.ones(n - 1)] * 2, offsets=[-1, 1]).tocsr()


def ring(n):
    closed = path(n).tolil()
    closed[0, n - 1] = closed[n - 1, 0] = 1
    return closed.tocsr()


def weakly_linked(count, weight):
    """Cliques joined by random edges of a tiny weight: `count` eigenvalues crowd at zero."""
    B = cliques(count)
    extra = sparse.random_array(B.shape, density=0.002, rng=np.random.default_rng(1))
    return sparse.csr_array(B + weight * (extra + extra.T))


def check_pairs(graph, k, spectrum):
    N = graph.normalized_laplacian() @ np.eye(graph.n_samples)
    U = spectrum.eigenvectors
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(N @ U, U * spectrum.eigenvalues, atol=1e-8)
    live = ~graph.isolated
    np.testing.assert_allclose(spectrum.eigenvalues, np.linalg.eigvalsh(N[np.ix_(live, live)])[:k], atol=1e-9)
    root = np.sqrt(graph.degrees)
    np.testing.assert_allclose(U[:, 0], root / np.linalg.norm(root), atol=1e-12)


def test_small_graphs(make_similarity, as_kind):
    for count, isolated in ((1, 0), (3, 0), (3, 4)):
        graph = SampleGraph(as_kind(make_similarity(26, blocks=count, isolated=isolated)))
        for k in (1, 2, 5, 20):
            check_pairs(graph, k, graph.spectrum(k))


@pytest.mark.parametrize("S", [cliques(130), path(700), ring(700), weakly_linked(130, 1e-20), weakly_linked(130, 1e-6)])
def test_graphs_that_make_a_plain_solver_fail(S):
    graph = SampleGraph(S)
    check_pairs(graph, 12, graph.spectrum(12))


def test_zero_modes_are_written_down_not_searched_for(monkeypatch):
    def forbidden(*args, **kwargs):
        raise AssertionError("a solver was called")

    monkeypatch.setattr("eigenselect.graph.spectrum.smallest_eigenpairs", forbidden)
    spectrum = SampleGraph(cliques(400)).spectrum(300)
    np.testing.assert_array_equal(spectrum.eigenvalues, 0)


def test_zero_modes_contrast_the_largest_components_first():
    S = blocks([np.ones((2, 2)), np.ones((6, 6)), np.ones((4, 4))])
    second = SampleGraph(S).spectrum(2).eigenvectors[:, 1]
    np.testing.assert_allclose(second[:2], 0)
    assert np.ptp(second[2:8]) < 1e-12
    assert np.sign(second[2]) == -np.sign(second[8])


def test_repeated_calls_and_signs_are_the_same():
    graph = SampleGraph(ring(500))
    first, second = graph.spectrum(7), graph.spectrum(7)
    np.testing.assert_array_equal(first.eigenvectors, second.eigenvectors)
    squared = first.eigenvectors**2
    peaks = np.argmax(squared >= 0.99 * squared.max(axis=0), axis=0)  # the first, where rounding makes one the largest
    assert (first.eigenvectors[peaks, np.arange(7)] > 0).all()


def torus(*sizes):
    """Every eigenvalue is a sum of those of rings: many are equal, up to 48 of them."""
    total = sparse.csr_array((1, 1))
    for size in sizes:
        one = ring(size)
        total = sparse.kron(total, sparse.eye_array(size)) + sparse.kron(sparse.eye_array(total.shape[0]), one)
    return sparse.csr_array(total)


def cube(dimension):
    return sum(
        sparse.kron(sparse.kron(sparse.eye_array(2**k), [[0, 1], [1, 0]]), sparse.eye_array(2 ** (dimension - 1 - k)))
        for k in range(dimension)
    )


class TestEqualEigenvalues:
    @pytest.mark.parametrize("S", [torus(7, 7, 7), torus(20, 20), cube(9)], ids=["7^3", "20^2", "2^9"])
    def test_lanczos_misses_no_copy(self, S):
        graph = SampleGraph(S)
        expected = np.linalg.eigvalsh(graph.normalized_laplacian().toarray())
        for k in (4, 12, 20):
            np.testing.assert_allclose(graph.spectrum(k).eigenvalues, expected[:k], atol=1e-9)

    def test_a_whole_spectrum_ends_with_a_group(self):
        """A torus of 8 x 8 x 8 samples: 1 + 6 + 12 + 8 equal eigenvalues come first; components are equal, too."""
        graph = SampleGraph(torus(8, 8, 8))
        for asked, taken in ((1, 1), (2, 7), (7, 7), (8, 19), (20, 27)):
            assert graph.whole_spectrum(asked).eigenvectors.shape == (512, taken)
        graph = SampleGraph(cliques(6))
        assert [graph.whole_spectrum(k).eigenvalues.size for k in (1, 2, 5, 6, 7)] == [1, 6, 6, 6, 30]

    def test_what_solvers_cannot_tell_apart_is_equal(self):
        for gap, is_equal in ((0.0, True), (1e-13, True), (1e-10, True), (1e-6, False)):
            S = np.kron(np.eye(2), np.ones((4, 4))) + 0.1
            S[[0, 1], [1, 0]] += gap
            assert (SampleGraph(S).whole_spectrum(3).eigenvalues.size == 8) == is_equal

    def test_the_gap_of_a_graph_without_gaps_is_after_all(self):
        """All but the trivial eigenvalue of a complete graph are equal: rounding must not choose a number."""
        assert SampleGraph(np.ones((40, 40))).eigengap_spectrum().eigenvalues.size == 40

    def test_of_equal_gaps_the_first_counts(self):
        """A ring of 12: 1 - cos(30° j), twice each, with the gap ½ before and after 1."""
        for seed in range(20):
            values = np.sort(1 - np.cos(2 * np.pi * np.arange(12) / 12))
            values += 1e-15 * np.random.default_rng(seed).normal(size=12)
            assert eigengap(values) == 5
            assert largest_gap(values) == 5

    def test_components_of_equal_volume_go_by_their_first_sample(self, rng):
        """Three times the same component, but for the last bits that another order of summing has."""
        block = rng.random((9, 9))
        S = blocks([(block + block.T) * (1 + bits * 2.0**-51) for bits in (0, 1, 2)])
        second = SampleGraph(S).spectrum(3).eigenvectors[:, 1]  # the second component against the first
        np.testing.assert_array_equal(second[18:], 0)

    def test_equal_before_or_after_the_spectral_map(self):
        """The heat of a long time makes large frequencies equal, and pulls small ones apart that a solver cannot."""
        heat = SampleGraph(ring(6)).diffuse(1000.0)
        stored = np.array([0, 1e-3, 1e-3 + 1e-10, 1.0, 1.1])
        assert np.diff(heat.frequencies(stored))[1] > 1e-8
        np.testing.assert_array_equal(spectrum_module._groups(heat, stored), [0, 1, 1, 2, 2])

    def test_each_is_an_eigenvector(self):
        graph = SampleGraph(torus(5, 5))
        check_pairs(graph, 25, graph.spectrum(25))


def test_implicit_similarities(make_similarity):
    labels = ClassLabels().build(None, np.repeat([0, 1, 2], [4, 6, 9]))
    check_pairs(labels, 3, labels.spectrum(3))
    base = SampleGraph(sparse.csr_array(make_similarity(20)))
    diffusion = base.diffuse(0.4)
    check_pairs(diffusion, 5, diffusion.spectrum(5))


def test_impossible_numbers_of_pairs(make_similarity):
    for k in (0, 21, -1):
        with pytest.raises(ValueError, match=rf"20 samples.*{k}"):
            SampleGraph(make_similarity(22, isolated=2)).spectrum(k)


class TestEigengap:
    def test_four_groups_are_four(self, rng):
        X = rng.normal(size=(80, 2)) * 0.3 + np.repeat(np.array([[0, 0], [0, 9], [9, 0], [9, 9]]), 20, axis=0)
        S = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
        assert len(SampleGraph(S).eigengap_spectrum().eigenvalues) == 4
        assert len(SampleGraph(np.where(S < 1e-3, 0, S)).eigengap_spectrum().eigenvalues) == 4


def test_pairs_of_many_components_are_never_padded_all_at_once():
    pairs = blocks([np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])] * 300)
    graph = SampleGraph(pairs)
    tracemalloc.start()
    spectrum = graph.spectrum(302)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < COPIES * 8 * 900 * 302  # 600 padded pairs, and all pairs in one array, would take 11 MB
    lowest = np.linalg.eigvalsh(graph.normalized_laplacian()[:3][:, :3].toarray())[1]
    np.testing.assert_allclose(spectrum.eigenvalues[[299, 300, 301]], [0, lowest, lowest], atol=1e-12)


def test_more_eigenvectors_than_memory_holds_are_refused_before(monkeypatch):
    monkeypatch.setattr("eigenselect._checks.free_memory", lambda: 1e4)
    with pytest.raises(MemoryError, match="^20 eigenvectors .* 40 samples"):
        SampleGraph(blocks([np.ones((2, 2))] * 20)).spectrum(20)


def test_the_spectrum_of_a_dense_graph_takes_one_matrix_beside_it(rng):
    places = rng.random((900, 2))
    S = np.exp(-8 * ((places[:, None] - places) ** 2).sum(axis=2))
    graph = SampleGraph(S)
    graph.spectrum(4)
    tracemalloc.start()
    try:
        found = graph.spectrum(4).eigenvalues
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.3 * S.nbytes
    np.testing.assert_allclose(found, np.linalg.eigvalsh(graph.normalized_laplacian())[:4], atol=1e-10)


spectra = st.lists(st.floats(0.001, 0.2), min_size=3, max_size=12).map(lambda gaps: np.cumsum([0.0, *gaps]))


@given(spectra)
def test_the_report_names_the_gap_that_the_graph_finds(eigenvalues):
    assert judge_gap(eigenvalues).after == largest_gap(eigenvalues)
    if largest_gap(eigenvalues) > 1:
        assert eigengap(eigenvalues) == largest_gap(eigenvalues)


def test_the_gap_is_after_the_first_of_equal_ones():
    for more in (0.0, 1e-10, 1e-9):
        eigenvalues = np.array([0.0, 0.01, 0.11, 0.12, 0.22 + more])
        assert largest_gap(eigenvalues) == judge_gap(eigenvalues).after == eigengap(eigenvalues) == 2
    assert eigengap(np.array([0, 0.02, 0.03, 0.7, 0.8, 0.85])) == 3
    assert eigengap(np.array([0, 0.9, 0.95])) == eigengap(np.array([0, 0.9])) == 2
