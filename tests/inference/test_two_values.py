"""P-values of features with two values on classes are those of all arrangements."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom

import eigenselect as es
from eigenselect.inference.power_sums import power_sums
from eigenselect.inference.two_values import may_have_two_values
from eigenselect.matrix import as_matrix

LABELS = np.array([0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 1])
SELECTORS = {
    "Fisher": es.FisherScore(significance=True),
    "φ1": es.SPEC(similarity="class_labels", ranking="phi1", significance=True),
    "HSIC": es.HSICScore(significance=True, scale=None),
    "trace ratio": es.TraceRatio(graphs="fisher", level="feature", significance=True),
}


def arrangements(low, high, count):
    """All ways to put ``count`` of the higher value on 12 samples."""
    return np.column_stack(
        [np.where(np.isin(range(12), places), high, low) for places in combinations(range(12), count)]
    )


@pytest.mark.parametrize("method", SELECTORS)
@pytest.mark.parametrize(("low", "high", "count"), [(0.0, 1.0, 4), (5.0, 1.3, 3), (-1.0, 2.0, 9)])
def test_the_share_of_arrangements_that_are_as_good(method, low, high, count):
    X = arrangements(low, high, count)
    selector = SELECTORS[method].fit(X, LABELS)
    score = selector.native_scores_ if selector.criterion_.larger_is_better else -selector.native_scores_
    size = np.abs(score[np.isfinite(score)]).max()
    expected = np.array([(score >= one - 1e-10 * size).mean() for one in score])
    small = selector.pvalues_ < 0.1
    assert small.any()
    np.testing.assert_allclose(selector.pvalues_[small], expected[small], rtol=1e-9)


def test_noise_is_not_called_significant_too_often():
    """A class of 8 among 30 samples: over all numbers of ones in it, p ≤ α has a probability of at most α."""
    y = np.repeat([1, 0], [8, 22])
    for count in range(2, 12):
        inside = np.arange(min(8, count) + 1)
        X = np.zeros((30, inside.size))
        for column, own in enumerate(inside):
            X[:own, column] = X[8 : 8 + count - own, column] = 1.0
        found = es.FisherScore(1, significance=True).fit(X, y).pvalues_
        for level in (0.1, 0.05, 0.01):
            assert hypergeom.pmf(inside, 30, count, 8)[found <= level].sum() <= level * (1 + 1e-9)


def test_more_values_have_a_larger_kurtosis(rng):
    X = np.column_stack([rng.random(50) < 0.1, rng.integers(0, 3, 50), rng.normal(size=50), np.arange(50) < 25])
    assert may_have_two_values(power_sums(as_matrix(X.astype(float) * 1e-3 + 7))).tolist() == [True, False, False, True]
