"""The kurtosis that type III does not see: against its definition on the sphere, and random bell-shaped features."""

import numpy as np
import pytest
from scipy import sparse

import eigenselect.inference.kurtosis as kurtosis
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.kurtosis import unseen_kurtosis

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


def test_infinite_scores_ask_for_the_denominator(pair):
    expected = unseen_kurtosis([forms(pair)[1]], np.zeros(1))
    np.testing.assert_allclose(unseen_kurtosis(forms(pair), np.array([np.inf, -np.inf])), expected[0], rtol=1e-9)


def test_units_do_not_matter(pair):
    A, B = forms(pair)
    expected = unseen_kurtosis([A, B], np.array([0.5]))
    found = unseen_kurtosis([A.scaled(2.0**200), B.scaled(2.0**-300)], np.array([2.0**499]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_constants_and_the_trace_do_not_matter(pair):
    A = pair[0]
    other = A + 3.0 * np.eye(N) + np.add.outer(np.arange(N), np.arange(N))
    expected, found = (unseen_kurtosis([SymmetricForm.of(M)], np.zeros(1)) for M in (A, other))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_no_form_has_none():
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


def test_few_signs_are_enough_where_they_find_nothing(monkeypatch):
    """A line of 3000 samples: two signs, two products with each; with a heavy edge sixteen more."""
    n, asked = 3000, []
    true = SymmetricForm.__matmul__
    monkeypatch.setattr(SymmetricForm, "__matmul__", lambda form, F: asked.append(F.shape[1:]) or true(form, F))
    line = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tolil()
    unseen_kurtosis([SymmetricForm.of(line)], np.zeros(1))
    assert asked.count((kurtosis.TOGETHER,)) == 2
    line[50, 300] = line[300, 50] = n**0.5
    unseen_kurtosis([SymmetricForm.of(line)], np.zeros(1))
    assert asked.count((kurtosis.TOGETHER,)) >= kurtosis.PROBES[1]  # two products, two signs at a time


def test_another_order_of_the_samples_finds_the_same(rng):
    """Signs belong to samples: estimates are the same, wherever the rows of these stand."""
    n = 300
    A = sparse.random_array((n, n), density=0.02, rng=rng, format="csr")
    form, order = SymmetricForm.of(A + A.T), rng.permutation(n)
    expected = unseen_kurtosis([form], np.zeros(1))
    np.testing.assert_allclose(unseen_kurtosis([form.restricted(order)], np.zeros(1), order), expected, rtol=1e-9)
    assert abs(unseen_kurtosis([form.restricted(order)], np.zeros(1)) - expected) > 1e-6
