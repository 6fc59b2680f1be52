"""Refined p-values against all permutations, and against many, for every rule."""

from dataclasses import replace
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from scipy import sparse, stats

import eigenselect.inference.doubts as doubts
import eigenselect.inference.monte_carlo as monte_carlo
import noise
from eigenselect import SPEC, FisherScore, GearyC, LaplacianScore, MoranI
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.inference import Given
from eigenselect.inference.monte_carlo import refine, shared_draws
from eigenselect.inference.permutation import permutation_test
from eigenselect.matrix import as_matrix
from eigenselect.spectral import Power
from null_rules import CRITERIA, explicit, features

#: relative standard error that the tests ask for
PRECISION = 0.04


def exact_pvalue(ratio, feature, score):
    """Enumerate all orders of the values; ties count."""
    A, B = explicit(ratio)
    orders = np.array(list(permutations(range(ratio.n_samples))))
    F = (feature - feature.mean() if ratio.centred else feature)[orders]
    numerator = np.einsum("pi,pi->p", F @ A, F)
    denominator = 1.0 if ratio.denominator is None else np.einsum("pi,pi->p", F @ B, F)
    if np.isinf(score):
        return float((denominator <= 1e-9 * np.abs(F).max() ** 2).mean())
    T = (numerator - score * denominator) * (1 if ratio.larger_is_better else -1)
    return float((-1e-9 * (np.abs(numerator) + np.abs(score * denominator)).max() <= T).mean())


def test_it_is_the_share_of_all_permutations(monkeypatch):
    """8 samples, every rule; the p-values given are wrong, so that all are refined."""
    monkeypatch.setattr(doubts, "ENOUGH_SHARE", 1.1)  # as if all features were rare
    monkeypatch.setattr(monte_carlo, "MOST_SAMPLES", 0)  # and 8 samples many
    X, chosen = features(), [0, 2, 4]  # bell-shaped, counts, binary
    table = as_matrix(X[:, chosen])
    for name, criterion in CRITERIA.items():
        ratio = criterion.null_ratio()
        live = X if ratio.rows is None else X[ratio.rows]
        native = ratio.values(live)
        refined = refine(ratio, table, native[chosen], np.full(3, 0.01), precision=PRECISION, n_jobs=1)
        for place, column in enumerate(chosen):
            if np.count_nonzero(live[:, column]) == 1:  # left to the permutation test
                assert refined[place] == 0.01
                continue
            exact = exact_pvalue(ratio, live[:, column], native[column])
            assert refined[place] == pytest.approx(exact, rel=5 * PRECISION), name


@pytest.fixture(scope="module")
def points():
    """400 random points, each joined to its neighbours in space, with weights."""
    rng = np.random.default_rng(4)
    P = rng.random((400, 2))
    distance = np.linalg.norm(P[:, None] - P[None], axis=2)
    near = distance < np.sort(distance, axis=1)[:, 8:9]
    S = np.exp(-((distance / 0.05) ** 2)) * (near | near.T)
    np.fill_diagonal(S, 0.0)
    return phi("phi2", SampleGraph(sparse.csr_array(S)), Power(1)), P


def rare(P, n_values, seed):
    """Return a feature with a few values at places that are somewhat near each other."""
    rng = np.random.default_rng(seed)
    close = np.argsort(np.linalg.norm(P - P[rng.integers(400)], axis=1))
    feature = np.zeros(400)
    feature[rng.choice(close[: 4 * n_values], n_values, replace=False)] = rng.exponential(size=n_values) + 0.5
    return feature


def test_it_is_the_share_of_many_permutations(points):
    """5 to 12 non-zeros of 400: whole features permuted by numpy's generator, scored by the ratio's matrices."""
    criterion, P = points
    ratio = criterion.null_ratio()
    X = np.column_stack([rare(P, k, k - 5) for k in (5, 6, 12)])
    native = criterion.scores(X).native
    refined = refine(ratio, as_matrix(sparse.csc_array(X)), native, np.full(3, 1e-3), n_jobs=1, precision=0.05)
    rng, n_draws = np.random.default_rng(0), 10_000
    for column in range(3):
        F = rng.permuted(np.repeat(X[:, [column]], n_draws, axis=1), axis=0)
        count = int((ratio.values(F) <= native[column] * (1 + 1e-10)).sum())
        expected = count / n_draws
        assert 5e-4 < expected < 0.5
        band = 4.5 * np.hypot(0.05 * expected, np.sqrt(expected / n_draws))
        assert refined[column] == pytest.approx(expected, abs=band)


