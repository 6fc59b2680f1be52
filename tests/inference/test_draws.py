"""Random orders of a feature: equally likely, alike on all ways, with the quadratic form as their statistic."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from scipy import sparse, stats

from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference import landing_numba, landing_numpy
from eigenselect.inference import shuffles as module
from eigenselect.inference.landing import TIED, Landing
from eigenselect.inference.shuffles import Orders, Shuffled, Shuffles, shuffled_pvalues


def form(kind, n=30, seed=3):
    """Return a form with a sparse or dense part, a low-rank part and classes, or all of them."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.15)
    W = W + W.T
    V, C = rng.normal(size=(n, 2)), np.array([[1.0, 0.5], [0.5, -2.0]])
    near, dense, low_rank = SymmetricForm.of(sparse.csr_array(W)), SymmetricForm.of(W), SymmetricForm.low_rank(V, C)
    classes = SymmetricForm.of_classes(rng.integers(0, 4, n), rng.normal(size=4))
    rest = low_rank.plus(classes).plus(SymmetricForm.diagonal_matrix(rng.normal(size=n)))
    parts = {"sparse": near, "dense": dense, "low rank": low_rank, "classes": classes}
    return (parts | {"all": near.plus(rest), "all, dense": dense.plus(rest)})[kind]


KINDS = ["sparse", "dense", "low rank", "classes", "all", "all, dense"]


def landing(kind, *, background=0.4, seed=2**63 + 5, n_values=6):
    """Return a feature of some values on a background, with a form."""
    values = np.random.default_rng(1).normal(size=n_values)
    return Landing.of(form(kind), values, background=background, constant=-0.3, seed=seed)


def test_a_statistic_is_the_form_of_the_permuted_feature():
    for kind, background in product(KINDS, (0.0, 0.4)):
        case, A = landing(kind, background=background), form(kind).to_array()
        places = landing_numpy.places(case.seed, np.arange(7, 27), case.values.size, 30)
        found = landing_numpy.statistics(case, 7, 20)
        for place, statistic in zip(places, found, strict=True):
            f = np.full(30, background)
            f[place] += case.values
            size = np.abs(f) @ np.abs(A) @ np.abs(f)
            assert statistic == pytest.approx(f @ A @ f - 0.3, abs=100 * TIED * size), kind


def test_a_draw_does_not_depend_on_the_draws_beside_it(monkeypatch):
    case = landing("all")
    together = landing_numpy.statistics(case, 0, 50)
    monkeypatch.setattr(landing_numpy, "BLOCK", 30 * 7)
    np.testing.assert_allclose(landing_numpy.statistics(case, 0, 50), together, rtol=1e-12)
    np.testing.assert_allclose(landing_numpy.statistics(case, 33, 5), together[33:38], rtol=1e-12)


def test_every_order_of_the_places_is_equally_likely():
    drawn = landing_numpy.places(11, np.arange(60_000), 3, 5)
    assert (np.sort(drawn, axis=1)[:, 1:] > np.sort(drawn, axis=1)[:, :-1]).all()
    counts = np.bincount(drawn @ [25, 5, 1], minlength=125)
    assert (counts > 0).sum() == 60
    assert stats.chisquare(counts[counts > 0]).pvalue > 1e-4


def test_seeds_and_draws_give_different_landings():
    first, second = (landing_numpy.places(seed, np.arange(200), 8, 400) for seed in (0, 1))
    assert len(np.unique(np.vstack([first, second]), axis=0)) == 400


def test_what_is_equal_but_for_rounding_is_not_below_zero():
    """A form of the sum of the values: every permutation is as good as the observed one."""
    case = landing("low rank", background=0.0)
    same = case.values.sum() ** 2 * 0.01 * 4.0
    flat = replace(case, V=np.full((30, 2), 0.1), C=np.array([[1.0, 0.5], [0.5, 2.0]]), constant=-same)
    found = landing_numpy.statistics(flat, 0, 300)
    assert (found >= 0.0).all()
    assert (found < 1e-8 * abs(same)).all()


def test_compiled_landings_are_those_of_numpy():
    for kind, (background, n_values) in product(KINDS, [(0.0, 1), (0.4, 6), (-3.0, 30)]):
        case = landing(kind, background=background, n_values=n_values)
        expected = landing_numpy.statistics(case, 5, 200)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(landing_numba.statistics(case, 5, 200), expected, rtol=1e-12, atol=1e-13 * scale)
    draws = np.array([0, 7, 2**40])
    found = landing_numba.places(11, draws, 30, 30)
    np.testing.assert_array_equal(found, landing_numpy.places(11, draws, 30, 30))
    np.testing.assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(30), (3, 1)))
    together = landing_numba.statistics(landing("all"), 0, 100)
    assert (landing_numba.statistics(landing("all"), 60, 40) == together[60:]).all()


FEW = 7
RNG = np.random.default_rng(6)


def sparse_form(n=FEW, rng=RNG):
    M = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5))
    return SymmetricForm.of(sparse.csr_array(M + M.T))


