"""What Moran's I and Geary's C share: every sample counts the same, and any matrix of weights is taken."""

import numpy as np
import pytest
from scipy import sparse

import eigenselect as es

#: weights that are not mutual, with self-similarities
W = np.array([[0, 1, 0, 0, 2], [0, 0.5, 1, 0, 0], [0.25, 0, 0, 3, 0], [0, 0, 1, 0, 0], [1, 0, 0, 0, 0]])
X = np.array([[1.0, 0, 3], [2, 0, 1], [4, 5, 1], [3, 1, 0], [0, 0, 7]])
#: computed by scanpy 1.11.5: scanpy.metrics.morans_i and gearys_c of (csr_matrix(W), X.T)
BY_SCANPY = {
    es.MoranI: [0.6923076923076923, -0.06164757228587014, 0.38806706114398415],
    es.GearyC: [0.2923076923076923, 1.039279869067103, 0.3747534516765287],
}


@pytest.mark.parametrize("selector", BY_SCANPY)
@pytest.mark.parametrize("store_graph", [np.asarray, sparse.csr_array])
def test_values_are_scanpys(selector, store_graph, as_kind, kernels):
    found = selector(1).fit(as_kind(X), similarity_matrix=store_graph(W)).native_scores_
    np.testing.assert_allclose(found, BY_SCANPY[selector], rtol=1e-12)


@pytest.mark.parametrize("selector", BY_SCANPY)
def test_only_the_symmetric_part_matters(selector):
    fits = [selector(1).fit(X, similarity_matrix=S) for S in (W, W.T, (W + W.T) / 2)]
    np.testing.assert_array_equal(fits[0].native_scores_, fits[1].native_scores_)
    np.testing.assert_array_equal(fits[0].native_scores_, fits[2].native_scores_)
    np.testing.assert_array_equal(fits[0].graph_.to_array(), (W + W.T) / 2)


@pytest.mark.parametrize("selector", BY_SCANPY)
def test_samples_without_neighbours_count_and_are_not_warned_about(selector, make_similarity, rng):
    S = make_similarity(isolated=3)
    table = rng.normal(size=(24, 4))
    before = selector(1).fit(table, similarity_matrix=S).native_scores_
    table[-1] += 5.0
    assert (selector(1).fit(table, similarity_matrix=S).native_scores_ != before).all()


def test_other_rows_still_want_a_symmetric_matrix():
    with pytest.raises(ValueError, match="LaplacianScore: similarity_matrix must be"):
        es.LaplacianScore(1).fit(X, similarity_matrix=W)


@pytest.mark.parametrize("selector", BY_SCANPY)
def test_no_edges(selector):
    with pytest.raises(ValueError, match=f"{selector.__name__}: .*positive sum"):
        selector(1).fit(X, similarity_matrix=np.zeros((5, 5)))


def test_gearys_c_of_a_checkerboard_and_halves_of_a_grid():
    """Every edge of a checkerboard differs by 1, those of halves only along the border."""
    rows, columns = (place.ravel() for place in np.indices((10, 10)))
    W = (np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1).astype(float)
    X = np.column_stack([(rows + columns) % 2, rows < 5]).astype(float)
    selector = es.GearyC(1).fit(X, similarity_matrix=W)
    expected = 99 / 360 * np.array([180, 10]) / 25
    np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-12)
    np.testing.assert_allclose(selector.scores_, 1 - expected, rtol=1e-12)
    np.testing.assert_array_equal(selector.ranking_, [2, 1])
    np.testing.assert_array_equal(es.geary_c_score(X, similarity_matrix=W), selector.scores_)


def test_it_is_phi2_where_all_degrees_are_equal(rng):
    """On a ring with degrees 2 and n samples, C = (n-1)/n φ2."""
    W = np.roll(np.eye(30), 1, axis=1) + np.roll(np.eye(30), -1, axis=1)
    X = rng.normal(size=(30, 5))
    laplacian = es.LaplacianScore(1).fit(X, similarity_matrix=W).native_scores_
    np.testing.assert_allclose(es.GearyC(1).fit(X, similarity_matrix=W).native_scores_, 29 / 30 * laplacian, rtol=1e-12)


def test_morans_i_of_a_checkerboard_and_halves_of_a_grid():
    """The classic: a checkerboard has I = -1, halves are near 1, noise is near -1/(n-1)."""
    rows, columns = (place.ravel() for place in np.indices((10, 10)))
    W = (np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1).astype(float)
    X = np.column_stack([(rows + columns) % 2, rows < 5, np.random.default_rng(0).permutation(100)]).astype(float)
    selector = es.MoranI(1).fit(X, similarity_matrix=W)
    np.testing.assert_allclose(selector.native_scores_[:2], [-1, 1 - 2 * 10 / 180], rtol=1e-12)
    assert abs(selector.native_scores_[2]) < 0.2
    np.testing.assert_array_equal(selector.ranking_, [3, 1, 2])
    np.testing.assert_array_equal(es.moran_i_score(X, similarity_matrix=W), selector.native_scores_)