def cases(points):
    criterion, P = points
    X = np.column_stack([rare(P, k, 50 + k) for k in (5, 7, 9, 12)])
    return criterion.null_ratio(), X, criterion.scores(X).native


def test_a_feature_has_its_pvalue_wherever_it_stands(points):
    """In any order, next to itself, in any unit, dense or sparse, on any background and any number of threads."""
    ratio, X, native = cases(points)
    given = np.full(4, 1e-3)
    expected = refine(ratio, as_matrix(X), native, given, n_jobs=1)
    order = np.array([2, 0, 3, 1, 2])
    moved = refine(ratio, as_matrix(X[:, order]), native[order], np.full(5, 1e-3), n_jobs=1)
    assert (moved == expected[order]).all()
    assert (refine(ratio, as_matrix(X), native, given, n_jobs=3, random_state=0) == expected).all()
    assert (refine(ratio, as_matrix(sparse.csr_array(X)), native, given, n_jobs=1) == expected).all()
    assert (refine(ratio, as_matrix(X * 2.0**300), native, given, n_jobs=1) == expected).all()
    np.testing.assert_allclose(refine(ratio, as_matrix(X + 8.0), native, given, n_jobs=1), expected, rtol=1e-6)
    other = refine(ratio, as_matrix(X), native, given, random_state=1)
    assert (other != expected).all()
    np.testing.assert_allclose(other, expected, rtol=0.7)


def test_what_needs_nothing_is_left_alone(points):
    """Large p-values, bell-shaped features, also of few samples, and NaN."""
    criterion, _ = points
    ratio = criterion.null_ratio()
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=400), rng.random(400) < 0.02, np.zeros(400)]).astype(float)
    native = np.array([0.5, 0.9, np.nan])
    for given in (np.array([1e-9, 0.3, np.nan]), np.array([1e-3, 0.11, np.nan])):
        np.testing.assert_array_equal(refine(ratio, as_matrix(X), native, given), given)
    criterion = phi("phi2", SampleGraph(sparse.csr_array(np.eye(30, k=1) + np.eye(30, k=-1))), Power(1))
    X = np.column_stack([rng.normal(size=30), np.r_[1.0, 2.0, 3.0, np.zeros(27)]])
    refined = refine(criterion.null_ratio(), as_matrix(X), criterion.scores(X).native, np.full(2, 0.01))
    np.testing.assert_array_equal(refined == 0.01, [True, False])  # the rare one is drawn


def test_forms_known_by_products_are_refined_where_samples_are_few(points, monkeypatch):
    ratio, X, native = cases(points)
    product = ratio.numerator
    implicit = replace(ratio, numerator=SymmetricForm.of_products(lambda F: product @ F, ratio.n_samples))
    given = np.full(4, 0.02)
    expected = refine(ratio, as_matrix(X), native, given, n_jobs=1)
    np.testing.assert_allclose(refine(implicit, as_matrix(X), native, given, n_jobs=1), expected, rtol=1e-9)
    monkeypatch.setattr(monte_carlo, "MOST_EXPLICIT", 399)
    assert (refine(implicit, as_matrix(X), native, given) == given).all()


def test_visits_are_bounded_and_shared(monkeypatch):
    """Who gets less than wanted gets as many as the others; the deepest are drawn where there is not enough for all."""
    costs, pvalues = np.array([300] * 400 + [900] * 20), np.array([1e-3] * 400 + [1e-7] * 20)
    draws = shared_draws(np.full(420, 1e6), costs, pvalues)
    assert (draws[400:] >= monte_carlo.SERVED_DRAWS).all()
    assert draws @ costs <= monte_carlo.ALL_VISITS
    monkeypatch.setattr(monte_carlo, "MOST_VISITS", 2e8)
    monkeypatch.setattr(monte_carlo, "ALL_VISITS", 4e9)
    rng = np.random.default_rng(0)
    wanted, costs = 2.0 ** rng.integers(10, 20, 300), rng.integers(10, 10_000, 300)
    draws = shared_draws(wanted, costs)
    assert draws @ costs <= monte_carlo.ALL_VISITS
    assert (draws * costs <= monte_carlo.MOST_VISITS).all()
    assert (draws <= wanted).all()
    assert ((draws == 0) | (draws >= monte_carlo.FEWEST_DRAWS)).all()
    limited = (draws < wanted) & (draws > 0) & ((draws + 1) * costs <= monte_carlo.MOST_VISITS)
    assert limited.sum() > 20
    assert len(set(draws[limited])) == 1
    monkeypatch.setattr(monte_carlo, "ALL_VISITS", 3.5 * monte_carlo.FEWEST_DRAWS * 100)
    draws = shared_draws(np.full(6, 1e6), np.full(6, 100), np.array([1e-3, 1e-5, 1e-3, 1e-6, 1e-2, 1e-3]))
    np.testing.assert_array_equal(draws > 0, [False, True, False, True, False, False])