def forms_of(kind):
    """Numerator and denominator, in the parts that a criterion may have."""
    A, B = sparse_form(), SymmetricForm.spread(RNG.random(FEW))
    if kind == "dense":
        return [SymmetricForm.of(A.to_array()), B]
    if kind == "classes":
        return [SymmetricForm.of_classes(np.array([0, 1, 1, 2, 0, 2, 2]), np.array([0.5, -1.0, 2.0])), B]
    if kind == "two graphs":
        return [A.centred(), sparse_form()]
    return [A] if kind == "one" else [A.centred(), B]


PARTS = ("sparse", "one", "dense", "classes", "two graphs")
FEATURE = Shuffled(RNG.normal(size=FEW) + 1.0, (0.8, -0.6), 0.3)


def weighted(parts, weights):
    return sum(weight * form.to_array() for weight, form in zip(weights, parts, strict=False))


@pytest.mark.parametrize("compiled", [False, True])
def test_statistics_are_those_of_the_matrix(compiled, monkeypatch):
    """In tiles of some columns, whatever the parts of the forms."""
    monkeypatch.setattr(module, "WIDEST", 16)
    for kind in PARTS:
        parts = forms_of(kind)
        shuffles = Shuffles(parts, Orders(3))
        tiles = shuffles.tiles(5, 40, compiled=compiled)
        assert [tile.shape for tile in tiles] == [(FEW, 16), (FEW, 16), (FEW, 8)]
        F = FEATURE.values[np.hstack(tiles)]
        expected = np.einsum("ij,ij->j", F, weighted(parts, FEATURE.weights) @ F) + FEATURE.constant
        found = shuffles.statistics(FEATURE, tiles, compiled=compiled)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-6)
        assert (found > expected).all()  # raised, or ties would be lost to rounding


def test_the_pvalue_is_the_share_of_all_orders():
    F = FEATURE.values[np.array(list(permutations(range(FEW)))).T]
    for kind, share in product(PARTS, (0.05, 0.3)):
        parts = forms_of(kind)
        T = np.einsum("ij,ij->j", F, weighted(parts, FEATURE.weights) @ F)
        feature = Shuffled(FEATURE.values, FEATURE.weights, -float(np.quantile(T, 1 - share)))
        exact = np.mean(T + feature.constant >= -1e-9)
        found = shuffled_pvalues(Shuffles(parts, Orders(1)), [feature], 1000, most_draws=10**6, most_cost=np.inf)
        assert found[0] == pytest.approx(exact, rel=0.15), kind


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_equal_but_for_rounding_counts(compiled):
    """On a star only the value of the hub counts: with c of the value there, one order in n is as good."""
    star = np.zeros((20, 20))
    star[0, 1:] = star[1:, 0] = 1.0
    z = np.random.default_rng(2).normal(size=20)
    z -= z.mean()
    shuffles = Shuffles([SymmetricForm.of(sparse.csr_array(star))], Orders(0))
    tiles = shuffles.tiles(0, 4000, compiled=compiled)
    best = z[np.hstack(tiles)[0]] == z[np.argmin(np.abs(z))]  # T = -2 z_hub², largest for the smallest value
    feature = Shuffled(z, (1.0, 0.0), 2.0 * float(np.abs(z).min()) ** 2)
    assert best.sum() > 100
    np.testing.assert_array_equal(shuffles.statistics(feature, tiles, compiled=compiled) >= 0.0, best)


def many(count=6, n=40):
    rng = np.random.default_rng(4)
    shuffles = Shuffles([sparse_form(n, rng)], Orders(2))
    return shuffles, [Shuffled(rng.normal(size=n), (1.0, 0.0), -float(c)) for c in np.linspace(5, 25, count)]


def test_who_else_draws_where_and_on_how_many_threads_does_not_matter(monkeypatch):
    monkeypatch.setattr(module, "COMPILED_WORK", np.inf)
    shuffles, features = many()
    options = {"most_draws": 20_000, "most_cost": np.inf}
    expected = shuffled_pvalues(shuffles, features, 50, **options, n_jobs=1)
    assert len(set(expected)) == 6
    assert (shuffled_pvalues(shuffles, features, 50, **options, n_jobs=3) == expected).all()
    order = [3, 0, 3, 5, 1]
    assert (shuffled_pvalues(shuffles, [features[i] for i in order], 50, **options) == expected[order]).all()
    for place, feature in enumerate(features):
        assert shuffled_pvalues(shuffles, [feature], 50, **options)[0] == expected[place]
    monkeypatch.setattr(module, "COMPILED_WORK", 0.0)
    np.testing.assert_allclose(shuffled_pvalues(shuffles, features, 50, **options), expected, rtol=1e-6)


def test_orders_are_equally_likely():
    orders = np.hstack(Shuffles([sparse_form(4)], Orders(9)).tiles(0, 24_000))
    counts = np.unique(orders, axis=1, return_counts=True)[1]
    assert counts.size == 24
    assert np.sum((counts - 1000) ** 2 / 1000) < 60  # chi-squared with 23 degrees of freedom: 3e-5
