import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from scipy.sparse.linalg import aslinearoperator

from eigenselect.graph import SampleGraph


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


@pytest.mark.parametrize("options", [{}, {"blocks": 3}, {"isolated": 2}], ids=["connected", "components", "isolated"])
def test_the_form_of_the_laplacian_is_half_the_sum_over_pairs(make_similarity, rng, kind, options):
    """Theorem 1 of the SPEC paper, 2.1 of the sSelect paper, Proposition 1 of the dissertation; S with a diagonal."""
    S = make_similarity(14, **options) + np.diag(np.arange(14) < 10)
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
    S = np.array([[1.0, -3.0], [-3.0, 5.0]])
    with pytest.raises(ValueError, match=r"1 sample a degree.*not positive.*-2"):
        SampleGraph(S, signed=True)


def test_a_row_that_cancels_is_not_isolated():
    S = np.array([[1.0, -1.0, 0], [-1.0, 4.0, 1], [0, 1, 1]])
    with pytest.raises(ValueError, match="not positive"):
        SampleGraph(S, signed=True)


def test_overflowing_degrees_are_refused():
    with pytest.raises(ValueError, match="finite"), np.errstate(over="ignore"):
        SampleGraph(np.full((4, 4), 1e308))


@pytest.mark.parametrize("weight", [2.0, -2.0])
def test_a_sound_sparse_matrix_is_not_copied(weight):
    S = sparse.csr_array([[0.0, weight], [weight, 0.0]])
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