@pytest.mark.parametrize("method", [LaplacianScore, GearyC])
def test_two_values_on_a_graph_with_a_hub_have_the_share_of_all_their_places(method):
    """Scores are skewed the wrong way there: a tail that goes on says 0.1 and more, and must not keep draws away."""
    n = 40
    S = np.triu(np.random.default_rng(1).random((n, n)) < 0.15, 1).astype(float)
    S += S.T
    S[0, 1:] = S[1:, 0] = 1.0
    places = np.array(list(permutations(range(n), 2)))
    X = np.zeros((n, len(places)))
    X[places.T, np.arange(len(places))] = [[1.0], [2.0]]
    found = method(significance=Given()).fit(X, similarity_matrix=S)
    exact = np.mean(found.scores_ >= found.scores_[:, None] - 1e-9, axis=1)
    small = exact < 0.05
    assert small.sum() > 40
    np.testing.assert_allclose(found.pvalues_[small], exact[small], rtol=0.5)


def dense_cases(method=GearyC, n_features=60):
    """Lognormal features of 120 samples on neighbours in ten dimensions: no value is rare, few carry the spread."""
    rng = np.random.default_rng(8)
    S = noise.graph("knn", 120, rng)
    X = rng.lognormal(size=(120, n_features))
    fitted = method().fit(X, similarity_matrix=S)
    return fitted.criterion_.null_ratio(), X, fitted.native_scores_


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_dense_features_have_the_share_of_many_permutations():
    """More of them than landing value by value could serve."""
    ratio, X, native = dense_cases(n_features=400)
    test = permutation_test(ratio, as_matrix(X), native, monte_carlo=refine)
    small = np.flatnonzero(test.suspected < 0.05)[:12]
    rng, n_draws = np.random.default_rng(0), 10_000
    for column in small:
        F = rng.permuted(np.repeat(X[:, [column]], n_draws, axis=1), axis=0)
        expected = (np.sum(ratio.values(F) <= native[column] * (1 + 1e-10)) + 1) / (n_draws + 1)
        band = 4.5 * np.hypot(0.12 * expected, np.sqrt(expected / n_draws))
        assert test.pvalues[column] == pytest.approx(expected, abs=band)


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_shared_draws_depend_on_nothing_but_the_feature():
    """Neither on threads, the order of columns, copies, the unit, nor on how the table is stored."""
    ratio, X, native = dense_cases()
    given = np.full(60, 1e-3)
    expected = refine(ratio, as_matrix(X), native, given, n_jobs=1)
    assert (expected != given).sum() > 50
    assert (refine(ratio, as_matrix(X), native, given, n_jobs=3) == expected).all()
    order = np.random.default_rng(1).permutation(60)
    assert (refine(ratio, as_matrix(X[:, order]), native[order], given) == expected[order]).all()
    assert (refine(ratio, as_matrix(sparse.csr_array(X)), native, given) == expected).all()
    assert (refine(ratio, as_matrix(X * 2.0**300), native, given) == expected).all()
    twice = refine(ratio, as_matrix(np.hstack([X, X])), np.tile(native, 2), np.full(120, 1e-3))
    assert (twice[:60] == twice[60:]).all()
    assert (refine(ratio, as_matrix(X), native, given, random_state=1) != expected).any()


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_where_not_all_can_share_the_smallest_come_first_and_copies_together(monkeypatch):
    ratio, X, native = dense_cases(n_features=8)
    monkeypatch.setattr(monte_carlo.Shuffles, "cost", monte_carlo.SHARED_COST / 2 / monte_carlo.FEWEST_DRAWS / 4.5)
    monkeypatch.setattr(monte_carlo, "_visits", lambda forms, n_values: 10**9)
    given = np.linspace(1e-4, 8e-4, 8)
    for share, served in ((1.0, 4), (0.5, 2), (0.1, 0)):
        assert (refine(ratio, as_matrix(X), native, given, share=share) != given).sum() == served
    X, native = X[:, [0, 1, 2, 3, 3, 3, 4, 5]], native[[0, 1, 2, 3, 3, 3, 4, 5]]
    given = np.array([5e-3, 1e-4, 2e-3, 1e-3, 1e-3, 1e-3, 9e-4, 1e-2])
    refined = refine(ratio, as_matrix(X), native, given)
    np.testing.assert_array_equal(refined != given, [0, 1, 0, 0, 0, 0, 1, 0])


