"""At which scale a feature varies: sums over eigenvalues, whatever basis a solver returns."""

from contextlib import nullcontext
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from another_basis import use_another_basis
from conftest import random_similarity
from eigenselect.criteria.criterion import DEFLATED, LARGE, SMALL, UNIT, AsItIs, Criterion, phi
from eigenselect.criteria.quadratic import PowerForm
from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.graph import SampleGraph
from eigenselect.inference import scales
from eigenselect.inference.feature_sums import Feature, explain_criterion
from eigenselect.matrix import as_matrix
from eigenselect.similarity.labels import class_graph
from eigenselect.spectral import Heat, Power

RANKINGS = ("phi1", "phi2", "phi3")
GAMMAS = (Power(1), Power(2), Power(3), Power(0.5), Heat())


def explained(criterion, f):
    table, n = as_matrix(np.asarray(f)[:, None]), len(f)
    return explain_criterion(criterion, Feature.of(table, 0, np.arange(n), "test"), "test")


def total(found):
    return found.terms.sum() + found.rest


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    blocks=st.integers(1, 3),
    isolated=st.integers(0, 2),
    ranking=st.sampled_from(RANKINGS),
    gamma=st.sampled_from(GAMMAS),
    mean=st.sampled_from([0.0, 1.0, 1e4]),
)
def test_terms_sum_to_the_score_on_any_graph(seed, blocks, isolated, ranking, gamma, mean):
    rng = np.random.default_rng(seed)
    S = random_similarity(rng, 20, blocks=blocks, isolated=isolated)
    graph = SampleGraph(sparse.csr_array(S))
    f = rng.normal(size=20) + (0.0 if ranking == "phi3" else mean)
    why = explained(phi(ranking, graph, gamma, 4), f)
    found = why.scales
    largest = gamma.largest if ranking != "phi1" else gamma.largest * 1e-6  # a large mean leaves little else of f̂
    assert total(found) == pytest.approx(why.score, rel=1e-11, abs=1e-13 * largest)
    assert found.shares.sum() + found.rest_share == pytest.approx(1.0, abs=1e-12)
    assert found.expected.sum() + found.rest_expected == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(found.eigenvalues[1:]) > 0).all()
    if ranking != "phi3":
        assert found.rest == found.rest_share == 0.0
        assert found.multiplicities.sum() == 20 - isolated - (ranking == "phi2")


@pytest.mark.parametrize("ranking", RANKINGS)
def test_shares_are_squared_projections(ranking, rng):
    """No equal eigenvalues, so that every vector is known up to its sign."""
    S, f = random_similarity(rng, 18), rng.normal(size=18) + 1
    d = S.sum(axis=1)
    values, vectors = np.linalg.eigh(np.eye(18) - S / np.sqrt(np.outer(d, d)))
    f_hat = np.sqrt(d) * (f - d @ f / d.sum() if ranking == "phi2" else f)
    squares = (vectors.T @ (f_hat / np.linalg.norm(f_hat))) ** 2
    kept = {"phi1": slice(None), "phi2": slice(1, None), "phi3": slice(1, 4)}[ranking]
    found = explained(phi(ranking, SampleGraph(S), Power(1), 4), f).scales
    trivial = [0.0] if ranking == "phi3" else []
    np.testing.assert_allclose(found.eigenvalues[len(trivial) :], values[kept], atol=1e-12)
    np.testing.assert_allclose(found.shares[len(trivial) :], squares[kept], atol=1e-12)
    weights = 2.0 - values if ranking == "phi3" else values
    np.testing.assert_allclose(found.terms[len(trivial) :], (squares * weights)[kept], atol=1e-12)


@pytest.mark.parametrize("ranking", ["phi1", "phi2"])
def test_expected_shares_are_those_of_all_permutations(ranking, rng):
    """Ratios of the mean of the numerator and the mean of the denominator over all 720 orders."""
    S, f = random_similarity(rng, 7, isolated=1), rng.normal(size=7) + 0.5
    graph = SampleGraph(S)
    found = explained(phi(ranking, graph, Power(1)), f).scales
    d = graph.mass[:6]
    orders = f[np.array(list(permutations(range(6))))]
    means = orders @ d / d.sum()
    lengths = ((orders - means[:, None]) ** 2) @ d + (d.sum() * means**2 if ranking == "phi1" else 0.0)
    _, vectors = np.linalg.eigh(np.eye(6) - S[:6, :6] / np.sqrt(np.outer(d, d)))
    squares = ((orders * np.sqrt(d)) @ vectors) ** 2
    expected = squares.mean(axis=0) / lengths.mean()
    np.testing.assert_allclose(found.expected, expected if ranking == "phi1" else expected[1:], rtol=1e-10)


