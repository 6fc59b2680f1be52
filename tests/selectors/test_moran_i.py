"""Moran's I as a selector."""

import numpy as np

import eigenselect as es


def test_checkerboard_and_halves_of_a_grid():
    """The classic: a checkerboard has I = -1, halves are near 1, noise is near -1/(n-1)."""
    rows, columns = (place.ravel() for place in np.indices((10, 10)))
    W = (np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1).astype(float)
    X = np.column_stack([(rows + columns) % 2, rows < 5, np.random.default_rng(0).permutation(100)]).astype(float)
    selector = es.MoranI(1).fit(X, similarity_matrix=W)
    assert selector.native_scores_[0] == -1.0
    np.testing.assert_allclose(selector.native_scores_[1], 1 - 2 * 10 / 180, rtol=1e-12)
    assert abs(selector.native_scores_[2]) < 0.2
    np.testing.assert_array_equal(selector.ranking_, [3, 1, 2])
    np.testing.assert_array_equal(es.moran_i_score(X, similarity_matrix=W), selector.native_scores_)
