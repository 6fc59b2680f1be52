"""The scale at which a feature is farthest from chance."""

from itertools import permutations

import numpy as np
import pytest

import eigenselect as es
from eigenselect.criteria.autocorrelation import moran_criterion
from eigenselect.criteria.criterion import phi
from eigenselect.graph import SampleGraph
from eigenselect.inference.best_scale import BestScale
from eigenselect.inference.discoveries import cauchy_combination
from eigenselect.inference.permutation import criterion_test, permutation_test
from eigenselect.matrix import Residuals, as_matrix
from eigenselect.spectral import Heat, Power


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(make_similarity(6, density=0.6))


def test_of_equal_scales_the_first_is_best(rng):
    """On a graph of classes all eigenvalues but 0 are 1, so that a feature is as far from chance at every scale."""
    X, y = rng.normal(size=(30, 40)), np.repeat([0, 1, 2], 10)
    found = es.MultiscaleSPEC(3, similarity="class_labels").fit(X, y)
    assert (found.best_scale_ == 0).all()


def test_scores_against_all_permutations(graph, rng):
    """Mean of the ratio as a ratio of means, and the spread of numerator - mean · denominator, over all 720 orders."""
    criteria = tuple(phi("phi2", graph, Heat(time)) for time in (0.5, 4.0))
    X = rng.normal(size=(6, 3))
    found = BestScale(criteria).scores(X)
    orders = np.array(list(permutations(range(6))))
    for column, f in enumerate(X.T):
        expected = []
        for criterion in criteria:
            ratio = criterion.null_ratio()
            permuted = f[orders].T
            permuted = permuted - permuted.mean(axis=0)
            above, below = ratio.numerator.quadratic(permuted), ratio.denominator.quadratic(permuted)
            mean = above.mean() / below.mean()
            sd = np.std(above - mean * below) / below.mean()
            expected.append((mean - criterion.scores(f[:, None]).native[0]) / sd)
        np.testing.assert_allclose(found.attributes["scale_scores_"][:, column], expected, rtol=1e-9)
        assert found.native[column] == max(found.attributes["scale_scores_"][:, column])
        assert found.attributes["best_scale_"][column] == np.argmax(expected)


def test_one_scale_has_the_p_values_of_its_criterion(graph, rng):
    X = as_matrix(rng.normal(size=(6, 5)))
    criterion = phi("phi2", graph, Power(2))
    native = criterion.scores(X).native
    expected = permutation_test(criterion.null_ratio(), X, native).pvalues
    np.testing.assert_array_equal(criterion_test(criterion, X, native).pvalues, expected)
    found = criterion_test(BestScale((criterion,)), X, native).pvalues
    np.testing.assert_allclose(found, np.minimum(expected, 0.99), rtol=1e-12)


def test_p_values_are_combined(graph, rng):
    X = as_matrix(rng.normal(size=(6, 5)))
    criteria = tuple(phi("phi2", graph, Heat(time)) for time in (0.5, 4.0))
    each = [permutation_test(one.null_ratio(), X, one.scores(X).native).pvalues for one in criteria]
    found = criterion_test(BestScale(criteria), X, np.zeros(5))
    np.testing.assert_allclose(found.pvalues, cauchy_combination(np.array(each)), rtol=1e-12)


def test_large_scores_can_be_good(graph, rng):
    X = rng.normal(size=(6, 4))
    criterion = moran_criterion(graph)
    test = permutation_test(criterion.null_ratio(), as_matrix(X), criterion.scores(X).native)
    expected = (criterion.scores(X).native - test.null_mean) / test.null_sd
    np.testing.assert_allclose(BestScale((criterion,)).scores(X).native, expected, rtol=1e-12)


def test_a_scale_that_says_nothing_is_left_out(graph, rng):
    """After so long, no variation is left: the p-values are those of the other scale, and 1 of that scale alone."""
    line, X = SampleGraph(np.eye(20, k=1) + np.eye(20, k=-1)), rng.normal(size=(20, 5))
    short, long = phi("phi2", line, Heat(1.0)), phi("phi2", line, Heat(1e4))
    alone = permutation_test(short.null_ratio(), as_matrix(X), short.scores(X).native).pvalues
    both, only = BestScale((short, long)), BestScale((long,))
    np.testing.assert_allclose(both.permutation_test(as_matrix(X), both.scores(X).native).pvalues, alone, rtol=1e-6)
    assert (only.permutation_test(as_matrix(X), only.scores(X).native).pvalues == 1.0).all()


def test_covariates_have_scalars_of_their_own(graph, rng):
    X = as_matrix(rng.normal(size=(6, 5)))
    best = BestScale(tuple(phi("phi2", graph, Heat(time)) for time in (0.5, 4.0)))
    expected = criterion_test(best, X, best.scores(X).native).pvalues
    Q = rng.normal(size=(6, 1))
    Q -= Q.mean()
    residuals = Residuals.of(X, Q / np.linalg.norm(Q))
    found = criterion_test(best, residuals, best.scores(residuals).native).pvalues
    np.testing.assert_array_equal(found, criterion_test(BestScale(best.criteria), residuals, np.zeros(5)).pvalues)
    np.testing.assert_array_equal(expected, criterion_test(best, X, np.zeros(5)).pvalues)
