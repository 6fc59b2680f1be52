"""Whose p-values are drawn: by the values of a feature, by the kurtosis and by the skewness of its scores."""

import numpy as np
import pytest
from scipy import sparse

import eigenselect.inference.kurtosis as kurtosis
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.doubts import SEEN_LUMPS, effective_values, form_lumps, has_few_values, has_wrong_curve
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


def test_a_class_of_few_samples_holds_the_form():
    n, one, zero = 10_000, np.ones(1), np.zeros(1)
    for few in (1, 2, 5, 50):
        classes = SymmetricForm.of_classes(np.repeat([0, 1], [n - few, few]), 1 / np.array([n - few, few])).centred()
        scalars = null_scalars(NullRatio(classes, SymmetricForm.spread(np.ones(n)).minus(classes), True, True, n))
        for alpha, beta in ((one, zero), (0.6 * one, -0.8 * one), (zero, one)):  # the spread alone has no order
            lumps = form_lumps(scalars, alpha, beta)
            np.testing.assert_allclose(lumps, few**-2.0, rtol=0.05)
        found = has_wrong_curve(line(120), zero, np.full(1, 0.05), lumps=lumps)
        assert found[0] == (few <= 5) == (lumps[0] > SEEN_LUMPS)


N = 12


@pytest.fixture
def pair(rng):
    """A form with rows that do not sum to 0, and one that weighs the samples unequally."""
    A = rng.normal(size=(N, N)) * (rng.random((N, N)) < 0.4)
    return A + A.T, np.diag(rng.random(N) + 0.2)


def forms(pair):
    A, B = pair
    return [SymmetricForm.of(sparse.csr_array(A)), SymmetricForm.of(B).centred()]


def of_features(M, draws=400_000):
    """Measure it on features of normal values, of length 1 and mean 0."""
    Z = np.random.default_rng(1).normal(size=(N, draws))
    Z -= Z.mean(axis=0)
    Z /= np.linalg.norm(Z, axis=0)
    T = np.einsum("ij,ij->j", Z, M @ Z)
    t = (T - T.mean()) / T.std()
    return np.mean(t**4) - 3 - 1.5 * np.mean(t**3) ** 2


def test_it_is_that_of_bell_shaped_features(pair):
    A, B = pair
    scores = np.array([-3.0, -0.4, 0.0, 0.5, 2.0])
    found = unseen_kurtosis(forms(pair), scores)
    np.testing.assert_allclose(found, [of_features(A - r * B) for r in scores], atol=0.02)
    np.testing.assert_allclose(unseen_kurtosis(forms(pair)[:1], scores), found[2], rtol=1e-12)
    of_denominator = unseen_kurtosis([forms(pair)[1]], np.zeros(1))[0]
    np.testing.assert_allclose(unseen_kurtosis(forms(pair), np.array([np.inf, -np.inf])), of_denominator, rtol=1e-9)


def test_units_constants_and_the_trace_do_not_matter(pair):
    A, B = forms(pair)
    expected = unseen_kurtosis([A, B], np.array([0.5]))
    found = unseen_kurtosis([A.scaled(2.0**200), B.scaled(2.0**-300)], np.array([2.0**499]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    other = pair[0] + 3.0 * np.eye(N) + np.add.outer(np.arange(N), np.arange(N))
    expected, found = (unseen_kurtosis([SymmetricForm.of(M)], np.zeros(1)) for M in (pair[0], other))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert unseen_kurtosis([SymmetricForm.of(np.zeros((5, 5)))], np.zeros(2)).tolist() == [0.0, 0.0]


def test_random_signs_tell_a_heavy_edge_from_a_line(monkeypatch):
    """Of 600 samples in a line, and with one edge that is as heavy as all others together."""
    n = 600
    line = np.eye(n, k=1) + np.eye(n, k=-1)
    edge = line.copy()
    edge[50, 300] = edge[300, 50] = n**0.5
    pair = [[SymmetricForm.of(M)] for M in (line, edge)]
    found = [unseen_kurtosis(form, np.zeros(1))[0] for form in pair]
    monkeypatch.setattr(kurtosis, "EXACT_SAMPLES", n)
    exact = [unseen_kurtosis(form, np.zeros(1))[0] for form in pair]
    assert abs(found[0] - exact[0]) < 0.01
    assert exact[0] < 0.05
    assert 0.4 * exact[1] < found[1] < 2.5 * exact[1]
    assert exact[1] > 1
