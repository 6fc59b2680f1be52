"""Few samples: p-values are shares of all orders, for every rule."""

from itertools import permutations

import numpy as np
import pytest

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


@pytest.mark.parametrize("name", CRITERIA)
def test_every_rule(name, monkeypatch):
    monkeypatch.setattr(all_orders, "BLOCK", 2 * 40_320)  # several blocks of features
    ratio = CRITERIA[name].null_ratio()
    X = features() if ratio.rows is None else features()[ratio.rows]
    X = np.column_stack([X, X[:, 0] + 4.0])  # a feature far from 0
    native = ratio.values(X)
    known = np.isfinite(native) & (np.ptp(X, axis=0) > 0)
    expected = [share_of_orders(ratio, f, r) for f, r in zip(X.T[known], native[known], strict=True)]
    np.testing.assert_allclose(all_orders_pvalues(ratio, as_matrix(X[:, known]), native[known]), expected, atol=1e-12)


@pytest.mark.parametrize("factor", [1e-200, 1.0, 1e200])
def test_three_against_three_is_no_better_than_one_in_ten(factor):
    """2 of the 20 ways to choose three samples are as good, whether or not there is spread within classes."""
    X = factor * np.array([[1.0, 2, 3, 7, 8, 9], [0, 0, 0, 1, 1, 1], [4, 4, 4, 5, 5, 5]]).T
    np.testing.assert_allclose(FisherScore(significance=True).fit(X, [0, 0, 0, 1, 1, 1]).pvalues_, 0.1)


def test_orders_are_left_out_where_no_refinement_is_asked_for():
    X, W = features(), np.exp(-(np.subtract.outer(np.arange(8.0), np.arange(8.0)) ** 2))
    exact, curve = (
        LaplacianScore(significance=route).fit(X, similarity_matrix=W).pvalues_ for route in (Given(), Given(None))
    )
    np.testing.assert_allclose(exact * 40_320, np.round(exact * 40_320), rtol=1e-12)
    assert (exact != curve).any()