def heavy_edge(n, rng):
    """Neighbours in a plane, and one edge a hundred times as heavy."""
    S = noise.graph("points", n, rng).toarray()
    S[5, 9] = S[9, 5] = 100.0
    return S


@pytest.mark.parametrize("selector", [MoranI(), SPEC(ranking="phi3", n_clusters=5), GearyC()])
def test_noise_where_one_edge_holds_the_graph(selector, rng):
    """A heavy tail without skewness: Moran's I had 8 times too many p-values below 0.001, Geary's C none below 0.05."""
    S, X, count = heavy_edge(120, rng), rng.normal(size=(120, 8_000)), 8_000
    pvalues = selector.set_params(significance=Given(0.3)).fit(X, similarity_matrix=S).pvalues_
    for level in (0.01, 0.001):
        assert (pvalues <= level).sum() <= stats.binom.isf(1e-4, count, level)
        assert level < 0.01 or (pvalues <= level).sum() >= stats.binom.ppf(1e-4, count, level)


def test_no_pvalue_is_below_that_of_one_order_of_the_values():
    """Three ones of ten samples at the best places: 1 of 120 orders, of which draws find some more or some less."""
    rng = np.random.default_rng(5)
    W = np.triu(rng.random((10, 10)), 1)
    places = np.array([np.bincount(chosen, minlength=10) for chosen in combinations(range(10), 3)], dtype=float).T
    criterion = phi("phi2", SampleGraph(sparse.csr_array(W + W.T)), Power(1))
    native = criterion.scores(places).native
    best = [int(np.argmin(native))]
    ratio, X = criterion.null_ratio(), as_matrix(places[:, best])
    found = [refine(ratio, X, native[best], np.array([1e-4]), random_state=seed)[0] for seed in range(12)]
    np.testing.assert_allclose(found, 1 / 120, rtol=0.45)
    assert min(found) >= (1 - 1e-9) / 120
    assert len(set(found)) > 2


def ring(n, heavy):
    S = np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0)
    S[0, 1] = S[1, 0] = heavy
    return S


def test_a_mean_does_not_count_where_forms_know_constants():
    """φ1 keeps the mean of a feature: far from 0, what is left of the others is not lost in ties."""
    n, rng = 60, np.random.default_rng(0)
    X = np.sin(2 * np.pi * np.arange(n) / n)[:, None] + rng.normal(scale=0.3, size=(n, 3))
    found = [
        SPEC(ranking="phi1", significance=Given()).fit(X + offset, similarity_matrix=ring(n, 50.0)).pvalues_
        for offset in (1e2, 1e5)
    ]
    assert found[0].max() < 0.01
    np.testing.assert_allclose(found[1], found[0], rtol=0.3, atol=1e-6)


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_ties_do_not_depend_on_the_unit_where_both_forms_cancel():
    """Scores of φ1 are 1 where no two non-zeros are neighbours: the worst, whatever the last bits of A - rB say."""
    n, rng = 80, np.random.RandomState(0)
    S = ring(n, 1.0)
    S[0, 1:6] = S[1:6, 0] = 20.0
    S[70:73] = S[:, 70:73] = 0.0
    X = (rng.rand(n, 400) < 0.08) * rng.exponential(size=(n, 400))
    X[1:6] = X[0]
    X = X[:, X[:70].any(axis=0)]
    selector = SPEC(ranking="phi1", significance=Given())
    one, three = (selector.fit(unit * X, similarity_matrix=S).pvalues_ for unit in (1.0, 3.0))
    np.testing.assert_allclose(three, one, rtol=1e-6)


def test_no_refined_pvalue_is_below_that_of_the_arrangements_of_classes():
    n, rng = 30, np.random.RandomState(0)
    X = rng.standard_t(2, size=(n, 5000))
    X[:4] += 20
    found = FisherScore(significance=True).fit(X, np.repeat([0, 1], [4, 26])).pvalues_
    assert found.min() >= 0.999 / comb(30, 4)
