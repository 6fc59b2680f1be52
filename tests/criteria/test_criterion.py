"""φ1, φ2, φ3 against the full eigendecomposition, by every route; native scores and their rounding."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm
from sklearn.exceptions import ConvergenceWarning

import naive
from eigenselect import SPEC
from eigenselect._floats import SAME
from eigenselect.criteria import forms as forms_module
from eigenselect.criteria.criterion import (
    DEFLATED,
    LARGE,
    MANY_TERMS,
    ODDS,
    SMALL,
    UNIT,
    AsItIs,
    Criterion,
    phi,
    rounding_of_sums,
)
from eigenselect.criteria.forms import leading_form, spectral_form
from eigenselect.criteria.quadratic import FeatureTerms, PowerForm
from eigenselect.exceptions import EqualEigenvaluesWarning, GraphWarning
from eigenselect.graph import SampleGraph, sample_graph
from eigenselect.spectral import Custom, Power, as_spectral_function

GAMMAS = {"r": (1, lambda r: r), "r^3": (3, lambda r: r**3), "r^4": (4, lambda r: r**4), "exp": (np.exp, np.exp)}


def scores(S, X, ranking, gamma, k=None):
    return phi(ranking, SampleGraph(S), as_spectral_function(gamma), k).scores(X).native


class TestAgainstTheFullEigendecomposition:
    """Every γ, storage and route, on one component and on three."""

    def check(self, ranking, make_similarity, rng, monkeypatch, ks=(None,)):
        naively = {"phi1": naive.phi1, "phi2": naive.phi2, "phi3": naive.phi3}[ranking]
        cases = product((1, 3), GAMMAS, ("dense", "sparse"), ("exact", "chebyshev"), ks)
        for blocks, gamma, kind, route, k in cases:
            monkeypatch.setattr(forms_module, "EXACT_SAMPLES", 0 if route == "chebyshev" else 400)
            S, X = make_similarity(24, blocks=blocks), rng.normal(size=(24, 6)) + rng.normal(size=6)
            library, plain = GAMMAS[gamma]
            expected = [naively(S, f, plain, *([] if k is None else [k])) for f in X.T]
            found = scores(S if kind == "dense" else sparse.csr_array(S), X, ranking, library, k)
            case = f"{blocks} {gamma} {kind} {route} {k}"
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10, err_msg=case)

    def test_phi1(self, make_similarity, rng, monkeypatch, kernels):
        self.check("phi1", make_similarity, rng, monkeypatch)

    def test_phi2(self, make_similarity, rng, monkeypatch, kernels):
        self.check("phi2", make_similarity, rng, monkeypatch)

    def test_phi3(self, make_similarity, rng, monkeypatch, kernels):
        self.check("phi3", make_similarity, rng, monkeypatch, ks=(3, 7, 24))


class TestEqualEigenvalues:
    """φ3 takes all eigenvalues that equal the last one, and says both numbers."""

    def test_the_whole_group_counts(self, rng):
        """Five complete graphs on 4 samples: 0 five times, then one value 15 times."""
        S, X = np.kron(np.eye(5), np.ones((4, 4)) - np.eye(4)), rng.normal(size=(20, 3))
        # by projectors: onto the component means, and what is left
        unit = X / np.linalg.norm(X, axis=0)
        means = np.kron(np.eye(5), np.full((4, 4), 0.25)) @ unit
        of_five = 2 * ((means - unit.mean(axis=0)) ** 2).sum(axis=0)
        of_all = of_five + (2 - 4 / 3) * ((unit - means) ** 2).sum(axis=0)
        for asked, used, expected in ((2, 5, of_five), (4, 5, of_five), (6, 20, of_all)):
            with pytest.warns(EqualEigenvaluesWarning, match=f"n_clusters={asked} .*the {used} with") as said:
                found = phi("phi3", SampleGraph(S), Power(1), asked)
            assert len(said) == 1
            assert found.form.attributes["n_clusters_"] == used
            np.testing.assert_allclose(found.scores(X).native, expected, rtol=1e-10)
        for asked in (1, 5, 20):  # no group is cut: warnings are errors
            assert phi("phi3", SampleGraph(S), Power(1), asked).form.attributes["n_clusters_"] == asked

    def test_selectors_tell_how_many_they_used(self, rng):
        S = np.kron(np.eye(5), np.ones((4, 4)) - np.eye(4))
        selector = SPEC(2, ranking="phi3", n_clusters=3)
        with pytest.warns(EqualEigenvaluesWarning) as said, pytest.warns(GraphWarning):
            selector.fit(rng.normal(size=(20, 4)), similarity_matrix=S)
        assert sum(issubclass(one.category, EqualEigenvaluesWarning) for one in said) == 1
        assert all(one.filename == __file__ for one in said)
        assert selector.n_clusters_ == selector.eigenvalues_.size == 5


def test_a_power_needs_no_eigenvectors(make_similarity, rng, monkeypatch):
    def forbidden(*args, **kwargs):
        raise AssertionError("an eigensolver was called")

    monkeypatch.setattr(sample_graph, "eigh", forbidden)
    monkeypatch.setattr(forms_module, "EXACT_SAMPLES", 10**9)
    S = sparse.csr_array(make_similarity(24))
    assert np.isfinite(scores(S, rng.normal(size=(24, 3)), "phi2", 5)).all()


def test_a_step_falls_back_to_the_eigensystem_or_says_how_far_off_it_is(make_similarity, rng, monkeypatch):
    def step(r):
        return (np.asarray(r) > 0.9).astype(float)

    S = make_similarity(24)
    X = rng.normal(size=(24, 4))
    monkeypatch.setattr(forms_module, "EXACT_SAMPLES", 0)
    expected = [naive.phi2(S, f, step) for f in X.T]
    np.testing.assert_allclose(scores(S, X, "phi2", step), expected, rtol=1e-8)
    monkeypatch.setattr(forms_module, "EXACT_FALLBACK_SAMPLES", 0)
    with pytest.warns(ConvergenceWarning, match="off by up to"):
        scores(S, X, "phi2", step)


def test_signed_similarities_with_positive_degrees(rng):
    S = rng.normal(size=(15, 15))
    S = S + S.T
    np.fill_diagonal(S, 0)
    S[np.diag_indices(15)] = 4 - S.sum(axis=1)
    X = rng.normal(size=(15, 4))
    graph = SampleGraph(S, signed=True)
    pairs = graph.full_eigensystem()
    values, vectors = pairs.eigenvalues, pairs.eigenvectors
    low, high = graph.interval
    assert low <= values.min() < 0
    assert values.max() <= high
    F = DEFLATED.apply(X, graph)
    expected = np.einsum("ij,ij->j", F, (vectors * values**3) @ vectors.T @ F)
    np.testing.assert_allclose(phi("phi2", graph, Power(3)).scores(X).native, expected, rtol=1e-9)


# -- the triple ----------------------------------------------------------------------------------


def by_definition(criterion, X):
    """f̂ᵀŜf̂ with both matrices written out."""
    F_hat = criterion.features(X)
    return np.einsum("ij,ij->j", F_hat, criterion.matrix() @ F_hat)


FORMS = {
    "N": lambda graph: PowerForm(1),
    "N^2": lambda graph: PowerForm(2),
    "N^3": lambda graph: PowerForm(3),
    "exp(N) by eigenpairs": lambda graph: spectral_form(graph, Custom(np.exp)),
    "leading pairs": lambda graph: leading_form(graph, Power(1), graph.whole_spectrum(4)),
}
#: rules for features as they are need no mass but 1, a form that does not see the mean, and no complement: 1 - q is
#: f̂ᵀ(I - A)f̂ of unit vectors only
TRIPLES = [
    *product([UNIT, DEFLATED], FORMS, [SMALL, LARGE, ODDS]),
    *product([AsItIs(), AsItIs("unit")], [name for name in FORMS if "exp" not in name], [LARGE]),
]


def test_rounding_grows_with_the_root_of_many_terms_only():
    assert [rounding_of_sums(n) for n in (1, 2, MANY_TERMS)] == [SAME] * 3
    assert rounding_of_sums(100 * MANY_TERMS) == pytest.approx(10 * SAME)


def test_no_order_of_summing_differs_by_more(rng):
    for n_terms in (10, 1000, 100_000):
        values = rng.random(n_terms)
        sums = [float(np.cumsum(rng.permutation(values))[-1]) for _ in range(20)]  # one after the other: the worst way
        assert max(sums) - min(sums) <= rounding_of_sums(n_terms) * max(sums)


def test_known_zeros_stay_zero_under_a_steep_function(make_similarity, as_kind):
    """The indicator of a component has φ = γ(0) = 0; a rounded eigenvalue of 1e-16 would give 0.03 at p = 0.1."""
    S, indicator = make_similarity(24, blocks=2), np.repeat([0.0, 1.0], 12)[:, None]
    for power in (0.5, 0.1):
        assert scores(as_kind(S), indicator, "phi2", power)[0] == pytest.approx(0, abs=1e-12)


def test_diffusion_equals_its_explicit_kernel(make_similarity, rng, as_kind, kernels, monkeypatch):
    S0, X = make_similarity(24, blocks=2), rng.normal(size=(24, 5))
    explicit = expm(-0.7 * (np.diag(S0.sum(axis=1)) - S0))
    for ranking, gamma, exact in product(("phi1", "phi2", "phi3"), (1, 4, np.exp), (400, 0)):
        monkeypatch.setattr(forms_module, "EXACT_SAMPLES", exact)  # beyond it, a polynomial
        expected = scores(explicit, X, ranking, gamma, 4)
        implicit = SampleGraph(as_kind(S0)).diffuse(0.7)
        found = phi(ranking, implicit, as_spectral_function(gamma), 4).scores(X).native
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10, err_msg=f"{ranking} {gamma} {exact}")


def test_the_matrix_of_the_theorem_gives_the_scores(make_similarity, rng):
    for ranking, gamma in product(("phi1", "phi2", "phi3"), (1, 3, np.exp)):
        S, X = make_similarity(24), rng.normal(size=(24, 5)) + 1
        criterion = phi(ranking, SampleGraph(S), as_spectral_function(gamma), 5)
        np.testing.assert_allclose(np.linalg.norm(criterion.features(X), axis=0), 1)
        relevance = criterion.scores(X).relevance
        np.testing.assert_allclose(by_definition(criterion, X), relevance, rtol=1e-9, err_msg=f"{ranking} {gamma}")


def test_scores_are_the_quadratic_form_of_every_triple(make_similarity, rng, as_kind):
    for rule, form, native in TRIPLES:
        graph = SampleGraph(as_kind(make_similarity(16)), mass=np.ones(16) if isinstance(rule, AsItIs) else None)
        X = rng.normal(size=(16, 5)) * 10.0 ** rng.uniform(-2, 2, 5) + 1
        criterion = Criterion(graph, rule, FORMS[form](graph), native)
        found, expected = criterion.scores(X).relevance, by_definition(criterion, X)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9, err_msg=f"{rule} {form} {native}")


class TestNative:
    """From q to the value of the literature and to the relevance."""

    def scored(self, native, make_similarity, quadratic, spread):
        graph = SampleGraph(sparse.csr_array(make_similarity(10)))
        terms = FeatureTerms(np.array(quadratic), np.array(spread), np.zeros(len(spread)), 5.0)
        return Criterion(graph, DEFLATED, PowerForm(1), native).score_terms(terms)

    def test_odds_are_infinite_for_a_perfect_feature(self, make_similarity):
        """Small ones are q and its complement, large ones q twice."""
        rest = [0.8, 1, 0.1, np.nan]
        expected = {"small": (SMALL, [0.2, 0, 0.9, np.nan], rest), "odds": (ODDS, [4, np.inf, 1 / 9, np.nan], rest)}
        expected["large"] = (LARGE, [0.2, 0, 0.9, np.nan], [0.2, 0, 0.9, np.nan])
        for name, (native, values, relevance) in expected.items():
            found = self.scored(native, make_similarity, [0.2, 0.0, 0.9, 0.0], [1.0, 2.0, 1.0, 0.0])
            np.testing.assert_allclose(found.native, values, err_msg=name)
            np.testing.assert_allclose(found.relevance, relevance, err_msg=name)
            assert found.larger_is_better == (name != "small")

    def test_relevance_and_native_values_give_one_order(self, make_similarity, rng):
        for native in (SMALL, LARGE, ODDS):
            found = self.scored(native, make_similarity, rng.random(20), np.ones(20))
            signed = found.native if found.larger_is_better else -found.native
            np.testing.assert_array_equal(np.argsort(signed), np.argsort(found.relevance))

    def test_rounding_is_relative_to_the_sums_and_of_odds_by_their_slope(self, make_similarity):
        """d((1 - q)/q) = dq/q²."""
        both = (self.scored(native, make_similarity, [0.01, 0.5], np.ones(2)) for native in (SMALL, ODDS))
        small, odds = (found.rounding for found in both)
        np.testing.assert_allclose(small, rounding_of_sums(10) * np.array([0.01, 0.5]))
        np.testing.assert_allclose(odds, small / np.array([0.01, 0.5]) ** 2)

    def test_another_order_of_samples_stays_within_the_rounding(self, make_similarity, rng):
        S, X, order = make_similarity(40), rng.normal(size=(40, 30)) + 2, rng.permutation(40)
        for ranking, gamma in product(("phi1", "phi2", "phi3"), (Power(1), Power(4), Custom(np.exp))):
            plain = phi(ranking, SampleGraph(S), gamma, 5).scores(X)
            moved = phi(ranking, SampleGraph(S[np.ix_(order, order)]), gamma, 5).scores(X[order])
            assert (np.abs(plain.native - moved.native) <= np.maximum(plain.rounding, moved.rounding)).all(), ranking
