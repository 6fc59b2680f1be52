"""A graph of samples: degrees, Laplacians, spectrum bounds, and which matrices are taken for one."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from scipy.sparse.linalg import aslinearoperator

from eigenselect.graph import SampleGraph, connected_components, graph_from_matrix


@pytest.fixture(params=["dense", "sparse", "implicit"])
def kind(request):
    return {"dense": np.asarray, "sparse": sparse.csr_array, "implicit": aslinearoperator}[request.param]


def as_array(matrix, n):
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix @ np.eye(n))


def test_laplacians_of_every_kind(make_similarity, rng, kind):
    S = make_similarity(14, isolated=1)
    np.fill_diagonal(S, 0)
    graph = SampleGraph(kind(S))
    np.testing.assert_allclose(graph.degrees, S.sum(axis=1))
    np.testing.assert_allclose(as_array(graph.laplacian(), 14), scipy_laplacian(S), atol=1e-14)
    np.testing.assert_allclose(as_array(graph.normalized_laplacian(), 14), scipy_laplacian(S, normed=True), atol=1e-14)
    np.testing.assert_allclose(graph.to_array(), S)
    F = rng.normal(size=(14, 3))
    expected = graph.inverse_mass[:, None] * (scipy_laplacian(S) @ F)
    np.testing.assert_allclose(graph.walk(F), expected, atol=1e-14)


def test_the_form_of_the_laplacian_is_half_the_sum_over_pairs(make_similarity, rng, kind):
    """Theorem 1 of the SPEC paper, 2.1 of the sSelect paper, Proposition 1 of the dissertation; S with a diagonal."""
    S = make_similarity(14, blocks=3, isolated=2) + np.diag(np.arange(14) < 10)
    graph = SampleGraph(kind(S))
    L, f = as_array(graph.laplacian(), 14), rng.normal(size=14)
    np.testing.assert_allclose(L @ np.ones(14), 0, atol=1e-13)
    np.testing.assert_allclose(L, L.T, atol=1e-14)
    assert np.linalg.eigvalsh(L)[0] > -1e-12
    assert f @ L @ f == pytest.approx((S * np.subtract.outer(f, f) ** 2).sum() / 2, rel=1e-12)
    assert (f - 7) @ L @ (f - 7) == pytest.approx(f @ L @ f, rel=1e-11)
    assert graph.volume == pytest.approx(S.sum(), rel=1e-13)


def test_the_trivial_pair_is_the_root_of_the_degrees(make_similarity, kind):
    """ξ₁ ∝ D½1, not D^-½1 as Theorems 7 and 8 of the dissertation print; all eigenvalues are in [0, 2]."""
    S = make_similarity(14, blocks=2)
    graph = SampleGraph(kind(S))
    N = as_array(graph.normalized_laplacian(), 14)
    np.testing.assert_allclose(N @ np.sqrt(graph.degrees), 0, atol=1e-13)
    assert np.abs(N @ (1 / np.sqrt(graph.degrees))).max() > 0.1
    values = np.linalg.eigvalsh(N)
    assert values[0] > -1e-12
    assert values[-1] <= 2 + 1e-12
    bipartite = as_array(SampleGraph(kind(np.array([[0.0, 1], [1, 0]]))).normalized_laplacian(), 2)
    np.testing.assert_allclose(np.linalg.eigvalsh(bipartite), [0, 2], atol=1e-14)


def test_stored_zeros_unsorted_and_duplicate_entries_do_not_matter(make_similarity):
    S = sparse.coo_array(make_similarity(10))
    messy = sparse.csr_array(
        (np.r_[S.data / 2, S.data / 2, 0.0], (np.r_[S.row, S.row, 0], np.r_[S.col, S.col, 0])), shape=(10, 10)
    )
    rows = messy.tolil()
    rows.rows = np.array([list(reversed(r)) for r in rows.rows] + [None], dtype=object)[:-1]
    rows.data = np.array([list(reversed(r)) for r in rows.data] + [None], dtype=object)[:-1]
    unsorted = rows.tocsr()
    graph = SampleGraph(unsorted)
    assert graph.affinity.has_canonical_format
    assert graph.affinity.data.all()
    np.testing.assert_allclose(graph.to_array(), S.toarray())


def test_the_interval_holds_the_spectrum(make_similarity):
    S = make_similarity(20)
    for graph in (SampleGraph(S), SampleGraph(sparse.csr_array(S)).diffuse(0.5)):
        root = np.sqrt(graph.inverse_mass)
        L = np.diag(graph.row_sums) - S
        values = np.linalg.eigvalsh(root[:, None] * L * root)
        low, high = graph.interval
        assert low <= values.min() + 1e-12
        assert values.max() <= high


def test_negative_degrees_say_why():
    """A row that cancels is not isolated; degrees that overflow are refused."""
    with pytest.raises(ValueError, match=r"1 sample .*not positive.*-2"):
        SampleGraph(np.array([[1.0, -3.0], [-3.0, 5.0]]), signed=True)
    with pytest.raises(ValueError, match="not positive"):
        SampleGraph(np.array([[1.0, -1.0, 0], [-1.0, 4.0, 1], [0, 1, 1]]), signed=True)
    with pytest.raises(ValueError, match="finite"), np.errstate(over="ignore"):
        SampleGraph(np.full((4, 4), 1e308))


def test_a_sound_sparse_matrix_is_not_copied():
    S = sparse.csr_array([[0.0, -2.0], [-2.0, 0.0]])
    graph = SampleGraph(S, np.ones(2), signed=True)
    assert np.shares_memory(graph.affinity.data, S.data)
    S.data[:] = -1e-310
    assert SampleGraph(S, np.ones(2), signed=True).affinity.nnz == 0


def test_subnormal_similarities_are_zero(as_kind):
    S = np.array([[0, 1.0, 0], [1.0, 0, 1e-310], [0, 1e-310, 0]])
    graph = SampleGraph(as_kind(S))
    np.testing.assert_array_equal(graph.isolated, [False, False, True])
    assert np.isfinite(graph.inverse_mass).all()
    assert S[1, 2] == 1e-310


def test_description_counts_edges_once():
    S = sparse.csr_array(np.array([[2.0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    facts = SampleGraph(S, description={"similarity": "given"}).describe()
    assert facts["similarity"] == "given"
    assert (facts["n_edges"], facts["n_isolated"], facts["n_components"]) == (2, 1, 2)


GOOD = np.array([[1.0, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 1]])


def test_accepts_arrays_lists_and_sparse_matrices():
    for matrix in (GOOD, GOOD.tolist(), GOOD.astype(np.float32), sparse.csc_array(GOOD), sparse.coo_matrix(GOOD)):
        np.testing.assert_allclose(graph_from_matrix(matrix, 3).to_array(), GOOD, rtol=1e-7)


def test_rounding_asymmetry_is_averaged_away(as_kind):
    S = GOOD.copy()
    S[0, 1] += 1e-12
    found = graph_from_matrix(as_kind(S), 3).to_array()
    np.testing.assert_array_equal(found, found.T)
    assert found[0, 1] == pytest.approx(0.5 + 0.5e-12, abs=1e-14)


def test_entries_in_any_order_and_in_parts_are_one_matrix_which_stays_as_it_is():
    parts = (np.array([1.0, 0.25, 0.25, 0.2, 0.5, 1.0, 1.0, 0.2]), np.array([0, 1, 1, 2, 0, 1, 2, 1]))
    S = sparse.csr_array((*parts, np.array([0, 3, 6, 8])), shape=(3, 3))
    np.testing.assert_array_equal(graph_from_matrix(S, 3).to_array(), GOOD)
    np.testing.assert_array_equal(S.data, parts[0])
    once = sparse.csr_array((np.array([0.5, 1.0, 0.2, 1.0, 0.5, 1.0, 0.2]), [1, 0, 2, 1, 0, 2, 1], [0, 2, 5, 7]))
    np.testing.assert_array_equal(graph_from_matrix(once, 3).to_array(), GOOD)
    np.testing.assert_array_equal(once.indices, [1, 0, 2, 1, 0, 2, 1])
    np.testing.assert_array_equal(S.indices, parts[1])


def changed(i, j, value):
    S = GOOD.copy()
    S[i, j] = S[j, i] = value
    return S


@pytest.mark.parametrize("both", [2.0, 2.0 + 1e-12, 1.0])
def test_what_is_stored_as_zero_on_one_side_only_is_no_asymmetry(both):
    parts = (np.array([2.0, 0.0, both, 3.0]), np.array([1, 2, 0, 1]), np.array([0, 2, 4, 4]))
    S = sparse.csr_array(parts, shape=(3, 3))
    if both == 1.0:
        with pytest.raises(ValueError, match="symmetric.* up to 1;"):
            graph_from_matrix(S, 3)
    else:
        expected = [[0.0, (2.0 + both) / 2, 0], [(2.0 + both) / 2, 3, 0], [0, 0, 0]]
        np.testing.assert_array_equal(graph_from_matrix(S, 3).to_array(), expected)


def test_one_entry_of_many_that_is_missing_or_differs_is_seen(rng):
    S = sparse.random_array((200, 200), density=0.05, rng=rng, format="csr")
    S = sparse.csr_array(S + S.T)
    assert np.shares_memory(graph_from_matrix(S, 200).affinity.data, S.data)
    row, column = S.nonzero()
    for entry in np.flatnonzero(row != column)[::20]:
        for factor in (1.5, 0.0):
            other = S.copy()
            other.data[entry] *= factor
            other.eliminate_zeros()
            with pytest.raises(ValueError, match="symmetric"):
                graph_from_matrix(other, 200)


def test_looking_at_a_full_similarity_takes_a_small_part_of_its_size(rng):
    S = rng.random((1500, 1500))
    S += S.T
    tracemalloc.start()
    try:
        graph = graph_from_matrix(S, 1500)
        assert connected_components(graph.affinity).max() == 0
        assert graph.affinity is S
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < S.nbytes


def test_bad_matrices_are_named(as_kind):
    """Also complex ones, text, and what cross-validation makes of a matrix routed like a column per sample."""
    wide = np.ones((5, 5))
    for bad, says in (
        (GOOD[:2], "3 x 3.*2 x 3"),
        (np.eye(4), "3 x 3.*4 x 4"),
        (changed(0, 1, np.nan), "finite"),
        (changed(0, 1, np.inf), "finite"),
        (changed(0, 1, 1e101), r"at most 1e\+100"),
        (changed(0, 1, -0.1), "non-negative.*2 negative.*-0.1"),
        (np.triu(GOOD), "symmetric.*0.5"),
        (np.triu(np.full((3, 3), 0.25)), r"symmetric.*up to 0\.25;"),  # all entries equal: places alone tell
        (wide[:3], "got 3 x 5; its rows"),
        (wide[:, :3], "got 5 x 3; .*same samples"),
    ):
        with pytest.raises(ValueError, match=f"(?s)similarity_matrix.*{says}"):
            graph_from_matrix(as_kind(bad), 3)
    with pytest.raises(TypeError, match="similarity_matrix .*real"):
        graph_from_matrix(as_kind(GOOD * (1 + 1j)), 3)
    with pytest.raises(TypeError, match="similarity_matrix.*numeric"):
        graph_from_matrix([["a", "b"], ["c", "d"]], 2)


def test_a_vector_is_not_a_matrix():
    with pytest.raises(ValueError, match="3 x 3.*got 3"):
        graph_from_matrix(GOOD[0], 3)


def test_asymmetry_is_seen_in_all_rows_of_a_full_matrix(rng):
    S = rng.random((150, 150))
    S += S.T
    for row, column in ((0, 149), (149, 0), (70, 40)):
        graph_from_matrix(S, 150)
        for value, says in ((S[row, column] + 0.5, r"mirror by up to 0\.5"), (np.nan, "finite")):
            other = S.copy()
            other[row, column] = value
            with pytest.raises(ValueError, match=says):
                graph_from_matrix(other, 150)


@given(st.integers(2, 25), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_components_are_scipys_numbered_by_their_first_sample(n, n_edges, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, n, size=(2, n_edges))
    S = np.zeros((n, n))
    S[first, second] = S[second, first] = -0.5
    expected = csgraph.connected_components(sparse.csr_array(S), directed=False)[1]
    for kind in (np.asarray, sparse.csr_array):
        found = connected_components(kind(S))
        np.testing.assert_array_equal(found[:, None] == found, expected[:, None] == expected)
        assert (np.diff(np.unique(found, return_index=True)[1]) > 0).all()
        assert (found == SampleGraph(kind(S), np.ones(n), signed=True).components).all()


def test_a_long_path_is_one_component(rng):
    order = rng.permutation(3000)
    S = sparse.coo_array((np.ones(2999), (order[:-1], order[1:])), shape=(3000, 3000))
    S = sparse.csr_array(S + S.T)
    np.testing.assert_array_equal(connected_components(S), 0)
    np.testing.assert_array_equal(connected_components(S[:300, :300].toarray()), connected_components(S[:300, :300]))


def test_neighbours_are_near_each_other_in_the_order(rng):
    line = sparse.diags_array([np.ones(59)] * 2, offsets=[-1, 1])
    shuffled = rng.permutation(3600)
    S = sparse.csr_array(sparse.kronsum(line, line))[shuffled][:, shuffled]
    place = np.argsort(SampleGraph(S).order)
    row, column = S.nonzero()
    assert np.abs(place[row] - place[column]).max() < 200
    np.testing.assert_array_equal(np.sort(place), np.arange(3600))
