"""Few samples, or two values on classes: p-values are shares of all orders."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import hypergeom

import eigenselect as es
from eigenselect import FisherScore, LaplacianScore
from eigenselect.inference import all_orders
from eigenselect.inference.all_orders import all_orders_pvalues
from eigenselect.inference.significance import Given
from eigenselect.matrix import as_matrix
from null_rules import CRITERIA, explicit, features

ORDERS = {n: np.array(list(permutations(range(n)))) for n in (7, 8)}


def share_of_orders(ratio, feature, score):
    """Order the feature, not the forms; ties count."""
    A, B = explicit(ratio)
    F = (feature - feature.mean() if ratio.centred else feature)[ORDERS[ratio.n_samples]]
    numerator = np.einsum("pi,pi->p", F @ A, F)
    denominator = np.ones(len(F)) if ratio.denominator is None else np.einsum("pi,pi->p", F @ B, F)
    T = (numerator - score * denominator) * (1 if ratio.larger_is_better else -1)
    rounding = 1e-14 * np.abs(A).max() * np.abs(F[0]).sum() ** 2
    margin = 1e-12 * (np.abs(numerator) + np.abs(score * denominator)).max() + rounding
    return np.mean(T + margin >= 0)


def test_rules_of_every_kind(monkeypatch):
    monkeypatch.setattr(all_orders, "BLOCK", 2 * 40_320)  # several blocks of features
    for name in [*list(CRITERIA)[::6], "fisher", "hsic rbf", "moran", "trace ratio pair"]:
        ratio = CRITERIA[name].null_ratio()
        X = features() if ratio.rows is None else features()[ratio.rows]
        X = np.column_stack([X[:, [2, 4]], X[:, 0] + 4.0])  # counts, binary, and one far from 0
        native = ratio.values(X)
        known = np.isfinite(native) & (np.ptp(X, axis=0) > 0)
        expected = [share_of_orders(ratio, f, r) for f, r in zip(X.T[known], native[known], strict=True)]
        found = all_orders_pvalues(ratio, as_matrix(X[:, known]), native[known])
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=name)


def test_three_against_three_is_no_better_than_one_in_ten():
    """2 of the 20 ways to choose three samples are as good, whether or not there is spread within classes."""
    for factor in (1e-90, 1.0, 1e90):
        X = factor * np.array([[1.0, 2, 3, 7, 8, 9], [0, 0, 0, 1, 1, 1], [4, 4, 4, 5, 5, 5]]).T
        np.testing.assert_allclose(FisherScore(significance=True).fit(X, [0, 0, 0, 1, 1, 1]).pvalues_, 0.1)


def test_orders_are_left_out_where_no_refinement_is_asked_for():
    X, W = features(), np.exp(-(np.subtract.outer(np.arange(8.0), np.arange(8.0)) ** 2))
    exact, curve = (
        LaplacianScore(significance=route).fit(X, similarity_matrix=W).pvalues_ for route in (Given(), Given(None))
    )
    np.testing.assert_allclose(exact * 40_320, np.round(exact * 40_320), rtol=1e-12)
    assert (exact != curve).any()


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
def test_the_share_of_arrangements_that_are_as_good(method):
    for low, high, count in ((0.0, 1.0, 4), (5.0, 1.3, 3), (-1.0, 2.0, 9)):
        selector = SELECTORS[method].fit(arrangements(low, high, count), LABELS)
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
