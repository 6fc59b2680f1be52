"""φ1, φ2, φ3 against the full eigendecomposition, by every route."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import naive
from eigenselect import SPEC
from eigenselect.criteria import criterion as criterion_module
from eigenselect.criteria.criterion import (
    LARGE,
    ODDS,
    SMALL,
    Criterion,
    leading_form,
    phi,
    rounding_of_sums,
    spectral_form,
)
from eigenselect.criteria.normalization import DEFLATED, UNIT, AsItIs, FeatureTerms
from eigenselect.criteria.quadratic import ChebyshevForm, FactorForm, KernelForm, PowerForm
from eigenselect.exceptions import EqualEigenvaluesWarning, GraphWarning
from eigenselect.graph import SampleGraph, sample_graph
from eigenselect.spectral import Custom, Power, as_spectral_function

GAMMAS = {"r": (1, lambda r: r), "r^3": (3, lambda r: r**3), "r^4": (4, lambda r: r**4), "exp": (np.exp, np.exp)}


def scores(S, X, ranking, gamma, k=None):
    return phi(ranking, SampleGraph(S), as_spectral_function(gamma), k).scores(X).native


@pytest.fixture(params=["exact", "chebyshev"])
def route(request, monkeypatch):
    """An arbitrary γ by the full eigensystem or by a polynomial."""
    if request.param == "chebyshev":
        monkeypatch.setattr(criterion_module, "EXACT_SAMPLES", 0)
    return request.param


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("blocks", [1, 3])
class TestAgainstTheFullEigendecomposition:
    @pytest.fixture
    def case(self, make_similarity, rng, blocks):
        return make_similarity(24, blocks=blocks), rng.normal(size=(24, 6)) + rng.normal(size=6)

    def test_phi1(self, case, as_kind, kernels, route, gamma):
        (S, X), (library, plain) = case, GAMMAS[gamma]
        expected = [naive.phi1(S, f, plain) for f in X.T]
        np.testing.assert_allclose(scores(as_kind(S), X, "phi1", library), expected, rtol=1e-8, atol=1e-10)

    def test_phi2(self, case, as_kind, kernels, route, gamma):
        (S, X), (library, plain) = case, GAMMAS[gamma]
        expected = [naive.phi2(S, f, plain) for f in X.T]
        np.testing.assert_allclose(scores(as_kind(S), X, "phi2", library), expected, rtol=1e-8, atol=1e-10)

    @pytest.mark.parametrize("k", [3, 7, 24])
    def test_phi3(self, case, as_kind, kernels, gamma, k):
        (S, X), (library, plain) = case, GAMMAS[gamma]
        expected = [naive.phi3(S, f, plain, k) for f in X.T]
        np.testing.assert_allclose(scores(as_kind(S), X, "phi3", library, k), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("ranking", ["phi1", "phi2"])
@pytest.mark.parametrize("gamma", [1, 3, np.exp])
def test_isolated_samples_add_nothing(make_similarity, rng, as_kind, kernels, ranking, gamma):
    S = make_similarity(20, isolated=4)
    X = rng.normal(size=(20, 5))
    with_isolated = scores(as_kind(S), X, ranking, gamma)
    without = scores(as_kind(S[:16, :16]), X[:16], ranking, gamma)
    np.testing.assert_allclose(with_isolated, without, rtol=1e-12)


def test_phi3_ignores_isolated_samples(make_similarity, rng, as_kind):
    S = make_similarity(20, isolated=4)
    X = rng.normal(size=(20, 5))
    expected = scores(as_kind(S[:16, :16]), X[:16], "phi3", 1, 5)
    np.testing.assert_allclose(scores(as_kind(S), X, "phi3", 1, 5), expected, rtol=1e-9)


def test_the_route_fits_the_spectral_function(make_similarity, monkeypatch):
    graph = SampleGraph(sparse.csr_array(make_similarity(24)))
    assert spectral_form(graph, Power(4)) == PowerForm(4)
    assert isinstance(spectral_form(graph, Power(2.5)), FactorForm)
    monkeypatch.setattr(criterion_module, "EXACT_SAMPLES", 0)
    assert isinstance(spectral_form(graph, Custom(np.exp)), ChebyshevForm)


class TestEqualEigenvalues:
    """φ3 takes all eigenvalues that equal the last one, and says both numbers."""

    @pytest.mark.parametrize(("asked", "used"), [(2, 5), (4, 5), (6, 20)])
    def test_the_whole_group_counts(self, rng, asked, used):
        """Five complete graphs on 4 samples: 0 five times, then one value 15 times."""
        S = np.kron(np.eye(5), np.ones((4, 4)) - np.eye(4))
        X = rng.normal(size=(20, 3))
        graph = SampleGraph(S)
        with pytest.warns(EqualEigenvaluesWarning) as said:
            found = phi("phi3", graph, Power(1), asked)
        assert len(said) == 1
        assert f"phi3: n_clusters={asked} ends among equal" in str(said[0].message)
        assert f"the {used} with all of these" in str(said[0].message)
        assert found.form.attributes["n_clusters_"] == used
        # by projectors: onto the component means, and what is left
        unit = X / np.linalg.norm(X, axis=0)
        means = np.kron(np.eye(5), np.full((4, 4), 0.25)) @ unit
        trivial = unit.mean(axis=0)
        expected = 2 * ((means - trivial) ** 2).sum(axis=0)
        if used == 20:
            expected += (2 - 4 / 3) * ((unit - means) ** 2).sum(axis=0)
        np.testing.assert_allclose(found.scores(X).native, expected, rtol=1e-10)

    @pytest.mark.parametrize("asked", [1, 5, 20])
    def test_nothing_is_said_where_no_group_is_cut(self, asked):
        S = np.kron(np.eye(5), np.ones((4, 4)) - np.eye(4))
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
    monkeypatch.setattr(criterion_module, "EXACT_SAMPLES", 10**9)
    S = sparse.csr_array(make_similarity(24))
    assert np.isfinite(scores(S, rng.normal(size=(24, 3)), "phi2", 5)).all()


def test_a_step_falls_back_to_the_eigensystem_or_says_how_far_off_it_is(make_similarity, rng, monkeypatch):
    def step(r):
        return (np.asarray(r) > 0.9).astype(float)

    S = make_similarity(24)
    X = rng.normal(size=(24, 4))
    monkeypatch.setattr(criterion_module, "EXACT_SAMPLES", 0)
    expected = [naive.phi2(S, f, step) for f in X.T]
    np.testing.assert_allclose(scores(S, X, "phi2", step), expected, rtol=1e-8)
    monkeypatch.setattr(criterion_module, "EXACT_FALLBACK_SAMPLES", 0)
    with pytest.warns(ConvergenceWarning, match="not smooth.*off by up to"):
        scores(S, X, "phi2", step)


@pytest.mark.parametrize("power", [0.5, 0.1])
def test_known_zeros_stay_zero_under_a_steep_function(make_similarity, as_kind, power):
    """The indicator of a component has φ = γ(0) = 0; a rounded eigenvalue of 1e-16 would give 0.03 at p = 0.1."""
    S = make_similarity(24, blocks=2)
    indicator = np.repeat([0.0, 1.0], 12)[:, None]
    assert scores(as_kind(S), indicator, "phi2", power)[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
@pytest.mark.parametrize("gamma", [1, 4, np.exp])
def test_diffusion_equals_its_explicit_kernel(make_similarity, rng, as_kind, kernels, route, ranking, gamma):
    from scipy.linalg import expm

    S0 = make_similarity(24, blocks=2)
    X = rng.normal(size=(24, 5))
    explicit = expm(-0.7 * (np.diag(S0.sum(axis=1)) - S0))
    expected = scores(explicit, X, ranking, gamma, 4)
    implicit = SampleGraph(as_kind(S0)).diffuse(0.7)
    found = phi(ranking, implicit, as_spectral_function(gamma), 4).scores(X).native
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
@pytest.mark.parametrize("gamma", [1, 3, np.exp])
def test_the_matrix_of_the_theorem_gives_the_scores(make_similarity, rng, ranking, gamma):
    S, X = make_similarity(24), rng.normal(size=(24, 5)) + 1
    criterion = phi(ranking, SampleGraph(S), as_spectral_function(gamma), 5)
    F = criterion.features(X)
    np.testing.assert_allclose(np.linalg.norm(F, axis=0), 1)
    relevance = criterion.scores(X).relevance
    np.testing.assert_allclose(np.einsum("ij,ij->j", F, criterion.matrix() @ F), relevance, rtol=1e-9)


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


@pytest.mark.parametrize(("rule", "form", "native"), TRIPLES, ids=str)
def test_scores_are_the_quadratic_form_of_every_triple(make_similarity, rng, as_kind, rule, form, native):
    mass = np.ones(16) if isinstance(rule, AsItIs) else None
    graph = SampleGraph(as_kind(make_similarity(16)), mass=mass)
    X = rng.normal(size=(16, 5)) * 10.0 ** rng.uniform(-2, 2, 5) + 1
    criterion = Criterion(graph, rule, FORMS[form](graph), native)
    np.testing.assert_allclose(criterion.scores(X).relevance, by_definition(criterion, X), rtol=1e-7, atol=1e-9)


def test_hsics_form_of_a_kernel(rng):
    """c (gᵀKg + Σ a g²) of centred features, with a K of any sign."""
    K, a, X = rng.normal(size=(12, 12)), rng.normal(size=12), rng.normal(size=(12, 4)) + 3
    K = K + K.T
    graph = SampleGraph(sparse.csr_array((12, 12)), mass=np.ones(12), signed=True)
    for rule in (AsItIs(), AsItIs("unit")):
        criterion = Criterion(graph, rule, KernelForm(K, a, 0.25), LARGE)
        np.testing.assert_allclose(criterion.scores(X).relevance, by_definition(criterion, X), rtol=1e-9)
    g = X - X.mean(axis=0)
    expected = 0.25 * (np.einsum("ij,ij->j", g, K @ g) + a @ g**2)
    found = Criterion(graph, AsItIs(), KernelForm(K, a, 0.25), LARGE).scores(X).native
    np.testing.assert_allclose(found, expected, rtol=1e-9)


class TestNative:
    """From q to the value of the literature and to the relevance."""

    @pytest.fixture
    def terms(self):
        return FeatureTerms(np.array([0.2, 0.0, 0.9, 0.0]), np.array([1.0, 2.0, 1.0, 0.0]), np.zeros(4), 5.0)

    def scored(self, terms, native, make_similarity):
        graph = SampleGraph(sparse.csr_array(make_similarity(6)))
        return Criterion(graph, DEFLATED, PowerForm(1), native).score_terms(terms)

    def test_small_is_q_and_its_complement(self, terms, make_similarity):
        found = self.scored(terms, SMALL, make_similarity)
        np.testing.assert_allclose(found.native, [0.2, 0, 0.9, np.nan])
        np.testing.assert_allclose(found.relevance, [0.8, 1, 0.1, np.nan])
        assert not found.larger_is_better

    def test_large_is_q_twice(self, terms, make_similarity):
        found = self.scored(terms, LARGE, make_similarity)
        np.testing.assert_array_equal(found.native, found.relevance)
        assert found.larger_is_better

    def test_odds_are_infinite_for_a_perfect_feature(self, terms, make_similarity):
        found = self.scored(terms, ODDS, make_similarity)
        np.testing.assert_allclose(found.native, [4, np.inf, 1 / 9, np.nan])
        np.testing.assert_allclose(found.relevance, [0.8, 1, 0.1, np.nan])
        assert found.larger_is_better

    @pytest.mark.parametrize("native", [SMALL, LARGE, ODDS], ids=["small", "large", "odds"])
    def test_relevance_and_native_values_give_one_order(self, native, make_similarity, rng):
        terms = FeatureTerms(rng.random(20), np.ones(20), np.zeros(20), 5.0)
        found = self.scored(terms, native, make_similarity)
        signed = found.native if found.larger_is_better else -found.native
        np.testing.assert_array_equal(np.argsort(signed), np.argsort(found.relevance))


class TestRounding:
    """How far apart equal scores may be."""

    def test_sums_of_differences_round_relative_to_themselves(self, make_similarity):
        graph = SampleGraph(sparse.csr_array(make_similarity(10)))
        terms = FeatureTerms(np.array([1e-30, 0.5]), np.ones(2), np.zeros(2), 5.0)
        rounding = Criterion(graph, DEFLATED, PowerForm(1), SMALL).score_terms(terms).rounding
        np.testing.assert_allclose(rounding, rounding_of_sums(10) * terms.quadratic)

    def test_other_forms_round_relative_to_what_cancels(self, make_similarity):
        graph = SampleGraph(make_similarity(10))
        form = PowerForm(3)
        terms = FeatureTerms(np.array([1e-30, 0.5]), np.ones(2), np.zeros(2), 5.0)
        rounding = Criterion(graph, DEFLATED, form, SMALL).score_terms(terms).rounding
        assert (rounding >= rounding_of_sums(10) * form.cancellation(graph)).all()

    def test_odds_round_by_their_slope(self, make_similarity):
        """d((1 - q)/q) = dq/q²."""
        graph = SampleGraph(sparse.csr_array(make_similarity(10)))
        terms = FeatureTerms(np.array([0.01, 0.5]), np.ones(2), np.zeros(2), 5.0)
        small, odds = (
            Criterion(graph, DEFLATED, PowerForm(1), native).score_terms(terms).rounding for native in (SMALL, ODDS)
        )
        np.testing.assert_allclose(odds, small / terms.quadratic**2)

    @pytest.mark.parametrize("ranking", ["phi1", "phi2", "phi3"])
    @pytest.mark.parametrize("gamma", [Power(1), Power(4), Custom(np.exp)])
    def test_another_order_of_samples_stays_within_it(self, make_similarity, rng, ranking, gamma):
        S, X = make_similarity(40), rng.normal(size=(40, 30)) + 2
        order = rng.permutation(40)
        plain = phi(ranking, SampleGraph(S), gamma, 5).scores(X)
        moved = phi(ranking, SampleGraph(S[np.ix_(order, order)]), gamma, 5).scores(X[order])
        assert (np.abs(plain.native - moved.native) <= np.maximum(plain.rounding, moved.rounding)).all()