def torus(n, m):
    def ring(size):
        return np.roll(np.eye(size), 1, axis=1) + np.roll(np.eye(size), -1, axis=1)

    return np.kron(ring(n), np.eye(m)) + np.kron(np.eye(n), ring(m))


@pytest.mark.parametrize("ranking", RANKINGS)
def test_no_number_depends_on_the_basis(ranking, rng, monkeypatch):
    S = np.zeros((38, 38))
    S[:36, :36] = np.kron(np.eye(2), torus(3, 6))  # two equal components, equal eigenvalues in each, isolated samples
    f, found = rng.normal(size=38), []
    for seed in (None, 0, 1):
        if seed is not None:
            use_another_basis(monkeypatch, seed)
        with pytest.warns(EqualEigenvaluesWarning) if ranking == "phi3" else nullcontext():
            why = explained(phi(ranking, SampleGraph(S), Heat(), 4), f)
        assert total(why.scales) == pytest.approx(why.score, rel=1e-11)
        found.append(why.scales)
    for other in found[1:]:
        np.testing.assert_array_equal(other.multiplicities, found[0].multiplicities)
        for name in ("eigenvalues", "shares", "expected", "terms"):
            np.testing.assert_allclose(getattr(other, name), getattr(found[0], name), atol=1e-10)
    assert found[0].multiplicities.max() > 2


def test_of_a_large_graph_the_leading_groups_and_one_rest(rng, monkeypatch):
    S, f = random_similarity(rng, 40, blocks=2), rng.normal(size=40)
    whole = explained(phi("phi2", SampleGraph(S), Power(1)), f)
    monkeypatch.setattr(scales, "FULL_SAMPLES", 10)
    monkeypatch.setattr(scales, "LEADING", 6)
    found = explained(phi("phi2", SampleGraph(S), Power(1)), f).scales
    assert found.multiplicities.sum() == 5
    np.testing.assert_allclose(found.shares, whole.scales.shares[:5], rtol=1e-8)
    np.testing.assert_allclose(found.terms, whole.scales.terms[:5], rtol=1e-8, atol=1e-14)
    assert total(found) == pytest.approx(whole.score, rel=1e-13)
    assert found.rest == pytest.approx(whole.scales.terms[5:].sum(), rel=1e-8)
    assert found.rest_share == pytest.approx(whole.scales.shares[5:].sum(), rel=1e-8)
    assert found.rest_expected == pytest.approx(whole.scales.expected[5:].sum(), rel=1e-8)


def test_class_graphs_have_two_scales(rng):
    """Also where samples have another mass than their degree, as in Geary's C."""
    codes, f = rng.permutation(np.repeat([0, 1, 2], [5, 3, 9])), rng.normal(size=17)
    graph = class_graph(codes, ["a", "b", "c"])
    for mass, gamma in ((1.0, Power(1)), (17 / 16, Power(2)), (17 / 16, Power(3))):
        found = explained(phi("phi2", graph.weighing_equally(mass), gamma), f).scales
        dense = explained(phi("phi2", SampleGraph(graph.to_array()).weighing_equally(mass), gamma), f).scales
        for name in ("eigenvalues", "multiplicities", "shares", "expected", "terms"):
            np.testing.assert_allclose(getattr(found, name), getattr(dense, name), atol=1e-12)


def test_a_frame_and_the_median(rng):
    graph = SampleGraph(random_similarity(rng, 12))
    for rule, count in ((DEFLATED, 11), (UNIT, 12)):
        found = explained(Criterion(graph, rule, PowerForm(1), SMALL), rng.normal(size=12)).scales
        frame = found.to_frame()
        assert len(frame) == count
        assert frame["terms"].sum() == pytest.approx(total(found))
        assert found.median() == frame.loc[frame["shares"].cumsum() >= 0.5, "eigenvalues"].iloc[0]
    assert explained(Criterion(graph, AsItIs(), PowerForm(1), LARGE), rng.normal(size=12)).scales is None
    noise = explained(phi("phi3", SampleGraph(random_similarity(rng, 30)), Power(1), 3), rng.normal(size=30)).scales
    assert noise.rest_share > 0.5
    assert noise.median() is None  # beyond what is known
