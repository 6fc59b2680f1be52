"""Geary's C as a selector."""

import numpy as np

import eigenselect as es


def test_checkerboard_and_halves_of_a_grid():
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
