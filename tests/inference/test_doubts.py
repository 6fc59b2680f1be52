"""Whose p-values are drawn: by the values of a feature, by the kurtosis and by the skewness of its scores."""

import numpy as np
import pytest
from scipy import sparse, stats

from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.doubts import (
    HEAVY,
    SEEN_KURTOSIS,
    SEEN_LUMPS,
    effective_values,
    form_lumps,
    has_few_values,
    has_wrong_curve,
)
from eigenselect.inference.kurtosis import unseen_kurtosis
from eigenselect.inference.power_sums import power_sums
from eigenselect.inference.scalars import null_scalars
from eigenselect.matrix import as_matrix


def line(n, weight=1.0):
    """Samples in a line, of which two far ones have an edge, too."""
    S = np.eye(n, k=1) + np.eye(n, k=-1)
    S[3, n // 2] = S[n // 2, 3] = weight
    return [SymmetricForm.of(sparse.csr_array(S))]


def test_binary_features_have_about_as_many_values_as_ones(rng):
    X = np.zeros((1000, 3))
    X[:2, 0] = X[:20, 1] = X[:400, 2] = 1.0
    np.testing.assert_allclose(effective_values(power_sums(as_matrix(X)))[:2], [2, 20], rtol=0.1)
    sums = power_sums(as_matrix(X))
    np.testing.assert_array_equal(has_few_values(sums, np.full(3, 0.01)), [True, True, False])
    np.testing.assert_array_equal(has_few_values(sums, np.full(3, 0.09)), [True, False, False])
    bell = power_sums(as_matrix(rng.normal(size=(30, 1))))  # few samples do not make a feature rare
    assert not has_few_values(bell, np.array([1e-9]))


def test_one_heavy_edge_is_enough():
    """Where p is below a share of the kurtosis; a line of as many samples never."""
    scores, pvalues = np.zeros(3), np.array([1e-12, 0.05, 0.2])
    assert not has_wrong_curve(line(120), scores, pvalues).any()
    np.testing.assert_array_equal(has_wrong_curve(line(120, 100.0), scores, pvalues), [True, True, False])


@pytest.mark.parametrize("weight", [5.0, 6.0, 8.0, 10.0])
def test_a_curve_is_wrong_from_where_its_tail_is_off_by_about_a_quarter(weight):
    """By the first term of Edgeworth's series, at the largest p-value that is doubted."""
    (kurtosis,) = unseen_kurtosis(line(120, weight), np.zeros(1))
    p = HEAVY * kurtosis
    doubted = has_wrong_curve(line(120, weight), np.zeros(2), p * np.array([0.99, 1.01]))
    np.testing.assert_array_equal(doubted, [True, False])
    t = stats.norm.isf(p)
    assert 0.15 < kurtosis * (t**3 - 3 * t) * stats.norm.pdf(t) / 24 / p < 0.35


def test_scores_that_are_skewed_the_wrong_way():
    skewness = np.array([-0.5, -0.1, 0.5])
    np.testing.assert_array_equal(
        has_wrong_curve(line(120), np.zeros(3), np.full(3, 0.05), skewness), [True, False, False]
    )
    assert unseen_kurtosis(line(120), np.zeros(1))[0] < SEEN_KURTOSIS


@pytest.mark.parametrize("few", [1, 2, 5, 50])
def test_a_class_of_few_samples_holds_the_form(few):
    n, one, zero = 10_000, np.ones(1), np.zeros(1)
    classes = SymmetricForm.of_classes(np.repeat([0, 1], [n - few, few]), 1 / np.array([n - few, few])).centred()
    ratio = NullRatio(classes, SymmetricForm.spread(np.ones(n)).minus(classes), True, True, n)
    scalars = null_scalars(ratio)
    for alpha, beta in ((one, zero), (0.6 * one, -0.8 * one), (zero, one)):  # the spread alone has no order
        lumps = form_lumps(scalars, alpha, beta)
        np.testing.assert_allclose(lumps, few**-2.0, rtol=0.05)
    found = has_wrong_curve(line(120), zero, np.full(1, 0.05), lumps=lumps)
    assert found[0] == (few <= 5) == (lumps[0] > SEEN_LUMPS)
